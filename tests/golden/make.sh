#!/bin/sh
# make.sh - makes the goldens that are not there yet, out of their recipes.
#   tests/golden/make.sh [PATH...]      without suffix, from the root of the tree; if none is given: every recipe without an image
# A golden that is there is never made again: what one release wrote, every later one reads.
set -eu
cd "$(dirname "$0")/../.."
if [ $# = 0 ]; then
    for recipe in src/kinds/*/*/golden/*.recipe tests/golden/*.recipe; do
        name=${recipe%.recipe}
        [ -e "$name.blm" ] || set -- "$@" "$name"
    done
fi
[ $# -gt 0 ] || { echo "no golden is missing"; exit 0; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
tests/golden/compile.sh "$work/make" tests/golden/make.c tests/golden/recipe.c
"$work/make" "$@"
