# weft train: numbers that are not finite are said, fail the training and replace nothing.
. "$(dirname "$0")/check.inc"

run train --epochs 1 --quiet --out "$folder/good"
exits 0
sum() { (cd "$folder/good" && ls -A && cat ./*) | cksum; }
before=$(sum)

# diverges PATTERN FLAGS...: exit code 1, the pattern, what to lower, and the files as they were; a new folder is not made.
diverges() {
  pattern=$1
  shift
  for name in good new; do
    run train --out "$folder/$name" "$@"
    exits 1
    complains "^weft train: .*$pattern.*; no file in '[^']*$name' was replaced\$"
    grep -q -- '-nan' "$out" "$err" && fail "a NaN with a sign"
    grep -q '^final' "$out" && fail "a final line"
  done
  [ "$(sum)" = "$before" ] || fail "the model that was there has changed: $(ls -A "$folder/good")"
  [ ! -e "$folder/new" ] || fail "a folder was left: $(ls -A "$folder/new")"
}
# Prices that are not scaled: after two calls nothing finite comes out.
awk 'BEGIN { print "size,rooms,price"; for (i = 0; i < 60; i++) print 50 + 3 * i "," 1 + i % 5 "," 90000 + 6000 * i }' >"$folder/houses.csv"
houses="--data $folder/houses.csv --label price --task regression --scale-target none --batch 4 --activation linear"
# shellcheck disable=SC2086
diverges 'after the last epoch: .* is (nan|inf), wanted finite numbers; --lr 1000 may be too large, or the targets' $houses --lr 1000 --epochs 1
# shellcheck disable=SC2086
diverges 'epoch 2: the loss of 12 of 12 calls was not finite, they moved nothing; --lr 1000 may' $houses --lr 1000 --epochs 5 --test 0 --val 0.2
diverges "epoch 1: (nan|inf|-inf) in 'leaf.1.weight' of the trained weights, wanted .*, or --weight-decay 1e\\+300" --epochs 1 --weight-decay 1e300
diverges '--lr 1e\+20 may be too large' --epochs 1 --lr 1e20 --activation relu
diverges '--lr 1e\+38 may be too large' --epochs 3 --lr 1e38 --mode StepBP --model 64-20-20-20-10

# Weights that are finite and give nothing finite, without a part to say so: 1 call.
printf '1e30,1e30,1\n-1e30,1e30,2\n1e30,-1e30,3\n' >"$folder/large.csv"
diverges 'the loss of training samples is (inf|nan)' --data "$folder/large.csv" --task regression --scale-target none \
  --model 2-1 --scale none --test 0 --batch 3 --epochs 1 --init zeros --lr 1e-10

# Numbers that are finite and worse than one answer for all: said, and the model that was there is kept by.
run train --lr 1e20 --epochs 2 --quiet --out "$folder/good"
exits 0
complains "^weft train: warning: the last loss, [0-9.]+, is above the 2\.3[0-9]* of always giving the same answer; --lr 1e\+20 may be too large, or .*; the model that was there is in '[^']*good/old.1'\$"
rm -rf "$folder/bad"
mv "$folder/good" "$folder/bad"
mv "$folder/bad/old.1" "$folder/good"
[ "$(sum)" = "$before" ] || fail "the model that was kept has changed: $(ls -A "$folder/good")"
[ "$(ls -A "$folder/bad" | wc -l)" -eq 5 ] || fail "files: $(ls -A "$folder/bad")"
run train --lr 1e20 --epochs 2 --quiet --out "$folder/new"
exits 0
complains 'or the training too short$'
[ "$(ls -A "$folder/new" | wc -l)" -eq 5 ] || fail "files: $(ls -A "$folder/new")"
mkdir "$folder/new/old.1"
run train --lr 1e20 --epochs 2 --quiet --out "$folder/new"
exits 0
complains "is in '[^']*new/old.2'\$"
[ -z "$(ls -A "$folder/new/old.1")" ] || fail "a folder of the user's was used"
rm -rf "$folder/new"
# Of a regression the variance of the targets, here 2/3; a training that learns says nothing.
printf '0,0,0\n1,1,1\n2,2,2\n' >"$folder/line.csv"
line="--data $folder/line.csv --task regression --scale none --scale-target none --test 0 --batch 3 --model 2-1 --init zeros --quiet"
# shellcheck disable=SC2086
run train $line --epochs 1 --lr 1e-3
exits 0
complains 'warning: the last loss, 1\.667, is above the 0\.6667 of always'
# shellcheck disable=SC2086
run train $line --epochs 100
exits 0
[ ! -s "$err" ] || fail "a warning"

# Ruined weights after Ctrl-C: the weights are looked at before they are saved. Calls take long here, the first ruins them.
if env --default-signal=INT true 2>/dev/null; then
  last="weft train, interrupted with ruined weights"
  env --default-signal=INT "$weft" train --device cpu --model 64-1500-1500-10 --weight-decay 1e300 --out "$folder/new" \
    >"$out" 2>"$err" </dev/null &
  pid=$!
  for _ in $(seq 300); do
    [ -e "$folder/new" ] && break
    sleep 0.1
  done
  sleep 0.5
  kill -INT $pid
  code=0
  wait $pid || code=$?
  exits 1
  complains "^weft train: interrupted: .* in 'leaf.1.weight' of the trained weights, .*; no file in '.*new' was replaced\$"
  [ ! -e "$folder/new" ] || fail "a folder was left"
fi

# An epoch in which no sample came out of the pipe has no loss; the last one counts those that drained it.
run train --mode StepBP --model 64-20-20-20-10 --batch 1400 --epochs 2
exits 0
says '^epoch=1 loss=- test_loss='
says '^epoch=2 loss=[0-9.]+ test_loss='
run train --mode StepBP --model 64-20-20-20-10 --batch 1400 --epochs 2 --json
exits 0
says '^\{"epoch":1,"calls":1,"samples":0,.*"loss":null,'
says '^\{"epoch":2,"calls":1,"samples":2800,.*"loss":[0-9.]+,'

finish
