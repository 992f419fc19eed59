#!/usr/bin/env bash
# Packed inputs: gzip, zstd and xz, told by their first bytes; against gzip, zstd, xz themselves.
. "$(dirname "$0")/lib.bash"
PYTHON=${PYTHON:-python3}
seq 300000 >list
printf 'plum\npear\n' >fruit
run build -q -p 1e-9 -o fruit.blm fruit
run build -q -n 300000 -o list.blm list
unpackers=
for tool in gzip zstd xz; do
    if ! command -v $tool >/dev/null; then
        skip "$tool" "it is not there"
    elif "$BLOOMERY" --version | grep -q "${tool/gzip/gz} yes\|${tool/zstd/zst} yes"; then
        unpackers="$unpackers $tool"
    else
        skip "$tool" "this program was built without its library"
    fi
done
run grep --version
expect "--version of a verb says what can be read" 0 "compressed inputs: gz "

# answers NAME FILE WANTED...: by file, by standard input, by a pipe, with one thread and with two
answers() {
    local name=$1 file=$2
    for jobs in 1 2; do
        "$BLOOMERY" grep -v -j $jobs fruit.blm "$file" >out 2>err
        check "$name: a file, -j $jobs" cmp out wanted
        "$BLOOMERY" grep -v -j $jobs fruit.blm <"$file" >out 2>err
        check "$name: standard input, -j $jobs" cmp out wanted
        # shellcheck disable=SC2002
        cat "$file" | "$BLOOMERY" grep -v -j $jobs fruit.blm - >out 2>err
        check "$name: a pipe, -j $jobs" cmp out wanted
    done
}

for tool in $unpackers; do
    $tool -c <list >one.packed
    cp list wanted
    answers "$tool, under another name" one.packed
    run build -q -n 300000 -F -o packed.blm one.packed
    check "$tool: build gives the same filter" cmp list.blm packed.blm
    { $tool -c <fruit; $tool -c </dev/null; $tool -c <list; } >several.packed
    cat fruit list | grep -vx 'plum\|pear' >wanted
    answers "$tool, several in one file" several.packed

    # cut at every byte of a small one; at some of a large one
    seq 20 >small
    $tool -c <small >small.packed
    survived=0
    for n in $(seq 7 $(($(size_of small.packed) - 1))); do
        head -c "$n" small.packed >cut.packed
        "$BLOOMERY" build -q -o cut.blm cut.packed 2>err && survived=$((survived + 1))
        grep -q "cut.packed: " err || survived=$((survived + 1))
    done
    check "$tool: cut anywhere it is refused" [ $survived = 0 ]
    check "and nothing is written" [ ! -e cut.blm ]
    head -c $(($(size_of one.packed) / 2)) one.packed >cut.packed
    run build -q -j 2 -o cut.blm cut.packed
    expect "$tool: a large one that is cut" 2 "cut.packed: the file is truncated"
    check "nothing is written" [ ! -e cut.blm ]
    "$BLOOMERY" grep -v fruit.blm cut.packed >out 2>err
    note $?
    expect "$tool: grep answers what there is, then says so" 2 "truncated"
    check "whole lines only" cmp out <(head -n "$(wc -l <out)" list)
    check "some of them" [ -s out ]
    "$PYTHON" - one.packed damaged.packed <<'END'
import sys
b = bytearray(open(sys.argv[1], "rb").read())
for i in range(len(b) // 2, len(b) // 2 + 64): b[i] ^= 0x55
open(sys.argv[2], "wb").write(b)
END
    run build -q -o damaged.blm damaged.packed
    expect "$tool: damaged in the middle" 2 "damaged.packed: its $tool data is damaged"
    check "nothing is written" [ ! -e damaged.blm ]
    { cat small.packed; echo "something that is no part of it"; } >behind.packed
    run build -q -o behind.blm behind.packed
    expect "$tool: something else behind it" 2 "behind.packed: its $tool data is damaged"
    $tool -c <fruit.blm >image.packed
    run grep fruit.blm image.packed
    expect "$tool: a packed image is no list" 2 "did you swap"
    { printf 'id,fruit\n1,plum\n2,"pe\nar"\n' | $tool -c; } >table.packed
    run grep --csv fruit fruit.blm table.packed
    expect "$tool: CSV inside" 0 "1,plum"
done

case $unpackers in *gzip*)
    { gzip -c <small; head -c 1000 /dev/zero; } >padded.gz
    run grep -vc fruit.blm padded.gz
    expect "gzip: zeros behind it are padding" 0 20
    { cat padded.gz; echo; } >behind.gz
    run grep -vc fruit.blm behind.gz
    expect "gzip: but nothing may follow them" 2 "after its end"
    printf '\037\213' | run_in grep -vc fruit.blm
    expect "two bytes of a magic are a line" 0 1
    ;;
esac
case $unpackers in *zstd*)
    { printf '\x53\x2a\x4d\x18\x03\0\0\0abc'; zstd -c <small; printf '\x5f\x2a\x4d\x18\0\0\0\0'; zstd -c <small; } >skip.zst
    run grep -vc fruit.blm skip.zst
    expect "zstd: frames to be skipped" 0 40
    sanitized || {
        zstd -qc --long=31 <small | (ulimit -v 1000000; exec "$BLOOMERY" grep -vc fruit.blm) >out 2>err
        note $?
        expect "zstd: a window of 2 GiB where 1 GB may be had" 2 "no memory for unpacking it"
    }
    printf 'P\n' | run_in grep -vc fruit.blm
    expect "zstd: a line that begins as a frame to be skipped does" 0 1
    ;;
esac
case $unpackers in *xz*)
    { xz -c <small; head -c 8 /dev/zero; xz -c <small; } >padded.xz
    run grep -vc fruit.blm padded.xz
    expect "xz: padding between streams" 0 40
    ;;
esac

# What has been flushed is answered although the pipe stays open.
case $unpackers in *gzip*)
    timeout 30 "$PYTHON" -c '
import subprocess, sys, time, zlib
for jobs, before in (("1", 0), ("2", 0), ("2", 400000)):
    p = subprocess.Popen([sys.argv[1], "grep", "-v", "-j", jobs, "fruit.blm"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    z = zlib.compressobj(1, zlib.DEFLATED, 31)
    p.stdin.write(z.compress(b"line\n" * before) + z.flush(zlib.Z_SYNC_FLUSH))
    p.stdin.flush()
    for _ in range(before): p.stdout.readline()
    best = 9
    for i in range(5):
        begin = time.monotonic()
        p.stdin.write(z.compress(b"stone %d\n" % i) + z.flush(zlib.Z_SYNC_FLUSH))
        p.stdin.flush()
        if p.stdout.readline() != b"stone %d\n" % i: sys.exit("wrong answer")
        best = min(best, time.monotonic() - begin)
    p.stdin.write(z.flush())
    p.stdin.close()
    if p.wait() or best > 0.1: sys.exit("%g s" % best)
' "$BLOOMERY" 2>err
    note $?
    expect "gzip on an open pipe is answered within 0.1 s" 0
    ;;
esac
finish
