#!/usr/bin/env bash
# help and completion: what the tables say, in three shells.
. "$(dirname "$0")/lib.bash"

# ---- help ---------------------------------------------------------------------------------------------
run help
expect "help is the list" 0 "usage: bloomery VERB"
cp out list
run --help
check "and so is --help" cmp out list
verbs=$(sed -n '/^$/,/^$/s/^  \([a-z]*\) .*/\1/p' list)
check "the list has verbs, help and completion among them" \
    sh -c 'echo "$1" | grep -qx build && echo "$1" | grep -qx help && echo "$1" | grep -qx completion' - "$verbs"
run help build
cp out page
run build --help
check "help VERB is VERB --help" cmp out page
run help buidl
expect "help of a wrong verb" 2 "did you mean build?"
run help build grep
expect "help of two" 2 "grep: unexpected argument"
run completion zhs
expect "a shell that has no script" 2 "did you mean zsh?"
run completion
expect "no shell" 2 "usage: bloomery completion bash|zsh|fish"

# ---- bash: the function is called as bash calls it -------------------------------------------------------
"$BLOOMERY" completion bash >c.bash
check "bash reads the script" bash -n c.bash
check "and stays silent" sh -c '[ -z "$(bash c.bash 2>&1)" ]'
mkdir folder
touch 'two words.txt' words.blm

offers() { # LINE: what TAB offers behind it, in bash
    # shellcheck disable=SC2016
    bash --norc -c '. ./c.bash; COMP_LINE=$1 COMP_POINT=${#1}; read -ra COMP_WORDS <<<"$1"
        COMP_CWORD=${#COMP_WORDS[@]}; _bloomery; printf "%s\n" "${COMPREPLY[@]}" | sort' - "$1" 2>&1
}
offer() { # NAME LINE WORDS...: exactly these
    local name=$1 line=$2
    shift 2
    offers "$line" >out 2>err
    printf '%s\n' "$@" | sort >want
    check "bash: $name" cmp out want
}
offer "a verb" "bloomery bu" build
# shellcheck disable=SC2086
offer "all verbs" "bloomery " $verbs
offer "an option" "bloomery build --f" --field --fnr --force --fpr
offer "an option of another verb is not offered" "bloomery grep --fo" ""
# shellcheck disable=SC2046
offer "kinds" "bloomery build -t " $("$BLOOMERY" kinds --json | grep -o '"name":"[a-z-]*","group"' | cut -d '"' -f 4)
offer "one kind" "bloomery build -q --kind stan" standard
offer "a kind behind =" "bloomery build --kind=bl" blocked
offer "a knob of that kind" "bloomery build -t counting --set wi" width=
offer "a knob, the kind behind =" "bloomery build --kind=counting --set " layout=line layout=spread width=
offer "no knob of a kind that has none" "bloomery build -t standard --set " ""
offer "the kind attached to its letter" "bloomery build -tstandard --set " ""
offer "the next one of a list" "bloomery plan --need merge,gr" merge,grow
offer "a list behind =" "bloomery plan --need=del" delete
offer "the next kind of a list" "bloomery bench --kinds standard,bl" standard,blocked
offer "an operand that is a kind" "bloomery kinds coun" count-min counter-braids counting
offer "an operand that is a verb" "bloomery help me" merge
offer "shells" "bloomery completion " bash fish zsh
offer "files" "bloomery grep words." words.blm
offer "files with blanks" "bloomery build -o x.blm two" "two words.txt"
offer "folders only" "bloomery demo --dir " folder
offer "nothing behind a number" "bloomery build -n " ""
offer "behind -- no options" "bloomery build -- --f" ""
for verb in $verbs; do
    "$BLOOMERY" "$verb" --help | sed -n '/^options:/,/^$/p' | grep -oE -- '^ +(-[a-zA-Z],)? *--[a-z-]+' |
        tr -s ', ' '\n' | grep . | sort -u >want
    offers "bloomery $verb -" | sort -u >out
    check "bash: every option of $verb is offered" cmp out want
done
if [ -x "$BUILD/tests/bloomery-toys" ]; then
    "$BUILD/tests/bloomery-toys" completion bash >toys.bash
    check "a further kind is offered by itself" grep -q '^_bloomery_kinds.* toy-ring ' toys.bash
fi

# ---- zsh: TAB in a real one, on a terminal ------------------------------------------------------------------
"$BLOOMERY" completion zsh >_bloomery
cat >tab.py <<'END'
# tab.py LINE: types LINE and TAB into zsh, then ends the line with a comment that shows what stands there.
import os, pty, sys, time, select
pid, fd = pty.fork()
if pid == 0:
    os.environ.update(TERM='dumb', PS1='> ', ZDOTDIR=os.getcwd())
    os.execvp('zsh', ['zsh', '-f', '-i'])
seen = b''
def until(what, seconds):
    global seen
    end = time.time() + seconds
    while what not in seen and time.time() < end:
        if select.select([fd], [], [], 0.1)[0]:
            try: seen += os.read(fd, 4096)
            except OSError: break
    return what in seen
os.write(fd, b"fpath=($PWD $fpath); autoload -U compinit; compinit -u -D; "
             b"bloomery() { print -r -- \"<$*>\" > typed; print don''e; }; print read''y\n")
until(b'ready', 20)
os.write(fd, sys.argv[1].encode() + b'\t')
time.sleep(0.6)
until(b'never', 0.2)
os.write(fd, b'\n')
until(b'done', 5)
os.write(fd, b'exit\n')
END
if ! command -v zsh >/dev/null; then
    skip "zsh" "it is not there"
elif ! command -v python3 >/dev/null; then
    skip "zsh on a terminal" "python3 is not there"
else
    check "zsh reads the script" zsh -n _bloomery
    typed() { # NAME LINE WANT
        python3 tab.py "$2" >zsh.out 2>&1
        check "zsh: $1" [ "$(cat typed)" = "<$3>" ]
        rm -f typed
    }
    typed "a verb" "bloomery bu" "build"
    typed "an option" "bloomery build --fo" "build --force"
    typed "a kind" "bloomery build -t st" "build -t standard"
    typed "a knob of that kind" "bloomery build -t counting --set wi" "build -t counting --set width="
    typed "no knob of a kind that has none" "bloomery build -t standard --set wi" "build -t standard --set wi"
    typed "the next one of a list" "bloomery plan --need merge,gr" "plan --need merge,grow"
    typed "a verb's name" "bloomery help ver" "help verify"
fi

# ---- fish has a call for it ------------------------------------------------------------------------------------
"$BLOOMERY" completion fish >c.fish
if ! command -v fish >/dev/null; then
    skip "fish" "it is not there"
else
    check "fish reads the script" fish -n c.fish
    fishes() { # NAME LINE WORDS...
        local name=$1 line=$2
        shift 2
        HOME=$work fish -c "source c.fish; complete -C '$line'" 2>err | cut -f 1 | sort >out
        [ $# = 0 ] && : >want || printf '%s\n' "$@" | sort >want
        check "fish: $name" cmp out want
    }
    fishes "a verb" "bloomery bu" build
    fishes "an option" "bloomery build --f" --field --fnr --force --fpr
    fishes "a kind" "bloomery build -t st" standard
    fishes "a knob of that kind" "bloomery build -t counting --set wi" width=
    fishes "no knob of a kind that has none" "bloomery build -t standard --set wi"
    fishes "the kind attached to its letter" "bloomery build -tstandard --set wi"
    fishes "the next one of a list" "bloomery plan --need merge,gr" merge,grow
    fishes "shells" "bloomery completion " bash fish zsh
    fishes "files" "bloomery grep words" words.blm
fi
finish
