/* dynamic.c - equal filters, one after the other, and deletes.
 *
 * QUESTION  Is the key in a set of unknown size, which grows and shrinks?
 *
 * PICTURE   A list of layers: equal filters with room for c keys each, and each with its number of keys n.
 *           A key has the same places in all of them.
 *
 *              layer 0        layer 1        layer 2
 *             +----------+   +----------+   +----------+   +- - - - -+
 *             | counting |   | counting |   | counting |   :         :
 *             +----------+   +----------+   +----------+   +- - - - -+
 *                n = c          n = c       n < c: takes     appended when
 *                                           the next key     all are full
 *
 *           add      into the first layer with fewer than c keys; where there is none, an empty one is appended
 *           has      maybe, if one layer says so; the newest is asked first
 *           delete   no layer says maybe: absent. One does: there. More than one: UNSURE, and nothing changes,
 *                    because a delete from the wrong layer would take cells from other keys
 *           compact  two layers with at most c keys together become one: counters are added up, bits joined by
 *                    or; the later one goes into the earlier one, the earliest pair first
 *
 * COST      A layer has the size of a counting filter for c keys (38 bits per key at 1 %), or of a standard one with
 *           inner=standard (9.6 bits; no deletes). The rate is not bounded: with s full layers it is 1 - (1 - p)^s, where p is
 *           the rate that was asked for, and info shows that as the promise. At p = 1 % and 1, 2, 5, 10, 20, 50 full layers it
 *           is 1.0, 2.0, 4.9, 9.6, 18.2 and 39.5 %. A delete of a member is UNSURE with a chance of 1 - (1 - p)^(s - 1): 0, 1.0,
 *           3.9, 8.6, 17.4 and 38.9 %. There are at most 512 layers; then add says FULL. A question for a non-member reads the
 *           cache lines of all layers, and so does a delete. An add in a batch reads one layer; an add that tells whether
 *           the key is new asks all of them.
 *
 * CHOOSE    dynamic when the number of keys is not known and keys are deleted. Plan for the number that you expect: few layers
 *           are a low rate. If keys are only added, choose scalable, whose rate has a bound; if their number is known, counting
 *           or dleft. Add each key once: a key that was added again takes a second place, perhaps in a second layer, and
 *           then its delete is UNSURE. Delete only keys that were added: a non-member that one layer takes for a member is deleted
 *           there, which lowers k counters, and any number of members may disappear with them.
 *           Compact happens by itself. After a delete it does when two layers have at most c / 2 keys together, so that one key
 *           that comes and goes does not make a layer and free it again; a merge puts the layers of both filters one after the
 *           other, and compacts as far as it goes. So merging an empty filter compacts, and does nothing else. It never turns a
 *           maybe into a no, and deletes that were UNSURE may succeed after it. Order and outcome follow from the calls alone.
 *
 * PAPER     Guo, Wu, Chen, Luo: Theory and Network Applications of Dynamic Bloom Filters, INFOCOM 2006; Guo, Wu, Chen, Yuan,
 *           Luo: The Dynamic Bloom Filters, IEEE TKDE 22(1), 2010. Their merge is our compact. Tarkoma et al. (2012) say that
 *           a wrong delete causes at most k false negatives; it is k counters, and any number of keys may share them.
 */
#include <bloomery/theory.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "dynamic.h"
#include "parts/bits.h"
#include "parts/layers.h"
#include "parts/packed.h"
#include "parts/wish.h"

static const blm_field dynamic_fields[] = {
    BLM_FIELD(blm_dynamic, cells, BLM_F_SHAPE, 1, UINT64_C(1) << 60, "m, cells per layer"),
    BLM_FIELD(blm_dynamic, hashes, BLM_F_SHAPE, 1, 64, "k, cells per key"),
    BLM_FIELD(blm_dynamic, inner, BLM_F_SHAPE, DYNAMIC_COUNTING, DYNAMIC_STANDARD,
              "0: layers of counting, 1: of standard"),
};

static const blm_knobdef dynamic_knobs[] = {
    {"inner", "layers with counters, which delete and count, or with bits, a quarter of the size",
     BLM_K_WORD, .def = DYNAMIC_COUNTING, .words = "counting|standard"},
};

/* ---- theory ---------------------------------------------------------------------------- */

static blm_err dynamic_plan(blm_filter *f, const blm_config *wish, const blm_knobs *knobs,
                            blm_report *why)
{
    blm_dynamic *d = (blm_dynamic *)f;
    unsigned k = 0;
    d->inner = (uint8_t)knobs->num[0];
    const bool counts = d->inner == DYNAMIC_COUNTING;
    const blm_err err = blm_wish_cells(
        wish, counts ? DYNAMIC_WIDTH : 1,
        counts ? "2^58 counters or 64 hashes" : "2^60 bits or 64 hashes", &d->cells, &k, why);
    if (!err && !counts && !wish->bits) d->cells = blm_foldable(d->cells, UINT64_C(1) << 20);
    d->hashes = (uint8_t)k;
    return err;
}

static blm_err dynamic_shape(blm_filter *f, uint64_t *bytes, blm_report *why)
{
    blm_dynamic *d = (blm_dynamic *)f;
    const bool counts = d->inner == DYNAMIC_COUNTING;
    *bytes = 0;
    d->active = 0;
    if (!counts) f->can &= ~(uint32_t)(BLM_DEL | BLM_COUNT);
    if (counts && d->cells > UINT64_C(1) << 58)
        return blm_fail(why, BLM_E_ARG, "%" PRIu64 " counters per layer: at most 2^58", d->cells);
    return BLM_OK;
}

static bool dynamic_says(const blm_filter *layer, size_t place, uint64_t value)
{
    blm_field_info d;
    return blm_field_at(layer, place, &d) && d.value == value;
}

/* A layer of an image must be as those that append makes: cells, hashes, and then of counting the width and the layout. */
static bool dynamic_is_layer(const blm_filter *f, const blm_filter *c)
{
    const blm_dynamic *d = (const blm_dynamic *)f;
    const bool counts = d->inner == DYNAMIC_COUNTING;
    return strcmp(c->kind->name, counts ? "counting" : "standard") == 0 && !c->salt &&
           c->capacity == f->capacity && c->adds <= f->capacity && dynamic_says(c, 0, d->cells) &&
           dynamic_says(c, 1, d->hashes) &&
           (!counts || (dynamic_says(c, 2, DYNAMIC_WIDTH) && dynamic_says(c, 5, 0)));
}

static blm_err dynamic_check(const blm_filter *f, blm_report *why)
{
    bool sound = f->nchild > 0 && f->nchild <= DYNAMIC_LAYERS;
    for (uint32_t i = 0; i < f->nchild && sound; i++) sound = dynamic_is_layer(f, f->child[i]);
    return sound ? BLM_OK
                 : blm_fail(why, BLM_E_IMAGE,
                            "forged: it has no layers, or one that is not like the others");
}

/* Keys fill whole layers, and the rest is in one more. While it is being planned there is one layer for all. */
static void dynamic_split(const blm_filter *f, uint64_t keys, double *full, uint64_t *rest)
{
    const uint64_t layers = f->capacity ? keys / f->capacity : 0;
    *full = (double)layers;
    *rest = keys - layers * f->capacity;
}

static uint64_t dynamic_bytes_at(const blm_filter *f, uint64_t keys)
{
    const blm_dynamic *d = (const blm_dynamic *)f;
    const uint64_t bytes = d->inner == DYNAMIC_COUNTING ? blm_packed_bytes(d->cells, DYNAMIC_WIDTH)
                                                        : blm_bits_bytes(d->cells);
    double full;
    uint64_t rest;
    dynamic_split(f, keys, &full, &rest);
    const double all = (full + (rest || full < 1)) * (double)bytes;
    return all < 0x1p57 ? (uint64_t)all : UINT64_C(1) << 57;
}

/* The rates of layers are independent, as their keys are: of 1 - (1 - a)^full (1 - b), the derivatives by a and b. */
static blm_rate dynamic_fpr(const blm_filter *f, const blm_case *c)
{
    const blm_dynamic *d = (const blm_dynamic *)f;
    double full;
    uint64_t rest;
    if (!c) return blm_layers_rate(f);
    dynamic_split(f, c->keys, &full, &rest);
    const double a = full > 0 ? blm_rate_exact(d->cells, d->hashes, f->capacity) : 0;
    const double b = blm_rate_exact(d->cells, d->hashes, rest);
    const double p = full > 0 ? -expm1(full * log1p(-a) + log1p(-b)) : b;
    const double sd_a = full > 0 ? a * blm_rate_sd(d->cells, d->hashes, f->capacity) : 0;
    const double sd_b = rest ? b * blm_rate_sd(d->cells, d->hashes, rest) : 0;
    const double by_a = sd_a * sqrt(full) * pow(1 - a, full - 1) * (1 - b);
    const double by_b = sd_b * pow(1 - a, full);
    return (blm_rate){p, p, p > 0 ? hypot(full > 0 ? by_a : 0, by_b) / p : 0};
}

/* A delete is sure where no other layer says maybe. */
static double dynamic_deletes(const blm_filter *f, const blm_case *c)
{
    const blm_dynamic *d = (const blm_dynamic *)f;
    double full;
    uint64_t rest;
    if (!c) return blm_dynamic_sure(f);
    dynamic_split(f, c->keys, &full, &rest);
    if (full + (rest > 0) <= 1) return 1;
    const double no = 1 - blm_rate_exact(d->cells, d->hashes, f->capacity),
                 other = 1 - blm_rate_exact(d->cells, d->hashes, rest), all = (double)c->keys;
    return (full * (double)f->capacity * pow(no, full - 1) * other + (double)rest * pow(no, full)) /
           all;
}

static double dynamic_lines_at(const blm_dynamic *d, uint64_t keys)
{
    const double used = blm_fill_mean(d->cells, d->hashes, keys);
    return blm_probes_to_reject(used / (double)d->cells, d->hashes);
}

static double dynamic_lines(const blm_filter *f, const blm_case *c)
{
    const blm_dynamic *d = (const blm_dynamic *)f;
    double full;
    uint64_t rest;
    if (!c) return blm_layers_lines(f);
    dynamic_split(f, c->keys, &full, &rest);
    const double last = rest || full < 1 ? dynamic_lines_at(d, rest) : 0;
    return full * dynamic_lines_at(d, f->capacity) + last;
}

static uint64_t dynamic_max(const blm_filter *f)
{
    (void)f;
    return (UINT64_C(1) << DYNAMIC_WIDTH) - 2;
}

/* A key that was added again, and is in two layers, counts in both. */
static blm_err dynamic_keys(const blm_filter *f, blm_estimate *n)
{
    double variance = 0;
    *n = (blm_estimate){0, 0, 0, false};
    for (uint32_t i = 0; i < f->nchild; i++) {
        const blm_estimate layer = blm_layers_keys_of(f, i);
        n->value += layer.value;
        variance += pow(layer.high - layer.value, 2);
        n->bound = n->bound || layer.bound;
    }
    n->low = fmax(0, n->value - sqrt(variance));
    n->high = n->value + sqrt(variance);
    return BLM_OK;
}

/* ---- operations ------------------------------------------------------------------------- */

static blm_err dynamic_start(blm_filter *f, blm_report *why)
{
    return blm_dynamic_append(f, 1, why);
}

static bool dynamic_elsewhere(const blm_filter *f, uint32_t own, blm_hash h, const blm_item *it)
{
    for (uint32_t i = f->nchild; i-- > 0;)
        if (i != own && blm_child_has(f, i, h, it)) return true;
    return false;
}

static blm_err dynamic_add(blm_filter *f, blm_hash h, const blm_item *it, bool *fresh)
{
    uint32_t i = 0;
    blm_err err = blm_dynamic_room(f, &i);
    blm_filter *c = err ? NULL : f->child[i];
    if (err || (err = c->kind->add(c, h, it, fresh))) return err;
    blm_count_adds(c, 1);
    *fresh = *fresh && !dynamic_elsewhere(f, i, h, it);
    return BLM_OK;
}

static blm_err dynamic_count(const blm_filter *f, blm_hash h, const blm_item *it, blm_estimate *n)
{
    (void)it;
    return blm_dynamic_count_many(f, &h, 1, 0, n);
}

/* As many layers more as there are. */
static blm_err dynamic_grow(blm_filter *f, blm_report *why)
{
    return blm_dynamic_append(f, f->nchild, why);
}

const blm_kind blm_kind_dynamic = {
    .name = "dynamic",
    .group = "growing",
    .version = 1,
    .size = sizeof(blm_dynamic),
    .needs = BLM_NEEDS_HASH64 | BLM_NEEDS_LO,
    .promises = BLM_NO_MISS | BLM_NEVER_LOW,
    .fields = dynamic_fields,
    .nfields = BLM_LEN(dynamic_fields),
    .knobs = dynamic_knobs,
    .nknobs = BLM_LEN(dynamic_knobs),
    .plan = dynamic_plan,
    .shape = dynamic_shape,
    .start = dynamic_start,
    .check = dynamic_check,
    .fpr = dynamic_fpr,
    .lines = dynamic_lines,
    .fill = blm_layers_fill,
    .max_count = dynamic_max,
    .touch = blm_layers_touch,
    .has = blm_layers_has,
    .add = dynamic_add,
    .prefetch_many = blm_layers_prefetch_many,
    .has_many = blm_layers_has_many,
    .add_many = blm_dynamic_add_many,
    .del_many = blm_dynamic_del_many,
    .count_many = blm_dynamic_count_many,
    .del = blm_dynamic_del,
    .deletes = dynamic_deletes,
    .count = dynamic_count,
    .merge = blm_dynamic_merge,
    .grow = dynamic_grow,
    .room = blm_layers_room,
    .bytes_at = dynamic_bytes_at,
    .keys = dynamic_keys,
};
