#!/usr/bin/env bash
# readme.sh - what README.md, docs/tour.md and docs/c.md show is what happens.
#
# The commands of a page's console blocks, pasted in order into one shell in one folder, print what is below them, byte for
# byte, complaints and summaries included. Its C blocks compile without a warning, run, and print the text block after them.
. "${SOURCE:?the source tree}/tests/doors/lib.bash" || exit 2
PATH=$(dirname "$BLOOMERY"):$PATH
export PATH
compiler=$(cached CMAKE_C_COMPILER) sodium=$(cached SODIUM_LIBRARY) library=$BUILD/libbloomery.a
mapfile -t flags < <(link_flags | tr ' ' '\n')
unset BLOOMERY BUILD

# Each command becomes NNN.sh, each program NNN.c, and what should be printed NNN.want.
steps_of() { # PAGE FOLDER
    awk -v folder="$2" '
        function begin(kind) { n++; name = sprintf("%s/%03d", folder, n); file = name "." kind; want = name ".want"; printf "" > want }
        /^```console$/      { inside = "console"; next }
        /^```c$/            { inside = "c"; begin("c"); next }
        /^```text$/         { inside = last == "c" ? "text" : ""; next }
        /^```/              { last = inside; inside = ""; next }
        inside == "c"       { print > file; next }
        inside == "text"    { print > want; next }
        inside != "console" { next }
        /^\$ /              { begin("sh"); print substr($0, 3) > file; next }
        /^> /               { print substr($0, 3) > file; next }
                            { print > want }
    ' "$1"
}
run_step() { # FILE: in the page's folder
    # shellcheck disable=SC1090 # the command itself
    case $1 in
    *.sh) . "$1" ;;
    *.c) "${compiler:-cc}" -std=c11 -Wall -Wextra -Werror -I"$SOURCE/include" "${flags[@]}" -o "${1%.c}" "$1" "$library" \
        "${sodium:--lsodium}" -lm -pthread && "${1%.c}" ;;
    esac
}

pages=0
for page in README.md docs/tour.md docs/c.md; do
    pages=$((pages + 1))
    steps=$work/steps.$pages here=$work/here.$pages
    mkdir "$steps" "$here"
    steps_of "$SOURCE/$page" "$steps"
    check "$page has something to run" [ -e "$steps/003.want" ]
    for step in "$steps"/???.sh "$steps"/???.c; do
        [ -e "$step" ] || continue
        name=${step%.*}
        title="$page: $(case $step in *.sh) head -n 1 "$step" ;; *) echo "program ${name##*/}" ;; esac)"
        (cd "$here" && run_step "$step") >"$name.got" 2>&1 </dev/null
        if cmp -s "$name.want" "$name.got"; then
            ok "$title"
        else
            not_ok "$title" "$(diff "$name.want" "$name.got" | head -n 12)"
        fi
    done
done
check "README.md has at most 9 KB" [ "$(size_of "$SOURCE/README.md")" -le 9216 ]
finish
