#!/usr/bin/env bash
# How keys were read is kept in the image: what build was told of hex digits, case and line ends, no later verb
# needs to be told again, and no verb makes keys of another form.
. "$(dirname "$0")/lib.bash"
tab=$(printf '\t')
printf '706C756d\n00ff\n' >digits
printf 'Plum\nPEAR\n' >names
printf 'plum\r\npear\r\n' >dos

# ---- every verb that takes keys applies the form ------------------------------------------------------------
run build -q --hex -t counting -n 10 -p 1e-6 -o hex.blm digits
run build -q --lower -t counting -n 10 -p 1e-6 -o low.blm names
run build -q --crlf -t counting -n 10 -p 1e-6 -o dos.blm dos
run build -q -t counting -n 10 -p 1e-6 -o plain.blm names
run test hex.blm 706c756D 00FF
expect "test: KEYs in hex" 0 "706c756d${tab}maybe"
run_in test hex.blm <digits
expect "test: lines in hex" 0 "00ff${tab}maybe"
run test hex.blm plum
expect "test: a key of another form is no certain no" 2 "plum"
run test low.blm plum PLUM pEaR
expect "test: any case" 0
run_in test dos.blm <dos
expect "test: lines with a CR" 0
run test dos.blm plum pear
expect "test: KEYs have no line end" 0
run test --hex hex.blm 706c756D
expect "the same flag again is fine" 0
run grep -c hex.blm digits
check "grep" cmp out <(echo 2)
run grep -c --confirm digits hex.blm digits
check "grep --confirm" cmp out <(echo 2)
printf 'x,PLUM\n' | run_in grep -d, -f2 low.blm
expect "grep by a field, which belongs to the input" 0 "x,PLUM"
run count hex.blm 706C756D
expect "count" 0 "706c756d${tab}1"
run explain low.blm PLUM
expect "explain" 0 maybe
run explain hex.blm xy
expect "explain: no hex" 2 "xy"
for f in hex:digits low:names dos:dos; do
    run verify "${f%%:*}.blm" --probes 100000 --against "${f#*:}"
    expect "verify --against: ${f%%:*}" 0 "false negatives  0 of 2 keys"
done
run info hex.blm
expect "info" 0 "key form    hex"
run info --json low.blm
expect "info --json" 0 '"key_form":"lower"'
run info --json plain.blm
expect "info --json: none" 0 '"key_form":""'
cp hex.blm h2.blm
printf '6669g\n' | run_in add -i h2.blm
expect "add: no hex" 2 "6669g"
check "and the file stays as it was" cmp hex.blm h2.blm
echo 666967 | run_in add -i -q h2.blm
run test h2.blm 666967
expect "add" 0
echo 666967 | run_in rm -i -q h2.blm
run test h2.blm 666967
expect "rm" 1
run deny h2.blm 706c756d
expect "deny" 0 "1 key denied"

# ---- contradictions ---------------------------------------------------------------------------------------------
for words in "test --lower hex.blm 00" "grep --lower hex.blm digits" "add -i --lower hex.blm digits" "rm -i --lower hex.blm digits" \
    "count --lower hex.blm 00" "explain --lower hex.blm 00" "verify --lower hex.blm --against digits" "deny --lower hex.blm 00"; do
    # shellcheck disable=SC2086
    run $words
    expect "${words%% *} --lower of keys in hex" 2 "hex.blm: its keys were read with --hex; leave --lower out"
done
run test --hex low.blm 00
expect "test --hex of keys in lower case" 2 "low.blm: its keys were read with --lower; leave --hex out"
cp plain.blm before.blm
for flag in --hex --lower; do
    run add -i $flag plain.blm digits
    expect "add $flag to keys that were read as they are" 2 "plain.blm: its keys were read without $flag"
    check "add $flag: the file stays as it was" cmp plain.blm before.blm
done
run add -i --lower dos.blm names
expect "add --lower to keys with a CR" 2 "dos.blm: its keys were read without --lower"
run add -i -q --crlf plain.blm dos
expect "lines of the input may end as they like" 0
run test plain.blm plum pear
expect "and are the same keys" 0
run test --lower plain.blm PLUM
expect "a question may be put in lower case" 0
run build -q -n 10 -t counting -o empty.blm /dev/null
run add -i -q --hex empty.blm digits
run test empty.blm 706C756d
expect "the first keys give an empty filter its form" 0

# ---- forms that others have written -------------------------------------------------------------------------------
check "the forge compiles" build_forge
check "an image of another form is made" ./forge form hex.blm nfc.blm nfc
for words in "test nfc.blm 00" "grep nfc.blm digits" "add -i nfc.blm digits" "rm -i nfc.blm digits" "count nfc.blm 00" "explain nfc.blm 00" \
    "verify nfc.blm --against digits" "deny nfc.blm 00"; do
    # shellcheck disable=SC2086
    run $words
    expect "${words%% *}: a form that we cannot make is no certain no" 2 'nfc.blm: its keys have the form "nfc"'
done
run verify --probes 1e5 nfc.blm
expect "verify without a list needs no keys" 0 "checksum         ok"
run info nfc.blm
expect "info shows it" 0 "key form    nfc"
check "hostile ones are made" ./forge form hex.blm bad.blm "$(printf 'h\033x')"
run info bad.blm
expect "a form with a control byte is refused" 3 "forged: a key form"
./forge form hex.blm bad.blm Hex
run test bad.blm 00
expect "so is one with a capital" 3 "forged: a key form"

# ---- two filters ---------------------------------------------------------------------------------------------------
for kind in standard counting; do
    run build -q --hex -t $kind -n 10 -p 1e-6 -F -o a.blm digits
    run build -q -t $kind -n 10 -p 1e-6 -F -o b.blm digits
    run build -q --hex -t $kind -n 10 -p 1e-6 -F -o c.blm digits
    for verb in merge intersect; do
        [ "$verb $kind" = "intersect counting" ] && continue
        run $verb -F -o x.blm a.blm b.blm
        expect "$kind: $verb of two forms" 5 "the form of the keys differs: hex and plain"
        run $verb -q -F -o x.blm a.blm c.blm
        expect "$kind: $verb of one form" 0
        run test x.blm 706c756d
        expect "$kind: the result has it too" 0
    done
done
run build -q --hex -t standard -n 1000 -m 65536b -o even.blm digits
run fold -q -o half.blm even.blm
run test half.blm 706c756d
expect "fold keeps it" 0
run build -q -o p.blm names
run build -q --lower -o l.blm names
check "the image of plain keys has no trace of it" sh -c '! grep -q lower p.blm && grep -q lower l.blm'
"$BLOOMERY" build -q --hex -n 10 -t counting -p 1e-6 -o - digits >pipe.blm
echo 666967 >later
"$BLOOMERY" add -i -q - later <pipe.blm >pipe2.blm
run test pipe2.blm 666967 706c756d
expect "a pipe keeps it" 0
finish
