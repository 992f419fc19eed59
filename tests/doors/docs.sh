#!/usr/bin/env bash
# docs.sh - the generated pages are as the sources make them.
. "${SOURCE:?the source tree}/tests/doors/lib.bash" || exit 2

"$SOURCE/tools/docs.sh" --check "$PWD"
check "docs/format.md, docs/kinds/ and README.md are as tools/docs.sh makes them" test $? = 0

# What is out of date is named: in a copy of the tree, one word of a comment changes.
mkdir tree
cp -r "$SOURCE"/{docs,include,src,tests,tools,README.md} tree
sed -i '0,/QUESTION  Is /s//QUESTION  Was /' tree/src/kinds/standard.c
tree/tools/docs.sh --check "$PWD" > out 2> err
note $?
expect "a changed comment is noticed" 1 "docs/kinds/standard.md is not as"
expect "and the table of README.md" 1 "README.md is not as"
tree/tools/docs.sh "$PWD" > out 2> err
check "then all is well" tree/tools/docs.sh --check "$PWD"
check "the page says it" grep -q 'Was the key in the set' tree/docs/kinds/standard.md
finish
