# weft eval and weft predict: a model judged as it was trained, other rows made alike, and what is said of bad ones.
. "$(dirname "$0")/check.inc"

# ---- the digits: what training said, eval says ----
run train --data digits --epochs 2 --quiet --out "$folder/digits"
exits 0
accuracy=$(sed -n 's/.* test_accuracy=\([0-9.]*\).*/\1/p' "$out")
loss=$(sed -n 's/.* test_loss=\([0-9.e-]*\) .*/\1/p' "$out")
run eval "$folder/digits"
exits 0
says "^accuracy +$accuracy\$"
says "^loss +$loss \(ce\)\$"
says '^part +test$'
says '^samples +359$'
says '^class +rows +right +recall +precision$'
says '^9 +42 +[0-9]+ +[0-9.]+% +[0-9.]+%$'
[ "$(awk 'length > 80' "$out" | wc -l)" -eq 0 ] || fail "lines wider than 80 columns"
for data in "--data digits" "--data digits --part test" "--device cpu" "--batch 7 --threads 1"; do
  run eval "$folder/digits" $data
  exits 0
  says "^accuracy +$accuracy\$"
done
run eval "$folder/digits" --part all
says '^samples +1797$'
run eval "$folder/digits" --part train --json
exits 0
says '"samples": 1438'
for key in model source part loss accuracy classes recall precision; do says "\"$key\":"; done
run eval "$folder/digits" --part validation
exits 1
silent
complains 'digits: the validation part has no rows'

run predict "$folder/digits" --data digits --part test
exits 0
lines 360
[ "$(head -n 1 "$out")" = "row,label,class,probability" ] || fail "another header"
right=$(awk -F, 'NR > 1 && $2 == $3' "$out" | wc -l)
[ "$(awk -v r="$right" 'BEGIN { printf "%.4f", r / 359 }')" = "$accuracy" ] || fail "$right right, not $accuracy of 359"
run predict "$folder/digits" --data digits --outputs --raw
exits 0
lines 1798
[ "$(head -n 1 "$out")" = "row,label,class,output,0,1,2,3,4,5,6,7,8,9" ] || fail "another header"
run predict "$folder/digits" --data digits --outputs
awk -F, 'NR > 1 { s = 0; for (i = 5; i <= 14; ++i) s += $i; if (s < 0.9999 || s > 1.0001) exit 1 }' "$out" ||
  fail "probabilities do not add up to 1"

# Mesh modes have clock ticks, and mse no probabilities.
run train --mode MeshTween --loss mse --lr 0.5 --epochs 1 --quiet --out "$folder/mesh"
exits 0
accuracy=$(sed -n 's/.* test_accuracy=\([0-9.]*\).*/\1/p' "$out")
run eval "$folder/mesh"
says "^accuracy +$accuracy\$"
says ' \(mse\)$'
run predict "$folder/mesh" --data digits
[ "$(head -n 1 "$out")" = "row,label,class,output" ] || fail "another header"

# ---- a table ----
{
  echo 'size,colour,kind'
  i=0
  while [ $i -lt 20 ]; do
    printf '%s,red,"a,\t""b"""\n%s,blue,c\n' $i $((i + 30))
    i=$((i + 1))
  done
} >"$folder/t.csv"
run train --data "$folder/t.csv" --model 3-2 --batch 4 --epochs 30 --test 0.25 --val 0.25 --seed 5 --quiet --out "$folder/table"
exits 0
accuracy=$(sed -n 's/.* test_accuracy=\([0-9.]*\).*/\1/p' "$out")
run eval "$folder/table"
exits 0
says "^accuracy +$accuracy\$"
says '^samples +10$'
says '^a,\?"b" +5 '
run eval "$folder/table" --part validation
exits 0
says '^samples +10$'
run eval "$folder/table" --data "csv:$folder/../$(basename "$folder")/t.csv" --part test
exits 0
says '^samples +10$'

printf 'size,colour\n3,red\n45.5,blue\n' >"$folder/new.csv"
run predict "$folder/table" --data "$folder/new.csv" --outputs --out "$folder/p.csv"
exits 0
says "^rows=2 out=$folder/p.csv\$"
[ "$(head -n 1 "$folder/p.csv")" = "$(printf 'row,class,probability,"a,\t""b""",c')" ] || fail "header: $(head -n 1 "$folder/p.csv")"
grep -q "$(printf '^0,"a,\t""b""",0\\.')" "$folder/p.csv" || fail "row 0: $(sed -n 2p "$folder/p.csv")"
grep -q '^1,c,0\.' "$folder/p.csv" || fail "row 1: $(sed -n 3p "$folder/p.csv")"
cp "$folder/p.csv" "$folder/before"
run predict "$folder/table" --data "$folder/new.csv" --outputs
cmp -s "$out" "$folder/p.csv" || fail "stdout is not as the file"
run predict "$folder/table" --data "$folder/new.csv" --out "$folder/p.NPY"
exits 0
[ "$(head -c 6 "$folder/p.NPY" | tail -c 5)" = NUMPY ] || fail "no .npy"
[ "$(wc -c <"$folder/p.NPY")" -eq 144 ] || fail "$(wc -c <"$folder/p.NPY") bytes, wanted 128 and 2 x 2 numbers"

# bad SAID ARG...: fails with the message, prints nothing, writes no file and leaves the one that is there.
bad() {
  said=$1
  shift
  run "$@"
  exits 1
  silent
  complains "$said"
}
refuses() {
  said=$1
  shift
  bad "$said" predict "$folder/table" "$@" --out "$folder/p.csv"
  cmp -s "$folder/p.csv" "$folder/before" || fail "the file has changed"
  bad "$said" predict "$folder/table" "$@" --out "$folder/never.csv"
  [ ! -e "$folder/never.csv" ] || fail "a file was written"
}
rows() { printf 'size,colour,kind\n1,red,c\n%s\n' "$1" >"$folder/bad.csv"; }
rows '2,green,c'
refuses "bad.csv:3: column 1 'colour': 'green', wanted one of the 2 categories" --data "$folder/bad.csv"
rows '2,red,d'
refuses "bad.csv:3: column 2 'kind': 'd', wanted one of the classes of the data trained on: a,\?\"b\", c" --data "$folder/bad.csv"
rows ',red,c'
refuses "bad.csv:3: column 0 'size': missing, wanted a number" --data "$folder/bad.csv"
refuses "bad.csv:3: feature 0 'size': missing, wanted a value: none was missing" --data "$folder/bad.csv" --missing mean
rows '2,red'
refuses 'bad.csv:3: 2 fields, wanted 3' --data "$folder/bad.csv"
refuses 'digits: 1797 rows of 64 features, wanted 3' --data digits
refuses "none.csv': no such file" --data "$folder/none.csv"
refuses "--part test: .*new.csv' is not what the model was trained on .*t.csv'\), wanted all" --data "$folder/new.csv" --part test
refuses "--label: seen 'size', wanted none" --data "$folder/new.csv" --label size
bad 'new.csv: rows without labels, wanted some to compare with' eval "$folder/table" --data "$folder/new.csv"
rows ',red,c'
run predict "$folder/table" --data "$folder/bad.csv" --missing drop
exits 0
lines 2
complains '1 rows were left out'

# The source has grown: its parts cannot be told any more, all of it can.
cp "$folder/t.csv" "$folder/kept.csv"
echo '7,red,c' >>"$folder/t.csv"
bad 't.csv: 41 rows \(0 for testing\), wanted 40 \(0\)' eval "$folder/table"
run eval "$folder/table" --part all
exits 0
says '^samples +41$'
# As many rows, but others: another test part.
sed 's/^0,red/0.5,red/' "$folder/kept.csv" >"$folder/t.csv"
bad 't.csv: the data have changed since the model was trained \(checksum seen [0-9a-f]{16}, wanted [0-9a-f]{16}\)' eval "$folder/table"
run eval "$folder/table" --part all
exits 0
cp "$folder/kept.csv" "$folder/t.csv"
run eval "$folder/table"
exits 0
rm "$folder/t.csv"
bad "t.csv.*the model was trained on it, --data names other rows" eval "$folder/table"
run eval "$folder/table" --data "$folder/kept.csv"
exits 0
says '^part +all$'

# A source by a relative path is found from elsewhere; two files are.
pixels='\000\310\000\310\310\000\310\000'
{ printf '\000\000\010\003\000\000\000\014\000\000\000\002\000\000\000\002'; for _ in 1 2 3 4 5 6; do printf "$pixels"; done; } >"$folder/x.idx"
{ printf '\000\000\010\001\000\000\000\014'; for _ in 1 2 3 4 5 6; do printf '\000\001'; done; } >"$folder/y.idx"
case $weft in /*) ;; *) weft=$PWD/$weft ;; esac
here=$PWD
cd "$folder"
run train --data idx:x.idx,y.idx --epochs 1 --batch 2 --quiet --out idx
exits 0
cd /
run eval "$folder/idx"
exits 0
says '^samples +2$'
cd "$here"
grep -q '"source":"idx:x.idx,y.idx","files":\["/.*/x.idx","/.*/y.idx"\]' "$folder/idx/data.json" || fail "data.json does not hold both paths"

# ---- what is read is not replaced ----
cp "$folder/new.csv" "$folder/kept.new.csv"
ln -s new.csv "$folder/link.csv"
for name in new.csv link.csv; do
  bad "--out: seen '.*$name', which is read" predict "$folder/table" --data "$folder/new.csv" --out "$folder/$name"
done
cmp -s "$folder/new.csv" "$folder/kept.new.csv" || fail "the input was replaced"
ln "$folder/table/run.json" "$folder/hard.csv"
bad "--out: seen '.*hard.csv', which is read as '.*run.json'" predict "$folder/table" --data "$folder/new.csv" --out "$folder/hard.csv"

# ---- flags without effect ----
# useless SAID ARG...: exit code 2, nothing printed.
useless() {
  said=$1
  shift
  run "$@"
  exits 2
  silent
  complains "$said"
}
useless '--arrays: has no effect with --data' eval "$folder/table" --data "$folder/kept.csv" --arrays x,y
useless '--data-dir: has no effect with --data' predict "$folder/table" --data "$folder/kept.csv" --data-dir "$folder"
useless '--header: has no effect with --data .digits.' eval "$folder/digits" --header yes
useless '--outputs: has no effect with --out' predict "$folder/digits" --data digits --outputs --out "$folder/never.npy"
useless '--raw: has no effect with a model trained for mse' predict "$folder/mesh" --data digits --raw

# ---- where files cannot be written ----
bad "none/p.csv': .*No such file" predict "$folder/table" --data "$folder/new.csv" --out "$folder/none/p.csv"
mkdir "$folder/closed"
chmod 555 "$folder/closed"
if [ "$(id -u)" -ne 0 ]; then
  bad "closed/p.csv': .*Permission denied" predict "$folder/table" --data "$folder/new.csv" --out "$folder/closed/p.csv"
fi
bad "/proc/p.npy'" predict "$folder/table" --data "$folder/new.csv" --out /proc/p.npy
[ -z "$(ls -A "$folder/closed")" ] || fail "something was left in the closed folder"
run predict "$folder/table" --data "$folder/new.csv" --out "$folder/p.txt"
exits 2
silent
complains "--out: seen '.*p.txt', wanted a file that ends in .csv or .npy"
[ ! -e "$folder/p.txt" ] || fail "a file was written"

# ---- a folder that is not whole ----
bad "none' is no folder, wanted one that weft train --out wrote" eval "$folder/none"
mkdir "$folder/empty"
bad "model.json.*weft train --out writes it" eval "$folder/empty"
whole() { rm -rf "$folder/m" && cp -r "$folder/digits" "$folder/m"; }
whole
rm "$folder/m/data.json"
bad "m' has no data.json, wanted one as weft train --out writes it" eval "$folder/m"
bad "m' has no data.json" predict "$folder/m" --data digits
whole
rm "$folder/m/run.json"
bad "m' has no run.json, .*--loss can stand in" eval "$folder/m"
run eval "$folder/m" --loss ce
exits 0
says "^loss +$loss \(ce\)\$"
# damaged SAID SED-SCRIPT
damaged() {
  whole
  sed -i "$2" "$folder/m/data.json"
  bad "m/data.json': $1" eval "$folder/m"
}
damaged "data: the key 'item' is missing" 's/"item"/"itme"/'
damaged "data: unknown key 'more', wanted version" 's/"item"/"more": 1, "item"/'
damaged "data.outputs: 'x', wanted an integer" 's/"outputs": 10/"outputs": "x"/'
damaged 'data: .*nested deeper than 8 levels' 's/"item": \[8,8\]/"item": [[[[[[[[[8]]]]]]]]]/'
damaged 'data: parse error at line' '$d'
damaged 'data.outputs: 10, wanted 9, a class each' 's/"8","9"/"8"/'
whole
sed -i 's/"8","9"/"8"/; s/"outputs": 10/"outputs": 9/' "$folder/m/data.json"
bad "data.json and model.json disagree: the model's output for a row is \[1, 10\], wanted \[1, 9\]: a class each" eval "$folder/m"
whole
sed -i 's/"item": \[8,8\]/"item": [8,7]/' "$folder/m/data.json"
bad 'data.json and model.json disagree: for rows of 56 features: ' eval "$folder/m"
whole
echo '{' >"$folder/m/run.json"
bad 'run.json' eval "$folder/m"

# ---- a regression ----
printf 'size;price\n1;2\n2;4\n3;6\n4;8.5\n5;9.5\n6;12\n' >"$folder/r.csv"
run train --data "$folder/r.csv" --task regression --model 1-1 --bias --batch 2 --epochs 60 --test 0 --quiet --out "$folder/r"
exits 0
run eval "$folder/r"
exits 0
says '^part +all$'
says '^target +root mean squared error +R2$'
says '^price +0\.[0-9]+ +0\.9[0-9]+$'
printf 'size\n2.5\n' >"$folder/size.csv"
run predict "$folder/r" --data "$folder/size.csv"
exits 0
lines 2
[ "$(head -n 1 "$out")" = "row,price" ] || fail "another header"
run predict "$folder/r" --data "$folder/r.csv"
[ "$(head -n 1 "$out")" = "row,label,price" ] || fail "another header"
says '^3,8\.5,[78]\.'

useless '--outputs: has no effect with a regression' predict "$folder/r" --data "$folder/r.csv" --outputs
useless '--raw: has no effect with a regression' predict "$folder/r" --data "$folder/r.csv" --raw

# Targets of the size of house prices: scaled for the training, in the table's units for who reads.
awk 'BEGIN { print "rooms,price"; for (i = 0; i < 60; ++i) print i % 6 + 1 "," 90000 + 35000 * (i % 6) + i }' >"$folder/house.csv"
run train --data "$folder/house.csv" --task regression --bias --optimizer adamw --lr 0.01 --epochs 150 --batch 8 --quiet --out "$folder/house"
exits 0
loss=$(sed -n 's/.* test_loss=\([0-9.e-]*\) .*/\1/p' "$out")
awk -v l="$loss" 'BEGIN { exit !(l < 0.1) }' || fail "test loss $loss, wanted less than 0.1"
run eval "$folder/house"
exits 0
says "^loss +$loss \(mse\)\$"
says '^mse +[0-9.e+]+ \(in the units of the source\)$'
says '^price +[0-9]{2,4}(\.[0-9]+)? +(0\.99[0-9]+|1\.0000)$'
mse=$(sed -n 's/^mse *\([0-9.e+]*\) .*/\1/p' "$out")
rmse=$(sed -n 's/^price *\([0-9.e+]*\) .*/\1/p' "$out")
awk -v m="$mse" -v r="$rmse" 'BEGIN { d = m / (r * r) - 1; exit !(d * d < 1e-8) }' || fail "mse $mse is not the square of $rmse"
factor=$(sed -n 's/.*"target_scaling": {.*"factor":\[\([0-9.e-]*\)\].*/\1/p' "$folder/house/data.json")
awk -v m="$mse" -v f="$factor" -v l="$loss" 'BEGIN { d = m * f * f / l - 1; exit !(d * d < 1e-8) }' || fail "mse $mse x $factor^2 is not the loss $loss"
run eval "$folder/house" --json
says '"mse": [0-9.e+]+,'
run predict "$folder/house" --data "$folder/house.csv" --part test
exits 0
lines 13
awk -F, -v m="$mse" 'NR > 1 { s += ($3 - $2) ^ 2 } END { d = s / 12 / m - 1; exit !(d * d < 1e-6) }' "$out" ||
  fail "the predictions do not come to the mse of $mse"
says '^[0-9]+,[0-9]{5,6},[0-9]{5,6}(\.[0-9]+)?$'
run train --data "$folder/house.csv" --task regression --scale-target none --optimizer adamw --lr 0.01 --epochs 2 --batch 8 --quiet
exits 0
says ' test_loss=[0-9.]+e\+10 '
run train --data digits --scale-target unit
exits 2
complains '--scale-target: has no effect with --task classification, wanted regression'
# All the same: only shifted.
awk 'BEGIN { print "a,y"; for (i = 0; i < 20; ++i) print i ",250000" }' >"$folder/same.csv"
run train --data "$folder/same.csv" --task regression --epochs 20 --batch 4 --quiet --out "$folder/same"
exits 0
run predict "$folder/same" --data "$folder/same.csv"
exits 0
says '^0,250000,(250000|249999|250000)(\.[0-9]+)?$'
run eval "$folder/same"
exits 0
says '^y +[0-9.e-]+ +-$'

# ---- the command line ----
run eval
exits 2
run predict "$folder/digits"
exits 2
complains '--data'
run eval "$folder/digits" --part tset
exits 2
complains "--part: unknown name 'tset'"
run eval "$folder/digits" --batch 0
exits 2
run predict --help
says ' --data is the source that was trained on: a part, drawn again \[all\]$'
for command in eval predict; do
  run $command --help
  exits 0
  says 'Examples:'
done

finish
