#!/usr/bin/env bash
# readme.sh - what README.md shows is what happens: the commands of its console blocks, pasted in order into
# one shell in one folder, print what stands under them, byte for byte, complaints and summaries included.
. "${SOURCE:?the source tree}/tests/doors/lib.bash" || exit 2
PATH=$(dirname "$BLOOMERY"):$PATH
export PATH
unset BLOOMERY BUILD

# Each command becomes a file N.sh (the same shell runs all of them), what should be printed N.want.
mkdir steps here
awk '
    /^```console$/ { inside = 1; next }
    /^```$/        { inside = 0; next }
    !inside        { next }
    /^\$ /         { n++; sh = sprintf("steps/%03d.sh", n); want = sprintf("steps/%03d.want", n)
                     print substr($0, 3) > sh; printf "" > want; next }
    /^> /          { print substr($0, 3) > sh; next }
                   { print > want }
' "$SOURCE/README.md"
check "README.md has console blocks" [ -e steps/010.sh ]

for step in "$work"/steps/???.sh; do
    [ -e "$step" ] || break # README.md has none: said above
    name=${step%.sh}
    (
        cd "$work/here" || exit 2
        # shellcheck disable=SC1090 # the command itself
        . "$step"
    ) >"$name.got" 2>&1 </dev/null
    if cmp -s "$name.want" "$name.got"; then
        ok "$(head -n 1 "$step")"
    else
        not_ok "$(head -n 1 "$step")" "$(diff "$name.want" "$name.got" | head -n 12)"
    fi
done
finish
