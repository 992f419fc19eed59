#!/bin/sh
# The two files of tools/amalgamate compile without a warning, alone; a program with them makes the same images
# as one with the library, as C11 and (its header) as C++17.
#   run.sh SOURCE_DIR WORK_DIR LIBRARY CC CXX FLAG...      flags: where xxhash.h, sodium.h and libsodium are
set -eu
source=$(cd "$1" && pwd) work=$2 library=$3 cc=$4 cxx=$5
shift 5
rm -rf "$work"
mkdir -p "$work/ours" "$work/theirs" "$work/cxx"
"$source/tools/amalgamate" "$work"
cd "$work"
program=$source/tests/amalgamation/use.c
strict='-Wall -Wextra -Wpedantic -Werror -Wno-unused-command-line-argument' # clang: of the linker's flags
# shellcheck disable=SC2086 # the warnings are words
{
    "$cc" -std=c11 $strict -O0 -I. "$@" -c bloomery.c -o one.o
    "$cc" -std=c11 $strict -I. -DUSE_HEADER='"bloomery.h"' "$program" one.o "$@" -lsodium -lm -pthread -o use_one
    "$cc" -std=c11 $strict -I"$source/include" -DUSE_HEADER='<bloomery/bloomery.h>' "$program" "$library" "$@" \
        -lsodium -lm -pthread -o use_library
}
one=$(./use_one ours)
all=$(./use_library theirs)
[ "$one" = "$all" ] || { echo "the two files say '$one', the library '$all'"; exit 1; }
diff -r ours theirs
[ -z "$cxx" ] || {
    # shellcheck disable=SC2086
    "$cxx" -std=c++17 $strict -I. -DUSE_HEADER='"bloomery.h"' -x c++ "$program" -x none one.o "$@" -lsodium -lm -pthread -o use_cxx
    ./use_cxx cxx > /dev/null
    diff -r ours cxx
}
# What is extern is the library's by its name: a program of others has no blm_.
nm --defined-only --extern-only one.o | awk '$3 !~ /^blm_/ { print "extern without blm_: " $3; bad = 1 } END { exit bad }'
# Names that clash are renamed: a file per folder, planted, all with the same statics, struct and macro. They replace the
# library's own files, which were compiled together above.
mkdir tree
cp -r "$source/include" "$source/src" "$source/LICENSE" "$source/tools" tree
find tree/src -name '*.c' -delete
for place in core/odd parts/even theory/third kinds/fourth; do
    file=${place#*/}
    sed "s/FILE/$file/g; s/LENGTH/${#file}/" > tree/src/$place.c <<'END'
/* FILE.c - planted. */
#include "core/kind.h"
#if defined(__GNUC__)
#include <limits.h>
#endif

#define AMOUNT                                                                                     \
    LENGTH
typedef struct own {
    int a_FILE;
} own;
static const struct {
    int b_FILE;
} rows[] = {{0}};
static const int zero[] = {0};
static __attribute__((noinline)) int hidden(void) { return zero[0] + rows[0].b_FILE; }
static int
same(own o)
{
    return o.a_FILE + AMOUNT + hidden();
}
#include <string.h>
int blm_FILE(void);
int blm_FILE(void) { return same((own){1}); }
END
done
tree/tools/amalgamate planted > /dev/null
"$cc" -std=c11 $strict -O0 -Iplanted "$@" -c planted/bloomery.c -o planted.o
cat > planted.c <<'END'
int blm_odd(void), blm_even(void), blm_third(void), blm_fourth(void);
int main(void) { return !(blm_odd() == 4 && blm_even() == 5 && blm_third() == 6 && blm_fourth() == 7); }
END
"$cc" planted.c planted.o "$@" -lsodium -lm -pthread -o planted_clash && ./planted_clash
echo "$one, the same images"
