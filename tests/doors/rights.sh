#!/usr/bin/env bash
# Who may read and write what the program leaves behind: nobody more than before. And what stays when the disk fails late.
. "$(dirname "$0")/lib.bash"
seq 1000 >list
seq 1001 1100 >extra
run build -q -t counting -n 1200 -o f.blm list
cp f.blm kept.blm
state_of() { stat -c '%a %u %g' "$1"; }

# ---- files of others: only root gives a file away ---------------------------------------------------------------
if [ "$(id -u)" = 0 ]; then
    for verb in add rm deny; do
        cp kept.blm other.blm
        chown 65534:65534 other.blm
        chmod 6755 other.blm
        [ $verb = deny ] || run $verb -qi other.blm list
        [ $verb != deny ] || run deny -q --asked 100 other.blm 1
        check "$verb by root: the file is still its owner's, without the setuid bit" [ "$(state_of other.blm)" = "755 65534 65534" ]
    done
    chmod 6755 other.blm
    chown 65534:65534 other.blm
    run build -q -F -n 1000 -o other.blm list
    check "so does build -F" [ "$(state_of other.blm)" = "755 65534 65534" ]
    mkdir shared
    chmod 777 . shared
    cp kept.blm extra shared
    chmod 666 shared/kept.blm
    if ! setpriv --reuid 65534 --regid 65534 --clear-groups "$BLOOMERY" --version >/dev/null 2>&1; then
        skip "a plain user changes a file of root" "setpriv cannot run the program as nobody"
    else
        setpriv --reuid 65534 --regid 65534 --clear-groups "$BLOOMERY" add -i -q shared/kept.blm shared/extra >out 2>err
        note $?
        expect "a plain user who may write a file of root changes it, and is told whose it is now" 0 "cannot keep its owner"
        check "the group's bits and the others' write bit are gone" [ "$(state_of shared/kept.blm)" = "604 65534 65534" ]
    fi
else
    skip "files of other users" "only root can make them"
fi

# ---- a read-only file is changed by -F alone, by root too -----------------------------------------------------------
cp kept.blm f.blm
chmod 444 f.blm
for verb in "add -i f.blm extra" "rm -i f.blm list" "deny --asked 9 f.blm 1"; do
    # shellcheck disable=SC2086 # words of a command
    run $verb
    expect "${verb%% *}: a file without a write bit is left alone" 2 "read-only (mode 0444); use -F"
    check "${verb%% *}: not a byte of it is different" cmp f.blm kept.blm
done
run grep --confirm list --deny f.blm extra
expect "grep --confirm --deny: the same, before the work" 2 "read-only"
run add -i -q -F f.blm extra
expect "add -F" 0
# shellcheck disable=SC2016 # the inner shell expands it
check "it is changed, and read-only again" sh -c '! cmp -s f.blm kept.blm && [ "$(stat -c %a f.blm)" = 444 ]'
run grep -c f.blm extra
expect "reading needs no write bit" 0 100
chmod 644 f.blm

# ---- the folder cannot be brought to the disk: the image is in place, so its key has to stay -----------------------
cat >late.c <<'END'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
int fsync(int fd) /* fails for folders: from the FAIL_FROM-th on */
{
    static int folders;
    struct stat st;
    int (*real)(int) = (int (*)(int))dlsym(RTLD_NEXT, "fsync");
    if (fstat(fd, &st) == 0 && S_ISDIR(st.st_mode) && ++folders >= atoi(getenv("FAIL_FROM"))) return errno = EIO, -1;
    return real(fd);
}
END
if sanitized; then
    skip "a folder that cannot be brought to the disk" "a sanitizer has to be the first library"
elif ! cc -shared -fPIC -o late.so late.c -ldl 2>err; then
    skip "a folder that cannot be brought to the disk" "no compiler called cc"
else
    late() { # FAIL_FROM ARGS...
        FAIL_FROM=$1 LD_PRELOAD=$PWD/late.so "$BLOOMERY" "${@:2}" >out 2>err </dev/null
        note $?
    }
    late 2 build -q --new-key key -o keyed.blm list
    expect "--new-key: written, and said not to be safe from a power cut" 2 "may not survive a power failure"
    run test -q --key key keyed.blm 5
    expect "the image has its key" 0
    late 1 build -q --new-key key2 -o keyed2.blm list
    expect "--new-key: no image before its key is on the disk" 2 "key2"
    check "neither file is left" sh -c '[ ! -e key2 ] && [ ! -e keyed2.blm ]'
    cp kept.blm f.blm
    late 1 add -i f.blm extra
    expect "add" 2 "may not survive a power failure"
    check "add is done all the same" sh -c '! cmp -s f.blm kept.blm'
    run build -q -F -n 1000 -o keyed.blm list
    late 2 build -q -F --new-key key3 -o keyed.blm list
    run test -q --key key3 keyed.blm 5
    expect "build -F --new-key: the image that took the place has its key" 0
fi
check "no temp file is left" [ "$(temps_in .)" = 0 ]
finish
