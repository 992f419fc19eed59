#!/usr/bin/env bash
# Who waits for whom, and for how long; and a file that is cut off under its reader.
. "$(dirname "$0")/lib.bash"
seq 1000 >list
seq 1001 1100 >extra
run build -q -t counting -n 1200 -o f.blm list

# ---- a mere reader holds the lock ------------------------------------------------------------------------------
if ! command -v flock >/dev/null; then
    skip "locks" "no flock here"
else
    flock f.blm sleep 30 &
    holder=$!
    for _ in 1 2 3 4 5 6 7 8 9 10; do flock -n f.blm true || break; sleep 0.1; done
    for verb in "add -i f.blm extra" "rm -i f.blm list" "deny --asked 9 f.blm 1" "build -F -o f.blm list" "merge -F -o f.blm g.blm"; do
        [ "${verb%% *}" != merge ] || cp f.blm g.blm
        # shellcheck disable=SC2086 # words of a command
        run $verb --wait 1
        expect "${verb%% *} --wait 1: it does not wait for ever" 2 "another process has held its lock for 1 second; use --wait"
    done
    (sleep 6; pkill -P $holder; kill $holder) 2>/dev/null &
    run add -i f.blm extra
    expect "add waits, and says after 5 seconds for what" 0 "waiting for another process that holds its lock, up to 60 seconds"
    check "and goes on" grep -q "100 keys added" err
    wait
fi

# ---- a file that is cut off while it is mapped --------------------------------------------------------------------
run build -q -n 1000000 -o large.blm list
mkfifo keys
"$BLOOMERY" grep large.blm <keys >out 2>err &
reader=$!
exec 3>keys
echo 5 >&3
for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15; do [ -s out ] && break; sleep 0.1; done
truncate -s 100 large.blm
seq 1000 >&3
exec 3>&-
wait $reader
note $?
expect "a file that is cut off under its reader" 3 "truncated while it was being read"
finish
