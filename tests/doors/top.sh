#!/usr/bin/env bash
# top and iceberg against sort | uniq -c: every key above the threshold, every count inside its bounds, the order, and
# --exact byte for byte, whatever comes and however little memory there is.
. "$(dirname "$0")/lib.bash"
tab=$(printf '\t')

# truth FILE [COMMAND...]: "COUNT<tab>KEY" of its lines, as we order them: by count, then by bytes.
truth() { sort "$1" | uniq -c | sed "s/^ *\([0-9]*\) /\1$tab/" | sort -t "$tab" -k1,1nr -k2; }
same() { check "$1" cmp "$2" out; }

# bounds NAME TRUTH MIN: of the JSON in out: low <= truth <= high for each key, in order; no key of MIN or more is
# missing, nor one that came more often than "others" says; "certain" and the summary in err are true.
cat >bounds.awk <<'A'
function number(name) {
    match($0, "\"" name "\":[0-9]*")
    return substr($0, RSTART + length(name) + 3, RLENGTH - length(name) - 3) + 0
}
function claim(true_) { if (!true_) wrong = 1 }
FILENAME == "out" {
    key = $0
    sub(/^\{"key":"/, "", key)
    sub(/","count":.*/, "", key)
    low = number("low"); high = number("high"); sure = /"certain":true/
    claim(key in truth && low <= truth[key] && truth[key] <= high && number("count") == high)
    claim(!shown || high < before || high == before && key > last)
    if (min && sure) claim(truth[key] >= min)
    if (high - low > over) over = high - low
    shown++; certain += sure; before = high; last = key; printed[key]
    next
}
FILENAME == "err" {
    others = number("others")
    claim(number("over") == over && number("shown") == shown && number("certain") == certain)
    next
}
{ truth[$2] = $1 }
END {
    for (key in truth) if (!(key in printed)) claim(truth[key] <= others && (!min || truth[key] < min))
    exit wrong
}
A
bounds() { check "$1" awk -F "$tab" -v min="$3" -f bounds.awk "$2" out err; }

# ---- Zipf: the k-th key with a chance of 1/k, from awk's own numbers ------------------------------------------
awk 'BEGIN { srand(7); for (i = 0; i < 200000; i++) print "key " int(exp(rand() * log(1000000))) }' >zipf
truth zipf >zipf.truth
run top -n 20 zipf
expect "top of a file" 0 "200000 lines in; counts are exact; 20 of 20 keys are certain"
same "what sort | uniq -c | sort says" <(head -n 20 zipf.truth)
cat zipf | run_in top
same "a pipe, and ten keys if no number is given" <(head -n 10 zipf.truth)
run iceberg --min 100 zipf
expect "iceberg" 0 "no other came 100 times"
awk -F "$tab" '$1 >= 100' zipf.truth >want
same "every key that came 100 times or more" want
for ram in 1 2 9; do
    for jobs in 1 2 4; do
        run top -n 50 --ram ${ram}MiB -j $jobs --json zipf
        expect "$ram MiB, -j $jobs" 0
        bounds "top: every count is inside its bounds, $ram MiB, -j $jobs" zipf.truth 0
        cat out err >top.$jobs
        cmp -s top.1 top.$jobs || not_ok "top: -j $jobs is -j 1, $ram MiB"
        run iceberg --min 12 --ram ${ram}MiB -j $jobs --json zipf
        expect "iceberg in $ram MiB, -j $jobs" 0
        bounds "iceberg: no key is missing, every count is inside its bounds, $ram MiB, -j $jobs" zipf.truth 12
        cat out err >iceberg.$jobs
        cmp -s iceberg.1 iceberg.$jobs || not_ok "iceberg: -j $jobs is -j 1, $ram MiB"
    done
done
run iceberg --min 12 --ram 1MiB --json zipf
check "in 1 MiB some counts are not exact ($(json_of over err))" [ "$(json_of over err)" -gt 0 ]
for seed in 1 2 3; do
    run iceberg --min 12 --ram 1MiB --json --seed $seed zipf
    bounds "the same with another hash, --seed $seed" zipf.truth 12
done

# ---- --exact: brute force, byte for byte -------------------------------------------------------------------------
for min in 2 10 100; do
    for ram in "" "--ram 2MiB"; do
        # shellcheck disable=SC2086
        run iceberg --exact --min $min $ram zipf
        if [ "$(cat code)" = 4 ]; then # said, with the memory that would do
            enough=$(sed -n 's/.*so is --ram \([0-9]*MiB\).*/\1/p' err)
            run iceberg --exact --min $min --ram "${enough:-0}" zipf
        fi
        expect "iceberg --exact --min $min $ram" 0 "counts are exact"
        awk -F "$tab" -v min=$min '$1 >= min' zipf.truth >want
        same "is brute force: --min $min $ram" want
    done
done
run top --exact -n 100 --ram 1MiB zipf
expect "top --exact" 0 "100 of 100 keys are certain"
same "is brute force" <(head -n 100 zipf.truth)
run_in top --exact -n 100 --ram 1MiB - <zipf
same "a file at standard input is read twice, too" <(head -n 100 zipf.truth)
{ head -n 1 >/dev/null; "$BLOOMERY" top --exact -n 100 --ram 1MiB 2>err; } <zipf >out
check "from where it stood" [ "$(sed 's/[^0-9]*\([0-9]*\) lines in.*/\1/' err)" -lt 200000 ]
run top --exact -n 40000 --ram 1MiB zipf
expect "top --exact past what is certain: 4" 4 "is certain"
check "nothing is printed" [ ! -s out ]
sure=$(sed -n 's/.* -n \([0-9]*\) is certain.*/\1/p' err) enough=$(sed -n 's/.*so is --ram \([0-9]*MiB\).*/\1/p' err)
run top --exact -n "$sure" --ram 1MiB zipf
same "the -n that it names is" <(head -n "$sure" zipf.truth)
run top --exact -n 40000 --ram "$enough" zipf
same "and so is the --ram ($enough)" <(head -n 40000 zipf.truth)
cat zipf | run_in top --exact
expect "a pipe cannot be read twice" 2 "standard input: --exact reads its input twice"
mkfifo pipe
run top --exact zipf pipe
expect "nor can a named one" 2 "pipe: --exact"

# ---- other shapes --------------------------------------------------------------------------------------------------
awk 'BEGIN { srand(8); for (i = 0; i < 200000; i++) print int(rand() * 35000) }' >uniform
truth uniform >uniform.truth
run top -n 30 --json uniform
bounds "uniform" uniform.truth 0
run top -n 30 --json --ram 1MiB uniform
bounds "uniform in 1 MiB" uniform.truth 0
run top -n 1e6 --json --ram 1MiB uniform
bounds "more keys than are held: what is said of the others" uniform.truth 0
check "which had no room" [ "$(json_of others err)" -gt 0 -a "$(wc -l <out)" -lt 35000 ]
run iceberg --min 4 --ram 1MiB uniform
expect "an iceberg that has no room: 4" 4 "over capacity"
check "nothing is printed" [ ! -s out ]
sure=$(sed -n 's/.*--min \([0-9]*\) is certain.*/\1/p' err) enough=$(sed -n 's/.*so is --ram \([0-9]*MiB\).*/\1/p' err)
run iceberg --json --min "$sure" --ram 1MiB uniform
bounds "the --min that it names is certain ($sure)" uniform.truth "$sure"
run iceberg --json --min 4 --ram "$enough" uniform
bounds "and so is the --ram ($enough)" uniform.truth 4
expect "which is enough" 0
seq 200000 >distinct
truth distinct >distinct.truth
run top --json --ram 1MiB distinct
expect "all distinct" 0 '"shown":10,"certain":0,'
bounds "all distinct in 1 MiB" distinct.truth 0
run iceberg --min 2 --ram 1MiB --exact distinct
enough=$(sed -n 's/.*so is --ram \([0-9]*MiB\).*/\1/p' err)
run iceberg --min 2 --exact --ram "${enough:-1MiB}" distinct
expect "nothing came twice: 1" 1 "0 of 0 keys"
check "and nothing is printed" [ ! -s out ]
yes plum | head -n 100000 >single
{ seq 200000; cat zipf; } >late-zipf
run top single
expect "a single key" 0 "100000 lines in; counts are exact; 1 of 1 key is certain, no other came more than 0 times"
check "and how often" [ "$(cat out)" = "100000${tab}plum" ]
{ yes a | head -n 1000; seq 200000; yes b | head -n 1000; } >late
truth late >late.truth
run top -n 2 --ram 1MiB --json late
bounds "a key that comes late" late.truth 0
check "is found" [ "$(grep -c '"key":"[ab]"' out)" = 2 ]
run top </dev/null
expect "no lines" 0 "0 lines in"
check "no keys" [ ! -s out ]
run iceberg --min 1 /dev/null
expect "no lines: none" 1 "0 lines in"

# ---- inputs -----------------------------------------------------------------------------------------------------------
printf 'b\n\na\n\nb' | run_in top
printf '2\t\n2\tb\n1\ta\n' >want
same "an empty line is a key, a last newline may be missing, ties stand in the order of their bytes" want
printf 'x\0y\nz\0x\0' | run_in top -z
printf '2\tx\0001\ty\nz\0' >want
same "-z: records end in NUL, in and out" want
printf 'name,n\n"a,b",1\nc,2\n"a,b",3\n' | run_in top --csv name
printf '2\ta,b\n1\tc\n' >want
same "--csv" want
printf '1,x\n2,y\n3,x\n4\n' | run_in top -d , -f 2
printf '2\tx\n1\ty\n' >want
same "-d -f" want
expect "a line without the field is said" 0 "1 line without a field 2"
awk '{ print NR "," $2; if (NR % 50000 == 0) print NR }' zipf >fields
run top --exact --ram 1MiB -n 5 -d, -f2 fields
same "-f with two passes" <(head -n 5 zipf.truth | sed 's/key //')
check "what was said of the input is said once" [ "$(grep -c 'without a field' err)" = 1 ]
printf '{"k":"x"}\n{"k":"y"}\n{"k":"x"}\n' | run_in top -n 1 --jsonl .k
check "--jsonl" [ "$(cat out)" = "2${tab}x" ]
printf 'Plum\nplum\n' | run_in top --lower
check "--lower" [ "$(cat out)" = "2${tab}plum" ]
printf '0a09\n0A09\nff\n' | run_in top --hex
check "--hex: as it came" [ "$(cat out)" = "2${tab}0a09
1${tab}ff" ]
printf '\377\n\377\n' | run_in top --json
expect "--json: what is no UTF-8" 0 '"key_hex":"ff","count":2,"low":2,"high":2,"certain":true}'
printf 'a\r\na\nb\r\n' | run_in top --crlf -n 1
check "--crlf" [ "$(cat out)" = "2${tab}a" ]
gzip -c zipf >zipf.gz
run top --exact --ram 1MiB zipf.gz /dev/null
expect "a device is no file" 2 "/dev/null"
run top --exact --ram 1MiB zipf.gz
same "a packed file is read twice, too" <(head -n 10 zipf.truth)
run top -n 3 zipf uniform
cat zipf uniform >both
truth both >want
same "two inputs are one" <(head -n 3 want)

# ---- long keys ------------------------------------------------------------------------------------------------------------
awk 'BEGIN { srand(9); for (blanks = " "; length(blanks) < 9004;) blanks = blanks blanks # no awk has sprintf of any length
    for (i = 0; i < 5000; i++) { k = int(exp(rand() * log(300))); print substr(blanks, 1, k * 37 % 9000 + 4 - length(k)) k } }' >long
truth long >long.truth
run top -n 20 --json --ram 1MiB long
bounds "keys of up to 9 KB in 1 MiB" long.truth 0
check "they do not all fit ($(json_of held err) of $(wc -l <long.truth))" [ "$(json_of held err)" -lt "$(wc -l <long.truth)" ]
run top -n 20 --exact --ram 1MiB long
same "--exact" <(head -n 20 long.truth)
head -c 3000000 /dev/zero | tr '\0' x >huge
{ cat huge; echo; cat huge; } >huges
run top --ram 2MiB huges
expect "a line that is longer than a quarter of --ram" 2 "a larger --max-record or --ram"
run top --ram 12MiB huges
expect "a key that is longer than --ram can hold: 4" 4 "a key has 3000000 bytes"
check "nothing is printed, one sentence" [ ! -s out -a "$(wc -l <err)" = 1 ]
enough=$(sed -n 's/.*--ram \([0-9]*MiB\) has room.*/\1/p' err)
run top --ram "${enough:-0}" huges
expect "the --ram that it names ($enough) holds it" 0 "1 of 1 key"
run top --ram $((${enough%MiB} - 1))MiB huges
expect "and one less does not" 4

# ---- manners -----------------------------------------------------------------------------------------------------------------
run top --json -q single
check "-q --json: objects here and there" [ "$(cat out)" = '{"key":"plum","count":100000,"low":100000,"high":100000,"certain":true}' ]
run top -q single
check "-q: no summary" [ ! -s err ]
for words in "top -n 50" "iceberg --min 300"; do
    # shellcheck disable=SC2086
    run $words -q --ram 9MiB zipf
    check "$words -q: exact counts need no word" [ ! -s err ]
    # shellcheck disable=SC2086
    run $words --json --ram 1MiB late-zipf
    over=$(json_of over err)
    # shellcheck disable=SC2086
    run $words -q --ram 1MiB late-zipf
    expect "$words -q: counts that are bounds are called so ($over)" 0 "counts are at most $over too high"
    # shellcheck disable=SC2086
    run $words -q --exact --ram 4MiB late-zipf
    check "$words -q --exact: no word" [ ! -s err ]
done
run top -q --ram 1MiB distinct
expect "top -q: keys that are not certain are called so" 0 "0 of 10 keys are certain"
run iceberg zipf
expect "iceberg without --min" 2 "--min T"
run iceberg --min 0 zipf
expect "--min 0" 2 "from 1"
run top -n 0 zipf
expect "-n 0" 2 "from 1"
run top --ram 1000B zipf
expect "too little --ram" 2 "at least 1MiB"
run top nowhere
expect "no such input" 2 "No such file"
run build -q -o some.blm single
run top some.blm
expect "a filter is no list of lines" 2 "this is a filter"
check "--ram stands in the help once" [ "$("$BLOOMERY" top --help | grep -c -- '--ram SIZE')" = 1 ]
if [ -w /dev/full ]; then
    "$BLOOMERY" top zipf >/dev/full 2>err </dev/null
    note $?
    expect "no room for the output" 2 "No space left"
    check "which is all that is said" [ "$(wc -l <err)" = 1 ]
fi
# Below 32 MiB for any input, with two threads: a table of all 1M keys would have more. RSS of a child is at least that
# of python.
if command -v python3 >/dev/null && ! sanitized; then
    for verb in "top" "iceberg --min 3000"; do
        seq 1000000 | sed p | python3 -c 'import resource, subprocess, sys
subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)' "$BLOOMERY" $verb -j 2 >rss
        check "$verb of 1M distinct keys: below 32 MiB ($(cat rss) KiB)" [ "$(cat rss)" -lt $((32 * 1024)) ]
    done
else
    skip "the memory of the process" "no python3, or a sanitizer has its own memory"
fi
finish
