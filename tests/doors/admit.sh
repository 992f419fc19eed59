#!/usr/bin/env bash
# admit against a second implementation: 300,000 objects whose requests have Pareto's law with exponent 1.9, so that about
# three of four are requested once, in random order; and the same caches by Python's OrderedDict, with an exact memory.
. "$(dirname "$0")/lib.bash"
PYTHON=${PYTHON:-python3}

# model.py OBJECTS DISK: the log to the file `log` (key, tab, bytes); to `truth` one line for each disk (DISK objects; and 50,000
# bytes for each of them) and each rule (all, second): hits, written, bytes written, never read, most objects at one time;
# then requests, objects, objects that are requested once.
cat >model.py <<'P'
import sys
from collections import Counter, OrderedDict
state = 1
def draw():  # splitmix64
    global state
    state = (state + 0x9e3779b97f4a7c15) % 2**64
    x = state
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9 % 2**64
    x = (x ^ x >> 27) * 0x94d049bb133111eb % 2**64
    return x ^ x >> 31
def real(): return ((draw() >> 11) + 0.5) / 2**53
objects, disk = int(sys.argv[1]), int(sys.argv[2])
log = []
for i in range(objects): log += [i] * int(real() ** (-1 / 1.9))
for i in range(len(log) - 1, 0, -1):
    j = draw() % (i + 1)
    log[i], log[j] = log[j], log[i]
size = [1 + draw() % 100000 for i in range(objects)]
with open('log', 'w') as out:
    for i in log: out.write('/o/%d\t%d\n' % (i, size[i]))
def replay(second, room, weight):
    cache, before, taken = OrderedDict(), set(), 0
    hits = written = volume = read = most = 0
    for i in log:
        if i in cache:
            hits += 1
            read += not cache[i]
            cache[i] = True
            cache.move_to_end(i)
            continue
        admitted = not second or i in before
        before.add(i)
        if not admitted: continue
        w = weight(i)
        while taken + w > room: taken -= weight(cache.popitem(last=False)[0])
        cache[i] = False
        taken += w
        written += 1
        volume += w
        most = max(most, len(cache))
    return hits, written, volume, written - read, most
with open('truth', 'w') as out:
    for room, weight in (disk, lambda i: 1), (50000 * disk, lambda i: size[i]):
        for second in False, True: print(*replay(second, room, weight), file=out)
    print(len(log), len(set(log)), sum(n == 1 for n in Counter(log).values()), file=out)
P
check "the log, and what is true of it" "$PYTHON" model.py 300000 10000
read -r requests distinct once < <(sed -n 5p truth)
check "three of four objects are requested once: $once of $distinct" \
    awk -v a="$once" -v b="$distinct" 'BEGIN { exit !(a / b > 0.72 && a / b < 0.745) }'

# figures.py: of the JSON in out, a line for each rule as in truth; bytes of a disk of objects: as many as objects.
cat >figures.py <<'P'
import json
o = json.load(open('out'))
for rule in 'write_all', 'write_second':
    c = o[rule]
    assert abs(c['hit_rate'] - c['hits'] / o['requests']) < 1e-12
    volume = c['written'] if c['written_bytes'] is None else c['written_bytes']
    print(c['hits'], c['written'], volume, c['never_read'], c['max_objects'])
P
figures() { "$PYTHON" figures.py >got 2>figures.err || { cat figures.err; : >got; }; }
line_of() { sed -n "$1p" "$2"; }
same() { check "$1: $3" [ "$(line_of "$2" got)" = "$3" ]; }
replay() { run admit --json --replay log -f 1 "$@"; figures; } # OPTIONS

# ---- without a filter, and with one that is as good as exact ------------------------------------------------------
# At a rate of 1e-9, 0.0003 of the first requests are taken for later ones: none is, and no object that is requested
# once is written.
exact="-t standard -n 300000 -p 1e-9"
# shellcheck disable=SC2086
replay --disk 10000 $exact
expect "a disk of objects" 0 '"unit":"objects"'
check "every request is counted" [ "$(json_of requests)" = "$requests" ]
same "no filter: hits, written, never read as Python's" 1 "$(line_of 1 truth)"
same "exactly the second requests are written" 2 "$(line_of 2 truth)"
# Another draw of the same law, by another program: 477,421 writes and 154,920; hits .0870 and .1301. The few objects that are
# requested most decide about the hits, and differ from draw to draw.
near() { check "$1: $2 is within 3 % of $3" awk -v a="$2" -v b="$3" 'BEGIN { exit !(a > b * 0.97 && a < b * 1.03) }'; }
near "written without a filter" "$(line_of 1 got | cut -d ' ' -f 2)" 477421
near "written with one" "$(line_of 2 got | cut -d ' ' -f 2)" 154920
near "hits without one, per 10,000 requests" $(($(line_of 1 got | cut -d ' ' -f 1) * 10000 / requests)) 870
near "hits with one" $(($(line_of 2 got | cut -d ' ' -f 1) * 10000 / requests)) 1301
# shellcheck disable=SC2086
replay --disk 500MB --size 2 $exact
expect "a disk of bytes" 0 '"unit":"bytes"'
same "no filter, sizes: bytes too" 1 "$(line_of 3 truth)"
same "the second requests, sizes" 2 "$(line_of 4 truth)"

# ---- a rate, and keys that expire ----------------------------------------------------------------------------------
# Of the first requests a share of p at most is taken for a later one, which is a write too many; it pushes out one object
# at most, which may be one more write. 4 sigma of a binomial.
within() { # NAME P: the writes of `got`
    check "$1: at most $2 of the first requests are written" awk -v p="$2" -v n="$distinct" \
        -v got="$(line_of 2 got | cut -d ' ' -f 2)" -v true_="$(line_of 2 truth | cut -d ' ' -f 2)" \
        'BEGIN { off = 2 * (p * n + 4 * sqrt(p * n)); exit !(got >= true_ - off && got <= true_ + off) }'
}
fewer() { check "$1: no more is written than without it" [ "$(line_of 2 got | cut -d ' ' -f 2)" -le "$(line_of 1 got | cut -d ' ' -f 2)" ]; }
for seed in 1 2 3; do
    replay --disk 10000 -t standard -n 300000 -p 1% --seed $seed
    same "no filter, --seed $seed" 1 "$(line_of 1 truth)"
    within "-p 1%, --seed $seed" 0.01
    fewer "-p 1%, --seed $seed"
done
for kind in aging double-buffer decaying stable; do
    replay --disk 10000 -t $kind -n 300000
    expect "-t $kind" 0 "\"kind\":\"$kind\""
    same "-t $kind: no filter" 1 "$(line_of 1 truth)"
    fewer "-t $kind"
    [ $kind != aging ] || within "-t aging, nothing expires" 0.001
    replay --disk 10000 -t $kind -n 20000
    expect "-t $kind that forgets all the time" 0 '"hits"'
    fewer "-t $kind that forgets all the time"
    check "-t $kind: what is forgotten is not written" \
        [ "$(line_of 2 got | cut -d ' ' -f 2)" -lt "$(line_of 2 truth | cut -d ' ' -f 2)" ]
done

# ---- inputs, in every form -----------------------------------------------------------------------------------------
kind="-t standard -n 300000"
# shellcheck disable=SC2086
{
    run admit --json -f 1 --disk 10000 $kind --replay log
    cp out want
    run admit --json -f 1 --disk 10000 $kind log
    check "LOG as an INPUT" cmp out want
    gzip -c log | run_in admit --json -f 1 --disk 10000 $kind --replay -
    check "LOG from a packed pipe" cmp out want
    head -n 1000 log >first
    tail -n +1001 log >rest
    run admit --json -f 1 --disk 10000 $kind --replay first rest
    check "LOG is the first of the INPUTs" cmp out want
    { echo name,size; tr '\t' , <log; } | run_in admit --json --csv name --disk 10000 $kind
    check "CSV" cmp out want
    sed 's/\(.*\)\t.*/{"url":"\1"}/' log | run_in admit --json --jsonl .url --disk 10k $kind
    check "JSON" cmp out want
    for jobs in 1 2 4; do
        run admit --json -f 1 --disk 10000 $kind -j $jobs log
        check "-j $jobs" cmp out want
    done
}

# ---- by hand ---------------------------------------------------------------------------------------------------------
# A disk of 2: a b a c b a. All: a b written, a hit, c pushes b out, b pushes a out, a pushes c out: 5 written, 1 hit, of a's
# first copy. Second: a is written at its second request, b at its second, then a is a hit.
printf '%s\n' a b a c b a >six
run admit --json --disk 2 -t standard -n 10 -p 1e-6 six
figures
same "six requests, all" 1 "1 5 5 4 2"
same "six requests, second" 2 "1 2 2 1 2"
run admit --disk 2 -t standard -n 10 -p 1e-6 six
expect "as text" 0 "16.67 %"
check "nothing on stderr" [ ! -s err ]
printf 'a\t5\nb\t11\na\t5\nb\t11\na\t5\n' | run_in admit --disk 10B --size 2 -f 1 -t standard -n 10
expect "larger than the disk" 0 "2 of them, for objects larger than the disk"
run admit --json --disk 5 -t standard -n 10 /dev/null
expect "no requests" 0 '"hit_rate":null'

# ---- what is not taken -----------------------------------------------------------------------------------------------
run admit -t standard six
expect "no --disk" 2 "missing --disk SIZE"
run admit --disk 0 -t standard six
expect "a disk for nothing" 2 "at least 1 object"
run admit --disk 10GiB -t standard six
expect "bytes without sizes" 2 "--size N is the field"
run admit --disk 10 --size 2 -f 1 -t standard six
expect "sizes without bytes" 2 "bits or bytes"
run admit --disk 10B --size 2 -t standard six
expect "a size, and no key" 2 "--size N: also choose the field that is the key"
printf 'a\tx\n' | run_in admit --disk 10B --size 2 -f 1 -t standard
expect "a size that is none" 2 "--size: the number of a key must be a whole number"
run admit --disk 2 -t xor six
expect "a kind that is built at once" 2 "built at once"
run admit --disk 2 -t standrad six
expect "no such kind" 2 "did you mean standard?"
run admit --disk 2 --replay no-such-file -t standard
expect "no such log" 2 "no-such-file"
seq 5000 >many
run admit --disk 100 -t standard -n 1000 many
expect "a filter that is full" 4 "over capacity"
check "and nothing is printed" [ ! -s out ]
run admit --disk 100 -t standard -n 1000 --overfill many
expect "--overfill" 0 "promised 0.001"
seq 100000 >many
run admit --disk 1M -t standard -n 100000 --ram 1MiB many
expect "more objects than --ram has room for" 4 "has no room for a longer list"
run admit --disk 100 -t standard -n 10M --ram 1MiB many
expect "a filter that is larger than --ram" 4 "the filter needs"

# ---- times -----------------------------------------------------------------------------------------------------------
# A window of 10 s, cut into slices of 1 s: what was asked for 5 s ago is written, what was asked for a minute ago is not.
timed="--time 1 -f 2 -t window -n 100 -p 1e-6 --set window=10s --set slices=10"
printf '%s\n' 100 105 200 260 300 | sed 's/$/\ta/' >timed.log
# shellcheck disable=SC2086
run admit --json --disk 5 $timed timed.log
figures
same "a window: asked for again in time" 2 "3 1 1 0 1"
printf '%s\n' 100 160 200 260 300 | sed 's/$/\ta/' >timed.log
# shellcheck disable=SC2086
run admit --json --disk 5 $timed timed.log
figures
same "a window: never in time" 2 "0 0 0 0 0"
printf '100\ta\n99\tb\n' >timed.log
# shellcheck disable=SC2086
run admit --disk 5 $timed timed.log
expect "a log that goes back" 2 "line 2"
run admit --disk 5 -t window -n 100 --set window=10s six
expect "a clock, and no times" 2 "--time N is the field"
run admit --disk 5 -t standard -n 100 --time 1 -f 2 timed.log
expect "times, and no clock" 2 "leave --time out"
finish
