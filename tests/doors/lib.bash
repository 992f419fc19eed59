# lib.bash - what the scripts of the command line share.
#
#   run ARGS...            bloomery ARGS: its exit code, output and complaints in the files code, out, err
#   run_in ARGS...         the same with the caller's standard input: it may end a pipe
#   expect NAME CODE WORD  the exit code was CODE, and WORD (if given) stands in out or err
#   check NAME COMMAND...  the command succeeds
#   skip NAME WHY          said, not hidden
#
# Each script works in a folder of its own and ends with `finish`.
set -u
export LC_ALL=C
BLOOMERY=${BLOOMERY:?the program to test}
SOURCE=${SOURCE:?the source tree}
BUILD=${BUILD:?the build folder}
BLOOMERY=$(realpath "$BLOOMERY")
failed=0
passed=0
work=$(mktemp -d "${TMPDIR:-/tmp}/bloomery-door.XXXXXX") || exit 2
trap 'cd /; rm -rf "$work"' EXIT
cd "$work" || exit 2

ok() { passed=$((passed + 1)); echo "ok - $1"; }
not_ok() { failed=$((failed + 1)); echo "not ok - $1${2:+: $2}"; }
skip() { echo "skipped - $1: $2"; }

note() { echo "$1" >code; }

run() { run_in "$@" </dev/null; }

run_in() {
    "$BLOOMERY" "$@" >out 2>err
    note $?
}

expect() {
    local code
    code=$(cat code)
    if [ "$code" != "$2" ]; then
        not_ok "$1" "exit $code, not $2: $(head -c 300 err)"
    elif [ -n "${3-}" ] && ! cat out err | grep -qF -- "$3"; then
        not_ok "$1" "no \"$3\" in: $(cat out err | head -c 300)"
    else
        ok "$1"
    fi
}

check() {
    local name=$1
    shift
    if "$@" >/dev/null 2>check.err; then ok "$name"; else not_ok "$name" "$* $(head -c 200 check.err)"; fi
}

size_of() { stat -c %s "$1"; }
json_of() { sed -n "s/.*\"$1\":\"\{0,1\}\([^,\"}]*\).*/\1/p" "${2:-out}"; }
sanitized() { grep -qE '__asan_init|__tsan_init' "$BLOOMERY"; }
temps_in() { find "$1" -name '*.tmp' | wc -l; }

# cached NAME: a setting of the build.
cached() { sed -n "s/^$1:[A-Z]*=//p" "$BUILD/CMakeCache.txt" 2>/dev/null; }

# The flags that every program needs which is linked with a library of the build.
link_flags() {
    local sanitize
    sanitize=$(cached BLM_SANITIZE)
    [ -z "$sanitize" ] || echo "-fsanitize=$sanitize -fno-sanitize-recover=all"
    [ "$(cached BLM_COVERAGE)" != ON ] || echo --coverage
}

# A program in C that repairs checksums, so that a file can be made which the program would not write.
build_forge() {
    local cc include=
    cc=$(cached CMAKE_C_COMPILER)
    include=$(cached XXHASH_INCLUDE_DIR)
    "${cc:-cc}" -std=c11 -O2 -D_FILE_OFFSET_BITS=64 ${include:+-I"$include"} -o forge "$SOURCE/tests/doors/forge.c"
}

finish() {
    echo "$passed passed, $failed failed"
    [ "$failed" = 0 ]
    exit
}
