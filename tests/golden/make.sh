#!/bin/sh
# make.sh - makes the goldens that are not there yet, out of their recipes.
#   tests/golden/make.sh [NAME...]      usual: every *.recipe without a *.blm
# A golden that is there is never made again: what one release wrote, every later one reads.
set -eu
cd "$(dirname "$0")"
if [ $# = 0 ]; then
    for recipe in *.recipe; do
        name=${recipe%.recipe}
        [ -e "$name.blm" ] || set -- "$@" "$name"
    done
fi
[ $# -gt 0 ] || { echo "no golden is missing"; exit 0; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
./compile.sh "$work/make" make.c recipe.c
"$work/make" . "$@"
