#!/usr/bin/env bash
# grep -n -H -l -m: as grep has them.
. "$(dirname "$0")/lib.bash"
seq 3 7 5000 >keys
seq 1 2000 >a
seq 1500 4000 >b
seq 6000 7000 >c
run build -q -p 1e-12 -o f.blm keys
same() { # NAME OPTIONS: the output and the exit code are those of grep -Fx with the same keys
    local options=$1 code
    shift
    # shellcheck disable=SC2086
    grep -Fxf keys $options "$@" >want
    code=$?
    # shellcheck disable=SC2086
    run grep -j $j ${options//-h/} f.blm "$@"
    expect "grep $options $* -j $j" $code
    check "grep $options $*: the output of grep" cmp out want
}
for j in 1 2; do
    for options in -n "-n -v" "-m 3" "-n -m 3" "-c -m 3" "-H" "-nH" "-Hm2 -v" "-Hc" "-l" "-lv" "-lm1" "-lc" "-q" "-qm5"; do
        same "$options" a
    done
    same "-nH" a b c
    same "-Hc" a b c
    same "-l" a b c
    same "-lv" a b c
    same "-h -n -m 2" a b c
    same "-n" c
    same "-l" c
    same "-Hm 1" c
done
run_in grep -nHm1 f.blm <a
check "standard input has grep's name for it" cmp out <(echo "(standard input):3:3")
run_in grep -l f.blm c - <a
check "and by -" cmp out <(echo "(standard input)")
run grep -c -m 3 f.blm a b c
check "-c -m: one total, of at most N lines of each" cmp out <(echo 6)
run grep -Hc --json f.blm a c
check "-Hc --json" cmp out <(printf '{"file":"a","count":286}\n{"file":"c","count":0}\n')
printf 'a,b\nx,3\ny,4\nz,10\n' >table
run grep -n --csv b f.blm table
check "-n --csv: records, the header among them" cmp out <(printf '2:x,3\n4:z,10\n')
run grep -n --csv b --no-key keep f.blm table
check "and with the header" cmp out <(printf '1:a,b\n2:x,3\n4:z,10\n')
printf '1\0003\00010\000' | run_in grep -nz f.blm
check "-n -z" cmp out <(printf '2:3\0003:10\000')
run grep -n -m 1 f.blm a nowhere
expect "an INPUT that is not there" 2 "nowhere"
for option in -n -H -l "-m 1"; do
    # shellcheck disable=SC2086
    run grep $option --confirm keys f.blm a
    expect "$option with --confirm" 2 "cannot be combined with"
done
run grep -lc --json f.blm a
expect "-l with --json" 2 "leave one of the two out"
run grep -m 0 f.blm a
expect "-m 0" 2 "-m 0: must be from 1 to"
finish
