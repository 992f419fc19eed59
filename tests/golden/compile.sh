#!/bin/sh
# compile.sh - a program together with the whole library, compiled here and now: for programs that look at
# kinds of the tests, or that run on another machine than the build's.
#   [CC=...] [CFLAGS=...] [KINDS=...] tests/golden/compile.sh OUT PROGRAM.c...
# KINDS names the list of kinds; usual: the library's and the toys of the tests.
set -eu
out=$1
shift
root=$(cd "$(dirname "$0")/../.." && pwd)
kinds=${KINDS:-laws/toys/kinds.def}
toys=
[ "$kinds" != laws/toys/kinds.def ] || toys=$root/tests/laws/toys
# shellcheck disable=SC2086 # CC and CFLAGS are words
${CC:-cc} -std=c11 -O1 -ffp-contract=off -D_FILE_OFFSET_BITS=64 -DBLM_KINDS_DEF="\"$kinds\"" \
    -I"$root/include" -I"$root/src" -I"$root/tests" ${CFLAGS-} -o "$out" "$@" "$root"/src/*/*.c \
    ${toys:+"$toys"/*.c} ${LIBS:--lsodium -lm -pthread}
