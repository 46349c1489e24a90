# bench/peers/run with weft alone: the check of the work, the table, results in parts. Times are not judged.
. "$(dirname "$0")/check.inc"

command -v python3 >/dev/null || { echo "skipped: no python3"; exit 0; }
"$weft" devices | grep -q '^native_cpu .*available' || { echo "skipped: no native_cpu"; exit 0; }
script=$(dirname "$0")/../../bench/peers/run
# No peer: no interpreter for them, and no compiler on the way.
python=$(python3 -c 'import sys; print(sys.executable)')
mkdir "$folder/bin"
none=$folder/none
printf '#!/bin/sh\nexit 1\n' >"$none"
chmod +x "$none"
peers() {
  last="bench/peers/run $*"
  code=0
  PATH=$folder/bin PYTHONDONTWRITEBYTECODE=1 "$python" "$script" --python "$none" --weft "$weft" --build "$folder/build" \
    --rounds 1 --seconds 0.01 "$@" >"$out" 2>"$err" </dev/null || code=$?
}
number='[0-9]+(\.[0-9]+)?(e-?[0-9]+)?'

peers --work 4-4-4 --work 6x4-3:5 --threads 1 --save "$folder/one.json"
exits 0
says ', 1 thread for each; load before: '
for peer in 'torch eager' libtorch 'JAX jit' 'JAX loop' FANN; do says "^left out: $peer: "; done
says '^work +floor +weft +call +ratio$'
says "^4-4-4:2 +$number +$number +$number +\$"
says "^6x4-3:5 +$number +$number +$number +\$"
says "^4-4-4:2 +0\.[0-9]+ to 0\.[0-9]+ in weft, and nothing to compare with\$"
[ "$(awk 'length > 80' "$out" | grep -cv '^left out\|^weft')" -eq 0 ] || fail "lines wider than 80 columns"

# Several results as one table, in the usual order; other machines or settings are not joined.
peers --work 16-32-8:32 --threads 1 --save "$folder/two.json"
exits 0
peers --join "$folder/two.json" "$folder/one.json"
exits 0
[ "$(grep -oE '^(4-4-4:2|16-32-8:32|6x4-3:5) ' "$out" | tr -d '\n')" = '4-4-4:2 16-32-8:32 6x4-3:5 4-4-4:2 16-32-8:32 6x4-3:5 ' ] ||
  fail "another order"
sed 's/"threads": 1/"threads": 2/' "$folder/one.json" >"$folder/other.json"
peers --join "$folder/two.json" "$folder/other.json"
exits 1
silent
complains "other.json: threads: seen 2, wanted 1 as in .*two.json"
# Losses that are not the same.
sed 's/"agree": true/"agree": false/; s/"losses": {/"losses": {"FANN": [3, 2],/' "$folder/two.json" >"$folder/apart.json"
peers --join "$folder/apart.json"
exits 1
says '^16-32-8:32 NOT THE SAME WORK: FANN 3 to 2, weft '

for work in 4-5-4 4:2 4-4:0 4-x:2 ''; do
  peers --work "$work"
  exits 2
  silent
  complains "--work: seen '$work', wanted WIDTHS:BATCH"
done

# An interpreter that is not there, and a weft.
last="bench/peers/run, files that are not there"
for flags in "--python $folder/absent" "--weft $folder/absent"; do
  # shellcheck disable=SC2086
  peers $flags
  exits 1
  silent
  complains "${flags% *} .*absent: .*wanted"
done

finish
