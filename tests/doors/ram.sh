#!/usr/bin/env bash
# --ram: hashes that do not fit go to a file without a name, and the filter is the same.
. "$(dirname "$0")/lib.bash"
seq 300000 >lines
mkdir spools
export TMPDIR=$work/spools
for kind in blocked split-block standard counting; do
    run build -t $kind -o whole-$kind.blm lines lines
    expect "$kind: in memory" 0 "300000 distinct"
    run build -t $kind --ram 1MiB -o small-$kind.blm lines lines
    expect "$kind: through a spool" 0 "600000 keys, 300000 distinct"
    check "$kind: the same bytes" cmp whole-$kind.blm small-$kind.blm
done
if strace -f -o trace -e trace=open,openat,write "$BLOOMERY" build -q --ram 1MiB -o traced.blm lines 2>/dev/null; then
    check "there was a spool" grep -q "$TMPDIR.*TMPFILE\|bloomery-spool" trace
else
    skip "that there was a spool" "strace does not work here"
fi
check "nothing is left in TMPDIR" [ -z "$(ls -A spools)" ]
run build --ram 100KiB -o none.blm lines
expect "less than 1 MiB is refused" 2 "needs at least 1MiB, but this is 102400 bytes"
TMPDIR=$work/nowhere run build --ram 1MiB -o none.blm lines
expect "a TMPDIR that is not there, when it is needed" 2 "nowhere: cannot create a spool there"
expect "and it says that nothing is written" 2 "nothing was written"
TMPDIR=$work/nowhere run build --ram 16MiB -o unneeded.blm lines
expect "a TMPDIR that is not there, when it is not" 0 "300000 distinct"
(ulimit -f 1000 && run build --ram 1MiB -t counting -o none.blm lines)
expect "a disk that is full" 2 "$TMPDIR: after 1024000 bytes of a spool: File too large; nothing was written"
check "and nothing is written" [ ! -e none.blm ]
check "and nothing is left" [ -z "$(ls -A spools)" ]
finish
