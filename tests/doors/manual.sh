#!/usr/bin/env bash
# The manual: every verb, every option, every call, every header has its place; and the pages are sound.
. "$(dirname "$0")/lib.bash"
"$SOURCE/tools/manual.sh" "$BLOOMERY" pages
check "the pages are made" [ -s pages/man1/bloomery.1 ]
"$SOURCE/tools/manual.sh" "$BLOOMERY" again
check "the same pages each time" diff -r pages again
check "of this version" grep -q "^\.TH \"BLOOMERY\" \"1\" \"\" \"$("$BLOOMERY" --version | head -n 1)\"" pages/man1/bloomery.1

plain() { sed 's/\\f[BIR]//g; s/\\-/-/g; s/\\(aq/'"'"'/g' "$1"; }
for verb in $("$BLOOMERY" help | sed -n '/^$/,/^$/s/^  \([a-z]*\) .*/\1/p'); do
    page=pages/man1/bloomery-$verb.1
    plain "$page" >text
    "$BLOOMERY" "$verb" --help | sed -n '/^options:/,/^$/s/^ *\(-[A-Za-z]\)*,* *\(--[a-z-]*\).*/\1 \2/p' >options
    missing=
    while read -r words; do
        for word in $words; do grep -qE -- "^(-[A-Za-z], )?$word\b|^$word," text || missing="$missing $word"; done
    done <options
    check "$verb: all $(wc -l <options) options stand in its page$missing" [ -s options -a -z "$missing" ]
    check "$verb: bloomery(1) names the page" grep -q "^\.BR bloomery.-$verb (1)" pages/man1/bloomery.1
done
# What the tables of exit codes say, one row a code.
check "grep: its four exit codes" [ "$(sed -n '/EXIT STATUS/,/EXAMPLES/p' pages/man1/bloomery-grep.1 | grep -c '^\.TP')" = 4 ]
check "bloomery(1): seven" [ "$(sed -n '/EXIT STATUS/,/ENVIRONMENT/p' pages/man1/bloomery.1 | grep -c '^\.TP')" = 7 ]

# ---- the library ------------------------------------------------------------------------------------------
nm -D --defined-only "$BUILD/libbloomery.so" | sed -n 's/.* T \(blm_[a-z0-9_]*\).*/\1/p' | sort >calls
check "the library has calls" [ "$(wc -l <calls)" -gt 50 ]
lost=
while read -r call; do
    page=pages/man3/$call.3
    plain "$page" > text 2>/dev/null
    { grep -q "^$call - [a-z]" text && sed -n '/^.SH SYNOPSIS/,/^.fi/p' text | grep -q "\b$call(" &&
        sed -n '/^.SH DESCRIPTION/,/^.SH SEE/p' text | grep -q '[.?)]"\{0,1\}$'; } || lost="$lost $call"
done <calls
check "each of $(wc -l <calls) calls has a page: its declaration and what it does$lost" [ -z "$lost" ]
printf '/* x.h - y. */\nint x;\nBLM_API int blm_a(void); /* after it */\n' >bare.h
check "a function without a comment above it is an error" sh -c "! awk -v out=. -v header=x -f '$SOURCE/tools/manual_calls.awk' bare.h 2>/dev/null"
codes=$(sed -n '/^typedef enum blm_err/,/^} blm_err/p' "$SOURCE/include/bloomery/core.h" | grep -o 'BLM_[A-Z_]* =' | wc -l)
check "bloomery(3): all $codes errors" [ "$(grep -c '^\.B BLM_' pages/man3/bloomery.3)" = "$codes" ]
for header in "$SOURCE"/include/bloomery/*.h "$SOURCE"/include/bloomery/*/*.h; do
    name=${header#"$SOURCE"/include/bloomery/}
    name=$(echo "${name%.h}" | tr / _)
    [ "$name" = bloomery ] || check "bloomery_$name(3)" grep -q "^bloomery_$name .- [a-z]" "pages/man3/bloomery_$name.3"
done
check "bloomery(5): every field of every kind" sh -c "
    grep -o '^| \`[a-z_]*\` | \`u[0-9]*\`' '$SOURCE/docs/format.md' | cut -d '\`' -f 2 | sort -u |
    while read -r f; do grep -q \"^.fB\$f.fR\" pages/man5/bloomery.5 || exit 1; done"

# ---- sound pages -------------------------------------------------------------------------------------------------
# No day stands on the pages, on purpose, and lines are as long as their sentences.
if command -v mandoc >/dev/null; then
    find pages -name '*.[135]' -exec mandoc -Tlint {} + | grep -vE 'STYLE|missing date' >lint
    check "mandoc has nothing to say: $(head -n 3 lint)" [ ! -s lint ]
else
    skip "mandoc -Tlint" "mandoc is not there"
fi
if command -v groff >/dev/null; then
    # Where a page of paper ends inside a row of a table is luck, and no terminal has such pages.
    for page in pages/man?/bloomery*; do groff -Tutf8 -man -t -ww -z "$page"; done 2>&1 |
        grep -v 'will not fit on one page' >lint
    check "groff has nothing to say: $(head -n 3 lint)" [ ! -s lint ]
else
    skip "groff -ww" "groff is not there"
fi
finish
