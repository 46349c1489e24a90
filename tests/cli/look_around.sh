# weft demo, modes, devices, version, completions and help.
. "$(dirname "$0")/check.inc"

# ---- demo ----
run demo
exits 0
[ "$(cat "$out")" = "mode=NormalBP schedule=Stack calls=8 loss=6.7954462e-06 weights=synced-to-host" ] || fail "another line"

run demo --mode all
exits 0
lines 29
format='^mode=[A-Za-z]+ schedule=(Stack|Stack Line pipeline|Grid mesh clock \(4 ticks/call\)) calls=8 loss=[0-9.]+(e-[0-9]+)? weights=synced-to-host$'
[ "$(grep -cE "$format" "$out")" -eq 29 ] || fail "lines of another format"
[ "$(grep -cE 'mode=Step.* schedule=Stack Line pipeline ' "$out")" -eq 11 ] || fail "wanted 11 line modes"
[ "$(grep -cE 'mode=Mesh.* schedule=Grid mesh clock' "$out")" -eq 7 ] || fail "wanted 7 mesh modes"
[ "$(sed -n '1s/ .*//p;29s/ .*//p' "$out" | tr '\n' ' ')" = "mode=NormalBP mode=StepTweenSplitSparse " ] || fail "not in id order"

run demo -mode StepBP -steps 3
exits 0
says '^mode=StepBP schedule=Stack Line pipeline calls=3 loss=6\.79608[0-9]*e-06 '
run demo -mode=stepbp -steps=1 -device=cpu
exits 0
says '^mode=StepBP .* calls=1 loss=0 '

run demo --mode NormalPB
exits 2
silent
complains 'NormalPB.*NormalBP'
for steps in 0 -1 x 1.5 99999999999999999999; do
  run demo --steps $steps
  exits 2
  silent
  complains "steps.*$steps.*positive"
done
run demo --device abacus
exits 2
complains 'device.*abacus.*native_cpu'

if [ "$(uname -s)-$(uname -m)" != Darwin-arm64 ]; then
  unset WEFT_METAL_RUNTIME
  run demo --device metal
  exits 0
  lines 1
  says '^SKIP: Apple Metal needs Apple silicon macOS'
  WEFT_METAL_RUNTIME=$folder/none.so WEFT_METAL_LIBRARY=$folder/none.so
  export WEFT_METAL_RUNTIME WEFT_METAL_LIBRARY
  run demo --device metal
  exits 1
  silent
  complains "none.so"
  unset WEFT_METAL_RUNTIME WEFT_METAL_LIBRARY
fi
if [ "$(uname -s)" = Linux ]; then
  WEFT_CUDA_LIBRARY=$folder/no_such_library.so
  export WEFT_CUDA_LIBRARY
  run demo --device cuda
  exits 1
  silent
  complains "no_such_library.so"
  unset WEFT_CUDA_LIBRARY
fi

# ---- modes, devices, version ----
run modes
exits 0
for mode in NormalBP StepTweenSplitHeadProxyAsync MeshTweenSplitLinearCache; do says " $mode "; done
[ "$(awk 'length > 100' "$out" | wc -l)" -eq 0 ] || fail "lines wider than 100 columns"
run modes --json
exits 0
[ "$(grep -c '"id":' "$out")" -eq 33 ] || fail "wanted 33 modes"
[ "$(grep -c '"published": true' "$out")" -eq 29 ] || fail "wanted 29 published modes"

run devices
exits 0
for device in cpu native_cpu cuda metal; do says "^$device "; done
says '^cpu .*reference, slow'
run devices --json
exits 0
[ "$(grep -c '"available":' "$out")" -eq 4 ] || fail "wanted 4 devices"

run version --json
exits 0
for key in version compiler build_type devices; do says "\"$key\":"; done
run --version
exits 0
says '^weft [0-9]+\.[0-9]+\.[0-9]+$'

# ---- completions: scripts that the shells take, and that offer what the commands have ----
for shell in bash zsh fish; do
  run completions $shell
  exits 0
  for word in demo train verify completions print-program allow-unsupported StepTweenSplitSparse native_cpu; do says "$word"; done
  cmp -s "$out" "$(dirname "$0")/../../cli/completions/weft.$shell" || fail "cli/completions/weft.$shell is stale"
  if command -v $shell >/dev/null; then $shell -n "$out" || fail "$shell does not take the script"; fi
done
# offers WORD... WANTED: bash completes the last of the words to what is wanted.
offers() {
  last="completing: weft $1"
  bash -c '. "$1"; COMP_WORDS=(weft $2); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _weft; echo "${COMPREPLY[@]}"' - \
    "$(dirname "$0")/../../cli/completions/weft.bash" "$1" >"$out" 2>"$err"
  says "^$2\$"
}
if command -v bash >/dev/null; then
  offers "tr" train
  offers "train --opti" --optimizer
  offers "train --optimizer mo" momentum
  offers "train --data dig" digits
  offers "train --lr-schedule co" "constant cosine"
  offers "demo --mode StepBP" StepBP
  offers "verify --golden $(dirname "$0")/../gold" "$(dirname "$0")/../golden"
  offers "completions f" fish
fi
run completions csh
exits 2
complains 'csh.*bash'

# ---- help ----
run --help
exits 0
for word in demo train verify modes devices version completions Examples 'Exit codes'; do says "$word"; done
for command in demo train verify modes devices version completions; do
  run $command --help
  exits 0
  says 'Examples?:'
  says "weft $command"
done
run
exits 2
run tarin
exits 2
complains 'tarin.*train'
run help
exits 2
silent
complains "^weft: command: unknown name 'help'; nearest known: .* \(see weft --help\)$"
# Nothing is said twice.
run demo --mode twen
exits 2
complains "^weft demo: --mode: unknown name 'twen'; nearest known: Tween,"
run train --init xaver
exits 2
complains "^weft train: --init: unknown name 'xaver'; nearest known: xavier,"
run data digits --header maybe
exits 2
complains "^weft data: --header: unknown name 'maybe'; nearest known: "
run data "$folder/none.csv"
exits 1
complains "^weft data: '.*none.csv': no such file"
run --frobnicate
exits 2
complains 'frobnicate'
run modes --frobnicate
exits 2
complains 'modes.*frobnicate'
if [ -w /dev/full ]; then
  last="weft modes >/dev/full"
  code=0
  "$weft" modes >/dev/full 2>"$err" || code=$?
  exits 1
fi

finish
