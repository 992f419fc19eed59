#!/usr/bin/env bash
# Lines that have no key: no verb loses them without a word. uniq lets them through, whoever takes keys says how
# many had none, and where no line has one nothing is written.
. "$(dirname "$0")/lib.bash"
same() { check "$1" cmp "$2" out; }

# ---- uniq: what cannot be compared is kept ----------------------------------------------------------------
printf 'id,name\n1,plum\n2\n3,plum\n\n4,pear\n2\n' >table.csv
printf 'id,name\n1,plum\n2\n\n4,pear\n2\n' >kept.csv
printf 'id,name\n1,plum\n4,pear\n' >keyed.csv
printf '{"k":1}\n{"n":2}\n{"k":1}\n{"n":2}\n{"k":3}\n' >rows.jsonl
printf '{"k":1}\n{"n":2}\n{"n":2}\n{"k":3}\n' >kept.jsonl
printf '1,a\n2\n3,b\n4,a\n2\n' >gaps
printf '1,a\n2\n3,b\n2\n' >kept.gaps
for way in "" "-n 100" "--window 100" "--exact" "--exact --ram 1MiB" "-j 1" "-j 3"; do
    # shellcheck disable=SC2086
    run uniq $way --csv name table.csv
    expect "uniq $way --csv: the summary counts every line" 0 "7 lines in, 6 out, 1 dropped"
    same "uniq $way --csv: header first, records without the column stay" kept.csv
    check "uniq $way --csv: they are reported" grep -q "3 records have no column name" err
    # shellcheck disable=SC2086
    run uniq $way --jsonl .k rows.jsonl
    expect "uniq $way --jsonl: the summary" 0 "5 lines in, 4 out, 1 dropped"
    same "uniq $way --jsonl: lines without the path stay" kept.jsonl
    # shellcheck disable=SC2086
    run uniq $way -d, -f2 gaps
    same "uniq $way -f: lines without the field stay" kept.gaps
    # shellcheck disable=SC2086
    run uniq $way --no-key drop --csv name table.csv
    expect "uniq $way --no-key drop: said, and in the summary" 0 "7 lines in, 3 out, 4 dropped"
    same "uniq $way --no-key drop" keyed.csv
    # shellcheck disable=SC2086
    run uniq $way --no-key fail --csv name table.csv
    expect "uniq $way --no-key fail" 2 "table.csv: line 3:"
    # shellcheck disable=SC2086
    run uniq $way -q --repeated --csv name table.csv
    printf 'id,name\n3,plum\n' >want
    same "uniq $way --repeated: a line without a key is no repeat" want
done
run uniq --json --csv name table.csv
check "uniq --json: how many had no key" grep -q '"lines":7,"printed":6,"dropped":1,"without_key":3,' err
run uniq --exact --json --csv name table.csv
check "uniq --exact --json: how many had no key" grep -q '"lines":7,"printed":6,"dropped":1,"without_key":3,' err
printf 'id,name' | run_in uniq --csv name
same "a header without a newline, and nothing after it" <(echo id,name)
printf 'id,name\n1,plum\n5,fig\n' >more.csv
run uniq --csv name table.csv more.csv
{ cat kept.csv; echo 5,fig; } >want
same "the header of the first file stands for all" want
expect "and the summary adds up" 0 "10 lines in, 7 out, 3 dropped"
printf 'name,id\nfig,5\n' >turned.csv
run uniq --csv name table.csv turned.csv
expect "another header is said" 0 "turned.csv: its header differs"
printf '\357\273\277id,name\n1,plum\n' >bom.csv
run uniq -q --csv name bom.csv
same "the header comes out byte for byte" bom.csv
run uniq --no-key perhaps gaps
expect "--no-key has three words" 2 "keep, drop or fail"

# Many blocks: the same bytes for any number of threads, in memory and by disk.
awk 'BEGIN { srand(3); print "i,k"; for (i = 0; i < 400000; i++) print i % 5 ? i "," int(rand() * 90000) : i }' >large.csv
awk -F, 'NR == 1 || NF < 2 || !s[$2]++' large.csv >want
for way in "-j 1" "-j 2" "-j 5" "-n 1e5 --lost 0.001" "--exact -j 2" "--exact --ram 1MiB"; do
    # shellcheck disable=SC2086
    run uniq $way --csv k large.csv
    expect "uniq $way: 400001 lines" 0 "400001 lines in, $(wc -l <want) out"
    same "uniq $way: those of awk" want
done

# ---- grep: what is no key is neither in nor out, unless it is asked for --------------------------------------
echo plum | run_in build -q -o fruit.blm
run grep --no-key keep --csv name fruit.blm table.csv
printf 'id,name\n1,plum\n2\n3,plum\n\n2\n' >want
same "grep --no-key keep: header and lines without a key" want
run grep -v --no-key keep --csv name fruit.blm table.csv
printf 'id,name\n2\n\n4,pear\n2\n' >want
same "grep -v --no-key keep" want
run grep --no-key keep --confirm <(echo plum) --csv name fruit.blm table.csv
printf 'id,name\n1,plum\n2\n3,plum\n\n2\n' >want
same "grep --no-key keep --confirm by a pipe" want
echo plum >list
run grep -v --no-key keep --confirm list --csv name fruit.blm table.csv
printf 'id,name\n2\n\n4,pear\n2\n' >want
same "grep -v --no-key keep --confirm" want
run grep -c --no-key keep --csv name fruit.blm table.csv
same "grep -c counts lines that match, not those without a key" <(echo 2)
run grep --no-key keep --csv name fruit.blm turned.csv
expect "grep: none matched" 1
same "though the header is there" <(echo name,id)
run grep --no-key fail --csv name fruit.blm table.csv
expect "grep --no-key fail" 2 "table.csv: line 3:"

# ---- who takes keys: none at all is a mistake, and nothing is written -----------------------------------------
printf 'a\nb\nc\n' >plain
run build -o none.blm -d, -f 2 plain
expect "build: no line has the field" 2 "no line has a field 2"
check "no file is written" [ ! -e none.blm ]
run build -n 10 -o none.blm -d, -f 2 plain
expect "build -n: no line has the field" 2 "no line has a field 2"
check "no file is written" [ ! -e none.blm ]
cp fruit.blm before.blm
run build -F -o fruit.blm --jsonl .x rows.jsonl
expect "build -F: no line has the path" 2 "no line has a value at .x"
check "the old file is untouched" cmp fruit.blm before.blm
printf 'a\n' | run_in build -o - -d, -f 2 >/dev/null
expect "build to a pipe" 2 "no line has a field 2"
run build -q -o empty.blm /dev/null
expect "an empty input is no mistake" 0
printf 'a,b\n' | run_in build -q -o empty2.blm --csv b
expect "nor is a header alone" 0
echo plum | run_in build -q -t counting -n 10 -o count.blm
for words in "add -i fruit.blm" "add -i count.blm" "rm -i count.blm"; do
    cp "${words##* }" before.blm
    # shellcheck disable=SC2086
    run $words -d, -f 2 plain
    expect "${words%% *}: no line has the field" 2 "no line has a field 2"
    check "${words%% *}: the file is untouched" cmp "${words##* }" before.blm
done
for words in "deny fruit.blm" "test fruit.blm" "count count.blm" "test -q fruit.blm"; do
    # shellcheck disable=SC2086
    run_in $words -d, -f 2 <plain
    expect "$words: no line has the field" 2 "no line has a field 2"
done
for words in "top" "top --exact" "iceberg --min 1" "verify fruit.blm --probes 1000 --against"; do
    # shellcheck disable=SC2086
    run $words plain -d, -f 2
    expect "${words%% *}: no line has the field" 2 "no line has a field 2"
    check "${words%% *}: nothing is printed" [ ! -s out ]
done
for words in "build -n 10 -F -o x.blm" "add -i fruit.blm" "top" "rm -i count.blm"; do
    # shellcheck disable=SC2086
    run $words --no-key fail -d, -f2 gaps
    expect "${words%% *} --no-key fail" 2 "gaps: line 2:"
    # shellcheck disable=SC2086
    run $words --no-key keep -d, -f2 gaps
    expect "${words%% *} --no-key keep: there is nothing to keep them in" 2 "--no-key keep"
done
finish
