# weft train: optimizers and learning rates, and flags that would have no effect.
. "$(dirname "$0")/check.inc"

# rates: the learning rate of each epoch's last call, from metrics.jsonl.
rates() { sed 's/.*"lr":\([^,]*\),.*/\1/' "$folder/run/metrics.jsonl" | tr '\n' ' '; }
# An epoch of 4 calls of 359 samples.
step() { run train --batch 359 --quiet --out "$folder/run" "$@"; exits 0; }

step --epochs 3 --lr 0.25
[ "$(rates)" = "0.25 0.25 0.25 " ] || fail "constant: $(rates)"
step --epochs 4 --lr 1 --lr-schedule step --lr-step 2 --lr-factor 0.5
[ "$(rates)" = "1.0 1.0 0.5 0.5 " ] || fail "step: $(rates)"
step --epochs 3 --lr 1 --lr-schedule step # a third of the epochs
[ "$(rates)" = "1.0 0.1 0.010000000000000002 " ] || fail "step: $(rates)"
step --epochs 3 --lr 1 --lr-schedule step --lr-step 0.5 --lr-factor 0.5
[ "$(rates)" = "0.5 0.125 0.03125 " ] || fail "step of half an epoch: $(rates)"
step --epochs 2 --lr 0.5 --lr-schedule cosine --lr-min 0.125
case "$(rates)" in *" 0.125 ") ;; *) fail "cosine: $(rates)" ;; esac
# 7 calls of warm-up: call i has (i + 1) / 8 of the rate.
step --epochs 3 --lr 1 --warmup 1.75
[ "$(rates)" = "0.5 1.0 1.0 " ] || fail "warm-up: $(rates)"
grep -q '"warmup": 7,' "$folder/run/run.json" || fail "run.json does not hold the warm-up"

# Each optimizer, weight decay and clipping change what is learned.
: >"$folder/sums"
for flags in "--optimizer sgd" "--optimizer momentum" "--optimizer momentum --momentum 0.5" "--optimizer nesterov" \
  "--optimizer adamw" "--optimizer adamw --weight-decay 0" "--weight-decay 0.5" "--clip 0.01" \
  "--optimizer nesterov --clip 0.01 --weight-decay 0.5"; do
  # shellcheck disable=SC2086
  step --epochs 1 --lr 0.01 $flags
  cksum <"$folder/run/weights.safetensors" >>"$folder/sums"
done
[ "$(sort -u "$folder/sums" | wc -l)" -eq 9 ] || fail "two of nine ways to step came to the same weights"
grep -q '"weight_decay": 0.5' "$folder/run/run.json" || fail "run.json does not hold the weight decay"

# idle FLAG CAUSE FLAGS...: FLAG would have no effect because of CAUSE.
idle() {
  flag=$1 cause=$2
  shift 2
  run train --out "$folder/never" "$@"
  exits 2
  silent
  complains "^weft train: $flag: .*$cause.*wanted"
  [ ! -e "$folder/never" ] || fail "files were written"
}
idle --momentum '--optimizer sgd' --momentum 0.5
idle --momentum '--optimizer adamw' --momentum 0.5 --optimizer adamw
idle --lr-step '--lr-schedule constant' --lr-step 2
idle --lr-step '--lr-schedule cosine' --lr-step 2 --lr-schedule cosine
idle --lr-step '20 epochs' --lr-step 20 --lr-schedule step
idle --lr-factor '--lr-schedule constant' --lr-factor 0.5
idle --lr-min '--lr-schedule step' --lr-min 0.01 --lr-schedule step
idle --lr-min 0.2 --lr-min 0.2 --lr-schedule cosine
idle --warmup 20 --warmup 20
idle --ticks '--mode NormalBP' --ticks 3
idle --threads '--device cpu' --threads 2 --device cpu
idle --precision '--device cpu' --precision tf32 --device cpu
idle --init --weights --init he --weights w.safetensors
idle --label "--data 'digits'" --label 0
idle --task "--data 'digits'" --task regression
idle --arrays "--data 'digits'" --arrays x,y
printf 'x,y\n1,a\n2,b\n' >"$folder/t.csv"
idle --data-dir t.csv --data-dir "$folder" --data "$folder/t.csv"
idle --arrays t.csv --arrays x,y --data "$folder/t.csv"
run train --data "$folder/t.csv" --task regression --loss ce
exits 2
complains "^weft train: --loss: seen 'ce', wanted mse"

finish
