# weft export and weft import: weights out and in.
. "$(dirname "$0")/check.inc"
model=$folder/model
run train --data digits --model 64-16-10 --bias --epochs 1 --quiet --out "$model"
exits 0

# ---- export ----
run export "$model" --out "$folder/w.npz"
exits 0
lines 1
says "^arrays=4 numbers=1210 out=$folder/w.npz\$"
[ "$(head -c 4 "$folder/w.npz" | od -An -tx1 | tr -d ' ')" = 504b0304 ] || fail "no zip archive"
for name in leaf.1.weight leaf.1.bias leaf.2.weight leaf.2.bias; do
  grep -aq "$name.npy" "$folder/w.npz" || fail "$name is missing"
done
cp "$folder/w.npz" "$folder/first"
run export "$model" --out "$folder/w.npz"
exits 0
cmp -s "$folder/first" "$folder/w.npz" || fail "the same weights gave other bytes"
# The reader of data sets takes it: 16 rows of 64.
run data "npz:$folder/w.npz" --arrays leaf.1.weight
exits 0
says '^rows +16$'
if command -v python3 >/dev/null && python3 -c 'import numpy' 2>/dev/null; then
  last="numpy.load of what weft export wrote"
  python3 - "$folder/w.npz" >"$out" 2>"$err" <<'PY' || fail "numpy does not read it"
import sys, numpy
file = numpy.load(sys.argv[1])
assert sorted(file) == ["leaf.1.bias", "leaf.1.weight", "leaf.2.bias", "leaf.2.weight"]
assert file["leaf.1.weight"].shape == (16, 64) and file["leaf.2.bias"].dtype == numpy.float32
PY
fi

# refused ARG...: exit code 1, nothing on stdout, nothing written.
refused() {
  run "$@" --out "$folder/never.npz"
  exits 1
  silent
  [ ! -e "$folder/never.npz" ] || fail "files were written"
}
refused export "$folder/none"
complains "none/model.json': No such file"
cp -r "$model" "$folder/damaged"
head -c 900 "$model/weights.safetensors" >"$folder/damaged/weights.safetensors"
refused export "$folder/damaged"
complains 'damaged/weights.safetensors'
mkdir "$folder/folder.npz"
run export "$model" --out "$folder/folder.npz"
exits 1
complains '--out: seen .* a folder, wanted a file'
# The model's own files, and whatever is no .npz, stay as they are.
cp -r "$model" "$folder/kept"
for name in "$model/weights.safetensors" "$model/model.json" "$model/new" "$folder"; do
  run export "$model" --out "$name"
  exits 2
  silent
  complains "--out: seen '.*', wanted a file that ends in .npz"
done
diff -r "$folder/kept" "$model" >/dev/null || fail "the model was changed"
run export "$model" --out "$folder/none/w.npz"
exits 1
complains 'none/w.npz'
[ ! -e "$folder/none" ] || fail "a folder was made"
run export "$model"
exits 2
complains '--out is required'

# ---- import ----
weights=$model/weights.safetensors
run import "$weights" --model 64-16-10 --bias --out "$folder/again"
exits 0
lines 6
says '^name in model +wanted +name in file +type +shape +verdict$'
says '^leaf.1.weight +\[16, 64\] +leaf.1.weight +F32 +\[16, 64\] +taken$'
says "^taken=4 of=4 unused=0 out=$folder/again\$"
[ "$(ls "$folder/again" | tr '\n' ' ')" = "model.json weights.safetensors " ] || fail "files: $(ls "$folder/again")"
run export "$folder/again" --out "$folder/again.npz"
cmp -s "$folder/w.npz" "$folder/again.npz" || fail "the weights came back as others"

# A folder keeps what it had where it cannot be written to, or speaks of a training.
cp -r "$model" "$folder/before"
run import "$weights" --model 64-16-10 --bias --out "$model"
exits 1
silent
complains "--out: '.*model' holds data.json of a training, wanted another folder"
diff -r "$folder/before" "$model" >/dev/null || fail "files were changed"
: >"$folder/file"
run import "$weights" --model 64-16-10 --bias --out "$folder/file/x"
exits 1
silent
complains '--out .*file is no folder'

# What is read is not replaced, under whatever name.
mkdir "$folder/mine"
cp "$weights" "$folder/mine/weights.safetensors"
cp "$model/model.json" "$folder/mine/model.json"
ln -s mine "$folder/link"
cp -r "$folder/mine" "$folder/before.mine"
run import "$folder/mine/weights.safetensors" --model 64-16-10 --bias --out "$folder/mine"
exits 1
silent
complains "--out: seen '.*mine/weights.safetensors', which is read, wanted another file"
run import "$folder/mine/weights.safetensors" --model 64-16-10 --bias --out "$folder/link"
exits 1
complains "--out: seen '.*link/weights.safetensors', which is read as '.*mine/weights.safetensors', wanted another"
for architecture in "$folder/mine" "$folder/mine/model.json"; do
  run import "$weights" --model "$architecture" --out "$folder/mine"
  exits 1
  silent
  complains "--out: seen '.*mine/model.json', which is read"
done
diff -r "$folder/before.mine" "$folder/mine" >/dev/null || fail "files were changed"

# The architecture of a file or of a folder.
for architecture in "$model" "$model/model.json"; do
  run import "$weights" --model "$architecture" --out "$folder/again"
  exits 0
  says '^taken=4 of=4 '
done

# What does not fit is reported; nothing is written unless that is asked for.
run import "$weights" --model 64-12-10 --out "$folder/never"
exits 1
says '^leaf.1.weight +\[12, 64\] +leaf.1.weight +F32 +\[16, 64\] +other shape$'
says '^unused leaf.1.bias$'
complains 'the file has biases and the model none; --bias'
complains "weights.safetensors': 0 of 2 arrays were taken, wanted all; nothing was written \(--partial"
[ ! -e "$folder/never" ] || fail "files were written"
run import "$weights" --model 64-12-10 --partial --out "$folder/never"
exits 1
complains 'none of 2 arrays was taken, wanted one at least'
[ ! -e "$folder/never" ] || fail "files were written"
run import "$weights" --model 64-16-11 --bias --partial --seed 4 --init he --out "$folder/part"
exits 0
says '^leaf.2.bias +\[11\] +leaf.2.bias +F32 +\[10\] +other shape$'
says '^taken=2 of=4 unused=0 '
run import "$weights" --model 64-16-11 --bias --partial --seed 5 --init he --out "$folder/part5"
exits 0
cmp -s "$folder/part/weights.safetensors" "$folder/part5/weights.safetensors" && fail "--seed changes nothing"

# Names: whole, or up to a point.
run import "$weights" --model 64-16-10 --bias --rename leaf.1=other --rename leaf.2.bias=leaf.1.bias --out "$folder/never"
exits 1
says '^leaf.1.weight +\[16, 64\] +- +- +- +missing$'
says '^leaf.1.bias +\[16\] +leaf.2.bias +F32 +\[10\] +other shape$'
says '^unused leaf.1.weight$'
refused import "$weights" --model 64-16-10 --rename fc1=leaf.1
complains "weights.safetensors': rename: unknown name 'fc1'; nearest known: 'leaf.1.bias'"
refused import "$weights" --model 64-16-10 --rename leaf.1=leaf.2
complains "both come to 'leaf.2"
refused import "$folder/none" --model 64-16-10
complains "read '.*none': No such file"
refused import "$folder/w.npz" --model 64-16-10
complains "w.npz': a header of [0-9]+ bytes, wanted at most"
for rename in leaf.1 =leaf.1 leaf.1=; do
  run import "$weights" --model 64-16-10 --rename "$rename" --out "$folder/never"
  exits 2
  silent
  complains "--rename: seen '$rename', wanted FROM=TO"
done
run import "$weights" --model 64-16-10 --rename leaf.1=a --rename leaf.1=b --out "$folder/never"
exits 2
complains "--rename: seen 'leaf.1' twice"
run import "$weights" --model 64-x --out "$folder/never"
exits 2
complains "--model: seen '64-x', wanted"
run import "$weights" --out "$folder/never"
exits 2
complains '--model is required'
[ ! -e "$folder/never" ] || fail "files were written"

# Long names are shortened to lines of 100 columns, and names cannot speak to the terminal.
name=$(awk 'BEGIN { for (i = 0; i < 150; ++i) printf "n" }')
header="{\"$name\":{\"dtype\":\"F32\",\"shape\":[1,1],\"data_offsets\":[0,4]},\"\\u001b[2J\":{\"dtype\":\"U8\",\"shape\":[0],\"data_offsets\":[4,4]}}"
{ printf "\\$(printf %o $((${#header} % 256)))\\$(printf %o $((${#header} / 256)))\\000\\000\\000\\000\\000\\000%s" "$header" && printf 1234; } >"$folder/long"
run import "$folder/long" --model 1-1 --rename "$name=leaf.1.weight" --out "$folder/short"
exits 0
says '^leaf.1.weight \[1, 1\] n+\.\.n+ +F32 +\[1, 1\] taken$'
says '^unused \?\[2J$'
[ "$(head -n 3 "$out" | awk 'length > 100' | wc -l)" -eq 0 ] || fail "lines wider than 100 columns"

finish
