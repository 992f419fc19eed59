#!/usr/bin/env bash
# grep --confirm LIST: a positive counts only if its key stands in the list, with the list in memory or on disk.
. "$(dirname "$0")/lib.bash"
export TMPDIR=$work/spill
mkdir spill

# Every second number is in; 1 of 10 of the others is a false positive without --confirm.
# The keys are of many lengths, so that a short one may fit where a long one did not.
numbers() { seq "$@" | awk '{ print $0 substr("........................", 1, $0 % 23) }'; }
numbers 2 2 560000 >list
numbers 420000 >input
awk 'NR == FNR { in_list[$0]; next } $0 in in_list' list input >inside
awk 'NR == FNR { in_list[$0]; next } !($0 in in_list)' list input >outside
run build -q -p 10% -o list.blm list
run grep list.blm input
check "without --confirm some are false" [ "$(wc -l <out)" -gt 217000 ]

# 1MiB: the list is not in memory; 231,000 positives are more than 16 parts of a table, so some parts overflow.
for ram in 1MiB 4MiB 64MiB; do
    run grep --confirm list --ram $ram list.blm input
    expect "grep --confirm at $ram" 0 "of the 210000 lines not in list (promised 0.1)"
    check "nothing false comes out, nothing is missing, in order" cmp out inside
    run grep -v --confirm list --ram $ram list.blm input
    check "-v at $ram: the others, in order" cmp out outside
    run grep -c --confirm list --ram $ram list.blm input
    check "-c at $ram" cmp out <(echo 210000)
    run grep -vc --json --confirm list --ram $ram list.blm input
    check "-vc --json at $ram" cmp out <(echo '{"count":210000}')
done
said=$(sed -n 's/.*, \([0-9]*\) of them false.*/\1/p' err)
run grep -c list.blm outside
check "it says how many were false: $said" [ "$said" = "$(cat out)" ]

# ---- where the list comes from --------------------------------------------------------------------------
"$BLOOMERY" grep --confirm - --ram 1MiB list.blm input >out 2>err <list
note $?
expect "the list by standard input" 0
check "the same lines" cmp out inside
mkfifo pipe
timeout 20 bash -c 'cat list >pipe' &
run grep -v --confirm pipe --ram 2MiB list.blm input
check "the list by a named pipe, -v" cmp out outside
if "$BLOOMERY" --version | grep -q 'gz yes' && gzip -k list; then
    run grep --confirm list.gz --ram 1MiB list.blm input
    check "a packed list, on disk" cmp out inside
    run grep --confirm list.gz list.blm input
    check "a packed list, in memory" cmp out inside
else
    skip "a packed list" "no gzip here"
fi
run grep --confirm - list.blm <list
expect "list and lines by one pipe" 2 "--confirm -"
"$BLOOMERY" grep --confirm - list.blm - <list >out 2>err
note $?
expect "the same, said with -" 2 "--confirm -"
run grep --confirm nowhere list.blm input
expect "no such list" 2 "nowhere: No such file"
check "said before anything is printed" [ ! -s out ]
run grep --confirm "$work" list.blm input
expect "a directory" 2 "directory"
run grep --confirm list --ram 1KiB list.blm input
expect "too little memory" 2 "at least 1MiB"
: >empty
run grep --confirm empty list.blm input
expect "an empty list: every positive is false" 1
run grep --confirm list list.blm empty
expect "no line: none" 1

# ---- -q, fields, records -----------------------------------------------------------------------------------
head -n 2 outside >never
run grep -q --confirm list list.blm inside
expect "-q: some" 0
check "nothing is printed" [ ! -s out ]
check "nor said" [ ! -s err ]
run build -q -p 99% -m 512b -k 1 --overfill -o all.blm list
run grep -c all.blm never
expect "a filter that says yes to everything" 0 2
run grep -q --confirm list all.blm never
expect "-q: none, although the filter said yes" 1
run grep -q --confirm list --ram 1MiB all.blm never
expect "-q: none, by the list on disk" 1
run grep -qv --confirm list --ram 1MiB all.blm never
expect "-qv: some, by the list on disk" 0
awk '{ print "n" $0 "\t" $0 "\tx" }' input >fields
awk -F'\t' 'NR == FNR { in_list[$0]; next } $2 in in_list' list fields >inside
for ram in 1MiB 64MiB; do
    run grep -f 2 --confirm list --ram $ram list.blm fields
    check "by a field of the input, the list has whole lines, at $ram" cmp out inside
done
printf 'a\nb\0c\0d\0' >zlist
printf 'c\0a\nb\0e\0' >zinput
run build -q -z -o z.blm zlist
run grep -z --confirm zlist z.blm zinput
check "-z is for both" cmp out <(printf 'c\0a\nb\0')

printf 'PLUM\n' >upper
printf 'Plum,1\npear,2\n' >table
run build -q --lower -o upper.blm upper
run grep --lower -d , -f 1 --confirm upper upper.blm table
check "--lower is for both" cmp out <(printf 'Plum,1\n')

# Long keys: 50 kB that differ in the last byte; the filter says yes to all of them.
long=$(head -c 50000 /dev/zero | tr '\0' a)
printf '%s\n' "${long}1" "${long}2" short >longlist
printf '%s\n' "${long}2" "${long}3" short "${long}2" other "${long}1" >longinput
printf '%s\n' "${long}2" short "${long}2" "${long}1" >expected
run grep --confirm longlist all.blm longinput
check "long keys in memory" cmp out expected
timeout 20 bash -c 'cat longlist >pipe' &
run grep --confirm pipe --ram 1MiB all.blm longinput
check "long keys by the list on disk" cmp out expected
cat longlist list >biglist
run grep --confirm biglist --ram 1MiB all.blm longinput
check "long keys in a list that turned out too large for memory" cmp out expected
printf '%s\n' "${long}3" other >expected
timeout 20 bash -c 'cat longlist >pipe' &
run grep -v --confirm pipe --ram 1MiB all.blm longinput
check "long keys, -v" cmp out expected

# ---- pipes -----------------------------------------------------------------------------------------------------
coproc ASK { exec "$BLOOMERY" grep --confirm list list.blm 2>/dev/null; }
best=999999
for i in 2 4 6 8 10; do
    from=${EPOCHREALTIME/./}
    numbers $((i - 1)) $i >&"${ASK[1]}"
    read -r -t 5 answer <&"${ASK[0]}" || answer=none
    took=$((${EPOCHREALTIME/./} - from))
    [ $took -lt $best ] && best=$took
done
check "a line is answered on an open pipe" [ "$answer" = 10.......... ]
check "within 0.1 s (best of 5: $best us)" [ $best -lt 100000 ]
pid=$ASK_PID
eval "exec ${ASK[1]}>&-"
wait "$pid"
TMPDIR=$work/nowhere run grep --confirm list --ram 1MiB list.blm input
expect "no such TMPDIR" 2 "TMPDIR ($work/nowhere): No such file"
check "TMPDIR is empty at the end" [ -z "$(ls -A spill)" ]
finish
