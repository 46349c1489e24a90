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
sum() { (cd "$folder/run" && ls -A && cat model.json weights.safetensors data.json run.json metrics.jsonl) | cksum; }
before=$(sum)
cp "$folder/run/run.json" "$folder/first.json"
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
part=$folder/run/metrics.jsonl.part
[ -s "$part" ] || fail "no metrics"
grep -qvE '^\{.*\}$' "$part" && fail "a line that is not whole"
[ "$(tail -c 1 "$part" | od -An -c | tr -d ' ')" = '\n' ] || fail "the last line has no end"
mv "$part" "$folder/part"
rm -f "$folder"/run/.*.tmp
kept

# What killed processes have left goes with the next training, also one that fails; what living ones own stays.
mkdir "$folder/run/.weft.$pid.tmp" "$folder/run/.weft.$$.tmp" "$folder/run/.weft.x.tmp"
: >"$folder/run/.weft.$pid.tmp/model.json"
: >"$folder/run/.run.json.$pid.3.tmp"
: >"$folder/run/.metrics.jsonl.part.$pid.0.tmp"
: >"$folder/run/.run.json.$$.3.tmp"
cp "$folder/part" "$part"
run train --out "$folder/run" --lr 1e38 --epochs 2
exits 1
rmdir "$folder/run/.weft.$$.tmp" "$folder/run/.weft.x.tmp" || fail "another process's folder is gone"
rm "$folder/run/.run.json.$$.3.tmp" || fail "another process's file is gone"
kept
# Files that were being replaced go when others are in their place.
mkdir -p "$folder/run/.weft.$pid.tmp/old"
run train --out "$folder/run" --lr 1e38 --epochs 2
exits 1
[ -e "$folder/run/.weft.$pid.tmp/old" ] || fail "files that were being replaced are gone"
run train --out "$folder/run" --epochs 3 --quiet
exits 0
[ ! -e "$folder/run/.weft.$pid.tmp" ] || fail "a stage was left"
cmp -s "$folder/run/run.json" "$folder/first.json" || fail "the same training has another record"
before=$(sum)

# A file that cannot be put in its place: the others are as they were. run.json goes last.
# blocked: of a training into $folder/new whose run.json becomes a folder on its way.
blocked() {
  env --default-signal=INT "$weft" train --epochs 100000000 --seed 2 --out "$folder/new" >"$out" 2>"$err" </dev/null &
  pid=$!
  last="weft train with a folder in the way"
  await "$folder/new/metrics.jsonl.part"
  rm -f "$folder/new/run.json"
  mkdir "$folder/new/run.json"
  kill -INT $pid
  code=0
  wait $pid || code=$?
  exits 1
  complains '^weft train: --out .*new: cannot put run.json in its place: .*; no file was replaced$'
  rmdir "$folder/new/run.json"
}
if env --default-signal=INT true 2>/dev/null; then
  cp -r "$folder/run" "$folder/new"
  blocked
  cp "$folder/run/run.json" "$folder/new/run.json"
  diff -r "$folder/run" "$folder/new" >/dev/null || fail "files were replaced"
  run eval "$folder/new"
  exits 0
  rm -rf "$folder/new"
  blocked
  [ -z "$(ls -A "$folder/new")" ] || fail "files in a new folder: $(ls -A "$folder/new")"
fi
# The same of a file that may not be changed.
if chattr +i "$folder/run/run.json" 2>/dev/null; then
  run train --out "$folder/run" --epochs 1 --seed 2
  chattr -i "$folder/run/run.json"
  exits 1
  complains 'cannot put run.json in its place: .*; no file was replaced$'
  kept
fi

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

# A source among the files that --out replaces stays.
mkdir "$folder/mixed"
printf '1,2,a\n3,4,b\n5,6,a\n7,8,b\n2,1,a\n9,9,b\n' >"$folder/mixed/data.json"
cp "$folder/mixed/data.json" "$folder/before"
run train --data "csv:$folder/mixed/data.json" --out "$folder/mixed" --batch 2 --epochs 1
exits 1
complains "--out: seen '[^']*data.json', which is read"
cmp -s "$folder/mixed/data.json" "$folder/before" || fail "the source was replaced"

finish
