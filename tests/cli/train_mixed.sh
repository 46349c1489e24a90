# weft train --out: files of two trainings are noticed, files made by hand are not refused.
. "$(dirname "$0")/check.inc"

printf '1,2,a\n2,1,b\n3,4,a\n4,3,b\n5,6,a\n6,5,b\n7,8,a\n8,7,b\n9,10,a\n10,9,b\n' >"$folder/t.csv"
train() {
  run train --data "$folder/t.csv" --batch 2 --quiet "$@"
  exits 0
}
train --epochs 1 --out "$folder/old"
train --epochs 2 --activation relu --seed 2 --scale none --out "$folder/new"
cp -r "$folder/old" "$folder/whole"

# refused FILE: eval and predict say that FILE is of another training.
refused() {
  for command in eval predict; do
    run $command "$folder/mix" --data "$folder/t.csv"
    exits 1
    silent
    complains "^weft $command: '[^']*mix': these files are of two trainings: $1 has"
  done
}
# A crash on the way: each file of the new training in turn, in the order in which they are put in place.
cp -r "$folder/old" "$folder/mix"
for file in weights.safetensors model.json data.json metrics.jsonl; do
  cp "$folder/new/$file" "$folder/mix/$file"
  refused weights.safetensors
done
cp "$folder/new/run.json" "$folder/mix/run.json"
run eval "$folder/mix"
exits 0
# Any other mixture.
for file in weights.safetensors model.json data.json; do
  rm -rf "$folder/mix"
  cp -r "$folder/old" "$folder/mix"
  cp "$folder/new/$file" "$folder/mix/$file"
  refused "$file"
done
rm -rf "$folder/mix"
cp -r "$folder/old" "$folder/mix"
cp "$folder/new/run.json" "$folder/mix/run.json"
refused weights.safetensors
# Also where the weights have other shapes, which would be said otherwise.
train --epochs 1 --model 2-5-2 --out "$folder/narrow"
cp "$folder/old/run.json" "$folder/mix/run.json"
cp "$folder/narrow/weights.safetensors" "$folder/mix/weights.safetensors"
refused weights.safetensors

# An older run.json has no ids: with newer weights it is of another training.
bare() { sed -i '/"training": {/,/}/d; s/\("weft": "[^"]*"\),/\1/' "$1/run.json"; }
rm -rf "$folder/mix"
cp -r "$folder/old" "$folder/mix"
bare "$folder/mix"
grep -q training "$folder/mix/run.json" && fail "run.json still has an id"
refused weights.safetensors
# Weights without an id, as older versions and weft import write them, go with either.
run import "$folder/old/weights.safetensors" --model "$folder/old" --out "$folder/plain"
exits 0
cp "$folder/plain"/* "$folder/mix"
run eval "$folder/mix"
exits 0
cp "$folder/old/run.json" "$folder/mix/run.json"
run eval "$folder/mix"
exits 0
# A file that was changed on purpose: the message says how to have it read.
echo >>"$folder/mix/data.json"
refused data.json
complains 'delete "data.json" from "training" in run.json'
sed -i '/"model.json": /s/,$//; /"data.json": /d' "$folder/mix/run.json"
run eval "$folder/mix"
exits 0
sed -i 's/"id": "[0-9a-f]*"/"id": "12"/' "$folder/mix/run.json"
run eval "$folder/mix"
exits 1
complains "run.training.id: '12', wanted 16 hexadecimal digits"

# The same training gives the same files, its id among them.
train --epochs 1 --out "$folder/again"
for file in weights.safetensors model.json data.json run.json; do
  cmp -s "$folder/again/$file" "$folder/whole/$file" || fail "$file differs from that of the same training"
done

# A float64 model runs where it was trained: native_cpu has float32 alone.
sed 's/float32/float64/' "$folder/old/model.json" >"$folder/float64.json"
train --epochs 1 --model "$folder/float64.json" --device cpu --out "$folder/float64"
run eval "$folder/float64"
exits 0
run predict "$folder/float64" --data "$folder/t.csv"
exits 0
run eval "$folder/float64" --device native_cpu
exits 1
complains native_cpu

finish
