# weft train: files, output, refusals.
. "$(dirname "$0")/check.inc"

final='^final mode=NormalBP epochs=2 test_loss=[0-9.e-]+ test_accuracy=[01]\.[0-9]{4} seconds=[0-9]+\.[0-9]{2} out='
run train --data digits --epochs 2 --out "$folder/model/digits"
exits 0
lines 3
says '^epoch=1 loss=[0-9.]+ test_loss=[0-9.]+ test_accuracy=[01]\.[0-9]{4} seconds=[0-9.]+$'
says '^epoch=2 '
tail -n 1 "$out" | grep -qE "$final$folder/model/digits\$" || fail "another final line"
[ "$(ls "$folder/model/digits" | tr '\n' ' ')" = "model.json weights.safetensors " ] || fail "files: $(ls "$folder/model/digits")"
grep -q '"mode":"NormalBP"' "$folder/model/digits/weights.safetensors" || fail "the weights do not name their mode"
cp "$folder/model/digits/weights.safetensors" "$folder/first"

run train --epochs 2 --quiet
exits 0
lines 1
says "$final-\$"

# The same seed gives the same bits, another seed others; files are replaced.
run train --epochs 2 --quiet --out "$folder/model/digits"
exits 0
cmp -s "$folder/first" "$folder/model/digits/weights.safetensors" || fail "the same seed gave other weights"
run train --epochs 2 --quiet --seed 2 --out "$folder/model/digits"
exits 0
cmp -s "$folder/first" "$folder/model/digits/weights.safetensors" && fail "another seed gave the same weights"

# A line mode keeps its pipe from epoch to epoch; mesh modes mount a grid; every optimizer, loss and activation.
run train --mode StepBP --epochs 2 --quiet
exits 0
says '^final mode=StepBP epochs=2 '
run train --mode MeshTween --loss mse --epochs 1 --quiet --lr 0.5
exits 0
says '^final mode=MeshTween '
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
  complains "$1.*$2"
  [ ! -e "$folder/never" ] || fail "files were written"
}
refused --model 64
refused --model 64-x-10
refused --model 64-0-10
refused --model 32-10
refused --model 64-32
refused --activation swoosh
refused --loss hinge
refused --mode StepPB
refused --lr 0
refused --lr 0,1
refused --lr nan
refused --batch 0
refused --batch 100000
refused --epochs -3
refused --seed 1x
refused --optimizer adam9
refused --init xaver
refused --device abacus
refused --data mnist
run train --mode MeshTween --epochs 1 --out "$folder/never"  # cross-entropy
exits 1
complains 'MeshTween|mse'
[ ! -e "$folder/never" ] || fail "files were written"
: >"$folder/file"
run train --epochs 1 --out "$folder/file"
exits 1
silent
complains "file is no folder"

finish
