#!/usr/bin/env bash
# The first 60 seconds.
. "$(dirname "$0")/lib.bash"
for time in 1 2; do
    from=$SECONDS
    run demo
    expect "demo, run $time" 0 "false negatives   0 of"
    check "in less than 60 s ($((SECONDS - from)) s)" [ $((SECONDS - from)) -lt 60 ]
done
check "it has the promised and the measured rate with its interval" grep -q "measured rate .*99 %" out
check "it has queries per s" grep -q "queries per s" out
check "it has a picture of 512 bits" [ "$(grep -c '^    |[#.]\{64\}|$' out)" = 8 ]
check "its files are there" [ -s bloomery-demo/names.txt ] && check "both" [ -s bloomery-demo/names.blm ]
sed -n '/^Try next/,$p' out | sed -n 's/^  //p' >next
check "three lines to try next" [ "$(grep -c . next)" = 3 ]
while IFS= read -r line; do
    [ -n "$line" ] && check "it works as it stands: ${line##*/bloomery }" bash -c "$line"
done <next
mkdir -p tree/include/bloomery && touch tree/CMakeLists.txt tree/include/bloomery/core.h
(cd tree && "$BLOOMERY" demo >out 2>err)
check "in the source tree its files are in build/demo" [ -s tree/build/demo/names.blm ]
LC_ALL=C.UTF-8 "$BLOOMERY" demo --dir 'a folder' >out 2>err
note $?
expect "demo --dir" 0 "'a folder/names.blm'"
sed -n '/^Try next/,$p' out | sed -n 's/^  //p' >next
check "a name with a blank is quoted" bash -e next

# A clock that is 11 s further at each look: the search for names is over at its first look.
cat >late.c <<'C'
#define _POSIX_C_SOURCE 200809L
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
long syscall(long number, ...);
int clock_gettime(clockid_t id, struct timespec *t)
{
    static long later;
    const long failed = syscall(SYS_clock_gettime, id, t);
    t->tv_sec += later += 11;
    return (int)failed;
}
C
cc=$(cached CMAKE_C_COMPILER)
if sanitized; then
    skip "a search that is stopped" "a sanitizer comes first"
elif "${cc:-cc}" -shared -fPIC -o late.so late.c; then
    LD_PRELOAD=./late.so "$BLOOMERY" demo --dir late >out 2>err
    note $?
    expect "a search that is stopped after 10 seconds is reported" 0 "The search for names was stopped after 10 seconds; there are more."
    check "with the number of names" grep -q "^256 file names" out
    LD_PRELOAD=./late.so "$BLOOMERY" demo --json --dir late >out 2>err
    check "and in JSON" grep -q '"names":256,"stopped":true' out
else
    skip "a search that is stopped" "no shared object could be made"
fi
finish
