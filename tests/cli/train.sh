# weft train: digits, seeds, modes, refusals.
. "$(dirname "$0")/check.inc"

final='^final mode=NormalBP epochs=2 test_loss=[0-9.e-]+ test_accuracy=[01]\.[0-9]{4} seconds=[0-9]+\.[0-9]{2,} out='
run train --data digits --epochs 2 --out "$folder/model/digits"
exits 0
lines 3
says '^epoch=1 loss=[0-9.]+ test_loss=[0-9.]+ test_accuracy=[01]\.[0-9]{4} seconds=[0-9.]+$'
says '^epoch=2 '
tail -n 1 "$out" | grep -qE "$final$folder/model/digits\$" || fail "another final line"
complains "^weft train: note: the last 14 of an epoch's 1438 samples do not fill a batch of 16"
[ "$(ls -A "$folder/model/digits" | tr '\n' ' ')" = "data.json metrics.jsonl model.json run.json weights.safetensors " ] ||
  fail "files: $(ls -A "$folder/model/digits")"
grep -q '"mode":"NormalBP"' "$folder/model/digits/weights.safetensors" || fail "the weights do not name their mode"
cp "$folder/model/digits/weights.safetensors" "$folder/first"

run train --epochs 2 --quiet
exits 0
lines 1
says "$final-\$"
[ ! -s "$err" ] || fail "--quiet says more than errors"

# What the defaults come to; the split of the digits is the shipped one, whatever the seed.
run train --quiet
exits 0
says 'test_accuracy=0\.9582 '

# The same seed gives the same bits, another seed others; files are replaced.
run train --epochs 2 --quiet --out "$folder/model/digits"
exits 0
cmp -s "$folder/first" "$folder/model/digits/weights.safetensors" || fail "the same seed gave other weights"
run train --epochs 2 --quiet --seed 2 --out "$folder/model/digits"
exits 0
cmp -s "$folder/first" "$folder/model/digits/weights.safetensors" && fail "another seed gave the same weights"
run train --epochs 2 --quiet --threads 1 --out "$folder/model/digits"
exits 0
cmp -s "$folder/first" "$folder/model/digits/weights.safetensors" || fail "another number of threads gave other weights"

# A line mode keeps its pipe from epoch to epoch; mesh modes mount a grid; every optimizer, loss and activation.
run train --mode StepBP --epochs 2 --quiet
exits 0
says '^final mode=StepBP epochs=2 '
run train --mode MeshTween --loss mse --epochs 1 --quiet --lr 0.5
exits 0
says '^final mode=MeshTween '
run train --mode MeshTween --loss mse --epochs 1 --quiet --lr 0.5 --ticks 2
exits 0
mv "$out" "$folder/ticks"
run train --mode MeshTween --loss mse --epochs 1 --quiet --lr 0.5
[ "$(sed 's/seconds.*//' "$out")" = "$(sed 's/seconds.*//' "$folder/ticks")" ] || fail "two layers are not two ticks"
run train --model 64-24-16-10 --mode meshfast --activation relu --bias --init he --optimizer adamw --lr 0.002 --epochs 1 --quiet
exits 0
says '^final mode=MeshTweenSplitFastProxy '

run train --mode TweenSplit --print-program --out "$folder/never"
exits 0
says 'forward'
[ ! -e "$folder/never" ] || fail "--print-program wrote files"

# refused FLAG VALUE: names both, with what is wanted, prints nothing else and writes nothing.
refused() {
  run train --out "$folder/never" "$1" "$2"
  exits 2
  silent
  complains "^weft train: $1.*$2.*(wanted|nearest)"
  [ ! -e "$folder/never" ] || fail "files were written"
}
refused --model 64
refused --model 64-x-10
refused --model 64-0-10
refused --model 32-10
refused --model 64-32
refused --model "$folder/none.json"
refused --activation swoosh
refused --loss hinge
refused --mode StepPB
refused --lr 0
refused --lr 0,1
refused --lr nan
refused --lr 1e-46 # 0 as a float32
refused --lr 1e39  # infinite
refused --batch 0
refused --batch 100000
refused --epochs 0
refused --epochs -3
refused --seed 1x
refused --optimizer adam9
refused --init xaver
refused --device abacus
refused --data mnist
refused --val 1
refused --val -0.1
refused --test 0.1 # the digits have a test part
refused --scale log
refused --threads 1.5
refused --precision fp8
refused --lr-schedule linear
refused --warmup -1
refused --warmup 20
refused --momentum 1
refused --weight-decay -1
refused --clip 0
run train --mode MeshTween --epochs 1 --out "$folder/never" # cross-entropy
exits 1
complains '^weft train: MeshTween .*mse'
[ ! -e "$folder/never" ] || fail "files were written"

# A learning rate that is too large is said, and an error where nothing is learned.
run train --lr 1e38 --epochs 2
exits 1
complains '^weft train: epoch 2: the loss of 89 of 89 calls was not finite.*--lr 1e\+38'

run train --help
exits 0
[ "$(awk '/^Exit codes/ { footer = 1 } footer && length > 100' "$out" | wc -l)" -eq 0 ] || fail "lines wider than 100 columns"
says '^  130  interrupted'

finish
