/* fields.c - a LIST of fields as cut reads it: 2, 1,3, 2-4, 3-; in the order of the line, each once. */
#include <stdio.h>
#include <string.h>

#include "cli.h"

#define FIELD_MAX UINT64_C(1000000)

/* "3", "3-5" or "3-" at p; past it, or NULL. */
static const char *take_part(const char *p, field_range *out)
{
    size_t digits = strspn(p, "0123456789");
    if (!key_number(p, digits, &out->from)) return NULL;
    out->to = out->from;
    p += digits;
    if (*p != '-') return p;
    digits = strspn(++p, "0123456789");
    out->to = UINT64_MAX; /* to the end of the line */
    if (digits && !key_number(p, digits, &out->to)) return NULL;
    return p + digits;
}

/* By place; what touches is one range. Returns how many there are. */
static size_t in_order(field_range *f, size_t n)
{
    size_t kept = 1;
    for (size_t i = 1; i < n; i++)
        for (size_t j = i; j && f[j].from < f[j - 1].from; j--) {
            const field_range other = f[j];
            f[j] = f[j - 1];
            f[j - 1] = other;
        }
    for (size_t i = 1; i < n; i++) {
        field_range *last = &f[kept - 1];
        if (last->to != UINT64_MAX && f[i].from > last->to + 1)
            f[kept++] = f[i];
        else if (f[i].to > last->to)
            last->to = f[i].to;
    }
    return kept;
}

bool fields_parse(const char *text, fields_given *out, char *why, size_t room)
{
    fields_given f = {.n = 0};
    const char *p = text;
    for (;;) {
        field_range *part = &f.range[f.n];
        if (f.n == FIELDS_ROOM) {
            snprintf(why, room, "%.40s: give at most %d fields and ranges", text, FIELDS_ROOM);
            return false;
        }
        if (!(p = take_part(p, part)) || (*p && *p != ',')) break;
        if (part->from < 1 || part->from > FIELD_MAX || part->to < part->from ||
            (part->to > FIELD_MAX && part->to != UINT64_MAX)) {
            snprintf(why, room, "%.40s: must be from 1 to 1000000, and a range from low to high",
                     text);
            return false;
        }
        f.n++;
        if (!*p++) {
            f.n = in_order(f.range, f.n);
            *out = f;
            return true;
        }
    }
    snprintf(why, room, "%.40s: must be a field, or several as in cut: 2, 1,3 or 2-4", text);
    return false;
}
