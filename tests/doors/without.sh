#!/usr/bin/env bash
# A program built on a machine without zlib, libzstd and liblzma: it says so, and refuses such inputs by
# name. Only the file that differs is compiled here.
. "$(dirname "$0")/lib.bash"
PYTHON=${PYTHON:-python3}
if sanitized; then
    skip "a build without zlib, libzstd, liblzma" "the plain build tests it"
    finish
fi
settings=()
for name in CMAKE_C_COMPILER XXHASH_INCLUDE_DIR SODIUM_INCLUDE_DIR SODIUM_LIBRARY; do
    settings+=("-D$name=$(cached $name)")
done
# Configured as on such a machine. One file of the program knows of the three: it is compiled as that build would, and
# linked with the other objects of this build, which does not link if one of them needs a library of the three.
check "one file knows of the libraries" [ "$(cd "$SOURCE" && grep -rlE 'BLM_HAVE_|<(zlib|zstd|lzma)[a-z_]*\.h>' src include doors lab bench)" = doors/cli/input/unpack.c ]
cat >commands.py <<'END'
import json, re, sys
build, other, unpack = sys.argv[1], sys.argv[2], "doors/cli/input/unpack.c"
if other:  # how the other build would compile the file
    for e in json.load(open(other + "/compile_commands.json")):
        if e["file"].endswith(unpack):
            print('cd "%s" && %s -o "$object"' % (e["directory"], e["command"]))
else:  # objects of the program, except that of the file
    for e in json.load(open(build + "/compile_commands.json")):
        object_ = re.search(r" -o (\S*bloomery_cli_objects\.dir\S*)", e["command"])
        if object_ and not e["file"].endswith(unpack):
            print(e["directory"] + "/" + object_[1])
END
without() { # FOLDER OPTION...: configured there, and the program linked
    local folder=$1 object=$PWD/$1.o others
    shift
    cmake -S "$SOURCE" -B "$folder" "${settings[@]}" -DCMAKE_BUILD_TYPE=Debug -DBLM_TESTS=OFF -DBLM_WERROR=ON "$@" || return
    (eval "$("$PYTHON" commands.py "$BUILD" "$folder")") && [ -e "$object" ] || return
    mapfile -t others < <("$PYTHON" commands.py "$BUILD" '')
    # shellcheck disable=SC2046 # flags are words
    "$(cached CMAKE_C_COMPILER)" $(link_flags) -o "$folder/bloomery" "$object" "${others[@]}" "$BUILD/libbloomery.a" \
        "$(cached SODIUM_LIBRARY)" -Wl,-rpath,"$(dirname "$(cached SODIUM_LIBRARY)")" -lm -pthread
}
without none -DBLM_ZLIB=OFF -DBLM_ZSTD=OFF -DBLM_LZMA=OFF >log 2>&1
note $?
tail -n 5 log >err
expect "it is configured, compiled and linked without all three" 0
export BLOOMERY=$work/none/bloomery
run --version
expect "--version: no zlib" 0 "gz no (zlib was missing when this was built)"
expect "--version: no libzstd" 0 "zst no (libzstd was missing when this was built)"
expect "--version: no liblzma" 0 "xz no (liblzma was missing when this was built)"
run kinds --version
expect "--version of a verb" 0 "gz no"
refused() { # NAME LIBRARY BYTES: the first bytes of such a file suffice
    printf "$3" >packed
    run build -o no.blm packed
    expect "$1: refused, and the library named" 2 "packed: it is compressed with $1, and $2 was missing"
    check "$1: nothing is written" [ ! -e no.blm ]
}
refused gzip zlib '\037\213\010\0\0\0\0\0\0\003'
refused zstd libzstd '\050\265\057\375\044\0'
refused xz liblzma '\3757zXZ\0\0\004'
printf 'plum\n' >list
run build -q -o list.blm list
run grep list.blm list
expect "plain lines are read as ever" 0 plum
finish
