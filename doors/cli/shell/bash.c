/* bash.c - what TAB offers in bash: tables as case lists, and one function that reads them. */
#include <stdio.h>
#include <string.h>

#include "shell/completion.h"

/* What the script's tables say for each `follows`, in their order. */
static const char *const table_word[] = {"none",  "files", "folders", "kinds",
                                         "knobs", "verbs", "words",   "list"};

static void print_options(const verb *v)
{
    const option *o;
    out_text("    %s) echo '", v->name);
    for
        EACH_OPTION(v, o)
        {
            if (o->letter) out_text("-%c ", o->letter);
            out_text("--%s ", o->name);
        }
    out_text("-h --help --version' ;;\n");
}

/* One word, and those that it needs. */
static void print_follows(follows what, const char *words)
{
    out_text("%s%s%s", table_word[what], words[0] ? " " : "", words);
}

static void print_values(const verb *v)
{
    const option *o;
    char words[WORDS_ROOM];
    for
        EACH_OPTION(v, o)
        {
            if (!o->value) continue;
            out_text("    '%s --%s'", v->name, o->name);
            if (o->letter) out_text(" | '%s -%c'", v->name, o->letter);
            out_text(") echo '");
            print_follows(follows_option(o, words), words);
            out_text("' ;;\n");
        }
}

static void print_operands(const verb *v)
{
    char words[WORDS_ROOM];
    out_text("    %s) echo '", v->name);
    print_follows(follows_verb(v, words), words);
    out_text("' ;;\n");
}

static void print_verbs(const char *function, void (*row)(const verb *v), const char *subject)
{
    const verb *v;
    out_text("%s() {\n    case %s in\n", function, subject);
    for
        EACH_VERB(v) row(v);
    out_text("    esac\n}\n");
}

static void print_knobs(void)
{
    blm_kind_info k;
    out_text("_bloomery_knobs() { # KIND\n    case $1 in\n");
    for (size_t i = 0; blm_kind_at(i, &k); i++) {
        out_text("    %s) echo '", k.name);
        each_knob(k.name, "%s ");
        out_text("' ;;\n");
    }
    out_text("    *) echo '");
    each_knob(NULL, "%s ");
    out_text("' ;;\n    esac\n}\n");
}

/* bash cuts words at = and :, so the line is read again; and it replaces only what stands after the
 * last =, so that much is taken off each offer. */
static const char body[] =
    "_bloomery_offer() { # WHAT TYPED KIND [WORDS...]\n"
    "    local what=$1 typed=$2 kind=$3 head='' offers=''\n"
    "    shift 3\n"
    "    case $what in\n"
    "    files | folders)\n"
    "        compopt -o filenames 2>/dev/null\n"
    "        [ $what = files ] && what=-f || what=-d\n"
    "        mapfile -t COMPREPLY < <(compgen $what -- \"$typed\")\n"
    "        return ;;\n"
    "    kinds) offers=$(_bloomery_kinds) ;;\n"
    "    knobs) offers=$(_bloomery_knobs \"$kind\"); compopt -o nospace 2>/dev/null ;;\n"
    "    verbs) offers=$(_bloomery_verbs) ;;\n"
    "    words) offers=$* ;;\n"
    "    list) offers=$* head=${typed%\"${typed##*,}\"} typed=${typed##*,} ;;\n"
    "    esac\n"
    "    mapfile -t COMPREPLY < <(compgen -P \"$head\" -W \"$offers\" -- \"$typed\")\n"
    "    case $typed in *=*) COMPREPLY=(\"${COMPREPLY[@]#\"${typed%\"${typed##*=}\"}\"}\") ;; "
    "esac\n"
    "}\n"
    "_bloomery() {\n"
    "    local line=${COMP_LINE:0:COMP_POINT} words=() word verb typed kind='' what='' "
    "open=1 i\n"
    "    COMPREPLY=()\n"
    "    read -ra words <<<\"$line\"\n"
    "    case $line in *[[:blank:]]) words+=('') ;; esac\n"
    "    typed=${words[${#words[@]} - 1]}\n"
    "    if [ ${#words[@]} -le 2 ]; then\n"
    "        case $typed in -*) _bloomery_offer words \"$typed\" '' --help --version ;;\n"
    "        *) _bloomery_offer verbs \"$typed\" '' ;; esac\n"
    "        return\n"
    "    fi\n"
    "    verb=${words[1]}\n"
    "    for ((i = 2; i < ${#words[@]} - 1; i++)); do\n"
    "        word=${words[i]}\n"
    "        [ \"$what\" = kinds ] && kind=$word\n"
    "        if [ -n \"$what\" ] || [ $open = 0 ]; then what=''; continue; fi\n"
    "        case $word in\n"
    "        --) open=0 ;;\n"
    "        --*=*) [ \"$(_bloomery_value \"$verb ${word%%=*}\")\" = kinds ] && kind=${word#*=} "
    ";;\n"
    "        -[!-]?*) [ \"$(_bloomery_value \"$verb ${word:0:2}\")\" = kinds ] && kind=${word:2} "
    ";;\n"
    "        -*) what=$(_bloomery_value \"$verb $word\") ;;\n"
    "        esac\n"
    "    done\n"
    "    if [ -n \"$what\" ]; then\n"
    "        _bloomery_offer \"${what%% *}\" \"$typed\" \"$kind\" ${what#* }\n"
    "        return\n"
    "    fi\n"
    "    case $open$typed in\n"
    "    1--*=*)\n"
    "        what=$(_bloomery_value \"$verb ${typed%%=*}\")\n"
    "        _bloomery_offer \"${what%% *}\" \"${typed#*=}\" \"$kind\" ${what#* } ;;\n"
    "    1-*) _bloomery_offer words \"$typed\" '' \"$(_bloomery_options \"$verb\")\" ;;\n"
    "    *)\n"
    "        what=$(_bloomery_operands \"$verb\")\n"
    "        _bloomery_offer \"${what%% *}\" \"$typed\" '' ${what#* } ;;\n"
    "    esac\n"
    "}\n"
    "complete -F _bloomery bloomery\n";

void completion_bash(void)
{
    const verb *v;
    out_text("# bash completion of bloomery %s, made by: bloomery completion bash\n",
             blm_version());
    out_text("_bloomery_verbs() { echo '");
    for
        EACH_VERB(v) out_text("%s ", v->name);
    out_text("'; }\n_bloomery_kinds() { echo '");
    each_kind("%s ");
    out_text("'; }\n");
    print_knobs();
    print_verbs("_bloomery_options", print_options, "$1");
    print_verbs("_bloomery_value", print_values, "$1");
    print_verbs("_bloomery_operands", print_operands, "$1");
    out_bytes(body, sizeof body - 1);
}
