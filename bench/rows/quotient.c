/* quotient.c - a sorted table of fingerprints: adds at 90 % load against half load, and its bits at the rate that is measured. */
#include <bloomery/bloomery.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rows.h"

enum { KEYS = 10000000, ADDED = 1 << 18, BATCH = 4096, ASKED = 20000000 };

/* ---- adds by load ----------------------------------------------------------------------------------- */

/* Adds new keys and, while no clock runs, deletes them again: every run begins at the same load. */
static double add_and_delete(void *self, uint64_t *hits)
{
    static uint8_t absent[BATCH];
    const probe *p = self;
    const double start = bench_now();
    const blm_err err = blm_add_many_u64(p->f, p->key, p->n, NULL, NULL);
    const double spent = bench_now() - start;
    *hits = 0;
    for (size_t i = 0; !err && i < p->n; i += BATCH) {
        if (blm_del_many_u64(p->f, p->key + i, BATCH, absent, NULL)) return spent;
        for (size_t j = 0; j < BATCH; j++) *hits += !absent[j];
    }
    return spent;
}

/* The load is that in the middle of a run. */
static blm_filter *at_load(double load)
{
    uint64_t quotients = 0;
    blm_field_info field;
    blm_filter *f = filter_of("quotient keys=%d fpr=0.371%%", KEYS);
    for (size_t i = 0; blm_field_at(f, i, &field); i++)
        if (strcmp(field.name, "quotients") == 0) quotients = field.value;
    versus_progress("quotient: adding keys up to %.0f %% of %d slots", 100 * load, KEYS);
    fill_filter(f, (uint64_t)(load * (double)quotients) - ADDED / 2);
    return f;
}

static void adds_row(void)
{
    uint64_t *member = draw_numbers(MEMBERS, KEYS + ADDED);
    blm_filter *high = at_load(0.9), *half = at_load(0.5);
    probe ours = {.f = high, .key = member + KEYS, .n = ADDED, .passes = 1}, theirs = ours;
    theirs.f = half;
    const versus v = {.what = "quotient, batch add, at 90 % load against 50 %, 10M keys",
                      .work = ADDED,
                      .wanted = 3,
                      .at_most = true,
                      .extra = 4,
                      .floor = bench_floor(cells_of(high), true, VERSUS_ROUNDS),
                      .ours = members_side(add_and_delete, &ours),
                      .theirs = members_side(add_and_delete, &theirs)};
    versus_row(&v);
    blm_free(high);
    blm_free(half);
    free(member);
}

/* ---- bits ------------------------------------------------------------------------------------------- */

/* With remainders of r bits a full table has a rate of 1 - e^(-0.95 / 2^r). What was measured says r, and so the bits; half a
 * per cent more is for the slots at the end of the table (0.31 %) and for chance. */
static void bits_row(void)
{
    char what[80], ours[24], theirs[24];
    uint64_t hits = 0;
    uint64_t *stranger = draw_numbers(STRANGERS, ASKED);
    blm_filter *f = filter_of("quotient keys=%d fpr=0.371%%", KEYS);
    fill_filter(f, KEYS);
    probe p = {.f = f, .key = stranger, .n = ASKED, .passes = 1};
    const versus_side right = strangers_side(ask_keys, &p, KEYS);
    ask_keys(&p, &hits);
    if (hits < right.low || hits > right.high)
        versus_stop(1, "quotient: %llu of %d non-members got a maybe", (unsigned long long)hits,
                    ASKED);
    const double rate = (double)hits / ASKED, r = log2(-0.95 / log1p(-rate)),
                 bits = 8 * (double)cells_of(f) / KEYS, formula = (r + 2.125) / 0.95;
    snprintf(what, sizeof what, "quotient bits per key, 10M keys, measured %.4f %%", 100 * rate);
    snprintf(ours, sizeof ours, "%.3f", bits);
    snprintf(theirs, sizeof theirs, "%.3f", formula);
    versus_show(&(versus_figures){.what = what,
                                  .ours = ours,
                                  .theirs = theirs,
                                  .wanted = "<= 1.005x",
                                  .ratio = bits / formula,
                                  .pass = bits <= 1.005 * formula});
    blm_free(f);
    free(stranger);
}

void rows_quotient(void)
{
    if (!kind_there("quotient", NULL)) return;
    adds_row();
    bits_row();
}
