#!/usr/bin/env bash
# count --all: the counts of all keys of the input together, exact, as intervals, or none.
. "$(dirname "$0")/lib.bash"
tab=$(printf '\t')
# 1000 flows: flow500 comes 3004 times, the others 1 to 7 times, in two files.
seq 1000 | awk '{ for (i = 0; i <= $1 % 7 + ($1 == 500) * 3000; i++) print "flow" $1 }' >flows
awk '{ n[$0]++; if (n[$0] == 1) key[++keys] = $0 } END { for (i = 1; i <= keys; i++) print key[i] "\t" n[key[i]] }' flows >truth
run build -q -t counter-braids -o f.blm flows
expect "build" 0

# ---- exact -------------------------------------------------------------------------------------------
run count --all f.blm flows
expect "all keys" 0 "flow500${tab}3004"
check "each key once, in the order of its first line, with its exact count" cmp out truth
run_in count --all f.blm <flows
check "from standard input" cmp out truth
head -n 3000 flows >first
tail -n +3001 flows >second
run count --all -i f.blm first second
check "from two files, with -i or without" cmp out truth
run count --all f.blm second first
check "in another order" cmp <(sort out) <(sort truth)
check "which is that of the lines" [ "$(head -n 1 out)" = "$(head -n 1 second)${tab}$(grep -P "^$(head -n 1 second)\t" truth | cut -f 2)" ]
run count --all --json f.blm flows
expect "--json" 0 '{"key":"flow500","count":3004,"low":3004,"high":3004,"at_least":false}'
sed 's/^/x,/' flows >fields
run count --all -d , -f 2 f.blm fields
check "a field of each line" cmp out truth
run_in count --all f.blm < <(cat flows; echo nobody)
expect "a key that never came" 1 "nobody${tab}0"
check "costs no other count anything" cmp <(head -n 1000 out) truth
tr '\n' '\0' <flows >nul
run count --all -z f.blm nul
check "-z" cmp <(tr '\0' '\n' <out) truth

# ---- keys of which the bytes are not text --------------------------------------------------------------
printf '0a0b\n00\n00\nffff\n' >hex
run build -q -t counter-braids --hex -o hex.blm hex
run count --all hex.blm hex
expect "--hex is that of the image" 0 "00${tab}2"
printf 'a\n\n\nb\n' >empty
run build -q -t counter-braids -o empty.blm empty
run count --all empty.blm empty
check "the empty key" cmp out <(printf 'a\t1\n\t2\nb\t1\n')

# ---- no answer -------------------------------------------------------------------------------------------
grep -vx flow77 flows >lacking
run count --all f.blm lacking
expect "a list that lacks a key" 6 "a key that was added is missing"
check "prints nothing" [ ! -s out ]
run_in count --all f.blm </dev/null
expect "an empty list" 6 "these 0 keys"
run build -q -t counter-braids -n 1000 --set beta=1 -o small.blm flows
run count --all small.blm flows
expect "too few counters" 0 ".."
check "intervals hold the truth" awk -F "$tab" 'NR == FNR { t[$1] = $2; next }
    { n = split($2, b, /\.\./); if (b[1] > t[$1] || b[n] < t[$1]) exit 1 }' truth out
run count --all --json small.blm flows
check "and so they do as JSON" awk -F '[:,}"]+' 'NR == FNR { split($0, a, "\t"); t[a[1]] = a[2]; next }
    { if ($7 > t[$3] || $9 < t[$3]) exit 1 }' truth out
run build -q -t counter-braids -n 1000 --set deep=4 -o narrow.blm <(cat flows; yes flow500 | head -n 5000)
run count --all narrow.blm flows
expect "a counter at its ceiling" 0 "flow500${tab}>="

# ---- what cannot ------------------------------------------------------------------------------------------
run count f.blm flow1
expect "one key alone" 2 "use --all"
run build -q -t counting -o counting.blm flows
run count --all counting.blm flows
expect "a kind that counts keys one by one" 2 "leave --all out"
run build -q -o blocked.blm flows
run count --all blocked.blm flows
expect "a kind that does not count" 2 "build it with -t and one of: counter-braids"
run count --all f.blm f.blm
expect "FILE is no INPUT" 2 "did you swap FILE and INPUT"
run count --all f.blm nowhere
expect "no such INPUT" 2 "nowhere"
cp f.blm bad.blm
dd if=/dev/urandom of=bad.blm bs=1 seek=1000 count=8 conv=notrunc status=none
run count --all bad.blm flows
expect "a damaged image" 3 "damaged"
seq 20000 >many
run build -q -t counter-braids -o many.blm many
run count --all --ram 1MiB many.blm many
expect "more keys than --ram" 2 "raise --ram"
run count --all many.blm many
expect "and with more memory" 0 "20000${tab}1"
finish
