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

# The same after Ctrl-C: the weights are looked at before they are saved. Calls take long here, the first ruins them.
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
