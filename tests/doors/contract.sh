#!/usr/bin/env bash
# The contract of the command line, sentence by sentence, over all verbs: what the scripts of single verbs do
# not ask. The words of the sentence are the name of the case.
. "$(dirname "$0")/lib.bash"
PYTHON=${PYTHON:-python3}
tab=$(printf '\t')
verbs=$("$BLOOMERY" help | sed -n '/^$/,/^$/s/^  \([a-z]*\) .*/\1/p')
for verb in $verbs; do "$BLOOMERY" "$verb" --help >"help.$verb"; done
has() { grep -qE -- "^ +(-[A-Za-z], )?$2( |$)" "help.$1"; } # VERB OPTION
usage() { head -n 1 "help.$1"; }
seq 1000 >list
seq 501 1500 >other
printf 'plum\npear\n' >fruit
run build -q -n 2000 -o f.blm list
run build -q -n 2000 -o g.blm other
run build -q -t counting -n 2000 -o c.blm list
run build -q -t standard -n 2000 -m 65536b -o even.blm list
run build -q -t state-machine -n 2000 -o s.blm list
run build -q -t window -n 2000 -o w.blm list
run pack -q -o f.packed f.blm

# every VERB: a line of words that succeeds (x.blm is made anew each time, c2.blm is a copy), for all but demo and bench
words_of() {
    case $1 in
    kinds) echo kinds ;;
    plan) echo plan -n 1000 ;;
    build) echo build -F -o x.blm list ;;
    add) echo add -i c2.blm fruit ;;
    rm) echo rm -i c2.blm list ;;
    deny) echo deny c2.blm 1 2 ;;
    tick) echo tick w.blm 1000000 ;;
    test) echo test f.blm 1 2 ;;
    grep) echo grep f.blm list ;;
    uniq) echo uniq list ;;
    top) echo top list ;;
    iceberg) echo iceberg --min 1 list ;;
    admit) echo admit -t standard --disk 100 list ;;
    count) echo count c.blm 1 2 ;;
    get) echo get s.blm 1 2 ;;
    info) echo info f.blm ;;
    explain) echo explain f.blm 1 ;;
    verify) echo verify --probes 1e5 f.blm ;;
    merge) echo merge -F -o x.blm f.blm g.blm ;;
    intersect) echo intersect -F -o x.blm f.blm g.blm ;;
    fold) echo fold -F -o x.blm even.blm ;;
    overlap) echo overlap f.blm g.blm ;;
    pack) echo pack -F -o x.packed f.blm ;;
    unpack) echo unpack -F -o x.blm f.packed ;;
    delta) echo delta -F -o x.packed f.blm g.blm ;;
    lab) echo lab list ;;
    bench) echo bench --kinds blocked -n 1000 --runs 1 ;;
    help) echo help grep ;;
    completion) echo completion bash ;;
    esac
}
plain_verbs=$(for verb in $verbs; do [ -n "$(words_of "$verb")" ] && echo "$verb"; done)
all_ok() { # NAME FUNCTION VERBS...: the function is true of each verb; who fails is named
    local name=$1 function=$2 wrong=
    shift 2
    for verb; do "$function" "$verb" || wrong="$wrong $verb"; done
    check "$name$wrong" [ -z "$wrong" -a $# -gt 0 ]
}
check "one verb needs more than a line: demo" [ "$(echo $verbs | wc -w)" = $(($(echo $plain_verbs | wc -w) + 1)) ]

# ---- default input ------------------------------------------------------------------------------------------
reads_lines() { usage "$1" | grep -qE 'INPUT|\[KEY\.\.\.\]'; }
readers=$(for verb in $verbs; do reads_lines "$verb" && echo "$verb"; done)
has_fields() { for o in --delimiter --field --csv --jsonl --no-key --zero --hex --lower --crlf; do has "$1" $o || return 1; done; }
# shellcheck disable=SC2086
all_ok "-d CHAR -f N picks a field everywhere, --csv, --jsonl, -z, --crlf:" has_fields $readers verify
seq 1000 | sed 's/.*/x,&,y/' >table
"$BLOOMERY" build -q -n 2000 -d , -f 2 -o field.blm table
check "a field of build" cmp f.blm field.blm
"$BLOOMERY" build -q -n 2000 -o field2.blm </dev/null
run add -i -q -d, -f2 field2.blm table
check "a field of add" cmp f.blm field2.blm
cp c.blm c2.blm
run rm -i -d, -f2 c2.blm table
expect "a field of rm" 0 "1000 keys removed"
run grep -c -d, -f2 f.blm table
expect "a field of grep" 0 1000
run uniq -q -d, -f1 table
check "a field of uniq" cmp out <(head -n 1 table)
run top -q -d, -f1 table
check "a field of top" cmp out <(echo "1000${tab}x")
run iceberg --min 2 -q -d, -f3 table
check "a field of iceberg" cmp out <(echo "1000${tab}y")
run_in test -q -d, -f2 f.blm <table
expect "a field of test" 0
run_in count -d, -f2 c.blm <table
expect "a field of count" 0 "1000${tab}1"
run verify -d, -f2 --probes 1e4 f.blm --against table
expect "a field of verify --against" 0 "0 of 1000"
for words in "build -qF -n 2000 -o x.blm -" "grep -q f.blm -" "uniq -q -" "top -q -" "iceberg -q --min 1 -" "verify --probes 10 f.blm --against -"; do
    # shellcheck disable=SC2086
    run_in $words <list
    expect "- is stdin: $words" 0
done
cp c.blm c2.blm
run_in add -i -q c2.blm - <fruit
expect "- is stdin: add" 0
run_in rm -i -q c2.blm - <fruit
expect "- is stdin: rm" 0
# The same counters, and as many keys; the header counts calls of add.
check "and what was added is out again" [ "$("$BLOOMERY" grep -c c2.blm fruit)" = 0 ]

# ---- numbers --------------------------------------------------------------------------------------------------
made() { run build -qF --overfill -t standard "$@" -o made.blm list && run info --json made.blm; } # OPTIONS
made -n 1e6
check "1e6" [ "$(json_of capacity)" = 1000000 ]
"$BLOOMERY" plan --json -t standard -n 1e9 -p 50% >out
check "1e9" [ "$(json_of capacity)" = 1000000000 ]
"$BLOOMERY" plan --json -t standard -n 10M >out
check "10M (= 10^7)" [ "$(json_of capacity)" = 10000000 ]
for p in 0.1% 1/1000 1e-3 0.001; do
    made -n 1000 -p $p
    check "$p is a rate" [ "$(json_of fpr_target)" = 0.001 ]
done
for pair in 128B=1024 64KiB=524288 1024b=1024 1MB=8000000; do
    made -m ${pair%=*} -k 1
    check "${pair%=*} is ${pair#*=} bits" [ "$(json_of bits)" = ${pair#*=} ]
done
"$BLOOMERY" plan --json -t standard -m 2GiB >out
check "2GiB is 2^31 bytes" [ "$(json_of bytes)" = 2147483648 ]

# ---- every verb that makes a filter, every verb that opens one ---------------------------------------------------
makers=$(for verb in $verbs; do has "$verb" --out && [ "$verb" != pack ] && [ "$verb" != delta ] && echo "$verb"; done)
senders="pack delta"
makes() { has "$1" --force && has "$1" --seed && has "$1" --note && has "$1" --key; }
# shellcheck disable=SC2086
all_ok "on every verb that makes a filter: -F, --seed N, --note TEXT, --key FILE:" makes $makers
check "they are build, merge, intersect, fold, unpack" [ "$(echo $makers)" = "build merge intersect fold unpack" ]
for verb in $makers; do
    words=$(words_of "$verb")
    # shellcheck disable=SC2086
    run $words -q --note "spring $verb" --seed 0
    expect "$verb --note --seed" 0
    run info x.blm
    expect "the note of $verb is in the file" 0 "spring $verb"
done
for words in "merge -o y.blm f.blm g.blm" "intersect -o y.blm f.blm g.blm" "fold -o y.blm even.blm" "unpack -o y.blm f.packed"; do
    # shellcheck disable=SC2086
    run $words --seed 7
    expect "${words%% *} --seed N of another seed than the inputs have" 5 "--seed 7 was given, but the filter has 0"
done
check "and nothing is written" [ ! -e y.blm ]
run build -q --seed 7 -n 2000 -o seven.blm list
run merge -q --seed 7 -o y.blm seven.blm seven.blm
expect "merge --seed N of that seed" 0
run info --json y.blm
expect "keeps it" 0 '"seed":7,'
opens() { usage "$1" | grep -qE ' (FILE|OUT|A|\[-q\] FILE)( |$)'; }
openers=$(for verb in $verbs; do opens "$verb" && echo "$verb"; done)
keyed() { has "$1" --key; }
# shellcheck disable=SC2086
all_ok "on every verb that makes or opens one: --key FILE:" keyed $openers
run build -q -t counting -n 2000 --new-key secret -o keyed.blm list
expect "--new-key FILE draws one" 0
check "16 bytes as hex, mode 0600" sh -c 'grep -qxE "[0-9a-f]{32}" secret && [ $(stat -c %a secret) = 600 ]'
run build -q -t counting -n 2000 --key secret -o keyed2.blm list
check "build --key FILE: the same filter" cmp keyed.blm keyed2.blm
run build -q --new-key wrong -o wrong.blm list
needs_key="test grep add rm deny count explain verify"
for verb in $needs_key info merge; do
    case $verb in
    test | count | explain | deny) words="$verb keyed2.blm 1" ;;
    grep) words="grep keyed2.blm list" ;;
    add | rm) words="$verb -i keyed2.blm list" ;;
    merge) words="merge -F -o x.blm keyed.blm keyed2.blm" ;;
    *) words="$verb keyed2.blm" ;;
    esac
    # shellcheck disable=SC2086
    run $words --key secret --ram 64MiB
    expect "$verb --key FILE" 0
    # shellcheck disable=SC2086
    run $words --key wrong
    expect "$verb with a wrong key is refused by name" 2 "wrong secret key"
    case " $needs_key " in *" $verb "*)
        # shellcheck disable=SC2086
        run $words
        expect "$verb without the key says --key" 2 "--key FILE" ;;
    esac
done
printf '0123\n' >short && chmod 600 short
run test --key short keyed.blm 1
expect "a key of 2 bytes" 2 "32 hex digits"

# ---- FILE - ----------------------------------------------------------------------------------------------------------
for words in "test - 1 2" "grep - list" "count - 1" "info -" "explain - 1" "verify --probes 1e4 -" \
    "merge -F -o x.blm c.blm -" "rm -i - list" "add -i - fruit"; do
    "$BLOOMERY" $words >out 2>err <c.blm
    note $?
    expect "FILE - is a pipe: $words" 0
done
for words in "overlap f.blm -" "overlap - f.blm" "intersect -F -o x.blm f.blm -" "intersect -F -o x.blm - f.blm"; do
    "$BLOOMERY" $words >out 2>err < <(cat g.blm)
    note $?
    expect "FILE - is a pipe: $words" 0
done
"$BLOOMERY" fold -o - - 2>err <even.blm | "$BLOOMERY" grep -c - list >out 2>>err
expect "FILE - and -o -: fold between two pipes" 0
check "all keys" cmp out <(echo 1000)
run merge -o y2.blm - f.blm -
expect "two images by one pipe" 2 "one image"

# ---- -q, stdout, stderr --------------------------------------------------------------------------------------------------
quiet() {
    cp c.blm c2.blm
    # shellcheck disable=SC2046
    run $(words_of "$1") -q
    [ "$(cat code)" = 0 ] && [ ! -s err ]
}
# shellcheck disable=SC2086
all_ok "everywhere: -q (no summary, no progress):" quiet $plain_verbs
jobs() { run "$1" -j 0 && grep -q 'from 1 to 256' err && run "$1" --ram 5 && grep -q -- '--ram' err; }
# shellcheck disable=SC2086
all_ok "everywhere: -j N, --ram SIZE:" jobs $verbs
summary() {
    cp c.blm c2.blm
    # shellcheck disable=SC2046
    run $(words_of "$1")
    [ "$(cat code)" = 0 ] && [ "$(wc -l <err)" = 1 ] && { prints "$1" || [ ! -s out ]; }
}
prints() { case $1 in uniq | top | iceberg) ;; *) false ;; esac; }
# shellcheck disable=SC2086
all_ok "one summary line on stderr, stdout carries results only:" summary $makers $senders add rm deny uniq top iceberg
run uniq --exact list
check "one summary line: uniq --exact" [ "$(wc -l <err)" = 1 ]
silent() {
    # shellcheck disable=SC2046
    run $(words_of "$1")
    [ "$(cat code)" = 0 ] && [ -s out ] && [ ! -s err ]
}
all_ok "who answers on stdout says nothing on stderr:" silent kinds plan test grep admit count info explain verify overlap lab bench help completion

# ---- --json -----------------------------------------------------------------------------------------------------------------
reports() { has "$1" --json; }
reporters=$(for verb in $verbs; do [ "$verb" = help ] || [ "$verb" = completion ] || echo "$verb"; done)
# shellcheck disable=SC2086
all_ok "--json on every verb that reports:" reports $reporters
cat >objects.py <<'P'
import json, sys
text = open(sys.argv[1]).read()
assert text and text.endswith("\n")
for row in text[:-1].split("\n"): assert isinstance(json.loads(row), dict), row
P
objects() {
    cp c.blm c2.blm
    # shellcheck disable=SC2046
    case $1 in
    grep) run grep -c --json f.blm list ;;
    *) run $(words_of "$1") --json ;;
    esac
    local report=out
    [ "$1" != uniq ] || report=err
    [ "$(cat code)" = 0 ] && "$PYTHON" objects.py "$report"
}
# shellcheck disable=SC2046,SC2086 # a word a verb
all_ok "one object a line:" objects $(for verb in $reporters; do [ -n "$(words_of "$verb")" ] && echo "$verb"; done)
run uniq --exact --json list
check "one object a line: uniq --exact, on stderr" "$PYTHON" objects.py err
run demo --json
expect "one object a line: demo" 0 '"false_negatives":0,'
check "and nothing else" "$PYTHON" objects.py out

# ---- nothing is overwritten, Ctrl-C --------------------------------------------------------------------------------------------
cp f.blm kept.blm
for words in "build -o kept.blm fruit" "merge -o kept.blm f.blm g.blm" "intersect -o kept.blm f.blm g.blm" "fold -o kept.blm even.blm" \
    "pack -o kept.blm even.blm" "unpack -o kept.blm f.packed" "delta -o kept.blm f.blm g.blm"; do
    # shellcheck disable=SC2086
    run $words
    expect "nothing is overwritten without -F: ${words%% *}" 2 "-F"
done
check "the file is as it was" cmp kept.blm f.blm
mkdir mine && echo mine >mine/names.txt
run demo --dir mine
expect "nothing is overwritten without -F: demo" 2 "mine/names.txt: file exists"
cp f.blm mine/names.blm
run demo --dir mine
expect "nor a filter that no demo made" 2 "mine/names.blm"
check "the files are as they were" sh -c 'cmp -s mine/names.blm f.blm && [ "$(cat mine/names.txt)" = mine ]'
run demo --json -F --dir mine
expect "demo -F replaces them" 0
run demo --json --dir mine
expect "and knows its own" 0
if env --default-signal=INT true 2>/dev/null; then
    mkfifo pipe
    interrupt() { # NAME WORDS...: reads the pipe, which stays open
        local name=$1 pid
        shift
        env --default-signal=INT "$BLOOMERY" "$@" 2>err &
        pid=$!
        exec 7<>pipe # does not wait for a reader, who may have failed
        seq 10 >&7
        sleep 0.2
        kill -INT $pid
        wait $pid
        note $?
        exec 7>&-
        expect "Ctrl-C: $name" 130
        check "Ctrl-C: $name: the old file and no temp" [ "$(temps_in .)" = 0 -a "$(cmp "$old" "$copy" && echo same)" = same ]
    }
    old=kept.blm copy=f.blm
    interrupt add add -qi kept.blm pipe
    interrupt build build -q -F -o kept.blm pipe
    interrupt intersect intersect -F -o kept.blm g.blm pipe
    interrupt fold fold -F -o kept.blm pipe
    cp c.blm c2.blm
    old=c2.blm copy=c.blm
    interrupt rm rm -qi c2.blm pipe
else
    skip "Ctrl-C" "env has no --default-signal"
fi

# ---- pipes that stay open, readers that leave --------------------------------------------------------------------------------------
answers() { # WORDS...: the answer to line 1, 2, ... begins with it; the best of 5
    local best=9999999 from took answer pid
    coproc ASK { exec "$BLOOMERY" "$@" 2>/dev/null; }
    pid=$ASK_PID
    for i in 1 2 3 4 5; do
        from=${EPOCHREALTIME/./}
        echo "$i" >&"${ASK[1]}"
        read -r -t 5 answer <&"${ASK[0]}" || answer=none
        took=$((${EPOCHREALTIME/./} - from))
        [ "${answer%%"$tab"*}" = "$i" ] && [ $took -lt $best ] && best=$took
    done
    eval "exec ${ASK[1]}>&-"
    wait "$pid"
    check "a line that has arrived is answered within 0.1 s: $* ($best us)" [ $best -lt 100000 ]
}
for jobs in 1 2; do
    answers grep -j $jobs f.blm
    answers uniq -j $jobs
    answers uniq -j $jobs --exact
    answers test -j $jobs f.blm
    answers count -j $jobs c.blm
done
leaves() { # WORDS...: an endless input, one line is wanted; the best of 3
    local best=9999999 from took
    for _ in 1 2 3; do
        from=${EPOCHREALTIME/./}
        seq 1000000000 | "$BLOOMERY" "$@" 2>err | head -n 1 >/dev/null
        [ "${PIPESTATUS[1]}" = 141 ] || best=failed
        took=$((${EPOCHREALTIME/./} - from))
        [ $best != failed ] && [ $took -lt $best ] && best=$took
    done
    check "killed by SIGPIPE silently, within 1 s: $* ($best us)" [ $best != failed -a "${best/failed/9999999}" -lt 1000000 -a ! -s err ]
}
run build -q -o fruit.blm fruit
leaves grep -v fruit.blm
leaves uniq
leaves uniq --exact
leaves uniq --window 100
leaves test f.blm
leaves count c.blm

# ---- exit codes, nearest words, swapped words ---------------------------------------------------------------------------------------
near() { # the verb with its first two letters in each other's place
    local word=${1:1:1}${1:0:1}${1:2}
    [ "$word" = "$1" ] && return 0
    run "$word"
    [ "$(cat code)" = 2 ] && grep -q "did you mean " err
}
# shellcheck disable=SC2086
all_ok "a wrong verb suggests the nearest one:" near $verbs
for words in "build -o y3.blm -t standrad list" "plan -n 5 -t standrad" "kinds standrad" "bench --kinds standrad"; do
    # shellcheck disable=SC2086
    run $words
    expect "a wrong kind suggests the nearest one: ${words%% *}" 2 "did you mean standard?"
done
for words in "build -o y3.blm -t counting --set wdith=4 list" "plan -n 5 -t counting --set wdith=4"; do
    # shellcheck disable=SC2086
    run $words
    expect "a wrong knob suggests the nearest one: ${words%% *}" 2 "did you mean width?"
done
for words in "grep list f.blm" "add list f.blm" "rm list c.blm" "test list f.blm" "count list c.blm" "explain list f.blm" \
    "verify list --against f.blm"; do
    # shellcheck disable=SC2086
    run $words
    expect "FILE and INPUT swapped is said: $words" 3 "did you swap"
done
run test plum f.blm
expect "FILE and KEY swapped is said" 2 "did you swap"
run overlap nowhere f.blm
expect "but not where both are images" 2 "nowhere"
check "one sentence" [ "$(wc -l <err)" = 1 ]
for words in "build -o y3.blm f.blm" "uniq f.blm" "top f.blm" "iceberg --min 1 f.blm" "grep f.blm g.blm" "add -i f.blm g.blm"; do
    # shellcheck disable=SC2086
    run $words
    expect "an image is no INPUT: $words" 2 "this is a filter"
done
head -c 100 f.blm >cut.blm
unsound() {
    cp cut.blm c2.blm
    # shellcheck disable=SC2046
    run $(words_of "$1" | sed 's/\b[fgc]\.blm/cut.blm/; s/even/cut/')
    [ "$(cat code)" = 3 ]
}
all_ok "3 not a sound image:" unsound add rm deny test grep count info explain verify merge intersect fold overlap
unlike() { run "$@"; expect "5 incompatible filters: $1" 5 "differs"; }
unlike merge -o y3.blm f.blm fruit.blm
unlike intersect -o y3.blm f.blm fruit.blm
unlike overlap f.blm fruit.blm

# ---- defaults ---------------------------------------------------------------------------------------------------------------------------
"$BLOOMERY" plan --json -n 1e6 -p 1e-6 >out
check "38.8 bits of blocked against 28.8 of standard at 1e-6" "$PYTHON" -c '
import json
bits = {r["kind"]: r["bits_per_key"] for r in map(json.loads, open("out"))}
assert 38.6 < bits["blocked"] < 39.0 and 28.7 < bits["standard"] < 28.9, bits'
for n in 1000 3333 20000; do
    for kind in standard blocked split-block counting; do
        run build -qF -t $kind -n $n -o right.blm <(seq $n)
        seq $n | run_in build -qF -t $kind -o unknown.blm
                run info --json right.blm
        right=$(json_of bytes)
        run info --json unknown.blm
        check "build with no -n: at most 1.1 times the right size, $kind $n" [ "$(json_of bytes)" -le $((right * 11 / 10)) ]
    done
done
for kind in standard blocked split-block counting; do
    for size in 131B 10001B 65KiB; do
        run build -qF --overfill -t $kind -m $size -o made.blm list
        run info --json made.blm
        most=${size%B}
        check "-m is never exceeded: $size $kind" [ "$(json_of bytes)" -le $((${most/Ki/ * 1024})) ]
        check "and used" [ "$(json_of bytes)" -gt $((${most/Ki/ * 1024} * 9 / 10)) ]
    done
done
run build -q -n 1000 -p 1% -m 64KiB -k 3 -o four.blm list
expect "four that agree" 0
run build -n 100000 -p 1e-9 -m 1KiB -k 7 -o y3.blm list
expect "four that disagree are refused" 2 "do not fit"
check "nothing is written" [ ! -e y3.blm ]

# Twice the promise: 1 - e^(-x ln 2) = 2^(1/k) / 2. x = 1.158 at k = 7, 1.052 at k = 20.
for row in "1% 114000 118000" "1e-6 104500 106000"; do
    set -- $row
    run build -q -t standard -n 100000 -p $1 -o y4.blm <(seq $2)
    expect "stop when the rate passes twice the promise: not yet at $2 of 100000 keys, $1" 0
    check "warn once at 100 % of capacity" [ "$(grep -c '100 %' err)" = 1 ]
    rm -f y4.blm
    run build -q -t standard -n 100000 -p $1 -o y4.blm <(seq $3)
    expect "stop with 4 at $3 keys: 16 % too many at 1 %, 5 % at 10^-6" 4 "-n $3"
    check "nothing written" [ ! -e y4.blm ]
done
for _ in 1 2 3; do cat list; done | run_in build -q -n 1000 -o y5.blm
expect "the same key twice costs nothing: build" 0
for _ in 1 2 3; do run add -i -q y5.blm list; done
expect "the same key twice costs nothing: add" 0
run merge -q -F -o y6.blm y5.blm y5.blm y5.blm
expect "the same key twice costs nothing: merge" 0

# ---- -j 1 and -j 2: the same bytes, the same order ----------------------------------------------------------------------------------------
seq 300000 | awk '{ print $1 * 7919 % 100003 }' >many
for jobs in 1 2; do
    run build -q -F -j $jobs -o b$jobs.blm many
    "$BLOOMERY" build -q -F -n 300000 -t counting -o a$jobs.blm list
    run add -i -q -j $jobs a$jobs.blm many
    cp a$jobs.blm r$jobs.blm
    run rm -i -q -j $jobs r$jobs.blm many
    "$BLOOMERY" grep -j $jobs f.blm many >grep$jobs
    "$BLOOMERY" uniq -q -j $jobs many >uniq$jobs
    "$BLOOMERY" uniq -q -j $jobs -n 110000 many >plan$jobs
    "$BLOOMERY" uniq -q -j $jobs --exact --ram 1MiB many >exact$jobs
    "$BLOOMERY" top -j $jobs -n 1000 --ram 1MiB --json many >top$jobs 2>&1
done
for pair in b1.blm:b2.blm a1.blm:a2.blm r1.blm:r2.blm grep1:grep2 uniq1:uniq2 plan1:plan2 exact1:exact2 top1:top2; do
    check "-j 1 and -j 2 give the same bytes: ${pair%1*}" sh -c "[ -s ${pair%:*} ] && cmp ${pair%:*} ${pair#*:}"
done
check "uniq --exact is what awk says" cmp exact1 <(awk '!s[$0]++' many)

# ---- what there is is named, what there is not is not ------------------------------------------------------------------------------------------
"$BLOOMERY" help --man >manual.txt 2>/dev/null || : >manual.txt
for shell in bash zsh fish; do "$BLOOMERY" completion $shell >c.$shell; done
listed() { for shell in bash zsh fish; do grep -qw -- "$1" c.$shell || return 1; done; }
# shellcheck disable=SC2086
all_ok "completion lists every verb:" listed $verbs
finish
