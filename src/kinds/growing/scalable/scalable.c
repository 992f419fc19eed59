/* scalable.c - a filter that grows with its keys and keeps its rate.
 *
 * QUESTION  Is the key in a set whose size nobody knows beforehand?
 *
 * PICTURE   Layers, each a filter of k slices. A new one, `growth` times as large, follows when the last one has its keys.
 *
 *             layer 0        layer 1              layer 2
 *           | 1000 keys |   2000 keys    |         4000 keys          |  8000 keys ...
 *           | P0        |   P0 r         |         P0 r^2             |  P0 r^3
 *
 *           Each layer errs less than the one before it, by `tightening`: all of them together err at most P, however
 *           many there are. A query asks from the newest layer on, where half of the keys are. A key that some layer
 *           takes for a member is not added again, so only new keys fill layers.
 *
 * COST      At 1 %, begun at 1000 keys: 15.2 bits per key at 15,000 keys, where a filter of the right size has 9.6. The factor
 *           is 1.6 to 3.1: the last layer is half empty on average, and rates that shrink cost bits. A non-member is
 *           asked for in every layer, log2(n / first) of them, 2 probes in each.
 *           Where no layer can be had (`layers`, max_bytes, no memory) keys go on into the last one, and the rate rises;
 *           at twice the promise add fails with BLM_E_FULL. Merging works layer by layer, of equal settings: the
 *           fills add up, so the rate may pass the promise, and info shows it.
 *
 * CHOOSE    scalable when the number of keys is unknown and may be far above any guess. When it is known to within a
 *           factor of two, choose partitioned or blocked for the larger number; when keys are deleted as well, dleft
 *           grows by doubling, at a rate that doubles too. inner=blocked reads one cache line per layer, for 2 to 5 %
 *           more memory at 1 %.
 *
 * PAPER     Almeida, Baquero, Preguica, Hutchison: Scalable Bloom Filters, IPL 101(6), 2007. The number of fresh keys
 *           triggers growth, as there, and not the fill. They append a layer when the last one is full; we do when the
 *           next key comes, so a filter with exactly its capacity has one layer less. P0 = P (1 - r) / (1 - r^layers),
 *           so that one layer alone (layers=1) gets P. Theirs has a layer for every size; here k is at most 64.
 */
#include <math.h>
#include <string.h>

#include "parts/layers.h"
#include "parts/wish.h"
#include "scalable.h"

#define ONE_HALVING (UINT64_C(1) << 32)

static const blm_field scalable_fields[] = {
    BLM_FIELD(blm_scalable, first, BLM_F_SHAPE, 1, UINT64_C(1) << 56, "n0, keys of layer 0"),
    BLM_FIELD(blm_scalable, halvings, BLM_F_SHAPE, 0, 64 * ONE_HALVING,
              "log2 of 1 / the rate of layer 0, in 2^-32"),
    BLM_FIELD(blm_scalable, step, BLM_F_SHAPE, 0, 64 * ONE_HALVING,
              "log2 of 1 / tightening, in 2^-32"),
    BLM_FIELD(blm_scalable, max_bytes, BLM_F_SHAPE, 0, UINT64_C(1) << 57,
              "bytes of all layers; 0: no limit"),
    BLM_FIELD(blm_scalable, factor, BLM_F_SHAPE, 1 << 16, 1000 << 16, "g, in 2^-16"),
    BLM_FIELD(blm_scalable, layers, BLM_F_SHAPE, 1, BLM_SCALABLE_LAYERS, "layers at most"),
    BLM_FIELD(blm_scalable, inner, BLM_F_SHAPE, 0, BLM_SCALABLE_BLOCKED,
              "layers: 0 partitioned, 1 blocked"),
};

enum { SCALABLE_INNER, SCALABLE_GROWTH, SCALABLE_TIGHTENING, SCALABLE_LAYERS, SCALABLE_MAX_BYTES };
static const blm_knobdef scalable_knobs[] = {
    [SCALABLE_INNER] = {"inner", "what a layer is", BLM_K_WORD, .words = "partitioned|blocked"},
    [SCALABLE_GROWTH] = {"growth", "keys of a layer, by those of the one before", BLM_K_NUMBER,
                         .def = 2, .min = 1, .max = 1000},
    [SCALABLE_TIGHTENING] = {"tightening", "rate of a layer, by that of the one before; below 1",
                             BLM_K_NUMBER, .def = 0.85, .min = 0, .max = 1},
    [SCALABLE_LAYERS] = {"layers", "layers at most; 1: it never grows", BLM_K_NUMBER, .def = 64,
                         .min = 1, .max = BLM_SCALABLE_LAYERS},
    [SCALABLE_MAX_BYTES] = {"max_bytes", "bytes of all layers at most; 0: no limit", BLM_K_NUMBER,
                            .def = 0, .min = 0, .max = 0x1p57},
};

/* ---- theory ---------------------------------------------------------------------------- */

static blm_err scalable_check_wish(const blm_config *wish, const blm_knobs *knobs, blm_report *why)
{
    const double r = knobs->num[SCALABLE_TIGHTENING], layers = knobs->num[SCALABLE_LAYERS];
    if (wish->bits)
        return blm_fail(why, BLM_E_ARG,
                        "bits %llu: scalable takes memory as its keys come; set keys for the first "
                        "layer, and max_bytes to limit all of them",
                        (unsigned long long)wish->bits);
    if (wish->hashes)
        return blm_fail(why, BLM_E_ARG,
                        "hashes %u: each layer of scalable has its own number; set fpr",
                        wish->hashes);
    if (!(r > 0 && r < 1))
        return blm_fail(why, BLM_E_ARG, "tightening=%g: must be above 0 and below 1, such as 0.85",
                        r);
    if (layers != floor(layers))
        return blm_fail(why, BLM_E_ARG, "layers=%g: must be a whole number from 1 to %d", layers,
                        BLM_SCALABLE_LAYERS);
    return BLM_OK;
}

static blm_err scalable_plan(blm_filter *f, const blm_config *wish, const blm_knobs *knobs,
                             blm_report *why)
{
    blm_scalable *s = (blm_scalable *)f;
    const blm_err err = scalable_check_wish(wish, knobs, why);
    if (err) return err;
    const double r = knobs->num[SCALABLE_TIGHTENING], layers = knobs->num[SCALABLE_LAYERS];
    const double p0 = wish->fpr * (1 - r) / (1 - pow(r, layers));
    s->first = wish->keys;
    s->halvings = (uint64_t)llround(ldexp(fmin(-log2(p0), 64), 32));
    s->step = (uint64_t)llround(ldexp(fmin(-log2(r), 64), 32));
    s->factor = (uint32_t)lround(ldexp(knobs->num[SCALABLE_GROWTH], 16));
    s->layers = (uint16_t)layers;
    s->inner = (uint8_t)knobs->num[SCALABLE_INNER];
    s->max_bytes = 0;
    blm_layer l;
    if (!(p0 >= 0x1p-64) || !blm_layer_at(s, 0, &l))
        return blm_wish_beyond(wish, "2^60 bits or 64 hashes for layer 0", why);
    const double most = knobs->num[SCALABLE_MAX_BYTES];
    if (most > 0 && most < (double)blm_layer_bytes(&l))
        return blm_fail(why, BLM_E_ARG, "max_bytes=%.15g: the first layer alone has %llu bytes",
                        most, (unsigned long long)blm_layer_bytes(&l));
    s->max_bytes = (uint64_t)most;
    return BLM_OK;
}

static blm_err scalable_shape(blm_filter *f, uint64_t *bytes, blm_report *why)
{
    (void)why;
    if (((const blm_scalable *)f)->layers == 1) f->can &= ~(uint32_t)BLM_GROW;
    *bytes = 0; /* all it has are its layers */
    return BLM_OK;
}

static bool scalable_is_layer(const blm_scalable *s, const blm_filter *c, unsigned i)
{
    const char *kind = s->inner == BLM_SCALABLE_BLOCKED ? "blocked" : "partitioned";
    blm_field_info cells, hashes;
    blm_layer l;
    return strcmp(c->kind->name, kind) == 0 && c->salt == i + 1 && blm_field_at(c, 0, &cells) &&
           blm_field_at(c, 1, &hashes) && blm_layer_at(s, i, &l) && cells.value == l.cells &&
           hashes.value == l.hashes && c->capacity == l.keys;
}

static blm_err scalable_check(const blm_filter *f, blm_report *why)
{
    const blm_scalable *s = (const blm_scalable *)f;
    if (!f->nchild || f->nchild > s->layers)
        return blm_fail(why, BLM_E_IMAGE, "%u layers: there must be 1 to %u", f->nchild, s->layers);
    for (unsigned i = 0; i < f->nchild; i++)
        if (!scalable_is_layer(s, f->child[i], i))
            return blm_fail(why, BLM_E_IMAGE, "layer %u is not the one that the fields ask for", i);
    return BLM_OK;
}

static blm_rate scalable_fpr(const blm_filter *f, const blm_case *c)
{
    return c ? blm_scalable_rate((const blm_scalable *)f, c) : blm_layers_rate(f);
}

static double scalable_lines(const blm_filter *f, const blm_case *c)
{
    return c ? blm_scalable_lines((const blm_scalable *)f, c) : blm_layers_lines(f);
}

/* By the fills of the layers: also the keys that went nowhere, because an older layer took them for members. What an older
 * layer has above its capacity came by a merge, where nothing was asked. */
static blm_err scalable_keys(const blm_filter *f, blm_estimate *n)
{
    const blm_scalable *s = (const blm_scalable *)f;
    double no = 1, variance = 0, sum = 0;
    bool bound = false;
    blm_layer_walk w = blm_layer_begin(s);
    for (uint32_t i = 0; i < f->nchild; i++) {
        const blm_estimate in = blm_layers_keys_of(f, i);
        blm_layer l;
        const bool known = blm_layer_next(s, &w, &l), last = i + 1u == f->nchild;
        const double asked = last || !known ? in.value : fmin(in.value, blm_layer_full(s, &l));
        sum += asked / fmax(no, 0x1p-60) + in.value - asked;
        variance += (in.high - in.value) * (in.high - in.value);
        if (known) no *= 1 - blm_layer_rate(s, &l, asked);
        bound = bound || in.bound;
    }
    const double sd = sqrt(variance);
    *n = (blm_estimate){sum, fmax(0, sum - sd), sum + sd, bound};
    return BLM_OK;
}

/* ---- growth ----------------------------------------------------------------------------- */

static uint64_t scalable_wish(const blm_filter *f, uint32_t place, blm_config *c)
{
    const blm_scalable *s = (const blm_scalable *)f;
    blm_layer l = {0};
    blm_layer_at(s, place, &l);
    c->kind = s->inner == BLM_SCALABLE_BLOCKED ? "blocked" : "partitioned";
    c->keys = l.keys;
    c->bits = l.bits;
    c->hashes = l.hashes;
    return place + UINT64_C(1);
}

static blm_err scalable_start(blm_filter *f, blm_report *why)
{
    return blm_children(f, 1, scalable_wish, why);
}

/* As many layers as have twice the room. */
static blm_err scalable_grow(blm_filter *f, blm_report *why)
{
    const blm_scalable *s = (const blm_scalable *)f;
    const uint64_t room = blm_capacity_now(f), want = blm_doubled(room, 1);
    uint64_t then = 0;
    blm_layer_walk w = blm_layer_begin(s);
    blm_layer l;
    while (w.next < f->nchild || then < want) {
        if (!blm_layer_next(s, &w, &l))
            return blm_fail(why, BLM_E_FULL,
                            "%u layers have room for %llu keys: `layers`, max_bytes or the largest "
                            "filter allow no room for twice as many",
                            f->nchild, (unsigned long long)room);
        then = blm_sum_below(then, l.keys, UINT64_MAX);
    }
    return blm_children(f, w.next - f->nchild, scalable_wish, why);
}

static bool scalable_has_room(const blm_filter *layer) { return layer->adds < layer->capacity; }

/* The layer for the next key: the first one with room, a new one, or the last one where none can be had. That is tried
 * again every 64th of its keys: memory may be there then. */
blm_filter *blm_scalable_active(blm_filter *f)
{
    blm_layer l;
    uint32_t i = f->nchild - 1u;
    while (i && scalable_has_room(f->child[i - 1])) i--;
    blm_filter *last = f->child[i];
    if (scalable_has_room(last)) return last;
    if ((last->adds - last->capacity) % (last->capacity / 64 + 1) == 0 &&
        blm_layer_at((const blm_scalable *)f, f->nchild, &l) &&
        !blm_children(f, 1, scalable_wish, NULL)) {
        blm_grown(f);
        return f->child[f->nchild - 1];
    }
    return last;
}

/* ---- operations ------------------------------------------------------------------------- */

static blm_err scalable_add(blm_filter *f, blm_hash h, const blm_item *it, bool *fresh)
{
    *fresh = false;
    if (blm_layers_has(f, h, it)) return BLM_OK;
    blm_filter *layer = blm_scalable_active(f);
    const blm_err err = layer->kind->add(layer, blm_child_hash(layer, h), it, fresh);
    if (!err) blm_count_adds(layer, 1);
    return err;
}

static blm_err scalable_merge(blm_filter *f, const blm_filter *g, blm_report *why)
{
    const uint32_t both = f->nchild < g->nchild ? f->nchild : g->nchild;
    blm_err err = BLM_OK;
    for (uint32_t i = 0; i < both && !err; i++) err = blm_may_merge(f->child[i], g->child[i], why);
    if (!err) err = blm_child_copies(f, g, f->nchild, why);
    for (uint32_t i = 0; i < both && !err; i++) err = blm_merge(f->child[i], g->child[i], why);
    return err;
}

const blm_kind blm_kind_scalable = {
    .name = "scalable",
    .group = "growing",
    .version = 1,
    .size = sizeof(blm_scalable),
    .needs = BLM_NEEDS_HASH64 | BLM_NEEDS_LO,
    .promises = BLM_NO_MISS | BLM_IDEMPOTENT,
    .fields = scalable_fields,
    .nfields = BLM_LEN(scalable_fields),
    .knobs = scalable_knobs,
    .nknobs = BLM_LEN(scalable_knobs),
    .plan = scalable_plan,
    .shape = scalable_shape,
    .start = scalable_start,
    .check = scalable_check,
    .fpr = scalable_fpr,
    .lines = scalable_lines,
    .fill = blm_layers_fill,
    .touch = blm_layers_touch,
    .has = blm_layers_has,
    .add = scalable_add,
    .prefetch_many = blm_layers_prefetch_many,
    .has_many = blm_layers_has_many,
    .add_many = blm_scalable_add_many,
    .merge = scalable_merge,
    .grow = scalable_grow,
    .room = blm_layers_room,
    .bytes_at = blm_scalable_bytes,
    .keys = scalable_keys,
};
