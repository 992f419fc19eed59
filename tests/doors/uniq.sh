#!/usr/bin/env bash
# uniq against awk: order, bytes, fields, repeats, windows, capacity, and its manners on open pipes.
. "$(dirname "$0")/lib.bash"

# same NAME WANTED: what came out is, byte for byte, what awk says.
same() { check "$1" cmp "$2" out; }

# ---- the lines of awk '!s[$0]++' ---------------------------------------------------------------------
awk 'BEGIN { srand(1); for (i = 0; i < 200000; i++) print "line " int(rand() * 60000) }' >mixed
awk '!s[$0]++' mixed >once
run uniq mixed
expect "a file" 0 "200000 lines in, $(wc -l <once) out, $((200000 - $(wc -l <once))) dropped"
same "the lines of awk, in order" once
cat mixed | run_in uniq
same "a pipe" once
cat mixed | run_in uniq - /dev/null
same "a dash is standard input" once
for j in 1 2 3; do
    run uniq -q -j $j mixed mixed
    same "-j $j: two inputs are one" once
    check "-j $j -q: no summary" [ ! -s err ]
done
printf 'a\n\nb\n\na\r\na\nb' >odd
run uniq odd
printf 'a\n\nb\na\r\n' >want
same "empty lines, a CR, no last newline" want
run uniq --crlf odd
printf 'a\n\nb\n' >want
same "--crlf" want
printf 'b\na' >unended
run uniq unended unended
printf 'b\na\n' >want
same "a missing last newline is added" want
printf 'x\0y\nz\0x\0\0y\nz\0' >nuls
run uniq -z nuls
printf 'x\0y\nz\0\0' >want
same "-z: records end in NUL" want
printf 'a\0b\na\0c\na\0b\n\377\376\n\377\376\n' >bytes
run uniq bytes
printf 'a\0b\na\0c\n\377\376\n' >want
same "NULs and wrong UTF-8 are bytes" want
: >empty
run uniq empty
expect "no lines" 0 "0 lines in, 0 out"
head -c 3000000 /dev/zero | tr '\0' x >long
{ cat long; echo; cat long; echo y; cat long; } >longs
run uniq longs
expect "lines of 3 MB" 0 "3 lines in, 2 out"
check "and they are whole" [ "$(size_of out)" = 6000003 ]

# ---- the key decides, the line comes out -------------------------------------------------------------
awk '{ print NR "," $2 % 500 "," NR % 7 }' mixed >fields
awk -F, '!s[$2]++' fields >want
run uniq -d , -f 2 fields
same "-d -f: the first line of each key" want
printf '1,a\n2\n3,b\n4,a\n' >gaps
run uniq -d, -f2 gaps
printf '1,a\n2\n3,b\n' >want
same "lines without the field are kept" want
expect "and that is said" 0 "1 line has no field 2: kept"

# ---- --repeated ----------------------------------------------------------------------------------------
awk 's[$0]++ == 1' mixed >again
for n in "" "-n 70000" "-n 70000 -j 2"; do
    run uniq --repeated $n mixed
    expect "--repeated $n" 0 "$(wc -l <again) out"
    same "--repeated $n: each line when it comes the second time" again
done
run uniq --repeated once
expect "--repeated: none" 0 "0 out"

# ---- --window: awk knows when each line came last ----------------------------------------------------------
for n in 1 7 1000 30000 1e6; do
    awk -v N=$n '!($0 in last) || NR - last[$0] > N; { last[$0] = NR }' mixed >want
    run uniq --window $n mixed
    expect "--window $n" 0 "200000 lines in"
    same "--window $n: the lines of awk, at both borders" want
    awk -v N=$n '{ new = !($0 in last) || NR - last[$0] > N; if (!new && !said[$0]) print
                   said[$0] = !new; last[$0] = NR }' mixed >want
    run uniq --repeated --window $n mixed
    same "--window $n --repeated" want
done
awk 'BEGIN { for (i = 0; i < 2000000; i++) print i }' | run_in uniq --window 1000 --ram 1MiB
expect "memory follows the window, not the stream" 0 "2000000 out"
run uniq --window 100000 --ram 1MiB once
expect "a window that is too large for --ram" 4 "smaller --window"
check "what was printed is a prefix" cmp -n "$(size_of out)" out once
{ printf 'a\nb\na\n'; sleep 2.5; printf 'a\nb\na\n'; } | run_in uniq --window 1.5s
printf 'a\nb\na\nb\n' >want
same "--window 1.5s: what came longer ago is new" want
printf 'a\na\n' | run_in uniq --window 1d
expect "--window 1d" 0 "1 out"
for w in 0 5x 10ms m -1 1e99d 0s 3.m.; do
    run uniq --window $w once
    expect "--window $w is refused" 2 "a number of lines"
done

# ---- -n: a filter ----------------------------------------------------------------------------------------
run uniq -n 70000 mixed
expect "-n" 0 "expected to be lost"
lost=$(($(wc -l <once) - $(wc -l <out)))
check "-n: less than 6 lines lost where one is the limit ($lost)" [ $lost -lt 6 ] # P(Poisson(1) >= 6) = 0.0006, a fixed seed
check "-n: none but those" [ "$(awk 'NR == FNR { s[$0]; next } !($0 in s)' once out | wc -l)" = 0 ]
# 10 seeds' worth: 10 times 20000 lines at --lost 20. The sum of ten Poisson(<= 20): 5 sigma above 200 is 271.
lost=0 said=0
for i in 0 1 2 3 4 5 6 7 8 9; do
    seq $((i * 20000 + 1)) $((i * 20000 + 20000)) | run_in uniq --json -n 20000 --lost 20
    lost=$((lost + 20000 - $(wc -l <out)))
    said=$(awk -v a="$said" -v b="$(json_of expected_lost err)" 'BEGIN { print a + b }')
done
check "--lost 20, ten times: $lost lost, $said said" [ $lost -le 271 ]
check "what is said is what happens, to 5 sigma" awk -v l=$lost -v s="$said" 'BEGIN { exit !((l - s) ^ 2 < 25 * s) }'
# The same by adding up: the chance of each line on the way, for the k that loses least in so many bits. The fill
# of one filter moves the figure by 1.4 %, of ten by 0.5 %.
sum=$(awk -v m="$(($(json_of bytes err) * 8))" 'BEGIN {
    for (k = 1; k <= 30; k++) {
        lost = 0
        for (i = 0; i < 20000; i++) lost += (1 - exp(-k * i / m)) ^ k
        if (k == 1 || lost < least) least = lost
    }
    print least }')
check "the plan is used up: $sum of 20" awk -v s="$sum" 'BEGIN { exit !(s > 19.8 && s < 20.05) }'
check "what is said is the sum over all lines" awk -v s="$sum" -v t="$said" 'BEGIN { r = t / 10 / s; exit !(r > 0.975 && r < 1.025) }'
seq 1000000 >million
run uniq -n 20000 million
expect "past -n: 4" 4 "over capacity"
check "one warning at 100 %" [ "$(grep -c warning err)" = 1 ]
check "and the -n to use" grep -q -- "-n 1000000," err
check "more than -n lines came out" [ "$(wc -l <out)" -gt 20000 ]
check "what came out are lines of the input, in order" awk 'NR > 1 && $1 <= p { exit 1 } $1 > 30000 { exit 1 } { p = $1 }' out
cat million | run_in uniq -n 20000
expect "past -n in a pipe that ends: the -n to use" 4 "the input has 1000000 lines: use -n 1000000,"
run uniq --overfill -n 20000 million
expect "--overfill goes on; where the filter has no room left it gives no number" 0 "lost lines cannot be estimated: more than 5 times -n 20000 came"
run uniq --json --overfill -n 20000 million
expect "in JSON that is null" 0 '"expected_lost":null,'
run uniq --json --repeated --overfill -n 20000 million
expect "so it is with --repeated" 0 '"expected_lost":null,'
run uniq -q --overfill -n 20000 million
expect "-q does not hide it" 0 "lost lines cannot be estimated"
# Up to 5 times the plan the number is that of what is lost: 5 sigma of a Poisson number with the mean that is said, and 2 %
# for the fill, which is within 1 % of its mean there.
for n in 900000 500000 300000 210000; do
    run uniq --json --overfill -n $n million
    lost=$((1000000 - $(wc -l <out)))
    check "--overfill -n $n: $(json_of expected_lost err) said, $lost lost" awk -v s="$(json_of expected_lost err)" -v l=$lost \
        'BEGIN { exit !((l - s) ^ 2 < (0.02 * s) ^ 2 + 25 * s) }'
done
run uniq -q --overfill -n 500000 million
expect "-q: more than --lost was lost" 0 "expected to be lost"
run uniq -q --overfill -n 2e6 million
check "-q: nothing is said while --lost is kept" [ ! -s err ]
run uniq --overfill million
expect "--overfill without -n" 2 "planned with -n"
for _ in 1 2 3 4 5 6 7 8 9; do seq 1000; done | run_in uniq -n 1000
expect "repeats do not fill it" 0 "9000 lines in"
run uniq -n 1e9 --ram 16MiB million
expect "more than --ram has: said before reading" 4 "16.0 MiB; -n "
check "and nothing came out" [ ! -s out ]
fits=$(sed -n 's/.*-n \([0-9]*\) would fit.*/\1/p' err)
run uniq -n "$fits" --ram 16MiB empty
expect "the -n that it names fits" 0
run uniq -n 1e7 --ram 16MiB empty
expect "1e7 lines in 16 MiB" 4 "so would --lost"
run uniq -n 1e7 --ram 16MiB --lost "$(sed -n 's/.*so would --lost \([0-9.e+]*\),.*/\1/p' err)" empty
expect "the --lost that it names fits" 0
# Hashes of 64 bits alone lose n(n-1)/2 / 2^64: 2.7e-12 of 10^4 lines, 2.71e-8 of 10^6.
run uniq -n 10000 --lost 2e-12 empty
expect "fewer lost than equal hashes lose" 4 "2.71e-12 are expected to have the 64-bit hash"
run uniq --json -n 1000000 --lost 3e-8 million
check "equal hashes are in the figure ($(json_of expected_lost err))" awk -v l="$(json_of expected_lost err)" 'BEGIN { exit !(l > 2.71e-8 && l < 3.1e-8) }'
run uniq --window 1000 --lost 1e-15 million
expect "--window past --lost: 4" 4 "more than --lost 1e-15"
run uniq -n 5 --window 5 million
expect "-n and --window" 2 "leave -n out"

# ---- --ram and --lost without -n ------------------------------------------------------------------------------
run uniq --ram 2MiB million
expect "past --ram: 4" 4 "larger --ram"
check "what was printed is a prefix" cmp -n "$(size_of out)" out million
# Some 11 bytes each; a tenth is kept free for the part that grows. At 16 MiB it is 12 in all (sixty_gb).
check "of 2 MiB / 13 bytes or more ($(wc -l <out))" [ "$(wc -l <out)" -gt 161300 ]
fits=$(sed -n 's/.*fits up to -n \([0-9]*\).*/\1/p' err)
run uniq --ram 2MiB -n "$fits" empty
expect "the -n that it names fits" 0
run uniq --ram 2MiB mixed
same "repeats do not fill it" once
run uniq --repeated --ram 1MiB million
expect "--repeated past --ram: 4" 4 "larger --ram"
fits=$(sed -n 's/.*fits up to -n \([0-9]*\).*/\1/p' err)
run uniq --repeated --ram 1MiB -n "$fits" empty
expect "--repeated: the -n that it names fits" 0
# The program (3.2 MiB of code and libraries in memory) and the buffers of two threads have 7 to 8 MiB next to --ram, and the lines want more than
# --ram; RSS of a child is at least that of python.
if command -v python3 >/dev/null && ! sanitized; then
    for verb in uniq "build -q -F -o many.blm"; do
        seq 3500000 | python3 -c 'import resource, subprocess, sys
subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)' "$BLOOMERY" $verb -j 2 --ram 32MiB >rss
        check "$verb: within 32 MiB and 9 for the program ($(cat rss) KiB)" [ "$(cat rss)" -lt $((41 * 1024)) ]
    done
else
    skip "the memory of the process" "no python3, or a sanitizer has its own memory"
fi
run uniq --ram 1000B mixed
expect "too little --ram" 2 "at least 1MiB"
run uniq --lost 1e-12 million
expect "past --lost: 4" 4 "larger --lost" # n(n-1)/2 / 2^64 = 1e-12 at n = 6074
check "after 6074 lines and a batch" [ "$(wc -l <out)" -ge 6074 -a "$(wc -l <out)" -le 6700 ]
run uniq --lost 0 million
expect "--lost 0 is refused" 2 "above 0"
run uniq --json million
expect "--json" 0 '"lines":1000000,"printed":1000000,"dropped":0'
check "the figure is n(n-1)/2 / 2^64" [ "$(json_of expected_lost err)" = "$(awk 'BEGIN { printf "%.6g", 1e6 * 999999 / 2 / 2 ^ 64 }')" ]
check "at most 12 bytes a distinct line ($(json_of bytes_per_line err))" awk -v b="$(json_of bytes_per_line err)" 'BEGIN { exit !(b > 7 && b <= 12) }'
same "--json: the lines stay lines" million

# ---- manners ------------------------------------------------------------------------------------------------------
run build -q -o some.blm once
run uniq some.blm
expect "a filter is no list of lines" 2 "this is a filter"
run uniq nowhere
expect "no such input" 2 "No such file"
run uniq "$work"
expect "a folder" 2 "directory"
if [ -w /dev/full ]; then
    "$BLOOMERY" uniq million >/dev/full 2>err </dev/null
    note $?
    expect "no room for the output" 2 "No space left"
    check "which is all that is said" [ "$(wc -l <err)" = 1 ]
fi
"$BLOOMERY" uniq once >both 2>&1 </dev/null
check "the summary stands behind the lines" cmp <(head -n -1 both) once
mkfifo open
"$BLOOMERY" uniq -n 1000 open >out 2>err &
pid=$!
exec 9>open
seq 5000 >&9
for _ in $(seq 200); do kill -0 $pid 2>/dev/null && sleep 0.05; done
kill $pid 2>/dev/null
wait $pid
note $?
exec 9>&-
expect "past -n on a pipe that stays open it ends" 4 "more than"
check "and names an -n" grep -q "lines came: use -n [0-9]*, leave -n out" err
best=9999999
for _ in 1 2 3; do
    from=${EPOCHREALTIME/./}
    seq 1000000000 | "$BLOOMERY" uniq 2>/dev/null | head -n 1 >first
    took=$((${EPOCHREALTIME/./} - from))
    [ $took -lt $best ] && best=$took
done
check "it ends when the reader goes ($best us, best of 3)" [ $best -lt 1000000 ]
for how in "" "--window 5" "-n 1000"; do
    coproc UNIQ { exec "$BLOOMERY" uniq $how 2>uniq.err; }
    pid=$UNIQ_PID best=9999999
    for i in 1 2 3 4 5; do
        from=${EPOCHREALTIME/./}
        echo "line $i" >&"${UNIQ[1]}"
        read -r -t 10 line <&"${UNIQ[0]}"
        took=$((${EPOCHREALTIME/./} - from))
        [ "$line" = "line $i" ] && [ $took -lt $best ] && best=$took
    done
    check "uniq $how: an open pipe is answered in 0.1 s ($best us, best of 5)" [ $best -lt 100000 ]
    eval "exec ${UNIQ[1]}>&-"
    wait "$pid"
done
if script -qec true /dev/null >/dev/null 2>&1; then
    for how in "" "--exact"; do
        script -qec "(echo a; sleep 2.4; echo b) | '$BLOOMERY' uniq $how" /dev/null >out 2>err </dev/null
        check "on a terminal, uniq $how: no bar between the lines, the summary behind them" \
            cmp <(head -n 2 out) <(printf 'a\r\nb\r\n')
    done
else
    skip "a terminal" "script(1) is not there"
fi
finish
