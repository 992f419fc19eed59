/* files.c - what a run leaves behind: its rows as CSV. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "lab.h"

bool lab_file_at(const lab_experiment *e, const char *dir, size_t i, char path[LAB_PATH])
{
    static const char *const ends[] = {"csv", "svg", "png"};
    size_t plots = 0;
    while (e->plots && e->plots[plots].name) plots++;
    if (i > 3 * plots) return false;
    if (i == 0)
        snprintf(path, LAB_PATH, "%s/%s.csv", dir, e->name);
    else
        snprintf(path, LAB_PATH, "%s/%s-%s.%s", dir, e->name, e->plots[(i - 1) / 3].name,
                 ends[(i - 1) % 3]);
    return true;
}

/* A quote inside is doubled. */
static void put_text(FILE *out, const char *text)
{
    putc('"', out);
    for (; *text; text++) {
        if (*text == '"') putc('"', out);
        putc(*text, out);
    }
    putc('"', out);
}

/* Nothing between two commas: there is no such number. */
static void put_number(FILE *out, double v)
{
    if (isfinite(v))
        fprintf(out, ",%.10g", v);
    else
        putc(',', out);
}

static void put_claim(FILE *out, double v) { put_number(out, v != 0 ? v : NAN); }

/* All that the verdict depends on. */
static void put_row(FILE *out, const char *part, const lab_row *r)
{
    const lab_claim *c = &r->claim;
    const lab_number *n = &r->measured;
    put_text(out, part);
    putc(',', out);
    put_text(out, r->what);
    put_claim(out, c->expected);
    put_claim(out, c->within);
    put_claim(out, c->at_least);
    put_claim(out, c->at_most);
    put_number(out, r->formula[0]);
    put_number(out, r->formula[1]);
    put_number(out, n->value);
    put_number(out, n->low);
    put_number(out, n->high);
    put_number(out, n->lowest);
    put_number(out, n->highest);
    fprintf(out, ",%s", c->known.id ? c->known.id : "");
    put_claim(out, c->known.size);
    put_claim(out, c->known.tolerance);
    fprintf(out, ",%s\n", lab_verdict_name(r->verdict));
}

bool lab_write_csv(const lab_experiment *e, const lab_result *r, const char *dir, char why[240])
{
    char path[LAB_PATH];
    lab_file_at(e, dir, 0, path);
    FILE *out = fopen(path, "w");
    if (out) {
        fprintf(out, "part,row,expected,within,at_least,at_most,formula_low,formula_high,"
                     "measured,low,high,lowest,highest,known,size,tolerance,verdict\n");
        for (size_t i = 0; i < r->nsheets; i++)
            for (size_t j = 0; j < r->sheets[i].nrows; j++)
                put_row(out, r->sheets[i].part->name, &r->sheets[i].rows[j]);
    }
    const bool whole = out && !ferror(out);
    if (out && !fclose(out) && whole) return true;
    snprintf(why, 240, "%.180s: %s", path, strerror(errno));
    return false;
}
