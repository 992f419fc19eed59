#!/bin/sh
# compile.sh - a program together with the whole library, compiled here and now: for programs that look at
# kinds of the tests, or that run on another machine than the build's.
#   [CC=...] [CFLAGS=...] [KINDS=...] [LIBRARY=...] tests/golden/compile.sh OUT PROGRAM.c...
# KINDS names the list of kinds; usual: the library's and the toys of the tests.
# LIBRARY names a static library with these kinds that is already built and up to date: the program is linked with it,
# which takes a fraction of a second instead of many. CFLAGS must have the flags of its sanitizers.
set -eu
out=$1
shift
root=$(cd "$(dirname "$0")/../.." && pwd)
kinds=${KINDS:-laws/toys/kinds.def}
toys=
[ "$kinds" != laws/toys/kinds.def ] || toys=$root/tests/laws/toys
if [ -n "${LIBRARY-}" ]; then
    set -- "$@" "$LIBRARY"
else
    for source in $("$root/tools/sources"); do set -- "$@" "$root/$source"; done
    set -- "$@" ${toys:+"$toys"/*.c}
fi
# shellcheck disable=SC2086 # CC and CFLAGS are words
${CC:-cc} -std=c11 -O1 -ffp-contract=off -D_FILE_OFFSET_BITS=64 -DBLM_KINDS_DEF="\"$kinds\"" \
    -I"$root/include" -I"$root/src" -I"$root/tests" ${CFLAGS-} -o "$out" "$@" ${LIBS:--lsodium -lm -pthread}
