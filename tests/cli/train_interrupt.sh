# weft train: Ctrl-C and SIGTERM save and say so; a second one ends at once.
. "$(dirname "$0")/check.inc"

# A job in the background of a script ignores SIGINT unless this takes that back.
env --default-signal=INT true 2>/dev/null || { echo "skipped: env cannot set signals"; exit 0; }
# start FLAGS...: trains in the background until told otherwise.
start() {
  last="weft train $*"
  env --default-signal=INT "$weft" train "$@" >"$out" 2>"$err" </dev/null &
  pid=$!
}
stop() {
  kill "-$1" $pid
  code=0
  wait $pid || code=$?
}

for signal in INT TERM; do
  for mode in NormalBP StepBP; do
    start --mode $mode --model 64-32-16-10 --epochs 100000000 --out "$folder/$signal$mode"
    await "$folder/$signal$mode/metrics.jsonl.part"
    stop $signal
    exits 130
    complains "^weft train: interrupted (in epoch [0-9]+, after call [0-9]+ of 89|after epoch [0-9]+ of 100000000): saved to $folder/$signal$mode\$"
    tail -n 1 "$out" | grep -qE "^final mode=$mode epochs=[0-9]+ interrupted=yes seconds=[0-9.]+ out=" || fail "another final line"
    grep -q '"interrupted": true' "$folder/$signal$mode/run.json" || fail "run.json says nothing of it"
    [ "$(ls -A "$folder/$signal$mode" | tr '\n' ' ')" = "data.json metrics.jsonl model.json run.json weights.safetensors " ] ||
      fail "files: $(ls -A "$folder/$signal$mode")"
    [ "$(wc -l <"$folder/$signal$mode/metrics.jsonl")" -eq "$(sed -n '$s/.*epochs=\([0-9]*\) .*/\1/p' "$out")" ] || fail "metrics of another number of epochs"
    # What was saved has learned, and can be gone on with.
    run train --model "$folder/$signal$mode" --weights "$folder/$signal$mode/weights.safetensors" --epochs 1 --lr 1e-30 --quiet
    exits 0
    says 'test_accuracy=0\.[6-9]'
  done
done

start --epochs 100000000 --json
sleep 1
stop INT
exits 130
complains 'nothing is saved without --out$'
tail -n 1 "$out" | grep -qE '^\{"final":true,.*"interrupted":true,.*"out":null\}$' || fail "another final object"

# A call that takes long: the first signal waits for its end, the second does not.
start --device cpu --model 64-2000-2000-10 --batch 1438 --out "$folder/slow"
await "$folder/slow"
sleep 0.5
kill -INT $pid
sleep 0.5
kill -0 $pid 2>/dev/null || fail "the first signal ended it"
seconds=$(date +%s)
stop INT
[ $(($(date +%s) - seconds)) -le 3 ] || fail "the second signal did not end it"
exits 130
silent
[ ! -e "$folder/slow/model.json" ] || fail "it was saved nevertheless"

finish
