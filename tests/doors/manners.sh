#!/usr/bin/env bash
# Manners: what grep, sort and git users expect of every verb.
. "$(dirname "$0")/lib.bash"
printf 'plum\npear\nfig\n' >fruit
seq 1000 >list
run build -q -p 1e-9 -o fruit.blm fruit
run build -q -o list.blm list
verbs=$("$BLOOMERY" help | sed -n '/^$/,/^$/s/^  \([a-z]*\) .*/\1/p')

# Two that wait for the 2 s of the progress bar: they end below, under "a terminal".
if script -qec true /dev/null >/dev/null 2>&1; then
    script -qec "(echo plum; sleep 2.3; echo plum) | '$BLOOMERY' grep -c fruit.blm" /dev/null >slow-grep.out 2>&1 </dev/null &
    slow_grep=$!
    script -qec "(echo plum; sleep 2.3; echo plum) | '$BLOOMERY' build -o slow.blm 2>slow-build.err" /dev/null >slow-build.out 2>&1 </dev/null &
    slow_build=$!
fi

# ---- every verb -----------------------------------------------------------------------------------------
version=$("$BLOOMERY" --version)
for verb in $verbs; do "$BLOOMERY" "$verb" --help >"help.$verb"; done
has() { grep -qE -- "^ +(-[A-Za-z], )?$2( |$)" "help.$1"; } # VERB OPTION
lacking() { # OPTION VERBS...: which of them do not have it
    local option=$1 verb
    shift
    for verb; do has "$verb" "$option" || echo "$verb"; done
}
having() { for verb in $verbs; do has "$verb" "$1" && echo "$verb"; done; } # OPTION
silent=
for verb in $verbs; do
    [ "$("$BLOOMERY" "$verb" --version)" = "$version" ] || silent="$silent $verb"
    "$BLOOMERY" "$verb" x y z --help | cmp -s - "help.$verb" || silent="$silent $verb"
    [ "$(head -n 1 "help.$verb" | cut -d ' ' -f 1-3)" = "usage: bloomery $verb" ] || silent="$silent $verb"
done
check "every verb knows --version and --help, wherever they stand$silent" [ -z "$silent" ]
for option in --quiet --jobs --ram --help --version; do
    # shellcheck disable=SC2086
    check "every verb has $option: $(lacking $option $verbs)" [ -z "$(lacking $option $verbs)" ]
done
makers=$(having --out | grep -vxE "pack|delta") # those two make streams
for option in --force --note; do
    # shellcheck disable=SC2086
    check "what makes a filter has $option: $(lacking $option $makers)" [ -z "$(lacking $option $makers)" ]
done
openers=$(for verb in $verbs; do head -n 1 "help.$verb" | grep -qE ' (\[?FILE|OUT|A) ?' && echo "$verb"; done)
# shellcheck disable=SC2086
check "what makes or opens one has --key: $(lacking --key $openers)" [ -z "$(lacking --key $openers)" ]
check "there are makers and openers" [ "$(echo "$makers" | wc -w)" -ge 3 -a "$(echo "$openers" | wc -w)" -ge 6 ]
run grep -j 0 fruit.blm fruit
expect "-j 0" 2 "from 1 to 256"
run grep --ram 100 fruit.blm fruit
expect "--ram without a unit" 2 "--ram"
run grep -j 2 --ram 64MiB fruit.blm fruit
expect "-j and --ram" 0 plum

# ---- options ----------------------------------------------------------------------------------------------
run grep fruit.blm -v list -c
expect "options anywhere" 0
check "and all of them count" cmp out <(echo 1000)
printf 'a,plum\nb,stone\n' >pairs
run grep -vcd, -f2 fruit.blm pairs
check "flags and a letter with its value in one word" cmp out <(echo 1)
run grep -cv -d , -f2 -- fruit.blm pairs
check "in any order, apart or attached" cmp out <(echo 1)
cp fruit ./-v
run grep -c fruit.blm -- -v
check "behind -- a name may begin with a dash" cmp out <(echo 3)
run grep -c fruit.blm ./-v --
check "-- at the end is nothing" cmp out <(echo 3)
run grep -cz1 fruit.blm fruit
expect "a wrong letter in a bundle" 2 "-1: no such option"
run grep --coutn fruit.blm fruit
expect "the nearest option" 2 "did you mean --count?"
run kinds --hlep
expect "the nearest option, of those that every verb has" 2 "did you mean --help?"
run build --fpr= -o x.blm list
expect "a value that is empty" 2 "fpr"
run verfiy list.blm
expect "the nearest verb" 2 "did you mean verify?"
run build -t countign -o x.blm list
expect "the nearest kind" 2 "did you mean counting?"
run build -t counting --set wdith=4 -o x.blm list
expect "the nearest knob" 2 "did you mean width?"
run build -t standard --set width=4 -o x.blm list
expect "a knob of another kind" 2 "standard"
check "nothing was written" [ ! -e x.blm ]

# ---- numbers, whatever the locale ----------------------------------------------------------------------------
same() { # NAME OPTIONS -- OPTIONS: both make the same filter
    local name=$1 one=() two=()
    shift
    while [ "$1" != -- ]; do one+=("$1"); shift; done
    shift
    two=("$@")
    run build -qF -o one.blm "${one[@]}" list
    run build -qF -o two.blm "${two[@]}" list
    check "$name" cmp one.blm two.blm
}
same "10k = 1e4" -n 10k -- -n 1e4
same "1M = 1000000" -n 1M -p 0.5 -- -n 1000000 -p 50%
same "2/1000 = 0.2%" -n 2000 -p 2/1000 -- -n 2000 -p 0.2%
same "64KiB = 65536B" -m 64KiB -- -m 65536B
same "128KiB = 1048576b" -m 128KiB -- -m 1048576b
same "a seed in hex" --seed 0xff -- --seed 255
locale=$(locale -a 2>/dev/null | grep -iE '^(de|fr|ru|es|it)_.*utf' | head -n 1)
if [ -z "$locale" ] && localedef -i de_DE -f UTF-8 ./de_DE.UTF-8 2>/dev/null; then
    locale=de_DE.UTF-8
    export LOCPATH=$PWD
fi
if [ -n "$locale" ]; then
    LC_ALL=$locale "$BLOOMERY" info --json list.blm >there
    "$BLOOMERY" info --json list.blm >here
    check "numbers have points in $locale too" cmp here there
else
    skip "a locale with decimal commas" "none is installed"
fi

# ---- input ------------------------------------------------------------------------------------------------------
"$BLOOMERY" grep -c fruit.blm <(cat fruit) - <fruit >out 2>err
note $?
expect "a file may be a pipe, and - is standard input" 0
check "both were read" cmp out <(echo 6)
printf 'a\0b\n\377\376\n\n' >bytes
run build -q -p 1e-9 -o bytes.blm bytes
"$BLOOMERY" grep bytes.blm bytes >out
check "bytes are bytes: NUL, wrong UTF-8, an empty line" cmp out bytes
printf 'a\n\376\n' | run_in grep bytes.blm
expect "and nothing shorter is found" 1

# ---- standard output and standard error ------------------------------------------------------------------------------
run build -o new.blm list
check "build: nothing on standard output" [ ! -s out ]
check "build: one summary line" [ "$(wc -l <err)" = 1 ]
run merge -o m.blm list.blm new.blm
check "merge: one summary line, nothing on standard output" [ "$(wc -l <err)" = 1 -a ! -s out ]
run build -q -n 1000 -t standard -m 16384b -o even.blm list
run fold -o f.blm even.blm
check "fold: one summary line, nothing on standard output" [ "$(wc -l <err)" = 1 -a ! -s out ]
run build -q -o quiet.blm list
check "-q: no summary" [ ! -s err ]
"$BLOOMERY" build -o - list 2>err | "$BLOOMERY" grep -c - list >out
check "-o - into FILE -: an image by a pipe" cmp out <(echo 1000)
check "and its summary is on standard error" grep -q "standard output: blocked" err
run grep -c fruit.blm /nowhere list
expect "an input that is not there" 2 "/nowhere"
check "complaints are not on standard output" [ ! -s out ]
check "and name the verb" grep -q '^bloomery grep: ' err
if command -v python3 >/dev/null; then
    wrong=
    for words in "info --json list.blm" "verify --json list.blm" "kinds --json" "kinds --json counting" \
        "build --json -F -o j.blm list" "merge --json -F -o j.blm list.blm new.blm" "fold --json -F -o j.blm even.blm" \
        "test --json list.blm 1 x" "grep -c --json list.blm list"; do
        # shellcheck disable=SC2086
        run $words
        python3 -c 'import json, sys
for row in open("out"): assert isinstance(json.loads(row), dict)
assert open("out").read().endswith("\n")' || wrong="$wrong $words;"
    done
    check "--json: one object a line$wrong" [ -z "$wrong" ]
else
    skip "--json is JSON" "python3 is not there"
fi

# ---- nothing is overwritten --------------------------------------------------------------------------------------------
cp list.blm before.blm
for words in "build -o list.blm fruit" "merge -o list.blm new.blm quiet.blm" "fold -o list.blm even.blm"; do
    # shellcheck disable=SC2086
    run $words
    expect "${words%% *}: not without -F" 2 "-F"
done
check "the file is as it was" cmp list.blm before.blm
mkfifo image
cp list.blm old.blm
env --default-signal=INT "$BLOOMERY" merge -F -o old.blm list.blm - <image 2>err &
pid=$!
exec 8>image
head -c 100 list.blm >&8
sleep 0.3
kill -INT $pid
wait $pid
note $?
exec 8>&-
expect "Ctrl-C while merge reads" 130
check "the old file is there, and no temp" [ "$(temps_in .)" = 0 -a "$(cmp old.blm list.blm && echo same)" = same ]

# ---- exit codes ------------------------------------------------------------------------------------------------------------
code_is() { # CODE NAME WORDS...
    local code=$1 name=$2
    shift 2
    run "$@"
    expect "$code: $name" "$code"
}
code_is 0 "test, every key a maybe" test fruit.blm plum pear
code_is 1 "test, one key is not" test fruit.blm plum stone
code_is 0 "grep, some line" grep fruit.blm fruit
code_is 1 "grep, none" grep -v fruit.blm fruit
code_is 2 "usage" grep
code_is 2 "input" grep fruit.blm /nowhere
head -c 50 fruit.blm >cut.blm
code_is 3 "cut" info cut.blm
code_is 3 "another format" test list plum
code_is 4 "over capacity" build -n 10 -o x.blm list
code_is 5 "incompatible" merge -o x.blm fruit.blm list.blm
check "and no file came of it" [ ! -e x.blm ]
run test fruit.blm plum stone
check "answers are no complaints" [ ! -s err ]

# ---- readers that leave, and writers that stay -------------------------------------------------------------------------------
leaves() { # NAME WORDS...: an endless input, one line is wanted
    local name=$1 from took
    shift
    from=${EPOCHREALTIME/./}
    yes stone | "$BLOOMERY" "$@" 2>err | head -n 1 >/dev/null
    took=$((${EPOCHREALTIME/./} - from))
    check "$name ends when its reader leaves ($took us), silently" [ $took -lt 1000000 -a ! -s err ]
}
leaves grep grep -v fruit.blm
leaves test test fruit.blm
coproc ASK { exec "$BLOOMERY" test fruit.blm; }
best=999999
for _ in 1 2 3 4 5; do
    from=${EPOCHREALTIME/./}
    echo plum >&"${ASK[1]}"
    read -r -t 5 answer <&"${ASK[0]}" || answer=none
    took=$((${EPOCHREALTIME/./} - from))
    [ $took -lt $best ] && best=$took
done
eval "exec ${ASK[1]}>&-"
check "test answers on an open pipe within 0.1 s (best of 5: $best us)" [ "$answer" = "$(printf 'plum\tmaybe')" -a $best -lt 100000 ]
coproc ASK { exec "$BLOOMERY" grep -v fruit.blm; }
printf 'half' >&"${ASK[1]}"
read -r -t 0.3 answer <&"${ASK[0]}" && early=yes || early=no
echo ' a line' >&"${ASK[1]}"
read -r -t 5 answer <&"${ASK[0]}"
eval "exec ${ASK[1]}>&-"
check "half a line waits for its end" [ "$early" = no -a "$answer" = "half a line" ]

# ---- a terminal -----------------------------------------------------------------------------------------------------------------
if script -qec true /dev/null >/dev/null 2>&1; then
    terminal() { script -qec "$1" /dev/null >out 2>err </dev/null; note $?; }
    for colour in "" "NO_COLOR=1 "; do
        terminal "$colour'$BLOOMERY' info list.blm; $colour'$BLOOMERY' kinds; $colour'$BLOOMERY' buidl; $colour'$BLOOMERY' --help"
        check "no escape sequence on a terminal ${colour:-with colours allowed}" sh -c "grep -q capacity out && ! grep -q \"\$(printf '\\033')\" out"
    done
    terminal "'$BLOOMERY' merge -o - list.blm new.blm"
    expect "merge: an image does not go to a terminal" 2 "terminal"
    terminal "'$BLOOMERY' fold -o - even.blm"
    expect "fold: neither" 2 "terminal"
    terminal "'$BLOOMERY' build -F -o bar.blm list"
    check "no progress before 2 s, only the summary" [ "$(grep -c . out)" = 1 -a "$(tr -cd '\r' <out | wc -c)" -le 1 ]
    wait $slow_grep $slow_build
    check "none where answers go to the same terminal" cmp slow-grep.out <(printf '2\r\n')
    check "none where standard error is a file, only the summary" [ "$(wc -l <slow-build.err)" = 1 -a ! -s slow-build.out ]
    check "nor a carriage return in it" [ "$(tr -cd '\r' <slow-build.err | wc -c)" = 0 ]
else
    skip "terminals" "script(1) is not there"
fi
finish
