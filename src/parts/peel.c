/* peel.c - room for a peeling, and the rows in the order of their first place. */
#include "parts/peel.h"

enum {
    PEEL_BUCKETS_LOG = 10,
    PEEL_BUCKET_LOG = 10 /* rows per bucket, at most that many buckets */
};

blm_err blm_peel_new(blm_peel *p, const blm_alloc *a, uint64_t rows, uint64_t cells, bool numbered)
{
    const uint64_t row = sizeof *p->x + sizeof *p->which + (numbered ? sizeof *p->number : 0),
                   cell = sizeof *p->sum + sizeof *p->alone + sizeof *p->count +
                          (numbered ? sizeof *p->tally : 0);
    /* Up to four cells are written after the last one before it is known how many of them have a single row. */
    const uint64_t spare = BLM_PEEL_ARITY * sizeof *p->alone;
    const uint64_t bytes = rows * row + cells * cell + spare; /* both below 2^32: no overflow */
    uint8_t *at = bytes <= SIZE_MAX ? a->get(a->ctx, (size_t)bytes) : NULL;
    if (!at) return BLM_E_NOMEM;
    *p = (blm_peel){.rows = rows, .cells = cells, .bytes = bytes};
    p->x = (uint64_t *)(void *)at, at += rows * sizeof *p->x;
    p->sum = (uint64_t *)(void *)at, at += cells * sizeof *p->sum;
    p->alone = (uint32_t *)(void *)at, at += cells * sizeof *p->alone + spare;
    if (numbered) {
        p->number = (uint32_t *)(void *)at, at += rows * sizeof *p->number;
        p->tally = (uint32_t *)(void *)at, at += cells * sizeof *p->tally;
    }
    p->which = at, at += rows;
    p->count = at;
    return BLM_OK;
}

void blm_peel_free(blm_peel *p, const blm_alloc *a) { a->put(a->ctx, p->x, (size_t)p->bytes); }

void blm_peel_clear(blm_peel *p)
{
    memset(p->sum, 0, (size_t)p->cells * sizeof *p->sum);
    memset(p->count, 0, (size_t)p->cells);
    if (p->number) memset(p->tally, 0, (size_t)p->cells * sizeof *p->tally);
}

static inline uint64_t peel_bucket(uint64_t x, unsigned turn, unsigned shift)
{
    return (turn ? x << turn | x >> (64 - turn) : x) >> 1 >> shift; /* shift 63: one bucket */
}

/* Buckets are counted, then filled: hashing a row twice is cheaper than a second array. */
void blm_peel_rows(blm_peel *p, const uint64_t *lo, uint64_t seed, unsigned turn)
{
    uint32_t from[1 << PEEL_BUCKETS_LOG] = {0};
    unsigned log = 0;
    while (log < PEEL_BUCKETS_LOG && p->rows >> log >> PEEL_BUCKET_LOG) log++;
    const unsigned shift = 63 - log;
    for (uint64_t i = 0; i < p->rows; i++)
        from[peel_bucket(blm_peel_mix(lo[i] + seed), turn, shift)]++;
    uint32_t sum = 0;
    for (size_t b = 0; b < (size_t)1 << log; b++) {
        const uint32_t n = from[b];
        from[b] = sum;
        sum += n;
    }
    for (uint64_t i = 0; i < p->rows; i++) {
        const uint64_t x = blm_peel_mix(lo[i] + seed);
        const uint32_t to = from[peel_bucket(x, turn, shift)]++;
        p->x[to] = x;
        if (p->number) p->number[to] = (uint32_t)i;
    }
}
