#!/usr/bin/env bash
# docs.sh - the generated pages are as the sources and the measured rows make them.
. "${SOURCE:?the source tree}/tests/doors/lib.bash" || exit 2

# The tables are those of the library of this build. `make docs` compiles the sources anew.
export CC LIBRARY=$BUILD/libbloomery.a CFLAGS
CC=$(cached CMAKE_C_COMPILER) CFLAGS=$(link_flags | paste -sd ' ')

"$SOURCE/tools/docs.sh" --check "$PWD"
check "docs/format.md and docs/kinds/ are as tools/docs.sh makes them" test $? = 0

# What is out of date is named: in a copy of the tree, one word of the comment of one kind changes.
mkdir tree tree/tests
cp -r "$SOURCE"/{docs,include,src,tools} tree
cp -r "$SOURCE"/tests/golden tree/tests
sed -i '0,/QUESTION  Is /s//QUESTION  Was /' tree/src/kinds/membership/standard/standard.c
tree/tools/docs.sh --check "$PWD" > out 2> err
note $?
expect "a changed comment is noticed" 1 "docs/kinds/standard.md is not as"
expect "and the table of kinds" 1 "docs/kinds/README.md is not as"
check "no other page is named" test "$(grep -c 'is not as tools/docs.sh makes it' out)" = 2
check "and nothing was written" diff -r "$SOURCE/docs" tree/docs
tree/tools/docs.sh "$PWD" > out 2> err
check "then these two are written, and no others" test "$(sort out | paste -sd ' ')" = "wrote docs/kinds/README.md wrote docs/kinds/standard.md"
check "all is well then" tree/tools/docs.sh --check "$PWD"
check "the page says it" grep -q 'Was the key in the set' tree/docs/kinds/standard.md

# Opening, plot and README.md's table say what the rows of docs/benchmarks.md say.
check "what is said of the benches is as tools/bench_report makes it" "$SOURCE/tools/bench_report" --check
cp "$SOURCE/README.md" tree
sed -i 's/^\(uniq of 10M lines against sort -u .*\) 10\.55x /\1 11.55x /' tree/docs/benchmarks.md
tree/tools/bench_report --check > out 2> err
note $?
expect "a changed row is noticed" 1 "docs/benchmarks.md is not as"
expect "in the table of README.md" 1 "README.md is not as"
expect "and in the plot" 1 "docs/benchmarks.svg is not as"
check "then they are made anew" tree/tools/bench_report --again
check "with the factor of the row" grep -q '802 MiB | 11.6 |$' tree/README.md
sed -i '/^uniq of 10M lines against sort -u /d' tree/docs/benchmarks.md
tree/tools/bench_report --again > out 2> err
note $?
expect "without the row nothing is written" 2 'no row is named "uniq of 10M lines against sort -u"'
check "and README.md stays" grep -q '802 MiB | 11.6 |$' tree/README.md
finish
