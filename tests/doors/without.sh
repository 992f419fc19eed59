#!/usr/bin/env bash
# A program built on a machine without zlib, libzstd and liblzma: it says so, and refuses such inputs by
# name. Built here without optimisation: about 4 s of one processor.
. "$(dirname "$0")/lib.bash"
if sanitized; then
    skip "a build without zlib, libzstd, liblzma" "the plain build tests it"
    finish
fi
cached() { sed -n "s/^$1:[A-Z]*=//p" "$BUILD/CMakeCache.txt"; }
settings=()
for name in CMAKE_C_COMPILER XXHASH_INCLUDE_DIR SODIUM_INCLUDE_DIR SODIUM_LIBRARY; do
    settings+=("-D$name=$(cached $name)")
done
without() { # FOLDER OPTION...: configured and built there
    local folder=$1
    shift
    cmake -S "$SOURCE" -B "$folder" "${settings[@]}" -DCMAKE_BUILD_TYPE=Debug -DBLM_TESTS=OFF -DBLM_WERROR=ON "$@" >log 2>&1 &&
        MAKEFLAGS='' cmake --build "$folder" -j 2 --target bloomery_cli >>log 2>&1
}
without none -DBLM_ZLIB=OFF -DBLM_ZSTD=OFF -DBLM_LZMA=OFF
note $?
cp log err
expect "it builds without all three" 0
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
    expect "$1: refused, and the library named" 2 "packed: it is packed by $1, and $2 was missing"
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
