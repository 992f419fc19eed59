/* deletes.c - kinds that delete: fingerprints in buckets against counters in one line, and batches of deletes against one by
 * one. */
#include <bloomery/bloomery.h>
#include <stdio.h>
#include <stdlib.h>

#include "rows.h"

enum { EXTRA_ROUNDS = 4, ASKED = 1 << 17, PASSES = 16, BATCH = 4096, DELETED = 1 << 21 };

/* ---- dleft against counting layout=line ----------------------------------------------------------- */

static void dleft_of(size_t keys)
{
    char what[80];
    blm_filter *d = filter_of("dleft keys=%zu fpr=1%%", keys);
    blm_filter *c = filter_of("counting layout=line keys=%zu fpr=1%%", keys);
    blm_hash *member = draw_hashes(c, MEMBERS, keys), *stranger = draw_hashes(c, STRANGERS, ASKED);
    probe add[2] = {{d, NULL, member, keys, 1, NULL, false},
                    {c, NULL, member, keys, 1, NULL, false}};
    probe hit[2] = {{d, NULL, member, ASKED, PASSES, NULL, false},
                    {c, NULL, member, ASKED, PASSES, NULL, false}};
    probe miss[2] = {{d, NULL, stranger, ASKED, PASSES, NULL, false},
                     {c, NULL, stranger, ASKED, PASSES, NULL, false}};
    versus v = {.what = what,
                .work = keys,
                .wanted = 2.5,
                .at_most = true,
                .extra = EXTRA_ROUNDS,
                .floor = bench_floor(cells_of(d), true, VERSUS_ROUNDS),
                .ours = members_side(add_hashes, &add[0]),
                .theirs = members_side(add_hashes, &add[1])};
    snprintf(what, sizeof what, "dleft add against counting layout=line, %zuM", keys / 1000000);
    versus_row(&v);
    v.work = (uint64_t)ASKED * PASSES;
    v.wanted = 3;
    v.ours = strangers_side(ask_hashes, &miss[0], keys);
    v.theirs = strangers_side(ask_hashes, &miss[1], keys);
    snprintf(what, sizeof what, "dleft miss against counting layout=line, %zuM", keys / 1000000);
    versus_row(&v);
    v.ours = members_side(ask_hashes, &hit[0]);
    v.theirs = members_side(ask_hashes, &hit[1]);
    snprintf(what, sizeof what, "dleft hit against counting layout=line, %zuM", keys / 1000000);
    versus_row(&v);
    free(member);
    free(stranger);
    blm_free(d);
    blm_free(c);
}

/* ---- batches against one by one ------------------------------------------------------------------- */

static size_t part(size_t n, size_t from) { return n - from < BATCH ? n - from : BATCH; }

/* What was deleted is added again, while no clock runs. */
static uint64_t put_back(const probe *p, uint64_t deleted)
{
    return blm_add_many_u64(p->f, p->key, p->n, NULL, NULL) ? 0 : deleted;
}

static double delete_batches(void *self, uint64_t *hits)
{
    static uint8_t absent[BATCH];
    const probe *p = self;
    uint64_t deleted = 0;
    blm_err err = BLM_OK;
    const double start = bench_now();
    for (size_t i = 0; i < p->n && !err; i += BATCH) {
        err = blm_del_many_u64(p->f, p->key + i, part(p->n, i), absent, NULL);
        for (size_t j = 0; j < part(p->n, i); j++) deleted += !absent[j];
    }
    const double spent = bench_now() - start;
    *hits = err ? 0 : put_back(p, deleted);
    return spent;
}

static double delete_singly(void *self, uint64_t *hits)
{
    const probe *p = self;
    uint64_t deleted = 0;
    const double start = bench_now();
    for (size_t i = 0; i < p->n; i++) {
        const blm_item it = blm_item_u64(p->f, p->key[i], BLM_NO_ARG);
        deleted += !blm_del_item(p->f, &it);
    }
    const double spent = bench_now() - start;
    *hits = put_back(p, deleted);
    return spent;
}

static void singly_of(const char *kind, size_t keys)
{
    char what[80];
    blm_filter *f = filter_of("%s keys=%zu fpr=1%%", kind, keys);
    uint64_t *member = draw_numbers(MEMBERS, DELETED);
    versus_progress("%s: adding %zuM keys", kind, keys / 1000000);
    fill_filter(f, keys);
    probe p = {f, member, NULL, DELETED, 1, NULL, false};
    const versus v = {.what = what,
                      .work = DELETED,
                      .wanted = 3,
                      .floor = bench_floor(cells_of(f), true, VERSUS_ROUNDS),
                      .ours = members_side(delete_batches, &p),
                      .theirs = members_side(delete_singly, &p)};
    snprintf(what, sizeof what, "%s delete, batch against singly, %zuM", kind, keys / 1000000);
    versus_row(&v);
    free(member);
    blm_free(f);
}

void rows_deletes(void)
{
    if (kind_there("dleft", NULL) && kind_there("counting", "layout")) dleft_of(1000000);
    if (kind_there("counting", NULL)) singly_of("counting", 10000000);
    if (kind_there("dleft", NULL)) singly_of("dleft", 10000000);
}
