#!/usr/bin/env bash
# --arg: a number that comes with each key, in a field of its line: weights that add up, sets that a knob limits.
. "$(dirname "$0")/lib.bash"
tab=$(printf '\t')
printf 'a\t3\nb\t5\na\t4\n' >in
for n in "" "-n 100"; do
    # shellcheck disable=SC2086
    run build -qF -t count-min $n -f 1 --arg 2 -o w.blm in
    expect "build ${n:-without -n}: weights are read" 0
    run count w.blm a b
    check "build ${n:-without -n}: weights of one key add up" cmp out <(printf 'a\t7\nb\t5\n')
done
run add -q -i -f 1 --arg 2 w.blm in
expect "add" 0
run count w.blm a b
check "add: weights add up" cmp out <(printf 'a\t14\nb\t10\n')
run build -q -t spectral -n 100 -f 1 --arg 2 -o s.blm in
expect "build of another kind" 0
printf 'a\t3\n' | run_in rm -q -f 1 --arg 2 s.blm
expect "rm" 0
run count s.blm a
expect "rm: a weight is taken off" 0 "a${tab}4"
printf '%s\n' 'x,9,k' 'x,8,l' | run_in add -q -d , -f 3 --arg 2 s.blm
expect "fields in any order, another delimiter" 0
run count s.blm k
expect "the number stands before the key" 0 "k${tab}9"
cp s.blm before.blm
printf 'a\tx\n' | run_in add -f 1 --arg 2 s.blm
expect "a word is no number" 2 "line 1: x: --arg: the number of a key must be a whole number"
printf 'a\t0\n' | run_in add -f 1 --arg 2 s.blm
expect "a weight out of range" 2 "must be from 1 to 4294967295"
printf 'a\t1\nb\n' | run_in add -f 1 --arg 2 --no-key fail s.blm
expect "a line without the number" 2 "no field 2"
run add --arg 2 s.blm k
expect "a KEY has no fields" 2 "--arg applies to the lines of an input"
echo k | run_in add --arg 2 s.blm
expect "which field is the key?" 2 "also choose the field that is the key: -f N"
check "a refused number changes nothing" cmp s.blm before.blm
run build -n 10 -f 1 --arg 2 -o none.blm in
expect "a kind without numbers" 2 "keys of kind blocked have no number"
run build -t count-min -f 1 --arg 2 -o none.blm <(printf 'a\t281474976710657\n')
expect "collected, too: out of range" 2 "a weight is out of the range of kind count-min"
check "nothing was written" [ ! -e none.blm ]

# ---- states ------------------------------------------------------------------------------------------------
printf 'a\t3\nb\t5\nc\t1\n' >flows
for n in "" "-n 3"; do
    # shellcheck disable=SC2086
    run build -qF -t state-machine $n -p 1e-6 -f 1 --arg 2 -o m.blm flows
    expect "states ${n:-without -n}: build" 0
    run get m.blm a b c
    check "states ${n:-without -n}: each flow has its own" cmp out <(printf 'a\t3\nb\t5\nc\t1\n')
done
run get m.blm c d
expect "a flow that is not in the set" 1 "d${tab}no"
printf 'a\t16\n' | run_in add -f 1 --arg 2 m.blm
expect "a state above the knob's" 2 "a state is out of range: must be from 1 to 15"
printf 'a\t0\n' | run_in add -f 1 --arg 2 m.blm
expect "state 0" 2 "a state is out of range: must be from 1 to 15"
printf 'a\t4\n' | run_in add -q -f 1 --arg 2 m.blm
expect "a flow that is there, with another state" 0
run get m.blm a b
expect "nobody knows which one it is" 1 "a${tab}unsure"
check "and the next key is answered" cmp out <(printf 'a\tunsure\nb\t5\n')
run get --json m.blm a d
check "JSON tells that from absent" cmp out <(printf '{"key":"a","value":null,"unsure":true}\n{"key":"d","value":null,"unsure":false}\n')
run rm -q m.blm b
expect "a flow ends" 0
printf 'b\t6\n' | run_in add -q -f 1 --arg 2 m.blm
expect "and begins anew" 0
run get m.blm b
expect "in another state" 0 "b${tab}6"
printf 'a\t3\nb\t5\na\t3\nb\t6\n' >flows
for n in "" "-n 3"; do
    # shellcheck disable=SC2086
    run build -qF -t state-machine $n -p 1e-6 -f 1 --arg 2 -o m.blm flows
    expect "flows that come again ${n:-without -n}: build" 0
    run get m.blm a b
    check "flows that come again ${n:-without -n}: with one state or with two" cmp out <(printf 'a\t3\nb\tunsure\n')
done

# A class decides how many bits a key has: add and test need the same one.
printf 'a\t0\nb\t1\nc\t1\n' >classes
run build -qF -t weighted -n 100 --set asked=9:1 -f 1 --arg 2 -o w.blm classes
expect "classes: build" 0
run_in test -f 1 --arg 2 w.blm <classes
check "classes: asked as they were added" cmp <(cut -f 2 out) <(printf '%s\n' maybe maybe maybe)
printf 'd\t2\n' | run_in add -f 1 --arg 2 w.blm
expect "classes: one that the filter does not have" 2 "a class is out of range: must be from 0 to 1"
run build -qF -t weighted -n 100 --set asked=0:0 -o w.blm classes
expect "classes: no queries at all" 2 "asked=0:0: each number must be 0 or more, and not all of them 0"

# Lists of a kind whose keys have no number: key<tab>count, whatever fields the members have.
printf '%s\n' a b c >members
printf 'x\t900\ny\t800\nz\nx\t1\n' >asked
run build -F -t popularity -n 100 --list asked=asked -o p.blm members
expect "a list with counts" 0 "1 line without a field 2: dropped"
run info p.blm
check "a list with counts: two keys are in the table" grep -q 'named  *2 ' out
printf 'm\ta\nm\tb\n' >second
run build -qF -t popularity -n 100 -f 2 --list asked=asked -o p.blm second
run test p.blm a b m
check "a list with counts: the members have their own field" cmp out <(printf '%s\n' a b m | paste - <(printf '%s\n' maybe maybe no))
printf 'x\t8q\n' >asked
run build -qF -t popularity -n 100 --list asked=asked -o p.blm members
expect "a list with counts: no number" 2 "8q: --arg: the number of a key must be a whole number"

if [ -x "${BLOOMERY_TOYS:-}" ]; then
    export BLOOMERY=$BLOOMERY_TOYS
    printf 'a\t0\na\t2\nb\t1\n' >sets
    for n in "" "-n 100"; do
        # shellcheck disable=SC2086
        run build -qF -t toy-sets --set sets=3 $n -p 1e-6 -f 1 --arg 2 -o t.blm sets
        expect "sets ${n:-without -n}: build" 0
        printf 'a\t0\na\t1\na\t2\nb\t0\nb\t1\n' | run_in test -f 1 --arg 2 t.blm
        check "sets ${n:-without -n}: a key is in each of its sets, and in no other" cmp <(cut -f 2 out) <(printf '%s\n' maybe no maybe no maybe)
    done
    printf 'a\t3\n' | run_in add -f 1 --arg 2 t.blm
    expect "sets: a number that the knob does not allow" 2 "a set is out of range: must be from 0 to 2"
    printf 'a\t2\n' >extra
    run build -q -t toy-tally -f 1 --arg 2 --list more=extra -o y.blm in
    expect "a list with numbers" 0
    run get y.blm a b
    check "a list with numbers: read from the same field" cmp out <(printf 'a\t9\nb\t5\n')
fi
finish
