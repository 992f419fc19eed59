#!/usr/bin/env bash
# uniq --exact: what awk '!s[$0]++' prints, whatever the input and however little the memory.
. "$(dirname "$0")/lib.bash"
export LC_ALL=C TMPDIR=$work/spill
mkdir spill
PY=${PYTHON:-python3}
command -v "$PY" >/dev/null || PY=python3

# A second opinion that knows NUL bytes: records of a file, in order, the first (or second) of each.
cat >reference.py <<'END'
import sys
end = b"\0" if sys.argv[1] == "zero" else b"\n"
times = int(sys.argv[2])
data = b"".join(open(p, "rb").read() for p in sys.argv[3:])
records = data.split(end)
if records[-1] == b"":
    records.pop()
seen = {}
for r in records:
    seen[r] = seen.get(r, 0) + 1
    if seen[r] == times:
        sys.stdout.buffer.write(r + end)
END
held() { json_of held err; }
within() { # MiB of --ram
    check "within $1 MiB ($(json_of bytes err) bytes)" [ "$(json_of bytes err)" -le $(($1 << 20)) -a "$(json_of bytes err)" -gt $(($1 << 19)) ]
}
same() { # name, expected file
    local code
    code=$(cat code)
    if [ "$code" != 0 ]; then not_ok "$1" "exit $code: $(head -c 300 err)"; else check "$1" cmp out "$2"; fi
}

# ---- small things -----------------------------------------------------------------------------------
printf 'b\na\nb\n\na\n\nc' | run_in uniq --exact
expect "a few lines" 0 "7 lines in, 4 out, 3 dropped; none lost"
expect "and no file was needed" 0 "memory, 0 bytes spilled"
check "the first of each, in order, a missing newline is added" cmp out <(printf 'b\na\n\nc\n')
printf 'b\na\nb\n' | run_in uniq --exact -q
check "-q: no summary" [ ! -s err ]
: >empty
run uniq --exact empty
expect "no line at all" 0 "0 lines in, 0 out"
printf 'a\0b\na\0c\na\0b\n' >nul
run uniq --exact nul
check "NUL bytes are bytes" cmp out <(printf 'a\0b\na\0c\n')
printf 'x\ny\0x\ny\0x\0' >records
run uniq --exact -z records
check "-z: records end in NUL" cmp out <(printf 'x\ny\0x\0')
printf '1,plum,x\n2,pear,x\n3,plum,y\nshort\n4,pear,z\n' >table
run uniq --exact -d , -f 2 table
check "by a field: the whole line of the first key" cmp out <(printf '1,plum,x\n2,pear,x\nshort\n')
check "a line without it is said" grep -q "1 line has no field 2: kept" err
printf 'id,name\n1,"a ""b"""\n2,plain\n3,"a ""b"""\n4,"plain"\n' >quoted
run uniq --exact --csv name quoted
check "--csv: the key is what the quotes say, the record comes out as it is" cmp out <(printf 'id,name\n1,"a ""b"""\n2,plain\n')
printf '{"k":"x","n":1}\n{"n":2,"k":"\\u0078"}\n{"k":"y"}\n' | run_in uniq --exact --jsonl .k
check "--jsonl" cmp out <(printf '{"k":"x","n":1}\n{"k":"y"}\n')
printf 'Plum\nplum\nPEAR\n' | run_in uniq --exact --lower
check "--lower: the first one as it is written" cmp out <(printf 'Plum\nPEAR\n')
printf 'a\r\na\nb\r\n' | run_in uniq --exact --crlf
check "--crlf: the key has no CR, the line keeps it" cmp out <(printf 'a\r\nb\r\n')
printf 'a\nb' >one && printf 'b\nc' >two
run uniq --exact one two
check "several files are one input" cmp out <(printf 'a\nb\nc\n')
printf 'c\na\nb\na\na\nb\n' | run_in uniq --exact --repeated
check "--repeated: each once, when it comes for the second time" cmp out <(printf 'a\nb\n')

# ---- every path at little memory ------------------------------------------------------------------------
# 10^6 different lines in a filter of 2^22 bits, k = 6, blocks of 512. The rate at n keys is the mixture
# sum over j of Poisson(j; n / 8192) (1 - (1 - 1/512)^(6 j))^6; summed over n = 1 ... 10^6: 47,905 lines.
seq 1000000 >million
run uniq --exact --json --ram 1MiB million
same "10^6 different lines at 1MiB" million
check "false positives were rescued: $(held) of them" [ "$(held)" -gt 46000 -a "$(held)" -lt 50000 ]
seq 300000 >near && cat near near >twice
run uniq --exact --json --ram 1MiB twice
same "far repeats at 1MiB, more keys than one table holds" near
check "each of them was held: $(held)" [ "$(held)" -ge 300000 ]
check "on disk: $(json_of spilled_bytes err) bytes" [ "$(json_of spilled_bytes err)" -gt 6000000 ]
cat million near near near >large
run uniq --exact --json --ram 2MiB large
same "1.9 million lines at 2MiB" million
within 2
if command -v "$PY" >/dev/null && ! sanitized; then
    for ram in 8 32; do
        "$PY" -c 'import resource, subprocess, sys
subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, stderr=open("err", "w"))
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)' "$BLOOMERY" uniq --exact --json -j 2 --ram ${ram}MiB large >rss
        within $ram
        check "and 8 MiB for the program and its input ($(cat rss) KiB)" [ "$(cat rss)" -lt $(((ram + 8) * 1024)) ]
    done
else
    skip "the memory of the process" "no python3, or a sanitizer has its own memory"
fi
run uniq --exact --json --ram 8MiB large
same "at 8MiB, where the filter grows while lines are held ($(held))" million
run uniq --exact --json large
same "the same in memory" million
check "and nothing had to wait" [ "$(held)" = 0 ]
yes equal | head -n 500000 >equal
run uniq --exact --json --ram 1MiB equal
same "all equal" <(echo equal)
check "decided at once" [ "$(held)" = 0 ]

for seed in 1 2; do
    awk -v seed="$seed" 'BEGIN { srand(seed); for (i = 0; i < 150000; i++) {
        n = int(rand() ^ 3 * 90000); s = n; for (k = n % 7; k > 0; k--) s = s "-word" n * k
        print n % 500 == 3 ? "" : s } }' >text
    awk '!s[$0]++' text >first && awk '++s[$0] == 2' text >second
    for ram in 1MiB 3MiB 64MiB; do
        run uniq --exact --json --ram $ram text
        same "text, seed $seed, at $ram ($(held) held)" first
        run uniq --exact --repeated --json --ram $ram text
        same "its repeated lines, seed $seed, at $ram ($(held) held)" second
    done
done

run uniq --exact -q -j 1 --ram 1MiB text
cp out one-thread
run uniq --exact -q -j 2 --ram 1MiB text
check "-j 1 and -j 2 print the same" cmp out one-thread

# Keys apart from their lines: the line of a held key comes out whole.
awk 'BEGIN { srand(7); for (i = 0; i < 200000; i++) print i "," int(rand() * 60000) ",x" i % 7 }' >fields
awk -F, '!s[$2]++' fields >first
awk -F, '++s[$2] == 2' fields >second
run uniq --exact --json --ram 1MiB -d, -f2 fields
same "by a field at 1MiB ($(held) held)" first
check "and some were held" [ "$(held)" -gt 1000 ]
awk 'BEGIN { print "i,k,x" } { split($0, f, ","); print f[1] ",\"" f[2] "\"," f[3] }' fields >fields.csv
awk -F, 'NR == 1 || !s[$2]++' fields.csv >quoted-first
run uniq --exact --json --ram 1MiB --csv k fields.csv
same "by a quoted column at 1MiB ($(held) held)" quoted-first
run uniq --exact --repeated --json --ram 1MiB -d, -f2 fields
same "--repeated by a field at 1MiB" second

# Long lines: 40 kB and 250 kB (a quarter of --ram is the most), alike but for the last byte, far apart; and NULs among them.
"$PY" - >long <<'END'
import random, sys
random.seed(11)
out = sys.stdout.buffer
bodies = [bytes(random.choices(b"abc\0\r", k=n)) for n in (32767, 32768, 32769, 40000, 250000)]
for turn in range(3):
    for b in bodies:
        for last in (b"x", b"y") if turn else (b"x",):
            out.write(b + last + b"\n")
    for i in range(40000):
        out.write(b"%d\n" % (i if turn else i * 2))
END
"$PY" reference.py newline 1 long >first
"$PY" reference.py newline 2 long >second
run uniq --exact --json --ram 1MiB long
same "long lines at 1MiB ($(held) held)" first
run uniq --exact --repeated --json --ram 1MiB long
same "long lines, repeated, at 1MiB" second
run uniq --exact --json long
same "long lines in memory" first
tr '\n\0' '\0\n' <long >zlong
"$PY" reference.py zero 1 zlong >first
run uniq --exact -z --json --ram 1MiB zlong
same "-z with newlines inside at 1MiB" first


# ---- what is refused ------------------------------------------------------------------------------------
run uniq --exact --ram 100KiB near
expect "too little memory to begin with" 2 "at least 1MiB, but this is 102400 bytes"
run uniq --exact --window 10 near
expect "--window" 2 "leave one of the two out"
run uniq --exact -n 1000 near
expect "-n" 2 "with --exact no line is lost"
seq 20000 >first
for _ in $(seq 110); do cat first; done >rounds
run uniq --exact --ram 1MiB rounds
expect "more doubts than --ram has bits for" 4 "2097152 undecided lines"
head -n 2100000 rounds | run_in uniq --exact --json --ram 1MiB
same "nearly as many" <(seq 20000)
within 1
run uniq --exact --json --ram 2MiB rounds
same "a little more decides them" first
TMPDIR=$work/nowhere run uniq --exact --ram 1MiB twice
expect "no such TMPDIR" 2 "TMPDIR ($work/nowhere): No such file"
(ulimit -f 1000 && run uniq --exact --ram 1MiB twice)
expect "a full disk" 2 "TMPDIR ($work/spill): File too large"
"$BLOOMERY" uniq --exact --ram 1MiB twice >/dev/full 2>err
note $?
expect "standard output is full" 2 "No space left"

# ---- pipes ------------------------------------------------------------------------------------------------
"$BLOOMERY" uniq --exact million 2>err | head -n 1 >out
note "${PIPESTATUS[0]}"
expect "killed by SIGPIPE" 141
coproc ASK { exec "$BLOOMERY" uniq --exact -q; }
best=999999
for i in 1 2 3 4 5; do
    from=${EPOCHREALTIME/./}
    printf 'line %s\nline 1\n' "$i" >&"${ASK[1]}"
    read -r -t 5 answer <&"${ASK[0]}" || answer=none
    took=$((${EPOCHREALTIME/./} - from))
    [ $took -lt $best ] && best=$took
done
check "a line is printed on an open pipe" [ "$answer" = "line 5" ]
check "within 0.1 s (best of 5: $best us)" [ $best -lt 100000 ]
pid=$ASK_PID
eval "exec ${ASK[1]}>&-"
wait "$pid"
check "and the end of the pipe is the end" [ $? = 0 ]

mkfifo slow
"$BLOOMERY" uniq --exact --ram 1MiB slow >out 2>err &
pid=$!
exec 9>slow
cat twice >&9
open=$(find "/proc/$pid/fd" -lname '*deleted*' 2>/dev/null | wc -l)
[ -d "/proc/$pid/fd" ] && check "it has a file in TMPDIR without a name" [ "$open" -gt 0 ]
kill -INT "$pid" 2>/dev/null || kill "$pid"
exec 9>&-
wait "$pid"
check "stopped in the middle: TMPDIR is empty" [ -z "$(ls -A spill)" ]
finish
