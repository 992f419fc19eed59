/* layers.c - filters in a row, all of which are asked. */
#include <math.h>
#include <string.h>

#include "parts/layers.h"

enum {
    LAYERS_PIECE = 256,
    LAYERS_NEAR = 1 << 18
}; /* near: bytes that are in a cache after some pieces */

bool blm_layers_has(const blm_filter *f, blm_hash h, const blm_item *it)
{
    for (uint32_t i = f->nchild; i--;)
        if (blm_child_has(f, i, h, it)) return true;
    return false;
}

void blm_layers_prefetch_many(const blm_filter *f, const blm_hash *h, size_t n)
{
    if (f->nchild) blm_child_prefetch_many(f, f->nchild - 1u, h, n);
}

/* The keys of a piece that no layer has taken so far. Most layers take none of a piece, and then nothing moves: as long as
 * no key is taken they are the piece itself. */
typedef struct rest {
    const blm_hash *h;
    size_t n;
    bool apart; /* room and place are in use */
    blm_hash room[LAYERS_PIECE];
    uint8_t place[LAYERS_PIECE]; /* in the piece */
} rest;
_Static_assert(LAYERS_PIECE == UINT8_MAX + 1, "a place in a piece is a byte");

/* Those that a layer took leave, the others close up. */
static void drop_taken(rest *r, const uint8_t *taken, uint8_t *yes)
{
    size_t kept = 0;
    if (!memchr(taken, 1, r->n)) return;
    for (size_t i = 0; i < r->n; i++) { /* without a branch per key */
        const uint8_t place = r->apart ? r->place[i] : (uint8_t)i;
        yes[place] = taken[i];
        r->room[kept] = r->h[i];
        r->place[kept] = place;
        kept += !taken[i];
    }
    r->h = r->room;
    r->n = kept;
    r->apart = true;
}

void blm_layers_has_many(const blm_filter *f, const blm_hash *h, const uint64_t *a, size_t n,
                         size_t more, uint8_t *yes)
{
    uint8_t taken[LAYERS_PIECE];
    (void)a;
    memset(yes, 0, n);
    for (size_t at = 0; f->nchild && at < n; at += LAYERS_PIECE) {
        const size_t now = n - at < LAYERS_PIECE ? n - at : LAYERS_PIECE,
                     behind = n - at - now + more;
        uint32_t i = f->nchild - 1u;
        rest r;
        r.h = h + at, r.n = now, r.apart = false;
        blm_child_has_many(f, i, r.h, NULL, now, behind < BLM_AHEAD ? behind : BLM_AHEAD, taken);
        drop_taken(&r, taken, yes + at);
        while (i-- > 0 && r.n) {
            if (f->child[i]->bytes > LAYERS_NEAR) blm_child_prefetch_many(f, i, r.h, r.n);
            blm_child_has_many(f, i, r.h, NULL, r.n, 0, taken);
            drop_taken(&r, taken, yes + at);
        }
    }
}

size_t blm_layers_touch(const blm_filter *f, blm_hash h, const blm_item *it, blm_touch *out,
                        size_t cap)
{
    size_t n = 0;
    for (uint32_t i = f->nchild; i--;) {
        const blm_filter *c = f->child[i];
        const blm_hash own = blm_child_hash(c, h);
        if (!c->kind->touch) return 0; /* one does not tell */
        n += c->kind->touch(c, own, it, out + (n < cap ? n : cap), n < cap ? cap - n : 0);
        if (c->kind->has(c, own, it)) break;
    }
    return n;
}

double blm_layers_fill(const blm_filter *f)
{
    double ones = 0, cells = 0;
    for (uint32_t i = 0; i < f->nchild; i++) {
        const blm_filter *c = f->child[i];
        if (!c->kind->fill) continue;
        ones += c->kind->fill(c) * (double)c->bytes;
        cells += (double)c->bytes;
    }
    return cells > 0 ? ones / cells : 0;
}

uint64_t blm_layers_room(const blm_filter *f)
{
    uint64_t keys = 0;
    for (uint32_t i = 0; i < f->nchild; i++)
        keys = blm_sum_below(keys, f->child[i]->capacity, UINT64_MAX);
    return f->nchild ? keys : f->capacity;
}

blm_rate blm_layers_rate(const blm_filter *f)
{
    double no = 0; /* its logarithm: rates of 10^-15 keep their digits */
    for (uint32_t i = 0; i < f->nchild; i++) no += log1p(-blm_fpr(f->child[i], NULL).high);
    return (blm_rate){-expm1(no), -expm1(no), 0};
}

double blm_layers_lines(const blm_filter *f)
{
    double lines = 0;
    for (uint32_t i = 0; i < f->nchild; i++) {
        const blm_filter *c = f->child[i];
        lines += c->kind->lines ? c->kind->lines(c, NULL) : 1;
    }
    return lines;
}

blm_estimate blm_layers_keys_of(const blm_filter *f, uint32_t i)
{
    const blm_filter *c = f->child[i];
    const double adds = (double)c->adds;
    blm_estimate n = {adds, adds, adds, false};
    if (c->kind->keys) c->kind->keys(c, &n);
    return n;
}
