#!/usr/bin/env bash
# Filters on the wire: pack, unpack, delta; what comes back is the same file, and what is no stream is refused within its size.
. "$(dirname "$0")/lib.bash"
seq 1000 >list
seq 1010 >later
run build -q -n 100000 -o old.blm list
run build -q -n 100000 -o new.blm later
run build -q -t standard -n 1000 -o full.blm list
run build -q -t counting -n 1000 --new-key secret -o keyed.blm list

# ---- there and back ------------------------------------------------------------------------------------------
for name in old full keyed; do
    run pack -o $name.packed $name.blm
    expect "pack $name" 0 " bytes, "
    check "$name.packed is at most 16 bytes longer" [ "$(size_of $name.packed)" -le $(($(size_of $name.blm) + 16)) ]
    run unpack -o $name.again $name.packed
    expect "unpack $name" 0 "$name.again: "
    check "$name comes back" cmp $name.blm $name.again
    rm $name.again
done
check "a filter at 0.5 % has a twentieth" [ "$(size_of old.packed)" -lt $(($(size_of old.blm) / 18)) ]
"$BLOOMERY" pack -o - old.blm 2>err | "$BLOOMERY" unpack -o - - 2>>err | cmp - old.blm
note $?
expect "through two pipes" 0 "standard output: "
run delta -o d old.blm new.blm
expect "delta" 0 "a delta, "
check "ten keys take less than 400 bytes" [ "$(size_of d)" -lt 400 ]
run unpack --base old.blm -o new.again d
expect "unpack --base" 0 "1010 keys"
check "old and delta are new" cmp new.blm new.again
"$BLOOMERY" delta -o - old.blm new.blm 2>err | "$BLOOMERY" unpack -o - --base old.blm - 2>>err | cmp - new.blm
note $?
expect "a delta through two pipes" 0
run unpack -F --base old.blm -o new.again old.packed
expect "a packed filter needs no base" 0
check "and is itself" cmp old.blm new.again
seq 2001 3000 >others
run build -q -t standard -n 1000 -o full2.blm others
run delta -o whole full.blm full2.blm
expect "where all has changed, NEW is packed" 0 "packed whole, because a delta would be longer"
run unpack -F -o new.again whole
expect "and needs no base either" 0
check "it is NEW" cmp full2.blm new.again
run unpack -q -F -o noted.blm --note "from the wire" old.packed
run info noted.blm
expect "a note" 0 "from the wire"

# ---- summaries -------------------------------------------------------------------------------------------------
run pack --json -F -o old.packed old.blm
expect "pack --json" 0 '"kind":"blocked","bytes":'
check "the size of the file" [ "$(json_of bytes)" = "$(size_of old.packed)" -a "$(json_of image_bytes)" = "$(size_of old.blm)" ]
run delta --json -F -o d old.blm new.blm
expect "delta --json" 0 '"delta":true,"base":"'
base=$(json_of base)
"${PYTHON:-python3}" -c 'import sys, xxhash; print("%016x" % xxhash.xxh3_64_intdigest(open("old.blm", "rb").read()))' >sum 2>/dev/null &&
    check "base is the XXH3-64 of OLD's file" [ "$base" = "$(cat sum)" ]
run info d old.packed
expect "info of a delta" 0 "a delta"
expect "names its base" 0 "$base"
run info --json d old.packed
expect "info --json of a packed filter" 0 "\"packed\":\"filter\",\"file_bytes\":$(size_of old.packed),\"image_bytes\":$(size_of old.blm)"

# ---- refused -----------------------------------------------------------------------------------------------------
run test old.packed 1
expect "a query of a packed filter" 3 "a packed filter: unpack it first"
run unpack -o x.blm old.blm
expect "unpack of a filter" 3 "not packed"
run unpack -o x.blm list
expect "unpack of a text" 3 "not a packed filter"
run pack -o x.blm old.packed
expect "pack of a packed filter" 3 "unpack it first"
run unpack -o x.blm d
expect "a delta without its base" 5 "--base OLD"
run unpack -o x.blm --base new.blm d
expect "a delta on another base" 5 "the base differs"
run delta -o x.blm full.blm old.blm
expect "delta of other kinds" 5 "kind differs"
expect "names NEW" 5 "old.blm: "
run unpack -o x.blm --limit 100KiB old.packed
expect "above the limit" 3 "the limit is 102400"
run unpack -o x.blm --seed 7 old.packed
expect "another seed" 5 "--seed 7"
run unpack -o x.blm --base old.blm - <d
for n in 0 7 8 31 32 39 40 100 $(($(size_of d) - 1)); do
    head -c "$n" d >short
    run unpack -o x.blm --base old.blm short
    expect "cut at $n" 3
done
for at in 0 9 13 17 20 25 40 150 200 290; do
    cp d flipped
    printf '\377' | dd of=flipped bs=1 seek=$at conv=notrunc status=none
    cmp -s d flipped && continue
    run unpack -o x.blm --base old.blm flipped
    expect "another byte at $at" 3
done
cat old.packed /dev/zero | timeout 20 "$BLOOMERY" unpack -o x.blm - >out 2>err
note "${PIPESTATUS[1]}"
expect "an endless stream ends at its declared size" 3 "it goes on after"
check "nothing was written" [ ! -e x.blm ]
run unpack -o x.blm - - <d
expect "two streams" 2
run_in unpack -o x.blm --base - - <d
expect "one pipe for two" 2 "only one"
run pack -o old.packed old.blm
expect "nothing is overwritten without -F" 2 "use -F"
run pack -o old.blm -F old.blm
expect "nor the input" 2 "also one of the inputs"
run unpack -o old.blm -F --base old.blm d
expect "nor the base" 2 "also one of the inputs"

# ---- a bomb --------------------------------------------------------------------------------------------------------
run build -q -t standard -m 16MiB -k 3 -n 1000 -o zeros.blm </dev/null
run pack -q -o bomb zeros.blm
check "zeros cost nothing" [ "$(size_of bomb)" -lt 200 ]
run unpack -q -o x.blm --limit 16MiB bomb
expect "and unpack within the limit alone" 3 "the limit is"
run unpack -q -o x.blm --limit 17MiB bomb
expect "which is the size of the image" 0
check "zeros come back" cmp zeros.blm x.blm
finish
