/* batch.c - batches of questions against the machine itself. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "rows.h"

enum { ASKED_MAX = 1 << 21, EXTRA_ROUNDS = 6 };

/* ---- the floor -------------------------------------------------------------------------------------- */

typedef struct lines {
    bench_lines *l;
    unsigned passes;
} lines;

static double read_lines(void *self, uint64_t *hits)
{
    const lines *l = self;
    *hits = 0;
    return bench_lines_read(l->l, l->passes);
}

/* As many questions as there are lines, twice over, up to 2^21: both sides then miss the same caches, and
 * what is read in order (8 or 16 bytes per question, 4 per line) is small next to the filter. */
static size_t asked_in(uint64_t bytes)
{
    const uint64_t twice = 2 * bytes / 64;
    return twice < ASKED_MAX ? (size_t)twice : ASKED_MAX;
}

static void floor_of(const char *kind, uint64_t mib, double wanted)
{
    char what[80];
    blm_filter *f = filter_of("%s bits=%" PRIu64 "MiB fpr=1%%", kind, mib);
    const uint64_t keys = capacity_of(f), bytes = cells_of(f);
    const size_t asked = asked_in(bytes);
    if (mib > 64) versus_progress("%s: adding %" PRIu64 "M keys", kind, keys / 1000000);
    fill_filter(f, keys);
    uint64_t *key = draw_numbers(STRANGERS, asked);
    blm_hash *hash = draw_hashes(f, STRANGERS, asked);
    probe p = {f, key, hash, asked, (unsigned)(ASKED_MAX / asked), NULL, false};
    lines l = {bench_lines_open(bytes, true, asked), p.passes};
    if (!l.l) versus_stop(2, "no memory for %" PRIu64 " MiB of lines", mib);
    versus v = {.what = what,
                .work = asked * p.passes,
                .wanted = wanted,
                .at_most = true,
                .extra = EXTRA_ROUNDS,
                .theirs = {read_lines, &l, 0, 0}};
    snprintf(what, sizeof what, "%s, batch of hashes, against lines, %" PRIu64 " MiB", kind, mib);
    v.ours = strangers_side(ask_hashes, &p, keys);
    versus_row(&v);
    snprintf(what, sizeof what, "%s, batch of u64, against lines, %" PRIu64 " MiB", kind, mib);
    v.ours = strangers_side(ask_keys, &p, keys);
    versus_row(&v);
    bench_lines_close(l.l);
    free(key);
    free(hash);
    blm_free(f);
}

/* In the caches a query is as fast as its arithmetic, and out of them as memory. One to standard reads two lines, or as many
 * as it has hashes. */
void rows_floor(void)
{
    static const struct {
        const char *kind;
        uint64_t mib;
        double wanted; /* 0: the row informs */
    } rows[] = {{"split-block", 1, 1.5},   {"split-block", 4, 1.5},    {"split-block", 16, 1.25},
                {"split-block", 64, 1.15}, {"split-block", 256, 1.15}, {"blocked", 1, 1.9},
                {"blocked", 4, 1.9},       {"blocked", 16, 1.25},      {"blocked", 64, 1.2},
                {"blocked", 256, 1.2},     {"standard", 1, 0}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (kind_there(rows[i].kind, NULL)) floor_of(rows[i].kind, rows[i].mib, rows[i].wanted);
}
