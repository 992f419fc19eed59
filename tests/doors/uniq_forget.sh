#!/usr/bin/env bash
# uniq --window -t: constant memory against the exact window, by the clock, by lines and by --time; --state through kills.
. "$(dirname "$0")/lib.bash"
if ! "$BLOOMERY" kinds --json | grep -q '"name":"window"'; then
    skip "uniq_forget" "this build has no kind window"
    finish
fi
window="-t window --window 10m --time 1 -f 2"

# ---- the exact window replays logs: awk knows when each key came last ---------------------------------------
awk 'BEGIN { srand(1); for (i = 0; i < 100000; i++) printf "%.3f\tkey%d\n", 1767225600 + i / 50, int(rand() * 30000) }' >log
awk -F'\t' '!($2 in last) || $1 - last[$2] > 600.0001; { last[$2] = $1 }' log >want
for j in 1 2; do
    run uniq -q -j $j --window 10m --time 1 -f 2 log
    expect "--window 10m --time, -j $j" 0
    check "the lines of awk" cmp want out
done
awk '{ print strftime("%Y-%m-%dT%H:%M:%SZ", 1767225600 + NR, 1) "," NR % 7 }' log 2>/dev/null | head -n 1000 >dates
if [ -s dates ]; then
    run uniq -q --window 6s --time 1 -d , -f 2 dates
    check "dates: 6 seconds drop nothing of what comes every 7" cmp dates out
    run uniq -q --window 7s --time 1 -d , -f 2 dates
    check "7 seconds drop all but the first" [ "$(wc -l <out)" = 7 ]
fi
sed '50000s/^[^\t]*/1767225600/' log >back
for kind in "" "-t window -n 30000"; do
    for j in 1 2; do
        # shellcheck disable=SC2086
        run uniq -q -j $j --window 10m $kind --time 1 -f 2 back
        expect "a time that goes back ($kind -j $j)" 2 "back: line 50000: its time, 2026-01-01T00:00:00Z, is before 2026-01-01T00:16:39.960Z"
        # shellcheck disable=SC2086
        head -n 49999 log | "$BLOOMERY" uniq -q --window 10m $kind --time 1 -f 2 >want.back
        check "what was printed is right, and all of it" cmp want.back out
    done
done

# ---- a filter for the window: what it drops, the exact one drops, but for its rate ------------------------------
# Evenly, 30000 keys come in 30000 lines of 10 minutes: at most 30000 different ones, and as many in each slice.
run uniq --json $window -n 30000 -p 1e-6 log
expect "-t window" 0
said=$(json_of expected_lost_share err)
check "it says how many are lost ($said)" awk -v s="$said" 'BEGIN { exit !(s > 0 && s < 1e-6) }'
cp out filtered
# What the filter prints and exact does not: none. What exact prints and it does not came between one window and a
# slice more (85.715 s) before. At a rate of 1e-6 none of the 60000 lines is lost by chance (P = 0.06 for one, seed 1).
check "no repeat within the window comes out" [ -z "$(comm -13 <(sort want) <(sort filtered))" ]
awk -F'\t' '{ age = $2 in last ? $1 - last[$2] : 1e9; if (age > 685.8) print; last[$2] = $1 }' log >gone
check "none that is older by a slice is dropped" [ -z "$(comm -23 <(sort gone) <(sort filtered))" ]
for j in 1 2; do
    run uniq -q -j $j $window -n 30000 -p 1e-6 log
    check "-j $j: the same lines" cmp filtered out
done
cut -f 2 log >keys
for n in 1 64 1000 30000; do
    # By lines a slice is a 7th of the window, rounded up: between the two windows both may do.
    run uniq -q --window $n keys
    cp out narrow
    run uniq -q --window $((n + (n + 6) / 7)) keys
    cp out wide
    run uniq -q -t window --window $n -p 1e-6 keys
    expect "-t window --window $n" 0
    check "of the exact windows around it, all of the wide" [ "$(sort wide | comm -23 - <(sort out) | wc -l)" = 0 ]
    check "and none but those of the narrow" [ "$(sort out | comm -23 - <(sort narrow) | wc -l)" = 0 ]
done
# One line at a time and all at once: a batch sees its own repeats.
printf 'a\na\nb\na\nb\nc\n' >twins
run uniq -q -t window --window 3 twins
check "repeats within a batch" cmp out <(printf 'a\nb\nc\n')
{ printf 'a\nb\na\n'; sleep 2.2; printf 'a\nb\na\n'; } | run_in uniq -q -t window --window 1s -n 10
check "the clock of this machine: after a second and a slice, lines are new" cmp out <(printf 'a\nb\na\nb\n')
if command -v python3 >/dev/null; then
    check "tools/uniq_window: 200000 lines" python3 "$SOURCE/tools/uniq_window" "$BLOOMERY" 200000
else
    skip "tools/uniq_window" "no python3"
fi

# ---- every kind that counts arrivals: no repeat within the window but of those that may miss some; an image goes on ------
"$BLOOMERY" kinds --json >kinds.json
head -n 40000 keys >some
run uniq -q --window 5000 some
cp out exact
for kind in window stable decaying aging double-buffer; do
    if ! grep -q "\"name\":\"$kind\"" kinds.json; then
        skip "$kind" "this build has no such kind"
        continue
    fi
    rm -f k.blm
    run uniq -q -t $kind --window 5000 some
    expect "-t $kind" 0
    cp out whole
    [ $kind = stable ] || check "$kind: no repeat within the window" [ -z "$(comm -13 <(sort exact) <(sort whole))" ]
    head -n 17001 some | run_in uniq -q -t $kind --window 5000 --state k.blm
    cp out begun
    tail -n +17002 some | run_in uniq -q -t $kind --window 5000 --state k.blm
    check "$kind: from an image as without one" cmp whole <(cat begun out)
    run uniq -q -t $kind --window 10m -n 5000 some
    [ $kind = window ] || expect "$kind: a window of time" 2 "kind $kind counts lines and knows no time"
done

# ---- too many ----------------------------------------------------------------------------------------------------
run uniq $window -n 1000 log
expect "more lines than -n within a window" 4 "Use a larger -n, or --overfill"
check "what was printed is right" [ -z "$(comm -13 <(sort want) <(sort out))" ]
run uniq $window -n 1000 --overfill log
expect "--overfill tells the rate" 0 "warning: more lines than -n came within the window: the rate is"
run uniq $window -n 1e7 --ram 1MiB log
expect "more than --ram" 4 "smaller -n"

# ---- the state: it goes on where it stopped ------------------------------------------------------------------------
head -n 40000 log >part1
tail -n +40001 log >part2
run uniq -q $window -n 30000 -p 1e-6 --state s.blm part1
expect "--state: made" 0
cp out both
check "it is a filter" "$BLOOMERY" verify -q s.blm
run uniq -q $window -n 30000 -p 1e-6 --state s.blm part2
expect "--state: gone on from" 0
cat out >>both
check "as if it had never stopped" cmp both filtered
cp s.blm was.blm
run uniq -q $window -n 30000 -p 1e-6 --state s.blm part1
expect "a log from before it" 2 "part1: line 1: its time, 2026-01-01T00:00:00Z, is before 2026-01-01T00:33:19.980Z, the time of the filter"
for other in "-n 20000 -p 1e-6|-n 30000, not 20000" "-n 30000 -p 1e-5|-p 1e-06, not 1e-05" \
    "-n 30000 -p 1e-6 --set slices=14|other settings" "-n 30000 -p 1e-6 --lower|another form" \
    "-n 30000 -p 1e-6 --window 11m|another --window"; do
    # shellcheck disable=SC2086
    run uniq -q $window ${other%|*} --state s.blm part2
    expect "--state of ${other%|*}" 2 "${other#*|}"
done
check "it has not changed" cmp s.blm was.blm
run uniq -q $window -n 30000 --state part1 part1
expect "--state is an input" 2 "also one of the inputs"
run uniq -q $window -n 30000 --state part2 part1
expect "--state is no filter" 3 "not a Bloomery filter"
run uniq -q $window -n 30000 --state nowhere/s.blm part1
expect "--state in no folder" 2 "nowhere/s.blm"
rm -f s.blm

# wait_for FILE LINES: at most 10 s
wait_for() { for _ in $(seq 200); do [ "$(wc -l <"$1")" -ge "$2" ] && return; sleep 0.05; done; false; }
for sig in TERM INT; do
    rm -f s.blm sleeper
    mkfifo pipe
    # A shell gives what it starts in the background SIGINT ignored: python3 has no such habit.
    { cat part1; sleep 30 & echo $! >sleeper; wait; } >pipe 2>/dev/null &
    feeder=$!
    if [ $sig = INT ] && ! command -v python3 >/dev/null; then
        kill $feeder; rm pipe; skip "SIGINT" "no python3"; continue
    fi
    # shellcheck disable=SC2086
    if [ $sig = INT ]; then
        python3 -c 'import os, signal, sys; signal.signal(signal.SIGINT, signal.SIG_DFL); os.execv(sys.argv[1], sys.argv[1:])' \
            "$BLOOMERY" uniq $window -n 30000 -p 1e-6 --state s.blm <pipe >first 2>said &
    else
        "$BLOOMERY" uniq $window -n 30000 -p 1e-6 --state s.blm <pipe >first 2>said &
    fi
    pid=$!
    wait_for first "$(awk 'END { print NR }' <("$BLOOMERY" uniq -q $window -n 30000 -p 1e-6 part1))"
    kill -$sig $pid
    wait $pid
    code=$?
    check "SIG$sig ends it by the signal" [ $code = $((128 + $([ $sig = TERM ] && echo 15 || echo 2))) ]
    kill "$(cat sleeper)" $feeder 2>/dev/null
    wait $feeder 2>/dev/null
    rm pipe
    check "SIG$sig: the summary" grep -q "40000 lines in" said
    run uniq -q $window -n 30000 -p 1e-6 --state s.blm part2
    check "SIG$sig: it goes on from the image" cmp filtered <(cat first out)
done

# kill -9: what was printed since the last write may come again, nothing is lost. Every second of waiting is a slice here.
rm -f s.blm sleeper pid
{ head -n 20000 log; sleep 1.3; sed -n '20001,40000p' log; sleep 1.3; sed -n '40001,60000p' log; sleep 30 & echo $! >sleeper; wait; } |
    { # shellcheck disable=SC2086
        "$BLOOMERY" uniq -q $window -n 30000 -p 1e-6 --state s.blm >first 2>said & echo $! >pid; wait; } 2>/dev/null &
for _ in $(seq 200); do [ -s sleeper ] && [ -s pid ] && break; sleep 0.05; done
sleep 0.3
kill -9 "$(cat pid)"
kill "$(cat sleeper)" 2>/dev/null
wait 2>/dev/null
time_of_state=$("$BLOOMERY" info --json s.blm | sed -n 's/.*"now":\([0-9]*\).*/\1/p')
check "kill -9: it was written on the way, at $time_of_state" [ "$time_of_state" -ge 1767225999980 ]
check "the image is whole" "$BLOOMERY" verify -q s.blm
awk -F'\t' -v t="$time_of_state" '$1 * 1000 > t + 0.5' log >rest
run uniq -q $window -n 30000 -p 1e-6 --state s.blm rest
expect "it goes on from the image" 0
check "no line is lost" [ -z "$(comm -23 <(sort filtered) <(cat first out | sort -u))" ]
check "those that come again are after the last write" [ -z "$(cat first out | sort | uniq -d | comm -23 - <(sort rest))" ]
# The reader of its output stopped: the first part fills the pipe, and the second must not be in the image before it is out.
head -c 65500 filtered | sed '$d' >fits
rm -f s.blm pid sleeper
mkfifo out.pipe
exec 3<>out.pipe
{ cat fits; sleep 1.3; sed -n '20001,21000p' log; sleep 30 & echo $! >sleeper; wait; } |
    { # shellcheck disable=SC2086
        "$BLOOMERY" uniq -q $window -n 30000 -p 1e-6 --state s.blm >out.pipe 2>said 3>&- & echo $! >pid; wait; } 2>/dev/null &
for _ in $(seq 200); do [ -s sleeper ] && [ -s pid ] && break; sleep 0.05; done
sleep 0.5
kill -9 "$(cat pid)"
kill "$(cat sleeper)" 2>/dev/null
cat out.pipe >first 3>&- &
sleep 0.2
exec 3>&-
wait 2>/dev/null
time_of_state=$("$BLOOMERY" info --json s.blm | sed -n 's/.*"now":\([0-9]*\).*/\1/p')
{ cat fits; sed -n '20001,21000p' log; } | "$BLOOMERY" uniq -q $window -n 30000 -p 1e-6 |
    awk -F'\t' -v t="$time_of_state" '$1 * 1000 <= t + 0.5' >must
check "what the image has is out ($(wc -l <must) of $(wc -l <first) lines)" cmp -n "$(size_of must)" must first
check "some of it did not fit" [ "$(wc -l <first)" -lt $(($(wc -l <fits) + 900)) ]
check "nothing else is left in the folder" [ "$(temps_in .)" = 0 ]

# ---- what does not go together -----------------------------------------------------------------------------------
while IFS='|' read -r options sentence; do
    # shellcheck disable=SC2086
    run uniq $options log
    expect "uniq $options" 2 "$sentence"
done <<'REFUSED'
-t window|also give --window
-t window --window 10m|also give -n N: how many distinct lines come within 10m?
-t windw --window 10m -n 5|did you mean
-t blocked --window 10m -n 5|its lines would not expire
-t window --window 10 -n 5 --repeated|leave -t out
-t window --window 10 -n 5 --lost 3|use -p
-t window --window 10 --time 1|counts lines; give a time such as 10m
--window 10 --time 1|counts lines; give a time such as 10m
--time 1|only a window has times
--window 10m -n 5|with -t window
--window 10m -p 1%|needs -t KIND
--window 10m --set slices=3|needs -t KIND
--window 10m --state x|needs -t KIND
--exact --time 1|--exact has no window
-c -t window|exact counts need all lines
-u --state x|exact counts need all lines
-t window --window 10 --set slice=3|slices
REFUSED
finish
