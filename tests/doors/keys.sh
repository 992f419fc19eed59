#!/usr/bin/env bash
# Keys as arguments, as lines of INPUTs (-i), as lines of standard input: add, rm, deny, test and count take them alike.
. "$(dirname "$0")/lib.bash"
tab=$(printf '\t')
printf 'plum\npear\nfig\n' >fruit
seq 100 >list
run build -q -t counting -n 1000 -p 1e-6 -o empty.blm </dev/null
run build -q -t counting -n 1000 -p 1e-6 -o all.blm fruit list
run build -q -t counting -n 1000 -p 1e-6 -o fruit.blm fruit

# ---- three ways in, one result ------------------------------------------------------------------------
cp empty.blm words.blm
cp empty.blm inputs.blm
cp empty.blm stdin.blm
run add words.blm plum pear fig
expect "add KEY..." 0 "3 keys added"
run add -i inputs.blm fruit
expect "add -i INPUT" 0 "3 keys added"
run_in add stdin.blm <fruit
expect "add of standard input" 0 "3 keys added"
check "the same filter by arguments" cmp words.blm fruit.blm
check "by an input" cmp inputs.blm fruit.blm
check "by standard input" cmp stdin.blm fruit.blm
run add -q -i stdin.blm - </dev/null
expect "add -i FILE -: standard input" 0
run add words.blm figs
expect "one key is a key" 0 "1 key added"
for way in words inputs stdin; do
    cp all.blm rm.blm
    case $way in
    words) run rm rm.blm plum pear fig ;;
    inputs) run rm -i rm.blm fruit ;;
    stdin) run_in rm rm.blm <fruit ;;
    esac
    expect "rm by $way" 0 "3 keys removed"
    run test -q rm.blm plum
    expect "and they are out" 1
    cp fruit.blm deny.blm
    case $way in
    words) run deny deny.blm plum pear fig ;;
    inputs) run deny -i deny.blm fruit ;;
    stdin) run_in deny deny.blm <fruit ;;
    esac
    expect "deny by $way" 0 "3 keys denied"
    case $way in
    words) run test fruit.blm plum pear fig ;;
    inputs) run test -i fruit.blm fruit ;;
    stdin) run_in test fruit.blm <fruit ;;
    esac
    check "test by $way" cmp out <(sed "s/\$/${tab}maybe/" fruit)
    case $way in
    words) run count fruit.blm plum pear fig ;;
    inputs) run count -i fruit.blm fruit ;;
    stdin) run_in count fruit.blm <fruit ;;
    esac
    check "count by $way" cmp out <(sed "s/\$/${tab}1/" fruit)
done
run test -i -d, -f2 fruit.blm <(sed 's/^/x,/' fruit)
expect "-i with a field" 0 "plum${tab}maybe"
run test -f 2 fruit.blm plum
expect "a field of a KEY" 2 "-f applies to the lines of an input (-i, or standard input)"
run test -i fruit.blm nowhere
expect "an INPUT that is not there" 2 "nowhere"

# ---- a KEY that names a file -----------------------------------------------------------------------------
echo plum >user5
for verb in add rm deny; do
    cp fruit.blm kept.blm
    run $verb kept.blm user5
    expect "$verb refuses a KEY that names a file" 2 "user5: this is the name of a file; use -i to read its lines as keys, or put it after --"
    check "$verb: and nothing has changed" cmp kept.blm fruit.blm
    run $verb kept.blm plum -
    expect "$verb refuses -" 2 "leave it out to read standard input"
done
run add kept.blm -- user5
expect "after -- it is a KEY" 0 "1 key added"
run test -q kept.blm -- user5
expect "and it is in the set" 0
check "without a note" [ ! -s err ]
for verb in test count; do
    run $verb fruit.blm user5 plum
    expect "$verb: a note" 1 "note: user5 is the name of a file, but is used as a key; use -i"
    check "$verb answers all the same" cmp <(wc -l <out) <(echo 2)
    run $verb fruit.blm -- user5
    check "$verb: no note after --" [ ! -s err ]
done

# ---- the filter by a pipe ----------------------------------------------------------------------------------
for verb in add rm deny test count; do
    run_in $verb - <fruit.blm
    expect "$verb: filter and keys by one pipe" 2 "so name the KEYs, or INPUT files with -i"
    run_in $verb -i - - <fruit.blm
    expect "$verb -i: filter and keys by one pipe" 2 "so name the KEYs, or INPUT files with -i"
done
"$BLOOMERY" add -q - figs <fruit.blm 2>err | "$BLOOMERY" test - figs >out
check "add KEY to a pipe" cmp out <(echo "figs${tab}maybe")

# ---- over capacity, by words ---------------------------------------------------------------------------------
run build -q -n 10 -o small.blm </dev/null
cp small.blm kept.blm
# shellcheck disable=SC2046
run add small.blm $(seq 60)
expect "too many KEYs" 4 "60 more came: build a new filter with -n"
check "and the filter is as it was" cmp small.blm kept.blm
finish
