/* toy_chain.c - a filter that need not know how many keys will come.
 * QUESTION  Is the key in a set of unknown size?
 * PICTURE   own cells: | keys of child 0 | of child 1 | ...  and each child a standard filter.
 * COST      a child as large as all before it, `first` keys at first; child i at 2^-(halvings + 1 + i): together below fpr.
 * CHOOSE    it to see how a kind has children, and a region that grows with them.
 * PAPER     Almeida, Baquero, Preguica, Hutchison: Scalable Bloom Filters, IPL 101(6), 2007. */
#include <math.h>
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
    err = blm_child(f, BLM_CONFIG(.kind = "standard", .keys = keys, .fpr = fpr), why);
    if (err) return f->alloc.put(f->alloc.ctx, more.cells, (size_t)more.bytes), err;
    if (f->bytes) memcpy(more.cells, f->cells, (size_t)f->bytes);
    blm_commit(f, &more);
    return t->stages++, BLM_OK;
}
static unsigned toy_chain_grown(const blm_filter *f) { return f->nchild ? f->nchild - 1 : 0; }
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
    blm_filter *last = f->child[f->nchild - 1];
    err = blm_add_item(last, &(blm_item){blm_resalt(h, last->salt), NULL, 8, BLM_NO_ARG}, NULL);
    if (!err) blm_put64(f->cells + f->bytes - 8, blm_le64(f->cells + f->bytes - 8) + 1);
    return err;
}
// clang-format off
const blm_kind blm_kind_toy_chain = {.name = "toy-chain", .group = "toy", .version = 1,
    .size = sizeof(blm_toy_chain), .promises = BLM_NO_MISS | BLM_IDEMPOTENT,
    .fields = toy_chain_fields, .nfields = BLM_LEN(toy_chain_fields), .plan = toy_chain_plan,
    .shape = toy_chain_shape, .start = toy_chain_grow, .check = toy_chain_check,
    .fpr = toy_chain_fpr, .has = toy_chain_has, .add = toy_chain_add, .grow = toy_chain_grow,
    .grown = toy_chain_grown};
