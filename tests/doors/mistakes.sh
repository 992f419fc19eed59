#!/usr/bin/env bash
# Ordinary mistakes, through the program itself: each ends with the right exit code and with words that say what to type.
. "$(dirname "$0")/lib.bash"
seq 100 >list
seq 50 150 >other
printf 'user,host\nplum,a\npear,b\n' >table
echo plum >user5
run build -q -o m.blm list
run build -q -t counting -n 1000 -o c.blm list
n=0
wrong() { # CODE WORDS ARGS...: the program is called with ARGS, ends with CODE and says WORDS
    local code=$1 words=$2
    shift 2
    n=$((n + 1))
    run "$@"
    expect "$n. bloomery $*" "$code" "$words"
}

# ---- grep, uniq and cut have it so ----------------------------------------------------------------------
wrong 2 "name the file without -f: bloomery grep m.blm ..." grep -f m.blm list
wrong 2 "name the file without -f: bloomery build list ..." build -o x.blm -f list
wrong 2 "use --lower" grep -i m.blm list
wrong 2 "keys are plain text, not patterns" grep -e 5 m.blm list
wrong 2 "leave it out" grep -F m.blm list
wrong 2 "the key is always the whole line" grep -x m.blm list
wrong 2 "find DIR -type f -exec bloomery grep FILE {} +" grep -r m.blm .
wrong 2 "use -z for records that end in a NUL byte" grep -0 m.blm list
wrong 2 "use --repeated" uniq -d list
wrong 2 "use --repeated" uniq -d
wrong 2 "use --repeated" uniq -D list
wrong 2 "use --lower" uniq -i list
wrong 2 "did you mean --lower?" uniq --ignore-case list
wrong 2 "cut -c LIST INPUT |" build -b 1-3 -o x.blm list
wrong 2 "use --no-key drop" top -s list
wrong 2 "removes keys from a filter, not files" rm -r c.blm
wrong 2 "bloomery grep -v FILE INPUT" test -v m.blm 5
wrong 2 "-d ,: also choose the field that is the key: -f N" build -d , -o x.blm table

# ---- a key that comes more often than it can be in the set --------------------------------------------------
for _ in {1..20}; do echo plum; done >often
wrong 4 "in all 8 slots of its two buckets; use twins=once" build -t cuckoo -n 100 -o x.blm often
check "more room is none for it, and is not advised" [ "$(grep -c "use -n" err)" = 0 ]
check "nothing is written" [ ! -e x.blm ]
run build -t cuckoo --set twins=once -n 100 -o twins.blm often
expect "as it said" 0 "about 1 distinct"

# ---- words of other programs ------------------------------------------------------------------------------
for pair in create=build insert=add check=test contains=test remove=rm delete=rm dedup=uniq union=merge stats=info; do
    wrong 2 "did you mean ${pair#*=}?" "${pair%=*}" m.blm
done
wrong 2 "no such verb (bloomery --help lists them)" frobnicate m.blm
wrong 2 "-t cuckoofilter: no such kind; did you mean cuckoo?" build -t cuckoofilter -o x.blm list
wrong 2 "-t bloom: no such kind; did you mean standard?" plan -t bloom -n 5
wrong 2 "cbf: no such kind; did you mean counting?" kinds cbf
wrong 2 "-t xyzzy: no such kind (bloomery kinds lists them)" build -t xyzzy -o x.blm list
wrong 2 "did you mean --fpr?" build --error-rate 1% -o x.blm list
wrong 2 "did you mean --keys?" build --capacity 1000 -o x.blm list
wrong 2 "did you mean --out?" build --output x.blm list

# ---- numbers and dashes --------------------------------------------------------------------------------------
wrong 2 "-p 0,1%: use a point, not a comma: 0.1%" build -p 0,1% -o x.blm list
wrong 2 "did you mean 5% = 0.05?" build -p 5 -o x.blm list
wrong 2 "-n 1,000,000: write the number without commas" build -n 1,000,000 -o x.blm list
wrong 2 "write 64b for bits, 64B for bytes" build -m 64 -o x.blm list
wrong 2 "-out: a long option has two dashes: --out" build -out x.blm list
wrong 2 "-keys=5: a long option has two dashes: --keys=5" build -keys=5 -o x.blm list
wrong 2 "-ox.blm: -o takes the next argument: -o FILE" build -ox.blm list
check "and no file is named ut, or x.blm" [ ! -e ut -a ! -e x.blm ]
wrong 0 "warning: -p 0.9: a filter that answers maybe to more than half" build -p 0.9 -o high.blm list
run build -q -p 0.5 -o half.blm list
check "-p 0.5 is not warned about" [ ! -s err ]

# ---- arguments ----------------------------------------------------------------------------------------------------
wrong 2 "user5: this is the name of a file; use -i to read its lines as keys, or put it after --" add m.blm user5
wrong 1 "note: user5 is the name of a file, but is used as a key; use -i" test m.blm user5
wrong 2 "missing argument; usage: bloomery grep" grep
wrong 2 "missing argument; usage: bloomery add" add
wrong 2 "-o FILE" build list
wrong 2 "none.blm: no such file (bloomery build -o none.blm makes a filter)" add none.blm 5
wrong 3 "m.blm is a filter, and FILE must come first; did you swap the two?" grep list m.blm
wrong 3 "m.blm is a filter, and FILE must come first; did you swap the two?" add -i list m.blm
wrong 2 "this is a filter" build -o x.blm m.blm
wrong 2 "put a KEY that begins with - after --" test m.blm -5
wrong 1 "-5" test m.blm -- -5
wrong 2 "-q: missing key, so there is no answer" test -q m.blm
wrong 2 "the verb must come first" -v grep m.blm
wrong 2 "-F" build -o m.blm other
gzip -k m.blm
wrong 3 "gzip -dc m.blm.gz | bloomery test - ..." test m.blm.gz 5
run build -q -n 5000 -o large.blm other
wrong 5 "build both with -n 5000 -p 0.001" merge -o x.blm m.blm large.blm
wrong 2 "put the FILEs before -- and the KEYs after it" test -a m.blm c.blm 5
run verify -q --json m.blm
check "verify -q: not even JSON" [ ! -s out ]
run verify -q m.blm
expect "verify -q says it by its exit code" 0
check "and prints nothing" [ ! -s out -a ! -s err ]
check "at least forty mistakes ($n)" [ $n -ge 40 ]
finish
