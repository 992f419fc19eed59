/* toy_chain.c - a filter that need not know how many keys will come.
 * QUESTION  Is the key in a set of unknown size?
 * PICTURE   own cells: | keys of child 0 | of child 1 | ...  and each child a standard filter.
 * COST      a child as large as all before it, `first` keys at first; child i at 2^-(halvings + 1 + i): together below fpr.
 * CHOOSE    it to see how a kind has children, and a region that grows with them.
 * PAPER     Almeida, Baquero, Preguica, Hutchison: Scalable Bloom Filters, IPL 101(6), 2007. */
#include <math.h>
#include <string.h>
#include "core/kind.h"
#include "core/bytes.h"
typedef struct blm_toy_chain {
    blm_filter base;
    uint64_t first;
    uint8_t halvings, stages;
} blm_toy_chain;
static const blm_field toy_chain_fields[] = {
    BLM_FIELD(blm_toy_chain, first, BLM_F_SHAPE, 1, UINT64_C(1) << 56, "keys of the first child"),
    BLM_FIELD(blm_toy_chain, halvings, BLM_F_SHAPE, 1, 40, "fpr >= 2^-halvings"),
    BLM_FIELD(blm_toy_chain, stages, BLM_F_STATE, 0, 16, "children")};
static blm_err toy_chain_plan(blm_filter *f, const blm_config *c, const blm_knobs *k, blm_report *y)
{
    blm_toy_chain *t = (blm_toy_chain *)f;
    if (c->bits) return blm_fail(y, BLM_E_ARG, "bits %g: it grows; say keys", (double)c->bits);
    t->first = c->keys, t->halvings = (uint8_t)fmin(ceil(-log2(c->fpr)), 255);
    return (void)k, BLM_OK;
}
static blm_err toy_chain_shape(blm_filter *f, uint64_t *bytes, blm_report *why)
{
    *bytes = ((const blm_toy_chain *)f)->stages * UINT64_C(8);
    return (void)why, BLM_OK;
}
static blm_err toy_chain_check(const blm_filter *f, blm_report *why)
{
    const bool whole = f->nchild && f->nchild == ((const blm_toy_chain *)f)->stages;
    return whole ? BLM_OK : blm_fail(why, BLM_E_IMAGE, "it has lost a child");
}
static blm_err toy_chain_grow(blm_filter *f, blm_report *why)
{
    blm_toy_chain *t = (blm_toy_chain *)f;
    blm_region more;
    if (t->stages == 16 || (t->first << t->stages) >> t->stages != t->first)
        return blm_fail(why, BLM_E_FULL, "16 children: no more");
    const double fpr = ldexp(0.5, -t->halvings - t->stages);
    blm_err err = blm_recell(f, &more, f->bytes + 8);
    if (err) return blm_fail(why, err, "no memory for one more child");
    const uint64_t keys = t->stages ? t->first << (t->stages - 1) : t->first;
    err =
        blm_child(f, BLM_CONFIG(.kind = "standard", .keys = keys, .fpr = fpr), f->nchild + 1u, why);
    if (err) return f->alloc.put(f->alloc.ctx, more.cells, (size_t)more.bytes), err;
    if (f->bytes) memcpy(more.cells, f->cells, (size_t)f->bytes);
    blm_commit(f, &more);
    return t->stages++, BLM_OK;
}
static uint64_t toy_chain_room(const blm_filter *f)
{
    return blm_doubled(((const blm_toy_chain *)f)->first, f->nchild ? f->nchild - 1u : 0);
}
static blm_rate toy_chain_fpr(const blm_filter *f, const blm_case *c)
{
    double no = 1; /* the chance that all children say no */
    if (c) return (blm_rate){0, ldexp(1, -((const blm_toy_chain *)f)->halvings), 0};
    for (uint32_t i = 0; i < f->nchild; i++) no *= 1 - blm_fpr(f->child[i], NULL).high;
    return (blm_rate){1 - no, 1 - no, 0};
}
static bool toy_chain_has(const blm_filter *f, blm_hash h, const blm_item *it)
{
    bool yes = false;
    for (uint32_t i = 0; i < f->nchild && !yes; i++) yes = blm_child_has(f, i, h, it);
    return yes;
}
static blm_err toy_chain_add(blm_filter *f, blm_hash h, const blm_item *it, bool *fresh)
{
    *fresh = !toy_chain_has(f, h, it);
    const bool full = blm_le64(f->cells + f->bytes - 8) >= f->child[f->nchild - 1]->capacity;
    blm_err err = *fresh && full ? toy_chain_grow(f, NULL) : BLM_OK;
    if (err || !*fresh) return err;
    if (full) blm_grown(f); /* by itself */
    blm_filter *last = f->child[f->nchild - 1];
    err = blm_add_item(last, &(blm_item){blm_child_hash(last, h), NULL, 8, BLM_NO_ARG}, NULL);
    if (!err) blm_put64(f->cells + f->bytes - 8, blm_le64(f->cells + f->bytes - 8) + 1);
    return err;
}
static void toy_chain_prefetch_many(const blm_filter *f, const blm_hash *h, size_t n)
{
    if (f->nchild) blm_child_prefetch_many(f, f->nchild - 1u, h, n);
}
/* Of the members half are in the last child, and then no other one is asked. */
static void toy_chain_has_many(const blm_filter *f, const blm_hash *h, const uint64_t *a, size_t n,
                               size_t more, uint8_t *yes)
{
    memset(yes, 0, n);
    if (f->nchild) blm_child_has_many(f, f->nchild - 1u, h, a, n, more, yes);
    for (size_t i = 0; i < n; i++)
        if (!yes[i]) yes[i] = toy_chain_has(f, h[i], NULL);
}
/* Child by child; those that only g has are copied. What can fail comes first. */
static blm_err toy_chain_merge(blm_filter *f, const blm_filter *g, blm_report *why)
{
    blm_toy_chain *t = (blm_toy_chain *)f;
    const uint32_t both = f->nchild < g->nchild ? f->nchild : g->nchild;
    blm_region sums;
    blm_err err = BLM_OK;
    for (uint32_t i = 0; i < both && !err; i++) err = blm_may_merge(f->child[i], g->child[i], why);
    if (err) return err;
    if ((err = blm_recell(f, &sums, f->bytes > g->bytes ? f->bytes : g->bytes)))
        return blm_fail(why, err, "no memory for the sums of both");
    if ((err = blm_child_copies(f, g, f->nchild, why)))
        return f->alloc.put(f->alloc.ctx, sums.cells, (size_t)sums.bytes), err;
    for (uint32_t i = 0; i < both && !err; i++) err = blm_merge(f->child[i], g->child[i], why);
    for (uint64_t at = 0; at < sums.bytes; at += 8)
        blm_put64(sums.cells + at, (at < f->bytes ? blm_le64(f->cells + at) : 0) +
                                       (at < g->bytes ? blm_le64(g->cells + at) : 0));
    blm_commit(f, &sums);
    t->stages = (uint8_t)f->nchild;
    return err;
}
// clang-format off
const blm_kind blm_kind_toy_chain = {.name = "toy-chain", .group = "toy", .version = 1,
    .size = sizeof(blm_toy_chain), .promises = BLM_NO_MISS | BLM_IDEMPOTENT,
    .fields = toy_chain_fields, .nfields = BLM_LEN(toy_chain_fields), .plan = toy_chain_plan,
    .shape = toy_chain_shape, .start = toy_chain_grow, .check = toy_chain_check,
    .fpr = toy_chain_fpr, .has = toy_chain_has, .add = toy_chain_add,
    .prefetch_many = toy_chain_prefetch_many, .has_many = toy_chain_has_many,
    .merge = toy_chain_merge, .grow = toy_chain_grow, .room = toy_chain_room};
