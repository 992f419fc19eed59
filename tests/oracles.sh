#!/bin/sh
# oracles.sh - tests/oracles.tsv is what the tests have just measured, and every kind has its lines.
#   tests/oracles.sh FOLDER BLOOMERY            compares; FOLDER has what the test programs wrote (ORACLES=FOLDER)
#   tests/oracles.sh --write FOLDER             writes tests/oracles.tsv
set -eu
tests=$(cd "$(dirname "$0")" && pwd)
write=
[ "$1" != --write ] || { write=yes; shift; }
folder=$1
made() {
    printf 'entry\toracle\ttest\texpected\ttolerance\tmeasured\n'
    cat "$folder"/*.tsv | LC_ALL=C sort -t '	' -k1,1V -k2,2 -k3,3
}
if [ -n "$write" ]; then
    made > "$tests/oracles.tsv"
    exit
fi
wrong=0
say() { echo "$*"; wrong=1; }
made > "$folder.all"
diff "$tests/oracles.tsv" "$folder.all" || say "tests/oracles.tsv is not what the tests measure: tests/oracles.sh --write $folder"
for kind in $("$2" kinds --json | grep -o '"name":"[a-z-]*","group"' | cut -d '"' -f 4); do
    entries=$(awk -F '\t' -v kind="$kind" '$1 == kind { print $2 }' "$tests/entries.tsv")
    [ -n "$entries" ] || say "$kind: tests/entries.tsv does not say which entries specify it"
    for entry in $entries; do
        grep -q "^$entry	" "$tests/oracles.tsv" || say "$kind: no oracle of $entry"
    done
done
echo "$(($(wc -l < "$tests/oracles.tsv") - 1)) oracles"
exit $wrong
