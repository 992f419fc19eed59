/* chain.h - a small sound kind with children, and one wrong place per law; as sound.h is for kinds with cells.
 *
 * A filter that grows by a child whenever the last one is full: a quarter of the keys, as many again, twice that, ...
 *
 *   CHAIN_NAME, CHAIN_TEXT   broken_grown_bytes, "broken-grown-bytes"
 *   CHAIN_WRONG              CHAIN_NONE, or what is wrong
 */
#include <math.h>
#include <string.h>
#include "core/kind.h"

#define CHAIN_NONE       0
#define CHAIN_LOOKS      1 /* it grows and does not say so, neither by room nor by grow */
#define CHAIN_BYTES      2 /* each growth takes much more memory for a moment           */
#define CHAIN_BATCH      3 /* a batch asks all children but the first                   */
#define CHAIN_MERGE      4 /* children that only the other one has are forgotten        */
#define CHAIN_HASH       5 /* some children are asked with the hash of their parent     */
#define CHAIN_GROWS      (CHAIN_WRONG != CHAIN_LOOKS && CHAIN_WRONG != CHAIN_HASH)
#define CHAIN_GLUE(a, b) a##b
#define CHAIN_KIND(name) CHAIN_GLUE(blm_kind_, name)

typedef struct chain {
    blm_filter base;
    uint64_t first;
    uint8_t halvings;
} chain;

static const blm_field fields[] = {
    BLM_FIELD(chain, first, BLM_F_SHAPE, 1, UINT64_C(1) << 56, "keys of the first child"),
    BLM_FIELD(chain, halvings, BLM_F_SHAPE, 1, 40, "fpr >= 2^-halvings"),
};

static blm_err plan(blm_filter *f, const blm_config *wish, const blm_knobs *knobs, blm_report *why)
{
    chain *c = (chain *)f;
    (void)knobs;
    if (wish->bits) return blm_fail(why, BLM_E_ARG, "bits %g: say keys", (double)wish->bits);
    c->first = (wish->keys + 3) / 4;
    c->halvings = (uint8_t)fmin(ceil(-log2(wish->fpr)), 255);
    return BLM_OK;
}

static blm_err shape(blm_filter *f, uint64_t *bytes, blm_report *why)
{
    (void)f, (void)why;
    *bytes = 0;
    return BLM_OK;
}

static blm_err check(const blm_filter *f, blm_report *why)
{
    return f->nchild ? BLM_OK : blm_fail(why, BLM_E_IMAGE, "it has lost its children");
}

static uint64_t all_keys(const blm_filter *f)
{
    return blm_doubled(((const chain *)f)->first, f->nchild ? f->nchild - 1u : 0);
}

static blm_err append(blm_filter *f, blm_report *why)
{
    const chain *c = (const chain *)f;
    const size_t much = (size_t)c->first << 10;
    const bool wasteful = CHAIN_WRONG == CHAIN_BYTES && f->nchild > 4 && c->first < 1 << 20;
    if (f->nchild == 20) return blm_fail(why, BLM_E_FULL, "20 children: no more");
    void *waste = wasteful ? f->alloc.get(f->alloc.ctx, much) : NULL;
    const blm_config wish = {.size = sizeof wish,
                             .kind = "standard",
                             .keys = f->nchild ? all_keys(f) : c->first,
                             .fpr = ldexp(0.5, -c->halvings - f->nchild)};
    const blm_err err = blm_child(f, &wish, f->nchild + 1u, why);
    if (waste) f->alloc.put(f->alloc.ctx, waste, much);
    return err;
}

#if CHAIN_WRONG != CHAIN_LOOKS
static uint64_t room(const blm_filter *f)
{
    const uint64_t now = all_keys(f);
    return now > f->capacity ? now : f->capacity;
}

#endif

#if CHAIN_GROWS
static blm_err grow(blm_filter *f, blm_report *why)
{
    const uint64_t want = blm_doubled(blm_capacity_now(f), 1);
    blm_err err = BLM_OK;
    if (f->nchild > 17) return blm_fail(why, BLM_E_FULL, "20 children: no more");
    while (!err && all_keys(f) < want) err = append(f, why);
    return err;
}
#endif

static blm_rate fpr(const blm_filter *f, const blm_case *c)
{
    double no = 1;
    if (c) return (blm_rate){0, ldexp(1, -((const chain *)f)->halvings), 0};
    for (uint32_t i = 0; i < f->nchild; i++) no *= 1 - blm_fpr(f->child[i], NULL).high;
    return (blm_rate){1 - no, 1 - no, 0};
}

static bool has(const blm_filter *f, blm_hash h, const blm_item *it)
{
    for (uint32_t i = 0; i < f->nchild; i++) {
        const blm_filter *c = f->child[i];
        const bool wrong = CHAIN_WRONG == CHAIN_HASH && h.lo % 1024 == 7;
        if (wrong ? c->kind->has(c, h, it) : blm_child_has(f, i, h, it)) return true;
    }
    return false;
}

static blm_err add(blm_filter *f, blm_hash h, const blm_item *it, bool *fresh)
{
    uint32_t i = 0;
    *fresh = !has(f, h, it);
    if (!*fresh) return BLM_OK;
    while (i < f->nchild && f->child[i]->adds >= f->child[i]->capacity) i++;
    const bool full = i == f->nchild;
    blm_err err = full ? append(f, NULL) : BLM_OK;
    if (err) return err;
    if (full) blm_grown(f);
    blm_filter *c = f->child[i];
    return blm_add_item(c, &(blm_item){blm_child_hash(c, h), NULL, 8, BLM_NO_ARG}, NULL);
}

#if CHAIN_WRONG != CHAIN_HASH
static void prefetch_many(const blm_filter *f, const blm_hash *h, size_t n)
{
    if (f->nchild) blm_child_prefetch_many(f, 0, h, n);
}

static void has_many(const blm_filter *f, const blm_hash *h, const uint64_t *a, size_t n,
                     size_t more, uint8_t *yes)
{
    uint8_t also[256];
    memset(yes, 0, n);
    for (size_t at = 0; at < n; at += sizeof also) {
        const size_t now = n - at < sizeof also ? n - at : sizeof also;
        for (uint32_t i = CHAIN_WRONG == CHAIN_BATCH && f->nchild > 5; i < f->nchild; i++) {
            blm_child_has_many(f, i, h + at, a, now, i ? 0 : n - at - now + more, also);
            for (size_t j = 0; j < now; j++) yes[at + j] |= also[j];
        }
    }
}
#endif

static blm_err merge(blm_filter *f, const blm_filter *g, blm_report *why)
{
    const uint32_t both = f->nchild < g->nchild ? f->nchild : g->nchild;
    blm_err err = BLM_OK;
    for (uint32_t i = 0; i < both && !err; i++) err = blm_may_merge(f->child[i], g->child[i], why);
    if (!err && CHAIN_WRONG != CHAIN_MERGE) err = blm_child_copies(f, g, f->nchild, why);
    for (uint32_t i = 0; i < both && !err; i++) err = blm_merge(f->child[i], g->child[i], why);
    return err;
}

extern const blm_kind CHAIN_KIND(CHAIN_NAME);
const blm_kind CHAIN_KIND(CHAIN_NAME) = {
    .name = CHAIN_TEXT,
    .group = "broken",
    .version = 1,
    .size = sizeof(chain),
    .promises = BLM_NO_MISS | BLM_IDEMPOTENT,
    .fields = fields,
    .nfields = BLM_LEN(fields),
    .plan = plan,
    .shape = shape,
    .start = append,
    .check = check,
    .fpr = fpr,
    .has = has,
    .add = add,
#if CHAIN_WRONG != CHAIN_HASH
    .prefetch_many = prefetch_many,
    .has_many = has_many,
#endif
    .merge = merge,
#if CHAIN_GROWS
    .grow = grow,
#endif
#if CHAIN_WRONG != CHAIN_LOOKS
    .room = room,
#endif
};
