#!/bin/sh
# install.sh - into a prefix, and out of it again without a trace.
#   tools/install.sh BUILD_DIR PREFIX         installs what BUILD_DIR has built; DESTDIR is honoured
#   tools/install.sh --undo BUILD_DIR         removes what the last install wrote: its files, and those of
#                                             its folders that were not there before and are empty now
# BUILD_DIR/installed.files and BUILD_DIR/installed.folders remember both.
set -eu

if [ "${1-}" = --undo ]; then
    build=$2
    [ -f "$build/installed.files" ] || { echo "nothing was installed from $build" >&2; exit 1; }
    while read -r file; do rm -f "$file"; done < "$build/installed.files"
    sort -r "$build/installed.folders" | while read -r folder; do
        rmdir "$folder" 2> /dev/null || true # something of others is in it
    done
    rm -f "$build/installed.files" "$build/installed.folders"
    exit
fi

build=$1
case $2 in
/*) prefix=$2 ;;
*) prefix=$PWD/$2 ;;
esac

# A trial tells which files and folders there will be.
stage=$(mktemp -d "$build/stage.XXXXXX")
trap 'rm -rf "$stage"' EXIT
DESTDIR=$stage/root cmake --install "$build" --prefix "$prefix" > /dev/null
there() { # TEST...: what find finds of it, as it will be called
    (cd "$stage/root" && find . -mindepth 1 "$@") | while read -r path; do echo "${DESTDIR-}${path#.}"; done
}
there ! -type d > "$stage/files"
there -type d | while read -r folder; do
    # A second install still knows what the first one made.
    [ -d "$folder" ] && ! grep -qxF "$folder" "$build/installed.folders" 2> /dev/null || echo "$folder"
done > "$stage/folders"

cmake --install "$build" --prefix "$prefix" > /dev/null
mv "$stage/files" "$build/installed.files"
mv "$stage/folders" "$build/installed.folders"
echo "installed $(wc -l < "$build/installed.files") files in ${DESTDIR-}$prefix"
