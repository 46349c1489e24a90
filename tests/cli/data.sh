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

finish
