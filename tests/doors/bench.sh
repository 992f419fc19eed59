#!/usr/bin/env bash
# bench: every kind has its row, the figures are possible, the rates are those that are promised.
. "$(dirname "$0")/lib.bash"
PYTHON=${PYTHON:-python3}

"$BLOOMERY" bench --json -n 5e3,1e4 --runs 2 >rows 2>err </dev/null
note $?
expect "two sizes, JSON" 0
check "an object per line" "$PYTHON" -c 'import json
for line in open("rows"): assert isinstance(json.loads(line), dict), line'
"$BLOOMERY" kinds --json >kinds
cat >rows.py <<'END'
import json, math, sys

BUILT = ("hash-choice", "xor", "fuse", "ribbon", "golomb")
rows = [json.loads(line) for line in open("rows")]
table = json.load(open("kinds"))["kinds"]
kinds = [k["name"] for k in table if not k["integers"]]
FORGETS = [k["name"] for k in table if k["clocks"]]  # they promise a stream that goes on for ever, which has more than a new filter
if sys.argv[1] == "there":
    assert [(r["kind"], r["keys"]) for r in rows] == [(k, n) for n in (5000, 10000) for k in kinds], rows
for r in rows:
    if sys.argv[1] == "rates":  # 4 sigma: of the strangers' luck, and between filters of one shape
        p, n = r["theory_fpr"], r["probes"]
        sigma = math.sqrt(n * p * (1 - p) + (n * p * r["spread"]) ** 2)
        off = r["hits"] - n * p
        if r["kind"] in FORGETS: off = max(off, 0)
        assert n == r["keys"] and abs(off) < 4 * sigma, (r, sigma)
        assert p <= r["promised_fpr"] == 0.01, r  # folding rounds up by 0.4 % of the bits, a remainder by a whole bit
        # A fingerprint has a whole number of bits; split promises the rate of full rows, and takes no key that some row seems
        # to have; generalized promises what the worst first bits would give, scalable what all layers that may come add up to;
        # adaptive-count leaves 0.7 of its bits to counts.
        least = {"xor": 0.78, "fuse": 0.78, "ribbon": 0.9, "golomb": 0.9, "dleft": 0.49, "quotient": 0.49, "state-machine": 0.49, "cuckoo": 0.49, "adaptive-cuckoo": 0.49, "split": 0.95, "generalized": 0, "scalable": 0.05, "adaptive-count": 0.5, **dict.fromkeys(FORGETS, 0)}.get(r["kind"], 0.97)
        assert p > least * r["promised_fpr"], r
        assert r["measured_fpr"] == r["hits"] / n and r["low"] <= r["measured_fpr"] < r["high"], r
    if sys.argv[1] == "times":
        names = [a + b for a in ("", "batch_") for b in ("add_ns", "hit_ns", "miss_ns")] + ["floor_ns", "floor_huge_ns"]
        timed = [name for name in names if not (name == "batch_add_ns" and r["kind"] in BUILT)]  # built whole
        assert all(0.01 < r[name] < 1e5 for name in timed), r
        assert r["runs"] == 2 and r["bits_per_key"] == r["bytes"] * 8 / r["keys"], r
END
check "every kind, in order" "$PYTHON" rows.py there
check "rates within 4 sigma of theory, theory within the promise" "$PYTHON" rows.py rates
check "all times are there" "$PYTHON" rows.py times

run bench --kinds blocked,standard -n 10k -p 1e-3 --runs 1
expect "a table for a person" 0 "one by one, ns"
check "with the kinds that were asked for" [ "$(sed -n '3,$s/ .*//p' out | sort | paste -sd ' ')" = "blocked standard" ]
check "and the rate" [ "$(awk 'NR > 2 && $4 == "0.001"' out | wc -l)" = 2 ]
check "silent on standard error" [ ! -s err ]
run bench --kinds blocked -n 1000
expect "without --runs" 0 blocked

run bench --kinds blocked,standrad
expect "an unknown kind" 2 "did you mean standard?"
check "before anything is measured" [ ! -s out ]
run bench --kinds ,
expect "no kind" 2 "--kinds"
run bench -n 0
expect "no keys" 2 "from 1 to 1e10"
run bench -n 1000,many
expect "no number" 2 "not a count"
run bench -n ''
expect "an empty list" 2 "give one or more numbers of keys"
run bench --runs 65
expect "too many runs" 2 "from 1 to 64"
run bench -n 1000 -p 1e-90 --runs 1 --kinds blocked,counting
expect "a rate that one kind cannot do" 2 "64 hashes"
check "and the others can" grep -q '^counting .* 1e-90 ' out
run bench blocked
expect "a word that is no option" 2 "--kinds"
run bench --help
expect "help" 0 "bloomery bench --kinds"

if [ -x "${BLOOMERY_TOYS:-}" ]; then
    BLOOMERY=$BLOOMERY_TOYS
    run bench --json -n 1000 --runs 1 --kinds toy-static,toy-map,toy-ring,toy-chain
    expect "toys: built whole, values, time, children" 0 toy-static
    check "toys: who is built whole has no batch of adds" sh -c 'grep toy-static out | grep -q "\"batch_add_ns\":null"'
    check "toys: four rows" [ "$(wc -l <out)" = 4 ]
    run bench -n 1000 --kinds toy-range
    expect "toys: integers are rejected" 2 "its keys are numbers"
    run bench -n 200 --runs 1
    check "toys: and left out when nobody asks" sh -c 'grep -q "^toy-static .* - " out && ! grep -q toy-range out err'
else
    skip "toys" "the program with the toy kinds was not built"
fi
finish
