#!/usr/bin/env bash
# golden.sh - images that were written once and are read for ever: by the library and, without it, by
# the second reader, which computes answers and cells from the keys alone.
. "${SOURCE:?the source tree}/tests/doors/lib.bash" || exit 2
export PYTHONDONTWRITEBYTECODE=1
python=${PYTHON:-python3} reader=$SOURCE/tests/reader golden=$SOURCE/tests/golden

names=() # paths without suffix
for image in $("$SOURCE/tools/sources" goldens); do
    names+=("$SOURCE/${image%.blm}")
    check "$(basename "$image") has a recipe and answers" test -f "${names[-1]}.recipe" -a -f "${names[-1]}.answers"
done
check "every recipe has an image" test "$(find "$SOURCE/src/kinds" "$golden" -name '*.recipe' | wc -l)" = ${#names[@]}
standard=$SOURCE/src/kinds/membership/standard/golden

# Linked with the library of this build: that is the one that must read them.
check "replay compiles" env CC="$(cached CMAKE_C_COMPILER)" CFLAGS="$(link_flags | paste -sd ' ')" \
    LIBRARY="$BUILD/tests/libbloomery_toys.a" "$golden/compile.sh" replay "$golden/replay.c" "$golden/recipe.c"
./replay "${names[@]}"
check "this machine reads, answers, writes and makes them again" test $? = 0
"$python" "$reader/golden.py" "${names[@]}"
check "the second reader finds the same answers and cells" test $? = 0
check "the second reader has at most 150 lines" test "$(wc -l < "$reader/reader.py")" -le 150

# What must not pass does not pass.
mkdir planted
cp "$standard"/standard.* planted
sed -i 's/^\(has stranger .*\) maybe$/\1 no/;' planted/standard.answers
check "replay: another answer is noticed" test "$(./replay planted/standard | grep -c 'it answers otherwise')" = 1
check "reader: another answer is noticed" test "$("$python" "$reader/golden.py" planted/standard | grep -c answers)" = 1
cp "$standard"/standard.* planted
sed -i 's/^add member 0 99 1$/add member 0 98 1/' planted/standard.recipe
check "replay: another key is noticed" test "$(./replay planted/standard | grep -c 'made again, its bytes differ')" = 1
check "reader: another key is noticed" test "$("$python" "$reader/golden.py" planted/standard | grep -c 'computed from the keys')" = 1
cp "$standard"/standard.* planted
sed -i '1a made-by-older standard-newer' planted/standard.recipe
check "replay: older bytes need a newer golden" test "$(./replay planted/standard | grep -c 'no newer golden')" = 1
cp planted/standard.blm planted/standard-newer.blm
check "replay: bytes that come out are not older" test "$(./replay planted/standard | grep -c 'come out today')" = 1
cp "$standard"/standard.* planted
printf '\0' | dd of=planted/standard.blm bs=1 seek=200 conv=notrunc status=none
check "replay: a damaged byte is noticed" test "$(./replay planted/standard | grep -c damaged)" = 1
finish
