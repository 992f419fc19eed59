#!/usr/bin/env bash
# count, get, which, explain, intersect, overlap.
. "$(dirname "$0")/lib.bash"
PYTHON=${PYTHON:-python3}
tab=$(printf '\t')
printf 'plum\npear\nplum\n' >fruit
run build -q -t counting -n 100 -p 1e-6 --set width=4 -o c.blm fruit
run build -q -n 100 -p 1e-6 -o s.blm fruit

# ---- count ---------------------------------------------------------------------------------------------
run count c.blm plum pear
expect "count" 0 "plum${tab}2"
check "one line a key" cmp out <(printf 'plum\t2\npear\t1\n')
run count c.blm plum stone
expect "a key that never came" 1 "stone${tab}0"
printf 'pear\nstone' | run_in count c.blm
expect "count of standard input" 1
check "byte for byte" cmp out <(printf 'pear\t1\nstone\t0\n')
printf 'x,pear\n' | run_in count -d , -f 2 c.blm
expect "count by a field" 0 "pear${tab}1"
printf 'pear\0plum\0' | run_in count -z c.blm
check "count -z" cmp out <(printf 'pear\t1\0plum\t2\0')
run count --lower c.blm PLUM
expect "count --lower KEY" 0 "plum${tab}2"
run count --hex c.blm 706C756d
expect "count --hex KEY, as it came" 0 "706c756d${tab}2"
printf '70656172\n' | run_in count --hex c.blm
expect "count --hex of standard input" 0 "70656172${tab}1"
run count --hex c.blm plum
expect "count --hex of a word that is none" 2 "plum"
run count -f 1 c.blm plum
expect "count -f: KEYs are taken whole" 2 "-f"
run count --json c.blm plum
expect "count --json" 0 '{"key":"plum","count":2,"low":0,"high":2,"at_least":false}'
yes plum | head -n 40 | run_in add -i -q c.blm
run count c.blm plum pear
expect "counters of 4 bits stop at 15" 0 "plum${tab}>=15"
run count --json c.blm plum
expect "and JSON says so" 0 '"high":null,"at_least":true'
if script -qec true /dev/null >/dev/null 2>&1; then
    script -qec "(echo pear; sleep 2.4; echo pear) | '$BLOOMERY' count c.blm" /dev/null >out 2>err </dev/null
    check "answers on a terminal are progress enough: no bar" cmp out <(printf 'pear\t1\r\npear\t1\r\n')
else
    skip "a terminal" "script(1) is not there"
fi
run count s.blm plum
expect "a kind that cannot count" 2 "one of: counting"
run count - <c.blm
expect "image and keys by one pipe" 2 "KEY"
"$BLOOMERY" count - pear >out 2>err <c.blm
note $?
expect "the image by a pipe" 0 "pear${tab}1"
run count none.blm plum
expect "no such file" 2 "none.blm"
run count fruit plum
expect "no image" 3 "not a Bloomery filter"
run get s.blm plum
expect "a kind that keeps no values" 2 "one of: state-machine"
run which s.blm plum
expect "and none has several sets" 2 "no kind in this build"

# What no kind can is not offered anywhere, and what some kind can is: the tables of the kinds decide.
offers() { # WORD: it is offered as a verb by help, the manual and the completions
    "$BLOOMERY" help | grep -q "^  $1 " && "$BLOOMERY" help --man | grep -q "bloomery.-$1 " &&
        "$BLOOMERY" completion bash | grep -q "_bloomery_verbs() .*[ ']$1 " &&
        "$BLOOMERY" completion zsh | grep -q "^ *'$1:" && "$BLOOMERY" completion fish | grep -q "printf.* $1 '"
}
hides() { # WORD: by none of them
    ! "$BLOOMERY" help | grep -q "^  $1 " && ! "$BLOOMERY" help --man | grep -q "bloomery.-$1 " &&
        ! "$BLOOMERY" completion bash | grep -q "_bloomery_verbs() .*[ ']$1 " &&
        ! "$BLOOMERY" completion zsh | grep -q "^ *'$1:" && ! "$BLOOMERY" completion fish | grep -q "printf.* $1 '"
}
check "count is offered" offers count
check "get is, too" offers get
check "which is not" hides which
run whick s.blm plum
check "nor suggested" [ "$(grep -c 'did you mean which?' err)" = 0 ]
run plan --help
check "needs that kinds have are listed" grep -q "^Needs: delete, count, merge, grow, forget, value, static, concurrent, keyed, learn\.$" out
run plan --need xyzzy
expect "plan --need lists no others" 2 "use one of delete, count, merge, grow, forget, value, static, concurrent, keyed, learn"
check "nor does the completion" [ "$("$BLOOMERY" completion bash | grep -cE 'list .*which')" = 0 ]
run plan --need which
expect "but a need is told from a slip" 2 "no kind in this build"

# ---- kinds that the program does not have ------------------------------------------------------------------
if [ -x "${BLOOMERY_TOYS:-}" ]; then
    plain=$BLOOMERY
    BLOOMERY=$BLOOMERY_TOYS
    check "get is offered where a kind keeps values" offers get
    check "which is offered where a kind has sets" offers which
    run plan --help
    check "and the needs follow" grep -q "^Needs: .*value, which" out
    run build -q -t toy-map -o map.blm fruit
    run get map.blm plum stone
    expect "get: a key that is not inside" 1 "stone${tab}no"
    check "and one that is, with the usual value" cmp out <(printf 'plum\t0\nstone\tno\n')
    run get --json map.blm plum
    expect "get --json" 0 '{"key":"plum","value":0}'
    run get --json map.blm stone
    expect "get --json of nothing" 1 '"value":null'
    printf 'pear\nplum\n' | run_in get map.blm
    expect "get of standard input" 0 "pear${tab}0"
    run get --hex map.blm 706c756d
    expect "get --hex KEY" 0 "706c756d${tab}0"
    run get s.blm plum
    expect "a kind that cannot" 2 ", toy-map, "
    golden=$SOURCE/tests/golden/toy-map.blm # member-0 to -19 with 1000 to 1019, some again with others
    run which --among 0,1000-1003 "$golden" member-1 member-20
    expect "which" 0 "member-1${tab}1001"
    check "one line a key" cmp out <(printf 'member-1\t1001\nmember-20\t0\n')
    run which --among 1000-1003 "$golden" member-1 stone
    expect "which: in none" 1 "stone${tab}no"
    run which --lower --among 1001 "$golden" MEMBER-1
    expect "which --lower KEY" 0 "member-1${tab}1001"
    run which --json --among 7,1001 "$golden" member-1
    expect "which --json" 0 '{"key":"member-1","sets":[1001]}'
    echo member-21 | run_in which "$golden"
    expect "which of standard input, among the usual sets" 0 "member-21${tab}0"
    for list in "" 5- -5 5-3 1,,2 "1," a 1-99999 0-65536; do
        run which --among "$list" "$golden" member-1
        expect "which --among '$list'" 2 "0-7,12"
    done
    run which --among 0-65535 "$golden" member-1
    expect "which: as many sets as there may be" 0 "member-1${tab}1001"
    run which s.blm plum
    expect "which: a kind that cannot" 2 "one of: toy-map"
    run count map.blm plum
    expect "count of a kind that cannot" 2 "one of: counting"
    run explain map.blm plum
    expect "explain: a kind that does not tell what it reads" 0 "does not show which cells"
    run explain map.blm stone
    expect "and says no all the same" 1 "no, certain: its cells do not hold"
    seq 5 | run_in build -q -t toy-range -o range.blm
    run explain range.blm seven
    expect "explain: a word where keys are numbers" 1 "whole numbers"
    run explain --json range.blm 3
    expect "and a number" 0 '"answer":"maybe"'
    BLOOMERY=$plain
else
    skip "toys" "the program with the toy kinds was not built"
fi

# ---- explain ------------------------------------------------------------------------------------------------
run explain s.blm plum
expect "explain: a member" 0 "maybe: all"
check "as many reads as hashes" [ "$(grep -c ' cell ' out)" = "$("$BLOOMERY" info --json s.blm | sed 's/.*"hashes":\([0-9]*\).*/\1/')" ]
run explain s.blm stone
expect "explain: a stranger" 1 "no, certain: cell"
check "the read that said no is marked, once" [ "$(grep -c 'says no' out)" = 1 ]
run build -q -t standard -n 500 -o half.blm <(seq 500)
for i in $(seq 99); do # a stranger whose first cell is set, by others
    run explain half.blm "x$i"
    [ "$(cat code)" = 1 ] && grep -q '  1\. cell.*= 1' out && break
done
grep ' cell .*byte' out >reads
check "its first cell is set" grep -q '= 1' reads
check "and it is the first 0 of the list" cmp <(grep -n -m1 '= 0' reads) <(grep -n 'says no' reads)
run explain --lower s.blm PLUM
expect "explain --lower" 0 "maybe: all"
run explain --hex s.blm 706c756d
expect "explain --hex" 0 "maybe: all"
run explain --hex s.blm plum
expect "explain --hex of a word that is none" 2 "plum"
run explain --json --hex s.blm 00ff
expect "explain --json of bytes that are no text" 1 '"key_hex":"00ff"'
run explain --json s.blm stone
expect "explain --json" 1 '"answer":"no","certain":true'
run explain s.blm
expect "explain without a key" 2 "usage"
run explain s.blm plum pear
expect "explain of two keys" 2 "unexpected argument"
run explain s.blm "$(printf 'a\033[31mb')"
check "a key does not colour the terminal" [ "$(grep -c "$(printf '\033')" out)" = 0 ]
run explain none.blm plum
expect "explain: no such file" 2 "none.blm"
"$BLOOMERY" explain - plum >out 2>err <s.blm
note $?
expect "explain: the image by a pipe" 0 maybe
run build -q --new-key secret -o keyed.blm fruit
run explain keyed.blm plum
expect "explain: a keyed filter without its key" 2 "--key"
run explain --key secret keyed.blm plum
expect "and with it" 0 "sip24-128"

# Every position and every value once more, by the reader that was written from docs/format.md alone.
cat >positions.py <<'P'
import json, sys
sys.path.insert(0, sys.argv[1])
from reader import Image
from hashes import hash_of
image = Image(open(sys.argv[2], "rb").read())
for text in sys.stdin:
    told = json.loads(text)
    lo, hi = hash_of(image.hash, image.seed, told["key"].encode(), None)
    cells = image.filter
    want = [(c, c * cells.width // 8, cells.get(c)) for c in cells.positions(lo)]
    if [(r["cell"], r["byte"], r["value"]) for r in told["reads"]] != want: sys.exit(told["key"])
    if int(told["hash_lo"], 16) != lo or (told["answer"] == "maybe") != all(v for c, b, v in want): sys.exit(text)
    if told["answer"] == "no" and "cell %d is 0" % next(c for c, b, v in want if not v) not in told["why"]: sys.exit(text)
P
seq 500 >list
if "$PYTHON" -c 'import xxhash' 2>/dev/null; then
    for setting in "standard" "blocked" "counting" "counting --set width=5" "standard -k 1" "blocked -p 1e-7 --seed 99" "split-block --seed 7"; do
        # shellcheck disable=SC2086
        run build -qF -n 500 -t $setting -o p.blm list list
        for key in 1 2 77 500 501 plum "" 1234567890123456789; do
            "$BLOOMERY" explain --json p.blm "$key"
        done >told
        check "$setting: cells, values and the first no are the second reader's" \
            "$PYTHON" positions.py "$SOURCE/tests/reader" p.blm <told
    done
else
    skip "positions" "python3-xxhash is not there"
fi

# The picture against the cells of the same reader.
if "$PYTHON" -c 'import xxhash' 2>/dev/null; then
    cat >picture.py <<'P'
import re, sys
sys.path.insert(0, sys.argv[1])
from reader import Image
image, face, read, marked, start = Image(open(sys.argv[2], "rb").read()).filter, ".123456789abcdefghijklmnopqrstuvwxyz", set(), set(), 0
for text in open(sys.argv[3]):
    row = re.fullmatch(r" +(\d+)  ([.0-9a-z]+)\n", text)
    if row:
        start = int(row[1])
        if row[2] != "".join(face[image.get(c)] for c in range(start, min(start + 64, image.size()))): sys.exit(text)
    elif re.fullmatch(r"[ ^]+\n", text):
        marked |= {start + i - 16 for i, c in enumerate(text) if c == "^"}
    read |= {int(c) for c in re.findall(r"\. cell +(\d+) ", text)}
if not read or read != marked: sys.exit("marked %s, read %s" % (marked, read))
P
    for setting in "counting --set width=5" "standard" "blocked" "split-block" "standard -m 300b"; do
        # shellcheck disable=SC2086
        run build -qF -n 50 -t $setting -o p.blm <(seq 50)
        run explain p.blm 77
        check "$setting: the rows of the picture are the cells, its marks the reads" \
            "$PYTHON" picture.py "$SOURCE/tests/reader" p.blm out
    done
fi

# A large image: only the chunks that the key reads are checked.
if run build -q -n 1000 -m 66MiB -t blocked -o large.blm list && [ "$(cat code)" = 0 ]; then
    run explain --json large.blm 7
    expect "explain of 66 MiB" 0 maybe
    byte=$(sed 's/.*"byte":\([0-9]*\),.*/\1/' out)
    hurt=$((4096 + (byte + 33554432) % 66060288)) # half the file away from it
    printf '\377' | dd of=large.blm bs=1 seek=$hurt conv=notrunc 2>/dev/null
    run explain large.blm 7
    expect "damage elsewhere does not matter" 0 maybe
    printf '\377\377' | dd of=large.blm bs=1 seek=$((4096 + byte / 65536 * 65536 + 5)) conv=notrunc 2>/dev/null
    run explain large.blm 7
    expect "damage in the chunk that it reads" 3 "damaged: checksum"
    run build -qF -n 1000 -m 66MiB -k 4 -t counting -o large.blm list
    run count large.blm 7
    expect "count of 66 MiB" 0 "7${tab}1"
    run explain --json large.blm 7
    byte=$(sed 's/.*"byte":\([0-9]*\),.*/\1/' out)
    printf '\377\377' | dd of=large.blm bs=1 seek=$((4096 + byte / 65536 * 65536 + 5)) conv=notrunc 2>/dev/null
    run count large.blm 7
    expect "count: damage in a chunk that it reads" 3 "damaged: checksum"
    rm large.blm
fi

# ---- overlap ----------------------------------------------------------------------------------------------------
# 10^5 keys each, 30,000 in common: union 170,000, Jaccard 3/17. Every figure within 4 standard errors.
seq 100000 >a
seq 70001 170000 >b
judge() { # NAME < JSON: the truth is inside the interval widened from 1.96 to 4 standard errors
    "$PYTHON" -c '
import json, sys
told = json.load(sys.stdin)
truth = dict(a=1e5, b=1e5, union=170000, intersection=30000, jaccard=3 / 17, a_in_b=0.3, b_in_a=0.3)
for name, t in truth.items():
    v = told[name]
    sd = max(v["high"] - v["value"], v["value"] - v["low"]) / 1.96
    if not (sd > 0 and sd < t * 0.02 and abs(v["value"] - t) < 4 * sd): sys.exit(name)
sys.exit(told["a_may_be_subset"] or told["b_may_be_subset"] or told["confidence"] != 0.95)'
}
for kind in standard split-block blocked; do
    for seed in 1 2 3; do
        run build -qF -t $kind --seed $seed -n 200000 -o a.blm a
        run build -qF -t $kind --seed $seed -n 200000 -o b.blm b
        run overlap --json a.blm b.blm
        expect "$kind, seed $seed: overlap" 0
        check "$kind, seed $seed: each figure lies within 4 standard errors of the truth" judge <out
    done
done
run overlap a.blm b.blm
expect "overlap in words" 0 "some key of A is certainly not in B"
check "each with its interval" [ "$(grep -c '95 %' out)" = 7 ]
run build -qF -t blocked --seed 3 -n 200000 -o part.blm <(seq 1000)
run overlap part.blm a.blm
expect "a subset may be one" 0 "every key of A may be in B"
check "and the other way it is none" grep -q "some key of B is certainly not in A" out
check "all of it is in the other, without a doubt" grep -q "of A in B *about *1.0000  (95 %: 1.0000 to 1.0000)" out
run overlap a.blm a.blm
expect "a filter and itself" 0 "Jaccard"
check "share all" grep -q "Jaccard *about *1.0000" out
run build -q -n 5000 --seed 3 -o small.blm list
run overlap a.blm small.blm
expect "filters of two sizes" 5 "blocks differs"
run build -q -n 200000 -o seed.blm a
run overlap a.blm seed.blm
expect "filters of two seeds" 5 "seed differs"
run overlap c.blm c.blm
expect "a kind that cannot" 2 "one of: standard, partitioned, blocked"
run overlap a.blm
expect "overlap of one" 2 "usage"
run overlap - - <a.blm
expect "two images by one pipe" 2 "one image"
"$BLOOMERY" overlap --json - b.blm >out 2>err <a.blm
note $?
expect "one of them by a pipe" 0 '"union"'

# 10 keys that came twice to A and once to B: 20 pairs.
seq 20 | sed p >twice
seq 11 30 >once
joined() { # SETTING: build both with it and compare
    run build -qF -t count-min --set "$1" -n 50000 -o twice.blm twice
    run build -qF -t count-min --set "$1" -n 50000 -o once.blm once
    run overlap twice.blm once.blm
}
joined update=plain
expect "a join of plain counters" 0 "join size   at most            20  (certain: 0 to 20)"
check "without a warning" [ ! -s err ]
run overlap --json twice.blm once.blm
expect "the same as JSON" 0 '"join":{"value":20,"low":0,"high":20,"at_least":false}'
joined update=conservative
expect "of conservative ones: none has more than 2 in A" 0 "join size   about              20  (certain: 0 to 40)"
check "which are no intersection" [ ! -s err ]
joined width=1
expect "where all counters are full" 0 "(no upper limit is known)"
run overlap --json twice.blm once.blm
expect "JSON has no number for it" 0 '"high":null,"at_least":true}'
joined threshold=100
expect "a threshold forbids it" 2 "count-min with these settings cannot be compared"
run overlap --json a.blm b.blm
check "a set has no join" grep -vq join out

# ---- intersect ----------------------------------------------------------------------------------------------------
run intersect --json -o both.blm a.blm b.blm
expect "intersect" 0 '"kind":"blocked"'
n=$(json_of distinct)
check "its size is the estimate of the overlap ($n)" [ "$n" -ge 29600 ] && check "and no more" [ "$n" -le 30400 ]
run grep -c both.blm <(seq 70001 100000)
check "every common key is inside" [ "$(cat out)" = 30000 ]
seq 20000 | sed 's/^/x/' >others
run build -q -n 5000 -p 20% -o x.blm <(seq 5000)
run build -q -n 5000 -p 20% -o y.blm <(seq 2501 7500)
run intersect -q -o xy.blm x.blm y.blm
"$BLOOMERY" grep x.blm others | "$BLOOMERY" grep y.blm >in-both
"$BLOOMERY" grep xy.blm others >strangers
check "a stranger passes when it passes both, of $(wc -l <strangers)" [ "$(grep -cvxFf in-both strangers)" = 0 ]
check "which some do" [ "$(wc -l <strangers)" -gt 100 ]
run overlap a.blm both.blm
expect "an intersection's figures come with a warning" 0 "too high"
run intersect -o both.blm a.blm b.blm
expect "nothing is overwritten" 2 "-F"
run intersect -F -o both.blm a.blm b.blm
expect "without -F" 0 "distinct"
check "one summary line" [ "$(wc -l <err)" = 1 ]
run intersect -o no.blm a.blm small.blm
expect "filters that differ" 5 "blocks differs"
run intersect -o no.blm c.blm c.blm
expect "intersect: a kind that cannot" 2 "one of: standard, partitioned, blocked"
run intersect -F -o a.blm a.blm b.blm
expect "OUT is one of the two" 2 "one of the inputs"
run intersect a.blm b.blm
expect "intersect without -o" 2 "-o FILE"
printf '\377\376\375' | dd of=b.blm bs=1 seek=9000 conv=notrunc 2>/dev/null
run intersect -o no.blm a.blm b.blm
expect "a damaged one" 3 "damaged"
check "and nothing was written" [ ! -e no.blm ]
finish
