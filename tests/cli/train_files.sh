# weft train: what --out holds, and that a good model in it is never damaged.
. "$(dirname "$0")/check.inc"

run train --epochs 3 --quiet --out "$folder/run"
exits 0
number='-?[0-9]+(\.[0-9]+)?(e-?[0-9]+)?'
line="^\{\"epoch\":[123],\"calls\":89,\"samples\":1424,\"dropped\":14,\"lr\":0\.1,\"loss\":$number,\"test_loss\":$number,\"test_accuracy\":$number,\"seconds\":$number,\"non_finite\":0\}\$"
[ "$(grep -cE "$line" "$folder/run/metrics.jsonl")" -eq 3 ] && [ "$(wc -l <"$folder/run/metrics.jsonl")" -eq 3 ] ||
  fail "metrics.jsonl: $(head -n 1 "$folder/run/metrics.jsonl")"
for word in '"mode": "NormalBP"' '"device": "native_cpu"' '"batch": 16' '"epochs": 3' '"seed": 1' '"lr": 0.1' '"decay": "constant"' \
  '"kind": "sgd"' '"interrupted": false' '"test_accuracy": 0.9'; do
  grep -q "$word" "$folder/run/run.json" || fail "run.json lacks $word"
done

# kept: the folder is as it was.
sum() { (cd "$folder/run" && ls -A && cat model.json weights.safetensors data.json run.json) | cksum; }
before=$(sum)
kept() { [ "$(sum)" = "$before" ] || fail "the model that was there has changed: $(ls -A "$folder/run")"; }
run train --out "$folder/run" --lr 1e38 --epochs 2
exits 1
kept
# A disk that fills up while the model is written, as far as a limit can stand for one.
if (trap '' XFSZ && ulimit -f 4) 2>/dev/null; then
  last="weft train with a limit on the size of files"
  code=0
  (trap '' XFSZ; ulimit -f 4; exec "$weft" train --epochs 1 --out "$folder/run" --quiet --model 64-128-10) >"$out" 2>"$err" || code=$?
  exits 1
  silent
  complains '^weft train: .*weights.safetensors.*File too large'
  kept
fi
# Killed, it leaves whole lines and the old model.
"$weft" train --epochs 100000000 --out "$folder/run" >/dev/null 2>&1 &
pid=$!
last="weft train, killed"
sleep 1.5
kill -9 $pid
wait $pid 2>/dev/null
[ -s "$folder/run/metrics.jsonl" ] || fail "no metrics"
grep -qvE '^\{.*\}$' "$folder/run/metrics.jsonl" && fail "a line that is not whole"
[ "$(tail -c 1 "$folder/run/metrics.jsonl" | od -An -c | tr -d ' ')" = '\n' ] || fail "the last line has no end"
rm -f "$folder"/run/.*.tmp
kept

# Folders that cannot be written to are refused before the training.
refused() {
  pattern=$1
  shift
  run train --epochs 1 "$@"
  exits 1
  silent
  complains "^weft train: --out $pattern"
}
: >"$folder/file"
refused '.*/file is no folder' --out "$folder/file"
refused '.*/file is no folder' --out "$folder/file/below"
mkdir -p "$folder/odd/model.json"
refused '.*odd: model.json in it is a folder' --out "$folder/odd"
[ ! -d /proc/self ] || refused '/proc/weft: ' --out /proc/weft
long=$(printf '%0300d' 0)
refused '.*cannot make the folder' --out "$folder/$long"
if [ "$(id -u)" -ne 0 ]; then
  mkdir "$folder/locked"
  chmod 555 "$folder/locked"
  refused '.*locked cannot be written' --out "$folder/locked"
fi
# A folder that was made for nothing is taken away again.
printf '3e38,3e38,1\n-3e38,3e38,2\n3e38,-3e38,3\n' >"$folder/large.csv"
run train --data "$folder/large.csv" --task regression --activation linear --scale none --test 0 --batch 1 --out "$folder/fresh"
exits 1
complains 'the loss of 3 of 3 calls was not finite'
[ ! -e "$folder/fresh" ] || fail "an empty folder was left"

finish
