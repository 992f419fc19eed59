#!/usr/bin/env bash
# Kinds that the program does not have, through the same words: numbers as keys, children, sections.
. "$(dirname "$0")/lib.bash"
if [ ! -x "${BLOOMERY_TOYS:-}" ]; then
    skip "toys" "the program with the toy kinds was not built"
    finish
fi
BLOOMERY=$BLOOMERY_TOYS
seq 500 >list
"$BLOOMERY" kinds --json >kinds.json
for kind in toy-map toy-ring toy-chain toy-range; do
    check "$kind is listed" grep -q "\"name\":\"$kind\"" kinds.json
    for n in "" "-n 600"; do
        # shellcheck disable=SC2086
        run build -qF -t $kind $n -o toy.blm list
        expect "$kind: build ${n:-without -n}" 0
        run verify --json --against list toy.blm
        expect "$kind: verify, every key asked" 0 '"asked":500'
        check "$kind: no false negatives" [ "$(json_of false_negatives)" = 0 ]
    done
    run info toy.blm
    expect "$kind: info" 0 "$kind"
done
run test toy.blm 7 700 seven
expect "numbers are asked as numbers, a word is none" 1 "$(printf '7\tmaybe')"
check "the others are not inside" cmp <(sed 1d out) <(printf '700\tno\nseven\tno\n')
echo seven | run_in build -qF -t toy-range -o toy.blm
expect "a word is no key of a kind of numbers" 2 "whole number"
finish
