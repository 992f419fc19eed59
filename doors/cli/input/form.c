/* form.c - the form of keys: what --hex, --lower and --crlf made of the text when a filter was built. The
 * image keeps it as words (blm_key_form), so that no later verb needs these options again, and none makes
 * keys of another form, which would get a certain no.
 *
 * Fields, columns and paths are not part of it: they belong to an input. Neither does --crlf of a later input
 * contradict anything: a CR before a newline is never part of what somebody meant by a key.
 */
#include <stdio.h>
#include <string.h>

#include "input/input.h"

typedef struct form {
    bool hex, lower, crlf;
} form;

static bool is_word(const char *p, size_t n, const char *word)
{
    return strlen(word) == n && memcmp(p, word, n) == 0;
}

/* False: a word that some other program put there. */
static bool read_form(const char *text, form *out)
{
    *out = (form){.hex = false};
    while (*text) {
        const size_t n = strcspn(text, " ");
        if (is_word(text, n, "hex"))
            out->hex = true;
        else if (is_word(text, n, "lower"))
            out->lower = true;
        else if (is_word(text, n, "crlf"))
            out->crlf = true;
        else
            return false;
        text += n + (text[n] == ' ');
    }
    return true;
}

ending form_apply(settings *s, const blm_filter *f, const char *path)
{
    form of;
    if (!read_form(blm_key_form(f), &of))
        return trouble("%s: its keys have the form \"%s\", which this program cannot produce; use "
                       "the program that built it",
                       path, blm_key_form(f));
    if ((of.hex && s->read.lower) || (of.lower && s->read.hex))
        return trouble("%s: its keys were read with --%s; leave --%s out", path,
                       of.hex ? "hex" : "lower", of.hex ? "lower" : "hex");
    s->read.hex |= of.hex;
    s->read.lower |= of.lower;
    s->read.crlf_of_image = of.crlf && !s->read.crlf;
    s->read.crlf |= of.crlf;
    return END_YES;
}

ending form_keep(const settings *s, blm_filter *f)
{
    char text[32];
    blm_report why = {BLM_OK, ""};
    const char *second = s->read.hex ? "hex" : s->read.lower ? "lower" : "";
    snprintf(text, sizeof text, "%s%s%s", s->read.crlf ? "crlf" : "",
             s->read.crlf && *second ? " " : "", second);
    const blm_err err = blm_set_key_form(f, text, &why);
    return err ? complain_why(NULL, err, &why) : END_YES;
}

ending form_extend(settings *s, blm_filter *f, const char *path)
{
    form of;
    blm_info now;
    blm_info_of(f, &now);
    const bool known = read_form(blm_key_form(f), &of);
    if (known && !now.adds && !*blm_key_form(f)) return form_keep(s, f);
    if (known && !of.hex && !of.lower && (s->read.hex || s->read.lower)) {
        const char *flag = s->read.hex ? "hex" : "lower";
        return trouble("%s: its keys were read without --%s; leave --%s out, or build another "
                       "filter",
                       path, flag, flag);
    }
    return form_apply(s, f, path);
}

/* Keys that came as hex go out as hex: their bytes may be a tab, a newline or worse. */
void key_show(const settings *s, const line *l)
{
    if (!s->read.hex) {
        out_bytes(l->key, l->key_length);
        return;
    }
    for (size_t i = 0; i < l->key_length; i++) out_text("%02x", (unsigned)(unsigned char)l->key[i]);
}
