#!/usr/bin/env bash
# -j: the same lines, the same order, the same bytes and the same complaints for any number of threads.
. "$(dirname "$0")/lib.bash"
PYTHON=${PYTHON:-python3}
some_jobs='1 2 3 8' few_jobs='1 2 8'
sanitized && some_jobs='1 3' few_jobs='1 3' # each takes ten times as long there
# Helpers start after 1 MiB of input, and a block has 64 KiB: every input has more than the one and many of the other.
seq 400000 | awk '{ print $1 "," $1 * 7 % 1000 ",\"" $1 (NR % 1000 ? "" : "\n") "\"" }' >rows
{ echo one,two,three; cat rows; } >table.csv
awk '{ print "{\"a\":{\"b\":" NR "}}" }' rows >rows.jsonl
seq 0 2 400000 >even
run build -q -n 400000 -o even.blm even
awk -F, '$1 % 2 == 0 && NF > 2' rows >wanted
run build -q -p 1e-12 -o strict.blm even # what awk says, line for line
awk -F, 'NF == 3 { even = $1 % 2 == 0 } even' rows >records
awk 'NR % 2 == 0 && NR <= 400000' rows.jsonl >values
run build -q -n 1000000 -j 1 -o one.blm rows

for jobs in $some_jobs; do
    run build -q -F -n 1000000 -j $jobs -o many.blm rows
    check "build -n: the same bytes, -j $jobs" cmp one.blm many.blm
    run grep -j $jobs -d , -f 1 even.blm rows
    [ $jobs = 1 ] && cp out first
    check "grep -f: the same lines in the same order, -j $jobs" cmp out first
    run grep -j $jobs --csv one strict.blm table.csv
    check "grep --csv: quotes over two lines, -j $jobs" cmp out records
    run grep -j $jobs --jsonl .a.b strict.blm rows.jsonl
    check "grep --jsonl, -j $jobs" cmp out values
    run verify -j $jobs even.blm --against even --probes 1000
    expect "verify --against, -j $jobs" 0 "0 of 200001"
    "$BLOOMERY" test -j $jobs -q even.blm <even
    note $?
    expect "test of standard input, -j $jobs" 0
done
# No even number is missed, and of the odd ones the rate's share comes: awk says which are even.
check "no line is missing" sh -c 'awk -F, "\$1 % 2 == 0 && NF == 3" first | cmp - wanted'
check "and few are false" [ "$(wc -l <first)" -lt 201000 ]

# ---- judged in shares: uniq, and build without -n ---------------------------------------------------------------
# Lines that come again soon, late and never; some have no second field.
awk 'BEGIN { for (i = 0; i < 400000; i++) { n = i % 3 ? i * 7919 % 220000 : i; print n (n % 10 ? ":" n % 5000 : "") } }' >again
awk '!s[$0]++' again >once
awk 's[$0]++ == 1' again >twice
awk -F: 'NF < 2 || !s[$2]++' again >fields
tr '\n' '\0' <once >zero
{ head -n 1 table.csv; awk -F, 'NF == 3 { new = !s[$2]++ } new' rows; } >csv
run build -q -j 1 -o unsized.blm again
for jobs in $some_jobs; do
    run uniq -j $jobs --json again
    check "uniq, -j $jobs" cmp out once
    [ $jobs = 1 ] && cp err summary
    check "uniq: the same summary, memory too, -j $jobs" cmp err summary
    cat again | run_in uniq -j $jobs
    check "uniq of a pipe, -j $jobs" cmp out once
    run uniq -j $jobs --repeated again
    check "uniq --repeated, -j $jobs" cmp out twice
    run uniq -j $jobs -d : -f 2 again
    check "uniq -f, -j $jobs" cmp out fields
    tr '\n' '\0' <again | run_in uniq -z -j $jobs
    check "uniq -z, -j $jobs" cmp out zero
    run uniq -j $jobs --csv two table.csv
    check "uniq --csv, -j $jobs" cmp out csv
    run uniq -j $jobs --ram 2MiB again # near its limit one thread judges
    expect "uniq past --ram, -j $jobs" 4 "over capacity"
    [ $jobs = 1 ] && cp out full && cp err words
    check "uniq past --ram: the same lines, -j $jobs" cmp out full
    check "uniq past --ram: the same words, -j $jobs" cmp err words
    run uniq -j $jobs --lost 1e-9 again
    expect "uniq past --lost, -j $jobs" 4 "larger --lost"
    [ $jobs = 1 ] && cp out lost
    check "uniq past --lost: the same lines, -j $jobs" cmp out lost
    run uniq -j $jobs -n 100000 again
    expect "uniq past -n, -j $jobs" 4 "the input has 400000 lines"
    run build -q -F -j $jobs -o some.blm again
    check "build: the same bytes, -j $jobs" cmp some.blm unsized.blm
    run build -q -F -j $jobs -o some.blm --ram 2MiB again
    check "build with a spool: the same bytes, -j $jobs" cmp some.blm unsized.blm
    run build -j $jobs -n 100000 -F -o some.blm again
    expect "build past -n, -j $jobs" 4 "the input has 400000 lines"
done

# ---- trouble in the middle: the lines before it, then one sentence with its line ----------------------------
{ seq 150000; echo no; seq 150000; } | awk '{ printf "%s\n", /no/ ? "zz" : sprintf("%08x", $1) }' >hex
{ head -n 150001 hex; seq 150001 300000 | awk '{ printf "%08x\n", $1 }'; } >longer
{ awk 'BEGIN { for (i = 0; i < 150000; i++) print "00000000" }'; head -n 3000 hex; echo zz; head -n 3000 hex; } >soon
for jobs in $few_jobs; do
    run grep -v -j $jobs --hex even.blm hex
    expect "-j $jobs: a wrong line is named" 2 "hex: line 150001: zz"
    check "-j $jobs: all lines before it are answered" [ "$(wc -l <out)" -gt 149000 ]
    check "-j $jobs: one complaint" [ "$(wc -l <err)" = 1 ]
    run build -q -n 1000000 -j $jobs --hex -o no.blm hex
    expect "-j $jobs: build" 2 "line 150001"
    check "-j $jobs: nothing is written" [ ! -e no.blm ]
    # Nothing behind that line counts, though other threads have read it: no word of a filter that is full.
    for _ in 1 2 3 4 5; do run build -n 150100 -j $jobs --hex -o no.blm longer; cat err; done >all
    check "-j $jobs: the same complaint, nothing of what is behind" [ "$(sort -u all | wc -l)" = 1 ]
    # Too many keys, and a wrong line soon behind them: the lines cannot be counted to the end.
    run build -j $jobs -n 500 --hex -o no.blm soon
    expect "-j $jobs: build names a wrong line behind too many keys" 4 "soon: line 153001: zz"
    check "-j $jobs: and counts no lines past it" sh -c '! grep -q "the input has" err'
    run uniq -j $jobs -n 500 --hex soon
    expect "-j $jobs: so does uniq" 4 "soon: line 153001: zz"
    check "-j $jobs: uniq counts none past it" grep -q "more than 153000 lines" err
done

# ---- pipes ------------------------------------------------------------------------------------------------------
mkfifo hold
for jobs in $few_jobs; do
    "$BLOOMERY" grep -v -j $jobs even.blm rows 2>err | head -n 1 >out
    note "${PIPESTATUS[0]}"
    expect "-j $jobs: killed by SIGPIPE" 141
    timeout 10 "$BLOOMERY" grep -q -j $jobs strict.blm <hold &
    exec 3>hold
    { seq 1 2 400000; echo 2; } >&3
    wait $!
    note $?
    expect "-j $jobs: grep -q ends although the pipe stays open" 0
    exec 3>&-
    timeout 10 "$BLOOMERY" uniq -j $jobs --ram 4MiB <hold >/dev/null 2>err &
    exec 3>hold
    seq 500000 2>/dev/null >&3
    wait $!
    note $?
    expect "-j $jobs: uniq past --ram ends although the pipe stays open" 4
    exec 3>&-
done
timeout 60 "$PYTHON" -c '
import os, signal, subprocess, sys, time
lines = b"".join(b"%d\n" % i for i in range(1, 600001, 2))
for jobs in "1", "2", "8":
    p = subprocess.Popen([sys.argv[1], "grep", "-v", "-j", jobs, "even.blm"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    best = 9
    if os.fork() == 0:
        p.stdin.write(lines)
        p.stdin.flush()
        os._exit(0)
    count = 0
    while count < 299000: count += 1; p.stdout.readline()
    os.wait()
    # what is left of the flood, then single lines
    os.set_blocking(p.stdout.fileno(), False)
    end = time.monotonic() + 0.5
    while time.monotonic() < end:
        p.stdout.read(1 << 16); time.sleep(0.01)
    os.set_blocking(p.stdout.fileno(), True)
    threads = len(os.listdir("/proc/%d/task" % p.pid))
    if sys.argv[2] == "plain" and threads != int(jobs): sys.exit("-j %s: %d threads" % (jobs, threads))
    for i in range(5):
        begin = time.monotonic()
        p.stdin.write(b"stone %d\n" % i)
        p.stdin.flush()
        if p.stdout.readline() != b"stone %d\n" % i: sys.exit("wrong answer")
        best = min(best, time.monotonic() - begin)
    if best > 0.1: sys.exit("-j %s: %g s" % (jobs, best))
    p.send_signal(signal.SIGINT)
    begin = time.monotonic()
    if p.wait() != -signal.SIGINT or time.monotonic() - begin > 1: sys.exit("Ctrl-C")
' "$BLOOMERY" "$(sanitized && echo sanitized || echo plain)" 2>err
note $?
expect "after a flood: as many threads as said, a line answered within 0.1 s, Ctrl-C ends it; -j 1, 2, 8" 0
mkfifo pipe
{ seq 400000 >pipe; } &
"$BLOOMERY" grep -c -j 2 even.blm even pipe >out 2>err
note $?
expect "a FIFO among files" 0
wait
check "all of its lines" [ "$(cat out)" -ge 400001 ]

# ---- a line as long as the memory of a block many times over ----------------------------------------------------
{ seq 200000; head -c 10000000 /dev/zero | tr '\0' x; echo; seq 200000; } >long
for jobs in 1 2; do
    run grep -v -j $jobs even.blm long
    check "-j $jobs: a line of 10 MB" [ "$(wc -L <out)" = 10000000 ]
done
check "no folder holds what we left" [ "$(temps_in .)" = 0 ]
finish
