# weft train: its progress on a terminal.
. "$(dirname "$0")/check.inc"

script -qec true /dev/null >/dev/null 2>&1 </dev/null || { echo "skipped: no script of util-linux to make a terminal"; exit 0; }
escape=$(printf '\033')
# on_terminal SETTINGS FLAGS: what a terminal would get, its lines' ends made plain.
on_terminal() {
  last="$1 weft train $2"
  code=0
  script -qec "env $1 '$weft' train $2" /dev/null </dev/null 2>"$err" >"$out" || code=$?
  exits 0
}

on_terminal "-u NO_COLOR TERM=xterm" "--epochs 3"
says "${escape}\[K"
says "${escape}\[1mepoch 3/3${escape}\[0m.* loss [0-9.]+ .*test [0-9.]+%"
says 'final mode=NormalBP epochs=3 '
grep -q '^epoch=' "$out" && fail "plain lines too"
on_terminal "TERM=xterm NO_COLOR=1" "--epochs 3"
says 'epoch 3/3  .*100%  loss'
grep -q "${escape}\[[0-9;]*m" "$out" && fail "colours in spite of NO_COLOR"
on_terminal "TERM=dumb" "--epochs 2"
says '^epoch=2 loss='
grep -q "$escape" "$out" && fail "escapes on a dumb terminal"
on_terminal "TERM=xterm" "--epochs 2 --quiet"
grep -q "$escape" "$out" && fail "escapes in spite of --quiet"
on_terminal "TERM=xterm" "--epochs 2 --json --data digits"
grep -q "$escape" "$out" && fail "escapes in JSON"
says '^\{"epoch":2,'

finish
