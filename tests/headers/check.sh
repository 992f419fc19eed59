#!/bin/sh
# Each public header compiles alone, twice in a row, without a warning.
#   check.sh COMPILER LANGUAGE STANDARD
set -eu
compiler=$1 language=$2 standard=$3
include=$(cd "$(dirname "$0")/../../include" && pwd)
warnings='-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wcast-qual -Wundef -Werror'
status=0 seen=0
for header in "$include"/bloomery/*.h "$include"/bloomery/*/*.h; do
    name=${header#"$include"/bloomery/}
    seen=$((seen + 1))
    # shellcheck disable=SC2086 # the warnings are words
    printf '#include <bloomery/%s>\n#include <bloomery/%s>\nextern int used;\n' "$name" "$name" |
        "$compiler" -x "$language" -std="$standard" $warnings -I"$include" -fsyntax-only - || {
        echo "bloomery/$name does not stand alone as $standard"
        status=1
    }
done
echo "$seen headers as $standard"
[ "$seen" -ge 23 ] || status=1
exit $status
