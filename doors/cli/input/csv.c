/* csv.c - CSV as RFC 4180 has it: quoted fields, "" inside them, newlines inside them.
 *
 * A field that begins with a quote is quoted; a quote further on in a bare field is a byte like any
 * other. Records end in LF or CR LF. One little machine finds where records end:
 *
 *      START --"--> QUOTED --"--> CLOSED --"--> QUOTED ("" is a quote)
 *        \--any--> BARE --delimiter--> START, newline: the record ends; CLOSED goes on as BARE
 */
#include <stdio.h>
#include <string.h>

#include "input/organs.h"

enum { START = 0, BARE, QUOTED, CLOSED };

static char after(char at, char c, char delimiter)
{
    if (at == QUOTED) return c == '"' ? CLOSED : QUOTED;
    if (c == '"' && at != BARE) return QUOTED; /* at the start, or doubled */
    return c == delimiter || c == '\n' ? START : BARE;
}

size_t csv_cut(csv_state *st, char delimiter, const char *p, size_t from, size_t to)
{
    size_t cut = 0;
    if (from < to && st->at != QUOTED && !memchr(p + from, '"', to - from)) {
        for (cut = to; cut > from && p[cut - 1] != '\n';) cut--;
        st->at = after(BARE, p[to - 1], delimiter);
        return cut > from ? cut : 0;
    }
    for (size_t i = from; i < to; i++) {
        const char was = st->at;
        st->at = after(was, p[i], delimiter);
        if (p[i] == '\n' && was != QUOTED) cut = i + 1;
    }
    return cut;
}

const char *csv_record_end(char delimiter, const char *p, const char *end, bool *open)
{
    const char *newline = memchr(p, '\n', (size_t)(end - p));
    const char *stop = newline ? newline : end;
    char at = START;
    *open = false;
    if (!memchr(p, '"', (size_t)(stop - p))) return stop;
    for (; p < end; p++) {
        if (*p == '\n' && at != QUOTED) return p;
        at = after(at, *p, delimiter);
    }
    *open = at == QUOTED;
    return end;
}

/* ---- fields ------------------------------------------------------------------------------------- */

typedef struct fields {
    const char *p, *end; /* p NULL: no field is left */
    char delimiter;
} fields;

static fields fields_of(char delimiter, const char *p, size_t n)
{
    if (n && p[n - 1] == '\r') n--;
    return (fields){p, p + n, delimiter};
}

/* The byte after the closing quote of the field at f->p, or NULL. *doubled: how many "" it has. */
static const char *behind_quotes(const fields *f, size_t *doubled)
{
    const char *p = f->p + 1;
    *doubled = 0;
    while ((p = p < f->end ? memchr(p, '"', (size_t)(f->end - p)) : NULL)) {
        if (p + 1 == f->end || p[1] != '"') return p + 1;
        ++*doubled;
        p += 2;
    }
    return NULL;
}

static size_t undouble(char *room, const char *p, const char *end)
{
    size_t n = 0;
    for (; p < end; p++) {
        room[n++] = *p;
        if (*p == '"') p++;
    }
    return n;
}

/* The next field; its bytes stand in the record, or in room when quotes inside were doubled. */
static found next_field(fields *f, char *room, const char **text, size_t *length, char why[WHY])
{
    if (!f->p) return ABSENT;
    const char *behind;
    size_t doubled = 0;
    if (f->p < f->end && *f->p == '"') {
        behind = behind_quotes(f, &doubled);
        if (!behind || (behind < f->end && *behind != f->delimiter)) {
            snprintf(why, WHY,
                     behind ? "text after the closing quote of a field; a quote inside a field "
                              "must be doubled"
                            : "a quoted field has no closing quote");
            return WRONG;
        }
        *text = doubled ? room : f->p + 1;
        *length =
            doubled ? undouble(room, f->p + 1, behind - 1) : (size_t)(behind - 1 - (f->p + 1));
    } else {
        behind = memchr(f->p, f->delimiter, (size_t)(f->end - f->p));
        if (!behind) behind = f->end;
        *text = f->p;
        *length = (size_t)(behind - f->p);
    }
    f->p = behind < f->end ? behind + 1 : NULL;
    return FOUND;
}

found csv_field(char delimiter, const char *p, size_t n, size_t column, char *room, line *l,
                char why[WHY])
{
    fields f = fields_of(delimiter, p, n);
    found got = f.p < f.end ? FOUND : ABSENT; /* a blank line is no record with an empty field */
    for (size_t i = 0; got == FOUND && i <= column; i++)
        got = next_field(&f, room, &l->key, &l->key_length, why);
    return got;
}

/* ---- the header ------------------------------------------------------------------------------------ */

#define NAMES_SHOWN 16
#define NAME_SHOWN  40

typedef struct names {
    char text[NAMES_SHOWN][NAME_SHOWN];
    const char *list[NAMES_SHOWN];
    size_t count, shown;
} names;

static void keep_name(names *k, const char *text, size_t length)
{
    k->count++;
    if (k->shown == NAMES_SHOWN) return;
    host_escape(k->text[k->shown], NAME_SHOWN, text, length);
    k->list[k->shown] = k->text[k->shown];
    k->shown++;
}

static void no_such_name(const names *k, const char *name, char why[WHY])
{
    const char *near = blm_nearest(name, k->list, k->shown);
    size_t used = (size_t)snprintf(why, WHY, "no column is named %.60s", name);
    if (near) used += (size_t)snprintf(why + used, WHY - used, "; did you mean %s?", near);
    used += (size_t)snprintf(why + used, WHY - used, "%s the header has", near ? "" : ";");
    for (size_t i = 0; i < k->shown && used < WHY - NAME_SHOWN - 32; i++)
        used += (size_t)snprintf(why + used, WHY - used, "%s %s", i ? "," : "", k->list[i]);
    if (k->count > k->shown || used >= WHY - NAME_SHOWN - 32)
        snprintf(why + used, WHY - used, ", ... (%zu in all)", k->count);
}

bool csv_column(char delimiter, const char *p, size_t n, const char *name, char *room,
                size_t *column, char why[WHY])
{
    const size_t mark = n >= 3 && memcmp(p, "\xef\xbb\xbf", 3) == 0 ? 3 : 0; /* of Excel */
    fields f = fields_of(delimiter, p + mark, n - mark);
    names known = {.count = 0};
    const char *text = NULL;
    size_t length = 0, matches = 0;
    found got;
    while ((got = next_field(&f, room, &text, &length, why)) == FOUND) {
        if (length == strlen(name) && memcmp(text, name, length) == 0 && !matches++)
            *column = known.count;
        keep_name(&known, text, length);
    }
    if (got == WRONG) return false;
    if (matches == 1) return true;
    if (matches)
        snprintf(why, WHY, "%zu columns are named %.60s; their names must be unique", matches,
                 name);
    else
        no_such_name(&known, name, why);
    return false;
}
