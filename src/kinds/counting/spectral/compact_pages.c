/* compact_pages.c - layout=compact: whole groups, read into counters and written from them; and the sizes of plans. */
#include <bloomery/theory.h>
#include <inttypes.h>
#include <math.h>

#include "compact.h"
#include "parts/wish.h"

enum { COMPACT_GROUP = BLM_POOL_GROUP };

/* The counters of a group that have a bit in a layer, in their order. */
typedef struct column {
    uint16_t of[COMPACT_GROUP];
    unsigned n;
} column;

static unsigned counters_in(const blm_spectral *c, uint64_t group)
{
    const uint64_t left = c->flat.cells - group * COMPACT_GROUP;
    return left < COMPACT_GROUP ? (unsigned)left : COMPACT_GROUP;
}

static unsigned groups_in(const blm_spectral *c, uint64_t page)
{
    const uint64_t left = blm_pool_groups(c->flat.cells) - page * (uint64_t)c->pages.a_page;
    return left < c->pages.a_page ? (unsigned)left : c->pages.a_page;
}

/* v: zeros past the last counter. Returns where the string ends; past the page where lengths are forged. */
static uint64_t read_group(const blm_spectral *c, uint64_t page, unsigned own,
                           uint64_t v[COMPACT_GROUP])
{
    const blm_page p = blm_pool_page(&c->pages, c->flat.base.cells, page);
    const uint64_t group = page * c->pages.a_page + own, room = blm_page_room(&p);
    uint64_t at = blm_page_start(&p, own);
    unsigned class[COMPACT_GROUP] = {0};
    column now = {.n = 0};
    for (unsigned i = 0; i < counters_in(c, group); i++)
        if (blm_bit_get(c->flat.base.cells, group * COMPACT_GROUP + i))
            class[i] = 1, now.of[now.n++] = (uint16_t)i;
    for (unsigned layer = 1; now.n; layer++) {
        const unsigned here = now.n;
        now.n = 0;
        for (unsigned i = 0; i < here; i++, at++)
            if (at < room && layer < COMPACT_CLASSES - 1 && blm_bit_get(p.bits, at))
                class[now.of[i]]++, now.of[now.n++] = now.of[i];
    }
    for (unsigned i = 0; i < COMPACT_GROUP; i++) {
        const unsigned n = blm_compact_bits(class[i]);
        v[i] = blm_compact_first(class[i]) + blm_compact_read(&p, at, n);
        at += n;
    }
    return at;
}

/* Into zeros, from bit `at` of the page on; returns where it ends. */
static uint64_t write_group(const blm_page *p, uint8_t *cells, uint64_t group, uint64_t at,
                            const uint64_t v[COMPACT_GROUP])
{
    unsigned class[COMPACT_GROUP];
    column now = {.n = 0};
    for (unsigned i = 0; i < COMPACT_GROUP; i++) {
        class[i] = blm_compact_class(v[i]);
        if (!class[i]) continue;
        blm_bit_set(cells, group * COMPACT_GROUP + i);
        now.of[now.n++] = (uint16_t)i;
    }
    for (unsigned layer = 1; now.n; layer++) {
        const unsigned here = now.n;
        now.n = 0;
        for (unsigned i = 0; i < here; i++, at++)
            if (class[now.of[i]] > layer) blm_bit_set(p->bits, at), now.of[now.n++] = now.of[i];
    }
    for (unsigned i = 0; i < COMPACT_GROUP; i++) {
        blm_compact_write(p, at, blm_compact_bits(class[i]), v[i] - blm_compact_first(class[i]));
        at += blm_compact_bits(class[i]);
    }
    return at;
}

/* ---- merge ------------------------------------------------------------------------------- */

/* v = the counters of both, up to the ceiling. Returns their bits in the pool. */
static uint64_t add_group(const blm_spectral *c, const blm_spectral *other, uint64_t page,
                          unsigned own, uint64_t v[COMPACT_GROUP], blm_census *sum)
{
    const uint64_t top = blm_packed_top(c->width);
    uint64_t more[COMPACT_GROUP], bits = 0;
    read_group(c, page, own, v);
    read_group(other, page, own, more);
    for (unsigned i = 0; i < COMPACT_GROUP; i++) {
        v[i] = more[i] < top - v[i] ? v[i] + more[i] : top;
        bits += blm_compact_size(blm_compact_class(v[i]));
        sum->used += v[i] > 0;
        sum->stuck += v[i] == top;
    }
    return bits;
}

static void merge_page(const blm_spectral *c, const blm_spectral *other, uint64_t page,
                       const blm_pool *to, uint8_t *cells)
{
    const blm_page p = blm_pool_page(to, cells, page);
    blm_census ignored = {0, 0};
    uint64_t v[COMPACT_GROUP], at = 0;
    for (unsigned g = 0; g < groups_in(c, page); g++) {
        add_group(c, other, page, g, v, &ignored);
        const uint64_t end = write_group(&p, cells, page * to->a_page + g, at, v);
        blm_put16(p.head + (size_t)2 * g, (uint16_t)(end - at));
        at = end;
    }
}

/* Sums, in the smallest pages that hold them: as if all had been added to one filter. */
blm_err blm_compact_merge(blm_filter *f, const blm_filter *g, blm_report *why)
{
    blm_spectral *c = (blm_spectral *)f;
    const blm_spectral *other = (const blm_spectral *)g;
    blm_census sum = {0, 0};
    blm_region fresh;
    uint64_t v[COMPACT_GROUP], most = 0, bytes;
    uint8_t steps = 0;
    for (uint64_t i = 0; i < c->pages.pages; i++) {
        uint64_t bits = 0;
        for (unsigned own = 0; own < groups_in(c, i); own++)
            bits += add_group(c, other, i, own, v, &sum);
        most = bits > most ? bits : most;
    }
    blm_pool to = blm_pool_after(c->flat.cells, COMPACT_WORDS, c->spare, steps, &bytes);
    while (to.words * UINT64_C(64) < most)
        to = blm_pool_after(c->flat.cells, COMPACT_WORDS, c->spare, ++steps, &bytes);
    const blm_err err = blm_recell(f, &fresh, bytes);
    if (err) return blm_fail(why, err, "no memory for %g bytes of cells", (double)bytes);
    for (uint64_t i = 0; i < c->pages.pages; i++) merge_page(c, other, i, &to, fresh.cells);
    blm_commit(f, &fresh);
    c->pages = to;
    c->pool = steps;
    c->flat.ones = sum.used;
    c->stuck = sum.stuck;
    return BLM_OK;
}

/* ---- check ------------------------------------------------------------------------------- */

/* A value that is past 2^64 would come out as one of a lower class, and its string would be longer than that of the counters. */
static bool group_is_sound(const blm_spectral *c, uint64_t page, unsigned own, blm_census *sum)
{
    const blm_page p = blm_pool_page(&c->pages, c->flat.base.cells, page);
    const uint64_t top = blm_packed_top(c->width), start = blm_page_start(&p, own),
                   end = start + blm_page_length(&p, own);
    uint64_t v[COMPACT_GROUP], bits = 0;
    if (end > blm_page_room(&p) || read_group(c, page, own, v) != end) return false;
    for (unsigned i = 0; i < COMPACT_GROUP; i++) {
        bits += blm_compact_size(blm_compact_class(v[i]));
        sum->used += v[i] > 0;
        sum->stuck += v[i] == top;
        if (v[i] > top) return false;
    }
    return bits == end - start;
}

blm_err blm_compact_check(const blm_filter *f, blm_report *why)
{
    const blm_spectral *c = (const blm_spectral *)f;
    blm_census sum = {0, 0};
    bool sound = blm_bits_tail_zero(f->cells, c->pages.at, c->flat.cells);
    for (uint64_t i = 0; i < c->pages.pages && sound; i++) {
        const blm_page p = blm_pool_page(&c->pages, f->cells, i);
        for (unsigned g = 0; g < p.groups && sound; g++)
            sound = g < groups_in(c, i) ? group_is_sound(c, i, g, &sum) : !blm_page_length(&p, g);
        sound = sound && blm_page_tidy(&p);
    }
    if (!sound)
        return blm_fail(
            why, BLM_E_IMAGE,
            "damaged: a string is not as long as its counters are, a counter is above its "
            "ceiling, or a bit past the last one is set");
    return sum.used == c->flat.ones && sum.stuck == c->stuck
               ? BLM_OK
               : blm_fail(
                     why, BLM_E_IMAGE,
                     "damaged: the numbers of used and stuck counters differ from their fields");
}

/* ---- plan -------------------------------------------------------------------------------- */

/* Counters are Poisson when keys come once. */
typedef struct keys_of {
    const blm_config *wish;
    unsigned k;
} keys_of;

static blm_pool_load load_of(const void *ctx, uint64_t m)
{
    enum { TERMS = 200 };
    const keys_of *o = ctx;
    const double p = pow(o->wish->fpr, 1.0 / o->k), none = -log1p(-p); /* throws per counter */
    const double all = o->wish->keys ? (double)o->wish->keys * o->k : (double)m * none,
                 load = fmin(all / (double)m, TERMS / 2.0);
    double chance = exp(-load), mean = 0, square = 0;
    for (unsigned v = 1; v < TERMS; v++) {
        const double bits = blm_compact_size(blm_compact_class(v));
        chance *= load / v;
        mean += chance * bits;
        square += chance * bits * bits;
        if (v > load && chance < 1e-20) break;
    }
    const double step = blm_compact_size(blm_compact_class((uint64_t)(load + 5)));
    return (blm_pool_load){(double)m * mean, (double)m * fmax(0, square - mean * mean), step,
                           3 * all}; /* no add to a counter takes more than 3 bits */
}

/* The number of hashes with the lowest rate: from one that is more than the best one on, downwards for as long as it falls, and three
 * further. */
static uint64_t best_in(const blm_config *wish, uint64_t bytes, unsigned *k)
{
    const unsigned about = blm_best_hashes(bytes * 4, wish->keys), /* 2 bits per counter */
        last = about < BLM_THEORY_HASHES ? about + 1 : about;
    double least = 2;
    uint64_t best = 0;
    *k = last;
    for (unsigned i = last; i && (i + 3 >= *k || !best); i--) {
        const keys_of own = {wish, i};
        const uint64_t m =
            blm_pool_fit(&(blm_pool_wish){COMPACT_WORDS, load_of, &own}, bytes, UINT64_C(1) << 52);
        const double rate = m ? blm_rate_exact(m, i, wish->keys) : 2;
        if (rate < least) least = rate, best = m, *k = i;
    }
    return best;
}

/* Keys and a rate: m and k are those of layout=wide, so that answers are the same. */
blm_err blm_compact_plan(blm_spectral *c, const blm_config *wish, unsigned *k, blm_report *why)
{
    const uint64_t bytes = (wish->bits + 63) / 64 * 8;
    if (wish->bits) {
        const keys_of own = {wish, *k};
        const blm_pool_wish w = {COMPACT_WORDS, load_of, &own};
        c->flat.cells = *k ? blm_pool_fit(&w, bytes, UINT64_C(1) << 52) : best_in(wish, bytes, k);
        if (!c->flat.cells)
            return blm_fail(why, BLM_E_ARG,
                            "bits %" PRIu64 ": too few for the counters of %" PRIu64 " keys",
                            wish->bits, wish->keys);
    } else if (!blm_size_for(wish->keys, wish->fpr, *k, true, &c->flat.cells, k)) {
        return blm_wish_beyond(wish, "2^52 counters or 64 hashes", why);
    }
    const keys_of own = {wish, *k};
    c->spare = blm_pool_spare(&(blm_pool_wish){COMPACT_WORDS, load_of, &own}, c->flat.cells);
    return BLM_OK;
}
