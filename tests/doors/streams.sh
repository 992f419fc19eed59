#!/usr/bin/env bash
# streams.sh - streams that were written once are read for ever; and the second reader, written from docs/format.md, makes the
# same images of them as the program does.
. "${SOURCE:?the source tree}/tests/doors/lib.bash" || exit 2
export PYTHONDONTWRITEBYTECODE=1
python=${PYTHON:-python3} reader=$SOURCE/tests/reader golden=$SOURCE/tests/golden/wire
second() { "$python" "$reader/stream.py" "$@" >second.blm 2>second.err; } # STREAM [--base OLD]

# ---- goldens -----------------------------------------------------------------------------------------------
seq 40 | "$BLOOMERY" build -q -t standard -n 2000 -p 1% --seed 3 --note gaps -o gaps.blm
seq 43 | "$BLOOMERY" build -q -t standard -n 2000 -p 1% --seed 3 --note more -o more.blm
seq 1500 | "$BLOOMERY" build -q -t counting -n 2000 -p 5% -o bytes.blm
seq 150 | "$BLOOMERY" build -q -t standard -n 100 -p 1% --overfill -o raw.blm 2>err
"$BLOOMERY" build -q -t blocked -m 1MiB -k 5 -n 1000 -o zeros.blm </dev/null
cp "$SOURCE/tests/golden/toy-chain.blm" chain.blm
program=$BLOOMERY
for name in gaps bytes raw zeros chain; do
    BLOOMERY=$program
    [ $name != chain ] || BLOOMERY=$BLOOMERY_TOYS
    run pack -q -o $name.packed $name.blm
    check "$name: packed as ever" cmp $name.packed "$golden/$name.packed"
    run unpack -q -F -o first.blm "$golden/$name.packed"
    check "$name: unpacked as ever" cmp first.blm $name.blm
    second "$golden/$name.packed"
    check "$name: the second reader unpacks the same image" cmp second.blm $name.blm
done
BLOOMERY=$program
run delta -q -o gaps.delta gaps.blm more.blm
check "delta: made as ever" cmp gaps.delta "$golden/gaps.delta"
run unpack -q -F -o first.blm --base gaps.blm "$golden/gaps.delta"
check "delta: applied as ever" cmp first.blm more.blm
second "$golden/gaps.delta" --base gaps.blm
check "delta: the second reader makes the same image" cmp second.blm more.blm
second "$golden/gaps.delta" --base more.blm
check "delta: and on no other base" test $? = 5
# shellcheck disable=SC2016 # sh expands them
check "each method is there" sh -c 'for m in gaps:02 bytes:03 raw:01 zeros:00; do
    f=${m%:*}.packed; at=$(($(od -An -tu4 -j12 -N4 $f) + 32)); [ $(od -An -tx1 -j$at -N1 $f) = ${m#*:} ] || exit 1; done'
check "files of the second reader have at most 150 lines" test "$(wc -l <"$reader/stream.py")" -le 150 -a "$(wc -l <"$reader/codes.py")" -le 150

# ---- other kinds and sizes ------------------------------------------------------------------------------------
both() { # NAME BUILD_OPTIONS...: 300 and 3,000 keys, and what has changed between
    local name=$1
    shift
    for n in 300 3000; do
        seq $n | "$BLOOMERY" build -q -F -n 3000 "$@" -o "$n.blm" 2>err
        run pack -q -F -o packed $n.blm
        second packed
        check "$name, $n keys: both readers make the same image" cmp second.blm $n.blm
    done
    seq 330 | "$BLOOMERY" build -q -F -n 3000 "$@" -o later.blm 2>err
    run delta -q -F -o change 300.blm later.blm
    second change --base 300.blm
    check "$name: both readers apply the same delta" cmp second.blm later.blm
}
printf '00112233445566778899aabbccddeeff\n' >secret && chmod 600 secret
both standard -t standard
both blocked -t blocked -p 5%
both split-block -t split-block --note 'a note'
both counting -t counting --set width=7
both dleft -t dleft
both count-min -t count-min
both keyed -t blocked --key secret --seed 5
seq 100 | "$BLOOMERY" build -q -t standard -n 400000 -m 2200000B -k 1 -o two.blm
run pack -q -o two.packed two.blm
second two.packed
check "more than two blocks" cmp second.blm two.blm

# ---- damage ---------------------------------------------------------------------------------------------------
for n in 0 8 39 100 $(($(size_of gaps.packed) - 1)); do
    head -c "$n" gaps.packed >short
    second short
    check "the second reader: cut at $n" test $? = 3
done
for at in 0 9 20 33 140 300 400; do
    cp gaps.packed flipped
    printf '\252' | dd of=flipped bs=1 seek=$at conv=notrunc status=none
    second flipped
    check "the second reader: another byte at $at" test $? = 3
done
finish
