/* differential.c - two filters of one shape against two exact multisets of 256 keys.
 *
 * The first bytes choose kind and shape, each further one or two an operation. After all of them the
 * cells have to be those of a filter that was built from the multiset alone.
 */
#include "fuzz/fuzz.h"

#define KEYS 256u

typedef struct side {
    blm_filter *f;
    unsigned times[KEYS]; /* how often it is in the set; a set counts to 1 */
    unsigned total;       /* sum of times, of a filter that counts */
    bool exact;           /* its cells follow from times         */
} side;

typedef struct pair {
    side side[2];
    blm_config config;
    unsigned folds;
    bool counts;
} pair;

static blm_item key_of(const blm_filter *f, unsigned key)
{
    const uint8_t bytes[3] = {'k', (uint8_t)key, (uint8_t)(key * 7)};
    blm_item it = blm_item_of(f, bytes, key % 4, BLM_NO_ARG); /* 64 keys have 0 bytes: one key */
    it.key = NULL;
    it.len = 0;
    return it;
}

/* Keys whose bytes are the same are one key. */
static unsigned name_of(unsigned key) { return key % 4 == 0 ? 0 : key % 4 == 1 ? 1 : key; }

/* ---- what always holds ------------------------------------------------------------------------- */

static void check_key(const pair *p, const side *s, unsigned key)
{
    const blm_item it = key_of(s->f, key);
    const bool has = blm_has_item(s->f, &it);
    blm_estimate n = {0, 0, 0, false};
    MUST(has || !s->times[key]);
    if (!p->counts) return;
    MUST(blm_count_item(s->f, &it, &n) == BLM_OK);
    MUST((n.value > 0) == has);
    MUST(n.bound || n.value >= s->times[key]);
    if (s->times[key] == s->total) MUST(n.bound || n.value == s->total); /* alone: the truth */
    MUST(n.low <= s->times[key] && n.high >= s->times[key]);
}

static void check_all(const pair *p, const side *s)
{
    for (unsigned key = 0; key < KEYS; key++)
        if (name_of(key) == key) check_key(p, s, key);
}

/* ---- operations -------------------------------------------------------------------------------- */

static void add(const pair *p, side *s, unsigned key)
{
    const blm_item it = key_of(s->f, key);
    const bool had = blm_has_item(s->f, &it);
    bool fresh = had;
    const blm_err err = blm_add_item(s->f, &it, &fresh);
    MUST(err == BLM_OK || (err == BLM_E_FULL && !p->config.overfill && fresh == had));
    if (err) return;
    MUST(fresh == !had);
    s->times[key] = p->counts ? s->times[key] + 1 : 1;
    s->total++;
}

static void add_many(const pair *p, side *s, unsigned first, unsigned n)
{
    blm_hash hashes[KEYS];
    uint8_t fresh[KEYS];
    size_t done = 0;
    for (unsigned i = 0; i < n; i++) hashes[i] = key_of(s->f, name_of((first + i) % KEYS)).h;
    const blm_err err = blm_add_many(s->f, hashes, NULL, n, fresh, &done);
    MUST(err ? err == BLM_E_FULL && !p->config.overfill : done == n);
    for (unsigned i = 0; i < done; i++) {
        const unsigned key = name_of((first + i) % KEYS);
        MUST(!fresh[i] || !s->times[key]);
        s->times[key] = p->counts ? s->times[key] + 1 : 1;
        s->total++;
    }
}

/* Deletes only members; to delete what is certainly absent fails and leaves no trace. */
static void del(const pair *p, side *s, unsigned key)
{
    const blm_item it = key_of(s->f, key);
    if (!p->counts) {
        MUST(blm_del_item(s->f, &it) == BLM_E_CANNOT);
        return;
    }
    if (s->times[key]) {
        MUST(blm_del_item(s->f, &it) == BLM_OK);
        s->times[key]--;
        s->total--;
    } else if (!blm_has_item(s->f, &it)) {
        saved before = image_of(s->f);
        MUST(blm_del_item(s->f, &it) == BLM_E_ABSENT);
        saved after = image_of(s->f);
        MUST(before.length == after.length && !memcmp(before.at, after.at, after.length));
        free(before.at);
        free(after.at);
    }
}

static void merge(const pair *p, side *into, const side *from)
{
    MUST(blm_merge(into->f, from->f, NULL) == BLM_OK);
    for (unsigned key = 0; key < KEYS; key++)
        into->times[key] =
            p->counts ? into->times[key] + from->times[key] : into->times[key] | from->times[key];
    into->total += from->total;
    into->exact = into->exact && from->exact;
    check_all(p, into);
}

static void intersect(const pair *p, side *into, const side *from)
{
    const blm_err err = blm_intersect(into->f, from->f, NULL);
    MUST(err == (p->counts ? BLM_E_CANNOT : BLM_OK));
    if (err) return;
    for (unsigned key = 0; key < KEYS; key++) into->times[key] &= from->times[key];
    into->exact = false; /* bits that different keys of both had set stay */
    check_all(p, into);
}

static void replace(side *s, blm_filter *by)
{
    MUST(blm_equal(s->f, by));
    blm_free(s->f);
    s->f = by;
}

static void copy(side *s)
{
    blm_filter *own = NULL;
    MUST(blm_copy(&own, s->f, NULL) == BLM_OK);
    replace(s, own);
}

static void save_and_load(const pair *p, side *s)
{
    saved image = image_of(s->f);
    blm_filter *own = NULL;
    const blm_open_options *how = BLM_OPEN(.overfill = p->config.overfill);
    MUST(blm_verify_image(image.at, image.length, NULL) == BLM_OK);
    MUST(blm_load(&own, image.at, image.length, how, NULL) == BLM_OK);
    replace(s, own);
    free(image.at);
}

/* Both sides, so that they can still be merged. */
static void fold(pair *p)
{
    blm_filter *half[2] = {NULL, NULL};
    const blm_err err = blm_fold(&half[0], p->side[0].f, 1, NULL);
    MUST(blm_fold(&half[1], p->side[1].f, 1, NULL) == err);
    MUST(!err || err == BLM_E_ARG || (err == BLM_E_CANNOT && p->counts));
    for (unsigned i = 0; i < 2 && !err; i++) {
        blm_free(p->side[i].f);
        p->side[i].f = half[i];
        check_all(p, &p->side[i]);
    }
    p->folds += !err;
}

static void clear(side *s)
{
    MUST(blm_clear(s->f) == BLM_OK);
    memset(s->times, 0, sizeof s->times);
    s->total = 0;
    s->exact = true;
}

static void operate(pair *p, input *in)
{
    const unsigned what = next(in);
    side *s = &p->side[what & 1], *other = &p->side[!(what & 1)];
    const unsigned key = name_of(next(in));
    switch (what >> 1 & 15) {
    case 0:
        copy(s);
        break;
    case 1:
        save_and_load(p, s);
        break;
    case 2:
        merge(p, s, other);
        break;
    case 3:
        intersect(p, s, other);
        break;
    case 4:
        fold(p);
        break;
    case 5:
        clear(s);
        break;
    case 6:
    case 7:
        add_many(p, s, key, next(in));
        break;
    case 8:
    case 9:
    case 10:
    case 11:
        del(p, s, key);
        break;
    default:
        add(p, s, key);
    }
    check_key(p, s, key);
}

/* ---- beginning and end ---------------------------------------------------------------------------- */

static blm_filter *build(const pair *p)
{
    blm_filter *f = NULL, *half = NULL;
    MUST(blm_new(&f, &p->config, NULL) == BLM_OK);
    if (!p->folds) return f;
    MUST(blm_fold(&half, f, p->folds, NULL) == BLM_OK);
    blm_free(f);
    return half;
}

/* Promises that the filter has lost (a counter stood at its ceiling) are not asked for. */
static void compare_with_built(const pair *p, const side *s)
{
    blm_info info;
    blm_info_of(s->f, &info);
    if (!s->exact || info.lost) return;
    blm_filter *f = build(p);
    size_t bytes = 0, same = 0;
    for (unsigned key = 0; key < KEYS; key++)
        for (unsigned i = 0; i < s->times[key]; i++) {
            const blm_item it = key_of(f, key);
            MUST(blm_add_item(f, &it, NULL) == BLM_OK);
        }
    const void *is = blm_cells(s->f, &bytes), *should = blm_cells(f, &same);
    MUST(bytes == same && !memcmp(is, should, bytes));
    blm_free(f);
}

static void choose(pair *p, input *in)
{
    static const char *const kinds[] = {"standard", "blocked", "counting", "split-block"};
    static const char *const flat[] = {"partitioned", "memory-optimized"}; /* in standard's place */
    static const char *const widths[] = {"width=2", "width=3", "width=4", "width=9"};
    const unsigned first = next(in), second = next(in);
    blm_config_init(&p->config);
    p->config.kind = (first & 3) || !(second & 2) ? kinds[first & 3] : flat[second >> 2 & 1];
    p->counts = (first & 3) == 2;
    p->config.with = p->counts ? widths[first >> 2 & 3] : NULL;
    p->config.overfill = first & 16 || second & 1; /* judging the fill is the slow case */
    p->config.hashes = (first & 3) == 3 ? 0 : 1 + (first >> 5); /* split-block has its own */
    /* Small: merges and folds walk all cells, and the probes of one key meet. */
    p->config.bits = (p->counts ? 16 : 512) + 5 * (uint64_t)second;
    p->config.keys = 100;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    input in = {data, size};
    pair p = {.folds = 0};
    choose(&p, &in);
    for (unsigned i = 0; i < 2; i++) {
        p.side[i].f = build(&p);
        p.side[i].exact = true;
    }
    while (in.left) operate(&p, &in);
    p.config.overfill = true; /* these keys were accepted; now all must be */
    for (unsigned i = 0; i < 2; i++) {
        check_all(&p, &p.side[i]);
        compare_with_built(&p, &p.side[i]);
        blm_free(p.side[i].f);
    }
    return 0;
}
