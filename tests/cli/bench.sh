# weft bench: the table, its JSON, and how it compares; what cannot be timed is refused by name. Times are not judged.
. "$(dirname "$0")/check.inc"

device=cpu
if "$weft" devices | grep -q '^native_cpu .*available'; then device=native_cpu; fi
bench() { run bench --device "$device" --seconds 0.002 --repeats 2 "$@"; }
number='[0-9]+(\.[0-9]+)?'
row="$number +$number% +$number[kMG]? +$number +$number% +($number[kMG]?|-)"

# No line beyond 80 columns; awk counts bytes.
narrow() { [ "$(sed 's/µ/u/g' "$out" | awk 'length > 80' | wc -l)" -eq 0 ] || fail "lines wider than 80 columns"; }

# ---- the table ----
bench --work 4-4-4:2 --work 6-5-4-3:7
exits 0
says '^weft [0-9.]+, (release|debug) build, '
says "^$device: "
says "^  peak: $number GFLOP/s, the best inference of 4 layers of ([0-9]+)-\2 at batch \2$"
says '^work +mode +µs/step span samples/s GFLOP/s +peak bytes$'
says "^4-4-4:2 +NormalBP +$row\$"
says "^6-5-4-3:7 +NormalBP +$row\$"
narrow
if "$weft" version | grep -q '^build type *debug'; then complains '^weft bench: warning: this is a debug build, wanted a release'; fi

# Every mode, grouped where a row would be too wide; a work and a mode given twice are timed once.
bench --work 4-4-4:2 --work 3-1024-512-10-10-10:1 --work 4-4-4:2 --mode all --mode NormalBP --calls
exits 0
says '^4-4-4:2$'
[ "$(grep -cE "^[A-Z][A-Za-z]+ +$row +$number\$" "$out")" -eq 66 ] || fail "wanted 2 works in 33 modes"
narrow
bench --work 2-2:1 --mode mesh
exits 0
[ "$(grep -cE "^2-2:1 +Mesh[A-Za-z]+ +$row\$" "$out")" -eq 11 ] || fail "wanted the 11 modes of a mesh"
run bench --work 4-4-4:2 --device cpu --device "$device" --seconds 0.002 --repeats 1 --loss ce --optimizer adamw --bias
exits 0
says '^layers: tanh with bias, the last linear; loss ce, optimizer adamw$'

# Widths that repeat, long ones and short ones.
bench --work 6-5x5-4:7 --work 6-5-5-5-5-5-4:7 --work 6-5x3-4:7
exits 0
says "^6-5x5-4:7 +NormalBP +$row\$"
says "^6-5-5-5-4:7 +NormalBP +$row\$"
[ "$(grep -c ':7 ' "$out")" -eq 2 ] || fail "wanted one line of two spellings"

# Fleets beside one net: their weights and operations are those of all members.
bench --work 4-4-4:2 --work 4-4-4:2:3 --mode NormalBP --mode MeshBP
exits 0
[ "$(grep -cE "^4-4-4:2(:3)? +[A-Za-z]+ +$row\$" "$out")" -eq 4 ] || fail "wanted four rows"
bench --work 4-4-4:2 --work 4-4-4:2:3 --json
exits 0
[ "$(sed -nE 's/^ *"weights": ([0-9]+),$/\1/p' "$out" | tr '\n' ' ')" = "32 96 " ] || fail "the weights are not told"
run bench --device cpu --device "$device" --seconds 0.002 --repeats 1 --work 4-4-4:2:2 --calls
exits 0

# ---- what a layer and a weight take; a pipe holds more tapes the deeper it is ----
bench --work 16x3:8 --work 16x17:8 --mode NormalBP --mode StepBP --growth
exits 0
says '^work +mode +µs/step span µs/layer tapes +rest B/weight$'
[ "$(grep -cE "^16.*:8 +(NormalBP|StepBP) +$number +$number% +$number +$number[kMG]? +($number[kMG]?|-) +($number|-)\$" "$out")" -eq 4 ] ||
  fail "wanted four rows"
narrow
tapes() { awk -v work="$1" -v mode="$2" '$1 == work && $2 == mode { print $6 * ($6 ~ /k/ ? 1000 : 1) }' "$out"; }
awk -v few="$(tapes 16x17:8 NormalBP)" -v many="$(tapes 16x17:8 StepBP)" 'BEGIN { exit !(many > 3 * few) }' ||
  fail "the tapes of a pipe are not told"

# ---- modes that refuse the loss: left out and named ----
bench --work 2-2:1 --mode mesh --loss ce --calls
exits 0
[ "$(grep -cE "^Mesh[A-Za-z]+ +$row +$number\$" "$out")" -eq 9 ] || fail "wanted the 9 modes of a mesh that take ce"
says '^left out: MeshTween takes loss mse and optimizer sgd'
says '^left out: MeshTweenChain takes loss mse'
narrow
bench --work 2-2:1 --mode MeshBP --mode MeshTween --optimizer adamw --json
exits 0
says '"left_out": \['
says '"reason": "MeshTween takes'
cp "$out" "$folder/left.json"
bench --work 2-2:1 --mode MeshBP --optimizer adamw --compare "$folder/left.json"
exits 0
says "^ +$number +$number +$number  2-2:1 MeshBP $device\$"
for form in '' --json; do
  # shellcheck disable=SC2086
  bench --work 2-2:1 --mode MeshTween --mode MeshTweenChain --loss ce $form
  exits 2
  silent
  complains '^weft bench: --work 2-2:1 --mode MeshTween: MeshTween takes loss mse'
done

# ---- Ctrl-C and SIGTERM: what was measured is printed ----
# interrupted SIGNAL FLAGS...: the signal comes once the first line of the table is there.
interrupted() {
  signal=$1
  shift
  last="weft bench $*, interrupted"
  : >"$out"
  env --default-signal=INT "$weft" bench --device "$device" --seconds 1 --repeats 100 --work 4-4-4:2 --work 6-5:1 --mode NormalBP \
    --mode StepBP "$@" >"$out" 2>"$err" </dev/null &
  pid=$!
  for _ in $(seq 300); do
    grep -q '^4-4-4:2' "$out" && break
    kill -0 $pid 2>/dev/null || break
    case "$*" in *--json*) sleep 2; break ;; esac
    sleep 0.1
  done
  kill "-$signal" $pid
  code=0
  wait $pid || code=$?
  exits 130
  complains '^weft bench: interrupted after [0-3] of 4 timings$'
}
if env --default-signal=INT true 2>/dev/null; then
  interrupted INT
  says "^4-4-4:2 +NormalBP +$row\$"
  interrupted TERM --json
  [ "$(head -c 1 "$out")" = "{" ] && [ "$(tail -n 1 "$out")" = "}" ] || fail "no whole JSON"
  interrupted INT --compare "$folder/left.json"
  says '^only in .*left.json: 2-2:1 MeshBP'
fi

# ---- JSON: operations are 2 m n k of the products: forward, weights, and what goes down, which the first layer has no
# use for ----
bench --work 6-5-4:7 --mode NormalBP --mode StepBP --json --calls --bias
exits 0
[ "$(grep -c '"operations": 1680.0,' "$out")" -eq 2 ] || fail "wanted 2 * 7 * (2 * 6 * 5 + 3 * 5 * 4) operations twice"
[ "$(grep -c '"us_per_step":' "$out")" -eq 4 ] || fail "wanted a resident time and one with calls, twice"
says '"finite": true'
[ "$(head -c 1 "$out")" = "{" ] || fail "something before the JSON"
cp "$out" "$folder/old.json"

# ---- compare ----
bench --work 6-5-4:7 --work 2-2:1 --bias --compare "$folder/old.json"
exits 0
says "^against .*old.json \(weft "
says '^new/old +old µs +new µs$'
says "^ +$number +$number +$number  6-5-4:7 NormalBP $device\$"
says "^only in .*old.json: 6-5-4:7 StepBP $device\$"
says "^only in this run: 2-2:1 NormalBP $device\$"
grep -q '^note: bias' "$out" && fail "a note on the bias, which was alike"
# A time made twenty digits long is a ratio of about nothing.
sed 's/"us_per_step": [0-9.e+-]*/"us_per_step": 1e20/' "$folder/old.json" >"$folder/slow.json"
bench --work 6-5-4:7 --calls --compare "$folder/slow.json"
exits 0
says '^ +0\.000 +10{20} '
says '^ +0\.000 .*, a call each$'
says '^note: bias was on, is off$'
bench --work 6-5-4:7 --json --compare "$folder/old.json"
exits 0
complains '^new/old'
grep -q 'new/old' "$out" && fail "the comparison is in the JSON"

# damaged SCRIPT COMPLAINT: old.json changed by sed; it is refused before anything is timed.
damaged() {
  sed "$1" "$folder/old.json" >"$folder/damaged.json"
  cmp -s "$folder/old.json" "$folder/damaged.json" && fail "not damaged by $1"
  bench --work 2-2:1 --compare "$folder/damaged.json"
  exits 1
  silent
  complains "^weft bench: --compare: '.*damaged.json': $2"
}
damaged 's/"version": 1/"version": 2/' 'bench.version: 2, wanted an integer from 1 to 1'
damaged 's/"mode": "StepBP"/"mode": "StepPB"/' "bench.cells\[1\].mode: .*'StepPB'.*StepBP"
damaged 's/"mode": "StepBP"/"mode": "NormalBP"/' 'bench.cells\[1\]: .*already, wanted one'
damaged 's/"work": "6-5-4:7"/"work": "6-5-4:0"/' "bench.cells\[0\].work: seen '6-5-4:0', wanted"
damaged 's/"us_most": [0-9.e+-]*/"us_most": "fast"/' "bench.cells\[0\].us_most: 'fast', wanted a finite number"
damaged 's/"us_per_step": [0-9.e+-]*/"us_per_step": 0/' 'bench.cells\[0\].us_per_step: 0, wanted a number above 0'
damaged 's/"finite": true/"finite": 1/' 'bench.cells\[0\].finite: 1, wanted true or false'
damaged 's/"loss": "mse"/"loss": "mae"/' "bench.settings.loss: .*'mae'"
damaged 's/"repeats": 2/"repeats": 2, "colour": 3/' "bench.settings: unknown key 'colour'"
damaged 's/"instructions": [0-9]*,//' "bench.cells\[0\]: the key 'instructions' is missing"
damaged 's/"bias": true,/"bias": true, "bias": true,/' '.*bias'
damaged '$d' 'bench: .*line [0-9]+'
bench --work 2-2:1 --compare "$folder/absent.json"
exits 1
silent
complains "^weft bench: --compare: .*absent.json"

# ---- refused ----
# refuse FLAG SEEN WANTED ARG...
refuse() { # with the usual --seconds: nothing is timed
  flag=$1 seen=$2 wanted=$3
  shift 3
  run bench "$@"
  exits 2
  silent
  complains "^weft bench: $flag: .*$seen.*$wanted"
}
for work in 4-4 4-4: :2 4:2 4-4:0 4-4:-1 4-4:x 4-4:2: 4-4:2:0 4-4:2:4097 4-4:2:2:2 4-0:2 4-4:99999999999999999999 4-4:2147483648 ''; do
  refuse --work "'$work'" 'wanted two or more widths and a batch' --work "$work"
done
refuse --mode StepPB StepBP --mode NormalBP --mode StepPB
refuse --device abacus native_cpu --device abacus
refuse --threads cpu native_cpu --device cpu --threads 2
refuse --threads "'-1'" 'whole number' --threads -1
refuse --precision tf32 'wanted cuda alone' --device cpu --precision tf32
refuse --precision fp8 bf16 --precision fp8
refuse --activation sine tanh --activation sine
refuse --loss mae mse --loss mae
refuse --optimizer adam sgd --optimizer adam
refuse --repeats "'0'" positive --repeats 0
refuse --seconds "'0'" 'above 0' --seconds 0
refuse --seconds "'nan'" 'above 0' --seconds nan
refuse --compare "''" json --compare ''
refuse --growth --json 'one of them' --growth --json
refuse --work "'4x0:1'" 'two or more widths' --work 4x0:1
refuse --work "'4x1:1'" 'two or more widths' --work 4x1:1
refuse --work "'4x70000:1'" 'two or more widths' --work 4x70000:1
refuse --work "'4x2x2:1'" 'two or more widths' --work 4x2x2:1

# A device that is not here, and more than the machine's memory.
if [ "$(uname -s)" = Linux ]; then
  WEFT_CUDA_LIBRARY=$folder/no_such_library.so
  export WEFT_CUDA_LIBRARY
  run bench --device cuda
  exits 1
  silent
  complains '^weft bench: --device cuda: .*no_such_library.so'
  unset WEFT_CUDA_LIBRARY
fi
bench --work 2000000000-2000000000:1
exits 1
silent
complains '^weft bench: 2000000000-2000000000:1 in mode NormalBP: .* GiB of weights.*wanted at most half'

finish
