#!/usr/bin/env bash
# Several filters at a time: info, verify and test -a; and the -n that makes two filters fit for merge.
. "$(dirname "$0")/lib.bash"
tab=$(printf '\t')
seq 1000 >list
seq 501 1700 >other
run build -q -n 2000 -p 1e-9 -o a.blm list
run build -q -n 2000 -p 1e-9 -o b.blm other
echo no filter >text

# ---- info and verify ----------------------------------------------------------------------------------
run info a.blm b.blm
expect "info of two" 0
check "each is described" [ "$(grep -cE '^[ab]\.blm$' out)" = 2 ]
run info --json a.blm b.blm
check "info --json: one object per line" [ "$(grep -c '^{.*}$' out)" = 2 ]
run info text a.blm none.blm b.blm
expect "info goes on after a failure, and ends with the highest code" 3 "none.blm"
check "the others are described" [ "$(grep -cE '^[ab]\.blm$' out)" = 2 ]
check "nobody says that two are swapped" [ "$(grep -c swapped err)" = 0 ]
run_in info - - <a.blm
expect "two by one pipe" 2 "one image"
run verify --probes 1000 --json a.blm b.blm
expect "verify of two" 0
check "verify --json: one object per line" [ "$(grep -c '"checksum":"ok"' out)" = 2 ]
run verify --probes 1000 --against list a.blm b.blm
expect "verify --against: the worst of two" 1 "false negatives  0 of 1000"
check "each has a verdict" [ "$(grep -c verdict out)" = 2 ]
run verify -q --probes 1000 a.blm text
expect "verify -q of a file that is no filter" 3 "text"
run verify --against - a.blm b.blm
expect "a list by a pipe is read once" 2 "--against -"
tr a-z A-Z <<<plum >upper
run build -q --lower -p 1e-9 -o low.blm upper
run build -q -p 1e-9 -o up.blm upper
run verify --probes 1000 --against upper low.blm up.blm
expect "each filter reads the list in its own form" 0

# ---- test -a ----------------------------------------------------------------------------------------------
run test -a a.blm b.blm -- 7
expect "test -a" 0
check "names the filter that matches" cmp out <(printf 'a.blm\t7\tmaybe\n')
run test -a a.blm b.blm -- 700 1600 none
check "all that match, key by key" cmp out <(printf 'a.blm\t700\tmaybe\nb.blm\t700\tmaybe\nb.blm\t1600\tmaybe\n')
run test -a a.blm b.blm -- none
expect "none" 1
check "prints nothing" [ ! -s out ]
run test -aq a.blm b.blm -- 7
expect "test -aq" 0
check "prints nothing either" [ ! -s out ]
run test -a --json a.blm b.blm -- 7
check "test -a --json answers for each" cmp out <(printf '{"file":"a.blm","key":"7","answer":"maybe"}\n{"file":"b.blm","key":"7","answer":"no"}\n')
run test -a a.blm text -- 7
expect "one that is no filter" 3 "a.blm${tab}7${tab}maybe"
run test -a a.blm b.blm
expect "without --" 2 "put the FILEs before -- and the KEYs after it"
run test -a -- a.blm 7
expect "without a FILE" 2 "put the FILEs before -- and the KEYs after it"
run test -a low.blm up.blm -- PLUM
check "each filter takes the key in its own form" [ "$(wc -l <out)" = 2 ]

# ---- merge ---------------------------------------------------------------------------------------------------
run build -q -o a1.blm list
run build -q -p 1% -o b1.blm other
run merge -o ab.blm a1.blm b1.blm
expect "merge of unequal plans says how to build both" 5 "build both with -n 22"
options=$(sed -n 's/.*build both with \(-n [0-9]* -p [0-9.]*\).*/\1/p' err)
check "for the keys of both, at the lower rate: $options" grep -qE '^-n 2[12][0-9][0-9] -p 0\.001$' <<<"$options"
# shellcheck disable=SC2086
run build -qF $options -o a1.blm list
# shellcheck disable=SC2086
run build -qF $options -o b1.blm other
run merge -o ab.blm a1.blm b1.blm
expect "and so it does" 0
check "without a warning" [ "$(wc -l <err)" = 1 ]
run build -q -n 1500 -o c.blm list
run overlap c.blm a1.blm
expect "overlap: the larger plan" 5 "build both with -n 22"
run build -q -t counting -n 2000 --set width=4 -o w4.blm list
run build -q -t counting -n 2000 --set width=8 -o w8.blm list
run merge -o w.blm w4.blm w8.blm
expect "filters of two settings" 5 "--set"
finish
