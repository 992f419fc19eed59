#!/bin/sh
# oracles.sh - the kept figures of the literature are what the tests have just measured, and every kind has its own.
#   tests/oracles.sh FOLDER             compares; FOLDER has what the test programs wrote (ORACLES=FOLDER)
#   tests/oracles.sh --write FOLDER     writes them
#
# What a test in a kind's room measures is kept there, in oracles.tsv; the rest is in tests/oracles.tsv. The first line of
# a room's file names the entries of the literature that specify the kind: "# 1.A1 1.A2". Each must have a figure.
set -eu
write=
[ "$1" != --write ] || { write=yes; shift; }
folder=$(cd "$1" && pwd)
cd "$(dirname "$0")/.."
wrong=0 count=0
say() { echo "$*"; wrong=1; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cat "$folder"/*.tsv | LC_ALL=C sort -t '	' -k1,1V -k2,2 -k3,3 > "$work/all"

keep() { # FILE PATTERN OF THE TEST'S PATH: what it should be is compared or written
    {
        ! grep -s '^#' "$1" || :
        printf 'entry\toracle\ttest\texpected\ttolerance\tmeasured\n'
        awk -F '\t' -v pattern="$2" '$3 ~ pattern' "$work/all"
    } > "$work/one"
    if [ -n "$write" ]; then
        cp "$work/one" "$1"
    else
        [ -e "$1" ] || { say "$1 is missing: its first line names the entries that specify the kind"; return; }
        diff "$1" "$work/one" || say "$1 is not what the tests measure: tests/oracles.sh --write $folder"
    fi
    count=$((count + $(grep -vc '^#\|^entry	' "$1" || :)))
}

rooms=$(sed -n 's/^BLM_KIND(\(.*\))$/\1/p' src/kinds/kinds.def)
[ -n "$rooms" ] || say "src/kinds/kinds.def lists no kind"
for kind in $rooms; do
    room=$(echo src/kinds/*/"$kind")
    keep "$room/oracles.tsv" "^${room#src/}/"
    entries=$(sed -n '1s/^# //p' "$room/oracles.tsv" 2> /dev/null || :)
    [ -n "$entries" ] || say "$kind: the first line of $room/oracles.tsv does not say which entries specify it"
    for entry in $entries; do
        grep -q "^$entry	" "$work/all" || say "$kind: no oracle of $entry"
    done
done
keep tests/oracles.tsv '^(core|theory|kinds/test_)'
[ "$count" = "$(wc -l < "$work/all")" ] || [ "$wrong" = 1 ] || say "$(wc -l < "$work/all") figures were measured, $count are kept"
echo "$count oracles"
exit $wrong
