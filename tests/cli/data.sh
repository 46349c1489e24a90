# weft data: what files hold, and what is said of bad ones.
. "$(dirname "$0")/check.inc"

printf 'x,colour,kind\n1,red,a\n,blue,b\n3,red,a\n' >"$folder/t.csv"
run data "$folder/t.csv"
exits 0
says '^rows +3$'
says '^inputs +3 features, text$'
says '^missing +1 value$'
says '^colour +categorical +0 2: blue, red$'
says '^a +2 +66\.67%$'
[ "$(awk 'length > 80' "$out" | wc -l)" -eq 0 ] || fail "lines wider than 80 columns"
run data "$folder/t.csv" --json
exits 0
for key in source rows features classes notes; do says "\"$key\":"; done

run data "$folder/t.csv" --missing refuse
exits 1
silent
complains "t.csv:3: column 0 'x': missing, wanted a number"
run data "csv:$folder/t.csv" --label knid
exits 1
complains "label: unknown name 'knid'; nearest known: kind"
run data "$folder/none.csv"
exits 1
complains 'no such file'
run data fashion-mnist --data-dir "$folder"
exits 1
complains 'dataset-fashion-mnist'
run data
exits 2
run data "$folder/t.csv" --delimiter ab
exits 2
complains "delimiter.*'ab'.*one character"
run data "$folder/t.csv" --classes 0
exits 2
complains 'classes'
run data --help
exits 0
says 'Examples:'

# A pipe cannot be read twice: it is refused rather than read wrong.
mkfifo "$folder/pipe"
for source in "$folder/pipe" "csv:$folder/pipe" "npz:$folder/pipe" "npy:$folder/pipe" "idx:$folder/pipe"; do
  run data "$source"
  exits 1
  silent
  complains 'pipe.?: a pipe, wanted a file'
done
last='weft data csv:/dev/stdin of a pipe'
printf '123,1,0\n4,1,1\n5,2,1\n' | "$weft" data csv:/dev/stdin >"$out" 2>"$err" && fail 'a pipe was read'
complains '^weft data: csv: /dev/stdin: a pipe, wanted a file$'

# Flags that say nothing of the source.
printf '\000\000\010\001\000\000\000\002\001\002' >"$folder/x.idx"
run data "$folder/x.idx" --label 0
exits 2
silent
complains "--label: has no effect with '.*x.idx', wanted a table"
run data "$folder/t.csv" --arrays x,y
exits 2
complains "--arrays: has no effect with '.*t.csv', wanted npz:FILE"
run data "$folder/t.csv" --data-dir "$folder"
exits 2
complains '--data-dir: has no effect'
run data digits --task regression
exits 2
complains '--task: has no effect'
run data digits --memory 1000
exits 1
complains '^weft data: digits: 1797 rows .* wanted at most 1e-06 GB \(--memory; by default half'

# Messages name the flags.
run data "$folder/t.csv" --missing refuse
complains '; --missing can drop such rows'
printf 'a,b\nc,d\n' >"$folder/texts.csv"
run data "$folder/texts.csv"
exits 1
complains '; --header decides$'
printf 'a,caf\351\n1,2\n3,4\n' >"$folder/latin.csv"
run data "$folder/latin.csv"
exits 1
complains "latin.csv:1: column 1: 'caf\?' is not UTF-8"
printf 'a,drink\n1,tea\n3,caf\351\n' >"$folder/latin.csv"
run data "$folder/latin.csv"
exits 1
complains "latin.csv:3: column 1 'drink': 'caf\?' is not UTF-8"
printf '1,0\n2,\233\0332J\n' >"$folder/control.csv"
run data "$folder/control.csv" --header no
exits 1
complains "column 1: '\?\?2J', wanted a number"
printf '1,2,\n3,4,1\n' >"$folder/nameless.csv"
run data "$folder/nameless.csv"
exits 1
complains 'nameless.csv:1: column 2: missing, wanted a label'

finish
