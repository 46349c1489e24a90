# Messages: a stderr that cannot be written stops nothing, and what is said of a command line is plain.
. "$(dirname "$0")/check.inc"

if [ -e /dev/full ] && ! echo x 2>/dev/null >/dev/full; then
  # deaf CODE ARG...: the exit code is the same with a stderr that is full and with one that is closed.
  deaf() {
    wanted=$1
    shift
    last="weft $* 2>/dev/full"
    : >"$err"
    code=0
    "$weft" "$@" >"$out" 2>/dev/full </dev/null || code=$?
    exits "$wanted"
    last="weft $* 2>&-"
    code=0
    "$weft" "$@" >"$out" 2>&- </dev/null || code=$?
    exits "$wanted"
  }
  deaf 0 train --data digits --epochs 2 --out "$folder/run" # has notes
  says '^final '
  run eval "$folder/run"
  exits 0
  deaf 0 train --epochs 1 --lr 1e6 --batch 359
  deaf 1 train --epochs 2 --lr 1e38
  deaf 2
  deaf 2 --nope
  deaf 2 train --nope
  deaf 1 eval "$folder/none"
  deaf 1 predict "$folder/none" --data digits
  deaf 1 data "$folder/none.csv"
  deaf 1 verify --device metal --against cpu
  deaf 1 export "$folder/none" --out "$folder/x.npz"
  printf 'a,b\n1,2\n,3\n' >"$folder/t.csv"
  run train --data "$folder/t.csv" --task regression --model 1-1 --batch 1 --test 0 --missing drop --epochs 1 --quiet --out "$folder/r"
  exits 0
  deaf 0 predict "$folder/r" --data "$folder/t.csv" --missing drop # says that a row was left out
  lines 2
  # A stdout that cannot be written is said, and the model is saved.
  for stdout in /dev/full closed; do
    last="weft train, stdout $stdout"
    code=0
    rm -rf "$folder/run"
    if [ $stdout = closed ]; then
      "$weft" train --epochs 2 --out "$folder/run" 2>"$err" >&- </dev/null || code=$?
    else
      "$weft" train --epochs 2 --out "$folder/run" 2>"$err" >/dev/full </dev/null || code=$?
    fi
    : >"$out"
    exits 1
    complains '^weft: stdout cannot be written$'
    run eval "$folder/run"
    exits 0
  done
fi

run train --lr 0.1 --lr 0.2
exits 2
complains '^weft train: --lr: given twice, wanted once \(see weft train --help\)$'
run train --epochs 1 --epochs 2 --epochs 3
exits 2
complains '^weft train: --epochs: given 3 times, wanted once'
run verify --against
exits 2
complains '^weft verify: --against: nothing follows it, wanted cpu\|native_cpu'
run --help
exits 0
says '^  1    .*data that cannot be used'
# The comments of the examples stand below one another.
[ "$(grep -E '^  weft (data flowers|eval run|modes|verify)' "$out" | sed -E 's/^(.*[^ ]  +)[^ ].*/\1/' | awk '{ print length }' | sort -u | wc -l)" -eq 1 ] ||
  fail "the examples are not aligned"

# Help marks what has to be given, and does not say FILE FILE.
for flags in 'export --out' 'import --out' 'import --model' 'predict --data'; do
  run "${flags% *}" --help
  exits 0
  says "^  ${flags#* } .*\(required\)\$"
done
run import --help
says '^  FILE  +[A-Z]'
run train --help
grep -q '(required)' "$out" && fail "a flag of train is required"
# Times are told to two digits, however short.
run train --epochs 1
exits 0
says '^epoch=1 .* seconds=[0-9.]*[1-9]'
says '^final .* seconds=[0-9.]*[1-9][0-9.]* out=-$'

printf 'x,y\n1,a\n2,b\n' >"$folder/two.csv"
run train --data "$folder/two.csv"
exits 1
complains '^weft train: --test: 0.2 of 2 rows leaves none.*; --test is 0.2 where it is not given'
run train --data "$folder/two.csv" --test 0.2
exits 1
complains '^weft train: --test: 0.2 of 2 rows leaves none, wanted at least one$'

finish
