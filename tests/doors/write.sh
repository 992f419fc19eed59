#!/usr/bin/env bash
# Writing: full disks, interrupts, readers and writers at the same time.
. "$(dirname "$0")/lib.bash"
seq 1000 >list
seq 2000 >list2
run build -q -o a.blm list
run build -q -o b.blm list2

# ---- a disk that is full ----------------------------------------------------------------------------
cp a.blm old.blm
(ulimit -f 64; "$BLOOMERY" build -F -m 4MiB -o old.blm list >out 2>err)
note $?
expect "a file limit is an error, not a crash" 2 "cannot write"
check "and the old file is kept" cmp a.blm old.blm
check "and no temp file is left" [ "$(temps_in .)" = 0 ]
mkdir small
if [ "$(id -u)" = 0 ] && mount -t tmpfs -o size=1m none small 2>/dev/null; then
    cp a.blm small/old.blm
    run build -F -m 4MiB -o small/old.blm list
    expect "a full disk" 2 "No space left"
    check "the old file is kept" cmp a.blm small/old.blm
    check "no temp file is left" [ "$(find small -type f | wc -l)" = 1 ]
    run build -m 4MiB -o small/new.blm list
    expect "a full disk, a new file" 2 "No space left"
    check "no new file" [ ! -e small/new.blm ]
    umount small
else
    skip "a full disk" "no right to mount a small one; the file limit stands for it"
fi
run build -o /nowhere-at-all/x.blm list
expect "a folder that is not there" 2 "folder"

# ---- interrupts -----------------------------------------------------------------------------------------
signals=TERM
env --default-signal=INT true 2>/dev/null && signals="INT TERM"
as_default() { if [ "$1" = INT ]; then shift; exec env --default-signal=INT "$@"; else shift; exec "$@"; fi; }
for signal in $signals; do
    cp a.blm old.blm
    mkfifo "pipe-$signal"
    as_default "$signal" "$BLOOMERY" build -F -n 1000 -o old.blm "pipe-$signal" 2>err &
    pid=$!
    exec 7>"pipe-$signal"
    seq 10 >&7
    sleep 0.2
    kill -"$signal" $pid
    wait $pid
    note $?
    exec 7>&-
    expect "$signal while it reads" $((128 + $(kill -l "$signal")))
    check "$signal: the old file is kept" cmp a.blm old.blm
    check "$signal: no temp file is left" [ "$(temps_in .)" = 0 ]
done

# While it writes: at whatever moment, the old file or the whole new one, and no temp file.
run build -q -n 1000 -m 96MiB -t standard -o new.blm list
torn=0
kept=0
for delay in 0.01 0.02 0.03 0.05 0.08 0.12 0.2; do
    cp a.blm old.blm
    as_default "${signals%% *}" "$BLOOMERY" build -q -F -n 1000 -m 96MiB -t standard -o old.blm list 2>err &
    pid=$!
    sleep $delay
    kill -"${signals%% *}" $pid 2>/dev/null
    wait $pid
    if cmp -s a.blm old.blm; then kept=$((kept + 1)); else cmp -s new.blm old.blm || torn=$((torn + 1)); fi
done
check "interrupted while it writes: the old file or the new one, 7 times" [ $torn = 0 ]
check "the old one at least once ($kept times)" [ $kept -ge 1 ]
check "and no temp file is left" [ "$(temps_in .)" = 0 ]
rm -f new.blm old.blm

# ---- readers and writers at the same time -------------------------------------------------------------------
cp a.blm shared.blm
(for _ in $(seq 40); do "$BLOOMERY" build -qF -o shared.blm list2 && "$BLOOMERY" build -qF -o shared.blm list || exit 1; done) &
writer=$!
(for _ in $(seq 40); do "$BLOOMERY" build -qF -o shared.blm list2 && "$BLOOMERY" build -qF -o shared.blm list || exit 1; done) &
writer2=$!
reads=0
bad=0
while kill -0 $writer 2>/dev/null; do
    "$BLOOMERY" test -q shared.blm 1 500 1000 || bad=$((bad + 1))
    reads=$((reads + 1))
done
wait $writer
check "a writer among others ends well" [ $? = 0 ]
wait $writer2
check "the second writer too" [ $? = 0 ]
check "readers saw a whole file each of $reads times" [ $bad = 0 ]
check "what is left is one of the two" sh -c 'cmp -s shared.blm a.blm || cmp -s shared.blm b.blm'
check "and no temp file" [ "$(temps_in .)" = 0 ]
wins=0
for _ in $(seq 10); do
    rm -f race.blm
    "$BLOOMERY" build -q -o race.blm list 2>/dev/null &
    one=$!
    "$BLOOMERY" build -q -o race.blm list2 2>/dev/null
    second=$?
    wait $one
    first=$?
    [ $((first + second)) = 2 ] && wins=$((wins + 1))
done
check "two writers of a new file: one wins, the other is told, 10 times" [ $wins = 10 ]

# ---- what is kept of the file that is replaced -----------------------------------------------------------------
cp a.blm target.blm
chmod 640 target.blm
ln -s target.blm name.blm
run build -qF -o name.blm list2
expect "write through a link" 0
check "the link is still a link" [ -L name.blm ]
check "its target is the new file" cmp target.blm b.blm
check "with the mode of the old one" [ "$(stat -c %a target.blm)" = 640 ]
finish
