#!/usr/bin/env bash
# -f LIST: the key is what cut -f LIST prints of a line, if the line has those fields.
. "$(dirname "$0")/lib.bash"
tab=$(printf '\t')
# 3000 lines of 5 fields, some of them empty, with delimiters that cut knows.
awk 'BEGIN { for (i = 1; i <= 3000; i++) printf "%d,%s,%d,,x%d\n", i, i % 7 ? "k" i % 100 : "", i * 31 % 1009, i % 13 }' >table
for list in 1 3 1,3 3,1 2-4 3- 1,4- 1-2,5 2,2 1,2,3,4,5; do
    for jobs in 1 2; do
        run build -qF -j $jobs -n 5000 -p 1e-9 -d , -f "$list" -o f.blm table
        cut -d , -f "$list" table | run_in build -qF -n 5000 -p 1e-9 -o cut.blm
        check "build -f $list -j $jobs: the filter of what cut prints" cmp f.blm cut.blm
    done
done
run build -q -p 1e-9 -d , -f 1,3 -o pair.blm table
run test pair.blm 1,31 1,32 "1${tab}31"
check "a composite key has the delimiter between its fields" cmp out <(printf '1,31\tmaybe\n1,32\tno\n1\t31\tno\n')
run grep -c -d , -f 3,1 pair.blm table
expect "grep by two fields" 0 3000
run uniq -q -d , -f 2,5 table
cut -d , -f 2,5 table | awk '!s[$0]++' | wc -l >distinct
check "uniq by two fields" cmp <(wc -l <out) distinct
run top -q -d , -f 2,5 --exact table
check "top by two fields" grep -qE "^[0-9]+${tab}k?[0-9]*,x[0-9]+$" out
printf 'A,b,C\r\n' | run_in build -q -p 1e-9 --lower --crlf -d , -f 1,3 -o low.blm
run test -q low.blm a,c
expect "--lower and --crlf apply to the whole key" 0
printf '0a,x,ff\n' | run_in build -q --hex -d , -f 1,3 -o hex.blm
expect "--hex: a delimiter is no digit" 2 "--hex needs two per byte"

# ---- lines without those fields ------------------------------------------------------------------------------
printf 'a,b,c\nd,e\nf\n' >short
run build -F -p 1e-9 -d , -f 1,3 -o s.blm short
expect "lines without the last of them have no key" 0 "2 lines without a field 3: dropped"
run build -F -p 1e-9 -d , -f 2- -o s.blm short
expect "an open range needs its first field" 0 "1 line without a field 2: dropped"
run test -q s.blm b,c e
expect "and takes what there is" 0

# ---- lists that are none ------------------------------------------------------------------------------------------
for list in 0 3-2 1,0 1000001; do
    run build -d , -f "$list" -o no.blm table
    expect "-f $list" 2 "from 1 to 1000000"
done
for list in "," "1," "1,,2" -2 1--2 ""; do
    run build -d , -f "$list" -o no.blm table
    expect "-f '$list'" 2 "2, 1,3 or 2-4"
done
run build -d , -f "$(seq -s , 1 2 40)" -o no.blm table
expect "too many" 2 "at most 16 fields and ranges"
check "nothing was written" [ ! -e no.blm ]
finish
