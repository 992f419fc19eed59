#!/bin/sh
# Each public header compiles alone, twice in a row, without a warning; on a PC also with -mavx2, which inline.h looks at.
#   check.sh COMPILER LANGUAGE STANDARD
set -eu
compiler=$1 language=$2 standard=$3
include=$(cd "$(dirname "$0")/../../include" && pwd)
warnings='-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wcast-qual -Wundef -Werror'
status=0 seen=0 machines=plain
case $("$compiler" -dumpmachine) in x86_64*) machines='plain -mavx2 -march=x86-64-v4' ;; esac
for header in "$include"/bloomery/*.h "$include"/bloomery/*/*.h; do
    name=${header#"$include"/bloomery/}
    seen=$((seen + 1))
    for machine in $machines; do
        # shellcheck disable=SC2086 # the warnings are words
        printf '#include <bloomery/%s>\n#include <bloomery/%s>\nextern int used;\n' "$name" "$name" |
            "$compiler" -x "$language" -std="$standard" $warnings ${machine#plain} -I"$include" -fsyntax-only - || {
            echo "bloomery/$name does not stand alone as $standard, $machine"
            status=1
        }
    done
done
echo "$seen headers as $standard"
[ "$seen" -ge 24 ] || status=1
exit $status
