#!/usr/bin/env bash
# test and grep: answers, fields, records, pipes.
. "$(dirname "$0")/lib.bash"

printf 'plum\npear\napple\n' >fruit
run build -q -p 1e-9 -o fruit.blm fruit

# ---- test ------------------------------------------------------------------------------------------
run test fruit.blm plum stone
expect "test: one of two is not inside" 1 "$(printf 'plum\tmaybe')"
check "and the other is told" grep -q "$(printf 'stone\tno')" out
run test fruit.blm plum pear
expect "test: all inside" 0
run test -q fruit.blm plum
expect "test -q: yes" 0
check "and nothing is printed" [ ! -s out ]
run test -q fruit.blm stone
expect "test -q: no" 1
printf 'plum\nstone' | run_in test fruit.blm
expect "test of standard input, last newline missing" 1
check "byte for byte" cmp out <(printf 'plum\tmaybe\nstone\tno\n')
run test --json fruit.blm 'a"b' "$(printf '\377')"
expect "test --json" 1 '{"key":"a\"b","answer":"no"}'
check "bytes that are no text are given as hex" grep -q '"key_hex":"ff"' out
"$BLOOMERY" test - plum >out 2>err <fruit.blm
note $?
expect "test: the image by a pipe" 0 maybe
run_in test - <fruit.blm
expect "test: image and keys by one pipe" 2 "KEY"
run test fruit.blm -- -x
expect "-- ends the options" 1 "-x"

# ---- grep --------------------------------------------------------------------------------------------
printf 'plum\nstone\n\npear' >mixed
run grep fruit.blm mixed
expect "grep: lines inside, a missing last newline is added" 0
check "byte for byte" cmp out <(printf 'plum\npear\n')
run grep -v fruit.blm mixed
check "grep -v: the others, an empty line is a key" cmp out <(printf 'stone\n\n')
run grep -vc fruit.blm mixed mixed
expect "grep -vc: one total for all files" 0
check "the number alone" cmp out <(echo 4)
run grep -c --json fruit.blm mixed
expect "grep -c --json" 0 '{"count":2}'
run grep --json fruit.blm mixed
expect "grep --json without -c" 2 "use -c for the total"
run grep fruit.blm empty-not-there
expect "grep: no such file" 2 "No such file"
printf 'rock\n' | run_in grep fruit.blm
expect "grep: no such line" 1
printf 'rock\nplum\n' | run_in grep -q fruit.blm -
expect "grep -q: some" 0
check "and nothing is printed" [ ! -s out ]
printf 'plum' >one && printf 'pear' >two
run grep -c fruit.blm one two
check "the last line of one file is not joined with the next file" cmp out <(echo 2)
run grep - mixed <fruit.blm
"$BLOOMERY" grep - mixed >out 2>err <fruit.blm
note $?
expect "grep: the image by a pipe" 0 plum
run grep fruit.blm "$work"
expect "grep: a directory" 2 "directory"

# ---- fields and records ---------------------------------------------------------------------------------
printf '1,plum,x\n2,stone,x\nshort\n' >table
run grep -d , -f 2 fruit.blm table
expect "grep by a field: the whole line comes out" 0 "1,plum,x"
check "a line without the field is said" grep -q "1 line without a field 2" err
run grep -v -d, -f2 fruit.blm table
check "and is neither in nor out" cmp out <(echo 2,stone,x)
printf 'a\tplum\n' | run_in grep -f 2 fruit.blm
expect "the delimiter is a tab if not given" 0 plum
run grep -d , fruit.blm table
expect "-d without -f" 2 "-f N"
run grep -d ,, -f 2 fruit.blm table
expect "-d of two bytes" 2 "one byte"
run build -q -d , -f 2 -o column.blm table
run test column.blm plum stone x
expect "build by a field" 1 "$(printf 'stone\tmaybe')"
printf 'plum\0sto\nne\0' | run_in grep -z -v fruit.blm
check "-z: records end in NUL" cmp out <(printf 'sto\nne\0')
printf 'plum\r\npear\r\n' >dos
run grep fruit.blm dos
expect "a CR is part of the key" 1 "--crlf"
check "one warning" [ "$(grep -c crlf err)" = 1 ]
run grep --crlf fruit.blm dos
expect "--crlf strips it" 0
check "and the line comes out with it" cmp out dos
run build -q -o dos.blm fruit dos
check "build warns of CR lines once" [ "$(grep -c crlf err)" = 1 ]

# ---- pipes ---------------------------------------------------------------------------------------------------
seq 200000 >numbers
run build -q -o numbers.blm numbers
"$BLOOMERY" grep numbers.blm numbers 2>err | head -n 1 >out
note "${PIPESTATUS[0]}"
expect "killed by SIGPIPE" 141
check "silently" [ ! -s err ]
"$BLOOMERY" grep numbers.blm numbers >/dev/full 2>err
note $?
expect "standard output is full" 2 "No space left"
"$BLOOMERY" build -o - numbers >/dev/full 2>err
note $?
expect "an image into a full standard output" 2 "No space left"
"$BLOOMERY" build -q -o - numbers >by-pipe.blm 2>err
check "-o - writes the same bytes" cmp numbers.blm by-pipe.blm

# An answer comes although the pipe stays open. The best of 5: the machine may be busy elsewhere.
coproc ASK { exec "$BLOOMERY" grep fruit.blm; }
best=999999
for _ in 1 2 3 4 5; do
    from=${EPOCHREALTIME/./}
    echo plum >&"${ASK[1]}"
    read -r -t 5 answer <&"${ASK[0]}" || answer=none
    took=$((${EPOCHREALTIME/./} - from))
    [ $took -lt $best ] && best=$took
done
check "a line is answered on an open pipe" [ "$answer" = plum ]
check "within 0.1 s (best of 5: $best us)" [ $best -lt 100000 ]
pid=$ASK_PID
eval "exec ${ASK[1]}>&-"
wait "$pid"
check "and the end of the pipe is the end" [ $? = 0 ]

# ---- a terminal -------------------------------------------------------------------------------------------------
if script -qec true /dev/null >/dev/null 2>&1; then
    script -qec "'$BLOOMERY' build -o - numbers" /dev/null >out 2>err </dev/null
    note $?
    expect "an image does not go to a terminal" 2 "terminal"
    script -qec "(seq 9; sleep 2.4; seq 9) | '$BLOOMERY' build -F -o bar.blm" /dev/null >out 2>err </dev/null
    note $?
    expect "a progress line on a terminal after 2 s" 0 "bytes"
    check "it moves on its own line" grep -q "$(printf '\r36 bytes')" out
    script -qec "(seq 9; sleep 2.4; seq 9) | '$BLOOMERY' build -q -F -o bar.blm" /dev/null >out 2>err </dev/null
    check "and none with -q" [ ! -s out ]
else
    skip "terminals" "script(1) is not there"
fi
finish
