#!/usr/bin/env bash
# Keys that expire by the clock: build, add and questions tick to the clock of the machine, to --now, or to the time of
# each line (--time); the verb tick. Days and instants are those of GNU date.
. "$(dirname "$0")/lib.bash"
if ! "$BLOOMERY" kinds --json | grep -q '"name":"window"'; then
    skip "clock" "this build has no kind window"
    finish
fi
at() { date -u -d "$1" +%s; }
# now_of FILE: the time of an image, in ms.
now_of() { "$BLOOMERY" info --json "$1" | sed -n 's/.*"now":\([0-9]*\).*/\1/p'; }

# ---- what a time is: each text and its milliseconds ---------------------------------------------------
window="--set window=7d -t window -n 100"
while read -r ms text; do
    printf '%s\tkey\n' "$text" >one
    # shellcheck disable=SC2086
    run build -qF -o t.blm $window -f 2 --time 1 one
    expect "time $text" 0
    check "$text is $ms" [ "$(now_of t.blm)" = "$ms" ]
done <<TIMES
$(at 2026-11-19T12:00:00Z)000 2026-11-19T12:00:00Z
$(at 2026-11-19T12:00:00Z)000 2026-11-19 12:00:00
$(at 2026-11-19T11:00:00Z)000 2026-11-19T12:00:00+01:00
$(at 2026-11-19T17:30:00Z)000 2026-11-19t12:00-0530
$(at 2026-11-19T12:00:00Z)250 2026-11-19T12:00:00.25Z
$(at 2026-11-19T12:00:00Z)123 2026-11-19T12:00:00,123999z
$(at 2024-02-29T23:59:59Z)000 2024-02-29T23:59:59
$(at 2024-03-01)000 2024-03-01
$(at 2000-12-31)000 2000-12-31
$(at 2100-03-01)000 2100-03-01
0 1970-01-01
1767225600000 1767225600
1767225600500 1767225600.5
99999999999000 99999999999
100000000000 100000000000
1767225600123 1767225600123
TIMES
while read -r text; do
    printf '1\ta\n%s\tkey\n' "$text" >one
    # shellcheck disable=SC2086
    run build -qF -o no.blm $window -f 2 --time 1 one
    expect "no time: $text" 2 "line 2: $text: not a time"
done <<TIMES
x
2026-02-29
2100-02-29
1969-12-31T23:59:59Z
2026-13-01
2026-11-19T25:00
2026-11-19T12:00:00+1
2026-11-19T12
1767225600123456
-5
1.
5s
TIMES
check "nothing was written" [ ! -e no.blm ]
printf '1\ta\n\tb\n' >one
# shellcheck disable=SC2086
run build -qF -o no.blm $window -f 2 --time 1 one
expect "an empty time" 2 "line 2"
printf 'a\n' >one
# shellcheck disable=SC2086
run build -qF -o no.blm $window -f 1 --time 2 one
expect "no field with a time" 2 "line 1: no time: it has no field 2"

# ---- columns and paths ----------------------------------------------------------------------------------
printf 'who,at\nann,2026-11-19T12:00:00Z\n"b ""x""",2026-11-19T13:00:00Z\n' >log.csv
# shellcheck disable=SC2086
run build -qF -o t.blm $window --csv who --time at log.csv
expect "--csv: a column" 0
check "the last one" [ "$(now_of t.blm)" = "$(at 2026-11-19T13:00:00Z)000" ]
run test --now last t.blm ann 'b "x"' who
expect "its keys" 1 "$(printf 'ann\tmaybe\nb "x"\tmaybe\nwho\tno')"
# shellcheck disable=SC2086
run build -qF -o no.blm $window --csv who --time when log.csv
expect "no such column" 2 "no column is named when"
printf '{"t":{"at":1767225600.5},"who":"ann"}\n{"t":{"at":"2026-01-01T00:00:01Z"},"who":"bob"}\n{"t":{}}\n' >log.json
# shellcheck disable=SC2086
run build -qF -o t.blm $window --jsonl .who --time .t.at log.json
expect "--jsonl: a path; a line without a key needs no time" 0
check "its time" [ "$(now_of t.blm)" = 1767225601000 ]
printf '{"who":"eve"}\n' >>log.json
# shellcheck disable=SC2086
run build -qF -o no.blm $window --jsonl .who --time .t.at log.json
expect "no value at the path" 2 "line 4: no time: it has no value at .t.at"
# shellcheck disable=SC2086
run build -qF -o no.blm $window --jsonl .who --time t log.json
expect "--time is a path" 2 "--time t: a path must begin with a dot"
# shellcheck disable=SC2086
run build -qF -o no.blm $window -f 2 --time x one
expect "--time is a number" 2 "--time x: must be the number of a field"

# ---- times that go back: the line is named, nothing is written, whatever -j ---------------------------------
awk 'BEGIN { for (i = 0; i < 200000; i++) printf "%d.%03d\tkey%d\n", 1767225600 + i / 1000, i % 1000, i }' >long
for j in 1 2; do
    # shellcheck disable=SC2086
    run build -qF -j $j -o t$j.blm -t window --set window=10m -n 200000 --set burst=7 -f 2 --time 1 long
    expect "-j $j: 200000 lines" 0
done
check "the same bytes" cmp t1.blm t2.blm
# The line before the first one of a block or in the middle of one: 150001 is in the third MiB.
for bad in 2 150001 199999; do
    awk -v bad=$bad 'NR == bad { print "1767225599\tback"; next } { print }' long >back
    for j in 1 2; do
        # shellcheck disable=SC2086
        run build -qF -j $j -o no.blm -t window --set window=10m -n 200000 --set burst=7 -f 2 --time 1 back
        expect "-j $j: back at line $bad" 2 "back: line $bad: its time, 2025-12-31T23:59:59Z, is before"
    done
done
head -n 3 long >first
tail -n +2 first >second
# shellcheck disable=SC2086
run build -qF -o no.blm $window -f 2 --time 1 second first
expect "time goes on from file to file" 2 "first: line 1: its time, 2026-01-01T00:00:00Z, is before 2026-01-01T00:00:00.002Z, the time of the line"
check "nothing was written" [ ! -e no.blm ]

# ---- a log is replayed; questions as of any later time --------------------------------------------------------
printf '2026-01-01\tnew-year\n2026-01-05\tmonday\n2026-01-07T12:00:00Z\tmidweek\n' >log
# shellcheck disable=SC2086
run build -qF -o s.blm $window -f 2 --time 1 log
cp s.blm was.blm
run test --now last s.blm new-year monday midweek
expect "as of its own time: all three" 0
run test --now 2026-01-12 s.blm new-year monday midweek
expect "a week after the second: the first is gone" 1 "$(printf 'new-year\tno\nmonday\tmaybe\nmidweek\tmaybe')"
run test s.blm new-year monday midweek
expect "by the clock of this machine: all are gone" 1 "$(printf 'new-year\tno\nmonday\tno\nmidweek\tno')"
printf 'monday\nmidweek\nother\n' >keys
run grep --now 2026-01-14T12:00:00+01:00 s.blm keys
expect "grep" 0
check "grep: one line" cmp out <(echo midweek)
run grep -c s.blm keys
expect "grep, now" 1 0
run explain --now last s.blm monday
expect "explain" 0 maybe
run explain s.blm monday
expect "explain, now" 1
check "questions do not change it" cmp s.blm was.blm
run test --now 2026-01-07 s.blm monday
expect "--now before its own time" 2 "--now 2026-01-07T00:00:00Z is before the filter's own time, 2026-01-07T12:00:00Z"
run test --now yesterday s.blm monday
expect "--now: not a time" 2 "--now yesterday: must be last, or a time"
cat s.blm | run_in test --now last - monday
expect "from a pipe" 0 maybe
run info s.blm
expect "info: how long" 0 "keys stay   7d"
expect "info: the time" 0 "time        2026-01-07T12:00:00Z, by the clock in ms"
run info --json s.blm
expect "info --json" 0 '"clock":"ms","window":604800000,"now":1767787200000'
run verify --json --against <(cut -f 2 log) s.blm
expect "verify: as of its own time" 0 '"false_negatives":0'

# ---- add and tick ----------------------------------------------------------------------------------------------
printf '2026-01-08\tthursday\n2026-01-12\tlater\n' >later.log
run add -qi -f 2 --time 1 s.blm later.log
expect "add --time" 0
run test --now last s.blm new-year monday later
expect "its time is that of the last line" 1 "$(printf 'new-year\tno\nmonday\tmaybe\nlater\tmaybe')"
cp s.blm was.blm
run add -i -f 2 --time 1 s.blm later.log
expect "the same log again: it is before the filter" 2 "later.log: line 1: its time, 2026-01-08T00:00:00Z, is before 2026-01-12T00:00:00Z, the time of the filter"
run add --now 2026-01-11 s.blm x
expect "add --now before its time" 2 "time does not go back"
run add --now 2026-01-13 --time 1 -i s.blm later.log
expect "add --now --time" 2 "leave --now out"
run add --time 1 s.blm word
expect "add --time and a KEY" 2 "KEYs have no time"
check "nothing has changed" cmp s.blm was.blm
run add -q --now last s.blm word
expect "add --now last" 0
check "its time stays" [ "$(now_of s.blm)" = "$(at 2026-01-12)000" ]
run tick s.blm 2026-01-19
expect "tick to a time" 0 "2026-01-19T00:00:00Z, was 2026-01-12T00:00:00Z"
run tick s.blm 2026-01-18
expect "tick back" 2 "2026-01-18T00:00:00Z is before its own time, 2026-01-19T00:00:00Z"
run tick s.blm soon
expect "tick: not a time" 2 "soon: must be a time such as"
before=$(date +%s)
run tick --json s.blm
expect "tick to the clock of this machine" 0 '"clock":"ms","now":'
check "that is now" [ $(($(now_of s.blm) / 1000 - before)) -le 20 ]
check "all keys are gone" [ "$(json_of estimated_keys)" = 0 ]
run add -q s.blm today
expect "add: by the clock of this machine" 0
run test s.blm today
expect "and it is there" 0
"$BLOOMERY" add --now $(($(date +%s) + 3600)) -q s.blm hour
run test s.blm today
expect "an image of the future" 2 "the clock of this machine"
expect "what helps" 2 "--now last"
run_in tick -q - 4000000000 <s.blm
expect "tick from a pipe" 0
cp out piped.blm
run tick -q s.blm 4000000000
check "to a pipe" cmp piped.blm s.blm

# ---- build: the clock, --now, and keys that wait for the end of the input ----------------------------------------
printf 'a\nb\n' >list
for n in "" "-n 100"; do
    # shellcheck disable=SC2086
    run build -qF -o b.blm -t window --set window=1d $n list
    expect "build ${n:-without -n}" 0
    run test b.blm a b c
    expect "its keys are of now" 1 "$(printf 'a\tmaybe\nb\tmaybe\nc\tno')"
    # shellcheck disable=SC2086
    run build -qF -o b.blm -t window --set window=1d $n --now 2026-01-01 list
    expect "build --now ${n:-without -n}" 0
    run test --now 2026-01-01T23:00:00Z b.blm a b
    expect "a day" 0
    run test --now 2026-01-03 b.blm a b
    expect "two days" 1 "$(printf 'a\tno\nb\tno')"
done
run build -qF -o no.blm -t window --set window=1d -f 2 --time 1 log
expect "--time without -n" 2 "--time: give -n"
run build -qF -o no.blm -t window --set window=1d -n 100 --now last list
expect "build --now last" 2 "has no time of its own"

# ---- many windows, and too many keys within one ---------------------------------------------------------------------
awk 'BEGIN { for (i = 0; i < 50000; i++) printf "%d\tkey%d\n", 1767225600 + i / 10, i }' >many
run build -F -o w.blm -t window --set window=10m -n 10000 -f 2 --time 1 many
expect "more keys than -n, but not within one window" 0
check "and no warning" [ "$(wc -l <err)" = 1 ]
cp w.blm was.blm
awk -F'\t' '{ printf "%d\t%s\n", $1 + 10000, $2 }' many >many.later
run add -i -f 2 --time 1 w.blm many.later
expect "the same by add" 0
check "and no warning there" [ "$(wc -l <err)" = 1 ]
run build -F -o no.blm -t window --set window=10m -n 1000 -f 2 --time 1 many
expect "more than -n within one" 4 "-n is for the distinct keys that come within the window"
sed 's/^[0-9]*/1767240000/' many >at.once
run add -i -f 2 --time 1 was.blm at.once
expect "the same by add" 4 "its keys expire, and it is planned for 10000 distinct keys within the window"
run add -qi -f 2 --time 1 --overfill was.blm at.once
expect "--overfill" 0

# ---- other clocks, and none ----------------------------------------------------------------------------------------
run build -qF -o n.blm -t window --set window=1000 -n 100 list
expect "a window of arrivals" 0
run info n.blm
expect "info: arrivals" 0 "keys stay   1000 arrivals"
run test n.blm a
expect "nothing is ticked" 0
run test --now last n.blm a
expect "--now last is its own time" 0
run test --now 2026-01-01 n.blm a
expect "--now for a window of arrivals" 2 "do not expire by the clock"
run tick n.blm
expect "tick needs a number" 2 "missing NOW: its keys expire by arrivals, and there have been 2"
run tick n.blm 2000
expect "tick by arrivals" 0 "2000 arrivals, was 2 arrivals"
run test n.blm a
expect "they are gone" 1
run tick n.blm 2026-01-01
expect "not a number" 2 "must be a number of arrivals"
run build -qF -o no.blm -n 100 -t window --set window=1000 -f 2 --time 1 log
expect "--time for a window of arrivals" 2 "expire by arrivals, not by the clock"
run build -qF -o no.blm -n 100 -t blocked -f 2 --time 1 log
expect "--time, kind blocked" 2 "do not expire by the clock"
run build -qF -o p.blm -t blocked list
run test --now 2026-01-01 p.blm a
expect "--now, kind blocked" 2 "leave --now out"
run tick p.blm
expect "tick, kind blocked" 2 "kind blocked cannot tick"
printf 'plum\n' | run_in add -f 1 --time 1 p.blm
expect "add --time, kind blocked" 2 "do not expire by the clock"
finish
