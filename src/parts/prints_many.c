/* prints_many.c - many fingerprints in plain C, the specification of prints_avx2.c; and which of them it is. */
#include "parts/prints_each.h"

static BLM_EACH bool plain_have(const blm_prints_work *w, const blm_prints_place *x,
                                unsigned tables, unsigned loads)
{
    const uint64_t want = blm_prints_want(w, x);
    uint64_t found = 0;
    for (unsigned t = 0; t < tables; t++)
        for (unsigned j = 0; j < loads; j++)
            found |= blm_prints_matches(&w->p.whole, blm_prints_load(w, x->at[t], j), want);
    return found & w->p.whole.top;
}

static BLM_EACH bool plain_seek(const blm_prints_work *w, const blm_prints_place *x,
                                unsigned tables, unsigned loads, blm_packed_at *s)
{
    const uint64_t want = blm_prints_want(w, x);
    uint64_t found[BLM_PRINTS_TABLES * BLM_PRINTS_LOADS], with = 0;
    for (unsigned t = 0; t < tables; t++)
        for (unsigned j = 0; j < loads; j++) {
            const unsigned k = t * loads + j;
            found[k] = blm_prints_matches(&w->p.whole, blm_prints_load(w, x->at[t], j), want) &
                       w->p.whole.top;
            with |= (uint64_t)(found[k] != 0) << k;
        }
    if (!with) return false;
    const unsigned first = (unsigned)__builtin_ctzll(with);
    *s = blm_prints_spot(w, x->at[first / loads], first % loads, found[first]);
    return true;
}

/* How many cells of the bucket are in use; *match gets a lane's highest bit if it has the rest. */
static BLM_EACH unsigned bucket_load(const blm_prints_work *w, uint64_t at, uint64_t want,
                                     unsigned loads, uint64_t *match)
{
    const blm_prints_loads *l = &w->p.whole;
    uint64_t sum = 0;
    for (unsigned j = 0; j < loads; j++) {
        const uint64_t lanes = blm_prints_load(w, at, j);
        *match |= blm_prints_matches(l, lanes, want);
        sum += (blm_prints_in_use(l, lanes) & l->at[j].own) >> (w->p.bits - 1);
    }
    return (unsigned)(sum * l->ones >> (l->cells - 1) * w->p.bits) & 0xff;
}

static BLM_EACH blm_err plain_enter(const blm_prints_work *w, const blm_prints_place *x,
                                    uint64_t tail, unsigned tables, unsigned loads)
{
    const uint64_t want = blm_prints_want(w, x);
    uint64_t match = 0;
    unsigned best = UINT32_MAX;
    for (unsigned t = 0; t < tables; t++) {
        const unsigned with = bucket_load(w, x->at[t], want, loads, &match) << 3 | t;
        best = with < best ? with : best;
    }
    if (match & w->p.whole.top) return BLM_E_ABSENT;
    if (best >> 3 >= w->p.slots) return BLM_E_FULL;
    blm_prints_put_first(w, x, tail, x->at[best & 7], loads);
    return BLM_OK;
}

static const blm_prints_search plain = {plain_have, plain_seek, plain_enter};

/* Four tables of buckets of two loads (up to 16 bits per cell: 0.2 %) as constants; then any; then buckets that are
 * not whole bytes. */
#define BY_SHAPE(CALL, ...)                                                                        \
    (p->tables == 4 && p->whole.n == 2 ? CALL(p, f, b, __VA_ARGS__, &plain, 4, 2)                  \
     : p->whole.n                      ? CALL(p, f, b, __VA_ARGS__, &plain, p->tables, p->whole.n) \
                                       : CALL(p, f, b, __VA_ARGS__, &plain, p->tables, 0))

static void plain_has(const blm_prints *p, const blm_filter *f, const blm_prints_batch *b,
                      uint8_t *yes)
{
    BY_SHAPE(blm_prints_has_all, yes);
}

static blm_err plain_add(const blm_prints *p, blm_filter *f, const blm_prints_batch *b,
                         const blm_prints_own *own, uint8_t *fresh, size_t *done, blm_census *sum)
{
    return BY_SHAPE(blm_prints_add_all, own, fresh, done, sum);
}

static uint64_t plain_del(const blm_prints *p, blm_filter *f, const blm_prints_batch *b,
                          uint8_t *absent)
{
    return BY_SHAPE(blm_prints_del_all, absent);
}

static void plain_count(const blm_prints *p, const blm_filter *f, const blm_prints_batch *b,
                        blm_estimate *times)
{
    BY_SHAPE(blm_prints_count_all, times);
}

const blm_prints_row blm_prints_plain = {plain_has, plain_add, plain_del, plain_count};

const blm_prints_row *blm_prints_best(const blm_prints *p)
{
    return blm_prints_avx2_fits(p) ? &blm_prints_avx2 : &blm_prints_plain;
}
