/* lab_plant.c - every row of the lab can fail: each figure of each row is made wrong once.
 *
 *     lab_plant CSV...        files that `bloomery lab run -o DIR` wrote
 *
 * The verdict of a row depends on its claim, its formula and what was measured, and the CSV has all of these. So a
 * verdict with a wrong figure costs no second run. lab_judge must give the verdict that was written, and FAILS for
 *
 *   - the expected figure, the size of a known disagreement, and the formula of a row that has nothing else, times or
 *     divided by WRONG (0: 1 instead). One of the two is enough: 3 hits of 50,000 cannot refute a smaller figure;
 *   - the opposite of its bounds; where a disagreement with a bound is known, the bound times or divided by WRONG.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lab.h"

#define WRONG 3

enum {
    PART,
    ROW,
    EXPECTED,
    WITHIN,
    AT_LEAST,
    AT_MOST,
    FORMULA_LOW,
    FORMULA_HIGH,
    MEASURED,
    LOW,
    HIGH,
    LOWEST,
    HIGHEST,
    KNOWN,
    SIZE,
    TOLERANCE,
    VERDICT,
    COLUMNS
};
static const char header[] = "part,row,expected,within,at_least,at_most,formula_low,formula_high,"
                             "measured,low,high,lowest,highest,known,size,tolerance,verdict";

static unsigned long long planted, one_side, unseen;

static void complain(char *const cell[COLUMNS], const char *figure)
{
    fprintf(stderr, "%s, %s: %s\n", cell[PART], cell[ROW], figure);
    unseen++;
}

static bool fails(lab_row r)
{
    lab_judge(&r);
    return r.verdict == LAB_FAILS;
}

/* The n figures of row are made too high, then too low; then they are as before. */
static void plant(lab_row *row, double *figure, size_t n, char *const cell[COLUMNS],
                  const char *name)
{
    const double sound[2] = {figure[0], figure[n - 1]};
    int seen = 0;
    for (int low = 0; low < 2; low++) {
        for (size_t i = 0; i < n; i++)
            figure[i] = sound[i] == 0 ? 1 : low ? sound[i] / WRONG : sound[i] * WRONG;
        seen += fails(*row);
    }
    memcpy(figure, sound, n * sizeof *sound);
    planted++;
    one_side += seen == 1;
    if (!seen) complain(cell, name);
}

static void plant_bounds(lab_row *r, char *const cell[COLUMNS])
{
    lab_claim *c = &r->claim;
    const double at_most = c->at_most, at_least = c->at_least;
    if (c->known.id) {
        plant(r, at_most != 0 ? &c->at_most : &c->at_least, 1, cell, "another bound");
        return;
    }
    c->at_most = at_least;
    c->at_least = at_most;
    planted++;
    if (!fails(*r)) complain(cell, "the opposite bound");
    c->at_most = at_most;
    c->at_least = at_least;
}

static void plant_all(lab_row *r, char *const cell[COLUMNS])
{
    lab_claim *c = &r->claim;
    const bool bounded = c->at_most != 0 || c->at_least != 0;
    if (c->expected != 0) plant(r, &c->expected, 1, cell, "another expected figure");
    if (bounded) plant_bounds(r, cell);
    if (c->known.id) plant(r, &c->known.size, 1, cell, "a known disagreement of another size");
    if (c->expected == 0 && !bounded) plant(r, r->formula, 2, cell, "another formula");
}

/* ---- the CSV -------------------------------------------------------------------------------------------- */

/* Splits in place; the quotes of the first two cells go, and no cell contains a quote. */
static bool split(char *line, char *cell[COLUMNS])
{
    line[strcspn(line, "\n")] = '\0';
    for (int i = 0; i < COLUMNS; i++) {
        const bool quoted = *line == '"';
        line += quoted;
        cell[i] = line;
        line += strcspn(line, quoted ? "\"" : ",");
        if (quoted && *line == '"') *line++ = '\0';
        if (i + 1 < COLUMNS && *line != ',') return false;
        if (*line) *line++ = '\0';
    }
    return true;
}

static double number(const char *text, double none) { return *text ? strtod(text, NULL) : none; }

static lab_row read_row(char *const cell[COLUMNS])
{
    return (lab_row){.claim = {.expected = number(cell[EXPECTED], 0),
                               .within = number(cell[WITHIN], 0),
                               .at_most = number(cell[AT_MOST], 0),
                               .at_least = number(cell[AT_LEAST], 0),
                               .known = {*cell[KNOWN] ? cell[KNOWN] : NULL, number(cell[SIZE], 0),
                                         number(cell[TOLERANCE], 0)}},
                     .formula = {number(cell[FORMULA_LOW], NAN), number(cell[FORMULA_HIGH], NAN)},
                     .measured = {number(cell[MEASURED], NAN), number(cell[LOW], NAN),
                                  number(cell[HIGH], NAN), number(cell[LOWEST], NAN),
                                  number(cell[HIGHEST], NAN)}};
}

static bool plant_file(const char *path)
{
    char line[1024], *cell[COLUMNS];
    unsigned long long rows = 0;
    FILE *in = fopen(path, "r");
    if (!in || !fgets(line, sizeof line, in) || strncmp(line, header, strlen(header)) != 0)
        return fprintf(stderr, "%s: no rows of the lab\n", path), false;
    while (fgets(line, sizeof line, in)) {
        if (!split(line, cell)) return fprintf(stderr, "%s: a bad line\n", path), false;
        lab_row r = read_row(cell);
        rows++;
        if (strcmp(cell[VERDICT], lab_verdict_name(LAB_SHOWN)) == 0) {
            if (*cell[EXPECTED] || *cell[AT_LEAST] || *cell[AT_MOST] || *cell[FORMULA_LOW])
                complain(cell, "it claims something, and has no verdict");
            continue;
        }
        lab_judge(&r);
        if (strcmp(lab_verdict_name(r.verdict), cell[VERDICT]) != 0)
            complain(cell, "another verdict than the one that was written");
        if (r.verdict != LAB_FAILS) plant_all(&r, cell);
    }
    fclose(in);
    printf("%s: %llu rows\n", path, rows);
    return true;
}

int main(int argc, char **argv)
{
    bool whole = argc > 1;
    for (int i = 1; i < argc; i++) whole &= plant_file(argv[i]);
    printf("%llu figures made wrong: %llu not seen, %llu seen on one side only\n", planted, unseen,
           one_side);
    return whole && !unseen ? 0 : 1;
}
