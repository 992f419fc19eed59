#!/usr/bin/env bash
# count on every kind that counts, each with its usual setting: where it promises so no count is below the truth, few
# are above it. Counts are 1 and 2: the narrowest counters hold them.
. "$(dirname "$0")/lib.bash"
tab=$(printf '\t')
awk 'BEGIN { for (i = 1; i <= 300; i++) for (j = 0; j <= i % 2; j++) print "key" i }' >list
awk 'BEGIN { for (i = 1; i <= 300; i++) print "key" i "\t" i % 2 + 1 }' >truth
cut -f 1 truth >keys
"$BLOOMERY" kinds --json | tr '{' '\n' | grep '"abilities":\[[^]]*"count"' >rows
kinds=$(sed 's/^"name":"\([^"]*\)".*/\1/' rows)
check "counting and count-min are among them" [ "$(echo "$kinds" | grep -cxE 'counting|count-min')" = 2 ]
for kind in $kinds; do
    run build -q -t "$kind" -n 1000 -o "$kind.blm" list
    expect "$kind: build" 0
    run_in count "$kind.blm" <keys
    expect "$kind: count" 0 "key1${tab}"
    check "$kind: an answer for each key" cmp keys <(cut -f 1 out)
    # Room for 1000 keys at 1/1000: 3 of 300 wrong would be ten times the promise.
    check "$kind: hardly ever wrong" [ "$(comm -13 <(sort truth) <(sort out) | wc -l)" -le 3 ]
    if grep -q "^\"name\":\"$kind\".*\"never_low\"" rows; then
        check "$kind: never too low" awk -F "$tab" 'NR == FNR { t[$1] = $2; next } { sub(/^>=/, "", $2) } $2 < t[$1] { exit 1 }' truth out
    fi
    run build -q -t "$kind" -o "$kind-sized.blm" list
    expect "$kind: build without -n" 0
    run_in count "$kind-sized.blm" <keys
    # No room to spare: variable-increment counts 6 of 300 too high, with -n 300 --overfill too. A key dropped would make 150 wrong.
    check "$kind: a key that comes again is counted without -n too" [ "$(comm -13 <(sort truth) <(sort out) | wc -l)" -le 15 ]
    run count "$kind.blm" key5 nobody
    expect "$kind: who never came" 1 "nobody${tab}0"
    run count --json "$kind.blm" key5
    expect "$kind: --json" 0 '{"key":"key5","count":2,"low":'
    check "$kind: its bounds hold" awk -F '[:,}]' '{ exit !($6 <= 2 && $8 >= 2 && ($10 == "true" || $10 == "false")) }' out
done
finish
