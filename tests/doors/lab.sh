#!/usr/bin/env bash
# lab: the list, one small part of each experiment with its files, each verdict (holds, known, FAILS), and bad words.
# tools/check_lab runs the experiments whole: that takes minutes.
. "$(dirname "$0")/lib.bash"
PYTHON=${PYTHON:-python3}
LAB_PLANT=$BUILD/tests/lab_plant
# A folder with all programs of PATH but gnuplot.
mkdir without
for folder in ${PATH//:/ }; do ln -s "$folder"/* without/ 2>/dev/null; done
rm -f without/gnuplot

"$BLOOMERY" lab list >out 2>err
note $?
expect "list" 0 "survey-variants"
check "list names the parts" grep -q '^    crossover ' out
run lab list --json
expect "list --json" 0 '"name":"survey-variants"'

# ---- the smallest part of each experiment, and the verdicts holds and known ----------------------------------
part() { # EXPERIMENT PART ROWS PLOT...: it runs, all of its rows and no others are printed and written, and its plots
    local name=$1 part=$2 rows=$3 plot points
    shift 3
    run lab run "$name" --part "$part" --quick -F -o results
    expect "$name, $part" 0 " hold, "
    check "$name, $part: none fails" grep -qE '^[0-9]+ hold, [0-9]+ known, 0 FAIL' out
    check "$name, $part: nothing on stderr but about gnuplot" sh -c '! grep -v gnuplot err'
    check "$name, $part: the rows hold by their own figures" "$PYTHON" "$SOURCE/tests/doors/lab_rows.py" "results/$name.csv" out "$rows" "$SOURCE/docs/lab.md"
    [ ! -x "$LAB_PLANT" ] || check "$name, $part: every figure that is made wrong FAILS" "$LAB_PLANT" "results/$name.csv"
    check "$name, $part: rows of no other part" sh -c '! tail -n +2 "$1" | grep -v "^\"$2\","' - "results/$name.csv" "$part"
    for plot; do
        points=results/$name-$plot.csv
        check "$name, $part: points of $plot" sh -c 'head -n 1 "$1" | grep -qxE "curve,from,x,y,(low,high|z)" && [ $(wc -l <"$1") -gt 4 ]' - "$points"
        if command -v gnuplot >/dev/null; then
            check "$plot as SVG" grep -q '<svg' "${points%.csv}.svg"
            check "$plot says that the samples are small" grep -q 'quick run: small samples' "${points%.csv}.svg"
            check "$plot as PNG" sh -c 'head -c 4 "$1" | grep -q PNG' - "${points%.csv}.png"
        else
            skip "$plot as picture" "gnuplot is not here"
        fi
    done
}
part survey-variants crossover-point 1 rates crossover
check "plots without points are not written" sh -c '! ls results | grep deleting'
part survey-variants memory-optimized 6
for word in EXPECTED FORMULA MEASURED INTERVAL VERDICT holds "known E27"; do
    check "the table has $word" grep -q "$word" out
done
part survey-variants deleting-curves 0 deleting
part generalized table-1 35
part generalized figure-12b 36 figure-12b
check "generalized: a surface has three axes" grep -qx curve,from,x,y,z results/generalized-figure-12b.csv
part growth overflow 5 figure-5
part growth whole 4
part growth figure-7 36
part growth defined 0 rate bits
part streams bound-curve 3 bound
part streams aging 6
part streams weighted 9
part adaptive sequence 6
part adaptive sizes 5 fig6
for name in $("$BLOOMERY" lab list | sed -n 's/^\([a-z][^ ]*\) .*/\1/p'); do
    check "a part of $name was run" test -s "results/$name.csv"
done

# ---- files and threads -----------------------------------------------------------------------------------------
run lab run survey-variants --part partitioned --quick -F -o results
expect "three cases, as many threads as cores" 0 " hold, "
cp results/survey-variants.csv first.csv
run lab run survey-variants --part partitioned --quick -o results
expect "nothing is overwritten without -F" 2 "-F"
check "before anything is measured" [ ! -s out ]
for threads in 1 5; do
    PATH=$work/without run lab run survey-variants --part partitioned --quick --json -j $threads -F -o results
    expect "--json, without gnuplot, -j $threads, -F" 0 "gnuplot is not in PATH"
    check "-j $threads: two runs give the same rows, whatever the threads" cmp first.csv results/survey-variants.csv
    check "-j $threads: one sentence on stderr" [ "$(wc -l <err)" = 1 ]
    [ $threads = 1 ] && cp out printed
    check "-j $threads: and they are printed in the same order" cmp out printed
done
run lab run survey-variants --part memory-optimized --quick --json
check "an object a row" "$PYTHON" -c '
import json
rows = [json.loads(l) for l in open("out")]
assert len(rows) == 6 and {r["experiment"] for r in rows} == {"survey-variants"}
assert {r["verdict"] for r in rows} == {"holds", "known"}'

# ---- bad words ------------------------------------------------------------------------------------------
run lab run survey-varaints
expect "an unknown experiment suggests the nearest" 2 "did you mean survey-variants?"
run lab run survey-variants --part crosover
expect "an unknown part suggests the nearest" 2 "did you mean crossover?"
run lab run survey-variants --part table-1
expect "a part of another experiment" 2 "survey-variants has no such part"
run lab run all --part table-1
expect "--part with all" 2 "name one experiment"
check "before anything is measured" [ ! -s out ]
run lab run growth --quick --huge
expect "small and huge samples" 2 "contradict each other"
run lab run frobnicate
expect "one that is near to none" 2 "lab list"
run lab runn survey-variants
expect "a wrong word suggests the nearest" 2 "did you mean run?"
run lab run
expect "run without a name" 2 "missing argument: bloomery lab run NAME"
run lab list all
expect "list with a name" 2 "unexpected argument"
run lab
expect "no word" 2 "usage: bloomery lab"
: >file
run lab run survey-variants --part crossover-point --quick -o file/results
expect "a folder that cannot be" 2 "-o file/results: Not a directory"
run lab run survey-variants --part crossover-point --quick -o file
expect "a file is no folder" 2 "-o file: Not a directory"
run lab run survey-variants --part crossover-point --quick -o ''
expect "no name" 2 "not a valid folder name"
check "before anything is measured" [ ! -s out ]
if [ "$(id -u)" != 0 ]; then
    mkdir -m 555 shut
    run lab run survey-variants --part crossover-point --quick -o shut
    expect "a folder that may not be written" 2 "Permission denied"
else
    run lab run survey-variants --part crossover-point --quick -o /proc
    expect "a folder that may not be written" 2 "/proc"
fi

# ---- a kind that is wrong -------------------------------------------------------------------------------
if [ -x "${BLOOMERY_BROKEN:-}" ]; then
    BLOOMERY=$BLOOMERY_BROKEN
    fails() { # EXPERIMENT PART ROWS: it ends with 1, and the rows that match ROWS FAIL, no others
        run lab run "$1" --part "$2" --quick -F -o broken
        expect "broken: $1, $2: exit 1" 1 "FAILS"
        check "broken: its rows FAIL, in the CSV too" grep -q "^\"$2\",\"$3.*,FAILS\$" "broken/$1.csv"
        check "broken: no other row does" sh -c '! grep ",FAILS\$" "$1" | grep -v "^\"$2\",\"$3"' - "broken/$1.csv" "$2" "$3"
    }
    fails survey-variants crossover two-choice
    fails generalized table-1 ''
    check "broken: standard filters do not" sh -c '! grep ",FAILS\$" broken/generalized.csv | grep standard'
    fails generalized figure-7 k0
    fails adaptive sequence ''
    fails growth figure-7 'm/n'
    for sound in "generalized figure-2" "adaptive sizes" "growth whole"; do
        # shellcheck disable=SC2086 # two words
        set -- $sound
        run lab run "$1" --part "$2" --quick
        expect "broken: $sound asks no broken kind" 0 " 0 FAIL"
    done
else
    skip "a broken kind" "the program with it was not built"
fi
finish
