/* manual.c - the pages of section 1, made from the tables as the help is. No day stands on them:
 * the same sources give the same pages. */
#include <ctype.h>
#include <string.h>

#include "shell/help.h"

/* ---- roff ---------------------------------------------------------------------------------------- */

static const char *roff_of(char c)
{
    switch (c) {
    case '\\':
        return "\\e";
    case '-':
        return "\\-";
    case '\'':
        return "\\(aq";
    case '`':
        return "\\(ga";
    case '^':
        return "\\(ha";
    case '~':
        return "\\(ti";
    default:
        return NULL;
    }
}

/* Text that roff shows as it is; a dot at the start of a line would be a request. */
static void put_text(const char *text)
{
    bool first = true;
    for (; *text; text++) {
        const char *roff = roff_of(*text);
        if (first && *text == '.') out_text("\\&");
        if (roff)
            out_text("%s", roff);
        else
            out_bytes(text, 1);
        first = *text == '\n';
    }
}

static void put_upper(const char *text)
{
    for (; *text; text++) {
        const char c = (char)toupper((unsigned char)*text);
        out_bytes(&c, 1);
    }
}

static void put_title(const char *verb_name)
{
    out_text(".\\\" Made by: bloomery help --man%s%s\n.TH \"BLOOMERY", verb_name ? " " : "",
             verb_name ? verb_name : "");
    if (verb_name) out_text("\\-"), put_upper(verb_name);
    out_text("\" \"1\" \"\" \"bloomery %s\" \"Bloomery\"\n", blm_version());
}

/* ---- a verb --------------------------------------------------------------------------------------- */

static void put_option(const option *o)
{
    out_text(".TP\n");
    if (o->letter) out_text("\\fB\\-%c\\fR, ", o->letter);
    out_text("\\fB");
    put_text("--");
    put_text(o->name);
    out_text("\\fR");
    if (o->value) {
        out_text(" \\fI");
        put_text(o->value);
        out_text("\\fR");
    }
    out_text("\n");
    put_text(o->help);
    out_text("\n");
}

static void put_options(const verb *v)
{
    static const option common[] = {
        {'h', "help", NULL, "show the help and exit", TAKE_FLAG, 0, 0, 0},
        {0, "version", NULL, "show the version and exit", TAKE_FLAG, 0, 0, 0}};
    const option *o;
    out_text(".SH OPTIONS\n");
    for (size_t i = 0; (o = option_at(v, i)); i++) put_option(o);
    for (size_t i = 0; i < COUNT_OF(common); i++) put_option(&common[i]);
}

/* "0 written, 2 usage or I/O": a number starts a row, whatever commas the words have. */
static void put_endings(const char *endings)
{
    const char *p = endings;
    out_text(".SH EXIT STATUS\n");
    while (*p) {
        const char *end = p;
        while (*end && !(end[0] == ',' && end[1] == ' ' && isdigit((unsigned char)end[2]))) end++;
        const size_t number = strspn(p, "0123456789");
        char rest[512];
        const size_t n = (size_t)(end - p) - number;
        memcpy(rest, p + number, n < sizeof rest ? n : sizeof rest - 1);
        rest[n < sizeof rest ? n : sizeof rest - 1] = 0;
        out_text(".TP\n\\fB%.*s\\fR\n", (int)number, p);
        put_text(rest + strspn(rest, " "));
        out_text("\n");
        p = *end ? end + 2 : end;
    }
}

void manual_verb(const verb *v)
{
    char room[TEXT_ROOM];
    put_title(v->name);
    out_text(".SH NAME\nbloomery\\-%s \\- ", v->name);
    put_text(v->about);
    out_text("\n.SH SYNOPSIS\n.B bloomery\n");
    put_text(v->usage);
    out_text("\n.SH DESCRIPTION\n");
    put_text(verb_text(v, room));
    out_text("\n");
    put_options(v);
    put_endings(v->endings);
    out_text(".SH EXAMPLES\n");
    for (size_t i = 0; i < COUNT_OF(v->examples); i++) {
        out_text("%s.EX\n", i ? ".PP\n" : "");
        put_text(v->examples[i]);
        out_text("\n.EE\n");
    }
    out_text(".SH SEE ALSO\n.BR bloomery (1),\n.BR bloomery (5)\n");
}

/* ---- the program ------------------------------------------------------------------------------------ */

static const char description[] =
    "Filters that answer \"could this key be in the set?\" in a few bits per key: a \"no\" is "
    "certain, a \"maybe\" is wrong at a known rate. Each verb has its own manual page\n"
    "and bloomery VERB --help.";

static const char manners[] =
    "A key is one line, without its newline, of standard input or of the named files; - is "
    "standard input. An empty line is a key, and a CR is part of the key unless --crlf is given. "
    "Options may come anywhere and can be bundled (-vc); -- ends them.";

static const char results[] =
    "Standard output has results only; a summary line and, on a terminal after two seconds, a "
    "progress bar go to standard error. No file is overwritten without -F, and after an interrupt "
    "the old file is still there.";

void manual_all(void)
{
    const verb *v;
    put_title(NULL);
    out_text(".SH NAME\nbloomery \\- Bloom filters of every kind, from the shell\n"
             ".SH SYNOPSIS\n.B bloomery\n.I VERB\n\\&...\n.SH DESCRIPTION\n");
    put_text(description);
    out_text("\n.SH VERBS\n");
    for
        EACH_VERB(v)
        {
            out_text(".TP\n.BR bloomery\\-%s (1)\n", v->name);
            put_text(v->about);
            out_text("\n");
        }
    out_text(".SH KEYS AND OPTIONS\n");
    put_text(manners);
    out_text("\n.PP\n");
    put_text(help_numbers);
    out_text("\n.PP\n");
    put_text(results);
    out_text("\n.SH EXIT STATUS\n");
    for (size_t i = 0; help_exit[i]; i++) out_text(".TP\n\\fB%zu\\fR\n%s\n", i, help_exit[i]);
    out_text(".SH ENVIRONMENT\n"
             ".TP\n"
             ".B TMPDIR\n"
             "folder for temporary files\n"
             ".SH SEE ALSO\n"
             ".BR bloomery (3),\n"
             ".BR bloomery (5)\n");
}
