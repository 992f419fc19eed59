#!/usr/bin/env bash
# lab: what there is, a quick run with its files, and that a kind which is wrong gives FAILS.
. "$(dirname "$0")/lib.bash"
PYTHON=${PYTHON:-python3}
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

begin=$SECONDS
run lab run survey-variants --quick -o results
expect "a quick run" 0 " hold, "
check "none fails" grep -qE '^[0-9]+ hold, [0-9]+ known, 0 FAIL' out
check "nothing on stderr but about gnuplot" sh -c '[ -z "$(grep -v gnuplot err)" ]'
echo "a quick run: $((SECONDS - begin)) s"
for word in EXPECTED FORMULA MEASURED INTERVAL VERDICT holds "known E27"; do
    check "the table has $word" grep -q "$word" out
done
cat >rows.py <<'P'
import csv, json, re, sys
rows = list(csv.DictReader(open("results/survey-variants.csv")))
number = lambda r, k: float(r[k]) if r[k] else None
assert len(rows) > 40, len(rows)
for r in rows:
    assert r["verdict"] in ("holds", "known") and (r["known"] != "") == (r["verdict"] == "known"), r
    low, high, measured = (number(r, k) for k in ("low", "high", "measured"))
    assert low <= measured <= high, r
    if r["verdict"] == "known": continue
    for bound, sign in (("at_most", 1), ("at_least", -1)):
        if r[bound]: assert sign * (high if sign > 0 else low) <= sign * number(r, bound), r
    if r["formula_low"] and low < high:  # 99.99 % is 1.6 times as wide as 99 % where the interval is not skewed
        assert low - 2 * (measured - low) <= number(r, "formula_high"), r
        assert number(r, "formula_low") <= high + 2 * (high - measured), r
shown = [l for l in open("out") if re.search(r" (holds|known|FAILS)( \w+)?$", l)]
assert len(shown) == len(rows), (len(shown), len(rows))
P
check "the CSV has every row, and they hold by its own figures" "$PYTHON" rows.py
for plot in rates crossover deleting; do
    check "points of $plot" sh -c "head -n 1 results/survey-variants-$plot.csv | grep -qx curve,from,x,y,low,high && [ \$(wc -l <results/survey-variants-$plot.csv) -gt 40 ]"
    if command -v gnuplot >/dev/null; then
        check "$plot as SVG" grep -q '<svg' "results/survey-variants-$plot.svg"
        check "$plot as PNG" sh -c "head -c 4 results/survey-variants-$plot.png | grep -q PNG"
    else
        skip "$plot as picture" "gnuplot is not here"
    fi
done
cp results/survey-variants.csv first.csv

# ---- the papers ------------------------------------------------------------------------------------------
quick() { # quick EXPERIMENT ROWS PLOT...: a run, none fails, so many rows at least, points of each plot
    local name=$1 rows=$2
    shift 2
    begin=$SECONDS
    run lab run "$name" --quick -o results
    expect "$name, a quick run" 0 " hold, "
    check "$name: none fails" grep -qE '^[0-9]+ hold, [0-9]+ known, 0 FAIL' out
    echo "$name, a quick run: $((SECONDS - begin)) s"
    check "$name: rows" [ "$(wc -l <"results/$name.csv")" -gt "$rows" ]
    for plot; do
        check "$name: points of $plot" [ "$(wc -l <"results/$name-$plot.csv")" -gt 30 ]
        command -v gnuplot >/dev/null || continue
        check "$name: $plot as SVG" grep -q '<svg' "results/$name-$plot.svg"
    done
}
quick generalized 400 figure-2 figure-3 figure-5a figure-5b figure-6 figure-7a figure-7b figure-8 figure-9 \
    figure-10a figure-10b figure-11 figure-12a figure-12b
# 200 cells of tables 1 to 8; what is printed is the equation rounded, but for 14 of them
check "generalized: 200 cells" [ "$(grep -c '^"table-[1-8]","p0 ' results/generalized.csv)" = 200 ]
for known in G1:8 G2:4 G3:1 G4:1; do
    check "generalized: ${known#*:} cells are known as ${known%:*}" \
        [ "$(grep -c "^\"table-.*,known,${known%:*}\$" results/generalized.csv)" = "${known#*:}" ]
done
check "generalized: a surface has three axes" grep -qx curve,from,x,y,z results/generalized-figure-12b.csv

run lab run survey-variants --quick -o results
expect "nothing is overwritten without -F" 2 "-F"
check "before anything is measured" [ ! -s out ]
PATH=$work/without run lab run all --quick --json -j 1 -F -o results
expect "all, --json, without gnuplot, one thread, -F" 0 "gnuplot is not in PATH"
check "two runs give the same rows, whatever the threads" cmp first.csv results/survey-variants.csv
check "one sentence an experiment on stderr" [ "$(wc -l <err)" = "$("$BLOOMERY" lab list | grep -vc "^ ")" ]
check "an object a row" "$PYTHON" -c '
import json
rows = [json.loads(l) for l in open("out")]
ours = [r for r in rows if r["experiment"] == "survey-variants"]
assert len(ours) == len(open("first.csv").readlines()) - 1
assert {r["verdict"] for r in rows} == {"holds", "known"}'

# ---- bad words ------------------------------------------------------------------------------------------
run lab run survey-varaints
expect "an unknown experiment suggests the nearest" 2 "did you mean survey-variants?"
run lab run frobnicate
expect "one that is near to none" 2 "lab list"
run lab runn survey-variants
expect "a wrong word suggests the nearest" 2 "did you mean run?"
run lab run
expect "run without a name" 2 "say which"
run lab list all
expect "list with a name" 2 "no further word"
run lab
expect "no word" 2 "usage: bloomery lab"
: >file
run lab run survey-variants --quick -o file/results
expect "a folder that cannot be" 2 "-o file/results: Not a directory"
run lab run survey-variants --quick -o file
expect "a file is no folder" 2 "-o file: Not a directory"
run lab run survey-variants --quick -o ''
expect "no name" 2 "not a name for a folder"
check "before anything is measured" [ ! -s out ]
if [ "$(id -u)" != 0 ]; then
    mkdir -m 555 shut
    run lab run survey-variants --quick -o shut
    expect "a folder that may not be written" 2 "Permission denied"
else
    run lab run survey-variants --quick -o /proc
    expect "a folder that may not be written" 2 "/proc"
fi

# ---- a kind that is wrong -------------------------------------------------------------------------------
if [ -x "${BLOOMERY_BROKEN:-}" ]; then
    BLOOMERY=$BLOOMERY_BROKEN
    run lab run survey-variants --quick -o broken
    expect "a broken two-choice: exit 1" 1 "FAILS"
    check "its rows FAIL, and they are named in the CSV" grep -q '^"crossover","two-choice, .*,FAILS,$' broken/survey-variants.csv
    check "no other row does" [ -z "$(grep FAILS broken/survey-variants.csv | grep -v two-choice)" ]
    run lab run generalized --quick -o broken
    expect "a broken generalized: exit 1" 1 "FAILS"
    for part in table-1 table-8 figure-7 figure-8 figure-11 traceback; do
        check "a broken generalized: $part FAILS" grep -q "^\"$part\",.*,FAILS,$" broken/generalized.csv
    done
    check "standard filters do not" [ -z "$(grep FAILS broken/generalized.csv | grep -E '^"figure-[23]|standard')" ]
    run lab run adaptive --quick -o broken
    expect "an adaptive whose words never change: exit 1" 1 "FAILS"
    for part in sequence model groups zipf packets; do
        check "rows of $part FAIL" grep -q "^\"$part\",.*,FAILS,\$" broken/adaptive.csv
    done
    check "Bloom-1 and the flows do not" [ -z "$(grep FAILS broken/adaptive.csv | grep -E '^"(sizes|model",".*Bloom-1"|zipf",".*, Bloom-1")')" ]
else
    skip "a broken kind" "the program with it was not built"
fi
finish
