#!/usr/bin/env bash
# --ram bounds the input too: long lines, packed data that wants much memory, images by a pipe.
. "$(dirname "$0")/lib.bash"
PYTHON=${PYTHON:-python3}
seq 1000 >list
run build -q -o f.blm list

# resident LIMIT_KIB INPUT ARGS...: as run_in, and the most memory that it had in the file `most`.
resident() {
    "$PYTHON" - "$@" <<'END'
import resource, subprocess, sys, os
with open(sys.argv[1], "rb") as source, open("out", "wb") as out, open("err", "wb") as err:
    code = subprocess.run([os.environ["BLOOMERY"]] + sys.argv[2:], stdin=source, stdout=out, stderr=err).returncode
open("code", "w").write("%d\n" % code)
open("most", "w").write("%d\n" % resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
END
}
export BLOOMERY
small() { # NAME
    if sanitized; then skip "$1: at most 128 MiB resident" "a sanitizer takes more"; return; fi
    check "$1: at most 128 MiB resident ($(cat most) KiB)" [ "$(cat most)" -le 131072 ]
}
packed_by() { "$BLOOMERY" --version | grep -q "$1 yes" && command -v "$2" >/dev/null; }

# ---- a line that does not end ------------------------------------------------------------------------------------
head -c 300000000 /dev/zero | tr '\0' x >line
resident line grep --ram 64MiB f.blm
expect "grep: a line of 300 MB" 2 "a line longer than 16.0 MiB; use a larger --max-record or --ram"
small "grep"
for verb in "build -F -o none.blm" "uniq" "test f.blm" "top" "add -i f.blm"; do
    # shellcheck disable=SC2086 # words of a command
    resident line $verb --ram 64MiB
    expect "${verb%% *}: a line of 300 MB" 2 "--max-record"
    small "${verb%% *}"
done
{ head -c 200000 line; echo; seq 5; } >longer
run grep -c --max-record 128KiB f.blm longer
expect "--max-record: a line of 200 kB, 128 KiB allowed" 2 "a line longer than 128.0 KiB"
run grep -c --max-record 256KiB f.blm longer
expect "--max-record: 256 KiB allowed" 0 5
for jobs in 1 3; do
    { seq 300000; cat longer; } | run_in uniq -j $jobs --max-record 128KiB
    expect "-j $jobs: it is said where, and the lines before it come out" 2 "a line longer than"
done
run grep --max-record 64MiB --ram 64MiB f.blm list
expect "--max-record above a quarter of --ram" 2 "a quarter of --ram, which is 16.0 MiB"
run grep --max-record 100B f.blm list
expect "--max-record below 64 KiB" 2 "from 64 KiB"

# ---- packed ---------------------------------------------------------------------------------------------------------
if packed_by zst zstd; then
    zstd -q -c line >line.zst
    resident line.zst grep --ram 64MiB f.blm
    expect "zstd: a line of 300 MB in $(size_of line.zst) bytes" 2 "--max-record"
    small "zstd"
    zstd -q -c --long=28 <list >wide.zst
    resident wide.zst grep --ram 64MiB f.blm
    expect "zstd: a window of 256 MiB" 2 "more memory than --ram allows, 64.0 MiB; use a larger --ram"
    small "zstd, window"
    resident wide.zst grep -c --ram 512MiB f.blm
    expect "zstd: the same with a larger --ram" 0 1000
else
    skip "zstd" "no zstd here, or none built in"
fi
if packed_by xz xz; then
    xz -c --lzma2=dict=512MiB list >wide.xz
    resident wide.xz grep --ram 64MiB f.blm
    expect "xz: a dictionary of 512 MiB" 2 "of memory, but --ram allows 64.0 MiB; use a larger --ram"
    small "xz"
    xz -c -9 list >nine.xz
    run_in top -n 1 <nine.xz
    expect "top: its own 22 MiB are for keys, xz -9 is read all the same" 0
else
    skip "xz" "no xz here, or none built in"
fi

# ---- images by a pipe ------------------------------------------------------------------------------------------------
resident line info -
expect "a pipe without an image" 3 "not a Bloomery filter"
check "is known by its first bytes" [ "$(cat most)" -le 65536 ] || cat most
run build -q -n 60000000 -p 1% -o large.blm list
resident large.blm info --ram 64MiB -
expect "an image larger than --ram" 2 "the image has"
small "an image by a pipe"
for verb in "info -" "verify -" "test - 5"; do
    # shellcheck disable=SC2086 # words of a command
    run_in $verb <f.blm
    expect "$verb: a sound image by a pipe" 0
    # shellcheck disable=SC2086 # words of a command
    head -c 700 f.blm | run_in $verb
    expect "$verb: a cut one" 3
    # shellcheck disable=SC2086 # words of a command
    { cat f.blm; echo; } | run_in $verb
    expect "$verb: a lengthened one" 3
done
finish
