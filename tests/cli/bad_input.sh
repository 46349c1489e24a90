# Bad input of every kind: what is said of it, where it is, what is seen and what was wanted; the exit code; nothing
# written. The tables list the kinds; input that only looks bad is read, and its table says as what.
. "$(dirname "$0")/check.inc"
case $weft in /*) ;; *) weft=$PWD/$weft ;; esac
cd "$folder" || exit 1

# ---- making files ----
# Each prints bytes. cut N FILE: all but the last N bytes. rows N TEXT: the text N times.
cut() { head -c $(($(wc -c <"$2") - $1)) "$2"; }
rows() { awk -v n="$1" -v text="$2" 'BEGIN { for (i = 0; i < n; ++i) print text }'; }
octal() { printf "\\$(printf %o "$1")"; }
# npy DESCR SHAPE: the header. st HEADER: length and header.
npy() {
  header="{'descr': '$1', 'fortran_order': False, 'shape': $2, }"
  printf '\223NUMPY\001\000' && octal ${#header} && printf '\000%s' "$header"
}
st() { octal $((${#1} % 256)) && octal $((${#1} / 256)) && printf '\000\000\000\000\000\000%s' "$1"; }
array() { printf '"%s":{"dtype":"%s","shape":%s,"data_offsets":%s}' "$1" "$2" "$3" "$4"; }
model() { printf '{"weft":1,"model":{"type":"stack","ops":[%s]}}' "$1"; }
bar='|' # of the tables' columns
images='\000\000\010\003\000\000\000\002\000\000\000\001\000\000\000\002' # 2 images of 1 x 2
labels='\000\000\010\001\000\000\000\002'
one='\000\000\200\077' # 1 as float32
dense='{"type":"dense","in":2,"out":1,"act":"relu"}'

# ---- checking ----
# bad NAME MESSAGE ARG...: weft ARG... --out never fails, says MESSAGE, prints and writes nothing else.
bad() {
  name=$1 message=$2
  shift 2
  ls >before
  run "$@"
  last="$name: $last"
  case $code in 1 | 2) ;; *) fail "exit code $code, wanted 1 or 2" ;; esac
  complains "^weft $1: .*$message"
  complains 'wanted|nearest known|is missing|No such file|Is a directory'
  [ "$(wc -l <"$err")" -eq 1 ] || fail "$(wc -l <"$err") lines of complaint, wanted 1"
  LC_ALL=C grep -q '[[:cntrl:]]' "$err" && fail "control characters in the complaint"
  ls >after
  cmp -s before after || fail "files were written: $(diff before after)"
  cases=$((cases + 1))
}
trim() { printf '%s' "$1" | sed 's/^ *//; s/ *$//'; }
cases=0
: >before && : >after && : >out && : >err

# ---- data sets: weft train --data SOURCE FLAGS; the file is called bad ----
printf "$images"'\001\002\003\004' >images && printf "$labels"'\000\001' >labels
{ npy '<f4' '(2, 1)' && printf "$one$one"; } >x.npy && { npy '|u1' '(2,)' && printf '\000\001'; } >y.npy

# name | source | flags | what makes the file | what is said
while IFS='|' read -r name source flags make message; do
  name=$(trim "$name") source=$(trim "$source")
  [ -n "$source" ] || continue
  eval "$make" >bad
  # shellcheck disable=SC2086
  bad "$name" "$(trim "$message")" train --data "$source" --epochs 1 --batch 1 --out never $flags
done <<'EOF'
labels: above the classes     | csv:bad | --classes 3    | printf '1,0\n2,1\n3,7\n'            | bad:3: column 1: '7', wanted a whole number from 0 to 2
labels: below 0               | csv:bad | --classes 3    | printf '1,0\n2,-1\n'                | bad:2: column 1: '-1', wanted a whole number from 0 to 2
labels: no integers           | csv:bad |                | printf 'a,y\n1,0\n2,0.5\n'          | bad:3: column 1 'y': '0.5', wanted a whole number
labels: text where numbers go | csv:bad |                | rows 150 1,0; echo 1,cat            | bad:151: column 1: 'cat', wanted a number
labels: too many              | csv:bad |                | awk 'BEGIN { for (i = 0; i < 1001; ++i) print "1," i }' | bad: column 1: more than 1000 different labels, wanted
labels: idx, above            | idx:images,bad | --classes 3 | printf "$labels"'\000\011'       | idx: bad: row 1: 9, wanted a whole number from 0 to 2
labels: npy, no integers      | npy:x.npy,bad  |         | npy '<f4' '(2,)'; printf "$one"'\000\000\000\077' | npy: bad: row 1: 0.5, wanted a whole number
NaN                           | csv:bad |                | printf '1,0\nnan,1\n'               | bad:2: column 0: 'nan', wanted a finite number
NaN as a label                | csv:bad |                | printf '1,0\n2,NaN\n'               | bad:2: column 1: 'NaN', wanted a finite number
inf                           | csv:bad |                | printf '1,0\n2,1\n-inf,1\n'         | bad:3: column 0: '-inf', wanted a finite number
too large for a float         | csv:bad |                | printf '1,0\n1e39,1\n'              | bad:2: column 0: '1e39', wanted a number of size at most
NaN in npy                    | npy:bad,y.npy |          | npy '<f4' '(2, 1)'; printf "$one"'\000\000\300\177' | npy: bad: element \[1, 0\]: nan, wanted a finite number
inf in npy                    | npy:bad,y.npy |          | npy '<f4' '(2, 1)'; printf '\000\000\200\377'"$one" | npy: bad: element \[0, 0\]: -inf, wanted a finite number
BOM of UTF-16                 | csv:bad |                | printf '\377\376a\000,\000'         | csv: bad: UTF-16, wanted UTF-8
BOM alone                     | csv:bad |                | printf '\357\273\277'               | csv: bad: no rows, wanted at least one
CR alone                      | csv:bad |                | printf '1,0\r2,1\r'                 | bad:1: column 1: a carriage return alone, wanted lines that end in LF or CR LF
CR LF, then a bad row         | csv:bad |                | printf '1,0\r\nx1,1\r\n'            | bad:2: column 0: 'x1', wanted a number
quote that stays open         | csv:bad |                | printf '1,"a\n2,b\n'                | bad:1: column 1: a quote that opens and does not close, wanted
quote in the middle           | csv:bad |                | printf '1,a\n2,b"c\n'               | bad:2: column 1: a quote inside unquoted text, wanted
text behind a quote           | csv:bad |                | printf '1,"a"b\n2,c\n'              | bad:1: column 1: 'b' behind a closing quote, wanted
quoted newlines are counted   | csv:bad |                | printf '"a\nb",1,0\n"c\n\nd",2,0\n"a",nan,1\n' | bad:6: column 1: 'nan', wanted
header in the data            | csv:bad |                | printf 'a,y\n1,0\na,y\n2,1\n'       | bad:3: column 0 'a': 'a', wanted a number as in line 2, '1'; the line repeats the header
header that was denied        | csv:bad | --header no    | printf 'a,y\n1,0\n2,1\n'            | bad:1: column 0: 'a', wanted a number as in line 2, '1'; line 1 looks like a header
header twice the same name    | csv:bad |                | printf 'a,a,y\n1,2,0\n'             | bad:1: the header names columns 0 and 1 both 'a', wanted different names
header alone                  | csv:bad | --header yes   | printf 'a,y\n'                      | csv: bad: a header and no rows, wanted at least one row
empty field                   | csv:bad |                | printf 'a,b,y\n1,2,0\n1,,1\n'       | bad:3: column 1 'b': missing, wanted a number
empty label                   | csv:bad |                | printf '1,0\n2,\n'                  | bad:2: column 1: missing, wanted a label
row too short                 | csv:bad |                | printf 'a,b,y\n1,2,0\n1,0\n'        | bad:3: 2 fields, wanted 3 as in the header
row too long                  | csv:bad |                | printf '1,2,0\n1,2,3,0\n'           | bad:2: 4 fields, wanted 3 as in the first row
row too short, no newline     | csv:bad |                | printf '1,2,0\n1,2,1\n1,2'          | bad:3: 2 fields, wanted 3
empty line                    | csv:bad |                | printf '1,0\n\n2,1\n'               | bad:2: an empty line, wanted a row
n,features,classes: n         | csv:bad |                | printf '4,2,a,b\n5.1,3.5,0\n6.0,3.0,1\n' | bad:1: says 4 rows, the file has 2, wanted as many
n,features,classes: classes   | csv:bad |                | printf '2,2,a,b,c\n5.1,3.5,0\n6.0,3.0,1\n' | bad:1: 3 class names for 2 different labels, wanted as many
wrong delimiter               | csv:bad | --delimiter ,  | printf '1;2;0\n3;4;1\n'             | csv: bad: a comma as delimiter leaves one column, wanted more; a semicolon gives 3
wrong delimiter of one row    | csv:bad |                | printf '1,2,0\n1,2,1\n1;2;0\n'      | bad:3: column 0: '1;2;0', wanted a number; is the delimiter a semicolon
no delimiter at all           | csv:bad |                | printf '1 2 0\n3 4 1\n'             | csv: bad: 1 column, wanted a feature beside the label
decimal comma                 | csv:bad |                | printf '1,5;2,5;0\n3,5;4,5;1\n'     | bad:1: column 0: '1,5', wanted a number; decimal commas are not read: write 1.5
decimal comma, later          | csv:bad |                | rows 150 '1;0'; echo '1,5;0'        | bad:151: column 0: '1,5', wanted a number; decimal commas
decimal comma in quotes       | csv:bad |                | printf '"1,5",0\n"2,5",1\n'         | bad:1: column 0: '1,5', wanted a number; decimal commas
zero bytes                    | csv:bad |                | printf '1,0\n1\000,1\n'             | bad:2: column 0: a zero byte, wanted text
control characters            | csv:bad |                | printf '1,0\n2,0\n\033]0;x\007,1\n' | bad:3: column 0: '.\]0;x.', wanted a number
csv: empty                    | csv:bad |                | :                                   | csv: bad: empty, wanted rows
csv: gz cut off               | csv:bad |                | rows 99 1,0 >p; gzip -nc p >q; cut 9 q | csv: bad: gzip: truncated at byte [0-9]+, wanted
csv: gz with a wrong checksum | csv:bad |                | rows 99 1,0 >p; gzip -nc p >q; cut 8 q; printf 12345678 | csv: bad: gzip: incorrect data check at byte [0-9]+, wanted
csv: no such column           | csv:bad | --label kind   | printf 'a,y\n1,0\n'                 | csv: bad: label: unknown name 'kind'; nearest known: a, y
idx: truncated                | idx:bad,labels |         | cut 1 images                        | idx: bad: truncated: 3 bytes of numbers, wanted 4 for shape \[2, 1, 2\]
idx: header truncated         | idx:bad,labels |         | head -c 9 images                    | idx: bad: truncated: 9 bytes, wanted a header of 16
idx: wrong magic              | idx:bad,labels |         | echo PNG.                           | idx: bad: magic number 0x504e472e, wanted 0x0000TTNN
idx: wrong type of number     | idx:images,bad |         | printf '\000\000\007\001\000\000\000\002ab' | idx: bad: magic number 0x00000701, wanted
idx: more bytes               | idx:bad,labels |         | cat images; echo more               | idx: bad: 5 bytes behind the numbers, wanted none
idx: counts that disagree     | idx:images,bad |         | printf '\000\000\010\001\000\000\000\003abc' | idx: bad: shape \[3\], wanted 2 rows as idx: images has
idx: no images                | idx:bad,labels |         | printf '\000\000\010\003\000\000\000\000\000\000\000\001\000\000\000\002' | idx: bad: empty: shape \[0, 1, 2\], wanted axes of at least 1
idx: empty                    | idx:bad,labels |         | :                                   | idx: bad: empty, wanted an IDX file
idx: gz cut off               | idx:bad,labels |         | gzip -nc images >q; cut 5 q         | idx: bad: gzip: truncated
idx: gz damaged               | idx:bad,labels |         | gzip -nc images >q; head -c 14 q; printf '\377\377\377\377' | idx: bad: gzip:
npy: a pickle                 | npy:x.npy,bad  |         | npy "${bar}O" '(2,)'; printf pickle     | npy: bad: descr: '.O', pickled Python objects, which are not read .* wanted numbers
npy: text                     | npy:bad,y.npy  |         | npy '<U4' '(2,)'                    | npy: bad: descr: '<U4', wanted b1, u1 to u8
npy: rows that disagree       | npy:x.npy,bad  |         | npy "${bar}u1" '(3,)'; printf abc       | npy: bad: shape \[3\], wanted 2 rows as npy: x.npy has
npy: labels of two axes       | npy:x.npy,bad  |         | npy "${bar}u1" '(2, 2)'; printf abcd    | npy: bad: shape \[2, 2\], wanted labels of shape \[2\]
npy: a single number          | npy:bad,y.npy  |         | npy "${bar}u1" '()'; printf a           | npy: bad: a single number, wanted shape \[rows, ...\]
npy: truncated                | npy:bad,y.npy  |         | cut 1 x.npy                         | npy: bad: truncated: 7 bytes of numbers, wanted 8 for shape \[2, 1\] of float32
npy: header truncated         | npy:bad,y.npy  |         | head -c 30 x.npy                    | npy: bad: truncated: 20 bytes of header, wanted [0-9]+
npy: more bytes               | npy:bad,y.npy  |         | cat x.npy; echo more                | npy: bad: 5 bytes behind the numbers, wanted none
npy: another format           | npy:bad,y.npy  |         | echo '1,2,3'                        | npy: bad: starts with '1,2,3.', wanted .x93NUMPY
npy: empty                    | npy:bad,y.npy  |         | :                                   | npy: bad: empty, wanted an NPY file
npz: no archive               | npz:bad |                | cat x.npy                           | npz: bad: .*, wanted a whole zip archive
npz: empty                    | npz:bad |                | :                                   | npz: bad: 0 bytes, wanted a zip archive
an unknown source             | mnist   |                | :                                   | 'mnist', wanted digits, fashion-mnist, csv:FILE
a file that is not there      | csv:none.csv |           | :                                   | csv: none.csv: No such file or directory
a folder                      | csv:.   |                | :                                   | csv: .: a folder, wanted a file
EOF

# ---- what only looks bad: weft data FILE says what was read ----
# name | flags | what makes the file | lines of the output
while IFS='|' read -r name flags make wanted; do
  eval "$make" >fine
  # shellcheck disable=SC2086
  run data csv:fine $flags
  last="$name: $last"
  exits 0
  for line in 'rows +3' "$(trim "$wanted")"; do says "^$line"; done
  cases=$((cases + 1))
done <<'EOF'
BOM                   |             | printf '\357\273\277a,y\n1,0\n2,1\n3,1\n'   | a +numeric +0 +1 +3
CR LF                 |             | printf 'a,y\r\n1,0\r\n2,1\r\n3,1\r\n'       | a +numeric +0 +1 +3
quotes                |             | printf '"a ""x"", b",y\n"1",0\n2,1\n3,1\n'  | a "x", b +numeric +0 +1 +3
quoted newlines       |             | printf '"a\nb",y\n1,0\n2,1\n3,1\n'          | a\?b +numeric +0 +1 +3
no final newline      |             | printf '1,0\n2,1\n3,1'                      | column 0 +numeric +0 +1 +3
a header              |             | printf 'a,y\n1,0\n2,1\n3,1\n'               | note +line 1 was read as the header
n,features,classes    |             | printf '3,2,cat,dog\n1,2,0\n2,3,1\n3,4,1\n' | dog +2 +66.67%
semicolons            |             | printf '1;2;0\n2;3;1\n3;4;1\n'              | inputs +2 features
another delimiter     | --delimiter : | printf '1:2:0\n2:3:1\n3:4:1\n'            | inputs +2 features
a missing value       |             | printf 'a,b,y\n1,2,0\n,3,1\n3,4,1\n'        | missing +1 value
EOF

# ---- weights: weft import bad --model 2-1 ----
# name | what makes the file | what is said
while IFS='|' read -r name make message; do
  eval "$make" >bad
  bad "$(trim "$name")" "$(trim "$message")" import bad --model 2-1 --out never
done <<'EOF'
offsets out of range   | st "{$(array leaf.1.weight F32 '[1,2]' '[0,8]')}"; printf 1234      | 'bad': 4 bytes of data, wanted 8
offsets far out        | st "{$(array leaf.1.weight F32 '[1,2]' '[0,99999999999999999]')}"   | 'leaf.1.weight'.data_offsets\[1\]: 99999999999999999, wanted an integer from 0 to
offsets overlapping    | st "{$(array a F32 '[2]' '[0,8]'),$(array b F32 '[2]' '[4,12]')}"; printf 123456789012 | 'b': data start at byte 4, wanted 8: they overlap
offsets with a hole    | st "{$(array a F32 '[1]' '[1,5]')}"; printf 12345                   | 'a': data start at byte 1, wanted 0: they leave a hole
offsets backwards      | st "{$(array a F32 '[1]' '[4,0]')}"; printf 1234                    | 'a'.data_offsets\[1\]: 0, wanted an integer from 4
a huge header          | printf '\377\377\377\377\377\377\377\177{}'                         | a header of 9223372036854775807 bytes, wanted at most 2
a header that is none  | st 'abc'                                                            | 'bad': the header starts with 'abc', wanted '{'
duplicate names        | st "{$(array a F32 '[1]' '[0,4]'),$(array a F32 '[1]' '[0,4]')}"; printf 1234 | 'bad': a: the key appears twice, wanted once
an unknown dtype       | st "{$(array a F33 '[1]' '[0,4]')}"; printf 1234                    | 'a'.dtype: 'F33', wanted
bytes for dtype, shape | st "{$(array a F32 '[3]' '[0,4]')}"; printf 1234                    | 'a': data_offsets span 4 bytes, wanted 12 for dtype and shape
no safetensors         | echo 12                                                             | 'bad': 3 bytes, wanted at least 8
EOF
# These are read and reported; the report goes to stdout.
# name | dtype, shape, end of the data | data | report
while IFS='|' read -r name dtype shape end data report; do
  { st "{$(array leaf.1.weight "$(trim "$dtype")" "$(trim "$shape")" "[0,$(trim "$end")]")}" && printf "$(trim "$data")"; } >bad
  run import bad --model 2-1 --out never
  last="$name: $last"
  exits 1
  says "^leaf.1.weight \[1, 2\] leaf.1.weight $(trim "$report")$"
  complains "^weft import: 'bad': 0 of 1 arrays were taken, wanted all; nothing was written"
  [ ! -e never ] || fail "files were written"
  cases=$((cases + 1))
done <<'EOF'
a wrong dtype          | I32  | [1,2] | 8 | 12345678                         | I32 +\[1, 2\] other type
a wrong shape          | F32  | [2,1] | 8 | 12345678                         | F32 +\[2, 1\] other shape
NaN                    | F32  | [1,2] | 8 | 1234\000\000\300\177             | F32 +\[1, 2\] not finite
inf as float16         | F16  | [1,2] | 4 | \000\174\000\000                 | F16 +\[1, 2\] not finite
inf as bfloat16        | BF16 | [1,2] | 4 | \000\000\200\377                 | BF16 +\[1, 2\] not finite
EOF

# A model's own folder is read strictly.
mkdir folder && model "$dense" >folder/model.json
while IFS='|' read -r name make message; do
  eval "$make" >folder/weights.safetensors
  bad "$(trim "$name")" "folder/weights.safetensors': $(trim "$message")" export folder --out never.npz
done <<'EOF'
a wrong dtype          | st "{$(array leaf.1.weight F64 '[1,2]' '[0,16]')}"; printf 1234567890123456 | 'leaf.1.weight' holds F64, wanted F32
a dtype of others      | st "{$(array leaf.1.weight BF16 '[1,2]' '[0,4]')}"; printf 1234     | 'leaf.1.weight'.dtype: 'BF16', wanted F32, F64 or U64
a wrong shape          | st "{$(array leaf.1.weight F32 '[2,1]' '[0,8]')}"; printf 12345678  | 'leaf.1.weight' is \[2, 1\], wanted \[1, 2\]
an array too few       | st "{}"                                                             | 'leaf.1.weight' is missing, wanted \[1, 2\]
an array too many      | st "{$(array leaf.1.weight F32 '[1,2]' '[0,8]'),$(array b F32 '[0]' '[8,8]')}"; printf 12345678 | unknown array 'b', wanted those of the 1 leaves
offsets unaligned      | st "{$(array leaf.1.weight F32 '[1,2]' '[0,8]'),$(array b F32 '[1]' '[8,12]'),$(array c F64 '[1]' '[12,20]')}"; printf 12345678901234567890 | 'c': data start at byte 12, wanted a multiple of 8
EOF

# ---- models: weft train --model bad.json ----
while IFS='|' read -r name make message; do
  eval "$make" >bad.json
  bad "$(trim "$name")" "bad.json': $(trim "$message")" train --model bad.json --data digits --epochs 1 --out never
done <<'EOF'
no JSON                | echo '{"weft":'                                                     | parse error at line 2, column 1.*wanted
an unknown key         | model '{"type":"dense","in":2,"out":1,"act":"relu","size":3}'       | model.ops\[0\]: unknown key 'size', wanted type, in, out, act
a key twice            | model '{"type":"dense","in":2,"in":2,"out":1,"act":"relu"}'         | model.ops\[0\].in: the key appears twice, wanted once
a missing key          | model '{"type":"dense","in":2,"act":"relu"}'                        | model.ops\[0\]: the key 'out' is missing
a text for a number    | model '{"type":"dense","in":"2","out":1,"act":"relu"}'              | model.ops\[0\].in: '2', wanted an integer from 1
a fraction             | model '{"type":"dense","in":2.5,"out":1,"act":"relu"}'              | model.ops\[0\].in: 2.5, wanted an integer from 1
a number for a text    | model '{"type":"dense","in":2,"out":1,"act":1}'                     | model.ops\[0\].act: 1, wanted a text
an unknown name        | model '{"type":"dense","in":2,"out":1,"act":"rleu"}'                | model.ops\[0\].act: unknown name 'rleu'; nearest known: relu
an unknown layer       | model '{"type":"conv"}'                                             | model.ops\[0\].type: 'conv', wanted dense, stack
a list for an object   | echo '[]'                                                           | JSON: a list of 0, wanted an object
another version        | echo '{"weft":9,"model":{}}'                                        | weft: 9, wanted 1
nested too deep        | awk 'BEGIN { for (i = 0; i < 100000; ++i) printf "[" }'             | .*nested deeper than [0-9]+ levels, wanted
ops nested too deep    | awk 'BEGIN { printf "{\"weft\":1,\"model\":"; for (i = 0; i < 65; ++i) printf "{\"type\":\"stack\",\"ops\":["; for (i = 0; i < 65; ++i) printf "]}"; print "}" }' | .*ops nested deeper than 64, wanted
1e9 widths             | model '{"type":"dense","in":1e9,"out":1,"act":"relu"}'              | model.ops\[0\].in: 1000000000.0, wanted an integer from 1
widths of 10^9         | model '{"type":"dense","in":1000000000,"out":1000000000,"act":"relu"}' | model.ops\[0\]: in 1000000000 x out 1000000000, wanted a product of at most 2\^40
EOF
# Its file is fine, the machine is not.
model '{"type":"dense","in":1000000000,"out":1000,"act":"relu"}' >bad.json
bad 'more than the memory' 'dense \(leaf 1\): 1000 x 1000000000 weights, 4000 GB in all, wanted at most [0-9.]+ GB' \
  import x.npy --model bad.json --out never

# ---- numbers are the same under any locale ----
# A locale whose decimal sign is a comma, made here where localedef can; others stand for what is installed.
if command -v localedef >/dev/null 2>&1; then localedef -i de_DE -f UTF-8 "$folder/de_DE.UTF-8" >/dev/null 2>&1; fi
rows 40 1.5,0 >p && rows 40 2.5,1 >>p
run data csv:p --json && cp "$out" plain
run train --data csv:p --epochs 2 --batch 8 --lr 0.25 --seed 3 --quiet --out plain_run
exits 0
for locale in de_DE.UTF-8 C.UTF-8; do
  LOCPATH=$folder LC_ALL=$locale
  [ -e "$folder/$locale" ] || unset LOCPATH
  export LC_ALL ${LOCPATH:+LOCPATH}
  run data csv:p --json
  last="$locale: $last"
  cmp -s "$out" plain || fail "another output than under the locale C"
  run train --data csv:p --epochs 2 --batch 8 --lr 0.25 --seed 3 --quiet --out local_run
  last="$locale: $last"
  exits 0
  for file in plain_run/*; do
    case $file in *metrics*) continue ;; esac # holds times
    cmp -s "$file" "local_run/${file##*/}" || fail "${file##*/} is another one"
  done
  run train --data csv:p --lr 0,25 --out never
  last="$locale: $last"
  exits 2
  complains "--lr: seen '0,25', wanted a number"
  unset LC_ALL LOCPATH
done

echo "$cases cases"
finish
