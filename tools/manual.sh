#!/bin/sh
# manual.sh - the pages of the manual, made from the tables, the headers and docs/format.md.
#   tools/manual.sh PROGRAM OUT_DIR      writes OUT_DIR/man1, man3 and man5
#
# bloomery(1), bloomery-VERB(1)   by the program itself: bloomery help --man
# bloomery(3), bloomery_NAME(3)   the opening comment and the text of include/bloomery/NAME.h
# blm_CALL(3)                     one page for each function, made from the comment above it
# bloomery(5)                     docs/format.md, without its test vectors
# The version stands where others have a day: the same sources give the same pages.
set -eu
program=$(realpath "$1")
mkdir -p "$2"
out=$(cd "$2" && pwd)
cd "$(dirname "$0")/.."
rm -rf "$out/man1" "$out/man3" "$out/man5"
mkdir "$out/man1" "$out/man3" "$out/man5"
version=$("$program" --version | sed -n '1s/^bloomery //p')

# ---- roff ---------------------------------------------------------------------------------------------

title() { # NAME SECTION SOURCE
    printf '.\\" Made from %s by tools/manual.sh.\n' "$3"
    printf '.TH "%s" "%s" "" "bloomery %s" "Bloomery"\n' "$(echo "$1" | tr a-z A-Z)" "$2" "$version"
}
# Text that roff shows as it is: any line, whatever it begins with.
literal() { sed -e 's/\\/\\e/g; s/-/\\-/g; s/`/\\(ga/g; s/\^/\\(ha/g; s/~/\\(ti/g' -e "s/'/\\\\(aq/g; s/^\./\\\\\&./"; }
# A heading needs no paragraph behind it.
tidy() { awk '/^\.S[HS] / { print; next_is_first = 1; next } !(next_is_first && /^\.PP$/) { next_is_first = 0; print }'; }
example() { printf '.EX\n'; literal; printf '.EE\n'; }

# The opening comment of a file, without its frame and its first line.
comment() { # FILE
    awk 'NR == 1 { sub(/^\/\* ?/, "") } { last = sub(/ *\*\/.*/, "") } NR > 1 { sub(/^ \* ?/, "") }
         { sub(/[ \t]+$/, ""); print } last { exit }' "$1"
}
about() { comment "$1" | sed -n '1s/^[^ ]* - \(.*\)\.$/\1/p'; } # FILE
# Paragraphs; what stands four blanks in keeps its columns.
prose() {
    literal | awk '
        function close_code() { if (code) print ".EE"; code = 0 }
        /^ / { if (!code) print ".PP\n.EX"; code = 1; print; next }
        /^$/ { gap = 1; next }
        { close_code(); if (gap) print ".PP"; gap = 0; print }
        END { close_code() }'
}

# ---- section 3 -------------------------------------------------------------------------------------------

# The declarations with their comments; guards, includes, C++ brackets and bodies of inline calls are not for readers.
declarations() { # FILE
    awk '/^\/\* ---- how it works/ { exit } /\*\/[ \t]*$/ && !body { body = 1; next } body' "$1" | awk '
        /^#if/ { depth++ }
        depth && /^#if(ndef BLOOMERY_|def __cplusplus|.*__GNUC__)/ { hidden = $0 ~ /BLOOMERY_/ ? hidden : depth }
        { hide = hidden || /^#(include|ifndef BLOOMERY_|define BLOOMERY_)/ || (/^#endif/ && depth == 1) }
        !hide { print }
        /^#endif/ { if (hidden == depth) hidden = 0; depth-- }' | cat -s
}

page_of() { echo "bloomery_$1" | tr / _; } # NAME: bloomery_theory_words of theory/words
header_page() { # NAME
    file=include/bloomery/$1.h
    title "$(page_of "$1")" 3 "$file"
    printf '.SH NAME\n%s \\- %s\n' "$(page_of "$1")" "$(about "$file" | literal)"
    printf '.SH SYNOPSIS\n.nf\n.B #include <bloomery/%s.h>\n.fi\n' "$1"
    if [ "$(comment "$file" | wc -l)" -gt 1 ]; then
        printf '.SH DESCRIPTION\n'
        comment "$file" | sed '1d' | sed '/./,$!d' | prose
    fi
    printf '.SH DECLARATIONS\n'
    declarations "$file" | sed '/./,$!d' | example
    printf '.SH SEE ALSO\n.BR bloomery (3)\n'
}
# The codes and what they mean, out of the enumeration: one per line.
errors() {
    sed -n '/^typedef enum blm_err/,/^} blm_err;/s/^ *\(BLM_[A-Z_]*\) = \([0-9]*\),\{0,1\} *\(\/\* \(.*[^ ]\) *\*\/\)\{0,1\}$/.TP\n.B \1\n\2. \4/p' \
        include/bloomery/core.h | sed 's/\. $/./'
}
library_page() {
    title bloomery 3 "include/bloomery/ and examples/open.c"
    printf '.SH NAME\nbloomery \\- %s\n' "$(about include/bloomery/core.h | literal)"
    printf '.SH SYNOPSIS\n.nf\n.B #include <bloomery/bloomery.h>\n.PP\n'
    printf '.B cc program.c $(pkg\\-config \\-\\-cflags \\-\\-libs bloomery)\n.fi\n.SH DESCRIPTION\n'
    comment include/bloomery/core.h | sed '1d' | sed '/./,$!d' | prose
    printf '.SH HEADERS\n'
    for name in $headers; do
        printf '.TP\n.BR %s (3)\n%s\n' "$(page_of "$name")" "$(about "include/bloomery/$name.h" | literal)"
    done
    printf '.SH ERRORS\n'
    errors
    printf '.SH EXAMPLES\nOpen a file, ask, close:\n.PP\n'
    sed '1,/\*\//d' examples/open.c | example
    printf '.SH SEE ALSO\n.BR bloomery (1),\n.BR bloomery (5)\n'
}

# ---- section 5 -----------------------------------------------------------------------------------------------

format_page() {
    title bloomery 5 docs/format.md
    printf '.SH NAME\nbloomery \\- the image of a filter, .blm\n.SH DESCRIPTION\n'
    sed '/^## .*Test vectors/,$d; 1,/^# /d; /^<!--/d' docs/format.md | literal | awk -f tools/manual_markdown.awk
    printf '.SH TEST VECTORS\nHash words and positions for keys of 0 to 1000 bytes are in docs/format.md of the sources.\n'
    printf '.SH SEE ALSO\n.BR bloomery (1),\n.BR bloomery (3)\n'
}

# ---- all ---------------------------------------------------------------------------------------------------------

headers=$(cd include/bloomery && for file in *.h */*.h; do [ ! -e "$file" ] || echo "${file%.h}"; done | grep -v '^bloomery$')
verbs=$("$program" help | sed -n '/^$/,/^$/s/^  \([a-z]*\) .*/\1/p')
[ -n "$verbs" ] || { echo "$program help lists no verbs" >&2; exit 1; }
"$program" help --man > "$out/man1/bloomery.1"
for verb in $verbs; do "$program" help --man "$verb" > "$out/man1/bloomery-$verb.1"; done
library_page | tidy > "$out/man3/bloomery.3"
for name in $headers; do
    header_page "$name" | tidy > "$out/man3/$(page_of "$name").3"
    awk -v out="$out/man3" -v header="bloomery/$name.h" -v page="$(page_of "$name")" -v version="$version" \
        -f tools/manual_calls.awk "include/bloomery/$name.h"
done
{ printf "'\\\\\" t\n"; format_page; } | tidy > "$out/man5/bloomery.5"
