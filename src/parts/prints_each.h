/* prints_each.h - many fingerprints: the loops that prints_many.c has in plain C, and prints_avx2.c by vectors.
 *
 *     ring   | key i + 64 | key i + 1 | key i + 2 | ... | key i + 63 |     where their buckets are
 *                 ^ was key i: searched, then found and fetched anew
 *
 * Searches, tables and loads are constants to whoever calls these functions, and all of it becomes one loop. Where
 * buckets are not whole bytes (loads 0), the calls of one key search them.
 */
#ifndef BLM_PRINTS_EACH_H
#define BLM_PRINTS_EACH_H
#include "parts/prints.h"

#define BLM_EACH inline __attribute__((always_inline))

typedef struct blm_prints_place {
    uint64_t at[BLM_PRINTS_TABLES]; /* of each bucket the first byte; loads 0: the first cell */
    uint64_t rest;
} blm_prints_place;

/* One batch: copies, which no write to cells or answers can change. */
typedef struct blm_prints_work {
    blm_prints p;
    blm_prints_batch b;
    uint8_t *cells;
    const uint8_t *last; /* of the first bucket */
    uint64_t bytes;
    blm_prints_place of[BLM_AHEAD];
} blm_prints_work;

/* ---- places -------------------------------------------------------------------------------- */

static BLM_EACH uint64_t blm_prints_print(const blm_prints_work *w, size_t i)
{
    return blm_reduce(w->b.h[i].lo, w->b.range);
}

/* As blm_prints_find; turns are the numbers of one stream. Its two constants are hidden from the compiler, which else loads
 * them anew for every product: 0.3 of 12 ns per key. */
static BLM_EACH void blm_prints_place_of(blm_prints_work *w, size_t i, unsigned tables,
                                         unsigned loads)
{
    const blm_prints *p = &w->p;
    const uint64_t print = blm_prints_print(w, i), unit = loads ? p->whole.bytes : p->slots;
    uint64_t step = BLM_STREAM_STEP, other = BLM_STREAM_XOR, base = 0;
    blm_prints_place *x = &w->of[i % BLM_AHEAD];
    x->rest = blm_prints_rest(p, print);
    __asm__("" : "+r"(step), "+r"(other));
    for (uint64_t t = 0, s = x->rest + step; t < tables; t++, s += step, base += p->across) {
        const blm_wide product = blm_mul(s, s ^ other);
        const uint64_t turned = (print >> p->low) + blm_reduce(product.lo ^ product.hi, p->across);
        uint64_t inside;
        if (__builtin_sub_overflow(turned, p->across, &inside)) inside = turned;
        x->at[t] = (base + inside) * unit;
    }
}

/* The first keys are fetched already. */
static BLM_EACH void blm_prints_begin(blm_prints_work *w, const blm_prints *p, const blm_filter *f,
                                      const blm_prints_batch *b, unsigned tables, unsigned loads)
{
    w->p = *p;
    w->b = *b;
    w->cells = f->cells;
    w->last = f->cells + (loads ? p->whole.bytes - 1 : 0);
    __asm__("" : "+r"(w->last)); /* else it is a sum again for every fetch */
    w->bytes = f->bytes;
    for (size_t i = 0; i < BLM_AHEAD && i < b->n; i++) blm_prints_place_of(w, i, tables, loads);
}

/* Key i has been worked on: its place is for the key that comes BLM_AHEAD after it. A bucket may lie in two lines. */
static BLM_EACH void blm_prints_next(blm_prints_work *w, size_t i, unsigned tables, unsigned loads)
{
    const blm_prints_place *x = &w->of[i % BLM_AHEAD];
    if (i + BLM_AHEAD >= w->b.n + w->b.more) return;
    blm_prints_place_of(w, i + BLM_AHEAD, tables, loads);
    for (unsigned t = 0; t < tables; t++) {
        if (!loads) {
            blm_fetch(w->cells + blm_packed_find(w->bytes, w->p.bits, x->at[t]).byte);
            continue;
        }
        blm_fetch(w->cells + x->at[t]);
        blm_fetch(w->last + x->at[t]);
    }
}

/* The searches of a row: no branch depends on a cell. */
typedef struct blm_prints_search {
    bool (*has)(const blm_prints_work *w, const blm_prints_place *x, unsigned tables,
                unsigned loads);
    /* The cell of a fingerprint. False: there is none. */
    bool (*seek)(const blm_prints_work *w, const blm_prints_place *x, unsigned tables,
                 unsigned loads, blm_packed_at *s);
    /* A new fingerprint goes into the emptiest bucket, the leftmost of equals. BLM_E_ABSENT: it is not new. */
    blm_err (*enter)(const blm_prints_work *w, const blm_prints_place *x, uint64_t tail,
                     unsigned tables, unsigned loads);
} blm_prints_search;

/* ---- lanes of one load ----------------------------------------------------------------------- */

static BLM_EACH uint64_t blm_prints_load(const blm_prints_work *w, uint64_t at, unsigned load)
{
    return blm_le64(w->cells + at + w->p.whole.at[load].byte) >> w->p.whole.at[load].shift;
}

/* The highest bit of each lane whose tail is not zero; other bits are anything. */
static BLM_EACH uint64_t blm_prints_in_use(const blm_prints_loads *l, uint64_t lanes)
{
    return (lanes & l->counters) + l->below;
}

/* The highest bit of each lane that is in use and has the rest; other bits are anything. What differs is then from 1 to the
 * highest tail: adding `below` sets the highest bit, adding what is left above a tail does not. */
static BLM_EACH uint64_t blm_prints_matches(const blm_prints_loads *l, uint64_t lanes,
                                            uint64_t want)
{
    const uint64_t differ = lanes ^ want, low = differ & l->below;
    return ~((low + (l->below - l->counters)) | differ) & (low + l->below);
}

static BLM_EACH uint64_t blm_prints_want(const blm_prints_work *w, const blm_prints_place *x)
{
    return (x->rest << w->p.tail) * w->p.whole.ones;
}

/* A cell lies in the word at `byte`, from bit `shift` on. */
static BLM_EACH blm_packed_at blm_prints_spot(const blm_prints_work *w, uint64_t at, unsigned load,
                                              uint64_t lane_tops)
{
    const unsigned shift = w->p.whole.at[load].shift + (unsigned)__builtin_ctzll(lane_tops);
    return (blm_packed_at){at + w->p.whole.at[load].byte, shift + 1 - w->p.bits};
}

static BLM_EACH blm_packed_at blm_prints_first_empty(const blm_prints_work *w, uint64_t at,
                                                     unsigned loads)
{
    uint64_t empty = 0;
    unsigned load = 0;
    for (unsigned j = loads; j-- > 0;) {
        const uint64_t here =
            ~blm_prints_in_use(&w->p.whole, blm_prints_load(w, at, j)) & w->p.whole.top;
        load = here ? j : load;
        empty = here ? here : empty;
    }
    return blm_prints_spot(w, at, load, empty);
}

/* The fingerprint with its tail into the first empty cell of a bucket that has one. */
static BLM_EACH void blm_prints_put_first(const blm_prints_work *w, const blm_prints_place *x,
                                          uint64_t tail, uint64_t at, unsigned loads)
{
    const blm_packed_at s = blm_prints_first_empty(w, at, loads);
    const uint64_t old = blm_le64(w->cells + s.byte), mask = blm_packed_top(w->p.bits) << s.shift;
    blm_put64(w->cells + s.byte, (old & ~mask) | (x->rest << w->p.tail | tail) << s.shift);
}

/* ---- many ---------------------------------------------------------------------------------- */

/* Those that are there already are raised by the call of one key. */
static BLM_EACH blm_err blm_prints_add_one(const blm_prints_work *w, const blm_prints *p,
                                           blm_filter *f, const blm_prints_own *own, size_t i,
                                           const blm_prints_search *by, unsigned tables,
                                           unsigned loads, blm_census *change)
{
    const blm_prints_place *x = &w->of[i % BLM_AHEAD];
    const uint64_t tail = own ? own->payload[i] << w->p.width | 1 : 1;
    const blm_err err = loads ? by->enter(w, x, tail, tables, loads) : BLM_E_ABSENT;
    if (err == BLM_E_ABSENT && own)
        return own->again(f, blm_prints_print(w, i), own->payload[i], change);
    if (err == BLM_E_ABSENT) return blm_prints_raise(p, f, blm_prints_print(w, i), 1, change);
    *change = (blm_census){!err, !err && blm_packed_top(p->width) == 1};
    return err;
}

static BLM_EACH void blm_prints_has_all(const blm_prints *p, const blm_filter *f,
                                        const blm_prints_batch *b, uint8_t *yes,
                                        const blm_prints_search *by, unsigned tables,
                                        unsigned loads)
{
    blm_prints_work w;
    blm_prints_begin(&w, p, f, b, tables, loads);
    for (size_t i = 0; i < w.b.n; i++) {
        const blm_prints_place *x = &w.of[i % BLM_AHEAD];
        yes[i] = loads ? by->has(&w, x, tables, loads)
                       : blm_prints_among(p, f, x->at, x->rest) != BLM_PRINTS_NONE;
        blm_prints_next(&w, i, tables, loads);
    }
}

static BLM_EACH blm_err blm_prints_add_all(const blm_prints *p, blm_filter *f,
                                           const blm_prints_batch *b, const blm_prints_own *own,
                                           uint8_t *fresh, size_t *done, blm_census *sum,
                                           const blm_prints_search *by, unsigned tables,
                                           unsigned loads)
{
    blm_prints_work w;
    blm_err err = BLM_OK;
    blm_census all = {0, 0};
    size_t i = 0;
    blm_prints_begin(&w, p, f, b, tables, loads);
    for (; i < w.b.n; i++) {
        blm_census change = {0, 0};
        err = blm_prints_add_one(&w, p, f, own, i, by, tables, loads, &change);
        if (err) break;
        all = blm_census_plus(all, change);
        if (fresh) fresh[i] = change.used > 0;
        blm_prints_next(&w, i, tables, loads);
    }
    *sum = all;
    *done = i;
    return err;
}

/* The cell of key i, as one that lies in a word; false: there is none. */
static BLM_EACH bool blm_prints_cell_at(const blm_prints_work *w, const blm_prints *p,
                                        const blm_filter *f, size_t i, const blm_prints_search *by,
                                        unsigned tables, unsigned loads, blm_packed_at *s)
{
    const blm_prints_place *x = &w->of[i % BLM_AHEAD];
    if (loads) return by->seek(w, x, tables, loads, s);
    const uint64_t cell = blm_prints_among(p, f, x->at, x->rest);
    if (cell == BLM_PRINTS_NONE) return false;
    *s = blm_packed_find(f->bytes, p->bits, cell);
    return true;
}

/* As blm_prints_lower. */
static BLM_EACH uint64_t blm_prints_lower_at(const blm_prints_work *w, blm_packed_at s)
{
    const uint64_t top = blm_packed_top(w->p.width), old = blm_le64(w->cells + s.byte);
    const uint64_t cell = old >> s.shift & blm_packed_top(w->p.bits), n = cell & top;
    if (n == top) return 0;
    blm_put64(w->cells + s.byte, old - ((n > 1 ? 1 : cell) << s.shift));
    return n == 1;
}

static BLM_EACH uint64_t blm_prints_del_all(const blm_prints *p, blm_filter *f,
                                            const blm_prints_batch *b, uint8_t *absent,
                                            const blm_prints_search *by, unsigned tables,
                                            unsigned loads)
{
    blm_prints_work w;
    uint64_t gone = 0;
    blm_prints_begin(&w, p, f, b, tables, loads);
    for (size_t i = 0; i < w.b.n; i++) {
        blm_packed_at s;
        const bool there = blm_prints_cell_at(&w, p, f, i, by, tables, loads, &s);
        if (there) gone += blm_prints_lower_at(&w, s);
        if (absent) absent[i] = !there;
        blm_prints_next(&w, i, tables, loads);
    }
    return gone;
}

static BLM_EACH void blm_prints_count_all(const blm_prints *p, const blm_filter *f,
                                          const blm_prints_batch *b, blm_estimate *times,
                                          const blm_prints_search *by, unsigned tables,
                                          unsigned loads)
{
    const blm_counters of = {.width = p->width};
    blm_prints_work w;
    blm_prints_begin(&w, p, f, b, tables, loads);
    for (size_t i = 0; i < w.b.n; i++) {
        blm_packed_at s;
        uint64_t n = 0;
        if (blm_prints_cell_at(&w, p, f, i, by, tables, loads, &s))
            n = blm_le64(w.cells + s.byte) >> s.shift & blm_packed_top(w.p.width);
        times[i] = blm_counters_estimate(&of, n);
        blm_prints_next(&w, i, tables, loads);
    }
}

#endif
