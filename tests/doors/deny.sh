#!/usr/bin/env bash
# deny and grep --confirm --deny: false positives are counted in the file, and info shows the rate that users saw.
. "$(dirname "$0")/lib.bash"
seq 2 2 20000 >list
seq 12000 >input
seq 1 2 12000 >outside
run build -q -p 5% -o list.blm list
cp list.blm f.blm
"$BLOOMERY" grep f.blm outside >wrong
head -n 3 wrong >three

# ---- words, lines, and what info says -----------------------------------------------------------------------
run info f.blm
check "nothing was reported" bash -c '! grep -q "^  seen" out'
# shellcheck disable=SC2046
run deny f.blm $(cat three)
expect "deny" 0 "3 keys denied, 0 of them now answered no"
run info f.blm
expect "counted, of unknown questions" 0 "3 false positives reported, number of queries not given"
run info --json f.blm
check "JSON: no rate without the questions" grep -q '"denied":3,"noes":0,"fpr_seen":null' out
run_in deny --asked 100 --json f.blm <three
expect "of a hundred questions, by lines" 0 '"denied":3,"gone":0,"absent":0'
run info f.blm
expect "six of a hundred and three" 0 "6 false of 103 queries for non-members: 0.05825"
check "the cells are those of before" \
    cmp <(tail -c 7936 f.blm) <(tail -c 7936 list.blm)
run verify f.blm
expect "it is a sound image" 0 kept
cp f.blm kept.blm
run deny f.blm 1
expect "a key that gets its no already" 1 "1 key was already answered no, the first: 1"
check "is not counted, nothing is written" cmp f.blm kept.blm
# shellcheck disable=SC2046
run deny --asked 2 f.blm $(cat three)
expect "fewer questions than denials" 2 "--asked 2: must not be fewer than the 3"
check "nothing is written" cmp f.blm kept.blm
run deny none.blm x
expect "no such file" 2 none.blm
run_in deny - <f.blm
expect "image and keys by one pipe" 2 KEYs
"$BLOOMERY" deny -q - "$(head -n 1 three)" <f.blm >piped.blm 2>err
note $?
expect "FILE -: a pipe" 0
run info piped.blm
expect "is counted on the way" 0 "7 false of 104"
run deny --hex f.blm "$(head -n 1 three | tr -d '\n' | od -An -tx1 | tr -d ' \n')"
expect "a key in hex" 0 "1 key denied"
run merge -q -o both.blm f.blm kept.blm
run info both.blm
expect "merged reports add up" 0 "13 false of 207"

# ---- grep --confirm LIST --deny -------------------------------------------------------------------------------
false=$(wc -l <wrong)
for ram in 1MiB 64MiB; do
    cp list.blm g.blm
    run grep --confirm list --deny --ram $ram g.blm input
    expect "grep --confirm --deny at $ram" 0 "g.blm: recorded $false false positives"
    check "the lines are those without --deny" cmp out <(seq 2 2 12000)
    run info --json g.blm
    check "every false positive and every right no: $false of 6000" \
        [ "$(json_of denied) $(json_of noes)" = "$false $((6000 - false))" ]
done
# A list that comes by a pipe is read after the input.
cp list.blm g.blm
"$BLOOMERY" grep -v --confirm - --deny g.blm input >out 2>err <list
note $?
expect "the list by a pipe, -v" 0 "recorded $false false positives"
check "the others" cmp out outside
for words in "--deny f.blm input|--confirm LIST" "--confirm list --deny -q f.blm input|-q" \
    "--confirm list --deny - input|name a file"; do
    # shellcheck disable=SC2086
    run_in grep ${words%|*} <f.blm
    expect "grep ${words%|*}" 2 "${words#*|}"
done

# A kind that learns: what one denial mends may mend another, and all were wrong when they were asked.
run build -q -F -t adaptive -p 5% -o a.blm list
"$BLOOMERY" grep a.blm outside >wrong
"$BLOOMERY" grep -q --confirm list a.blm outside
run grep -c --confirm list --deny a.blm outside
expect "adaptive" 1 "recorded $(wc -l <wrong) false positives"
run info --json a.blm
check "all are counted" [ "$(json_of denied) $(json_of noes)" = "$(wc -l <wrong) $((6000 - $(wc -l <wrong)))" ]
run grep -c a.blm wrong
check "a third of them is left at most: $(cat out)" [ "$(cat out)" -le $(($(wc -l <wrong) / 3)) ]
run grep -vc a.blm list
check "no member is missed" [ "$(cat out)" = 0 ]
run deny a.blm "$("$BLOOMERY" grep a.blm outside | head -n 1)"
expect "one more" 0 "1 key denied, 1 of them now answered no"

# ---- lists beside the members ------------------------------------------------------------------------------------
run build -q -o x.blm --list bad=three list
expect "a kind without lists" 2 "--list bad: kind blocked takes no lists"
run build -q -t retouched -o x.blm --list bad=three list
expect "another list" 2 "--list bad: kind retouched has no such list; it has unwanted"
run build -q -o x.blm --list bad list
expect "a list without a file" 2 "unwanted=bad.txt"
check "nothing was written" [ ! -e x.blm ]
run build -q -t standard -p 5% -o s.blm list
"$BLOOMERY" grep s.blm outside | head -n 100 >bad
run build -t retouched -p 5% --list unwanted=bad -o x.blm list
expect "retouched" 0 "retouched, 10000 keys, 10000 distinct"
run grep -c x.blm bad
check "no unwanted key passes" [ "$(cat out)" = 0 ]
run grep -vc x.blm list
missed=$(cat out)
run info --json x.blm
check "as many members are missed as info says: $missed" [ "$(json_of missed)" = "$missed" -a "$missed" -gt 0 ]
run build -q -F -t retouched --list unwanted=list -o x.blm list
expect "members that are unwanted" 2 "10000 of 10000 unwanted keys are also members"
seq 2 2 20000 | run_in build -q -F -t retouched --list unwanted=- -o x.blm
expect "two lists by one pipe" 2 "name INPUT files"

# ---- a kind that forgets instead of filling --------------------------------------------------------------------
run build -t generalized -m 8KiB --set zeros=2 --set ones=2 -o gen.blm list
expect "generalized, past its capacity" 0 "older keys are missed"
check "its rate is not said to pass" bash -c '! grep -q "rate passes" err'
run build -q -t generalized --set start=ones -n 10 -m 8KiB --set zeros=2 --set ones=2 -F -o gen.blm three
run test gen.blm "$(head -n 1 three)"
check "full of ones, and no word of a filter that says yes to everybody" [ ! -s err ]
finish
