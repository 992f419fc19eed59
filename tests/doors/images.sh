#!/usr/bin/env bash
# Images that are damaged, strange, newer or nearly full, and what info and verify say.
. "$(dirname "$0")/lib.bash"
check "the forge compiles" build_forge
seq 20 >twenty

# ---- one flipped bit in every byte, every cut, an appended byte: verify ends with 3 -----------------------
# The bit is (place mod 8), so that all eight occur; every single bit of every kind is the law's business. The program
# opens all kinds by the same code: every place for standard, each fifth one for the others.
for kind in standard blocked split-block counting; do
    step=5
    [ $kind = standard ] && step=1
    run build -q -F -t $kind -p 1% -o sound.blm twenty
    expect "$kind: built" 0
    run verify --probes 1000 sound.blm
    expect "$kind: the sound image" 0 "checksum"
    size=$(size_of sound.blm)
    mapfile -t bytes < <(od -An -v -tu1 -w1 sound.blm)
    mapfile -t escaped < <(od -An -v -tx1 -w1 sound.blm | sed 's/^ /\\x/')
    printf '%b' "${escaped[@]}" >same.blm
    check "$kind: the bytes are written as they were read" cmp same.blm sound.blm
    bad=0 tried=0
    for ((i = 0; i < size; i += step)); do
        flipped=("${escaped[@]}")
        printf -v "flipped[i]" '\\x%02x' $((bytes[i] ^ (1 << (i % 8))))
        printf '%b' "${flipped[@]}" >flipped.blm
        "$BLOOMERY" verify flipped.blm >/dev/null 2>&1
        [ $? = 3 ] || bad=$((bad + 1))
        tried=$((tried + 1))
    done
    check "$kind: a flipped bit in each of $tried bytes is refused with 3 ($bad were not)" [ $bad = 0 ]
    bad=0
    for ((i = 0; i < size; i += step)); do
        printf '%b' "${escaped[@]:0:i}" >cut.blm
        "$BLOOMERY" verify cut.blm >/dev/null 2>&1
        [ $? = 3 ] || bad=$((bad + 1))
    done
    check "$kind: each of $tried cuts is refused with 3 ($bad were not)" [ $bad = 0 ]
    bad=0
    for byte in 00 0a ff; do
        { cat sound.blm && printf '%b' "\\x$byte"; } >longer.blm
        "$BLOOMERY" verify longer.blm >/dev/null 2>&1
        [ $? = 3 ] || bad=$((bad + 1))
    done
    check "$kind: an appended byte is refused with 3" [ $bad = 0 ]
    run test longer.blm 1
    expect "$kind: test refuses it too" 3 "appended"
    run_in verify - <longer.blm
    expect "$kind: by a pipe too" 3 "appended"
    head -c $((size - 3)) sound.blm >cut.blm
    run grep cut.blm twenty
    expect "$kind: grep refuses a cut one" 3 "cut"
done

# ---- not an image; newer; swapped; a folder ------------------------------------------------------------------
run build -q -F -t standard -o sound.blm twenty
run verify twenty
expect "a text is not an image" 3 "not a Bloomery filter"
: >nothing
run info nothing
expect "an empty file is not an image" 3
run info "$work"
expect "a directory is not an image" 2
run info nowhere.blm
expect "no such file" 2 "No such file"
check "a newer image is made" ./forge newer sound.blm newer.blm
for verb in info verify test; do
    run $verb newer.blm
    expect "$verb: an image of a newer version" 3 "newer version"
done
run merge -o none.blm sound.blm newer.blm
expect "merge: an image of a newer version" 3 "newer version"
run grep twenty sound.blm
expect "FILE and INPUT swapped is said" 3 "did you swap"
run test twenty sound.blm
expect "test: swapped is said" 3 "did you swap"
run build -o none.blm sound.blm
expect "an image is not a list of keys" 2 "this is a filter"
check "and nothing is written" [ ! -e none.blm ]
# The last 8 bytes are the checksum of the cells, which --trust does not look at.
printf 'x' | dd of=sound.blm bs=1 seek=$(($(size_of sound.blm) - 3)) conv=notrunc status=none
run merge -o none.blm sound.blm sound.blm
expect "merge checks all cells first" 3 "damaged"
run merge --trust -o trusted.blm sound.blm
expect "unless --trust" 0

# ---- nine tenths of the bits are one -----------------------------------------------------------------------------
seq 3000 >many
run build -q -t standard -m 1000B -n 100 --overfill -o full.blm many
for verb in info test grep; do
    if [ $verb = info ]; then set -- full.blm; else set -- full.blm many; fi
    run $verb "$@"
    check "$verb warns of a filter that says yes to everything" grep -q "maybe to almost every key" err
done

# ---- info and verify ---------------------------------------------------------------------------------------------
run build -q -t counting --set width=6 -o count.blm many
run info --json count.blm
for key in kind format hash seed capacity keys estimated_keys fpr_target fpr_now fill bits bytes hashes abilities knobs; do
    check "info --json has $key" grep -q "\"$key\":" out
done
check "and a knob's value" grep -q '"knobs":{"width":6,"layout":"spread"}' out
for reads in 1 3; do
    run build -q -F -t word --set reads=$reads --set width=32 -o word.blm many
    run info word.blm
    expect "a knob whose words are numbers: $reads" 0 "reads=$reads width=32"
done
run verify --json --against many count.blm
for key in checksum promised_fpr measured_fpr low high probes false_negatives verdict; do
    check "verify --json has $key" grep -q "\"$key\":" out
done
run verify --json longer.blm
expect "verify --json of a damaged image" 3 '"checksum":"not sound"'
if command -v python3 >/dev/null; then
    for args in "info --json count.blm" "verify --json count.blm" "kinds --json" "kinds blocked --json"; do
        # shellcheck disable=SC2086
        run $args
        check "$args is JSON" python3 -c 'import json; json.loads(open("out").read())'
    done
else
    skip "JSON" "python3 is not there"
fi
seq 4000 >too-many
run verify --against too-many count.blm
expect "verify --against keys that were not added" 1 "broken"
run verify --probes 100 count.blm
expect "100 probes are too few to tell a rate of 1/1000" 0 "cannot tell"
# A rate of 1/1000 promised by the shape, ten times the keys inside: 10^6 probes see it for sure.
run build -q -t standard -m 1000B -n 500 --overfill -o over.blm many
run verify over.blm
expect "a filter past its plan breaks its promise" 1 "broken"
finish
