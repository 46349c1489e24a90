# weft train: sources, parts and what is said of them.
. "$(dirname "$0")/check.inc"

# Three classes that lie apart, 90 rows; numbers to learn, 70 rows.
awk 'BEGIN { print "a,b,kind"; for (i = 0; i < 90; i++) { k = i % 3; print k + i / 100 "," 2 * k - i / 50 "," substr("redgrnblu", 3 * k + 1, 3) } }' \
  >"$folder/t.csv"
awk 'BEGIN { print "a;b;y"; for (i = 0; i < 70; i++) { k = i % 7; print k / 7 ";" i / 70 ";" k / 7 - i / 140 } }' >"$folder/r.csv"

run train --data "$folder/t.csv" --epochs 3 --val 0.1 --out "$folder/run" --batch 8
exits 0
lines 4
says '^epoch=1 loss=[0-9.]+ val_loss=[0-9.]+ val_accuracy=[01]\.[0-9]{4} test_loss=[0-9.]+ test_accuracy=[01]\.[0-9]{4} seconds=[0-9.]+$'
tail -n 1 "$out" | grep -qE '^final mode=NormalBP epochs=3 val_loss=.* val_accuracy=.* test_loss=.* test_accuracy=.* seconds=.* out=' ||
  fail "another final line"
complains 'note: line 1 was read as the header'
complains "note: the last 7 of an epoch's 63 samples do not fill a batch of 8"
grep -q '"in": 2,' "$folder/run/model.json" && grep -q '"out": 128,' "$folder/run/model.json" &&
  grep -q '"out": 3,' "$folder/run/model.json" || fail "the model is not 2-128-3"
grep -q '"classes": \["blu","grn","red"\]' "$folder/run/data.json" || fail "data.json does not hold the classes"
grep -q '"source":"[^"]*t.csv"' "$folder/run/data.json" || fail "data.json does not hold the source"
grep -q '"val_accuracy": [01]\.' "$folder/run/run.json" || fail "run.json lacks the validation"
mv "$out" "$folder/plain"

# The same rows compressed, and by their scheme.
gzip -c "$folder/t.csv" >"$folder/t.csv.gz"
for source in "csv:$folder/t.csv.gz" "csv:$folder/t.csv"; do
  run train --data "$source" --epochs 3 --val 0.1 --batch 8
  exits 0
  [ "$(sed 's/ seconds.*//' "$out")" = "$(sed 's/ seconds.*//' "$folder/plain")" ] || fail "other numbers"
done
# Another seed is another split; another scaling is another training.
for flags in "--seed 2" "--scale standardise" "--scale none" "--val 0.2"; do
  # shellcheck disable=SC2086
  run train --data "$folder/t.csv" --epochs 3 --val 0.1 --batch 8 $flags
  [ "$code" -eq 0 ] || [ "$flags" = "--val 0.2" ] || fail "exit code $code"
  [ "$(sed 's/ seconds.*//' "$out")" = "$(sed 's/ seconds.*//' "$folder/plain")" ] && fail "$flags changed nothing"
done

# No test part: no test fields.
run train --data "$folder/t.csv" --epochs 1 --test 0
exits 0
says '^epoch=1 loss=[0-9.]+ seconds=[0-9.]+$'
says '^final mode=NormalBP epochs=1 seconds=[0-9.]+ out=-$'

# Regression: mse, no accuracy.
run train --data "$folder/r.csv" --task regression --epochs 2 --batch 8 --lr 0.05 --out "$folder/regression"
exits 0
says '^epoch=1 loss=[0-9.e-]+ test_loss=[0-9.e-]+ seconds='
says '^final mode=NormalBP epochs=2 test_loss=[0-9.e-]+ seconds='
grep -q '"loss": "mse"' "$folder/regression/run.json" || fail "the loss is not mse"
grep -q accuracy "$folder/regression/run.json" "$folder/regression/metrics.jsonl" && fail "a regression has an accuracy"

# JSON lines and nothing else on stdout.
run train --data "$folder/t.csv" --epochs 2 --batch 8 --val 0.1 --json
exits 0
lines 3
value='(-?[0-9]+(\.[0-9]+)?(e-?[0-9]+)?|true|false|null|"[^"]*")'
[ "$(grep -cE "^\{(\"[a-z_]+\":$value,)*\"[a-z_]+\":$value\}\$" "$out")" -eq 3 ] || fail "lines that are no JSON objects"
for key in epoch calls samples dropped lr loss val_loss val_accuracy test_loss test_accuracy seconds non_finite; do
  head -n 1 "$out" | grep -q "\"$key\":" || fail "the epoch lacks $key"
done
tail -n 1 "$out" | grep -qE '^\{"final":true,"mode":"NormalBP","epochs":2,"interrupted":false,.*"out":null\}$' || fail "another final object"
run train --data "$folder/t.csv" --epochs 2 --json --quiet
exits 0
lines 1

# IDX and NPY: 2 classes of 2 x 2 pixels, 12 rows.
pixels='\000\310\000\310\310\000\310\000'
{ printf '\000\000\010\003\000\000\000\014\000\000\000\002\000\000\000\002'; for _ in 1 2 3 4 5 6; do printf "$pixels"; done; } >"$folder/x.idx"
{ printf '\000\000\010\001\000\000\000\014'; for _ in 1 2 3 4 5 6; do printf '\000\001'; done; } >"$folder/y.idx"
npy() { printf '\223NUMPY\001\000v\000%-117s\n' "{'descr': '|u1', 'fortran_order': False, 'shape': $1, }"; }
{ npy '(12, 2, 2)'; tail -c 48 "$folder/x.idx"; } >"$folder/x.npy"
{ npy '(12,)'; tail -c 12 "$folder/y.idx"; } >"$folder/y.npy"
run train --data "idx:$folder/x.idx,$folder/y.idx" --epochs 4 --batch 2 --out "$folder/idx"
exits 0
says '^final .* test_accuracy=1\.0000 '
grep -q '"item": \[2,2\]' "$folder/idx/data.json" || fail "data.json does not hold the shape of an item"
mv "$out" "$folder/plain"
run train --data "npy:$folder/x.npy,$folder/y.npy" --epochs 4 --batch 2
exits 0
[ "$(sed 's/ seconds.*//' "$out")" = "$(sed 's/ seconds.*//' "$folder/plain")" ] || fail "NPY and IDX of the same rows differ"

train_refuses 1 "--data: seen '[^']*none.csv': no such file" --data "$folder/none.csv"
train_refuses 1 'csv: .*none.csv: No such file' --data "csv:$folder/none.csv"
train_refuses 2 "--data: seen 'csv:', wanted csv:FILE" --data csv:
train_refuses 2 '--val and --test' --data "$folder/t.csv" --val 0.5 --test 0.5
train_refuses 1 '--val and --test: 0.9 for validation and 0.2 for testing' --data "$folder/t.csv" --val 0.9
train_refuses 1 '--val: 0.001 of 90 rows leaves none' --data "$folder/t.csv" --val 0.001
train_refuses 1 '--test: 0.001 of 90 rows leaves none' --data "$folder/t.csv" --test 0.001
train_refuses 2 "--batch: seen '73', wanted at most the 72 training samples" --data "$folder/t.csv" --batch 73
train_refuses 2 "--model: seen '2-3-4', wanted first width 2 and last width 3" --data "$folder/t.csv" --model 2-3-4
train_refuses 1 "csv: .*t.csv:3: column 0 'a': '1.01', wanted a whole number" --data "$folder/t.csv" --label a
train_refuses 1 'csv: .*label.*nearest known: kind' --data "$folder/t.csv" --label knid
printf 'x,y\n1,a\n2,a\n3,a\n4,a\n5,a\n' >"$folder/one.csv"
train_refuses 1 "--data .*one.csv': the label of all 5 rows is 'a', wanted two classes" --data "$folder/one.csv"
train_refuses 1 "--data .*t.csv':.*wanted rows with a label" --data "$folder/t.csv" --label none
train_refuses 1 "npy: .*x.npy|--data .*x.npy" --data "npy:$folder/x.npy"

finish
