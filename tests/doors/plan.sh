#!/usr/bin/env bash
# plan: the numbers that are missing, the order of the offers, the line to paste, needs.
. "$(dirname "$0")/lib.bash"
PYTHON=${PYTHON:-python3}
seq 20 >keys.txt

# ---- what it prints ----------------------------------------------------------------------------------
run plan -n 1M -p 1% --all
expect "a table for a person" 0 "bloomery build -t blocked -n 1000000 -p 0.01 -o keys.blm keys.txt"
in_order() { # KIND...: rows of out begin with these, in this order, others between them
    [ "$(sed 's/ .*//' out | grep -xE "$(echo "$*" | tr ' ' '|')" | uniq | paste -sd ' ')" = "$*" ]
}
check "in order" in_order blocked split-block standard counting
check "the first is what build makes" [ "$(sed -n '2s/ .*//p' out)" = blocked ]
check "standard has 9.6 bits a key at 1 %" grep -qE '^standard .* 9\.(59|6[0-3]) ' out
run plan -n 1M -p 1e-6
check "standard is the first below 1e-4" [ "$(sed -n '2s/ .*//p' out)" = standard ]
run plan -n 1M -m 1MiB --all
check "one size for all: the lowest rates come first" in_order blocked split-block standard counting
run plan -n 1M
expect "the usual rate is said" 0 "-p 0.001 "
run plan -m 1MiB
expect "memory alone" 0 "-m 1MiB"
run plan -m 1025b -k 3
expect "memory and hashes: bits stay bits" 0 "-m 1025b -k 3"
run plan -t counting --set width=8 -n 1000
expect "one kind with its knob" 0 "--set width=8"
check "and no other" [ "$(sed -n 's/^\([a-z][a-z]*\) .*/\1/p' out | sort -u)" = counting ]
run plan --json -n 1000 --need delete
expect "JSON" 0 '"kind":"counting"'
check "one object a line" "$PYTHON" -c '
import json
rows = [json.loads(line) for line in open("out")]
assert [r["rank"] for r in rows] == list(range(1, len(rows) + 1))
able = [r for r in rows if "del" in r["abilities"]]
assert rows[:len(able)] == able and {"counting", "dleft"} <= {r["kind"] for r in able}
assert all(r["lacks"] == [] for r in able) and all(r["lacks"] == ["delete"] for r in rows[len(able):])'

# ---- needs -----------------------------------------------------------------------------------------------
run plan --need delete,merge
expect "needs alone: kinds without sizes" 0 "counting"
check "who lacks one is told" grep -qE "^not offered \(no delete\): .*standard.* blocked" out
check "no size, no build line" sh -c '! grep -qE "SIZE|bloomery build" out'
# The best eight, and how many more there are; every row of the table is one of the offers, in their order.
run plan -n 1M -p 1%
check "eight offers and the number of the others" sh -c '
    n=$("$1" plan -n 1M -p 1% --all | grep -cE "^[a-z-]+ .* [0-9.]+  [a-z]") &&
    [ "$(grep -cE "^[a-z-]+ .* [0-9.]+  [a-z]" out)" = 8 ] && grep -qx "$((n - 8)) more (use --all to see them)" out' - "$BLOOMERY"

# What the pages of the kinds say under CHOOSE is what is offered first.
first() { # WORDS... : kind and setting of the first offer
    run plan "$@"
    sed -n '2s/  .*//p' out
}
chosen() { # KIND WORDS...
    local want=$1
    shift
    check "plan $*: $want" [ "$(first "$@")" = "$want" ]
}
chosen blocked -n 1M -p 1%
chosen blocked -n 1M -p 0.1%
chosen standard -n 1M -p 1e-6
chosen quotient -n 1M -p 1% --need delete
chosen quotient -n 1M -p 1e-6 --need delete
chosen quotient -n 1M -p 1% --need delete,merge
chosen "quotient width=8" -n 1M -p 1% --need count,delete
chosen "quotient width=8" -n 1M -p 1% --need count
chosen "quotient width=4" -n 1M -p 1% --max-count 15
chosen "spectral layout=compact width=17" -n 1M -p 1% --max-count 65535
chosen "spectral layout=compact width=17" -n 1M -p 1% --max-count 65537
chosen "spectral layout=compact width=30" -n 1M -p 1% --max-count 1e9 --need delete
chosen ribbon -n 1M -p 1% --need static
chosen blocked -n 1M -p 1% --need merge
chosen blocked -n 1M -p 1% --need concurrent
chosen "scalable inner=blocked" -n 1M -p 1% --need grow
run plan -n 1M -p 1% --need count --all
check "who counts less comes last, and how high is said" sh -c '
    [ "$(sed -n "/^dynamic /,/^\$/p" out | grep -c "counts to")" = 10 ] &&
    grep -qE "^layered .*; counts to 7$" out && grep -qE "^counting width=9 .* 86\.3[0-9] .*; counts to 510$" out'

# ---- how high counts go ------------------------------------------------------------------------------------
# Counters of 32 bits, 307 bits per key, came before counting with 9 bits once.
cat >counts.py <<'END'
import json, shlex, subprocess, sys

ESTIMATE = ("adaptive-count", "space-code", "time-decaying") # far, but roughly, or fading: they come after those that tell

def rows(*words):
    out = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True, close_fds=False).stdout
    return [json.loads(line) for line in out.decode().splitlines()]

offers = rows("bloomery", "plan", "--json", "-n", "1e6", "-p", "1%", "--need", "count")
able = [o for o in offers if not o["lacks"]]
tell = [o for o in able if o["counts_to"] >= 255 and o["kind"] not in ESTIMATE]
assert able[:len(tell)] == tell and tell[0]["bits_per_key"] < 29, able
for o in tell: # counters of w bits end at 2^w - 1: 9 of them tell 255, 8 do not; lines have 8 or 16; a cell of quotient counts from 1
    width = [w for w in o["with"].split() if w.startswith("width=")]
    assert width == ["width=16" if "layout=line" in o["with"] else "width=8" if o["kind"] == "quotient" else "width=9"], o
with open("often.txt", "w") as f:
    f.write("plum\n" * 255 + "fig\n")
for words, counts in ("--need count", 255), ("--max-count 255 --need delete", 255), ("--max-count 300", 255):
    for o in rows("bloomery", "plan", "--json", "-n", "40", *words.split()):
        if o["lacks"] or o["counts_to"] < counts or o["kind"] in ESTIMATE: continue
        line = o["build"].replace("keys.txt", "often.txt")
        assert all("--set " + word in line for word in o["with"].split()), o
        rows(*shlex.split(line), "-q", "-F")
        said = subprocess.run(["bloomery", "count", "keys.blm"], input=b"plum\nfig\n", stdout=subprocess.PIPE).stdout
        assert said == b"plum\t255\nfig\t1\n", (o, said)
for o in rows("bloomery", "plan", "--json", "--max-count", "1e6"): # no sizes, but settings
    assert o["lacks"] == ["count"] or o["counts_to"] == 1048574 and "width=20" in o["with"], o
END
ln -s "$BLOOMERY" bloomery
PATH=$work:$PATH
check "the smallest counters that tell: offered, built, and they tell" "$PYTHON" counts.py
run plan -n 1000 -t counting --max-count 1000
expect "a kind and a height" 0 "--set width=10"
run plan -n 1000 -t counting --set width=16 --max-count 1000
expect "a width that is set stays" 0 "--set width=16"
run plan -n 1000 -t counting --set width=8 --max-count 1000
expect "a width that is not enough" 2 "max-count 1000: with width=8 counting counts up to 254"
run plan -n 1000 -t counting --max-count 1e6
expect "higher than the kind counts" 2 "max-count 1000000: counting counts up to 65534"
run plan -n 1000 --max-count 1e6 --need grow
expect "higher than any kind that has the rest" 2 "quotient counts up to 65536"
run plan -n 1000 --max-count 1000
expect "who cannot makes no offer" 0 "dleft width=10"
check "neither layered nor variable-increment" sh -c '! grep -qE "^(layered|variable-increment) " out'
run plan --max-count 0
expect "a count of 0" 2 "--max-count 0: must be from 1 to 9.0"
run plan --max-count often
expect "a word" 2 "--max-count often: not a count"
run plan --max-count 1e20
expect "a count that no number holds" 2 "--max-count 1e20: a count is below 2^53"
run build -t counting --max-count 300 -o high.blm often.txt
expect "build takes it too" 0
run info --json high.blm
expect "with the counters that plan offers" 0 '"width":9'
run build --max-count 300 -o none.blm often.txt
expect "not without a kind that counts" 2 "blocked does not count"
run build -t standard --max-count 300 -o none.blm often.txt
expect "which standard does not" 2 "standard does not count"
check "and nothing is written" [ ! -e none.blm ]
run plan -n 1000 --need keyed
expect "keyed: the line draws a key" 0 "--new-key keys.key"
run plan -n 1000 --need static,delete
expect "needs that contradict each other" 2 "contradict"
run plan -n 1000 --need which
expect "a need that no kind has" 2 "no kind in this build"
run plan -n 1000 --need value,forget
expect "states of flows that end by themselves" 0 "-t state-machine"
expect "and that it may miss one" 0 "may miss a member"
run plan -n 1000 --need conut
expect "a wrong need" 2 "did you mean count?"
run plan -n 1000 --need ,
expect "an empty list" 2 "at least one"
run plan -n 1000 -t standard --need count
expect "a kind that lacks it" 2 "standard lacks count; nearest: counting"

# ---- what growing costs ----------------------------------------------------------------------------------------
# Layers by their definition: k = ceil(log2(1 / P_i)) slices of ceil(n_i / ln 2) bits, 1.83 times a standard filter at 10^6.
run plan -n 1M -p 1% --need grow
expect "a filter that grows has a price" 0 "scalable, begun at 1000 keys, takes 2.1 MiB when it has grown to 1000000: 17.5 bits per key,"
expect "next to a filter of that size" 0 "1.8 times the 9.93 of a blocked filter made for that number."
expect "and a filter for the keys that came" 0 "build without -n"
sh -c "$(sed -n 's/^  bloomery build -p/bloomery build -p/p' out | sed 's/keys.blm/came.blm/')" >out 2>err </dev/null
note $?
expect "the line without -n" 0
run info --json came.blm
expect "builds for the keys that came" 0 '"capacity":20,'
cat >price.py <<'END'
import json, math, subprocess, sys

def prices(*words):
    out = subprocess.run([sys.argv[1], "plan", "--json", "-t", "scalable", *words], stdout=subprocess.PIPE, check=True).stdout
    rows = [json.loads(line) for line in out.decode().splitlines()]
    return [r.get("grown_bytes") for r in rows if "blocked" not in r["with"]]

def layers(n, p, growth, tightening):
    first, room, bits, layer = p * (1 - tightening), 0, 0, 0
    while room < n:
        keys = 1000 * growth ** layer
        k = math.ceil(-math.log2(first * tightening ** layer))
        bits += (k * math.ceil(keys / math.log(2)) + 63) // 64 * 64
        room, layer = room + keys, layer + 1
    return bits // 8

for n in 3000, 3100, 10**4, 10**5, 10**6, 10**7, 10**9:
    assert prices("-n", str(n), "-p", "1%") == [layers(n, 0.01, 2, 0.85)], (n, layers(n, 0.01, 2, 0.85))
assert prices("-n", "1e6", "-p", "0.1%", "--set", "growth=4") == [layers(10**6, 0.001, 4, 0.85)]
assert prices("-n", "1000") == prices("-n", "10000", "--set", "layers=3") == [None] # no growth; not to that number
END
check "the price is that of the layers, for seven numbers" "$PYTHON" price.py "$BLOOMERY"
for words in "-n 1000 -p 1% --need grow" "-n 1M --need merge"; do
    # shellcheck disable=SC2086 # words
    run plan $words
    check "no price with $words" sh -c '! grep -q begun out'
done

# ---- numbers that do not do -------------------------------------------------------------------------------------
run plan
expect "nothing given: an example" 2 "bloomery plan -n 1M"
run plan -p 1%
expect "a rate alone" 2 "the number of keys"
run plan -k 4
expect "hashes alone" 2 "the number of keys"
run plan -n 1M -p 1e-6 -m 1MiB
expect "three that disagree" 2 "they hold 29"
run plan -n 1000 -p 2
expect "a rate of 2" 2 "did you mean 2%"
run plan -n 1000 -t bloked
expect "a wrong kind" 2 "did you mean blocked?"
run plan -n 1000 --set width=8
expect "a knob without its kind" 2 "-t"
run plan -n 1000 keys.txt
expect "a file" 2 "unexpected argument"

# ---- the numbers of the command line are those of the planner ------------------------------------------------------
# tests/theory/test_planner.c compares every kind with the closed forms. Here one wish of each form, and two kinds, tell
# whether -n, -p and -m arrive as they were typed and whether the JSON prints what was planned.
cat >wishes.py <<'END'
import json, math, random, subprocess, sys

def load(k, p): return -math.log1p(-p ** (1 / k)) / k  # keys per cell
def best(p): return max(load(k, p) for k in range(1, 65))

random.seed(1)
for i in range(6):
    n = int(30 * 1e6 ** random.random())
    p = float("%.3g" % (0.3 * 1e-9 ** random.random()))
    m = int(n * random.uniform(3, 40)) + 512
    form = i % 3
    args = [["-n", n, "-p", p], ["-m", "%db" % m, "-p", p], ["-n", n, "-m", "%db" % m]][form]
    out = subprocess.run([sys.argv[1], "plan", "--json"] + [str(a) for a in args], stdout=subprocess.PIPE, check=True)
    rows = {r["kind"]: r for r in map(json.loads, out.stdout.decode().splitlines()) if not r["with"]}
    for kind, width in ("standard", 1), ("counting", 4):
        r = rows[kind]
        words, k, keys = 64 / width, r["hashes"], r["capacity"]
        most = r["bytes"] * 8 / width
        cells = m // width if form else most - words + 1
        fill = -math.expm1(-k * keys / cells)
        closer = (k + 2) / (cells * fill)
        told = (i, args, r)
        if form == 0:
            least = n / best(p)
            assert least <= most <= (least + 1) * (1 + closer) * (257 / 256) + words, told
        if form == 1:
            assert cells * best(p) * (1 - closer) - 1 <= keys <= cells * best(p), told
        rate = fill ** k
        assert (-math.expm1(-k * keys / most)) ** k * (1 - 1e-12) <= r["fpr_full"] <= rate * (1 + k * closer), told
        assert abs(k - min(max(cells / keys * math.log(2), 1), 64)) <= 1.5, told
    if p > 1e-9 or form == 2: # eight bits per key and twins: not for every rate
        assert rows["split-block"]["bytes"] % 32 == 0 and rows["split-block"]["lines"] == 1, rows
    assert rows["blocked"]["bytes"] % 64 == 0 and rows["blocked"]["lines"] == 1, rows["blocked"]
END
check "two wishes of each form agree with the closed forms" "$PYTHON" wishes.py "$BLOOMERY"

# ---- the build line builds what was offered: every kind and setting, every form of wish ------------------------------
# Two wishes of each form are planned, and their lines are read by the rules of the shell. Not every line is run: each
# kind with each of its settings is built once, by one wish after the other; standard, whose line always has the same
# words, is built for every wish.
cat >built.py <<'END'
import json, random, shlex, subprocess

def rows(*words):
    out = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True, close_fds=False).stdout
    return [json.loads(line) for line in out.decode().splitlines()]

def build(wish, offer):
    rows(*shlex.split(offer["build"]), "-q", "-F")
    made = rows("bloomery", "info", "--json", "keys.blm")[0]
    for name in "kind", "bytes", "capacity", "hashes", "fpr_target":
        assert offer[name] == made[name], (wish, name, offer[name], made[name])

random.seed(2)
forms, offered, built, wishes = 7, {}, {}, {}
for i in range(2 * forms):
    n, p = random.randint(20, 9999), "%.3g" % (0.3 * 1e-7 ** random.random())
    m, k = "%db" % (n * random.randint(5, 50) + 600), random.randint(1, 12)
    wish = ["-n %d -p %s" % (n, p), "-m %s -p %s" % (m, p), "-n %d -m %s" % (n, m), "-n %d -p %s -k %d" % (n, p, k),
            "-n %d -m %s -k %d" % (n, m, k), "-n %d" % n, "-m %s" % m][i % forms]
    for offer in rows("bloomery", "plan", "--json", *wish.split()):
        what = offer["kind"], offer["with"]
        wishes.setdefault(offer["kind"], set()).add(i)
        turn = offered.setdefault(what, len(offered)) % forms
        if offer["bytes"] and offer["bytes"] > 1 << 28: continue  # 6 hashes at 7e-7 are 41 GB of exp-decaying
        if offer["kind"] == "standard" or (turn <= i % forms or i >= forms) and built.get(what, 0) < 1:
            build(wish, offer)
            built[what] = built.get(what, 0) + 1
kinds = {k["name"] for k in rows("bloomery", "kinds", "--json")[0]["kinds"]}
assert kinds == {kind for kind, _ in built} and set(offered) == set(built), (kinds, offered, built)
assert built["standard", ""] == 2 * forms, built
# split-block wants 8 hashes: not with four of the wishes; adaptive-cuckoo no hashes, and 130 bits per key; scalable keys alone
least = {"adaptive-cuckoo": 8, "scalable": 4}
few = {kind: len(which) for kind, which in wishes.items() if len(which) < least.get(kind, 9)}
assert not few, few
END
check "14 wishes, every kind and setting: they are built as they were offered" "$PYTHON" built.py

run plan -n 300 --need keyed
paste=$(sed -n 's/^  bloomery build/bloomery build/p' out | sed 's/keys.blm/secret.blm/')
sh -c "$paste" >out 2>err </dev/null
note $?
expect "the keyed line" 0
run info --json secret.blm
expect "is keyed" 0 '"keyed":true'

# ---- kinds that the planner has never heard of ------------------------------------------------------------------------
if [ -x "${BLOOMERY_TOYS:-}" ]; then
    BLOOMERY=$BLOOMERY_TOYS
    run plan -n 1000 --need value
    expect "toys: values, written later or built whole" 0 "toy-map"
    expect "toys: values, and what builds one" 0 "-t toy-tally"
    run plan -n 1000 --need static --all
    expect "toys: built whole" 0 "toy-static"
    run plan -n 1000 --need forget
    expect "toys: a window, and that it misses" 0 "may miss a member"
    run plan -n 1000 --all
    expect "toys: one that grows has no size yet" 0 "grows"
    check "toys: whole numbers only and a miss are said, after the others" sh -c '
        sed -n "/^toy-range/,/^\$/p" out >last
        grep -q "^toy-range.*whole numbers" last && grep -q "^toy-ring.*may miss" last &&
        [ "$(grep -E "^[a-z-]+ " last | grep -v -c "may miss a member")" = 1 ]'
    check "toys: all are offered" [ "$(grep -c '^toy-' out)" = 9 ]
else
    skip "toys" "the program with the toy kinds was not built"
fi
finish
