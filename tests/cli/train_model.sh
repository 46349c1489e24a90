# weft train: models from files, weights from files.
. "$(dirname "$0")/check.inc"

run train --epochs 1 --bias --out "$folder/a" --quiet
exits 0

# A folder or a model.json is an architecture: weights are drawn afresh.
for model in "$folder/a" "$folder/a/model.json"; do
  run train --model "$model" --epochs 1 --out "$folder/b" --quiet
  exits 0
  cmp -s "$folder/a/weights.safetensors" "$folder/b/weights.safetensors" || fail "the same architecture learned otherwise"
  cmp -s "$folder/a/model.json" "$folder/b/model.json" || fail "another architecture"
done
run train --model "$folder/a" --init he --epochs 1 --out "$folder/b" --quiet
exits 0
cmp -s "$folder/a/weights.safetensors" "$folder/b/weights.safetensors" && fail "--init changed nothing"

# Any tree: a residual behind a view, in float64 on the device that has it.
dense='"type":"dense","act":"tanh","dtype":"TYPE","format":"none","bias":true'
cat >"$folder/tree.json" <<END
{"weft":1,"model":{"type":"stack","ops":[{"type":"view","shape":[-1,64]},{$dense,"in":64,"out":8},
{"type":"residual","ops":[{$dense,"in":8,"out":8}]},{$dense,"in":8,"out":10}]}}
END
sed 's/TYPE/float32/g' "$folder/tree.json" >"$folder/float32.json"
sed 's/TYPE/float64/g' "$folder/tree.json" >"$folder/float64.json"
run train --model "$folder/float32.json" --epochs 1 --quiet
exits 0
run train --model "$folder/float64.json" --epochs 1 --quiet --device cpu --out "$folder/b"
exits 0
grep -q '"dtype":"F64"' "$folder/b/weights.safetensors" || fail "the weights are not float64"

# A grid from a file has its cells as ticks.
run train --mode MeshBP --epochs 1 --quiet --out "$folder/grid"
exits 0
says '^final mode=MeshBP '
mv "$out" "$folder/widths"
run train --mode MeshBP --model "$folder/grid" --epochs 1 --quiet --out "$folder/grid"
exits 0
[ "$(sed 's/ seconds.*//' "$out")" = "$(sed 's/ seconds.*//' "$folder/widths")" ] || fail "a grid from a file learned otherwise"
grep -q '"ticks": 2,' "$folder/grid/run.json" || fail "run.json does not hold two ticks"

# Weights: training goes on where they were.
run train --model "$folder/a" --epochs 1
exits 0
complains "the weights are drawn anew; --weights $folder/a/weights.safetensors goes on"
run train --model "$folder/a" --weights "$folder/a/weights.safetensors" --epochs 1 --lr 1e-30 --quiet --out "$folder/b"
exits 0
data_of() { size=$(od -An -tu8 -N8 "$1" | tr -d ' '); tail -c +$((size + 9)) "$1" | cksum; }
[ "$(data_of "$folder/a/weights.safetensors")" = "$(data_of "$folder/b/weights.safetensors")" ] || fail "other weights"

train_refuses 2 "--activation: has no effect with --model" --model "$folder/a" --activation relu
train_refuses 2 "--bias: has no effect with --model" --model "$folder/a" --bias
train_refuses 1 "--model '[^']*grid': .*grid.*mount" --model "$folder/grid"
train_refuses 1 "--model '[^']*a': MeshTween runs on the clock of a grid, but a stack is mounted" --model "$folder/a" --mode MeshTween --loss mse
printf '1,0,a\n2,1,b\n3,0,a\n4,1,b\n5,0,a\n6,1,b\n' >"$folder/t.csv"
# Without --data the digits stand in, but not for other data that a model was trained on.
run train --data "$folder/t.csv" --batch 2 --epochs 1 --quiet --out "$folder/table"
exits 0
for model in "$folder/table" "$folder/table/model.json"; do
  train_refuses 2 "--data: not given, wanted it named: '$model' was trained on '[^']*t.csv'\$" --model "$model"
done
run train --model "$folder/table" --data "$folder/t.csv" --batch 2 --epochs 1 --quiet
exits 0
printf '{' >"$folder/table/data.json"
train_refuses 2 "--data: not given, and .*table/data.json" --model "$folder/table"
rm "$folder/table/data.json"
train_refuses 1 "--model '[^']*table': dense.*wanted \[batch, 2\]" --model "$folder/table"
train_refuses 1 "--model '[^']*a': dense.*wanted \[batch, 64\]" --model "$folder/a" --data "$folder/t.csv" --batch 2
printf '{"weft":1,"model":{"type":"stak"}}' >"$folder/bad.json"
train_refuses 1 "--model: '[^']*bad.json': .*stak" --model "$folder/bad.json"
mkdir "$folder/empty"
train_refuses 1 "--model: read '[^']*empty/model.json': No such file" --model "$folder/empty"
misfit="leaf.1.weight other shape, seen F32 \[32, 64\], wanted \[5, 64\]; leaf.1.bias other shape"
train_refuses 1 "--weights '[^']*weights.safetensors': 1 of 4 arrays fit, wanted all: $misfit" --weights "$folder/a/weights.safetensors" --model 64-5-10 --bias
train_refuses 1 "--weights '.*': 0 of 3 arrays fit, .*leaf.3.weight missing" --weights "$folder/a/weights.safetensors" --model 64-16-32-10
train_refuses 1 "--weights: .*none.safetensors': No such file" --weights "$folder/none.safetensors"
train_refuses 1 "--weights: .*bad.json'" --weights "$folder/bad.json"

# What is no file is not waited for.
mkfifo "$folder/pipe"
mkdir "$folder/piped"
mkfifo "$folder/piped/model.json"
train_refuses 1 "--model: read '[^']*pipe': a pipe, wanted a file" --model "$folder/pipe"
train_refuses 1 "--model: read '[^']*piped/model.json': a pipe, wanted a file" --model "$folder/piped"
train_refuses 1 "--weights: read '[^']*pipe': a pipe, wanted a file" --weights "$folder/pipe"
train_refuses 1 "--weights: read '[^']*a': a folder, wanted a file" --weights "$folder/a"
train_refuses 2 "--data: seen '[^']*pipe': a pipe, wanted a file" --data "$folder/pipe"
run eval "$folder/piped"
exits 1
complains "piped/model.json': a pipe, wanted a file"

# Widths that repeat.
run train --model 64-16x4-10 --epochs 1 --quiet --out "$folder/deep"
exits 0
[ "$(grep -o '"type": *"dense"' "$folder/deep/model.json" | wc -l)" -eq 5 ] || fail "another number of layers"
train_refuses 2 "--model: seen '64-16x4-11', wanted" --model 64-16x4-11
train_refuses 2 "--model: seen '64-16x-10', wanted two or more widths" --model 64-16x-10

finish
