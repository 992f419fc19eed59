#!/bin/sh
# A stranger's project finds and links an installed Bloomery: by pkg-config and by find_package, shared
# and static, as C11 and as C++17, after the installed tree was moved.
# Then the way of `make install` and `make uninstall`: pages and completions are where readers and shells look,
# and nothing is left afterwards.
#   run.sh BUILD_DIR PROJECT_DIR WORK_DIR CC [CXX]
set -eu
build=$1 project=$2 work=$3 cc=$4 cxx=${5-}
rm -rf "$work"
mkdir -p "$work"
cmake --install "$build" --prefix "$work/first" > "$work/install.log"
mv "$work/first" "$work/moved"
prefix=$work/moved
libdir=$(dirname "$(find "$prefix" -name libbloomery.a)")
version=$(sed -n 's/^#define BLM_VERSION_[A-Z]* \([0-9]*\)$/\1/p' "$prefix/include/bloomery/core.h" | paste -sd .)

[ "$(find "$prefix/include/bloomery/theory" -name '*.h' | wc -l)" = "$(find "$project/../../include/bloomery/theory" -name '*.h' | wc -l)" ] ||
    { echo "not all of include/bloomery/theory was installed"; exit 1; }

step() { # WHAT COMMAND...: runs it; the program prints the version that it is linked to
    what=$1
    shift
    got=$("$@")
    [ "$got" = "$version" ] || { echo "$what: printed '$got', not '$version'"; exit 1; }
    echo "$what: $got"
}

# The soname, and nothing of the building machine's tree in what was installed.
readelf -d "$libdir/libbloomery.so" | grep -q "SONAME.*\[libbloomery\.so\.${version%%.*}\]"
[ "$(readlink -f "$libdir/libbloomery.so")" = "$(readlink -f "$libdir")/libbloomery.so.$version" ]
! grep -rlF "$work/first" "$prefix" || { echo "the installed files above name the place where they were installed"; exit 1; }

# pkg-config
PKG_CONFIG_PATH=$libdir/pkgconfig${PKG_CONFIG_PATH:+:$PKG_CONFIG_PATH}
export PKG_CONFIG_PATH
[ "$(pkg-config --modversion bloomery)" = "$version" ]
flags=$(pkg-config --cflags --libs bloomery)
headers=$(pkg-config --cflags bloomery)
behind=$(pkg-config --static --libs-only-l bloomery | sed 's/-lbloomery//')
build_with() { # PROGRAM FLAGS COMMAND...: flags as pkg-config quotes them, behind the command
    program=$1 words=$2
    shift 2
    eval "set -- \"\$@\" $words"
    "$@" -o "$program"
}
strict='-Wall -Wextra -Wpedantic -Werror'
build_with "$work/use_c" "$strict $flags" "$cc" -std=c11 "$project/use.c"
build_with "$work/use_static" "$headers $behind" "$cc" -std=c11 "$project/use.c" "$libdir/libbloomery.a"
[ -z "$cxx" ] ||
    build_with "$work/use_cxx" "$strict $flags" "$cxx" -std=c++17 -x c++ "$project/use.c" -x none
step "pkg-config, C11, shared" env LD_LIBRARY_PATH="$libdir${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}" "$work/use_c"
step "pkg-config, C11, static" "$work/use_static"
[ -z "$cxx" ] ||
    step "pkg-config, C++17, shared" env LD_LIBRARY_PATH="$libdir${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}" "$work/use_cxx"

# find_package; CMake gives its programs the way to the library
cmake -S "$project" -B "$work/cmake" -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_C_COMPILER="$cc" \
    ${cxx:+-DCMAKE_CXX_COMPILER="$cxx"} -DWANTED="$version" > "$work/cmake.log"
cmake --build "$work/cmake" >> "$work/cmake.log"
step "find_package, C11, shared" "$work/cmake/use_shared"
step "find_package, C11, static" "$work/cmake/use_static"
[ -z "$cxx" ] || step "find_package, C++17, shared" "$work/cmake/use_cxx"

# the program itself, if it is there
[ ! -e "$prefix/bin/bloomery" ] || "$prefix/bin/bloomery" --version | grep -F "$version"

# make install as a plain user, into a prefix that has a folder and a file of its own
root=$project/../..
mkdir -p "$work/own/bin" "$work/state"
echo mine > "$work/own/bin/mine"
find "$work/own" | sort > "$work/before"
cp "$build/CMakeCache.txt" "$work/state/" # what install.sh remembers stays out of the build folder
cp "$build/cmake_install.cmake" "$work/state/"
"$root/tools/install.sh" "$work/state" "$work/own" > "$work/own.log"
"$root/tools/install.sh" "$work/state" "$work/own" >> "$work/own.log" # again: all is still remembered
for verb in $("$work/own/bin/bloomery" help | sed -n '/^$/,/^$/s/^  \([a-z]*\) .*/\1/p'); do
    [ -s "$work/own/share/man/man1/bloomery-$verb.1" ] || { echo "$verb has no page"; exit 1; }
done
for file in man/man1/bloomery.1 man/man3/bloomery.3 man/man3/blm_has.3 man/man5/bloomery.5 \
    bash-completion/completions/bloomery zsh/site-functions/_bloomery fish/vendor_completions.d/bloomery.fish; do
    [ -s "$work/own/share/$file" ] || { echo "share/$file was not installed"; exit 1; }
done
"$root/tools/install.sh" --undo "$work/state"
find "$work/own" | sort | diff "$work/before" - || { echo "uninstall left or took the files above"; exit 1; }
! "$root/tools/install.sh" --undo "$work/state" 2> /dev/null || { echo "a second uninstall finds something"; exit 1; }
grep -q '^installed [0-9]* files in ' "$work/own.log"
echo "make install and uninstall: $(tail -n 1 "$work/own.log"), and none is left"
