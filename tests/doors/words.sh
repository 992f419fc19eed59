#!/usr/bin/env bash
# Words: help, nearest words, options in every form, numbers, kinds.
. "$(dirname "$0")/lib.bash"
seq 100 >list
run build -q -o f.blm list

# ---- help --------------------------------------------------------------------------------------------
run --help
expect "help" 0 "usage: bloomery"
all="demo kinds plan build add rm deny tick test grep uniq top iceberg admit count get info explain verify merge intersect fold overlap
    pack unpack delta lab bench help completion"
for verb in $all; do check "help lists $verb" grep -q "^  $verb " out; done
check "and no other" [ "$(sed -n '/^$/,/^$/s/^  \([a-z]*\) .*/\1/p' out | wc -l)" = "$(echo $all | wc -w)" ]
for verb in $all; do
    "$BLOOMERY" $verb --help >page 2>err
    check "$verb --help has usage, options, two examples, exit codes" sh -c "
        grep -q '^usage: bloomery $verb' page && grep -q '^options:' page && grep -q '^exit: 0' page &&
        [ \$(sed -n '/^examples:/,/^exit/p' page | grep -c '^  .*bloomery $verb') = 2 ]"
done
run help grep
expect "help VERB" 0 "usage: bloomery grep"
run --version
expect "version" 0 "bloomery "
run build --version
expect "version after a verb" 0 "bloomery "
run
expect "no verb" 2 "--help"

# ---- nearest words --------------------------------------------------------------------------------------
run buidl
expect "a wrong verb" 2 "did you mean build?"
run gerp f.blm
expect "another wrong verb" 2 "did you mean grep?"
run frobnicate
expect "a verb that is near to none" 2 "no such verb"
run build -t blokced -o x.blm list
expect "a wrong kind" 2 "did you mean blocked?"
run kinds standart
expect "kinds: a wrong kind" 2 "did you mean standard?"
run build -t counting --set widht=4 -o x.blm list
expect "a wrong knob" 2 "did you mean width?"
run build -t counting --set width=99 -o x.blm list
expect "a knob out of range" 2 "width=99"
run build --sede 5 -o x.blm list
expect "a wrong option" 2 "did you mean --seed?"
run build -y -o x.blm list
expect "a wrong letter" 2 "no such option"
run build -o
expect "an option without its value" 2 "needs a value"
run build --force=yes -o x.blm list
expect "a flag with a value" 2 "takes no value"
run info
expect "too few words" 2 "usage: bloomery info"
run explain f.blm plum pear
expect "too many words" 2 "pear: unexpected argument"
check "and nothing was written" [ ! -e x.blm ]

# ---- numbers ----------------------------------------------------------------------------------------------
refuse() { # NAME WORD ARGS...
    local name=$1 word=$2
    shift 2
    run build -o x.blm "$@" list
    expect "$name" 2 "$word"
}
refuse "fpr 5" "did you mean 5% = 0.05?" -p 5
refuse "fpr 0" "-p 0:" -p 0
refuse "fpr 1" "-p 1:" -p 1
refuse "fpr NaN" "-p nan:" -p nan
refuse "fpr -1" "-p -1:" -p -1
refuse "fpr of a comma" "use a point, not a comma: 0.1" -p 0,1
refuse "0 keys" "-n 0" -n 0
refuse "-5 keys" "-n -5" -n -5
refuse "half a key" "whole number" -n 0.5
refuse "too many keys" "2^53" -n 1e17
refuse "a size past 2^60 bits" "2^60" -m 200000TiB
refuse "a size without a unit" "1000b" -m 1000
refuse "a size of nothing" "0B" -m 0B
refuse "0 hashes" "-k 0" -k 0
refuse "65 hashes" "-k 65" -k 65
refuse "a seed that is none" "seed" --seed 1e3
refuse "a seed past 64 bits" "18446744073709551615" --seed 18446744073709551616
check "and nothing was written" [ ! -e x.blm ]
for n in 1000 1e3 1k; do
    run build -q -n $n -p 0.1% -o n-$n.blm list
    run build -q -n $n -p 1/1000 -o p-$n.blm list
    check "-n $n, 0.1% and 1/1000 are the same numbers" sh -c "cmp n-1000.blm n-$n.blm && cmp n-1000.blm p-$n.blm"
done
LC_ALL=de_DE.UTF-8 LC_NUMERIC=de_DE.UTF-8 "$BLOOMERY" build -q -n 1000 -p 0.001 -o locale.blm list
check "whatever the locale" cmp n-1000.blm locale.blm

# ---- options anywhere, bundled, attached ------------------------------------------------------------------
run list build
expect "the verb comes first" 2 "no such verb"
run build list -n1000 -q -p 0.001 -o forms.blm
expect "options after operands, a value attached" 0
check "the same filter" cmp n-1000.blm forms.blm
run build -qFn1000 -o forms.blm --fpr 0.001 list
expect "letters bundled, a long option with a blank" 0
check "the same filter again" cmp n-1000.blm forms.blm
printf '%s\n' -v >dash
run build -q -o dash.blm -- dash
run test dash.blm -- -v
expect "-- ends the options" 0

# ---- kinds ---------------------------------------------------------------------------------------------------
run kinds
for kind in standard blocked split-block counting; do
    check "kinds lists $kind" grep -q "^$kind " out
    "$BLOOMERY" kinds $kind >page
    # shellcheck disable=SC2016
    check "the page of $kind has its five headings" sh -c '
        for word in QUESTION PICTURE COST CHOOSE PAPER; do grep -q "^ *$word" page || exit 1; done'
done
run kinds state-machine
expect "kinds state-machine" 0 'FORGETS   by steps'
run kinds --json
expect "kinds --json" 0 '{"kinds":[{"name":'
for key in group abilities knobs clocks static false_negatives; do check "kinds --json has $key" grep -q "\"$key\":" out; done
run kinds --markdown
# shellcheck disable=SC2016
expect "kinds --markdown" 0 '| `standard` |'
check "with a question in each row" sh -c "[ \$(grep -c '? |' out) = \$(( \$(wc -l <out) - 2 )) ]"
finish
