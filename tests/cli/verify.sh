# weft verify: holds on the golden data, and fails whenever something does not hold or cannot be run.
. "$(dirname "$0")/check.inc"
golden=$(dirname "$0")/../golden/data

run verify --golden "$golden"
exits 0
says '^stack_dense.json +56 +0 .* pass$'
says '^270 cases in 9 files on cpu: 270 passed, 0 failed, 0 unsupported: pass$'
if "$weft" devices | grep -q '^native_cpu .*available'; then
  run verify --golden "$golden" --device native_cpu
  exits 0
  run verify --device native_cpu --against cpu
  exits 0
  says '^33 of 33 modes agree: pass$'
fi

# A doctored loss under another name, beside a sound file.
mkdir "$folder/doctored"
cp "$golden/mesh_ring.json" "$folder/doctored/sound.json"
sed '2s/"losses":\[0\.0472/"losses":[0.0473/' "$golden/mesh_ring.json" >"$folder/doctored/cases of mine.json"
cmp -s "$golden/mesh_ring.json" "$folder/doctored/cases of mine.json" && fail "the case was not doctored"
run verify --golden "$folder/doctored"
exits 1
says '^sound.json +3 .* pass$'
says '^cases of mine.json +3 .* FAIL$'
says "FAIL cases of mine.json: case 'MeshBP \[3 1 1 1\]x w\[4\] b2 ticks4 ring 0<-2': loss of call 0: got 0.0472.*wanted 0.0473"
run verify --golden "$folder/doctored" --allow-unsupported
exits 1

# What is not carried out fails unless allowed, and is counted with its reason.
mkdir "$folder/unsupported"
sed '2s/"act":"tanh"/"act":"softsign"/' "$golden/mesh_ring.json" >"$folder/unsupported/a.json"
run verify --golden "$folder/unsupported"
exits 1
says '^a.json +3 +1 .* FAIL$'
says "unsupported a.json: 1 case .*softsign"
run verify --golden "$folder/unsupported" --allow-unsupported
exits 0
says '2 passed, 0 failed, 1 unsupported: pass$'

# A broken case is named with file, case and field; a broken file and no case at all fail too.
mkdir "$folder/broken" "$folder/empty"
sed '2s/"lr":0.1[0-9]*,//' "$golden/mesh_ring.json" >"$folder/broken/b.json"
run verify --golden "$folder/broken" --allow-unsupported
exits 1
says "FAIL b.json: case 'MeshBP .*': lr: missing"
echo '[{' >"$folder/broken/c.json"
run verify --golden "$folder/broken" --allow-unsupported
exits 1
says '^c.json +FAIL '
run verify --golden "$folder/empty" --allow-unsupported
exits 1
complains 'no golden case'
echo '{"colour": "blue"}' >"$folder/empty/settings.json"
run verify --golden "$folder/empty" --allow-unsupported
exits 1
run verify --golden "$folder/absent"
exits 1
silent
complains '--golden .*/absent: no such folder, wanted a folder of JSON files'
run verify --golden "$folder/broken/b.json"
exits 1
silent
complains '--golden .*/b.json: not a folder, wanted a folder of JSON files'

# What files name is printed without what a terminal would obey.
mkdir "$folder/control"
sed '2s/"name":"MeshBP/"name":"\\u001b[2J\\u009bMeshBP/; 2s/"losses":\[0/"losses":[1/' "$golden/mesh_ring.json" \
  >"$folder/control/$(printf 'a\033[1m').json"
run verify --golden "$folder/control"
exits 1
says "FAIL a\?\[1m.json: case '\?\[2J\?MeshBP "
LC_ALL=C grep -qE "$(printf '[\001-\010\013-\037\177]|\302[\200-\237]')" "$out" && fail "control characters in the output"

run verify
exits 2
complains '--golden'
run verify --against cpu
exits 2
complains '--against'
run verify --golden "$golden" --device abacus
exits 2

finish
