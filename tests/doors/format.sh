#!/usr/bin/env bash
# format.sh - docs/format.md says what the program writes: its vectors, and images that the second
# reader, written from that page, reads and answers like the program itself.
. "${SOURCE:?the source tree}/tests/doors/lib.bash" || exit 2
export PYTHONDONTWRITEBYTECODE=1
python=${PYTHON:-python3} reader=$SOURCE/tests/reader

"$python" "$reader/vectors.py" check "$SOURCE/docs/format.md" "$SOURCE/tests/core/test_vectors.c"
check "vectors and field tables: page, C and second reader agree" test $? = 0

# 2,000 members; 2,000 strangers of another shape, of whom about 20 are taken for members.
seq 2000 > members
sed 's/^/stranger /' members > strangers
printf '00112233445566778899aabbccddeeff\n' > secret && chmod 600 secret

agree() { # NAME BUILD_OPTIONS...
    local name=$1 key=()
    shift
    case " $* " in *" --key "*) key=(--key secret) ;; esac
    run_in build -q -F -o image.blm "$@" members < /dev/null
    expect "$name: built" 0
    run_in test image.blm "${key[@]}" < <(cat members strangers)
    mapfile -t keys < <(cat members strangers)
    "$python" "$reader/reader.py" image.blm ${key:+--key "$(cat secret)"} "${keys[@]}" > second 2> err
    check "$name: the second reader takes it" test $? = 0
    check "$name: both give the same 4,000 answers" cmp out second
    check "$name: and some of both sorts" test "$(grep -c 'maybe$' second)" -ge 2000 -a "$(grep -c 'no$' second)" -ge 1900
}
agree standard -t standard -n 2000 -p 1%
agree blocked -t blocked -n 2000 -p 1%
agree split-block -t split-block -n 2000 -p 1%
agree partitioned -t partitioned -n 2000 -p 1%
agree two-choice -t two-choice -n 2000 -p 1%
agree memory-optimized -t memory-optimized -n 2000 -p 1%
agree split -t split -n 2000 -p 1%
agree "split, rows by hash" -t split -n 2000 -p 1% --set rows=hash --set parts=11
agree retouched -t retouched -n 2000 -p 1%
agree adaptive-cuckoo -t adaptive-cuckoo -n 2000 -p 1%
agree counting -t counting -n 2000 -p 1%
agree "counting, 7 bits" -t counting -n 2000 -p 1% --set width=7
agree count-min -t count-min -n 2000 -p 1%
agree "count-min, heavy flows" -t count-min -n 2000 -p 1% --set threshold=2 --set update=plain
agree "a note and a seed" -t standard -n 2000 -p 1% --note 'a note' --seed 42
agree "keys in lower case" -t standard -n 2000 -p 1% --lower
agree "a secret key" -t blocked -n 2000 -p 1% --seed 42 --key secret
agree "a secret key, 128 bits" -t adaptive-cuckoo -n 2000 -p 1% --key secret

check "without its key: exit 2" bash -c '"$1" "$2" image.blm 1 2> err; test $? = 2' - "$python" "$reader/reader.py"
printf x >> image.blm
check "lengthened: exit 3" bash -c '"$1" "$2" image.blm 1 2> err; test $? = 3' - "$python" "$reader/reader.py"

# Every flipped bit, every cut, an appended byte: here by the second reader, in the laws by the library.
seq 30 > few
for kind in standard blocked split-block counting; do
    run build -q -F -o $kind.blm -t $kind -n 30 -p 1% --note 'small' few
    expect "$kind: a small one" 0
done
"$python" "$reader/golden.py" --damage standard.blm blocked.blm split-block.blm counting.blm
check "the second reader refuses all damage" test $? = 0

# Repaired checksums: both readers look at every value, and agree about what is legal.
mkdir forged
check "forgeries are made" "$python" "$reader/forge.py" "$SOURCE/src/kinds/membership/standard/golden/standard-odd.blm" forged
"$python" "$reader/golden.py" --judge forged/*.blm > judged
for image in forged/*.blm; do
    case $image in forged/good-*) code=0 ;; *) code=3 ;; esac
    check "second reader: $image" grep -qx "$image $code" judged
    run info "$image"
    [ $code = 3 ] && run verify "$image"
    expect "program: $image" $code
done
check "there are some of both sorts" test "$(find forged -name 'bad-*' | wc -l)" -ge 30 -a "$(find forged -name 'good-*' | wc -l)" = 5
finish
