/* head.c - which keys have a k of their own, and the table of them. */
#include "head.h"

#include <string.h>

#include "core/bytes.h"

/* ---- the lists, key by key ------------------------------------------------------------------------------------- */

/* Both lists side by side, by rising hash; a key that is on one of them has 0 in the other. */
typedef struct walk {
    const blm_rows *asked, *held;
    size_t a, h;
    unsigned asked_shift, held_shift; /* so that sums stay below 2^41 */
} walk;

static uint64_t count_at(const blm_rows *r, size_t *i, uint64_t lo)
{
    if (*i == r->n || r->lo[*i] != lo) return 0;
    const uint64_t times = r->arg ? r->arg[*i] : 1;
    ++*i;
    return times;
}

/* A key that was seen c times has 2c + 1 halves: half a count more, so that what nobody has seen is rare, not impossible. */
static bool next_key(walk *w, uint64_t *lo, uint64_t *asked, uint64_t *held)
{
    const bool more_a = w->a < w->asked->n, more_h = w->h < w->held->n;
    if (!more_a && !more_h) return false;
    const uint64_t a = more_a ? w->asked->lo[w->a] : UINT64_MAX;
    const uint64_t h = more_h ? w->held->lo[w->h] : UINT64_MAX;
    *lo = a < h ? a : h;
    *asked = (count_at(w->asked, &w->a, *lo) >> w->asked_shift) * 2 + 1;
    *held = (count_at(w->held, &w->h, *lo) >> w->held_shift) * 2 + 1;
    return true;
}

static unsigned shift_of(const blm_rows *r)
{
    uint64_t sum = 0;
    unsigned shift = 0;
    for (size_t i = 0; i < r->n; i++) sum = blm_sum_below(sum, r->arg ? r->arg[i] : 1, UINT64_MAX);
    while (sum >> shift >> 40) shift++;
    return shift;
}

/* ---- which keys ------------------------------------------------------------------------------------------------- */

typedef struct sums {
    uint64_t keys, asked, held; /* of the lists, with half a count for all keys that are on none */
    uint64_t members, chance;   /* n in units of `chance`, which is a chance of 1 to be a member */
    uint64_t tail_asked, tail_held; /* of all that is not chosen: at first, of all           */
} sums;

/* The expected number of members that this key is: at most one. */
static uint64_t members_of(const sums *s, uint64_t held)
{
    const uint64_t x = blm_muldiv(held, s->members, s->held);
    return x < 1 ? 1 : x > s->chance ? s->chance : x;
}

/* What the rate loses where this key has the k of the tail: w - y + y ln(y / w), with w the share of the queries for it and
 * y that of as many members in the tail, both in 2^-40. 0 where they are equal: then k would be the tail's. */
static uint64_t gain_of(const sums *s, uint64_t asked, uint64_t members)
{
    const uint64_t one = UINT64_C(1) << 40, tail = blm_muldiv(s->tail_asked, one, s->asked);
    const uint64_t w = blm_muldiv(asked, one, s->asked) + 1;
    const uint64_t y = members >> 24 < s->tail_held ? blm_muldiv(members, tail, s->tail_held) : one;
    const uint64_t x = (y < one ? y : one) + 1;
    const int64_t log = blm_log2_fixed(x) - blm_log2_fixed(w); /* in 2^-32 */
    const uint64_t nats = blm_mulshift((uint64_t)(log < 0 ? -log : log), UINT64_C(2977044472), 32);
    const int64_t part = (int64_t)blm_mulshift(x, nats, 32);
    const int64_t gain = (int64_t)w - (int64_t)x + (log < 0 ? -part : part);
    return gain > 0 ? (uint64_t)gain : 0;
}

/* A heap whose first one has the least gain; it is kept in `load`, which the solver sets later. Ties: the larger hash goes. */
static bool before(const blm_class *a, const blm_class *b)
{
    return a->load != b->load ? a->load < b->load : a->of > b->of;
}

static void swap(blm_class *a, blm_class *b)
{
    const blm_class t = *a;
    *a = *b;
    *b = t;
}

static void sink(blm_class *c, size_t n, size_t i)
{
    for (size_t j; (j = 2 * i + 1) < n; i = j) {
        if (j + 1 < n && before(&c[j + 1], &c[j])) j++;
        if (!before(&c[j], &c[i])) return;
        swap(&c[i], &c[j]);
    }
}

static void rise(blm_class *c, size_t i)
{
    for (; i && before(&c[i], &c[(i - 1) / 2]); i = (i - 1) / 2) swap(&c[i], &c[(i - 1) / 2]);
}

/* Those with the most gain, at most `max`; the rest, and all keys that are on no list, become one class at the end. */
static size_t choose_once(walk w, const sums *s, size_t max, blm_class *c)
{
    uint64_t lo, asked, held;
    size_t n = 0;
    while (max && next_key(&w, &lo, &asked, &held)) {
        const uint64_t members = members_of(s, held);
        const blm_class k = {
            .asked = asked, .held = members, .of = lo, .load = gain_of(s, asked, members)};
        if (n < max) {
            c[n] = k;
            rise(c, n++);
        } else if (before(&c[0], &k)) {
            c[0] = k;
            sink(c, n, 0);
        }
    }
    uint64_t rest_asked = s->asked, rest_held = s->members;
    for (size_t i = 0; i < n; i++) {
        rest_asked -= c[i].asked;
        rest_held = rest_held > c[i].held ? rest_held - c[i].held : 0;
    }
    c[n] = (blm_class){.asked = rest_asked, .held = rest_held ? rest_held : 1};
    return n;
}

/* Which keys stand out of the tail depends on the tail: again, until it stays. */
static size_t choose(walk w, sums *s, size_t max, blm_class *c)
{
    size_t n = 0;
    for (unsigned pass = 0; pass < HEAD_PASSES; pass++) {
        n = choose_once(w, s, max, c);
        if (s->tail_asked == c[n].asked && s->tail_held == c[n].held) break;
        s->tail_asked = c[n].asked;
        s->tail_held = c[n].held;
    }
    return n;
}

/* ---- the table ---------------------------------------------------------------------------------------------------- */

/* By rising hash, so that the table does not tell in which order the keys were chosen. The heap is turned round. */
static void sort_by_hash(blm_class *c, size_t n)
{
    for (size_t i = 0; i < n; i++)
        c[i].load = c[i].of; /* the least first: rise and sink go by it */
    for (size_t i = n / 2; i-- > 0;) sink(c, n, i);
    for (size_t left = n; left > 1; left--) {
        swap(&c[0], &c[left - 1]);
        sink(c, left - 1, 0);
    }
    for (size_t i = 0; i < n / 2; i++) swap(&c[i], &c[n - 1 - i]);
}

/* A key whose bucket is full, or whose bits are there already, is one of the tail, or of the other's k. */
static void put_entries(const blm_popularity *p, uint8_t *cells, const blm_class *c, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (c[i].k == p->tail) continue;
        const uint64_t word = blm_head_word((blm_hash){c[i].of, 0});
        const uint32_t print = blm_head_print(word);
        uint8_t *at = cells + blm_head_bucket(p, word);
        unsigned place = 0;
        while (place < HEAD_BUCKET && blm_le32(at) && blm_le32(at) >> 6 != print)
            place++, at += sizeof(uint32_t);
        if (place < HEAD_BUCKET && !blm_le32(at)) blm_put32(at, print << 6 | (c[i].k - 1));
    }
}

static void put_levels(const blm_popularity *p, uint8_t *cells, const blm_class *c, size_t n,
                       const sums *s)
{
    uint64_t asked[HEAD_LEVELS] = {0}, held[HEAD_LEVELS] = {0};
    for (size_t i = 0; i < n; i++) {
        asked[c[i].k - 1] += c[i].asked;
        held[c[i].k - 1] += c[i].held;
    }
    for (unsigned k = 0; k < HEAD_LEVELS; k++) {
        uint8_t *at = cells + blm_head_levels_at(p) + UINT64_C(8) * k;
        const uint64_t all = s->members > held[k] ? s->members : held[k];
        const uint32_t share = (uint32_t)blm_muldiv(held[k], UINT32_MAX, all);
        blm_put32(at, (uint32_t)blm_muldiv(asked[k], UINT32_MAX, s->asked));
        blm_put32(at + 4, share || k + 1 != p->tail ? share : 1); /* the tail always has one */
    }
}

bool blm_head_fits(const blm_popularity *p)
{
    const uint8_t *cells = p->flat.base.cells;
    if (!p->tail) return true;
    if (!blm_le32(cells + blm_head_levels_at(p) + UINT64_C(8) * (p->tail - 1u) + 4)) return false;
    for (uint64_t at = blm_head_at(p); at < blm_head_bytes(p); at += sizeof(uint32_t)) {
        const uint32_t entry = blm_le32(cells + at);
        if (entry && (entry & 63) + 1 == p->tail) return false;
    }
    return true;
}

size_t blm_head_table(const blm_popularity *p, blm_class out[HEAD_LEVELS])
{
    size_t n = 0;
    for (unsigned k = 1; p->tail && k <= HEAD_LEVELS; k++) {
        const uint8_t *at = p->flat.base.cells + blm_head_levels_at(p) + UINT64_C(8) * (k - 1);
        const blm_class c = {.asked = blm_le32(at), .held = blm_le32(at + 4), .k = k};
        if (c.asked || c.held) out[n++] = c;
    }
    if (!n) out[n++] = (blm_class){.asked = 1, .held = 1, .k = p->tail ? p->tail : p->flat.hashes};
    return n;
}

bool blm_head_same(const blm_filter *f, const blm_filter *g)
{
    const blm_popularity *p = (const blm_popularity *)f, *q = (const blm_popularity *)g;
    if (p->tail != q->tail || p->named != q->named || p->mean != q->mean) return false;
    const uint64_t bits = p->tail ? blm_head_levels_at(p) : f->bytes;
    return f->bytes == g->bytes &&
           !memcmp(f->cells + bits, g->cells + bits, (size_t)(f->bytes - bits));
}

/* ---- all of it ------------------------------------------------------------------------------------------------------ */

static sums sums_of(walk w, uint64_t members)
{
    uint64_t lo, asked, held;
    unsigned fine = 20;
    while (fine && members >> (42 - fine)) fine--;
    sums s = {.asked = 1, .held = 1, .members = members << fine, .chance = UINT64_C(1) << fine};
    for (; next_key(&w, &lo, &asked, &held); s.keys++) s.asked += asked, s.held += held;
    s.tail_asked = s.asked;
    s.tail_held = s.members;
    return s;
}

/* The fields of the table, and cells for it. */
static blm_err furnish(blm_filter *f, const blm_class *c, size_t n, const sums *s, blm_report *why)
{
    blm_popularity *p = (blm_popularity *)f;
    blm_popularity with = *p;
    uint64_t held = 0, hashes = 0;
    blm_region fresh;
    with.tail = (uint8_t)c[n].k;
    with.named = 0;
    for (size_t i = 0; i <= n; i++) {
        with.named += i < n && c[i].k != with.tail;
        held += c[i].held >> 8; /* sums of 2^43, times 64 and 2^16 */
        hashes += (c[i].held >> 8) * c[i].k;
    }
    with.mean =
        held ? (uint32_t)blm_muldiv(hashes, UINT64_C(1) << 16, held) : (uint32_t)with.tail << 16;
    if (blm_recell(f, &fresh, blm_head_bytes(&with)))
        return blm_fail(why, BLM_E_NOMEM, "no memory for a table of %u keys", with.named);
    put_entries(&with, fresh.cells, c, n);
    put_levels(&with, fresh.cells, c, n + 1, s);
    p->tail = with.tail;
    p->named = with.named;
    p->mean = with.mean;
    f->can &= ~(uint32_t)BLM_OVERLAP; /* as shape() says of a table */
    blm_commit(f, &fresh);
    return BLM_OK;
}

blm_err blm_head_build(blm_filter *f, const blm_rows *asked, const blm_rows *held, blm_report *why)
{
    const blm_popularity *p = (const blm_popularity *)f;
    if (!p->head || (!asked->n && !held->n)) return BLM_OK;
    const walk w = {asked, held, 0, 0, shift_of(asked), shift_of(held)};
    const uint64_t members = f->capacity ? f->capacity : 1;
    sums s = sums_of(w, members);
    const size_t max = s.keys < p->head ? (size_t)s.keys : p->head;
    blm_region room;
    if (blm_recell(f, &room, (max + 1) * sizeof(blm_class)))
        return blm_fail(why, BLM_E_NOMEM, "no memory to choose among %zu keys", max);
    blm_class *c = (blm_class *)(void *)room.cells;
    const size_t n = choose(w, &s, max, c);
    sort_by_hash(c, n);
    const uint64_t per_key = blm_classes_per_key(p->flat.cells, members);
    blm_classes_solve(c, n + 1, (blm_classes_room){per_key, 0, p->flat.hashes});
    const blm_err err = furnish(f, c, n, &s, why);
    f->alloc.put(f->alloc.ctx, room.cells, (size_t)room.bytes);
    return err;
}
