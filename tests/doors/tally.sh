#!/usr/bin/env bash
# uniq -c and -u: exact, within --ram, in the order of the first lines; awk is the judge.
. "$(dirname "$0")/lib.bash"
# 200,000 lines, 60,000 distinct or so, no order in them; an empty line and bytes that are no text among them.
awk 'BEGIN { x = 1; for (i = 0; i < 200000; i++) { x = (x * 16807) % 2147483647; printf "line %d of some length\n", x % 70000 } }' >many
printf 'line \377\376\n\nline \377\376\n\n\n' >>many
awk '{ n[$0]++; if (n[$0] == 1) first[++k] = $0 } END { for (i = 1; i <= k; i++) printf "%7d %s\n", n[first[i]], first[i] }' many >counted
grep '^ *1 ' counted | cut -c 9- >once
grep -v '^ *1 ' counted >again
for ram in 1GiB 2MiB 1MiB; do
    run uniq -c --ram $ram many
    expect "uniq -c, $ram" 0 "200005 lines in, $(wc -l <counted) distinct"
    check "uniq -c, $ram: what awk counts" cmp out counted
    spilled=$(sed -n 's/.*memory, \(.*\) spilled/\1/p' err)
    [ $ram = 1GiB ] || check "uniq -c, $ram: it was too little ($spilled)" [ "$spilled" != "0 B" -a -n "$spilled" ]
    run uniq -u -q --ram $ram many
    check "uniq -u, $ram: what comes once" cmp out once
    check "-q: no summary" [ ! -s err ]
done
run uniq -q -c --repeated many
check "-c --repeated: what comes again" cmp out again
run uniq -q -cu many
check "-c -u" cmp out <(sed 's/^/      1 /' once)
sort many >sorted
run uniq -q -c sorted
check "sorted lines: what uniq -c of the system prints" cmp out <(uniq -c sorted)
run uniq -q -u sorted
check "sorted lines: what uniq -u of the system prints" cmp out <(uniq -u sorted)
run uniq -q -c --exact sorted
check "--exact is no contradiction" cmp out <(uniq -c sorted)
run uniq -c --json list many </dev/null
expect "an input that is not there" 2 "list"
check "prints nothing" [ ! -s out ]
run uniq -c --json many
check "--json: the summary" grep -q '"distinct":'"$(wc -l <counted)"',' err

# ---- keys that are not the line ---------------------------------------------------------------------------------
printf 'a,1\nb,2\nA,3\nc,2\nnone\nnone\n' >pairs
run uniq -q -c -d , -f 2 pairs
check "a field: the first line of each; lines without it stay by themselves" cmp out <(printf '      1 a,1\n      2 b,2\n      1 A,3\n      1 none\n      1 none\n')
run uniq -q -u -d , -f 2 --no-key drop pairs
check "--no-key drop" cmp out <(printf 'a,1\nA,3\n')
run uniq -q -c --lower -d , -f 1 --no-key drop pairs
check "--lower" cmp out <(printf '      2 a,1\n      1 b,2\n      1 c,2\n      2 none\n')
printf 'k,v\na,1\na,1\nb,2\n' >table
run uniq -q -u --csv k table
check "-u --csv keeps the header" cmp out <(printf 'k,v\nb,2\n')
run uniq -q -c --csv k table
check "-c --csv leaves it out" cmp out <(printf '      2 a,1\n      1 b,2\n')
printf 'b\0a\0b\0' | run_in uniq -q -cz
check "-z" cmp out <(printf '      2 b\0      1 a\0')
awk 'BEGIN { for (i = 0; i < 40; i++) { printf "%d ", i % 3; for (j = 0; j < 20000; j++) printf "x"; print "" } }' >long
run uniq -q -c --ram 1MiB long
check "long lines" cmp <(cut -c 1-9 out) <(printf '     14 0\n     13 1\n     13 2\n')
run uniq -c /dev/null
expect "no lines at all" 0 "0 lines in"

# ---- what does not go together --------------------------------------------------------------------------------------
run uniq -u --repeated many
expect "-u --repeated" 2 "give only one"
for option in "--window 5" "-n 5" "--lost 2" "--overfill"; do
    # shellcheck disable=SC2086
    run uniq -c $option many
    expect "-c $option" 2 "leave --window, -n, --lost and --overfill out"
done
finish
