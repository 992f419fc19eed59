/* slot.h - a filter and a model of its keys, and what always holds of the two. */
#ifndef BLM_TESTS_SLOT_H
#define BLM_TESTS_SLOT_H
#include "core/image/image.h"
#include "fuzz/made.h"

#define TIMES_MAX (UINT64_C(1) << 52) /* exact as a double */

typedef struct slot {
    blm_filter *f; /* NULL: its wish could not be fulfilled */
    wish w;
    uint64_t times[KEYS]; /* how often it is in the set, or its weight; 1 where twice is once */
    bool forged;          /* its state is not that of its keys: nothing is known of them */
} slot;

static bool stands(const slot *s, blm_promise p)
{
    return !s->forged && s->f->kind->promises & ~s->f->lost & p;
}

/* ---- what always holds ------------------------------------------------------------------------------ */

static void sorted(const blm_estimate *e) { MUST(e->low <= e->value && e->value <= e->high); }

static void check_key(const slot *s, unsigned i)
{
    const key k = key_of(s->f, i);
    const blm_item it = item_of(s->f, &k, i);
    const bool has = blm_has_item(s->f, &it), inside = s->times[i] && stands(s, BLM_NO_MISS);
    blm_estimate n = {0, 0, 0, false};
    uint64_t value;
    MUST(has || !inside);
    if (s->f->kind->needs & BLM_NEEDS_U64) MUST(blm_range(s->f, i, i + 7) || !inside);
    if (blm_get_item(s->f, &it, &value) == BLM_E_ABSENT) MUST(!inside);
    if (blm_count_item(s->f, &it, &n)) return;
    /* What is only estimated may be 0 of a key that is there; what has faded is forgotten before it is 0. */
    MUST(n.value > 0 ? has || s->f->clock : !has || !stands(s, BLM_NEVER_LOW));
    sorted(&n);
    if (stands(s, BLM_NEVER_LOW)) MUST(n.bound || n.value >= (double)s->times[i]);
}

static void check_keys(const slot *s)
{
    for (unsigned i = 0; i < KEYS; i++)
        if (s->times[i]) check_key(s, i);
}

static void check_alike(const blm_filter *f, const blm_filter *g, unsigned step)
{
    for (unsigned i = 0; i < KEYS; i += step) {
        const key k = key_of(f, i);
        const blm_item it = item_of(f, &k, i);
        blm_estimate x = {0, 0, 0, false}, y = x;
        uint64_t v = 0, w = 0;
        MUST(blm_has_item(f, &it) == blm_has_item(g, &it));
        MUST(blm_count_item(f, &it, &x) == blm_count_item(g, &it, &y));
        MUST(x.value >= y.value && x.value <= y.value && x.bound == y.bound);
        MUST(blm_get_item(f, &it, &v) == blm_get_item(g, &it, &w) && v == w);
    }
}

static void check_info(const blm_filter *f)
{
    blm_info info;
    blm_info_of(f, &info);
    in_order(info.fpr_now);
    in_order(blm_fnr(f, NULL));
    sorted(&info.keys);
    MUST(info.fill <= 1 && info.fpr_target >= 0 && info.fpr_target <= 1 && info.capacity >= 1);
    MUST(!(info.promises & info.lost));
}

static blm_open_options how_to_open(const slot *s)
{
    return (blm_open_options){.size = sizeof(blm_open_options),
                              .secret = s->w.c.secret,
                              .overfill = s->w.c.overfill,
                              .alloc = s->w.c.alloc};
}

/* Saved, it is a sound image of the same filter, for who copies it and for who looks at it in its place. */
static void check_image(const slot *s)
{
    const saved image = image_of(s->f);
    blm_filter *g = NULL;
    blm_open_options how = how_to_open(s);
    MUST(blm_verify_image(image.at, image.length, NULL) == BLM_OK);
    MUST(blm_load(&g, image.at, image.length, &how, NULL) == BLM_OK);
    MUST(blm_equal(s->f, g));
    check_alike(s->f, g, 2);
    blm_free(g);
    how.check = BLM_CHECK_ALL;
    MUST(blm_view(&g, image.at, image.length, &how, NULL) == BLM_OK);
    check_alike(s->f, g, 8);
    MUST(blm_clear(g) == BLM_E_READONLY && blm_add_u64(g, 0) != BLM_OK);
    blm_free(g);
    free(image.at);
}

/* ---- the model ---------------------------------------------------------------------------------------- */

static uint64_t weight_of(const blm_filter *f, unsigned i)
{
    return f->kind->count && f->kind->arg.name ? arg_of(f, i) : 1;
}

static void came(slot *s, unsigned i)
{
    const bool once = s->f->kind->promises & BLM_IDEMPOTENT;
    s->times[i] = once ? 1 : s->times[i] + weight_of(s->f, i);
    s->forged = s->forged || s->times[i] > TIMES_MAX;
}

static void went(slot *s, unsigned i)
{
    const uint64_t weight = weight_of(s->f, i);
    s->times[i] -= s->times[i] < weight ? s->times[i] : weight;
}

static void forget(slot *s) { memset(s->times, 0, sizeof s->times); }

/* The filter of s is f now, and holds what the one of `like` does. */
static void replace(slot *s, blm_filter *f, const slot *like)
{
    blm_free(s->f);
    if (s != like) *s = *like;
    s->f = f;
    check_keys(s);
}

/* A checksum of what is in its image, without writing one. */
static uint64_t print_of(const blm_filter *f, uint64_t sum)
{
    static const uint64_t no_bytes[BLM_CHILDREN_MAX];
    uint8_t header[BLM_PRELUDE + 16384];
    MUST(f->nchild <= BLM_CHILDREN_MAX);
    sum = blm_checksum(header, blm_header_write(f, no_bytes, 0, header), sum);
    if (f->bytes) sum = blm_checksum(f->cells, (size_t)f->bytes, sum);
    for (uint32_t i = 0; i < f->nchild; i++) sum = print_of(f->child[i], sum);
    return sum;
}
#endif
