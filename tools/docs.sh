#!/bin/sh
# docs.sh - the pages that are made from the sources.
#   tools/docs.sh [BUILD_DIR]            writes docs/format.md and docs/kinds/*.md
#   tools/docs.sh --check [BUILD_DIR]    changes nothing; names each page that is not as it would be made, 1 then
#
# BUILD_DIR gives a place to compile tools/doc_tables.c and the library; nothing in it is used. LIBRARY in the environment
# names a libbloomery.a that is built from these sources: then only tools/doc_tables.c is compiled (CFLAGS: of its build).
set -eu
check=
[ "${1-}" != --check ] || { check=yes; shift; }
cd "$(dirname "$0")/.."
mkdir -p "${1:-build}"
work=$(mktemp -d "$(cd "${1:-build}" && pwd)/docs.XXXXXX")
trap 'rm -rf "$work"' EXIT

# -O0: it prints tables
CFLAGS="-O0 ${CFLAGS-}" KINDS=kinds/kinds.def tests/golden/compile.sh "$work/doc_tables" tools/doc_tables.c

# The opening comment of a kind's file, without its frame.
comment() { # FILE
    awk 'NR == 1 { sub(/^\/\* ?/, "") } { last = sub(/ *\*\/.*/, "") } NR > 1 { sub(/^ \* ?/, "") }
         { sub(/[ \t]+$/, ""); print } last { exit }' "$1"
}
room_of() { echo src/kinds/*/"$(echo "$1" | tr - _)"; }
source_of() { echo "$(room_of "$1")/$(echo "$1" | tr - _).c"; }

# Headings become bold words; the picture keeps its columns; what Markdown would eat is escaped.
prose() {
    awk '
        function escaped(s) { gsub(/[*_<]/, "\\\\&", s); return s }
        function end_picture() { if (picture) print "```\n"; picture = 0 }
        NR == 1 { next }
        /^[A-Z]+  / {
            end_picture()
            name = substr($1, 1, 1) tolower(substr($1, 2))
            text = substr($0, 11)
            picture = $1 == "PICTURE"
            print picture ? "\n**" name "**\n\n```text\n" text : "\n**" name "** " escaped(text)
            next
        }
        picture { blank = blank || $0 == ""; if ($0 != "") { print (blank ? "\n" : "") substr($0, 11); blank = 0 }; next }
        { sub(/^ +/, ""); print escaped($0) }
        END { end_picture() }'
}
question() { # FILE
    comment "$1" | awk '/^QUESTION/ { on = 1; sub(/^QUESTION */, "") } on && /^([A-Z]+  |$)/ { exit } on { sub(/^ +/, ""); printf "%s%s", gap, $0; gap = " " }'
}

kind_page() { # KIND: with single blank lines
    file=$(source_of "$1")
    echo "<!-- Generated from $file by tools/docs.sh: change that. -->"
    comment "$file" | sed -n "1s/^[^ ]* - \(.*\)\.\$/# $1: \1/p"
    comment "$file" | prose
    echo
    "$work/doc_tables" page "$1"
}
format_page() {
    "$work/doc_tables" fields > "$work/fields"
    "$work/doc_tables" promises > "$work/promises"
    cut -f 1 "$work/kinds" | while read -r kind; do cat "$(room_of "$kind")/cells.md"; echo; done | sed '$d' > "$work/cells"
    sed -e "/^@fields@\$/{r $work/fields
d}" -e "/^@cells@\$/{r $work/cells
d}" -e "/^@promises@\$/{r $work/promises
d}" tools/format.md.in
}
kinds_table() { # FAMILY
    printf '| kind | question | it can |\n|---|---|---|\n'
    while IFS='	' read -r kind group can; do
        [ "$1" = "$group" ] || continue
        echo "| [$kind]($kind.md) | $(question "$(source_of "$kind")") | $can |"
    done < "$work/kinds"
}
chapters() {
    echo "<!-- Generated from the kinds' tables and opening comments by tools/docs.sh: change those. -->"
    cat << 'END'
# The kinds, by family

The [README](../../README.md#which-kind-for-which-need) says which kind to choose for which need. `bloomery kinds KIND` prints the
page of a kind, and `bloomery plan -n KEYS -p RATE --need WHAT` ranks the kinds by cost. The default is `blocked`, or `standard` below
a rate of 10^-4, where `blocked` costs a third more. The last column lists what a kind can do besides answering queries.
END
    cut -f 2 "$work/kinds" | uniq | while read -r family; do
        printf '\n## %s\n\n' "$family"
        kinds_table "$family"
    done
}

wrong=0
place() { # PAGE: standard input is what it should be
    cat > "$work/page"
    if cmp -s "$work/page" "$1"; then return; fi
    if [ -n "$check" ]; then
        echo "$1 is not as tools/docs.sh makes it:"
        diff -u "$1" "$work/page" | head -n 20 || true
        wrong=1
    else
        mkdir -p "$(dirname "$1")"
        cp "$work/page" "$1"
        echo "wrote $1"
    fi
}

"$work/doc_tables" kinds > "$work/kinds"
format_page > "$work/out"
place docs/format.md < "$work/out"
while IFS='	' read -r kind rest; do
    : "$rest"
    kind_page "$kind" > "$work/long"
    cat -s "$work/long" > "$work/out"
    place "docs/kinds/$kind.md" < "$work/out"
done < "$work/kinds"
chapters > "$work/out"
place docs/kinds/README.md < "$work/out"
for page in docs/kinds/*.md; do
    kind=$(basename "$page" .md)
    [ "$kind" = README ] || grep -q "^$kind	" "$work/kinds" || { echo "$page: there is no such kind"; wrong=1; }
done
exit $wrong
