/* table.c - which keys come most often, in fixed memory, with sure bounds (a multistage filter with shielding and
 * conservative update, as Estan and Varghese have it, after a table of keys).
 *
 *      slots   | 0 | 17 | 0 | 3 | ...          open addressing; some bits of the hash, and a place in units of 8 bytes
 *      arena   |entry|key...|entry|key...|     in the order of arrival
 *      sketch  a count-min filter: the keys that are not in the table
 *
 * A key in the table is counted there, and the sketch does not hear of it. While there is room every key enters:
 * an input whose distinct keys fit is counted exactly. When there is none, the quarter that came least often goes
 * to the sketch, each with its count, and `bound` is the highest of these counts. From then on a key outside is
 * counted in the sketch, and enters when that says that it may have come more than `bound` times: as it was outside
 * until now it came `bound` times at most before, so its count is bound + 1, and `bound` of that is in doubt.
 *
 * What is sure: count - over <= truth <= count for a key in the table, truth <= bound for all others. The sketch never
 * says too little; where it says too much, a light key enters in vain. And even a sketch that always says yes leaves
 * bound <= 2 lines / keys: the three quarters of the keys that stay have count >= bound, all counts together are the
 * lines and what newcomers got for nothing, which is bound * keys / 4 at most.
 *
 * The hash cuts all of it into up to 16 parts, so that as many threads can count; how many there are depends on --ram
 * alone, so that what comes out is the same for every -j. Places of 32 bits reach 32 GiB. An entry is 16 bytes and the
 * key, whose hash is made again when it moves; with its slots a key of 10 bytes takes 38. 40 bits of doubt are enough:
 * bound >= 2^40 takes 2^39 lines for each key in the table. Two rows of the sketch: as good as four here (10M lines of
 * 2M keys, 22 MiB: bound 10 against 11; 2 MiB: 87 against 119), and half the cache misses.
 */
#define _DEFAULT_SOURCE /* madvise */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "heavy/table.h"

enum { AHEAD = 24, NEAR = 12, HASHES = 2 };
#define PART_MIN (UINT64_C(8) << 20)
#define PAGE     ((size_t)2 << 20)

/* ---- memory --------------------------------------------------------------------------------------------- */

static bool make_sketch(part *p, uint64_t bytes, uint64_t seed)
{
    blm_report why = {BLM_OK, ""};
    const blm_config wish = {.size = sizeof wish,
                             .kind = "count-min",
                             .bits = bytes * 8,
                             .hashes = HASHES,
                             .seed = seed,
                             .with = "update=conservative",
                             .overfill = true};
    const blm_err err = blm_new(&p->sketch, &wish, &why);
    if (err) complain_why(NULL, err, &why);
    return !err;
}

/* Keys lie all over it: with large pages fewer of them miss the page table's cache, too. */
static void *large(uint64_t bytes)
{
    void *p = NULL;
    if (bytes > SIZE_MAX - PAGE || posix_memalign(&p, PAGE, (size_t)bytes)) return NULL;
#if defined(MADV_HUGEPAGE)
    if (bytes >= PAGE) (void)madvise(p, (size_t)bytes, MADV_HUGEPAGE);
#endif
    return p;
}

/* What --ram is cut into: a quarter for the sketches, of the rest a sixth for the slots. */
typedef struct plan {
    unsigned parts;
    uint64_t nslots, room; /* of a part */
} plan;

static plan plan_of(uint64_t ram)
{
    const uint64_t table = ram - ram / 4, max = (uint64_t)UINT32_MAX / PARTS_MAX * UNIT;
    plan p = {.parts = 1};
    while (p.parts < PARTS_MAX && ram / p.parts / 2 >= PART_MIN) p.parts *= 2;
    p.nslots = table / p.parts / 6 / sizeof(uint32_t);
    p.room = (table / p.parts - p.nslots * sizeof(uint32_t)) / UNIT * UNIT - UNIT;
    if (p.room > max - UNIT) p.room = max - UNIT;
    if (p.nslots > max / UNIT) p.nslots = max / UNIT;
    return p;
}

uint64_t heavy_longest(uint64_t ram)
{
    const uint64_t max = plan_of(ram).room / 4 / UNIT * UNIT - HEAD;
    return max < LENGTH ? max : LENGTH;
}

static bool cut_up(heavy *t, uint64_t seed)
{
    const plan is = plan_of(t->ram);
    const uint64_t slots = is.nslots * is.parts * sizeof *t->slots;
    const uint64_t arena = is.room * is.parts + UNIT;
    t->slots = large(slots);
    t->arena = large(arena);
    if (!t->slots || !t->arena) {
        complain("no memory for %" PRIu64 " bytes of keys; use a smaller --ram", slots + arena);
        return false;
    }
    memset(t->slots, 0, (size_t)slots);
    for (t->units = 1; t->units < arena / UNIT;) t->units = t->units * 2 + 1;
    for (; t->nparts < is.parts; t->nparts++) {
        part *p = &t->parts[t->nparts];
        p->slots = t->slots + t->nparts * is.nslots;
        p->nslots = is.nslots;
        p->max_keys = is.nslots / 4 * 3;
        p->from = p->used = UNIT + t->nparts * is.room;
        p->end = p->from + is.room;
        if (!make_sketch(p, t->ram / 4 / is.parts, seed)) return false;
    }
    return true;
}

heavy *heavy_new(uint64_t ram, uint64_t seed)
{
    heavy *t = calloc(1, sizeof *t);
    if (!t) {
        complain("no memory for a table of keys");
        return NULL;
    }
    t->ram = ram;
    if (cut_up(t, seed)) return t;
    heavy_free(t);
    return NULL;
}

void heavy_free(heavy *t)
{
    if (!t) return;
    for (unsigned i = 0; i < PARTS_MAX; i++) blm_free(t->parts[i].sketch);
    free(t->slots);
    free(t->arena);
    free(t);
}

const blm_filter *heavy_hasher(const heavy *t) { return t->parts[0].sketch; }
unsigned heavy_shares(const heavy *t) { return t->nparts; }

/* ---- the table -------------------------------------------------------------------------------------------- */

static part *part_of(heavy *t, uint64_t hash) { return &t->parts[(hash >> 32) * t->nparts >> 32]; }

static uint64_t home_of(const part *p, uint64_t hash)
{
    return (hash & UINT32_MAX) * p->nslots >> 32;
}

static uint32_t tag_of(const heavy *t, uint64_t hash) { return (uint32_t)(hash >> 28) & ~t->units; }

/* memcmp without the call, for keys as they mostly are. */
static bool same_bytes(const char *a, const char *b, size_t n)
{
    uint64_t a0, a1, b0, b1;
    if (n < 8 || n > 16) return memcmp(a, b, n) == 0;
    memcpy(&a0, a, 8);
    memcpy(&b0, b, 8);
    memcpy(&a1, a + n - 8, 8);
    memcpy(&b1, b + n - 8, 8);
    return !((a0 ^ b0) | (a1 ^ b1));
}

static entry *find(const heavy *t, const part *p, const line *l)
{
    const uint32_t tag = tag_of(t, l->h.lo);
    uint32_t slot;
    uint64_t i = home_of(p, l->h.lo);
    for (; (slot = p->slots[i]); i = i + 1 < p->nslots ? i + 1 : 0) { /* a quarter is empty */
        if ((slot & ~t->units) != tag) continue;
        entry *e = entry_of(t, slot);
        if (entry_length(e) == l->key_length && same_bytes(e->key, l->key, l->key_length)) return e;
    }
    return NULL;
}

void heavy_point(const heavy *t, part *p, uint64_t hash, uint64_t at)
{
    uint64_t i = home_of(p, hash);
    while (p->slots[i]) i = i + 1 < p->nslots ? i + 1 : 0;
    p->slots[i] = (uint32_t)(at / UNIT) | tag_of(t, hash);
}

static void enter(heavy *t, part *p, const line *l)
{
    entry *e = entry_at(t, p->used);
    e->count = p->bound + 1;
    e->rest = p->bound << 24 | l->key_length;
    memcpy(e->key, l->key, l->key_length);
    heavy_point(t, p, l->h.lo, p->used);
    p->used += entry_bytes(l->key_length);
    p->keys++;
}

/* ---- the sketch ------------------------------------------------------------------------------------------- */

uint64_t heavy_sketched(const part *p, const blm_item *it)
{
    blm_estimate times = {0, 0, 0, false};
    const blm_err err = blm_count_item(p->sketch, it, &times);
    return err || times.bound ? UINT64_MAX : (uint64_t)times.high;
}

void heavy_sketch(part *p, blm_item it, uint64_t times)
{
    it.arg = times;
    const blm_err err = blm_add_item(p->sketch, &it, NULL);
    (void)err; /* overfill: it takes every key */
}

/* ---- lines --------------------------------------------------------------------------------------------------- */

/* A key that is not in the table. False: it is too long. */
static bool stranger(heavy *t, part *p, const line *l)
{
    const uint64_t bytes = entry_bytes(l->key_length);
    if (t->closed) return true;
    if (bytes > (p->end - p->from) / 4 || l->key_length > LENGTH) {
        p->too_long = l->key_length;
        return false;
    }
    if (p->bound) {
        const blm_item it = {.h = l->h, .arg = BLM_NO_ARG};
        if (heavy_sketched(p, &it) < p->bound) {
            heavy_sketch(p, it, 1);
            return true;
        }
    }
    if (p->used + bytes > p->end || p->keys == p->max_keys) heavy_make_room(t, p);
    enter(t, p, l);
    return true;
}

#if defined(__GNUC__) /* in no function of its own: gcc leaves out calls that do nothing else */
#define FETCH(place) __builtin_prefetch(place, 1)
#else
#define FETCH(place) (void)(place)
#endif

static const uint32_t *slot_of(heavy *t, const line *l)
{
    const part *p = part_of(t, l->h.lo);
    return &p->slots[home_of(p, l->h.lo)];
}

bool heavy_take(heavy *t, const line *lines, const uint32_t *of, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const line *l = &lines[of ? of[i] : i];
        if (i + AHEAD < n) /* slots, then entries: the cache misses of many keys overlap */
            FETCH(slot_of(t, &lines[of ? of[i + AHEAD] : i + AHEAD]));
        if (i + NEAR < n) FETCH(entry_of(t, *slot_of(t, &lines[of ? of[i + NEAR] : i + NEAR])));
        if (!l->key) continue;
        part *p = part_of(t, l->h.lo);
        entry *e = find(t, p, l);
        if (e)
            e->count++;
        else if (!stranger(t, p, l))
            return false;
        p->lines++;
    }
    return true;
}

void heavy_recount(heavy *t)
{
    for (unsigned i = 0; i < t->nparts; i++) {
        part *p = &t->parts[i];
        p->lines = 0;
        for (uint64_t at = p->from; at < p->used;) {
            entry *e = entry_at(t, at);
            e->count = 0;
            e->rest &= LENGTH;
            at = entry_after(e, at);
        }
    }
    t->closed = true;
}
