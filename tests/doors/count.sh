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
# Kinds without that promise may only estimate: then the mean error of 300 counts, each off by 1 or less, is below a quarter.
promises() { grep -q "^\"name\":\"$kind\".*\"never_low\"" rows; }
right() { # MOST: counts in `out` that may be wrong
    if promises; then
        [ "$(comm -13 <(sort truth) <(sort out) | wc -l)" -le "$1" ]
    else
        awk -F "$tab" 'NR == FNR { t[$1] = $2; next } { sum += $2 - t[$1] } END { exit !(sum > -75 && sum < 75) }' truth out
    fi
}
for kind in $kinds; do
    still=() # where each arrival lets counts fade: a clock that does not move meanwhile
    [ "$kind" != time-decaying ] || still=(--set half=1000d)
    run build -q -t "$kind" "${still[@]}" -n 1000 -o "$kind.blm" list
    expect "$kind: build" 0
    run_in count "$kind.blm" <keys
    expect "$kind: count" 0 "key1${tab}"
    check "$kind: an answer for each key" cmp keys <(cut -f 1 out)
    # Room for 1000 keys at 1/1000: 3 of 300 wrong would be ten times the promise.
    check "$kind: hardly ever wrong" right 3
    if promises; then
        check "$kind: never too low" awk -F "$tab" 'NR == FNR { t[$1] = $2; next } { sub(/^>=/, "", $2) } $2 < t[$1] { exit 1 }' truth out
    fi
    run build -q -t "$kind" "${still[@]}" -o "$kind-sized.blm" list
    expect "$kind: build without -n" 0
    run_in count "$kind-sized.blm" <keys
    # No room to spare: variable-increment counts 6 of 300 too high, with -n 300 --overfill too. A key dropped would make 150 wrong.
    check "$kind: a key that comes again is counted without -n too" right 15
    run count "$kind.blm" key5 nobody
    expect "$kind: who never came" 1 "nobody${tab}0"
    run count --json "$kind.blm" key5
    expect "$kind: --json" 0 '{"key":"key5","count":'"$(promises && echo '2,"low":')"
    check "$kind: its bounds hold" awk -F '[:,}]' '{ exit !($6 <= 2 && $8 >= 2 && ($10 == "true" || $10 == "false")) }' out
done

# Lines are counted in batches, arguments one by one: the same output. The counters of `narrow` reach their maximum, and lines
# without a second field have no key, in batches of 512 that none of them fills evenly.
seq 2000 | awk '{ for (j = 0; j < $1 % 20; j++) print "key" $1 }' >many
seq 0 2100 | awk '{ print $1 % 7 == 3 ? "no field" : "x,key" $1 }' >fields
sed -n 's/^x,//p' fields >wanted
for set in layout=spread layout=line "width=3 --overfill"; do
    # shellcheck disable=SC2086 # two words
    run build -q -F -t counting -n 2000 -p 1% --set $set -o f.blm many
    expect "counting $set" 0
    xargs "$BLOOMERY" count f.blm <wanted >one
    run_in count f.blm <wanted
    check "$set: lines are counted as arguments are" cmp one out
    run count --no-key drop -d , -f 2 -i f.blm fields
    check "$set: with lines that have no key" cmp one out
    xargs "$BLOOMERY" count --json f.blm <wanted >one
    run_in count --json f.blm <wanted
    check "$set: --json" cmp one out
done
check "some counters reached their maximum" grep -q '"at_least":true' out
run_in count f.blm <wanted
expect "and say so" 1 "key19${tab}>=7"

# Of an image of 64 MiB or more only the chunks that a key reads are checked: the answers before a damaged one are printed.
run build -q -F -t counting -n 2000 -m 65MiB -k 3 --overfill -o large.blm many
expect "65 MiB of counters" 0
run_in count large.blm <wanted
expect "a large image" 1 "key1${tab}1"
cp out whole
xargs "$BLOOMERY" count large.blm <wanted >one
check "a large image: lines are counted as arguments are" cmp one whole
dd if=/dev/zero of=large.blm bs=64K seek=500 count=8 conv=notrunc status=none
dd if=/dev/urandom of=large.blm bs=64K seek=508 count=8 conv=notrunc status=none
run_in count large.blm <wanted
expect "a damaged chunk is an exit code, not a count" 3 "damaged"
check "the lines before it are answered" cmp out <(head -n "$(wc -l <out)" whole)
check "some were" [ -s out ]
check "but not all" [ "$(wc -l <out)" -lt "$(wc -l <whole)" ]
xargs -n 5000 "$BLOOMERY" count large.blm <wanted >one 2>/dev/null
check "just as many as one by one" cmp one out
finish
