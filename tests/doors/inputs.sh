#!/usr/bin/env bash
# Keys out of records: fields, CSV, JSON lines, hex, lower case; each against python or awk.
. "$(dirname "$0")/lib.bash"
PYTHON=${PYTHON:-python3}
printf 'plum\npear\nap"ple\n' >fruit
run build -q -p 1e-9 -o fruit.blm fruit

# same_keys NAME WANTED ARGS...: `test --json` names the keys that it picked; WANTED has them as hex.
same_keys() {
    local name=$1 wanted=$2
    shift 2
    "$BLOOMERY" test --json "$@" fruit.blm 2>err | "$PYTHON" -c '
import json, sys
for line in sys.stdin:
    row = json.loads(line)
    print(row.get("key_hex") or row["key"].encode().hex())' >keys
    check "$name" cmp keys "$wanted"
}

# ---- CSV ---------------------------------------------------------------------------------------------
cat >table.csv <<'END'
id,fruit,"the ""odd"" one"
1,plum,x
2,"pear",y
3,"ap""ple","two
lines"
4,stone,"a,b"
5
END
run grep --csv fruit fruit.blm table.csv
expect "grep --csv: quoted or not, the key is the field" 0 "2,\"pear\",y"
printf '1,plum,x\n2,"pear",y\n3,"ap""ple","two\nlines"\n' >wanted
check "whole records come out byte for byte, no header" cmp out wanted
check "a record without the column is said" grep -q "1 record without the column fruit: dropped" err
run grep -v --csv fruit fruit.blm table.csv
check "grep -v --csv" cmp out <(printf '4,stone,"a,b"\n')
run grep -c --csv fruit fruit.blm table.csv table.csv
check "each file has its header" cmp out <(echo 6)
run build -q --csv 'the "odd" one' -o odd.blm table.csv
run test odd.blm 'two
lines' a,b x stone
expect "a newline inside quotes is part of the key" 1 "$(printf 'stone\tno')"
check "and all others are inside" [ "$(grep -c maybe out)" = 3 ]
run grep --csv friut fruit.blm table.csv
expect "a wrong column suggests the nearest" 2 "did you mean fruit?"
check "and lists what there is" grep -q 'header has id, fruit, the "odd" one' err
check "with file and line" grep -q "table.csv: line 1:" err
long=$(printf 'x%.0s' $(seq 80))
run grep --csv "$long" fruit.blm table.csv
expect "a column unlike all others" 2 "; the header has id"
check "is like none of them" grep -qv "did you mean" err
run "$long"
check "nor is such a verb like another" grep -qv "did you mean" err
printf 'id,fruit\n1,plum\n\n2,pear\r\n\r\n' >blank.csv
"$PYTHON" -c 'import csv; [print(row["id"].encode().hex()) for row in csv.DictReader(open("blank.csv", newline=""))]' >blank.want
same_keys "a blank line is no record with an empty first field" blank.want --csv id <blank.csv
check "and it is said" grep -q "2 records without the column id: dropped" err
printf 'a,b,a\n1,2,3\n' | run_in grep --csv a fruit.blm
expect "a name that two columns have" 2 "2 columns are named a"
printf 'a,b\n1,2\n3,"plum"x\n4,5\n' | run_in grep -v --csv b fruit.blm
expect "something behind a closing quote" 2 "line 3: text after the closing quote"
check "the records before it are answered" cmp out <(echo 1,2)
printf 'a,b\n1,2\n"3,4\n5,6\n' | run_in grep -v --csv b fruit.blm
expect "a quote that is never closed" 2 "standard input: line 3: a quoted field has no closing quote"
(echo a,b; sleep 0.3; printf '1,2\n"3,4\n') | run_in grep -v --csv b fruit.blm
expect "a header that comes alone is line 1 all the same" 2 "line 3: a quoted field"
printf '"a,b\n1,2\n' | run_in grep --csv b fruit.blm
expect "a header that never ends" 2 "no closing quote"
printf '' | run_in grep --csv b fruit.blm
expect "an empty CSV has no record" 1
printf '\357\273\277id;fruit\r\n1;plum\r\n2;"pear"\r\n' >excel.csv
run grep --csv fruit -d ';' fruit.blm excel.csv
expect "-d changes the comma; CR LF ends a record" 0
check "records come out with their CR" cmp out <(printf '1;plum\r\n2;"pear"\r\n')
check "and nobody is warned of it" [ ! -s err ]
run grep -c --csv id -d ';' odd.blm excel.csv
expect "a byte order mark is no part of the first name" 1 0
"$PYTHON" - <<'END'
import csv, random
r = random.Random(3)
def field():
    return "".join(r.choice('ab", \n\r\'\té') for _ in range(r.randrange(9)))
rows = [[field() for _ in range(4)] for _ in range(30000)]
with open("random.csv", "w", newline="", encoding="utf-8") as f:
    w = csv.writer(f, lineterminator="\r\n")
    w.writerow(["one", "two", "three", "four"])
    w.writerows(rows)
with open("random.csv", newline="", encoding="utf-8") as f, open("random.want", "w") as out:
    for row in csv.DictReader(f):
        print(row["three"].encode().hex(), file=out)
END
same_keys "30000 random records as python's csv reads them" random.want --csv three <random.csv
run grep -v --csv three fruit.blm random.csv
check "and they come out as they are, but for the header" cmp out <(tail -n +2 random.csv)

"$PYTHON" -c '
import random, subprocess, sys, time
r, data, at = random.Random(7), open("random.csv", "rb").read(30000), 0
data = data[: data.rindex(b"\r\n")]
p = subprocess.Popen([sys.argv[1], "test", "--json", "--csv", "three", "fruit.blm"], stdin=subprocess.PIPE, stdout=open("pieces", "w"))
while at < len(data):
    n = r.randrange(1, 60)
    p.stdin.write(data[at : at + n])
    p.stdin.flush()
    at += n
    time.sleep(0.0002)
p.stdin.close()
p.wait()
open("whole.csv", "wb").write(data)
' "$BLOOMERY"
"$BLOOMERY" test --json --csv three fruit.blm <whole.csv >whole
check "records that come in pieces are the same records" cmp pieces whole

{ printf 'a,b\n1,'; sleep 0.1; printf '"x\n'; sleep 0.1; printf 'y"\n'; sleep 0.1; printf '2,ab"c\n3,d\n'; } | run_in test --csv b fruit.blm
check "a quote opens a field although the comma came before; inside a bare field it is a byte" cmp out <(
    printf 'x\ny\tno\nab"c\tno\nd\tno\n')

# ---- JSON lines -----------------------------------------------------------------------------------------
cat >rows.jsonl <<'END'
{"id": 1, "user": {"name": "plum", "tags": ["a", "pear"]}}
{"id": 2, "user": {"name": "pl\u0075m", "tags": []}, "odd name": "pear"}

{"id": 3, "user": null}
{"id": 4, "user": {"name": null}}
{"id": 5, "user": {"name": ["plum"], "n": -1.50e3}}
{"id": 6, "user": {"name": "stone", "name": "pear"}}
END
run grep --jsonl .user.name fruit.blm rows.jsonl
expect "grep --jsonl: a path through objects" 0
check "lines come out as they are; of twins the last one counts" cmp out <(sed -n '1p;2p;7p' rows.jsonl)
check "null, nothing and a blank line are left out" grep -q "3 lines without a value at .user.name" err
run grep --jsonl '.user.tags[1]' fruit.blm rows.jsonl
check "an element of an array" cmp out <(sed -n 1p rows.jsonl)
run grep --jsonl '."odd name"' fruit.blm rows.jsonl
check "a name in quotes" cmp out <(sed -n 2p rows.jsonl)
run build -q --jsonl .user.n -o number.blm rows.jsonl
run test number.blm -- -1.50e3
expect "a number is a key as it is written" 0
run build -q --jsonl .user.name -o name.blm rows.jsonl
run test name.blm '["plum"]' plum
expect "an array is a key as it is written" 0
printf '%s\n' '{"a":{"b":"plum"},"a":{}}' '{"a":{"b":1},"a":{"b":"pear"}}' | run_in grep --jsonl .a.b fruit.blm
check "of twin objects the last one counts" cmp out <(echo '{"a":{"b":1},"a":{"b":"pear"}}')
printf '"plum"\n[1]\ntrue\n' | run_in test --jsonl . fruit.blm
check "the path . is the whole value" cmp out <(printf 'plum\tmaybe\n[1]\tno\ntrue\tno\n')
printf '{"a":"\\ud83c\\udf51 \\n\\"\\/ \\u00e9"}\n' | run_in test --jsonl .a fruit.blm
check "escapes become UTF-8, pairs too" cmp out <(printf '\360\237\215\221 \n"/ \303\251\tno\n')
printf '{"a":"\\ud83c"}\n' | run_in test --jsonl .a fruit.blm
expect "half of a pair" 2 "line 1: .a has half of a surrogate pair"
printf '{"a":"plum"}\0{"a":\n"x"}\0' | run_in grep -z --jsonl .a fruit.blm
check "-z --jsonl: values that end in NUL" cmp out <(printf '{"a":"plum"}\0')
bad() { # NAME LINE: not JSON
    printf '{"a":"plum"}\n%s\n{"a":1}\n' "$2" | run_in grep --jsonl .a fruit.blm
    expect "not JSON: $1" 2 "standard input: line 2: not JSON"
    check "and the line before is answered" cmp out <(echo '{"a":"plum"}')
}
bad "a word" plum
bad "two values" '{} {}'
bad "no closing bracket" '{"a":1'
bad "the wrong bracket" '{"a":[1}}'
bad "a comma too many" '{"a":1,}'
bad "a comma too many in an array" '[1,]'
bad "no colon" '{"a" 1}'
bad "a leading zero" '{"a":01}'
bad "a point without digits" '{"a":1.}'
bad "a control byte" "$(printf '{"a":"\001"}')"
bad "a wrong escape" '{"a":"\x"}'
bad "an open string" '{"a":"'
bad "600 brackets" "$(printf '[%.0s' $(seq 600))"
run grep --jsonl user.name fruit.blm rows.jsonl
expect "a path without its dot" 2 "did you mean .user.name?"
run grep --jsonl .a..b fruit.blm rows.jsonl
expect "a path that is none" 2 ".tags[0]"
"$PYTHON" - <<'END'
import json, random
r = random.Random(5)
def text():
    return "".join(r.choice(["a", "b", '"', "\\", "/", "\n", "é", "🍑", " ", "{", "]", ","]) for _ in range(r.randrange(6)))
def value(depth):
    pick = r.randrange(9 if depth < 4 else 6)
    if pick < 2: return text()
    if pick == 2: return r.randrange(-99, 99)
    if pick == 3: return r.random() * 10 ** r.randrange(-9, 20)
    if pick == 4: return r.choice([True, False])
    if pick == 5: return None
    if pick == 6: return [value(depth + 1) for _ in range(r.randrange(4))]
    return {r.choice(["a", "b", "c d", text()]): value(depth + 1) for _ in range(r.randrange(5))}
lines, keys = [], {".a": [], ".a.b": [], ".b[1]": [], '.b[1]."c d"': []}
for _ in range(4000):
    v = {"x": value(1), "a": value(1), "b": value(1), "y": value(1)}
    lines.append(json.dumps(v, ensure_ascii=r.random() < 0.5, separators=r.choice([(",", ":"), (", ", ": ")])))
def step(v, s):
    if isinstance(s, int): return v[s] if isinstance(v, list) and s < len(v) else None
    return v.get(s) if isinstance(v, dict) else None
paths = {".a": ["a"], ".a.b": ["a", "b"], ".b[1]": ["b", 1], '.b[1]."c d"': ["b", 1, "c d"]}
for i, (path, steps) in enumerate(paths.items()):
    with open(f"random.{i}", "w") as out:
        for line in lines:
            v = json.loads(line, parse_float=lambda s: s, parse_int=lambda s: s)
            was = json.loads(line)
            for s in steps: v, was = step(v, s), step(was, s)
            if was is None or isinstance(was, (list, dict)): continue
            print((json.dumps(v) if isinstance(was, bool) else v).encode().hex(), file=out)
open("random.jsonl", "w", encoding="utf-8").write("\n".join(lines))
END
scalars() { # `same_keys` for values that are no arrays and no objects: those keep their spelling
    "$BLOOMERY" test --json --jsonl "$2" fruit.blm <random.jsonl 2>err | "$PYTHON" -c '
import json, sys
for line in sys.stdin:
    row = json.loads(line)
    key = bytes.fromhex(row["key_hex"]) if "key_hex" in row else row["key"].encode()
    try: nested = isinstance(json.loads(key), (list, dict))
    except ValueError: nested = False
    if not nested: print(key.hex())' >keys
    check "$1" cmp keys "$3"
}
scalars "4000 random lines as python's json reads them: .a" .a random.0
scalars "and through two objects" .a.b random.1
scalars "and through an array" '.b[1]' random.2
scalars "and a name with a blank" '.b[1]."c d"' random.3

# ---- hex and lower case -----------------------------------------------------------------------------------
printf '706c756D\n00ff\n\n' >hex
run build -q --hex -p 1e-9 -o hex.blm hex
"$PYTHON" -c 'import re, sys; sys.exit(b"hex" not in re.split(rb"[^a-z]", open("hex.blm", "rb").read()))'
check "--hex is kept in the image" [ $? = 0 ]
run test hex.blm 706C756D 504C554D
expect "--hex: the key is the bytes" 1 "$(printf '706c756d\tmaybe')"
check "and an empty one is a key" sh -c "printf '\n' | '$BLOOMERY' test -q hex.blm"
run grep --hex fruit.blm hex
check "lines come out in hex as they were" cmp out <(echo 706c756D)
run test --hex fruit.blm 706C756d
expect "test --hex KEY answers in hex" 0 "$(printf '706c756d\tmaybe')"
printf '00\nabc\n' | run_in build --hex -o no.blm
expect "an odd number of digits" 2 "standard input: line 2: abc: an odd number"
printf 'zz\n' | run_in build --hex -o no.blm
expect "what is no digit" 2 "zz"
printf '\033[1m7\n' | run_in build --hex -o no.blm
expect "a wrong key is shown escaped" 2 '\x1b[1m7'
check "nothing is written" [ ! -e no.blm ]
printf 'PLUM\nPeAr x\n\303\204\n' | run_in grep --lower fruit.blm
check "--lower: keys without case, lines as they were" cmp out <(echo PLUM)
printf 'PLUM\n' | run_in build -q --lower -o low.blm
run test low.blm plum
expect "build --lower" 0 maybe
run test --lower low.blm PlUm
expect "test --lower KEY" 0 maybe
for option in "-f 2" "-d ," "--csv a" "--jsonl .a" --crlf; do
    # shellcheck disable=SC2086
    run test $option low.blm plum
    expect "$option is for lines, not for KEYs" 2 "used as they are; ${option%% *} applies to"
done
printf 'x,PLUM\n' | run_in grep --lower -d , -f 2 fruit.blm
expect "--lower of a field" 0 "x,PLUM"
printf '{"h":"706C756d"}\n' | run_in grep --hex --jsonl .h fruit.blm
expect "--hex of a JSON value" 0 706C

# ---- what does not go together -------------------------------------------------------------------------------
for pair in "--csv a --jsonl .a" "--csv a -f 1" "--jsonl .a -f 1" "--jsonl .a -d ," "--csv a -z" "--hex --lower"; do
    # shellcheck disable=SC2086
    run grep $pair fruit.blm table.csv
    expect "$pair is refused" 2 "grep: --"
done
run grep --csv a -d '"' fruit.blm table.csv
expect "a quote as delimiter of CSV" 2 "cannot be the delimiter"

# ---- every reader mode: no final newline, NUL bytes, wrong UTF-8, empty lines, CR, directories --------------------
{ seq 200000; printf 'x\0y\n\n\377\376\nplum'; } >bytes # behind the first MiB -j 2 has two threads
for jobs in 1 2; do
    for mode in file pipe gz; do
        case $mode in
        file) "$BLOOMERY" grep -v -j $jobs fruit.blm bytes >out 2>err ;;
        pipe) "$BLOOMERY" grep -v -j $jobs fruit.blm <bytes >out 2>err ;;
        gz) gzip -c bytes | "$BLOOMERY" grep -v -j $jobs fruit.blm - >out 2>err ;;
        esac
        check "-j $jobs, $mode: NUL, wrong UTF-8 and empty lines are bytes" cmp out <(head -n 200003 bytes)
    done
done
run grep fruit.blm bytes
check "the last line without a newline gets one" cmp out <(echo plum)
run grep -v fruit.blm /dev/fd/3 3< <(printf 'stone\nplum\n')
expect "a pipe that has a name" 0 stone
printf 'stone\n' | run_in grep -v fruit.blm /dev/stdin
expect "standard input by its name" 0 stone
mkdir folder
run grep -j 2 fruit.blm bytes folder
expect "a directory" 2 "folder: is a directory"
run_in grep fruit.blm <folder
expect "a directory by standard input" 2 "standard input: is a directory"
printf 'a\r\nb\r\n' | gzip >dos.gz
run grep fruit.blm dos.gz
expect "CR lines in a packed file" 1 "dos.gz: its lines end in CR LF"

# ---- standard files that the caller closed: no file of ours takes their place ---------------------------------------
run_in grep fruit.blm - <&-
expect "closed standard input" 2 "standard input: Bad file descriptor"
run_in grep fruit.blm fruit <&-
expect "which nobody asked for" 0 plum
"$BLOOMERY" grep fruit.blm fruit >&- 2>err
note $?
expect "closed standard output" 2 "standard output: Bad file descriptor"
seq 300000 | "$BLOOMERY" uniq --exact --ram 1MiB >&- 2>err
note $?
expect "closed standard output while a spool is open" 2 "standard output: Bad file descriptor"
seq 300000 | "$BLOOMERY" uniq --exact --ram 1MiB 2>&- >out
note $?
expect "closed standard error" 0
check "and all lines are there" cmp out <(seq 300000)

# ---- marks of an encoding at the start of a list -----------------------------------------------------------
bom=$(printf '\357\273\277')
printf '%splum\npear\n' "$bom" >bom
run build -q -p 1e-9 -o bom.blm bom
expect "a byte order mark of UTF-8 is said" 0 "bom: starts with a UTF-8 byte order mark"
run test bom.blm plum pear
expect "and is no part of the first key" 0
run grep -c fruit.blm bom bom
expect "each file may have one" 0
check "all of both files" cmp out <(echo 4)
check "and each is said" [ "$(grep -c 'byte order mark' err)" = 2 ]
printf 'pear\n%splum\n' "$bom" | run_in grep -c fruit.blm
check "further on it is a part of the key" cmp out <(echo 1)
run uniq -q bom fruit
check "uniq prints the line without it" cmp out <(printf 'plum\npear\nap"ple\n')
printf '%s{"k":"plum"}\n' "$bom" | run_in grep --jsonl .k fruit.blm
expect "--jsonl" 0 '{"k":"plum"}'
printf '%splum,1\n' "$bom" | run_in grep -d, -f1 fruit.blm
expect "a field" 0 "plum,1"
printf '%splum\0' "$bom" | run_in test -z fruit.blm
expect "-z: records are any bytes" 1
printf '%s' "$bom" | run_in uniq
expect "nothing after it" 0 "0 lines in"
check "and nothing comes out" [ ! -s out ]
gzip -c bom >bom.gz 2>/dev/null && {
    run grep -c fruit.blm bom.gz
    check "in a packed file" cmp out <(echo 2)
}
printf '\377\376p\0l\0u\0m\0\n\0' >utf16le
printf '\376\377\0p\0l\0u\0m\0\n' >utf16be
for list in utf16le utf16be; do
    for words in "uniq" "build -F -o wide.blm" "grep fruit.blm" "top" "uniq --csv a" "uniq --jsonl .a" "verify fruit.blm --against"; do
        # shellcheck disable=SC2086
        run $words $list
        expect "${words%% *}: $list is refused" 2 "iconv -f UTF-16 -t UTF-8 $list"
    done
    run_in test fruit.blm <$list
    expect "test: $list by a pipe" 2 "iconv -f UTF-16 -t UTF-8"
    run_in uniq -q -z <$list
    expect "-z: $list is bytes" 0
done
check "no filter is written" [ ! -e wide.blm ]
(printf '\357'; sleep 0.2; printf '\273\277plum\n') | run_in test fruit.blm
expect "a mark that comes in pieces" 0 plum

# ---- CR: what matters is whether the key has it ------------------------------------------------------------------
printf 'plum,1\r\npear,2\r\n' >dos
run grep -d, -f1 fruit.blm dos
expect "a field before the CR is not hurt by it" 0 plum
check "and nothing is said" [ ! -s err ]
run grep -d, -f2 fruit.blm dos
expect "the last field is" 1 "dos: its lines end in CR LF"
printf 'x,plum\r\nshort\r\ny,pear\r\n' >dos
run grep -d, -f2 fruit.blm dos
expect "lines without a key do not matter" 1 "dos: its lines end in CR LF"
printf 'plum\r\n' | run_in test --lower fruit.blm
expect "keys in lower case" 1 "CR LF"
printf '0d\n' | run_in test --hex fruit.blm
expect "a key that is a CR, in hex" 1
check "is no end of a line" [ ! -s err ]
printf 'a\r,x\nb\r,y\n' | run_in grep -d, -f1 fruit.blm
check "nor is a CR inside the line" [ ! -s err ]
finish
