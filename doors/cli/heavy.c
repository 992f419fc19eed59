/* heavy.c - which keys come most often, in fixed memory, with sure bounds (a
 * multistage filter with shielding and conservative update, as Estan and
 * Varghese have it, behind a table of keys).
 *
 *      slots   | 0 | 17 | 0 | 3 | ...             open addressing; some bits of
 * the hash, and units of 8 bytes, from 1 arena   |entry|key...|entry|key...| in
 * the order of arrival sketch  a count-min filter: the keys that are not in the
 * table
 *
 * A key in the table is counted there, and the sketch does not hear of it.
 * While there is room every key enters: an input whose distinct keys fit is
 * counted exactly. When there is none, the quarter that came least often goes
 * to the sketch, each with its count, and `bound` is the highest of these
 * counts. From then on a key outside is counted in the sketch, and enters when
 * that says that it may have come more than `bound` times: as it was outside
 * until now it came `bound` times at most before, so its count is bound + 1,
 * and `bound` of that is in doubt.
 *
 * What is sure: count - over <= truth <= count for a key inside, truth <= bound
 * for all others. The sketch never says too little; where it says too much, a
 * light key enters in vain. And even a sketch that always says yes leaves bound
 * <= 2 lines / keys: the three quarters of the keys that stay have count >=
 * bound, all counts together are the lines and what newcomers got for nothing,
 * which is bound keys / 4 at most.
 *
 * The hash cuts all of it into up to 16 parts, so that as many threads can
 * count; how many there are depends on
 * --ram alone, so that what comes out is the same for every -j. 32-bit units
 * reach 32 GiB. An entry is 28 bytes and the key; with its slots a key of 10
 * bytes takes 48.
 */
#define _DEFAULT_SOURCE /* madvise */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "heavy.h"

typedef struct entry {
    uint64_t hash;
    uint64_t count; /* at most so often  */
    uint64_t over;  /* of which so many are not sure */
    uint32_t length;
    char key[];
} entry;

enum { UNIT = 8, AHEAD = 24, NEAR = 12, HASHES = 4, PARTS_MOST = 16 };
#define HEAD       offsetof(entry, key)
#define PART_LEAST (UINT64_C(4) << 20)
#define PAGE       ((size_t)2 << 20)

typedef struct part {
    blm_filter *sketch;
    uint32_t *slots;
    uint64_t nslots, most_keys, keys;
    uint64_t from, used, end; /* of the arena, in bytes */
    uint64_t lines, bound;
    uint64_t too_long; /* a key that has so many bytes */
    char apart[64];    /* two threads write no common line */
} part;

struct heavy {
    part parts[PARTS_MOST];
    unsigned nparts;
    uint32_t *slots; /* of all parts; heavy_sort: the keys in order, from the end */
    char *arena;
    uint32_t units; /* the bits of a slot that say where */
    uint64_t ram, keys, others;
    bool closed; /* heavy_recount */
};

/* ---- memory
 * ---------------------------------------------------------------------------------------------
 */

static uint64_t entry_bytes(uint64_t length) { return (HEAD + length + UNIT - 1) / UNIT * UNIT; }

static entry *entry_at(const heavy *t, uint64_t at) { return (entry *)(void *)(t->arena + at); }

static entry *entry_of(const heavy *t, uint32_t slot)
{
    return entry_at(t, (uint64_t)(slot & t->units) * UNIT);
}

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

/* Large pages: a fifth of the time is saved. */
static void *large(uint64_t bytes)
{
    void *p = NULL;
    if (bytes > SIZE_MAX - PAGE || posix_memalign(&p, PAGE, (size_t)bytes)) return NULL;
    if (bytes >= PAGE) (void)madvise(p, (size_t)bytes, MADV_HUGEPAGE);
    return p;
}

/* What --ram is cut into: a quarter for the sketches, of the rest a sixth for
 * the slots. */
typedef struct plan {
    unsigned parts;
    uint64_t nslots, room; /* of a part */
} plan;

static plan plan_of(uint64_t ram)
{
    const uint64_t table = ram - ram / 4, most = (uint64_t)UINT32_MAX / PARTS_MOST * UNIT;
    plan p = {.parts = 1};
    while (p.parts < PARTS_MOST && ram / p.parts / 2 >= PART_LEAST) p.parts *= 2;
    p.nslots = table / p.parts / 6 / sizeof(uint32_t);
    p.room = (table / p.parts - p.nslots * sizeof(uint32_t)) / UNIT * UNIT;
    if (p.room > most) p.room = most;
    if (p.nslots > most / UNIT) p.nslots = most / UNIT;
    return p;
}

uint64_t heavy_longest(uint64_t ram) { return plan_of(ram).room / 4 / UNIT * UNIT - HEAD; }

static bool cut_up(heavy *t, uint64_t seed)
{
    const plan is = plan_of(t->ram);
    const uint64_t slots = is.nslots * is.parts * sizeof *t->slots,
                   room = is.room * is.parts + UNIT;
    t->slots = large(slots);
    t->arena = large(room);
    if (!t->slots || !t->arena) {
        complain("no memory for %" PRIu64 " bytes of keys; give a smaller --ram", slots + room);
        return false;
    }
    memset(t->slots, 0, (size_t)slots);
    for (t->units = 1; t->units < room / UNIT;) t->units = t->units * 2 + 1;
    for (; t->nparts < is.parts; t->nparts++) {
        part *p = &t->parts[t->nparts];
        p->slots = t->slots + t->nparts * is.nslots;
        p->nslots = is.nslots;
        p->most_keys = is.nslots / 4 * 3;
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
    for (unsigned i = 0; i < t->nparts; i++) blm_free(t->parts[i].sketch);
    free(t->slots);
    free(t->arena);
    free(t);
}

const blm_filter *heavy_hasher(const heavy *t) { return t->parts[0].sketch; }
unsigned heavy_shares(const heavy *t) { return t->nparts; }

/* ---- sums over the parts
 * -------------------------------------------------------------------------------------
 */

heavy_sum heavy_sums(const heavy *t)
{
    heavy_sum sum = {.bytes = t->ram};
    for (unsigned i = 0; i < t->nparts; i++) {
        const part *p = &t->parts[i];
        sum.lines += p->lines;
        sum.held += p->keys;
        sum.used += p->used - p->from;
        if (p->bound > sum.bound) sum.bound = p->bound;
        if (p->too_long > sum.too_long) sum.too_long = p->too_long;
    }
    return sum;
}

/* ---- the sketch
 * -------------------------------------------------------------------------------------------
 */

/* UINT64_MAX: its counters stop below the truth. */
static uint64_t sketched(const part *p, const blm_item *it)
{
    blm_estimate times = {0, 0, 0, false};
    return blm_count_item(p->sketch, it, &times) || times.bound ? UINT64_MAX : (uint64_t)times.high;
}

static void sketch_add(part *p, blm_item it, uint64_t times)
{
    it.arg = times;
    (void)blm_add_item(p->sketch, &it, NULL); /* it may be as full as it likes */
}

/* It says `count` of this key, or more. */
static void sketch_raise(part *p, const entry *e)
{
    const blm_item it = {.h = {e->hash, 0}, .arg = BLM_NO_ARG};
    const uint64_t now = sketched(p, &it);
    if (now < e->count) sketch_add(p, it, e->count - now);
}

/* ---- the table
 * --------------------------------------------------------------------------------------------
 */

static uint64_t home_of(const part *p, uint64_t hash)
{
    return (hash & UINT32_MAX) * p->nslots >> 32;
}

static uint32_t tag_of(const heavy *t, uint64_t hash) { return (uint32_t)(hash >> 28) & ~t->units; }

static entry *find(const heavy *t, const part *p, const line *l)
{
    const uint32_t tag = tag_of(t, l->h.lo);
    uint32_t slot;
    uint64_t i = home_of(p, l->h.lo);
    for (; (slot = p->slots[i]); i = i + 1 < p->nslots ? i + 1 : 0) { /* a quarter is empty */
        if ((slot & ~t->units) != tag) continue;
        entry *e = entry_of(t, slot);
        if (e->hash == l->h.lo && e->length == l->key_length &&
            memcmp(e->key, l->key, l->key_length) == 0)
            return e;
    }
    return NULL;
}

static void point_at(const heavy *t, part *p, uint64_t hash, uint64_t at)
{
    uint64_t i = home_of(p, hash);
    while (p->slots[i]) i = i + 1 < p->nslots ? i + 1 : 0;
    p->slots[i] = (uint32_t)(at / UNIT) | tag_of(t, hash);
}

static void enter(heavy *t, part *p, const line *l)
{
    entry *e = entry_at(t, p->used);
    e->hash = l->h.lo;
    e->count = p->bound + 1;
    e->over = p->bound;
    e->length = (uint32_t)l->key_length;
    memcpy(e->key, l->key, l->key_length);
    point_at(t, p, e->hash, p->used);
    p->used += entry_bytes(l->key_length);
    p->keys++;
}

/* ---- the quarter that came least often
 * ------------------------------------------------------------------------ */

enum { FINE = 5, CLASSES = 64 << FINE }; /* counts to 1/32; below 64 each has a class of its own */

static unsigned class_of(uint64_t count)
{
    unsigned shift = 0;
    while (count >> shift >> (FINE + 1)) shift++;
    return (shift << FINE) + (unsigned)(count >> shift);
}

typedef struct cut { /* goes: the classes below `at`, and so many keys and bytes
                        of that one */
    unsigned at;
    uint64_t keys, bytes;
} cut;

static uint64_t less(uint64_t a, uint64_t b) { return a > b ? a - b : 0; }

static cut find_cut(const heavy *t, const part *p)
{
    uint64_t keys[CLASSES] = {0}, bytes[CLASSES] = {0};
    const uint64_t some_keys = p->most_keys / 4, some_bytes = (p->end - p->from) / 4;
    for (uint64_t at = p->from; at < p->used;) {
        const entry *e = entry_at(t, at);
        const unsigned class = class_of(e->count);
        keys[class]++;
        bytes[class] += entry_bytes(e->length);
        at += entry_bytes(e->length);
    }
    cut c = {0, less(some_keys, p->most_keys - p->keys), less(some_bytes, p->end - p->used)};
    while (keys[c.at] < c.keys || bytes[c.at] < c.bytes) {
        c.keys = less(c.keys, keys[c.at]);
        c.bytes = less(c.bytes, bytes[c.at++]);
    }
    return c;
}

static bool goes(cut *c, const entry *e)
{
    const unsigned class = class_of(e->count);
    if (class != c->at) return class < c->at;
    if (!c->keys && !c->bytes) return false;
    c->keys = less(c->keys, 1);
    c->bytes = less(c->bytes, entry_bytes(e->length));
    return true;
}

static void make_room(heavy *t, part *p)
{
    const uint64_t used = p->used;
    cut c = find_cut(t, p);
    memset(p->slots, 0, (size_t)p->nslots * sizeof *p->slots);
    p->used = p->from;
    p->keys = 0;
    for (uint64_t at = p->from; at < used;) {
        const entry *e = entry_at(t, at);
        const uint64_t bytes = entry_bytes(e->length), hash = e->hash;
        if (goes(&c, e)) {
            sketch_raise(p, e);
            if (e->count > p->bound) p->bound = e->count;
        } else {
            memmove(t->arena + p->used, e, (size_t)bytes);
            point_at(t, p, hash, p->used);
            p->used += bytes;
            p->keys++;
        }
        at += bytes;
    }
}

/* ---- lines
 * ---------------------------------------------------------------------------------------------------
 */

/* False: the key is too long. */
static bool stranger(heavy *t, part *p, const line *l)
{
    const uint64_t bytes = entry_bytes(l->key_length);
    if (t->closed) return true;
    if (bytes > (p->end - p->from) / 4 || l->key_length > UINT32_MAX) {
        p->too_long = l->key_length;
        return false;
    }
    if (p->bound) {
        const blm_item it = {.h = l->h, .key = l->key, .len = l->key_length, .arg = BLM_NO_ARG};
        if (sketched(p, &it) < p->bound) {
            sketch_add(p, it, 1);
            return true;
        }
    }
    if (p->used + bytes > p->end || p->keys == p->most_keys) make_room(t, p);
    enter(t, p, l);
    return true;
}

static part *part_of(heavy *t, uint64_t hash) { return &t->parts[(hash >> 32) * t->nparts >> 32]; }

#if defined(__GNUC__)
#define FETCH(place)                                                                               \
    __builtin_prefetch(place, 1) /* in no function of its own: gcc leaves such calls out */
#else
#define FETCH(place) (void)(place)
#endif

static uint32_t *slot_of(heavy *t, const line *l)
{
    const part *p = part_of(t, l->h.lo);
    return &p->slots[home_of(p, l->h.lo)];
}

bool heavy_take(heavy *t, const line *lines, const uint32_t *of, size_t n, size_t *done)
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
        else if (!stranger(t, p, l)) {
            *done = i;
            return false;
        }
        p->lines++;
    }
    *done = n;
    return true;
}

void heavy_recount(heavy *t)
{
    for (unsigned i = 0; i < t->nparts; i++) {
        part *p = &t->parts[i];
        p->lines = 0;
        for (uint64_t at = p->from; at < p->used;) {
            entry *e = entry_at(t, at);
            e->count = e->over = 0;
            at += entry_bytes(e->length);
        }
    }
    t->closed = true;
}

/* bound <= 2 lines / keys, 1/32 more for the classes; a quarter more for keys
 * that are longer than these. */
uint64_t heavy_ram_for(const heavy *t, uint64_t least)
{
    const heavy_sum sum = heavy_sums(t);
    const double each = sum.held ? (double)sum.used / (double)sum.held : HEAD;
    double keys = 2.1 * (double)sum.lines / (double)least;
    if (keys > (double)sum.lines) keys = (double)sum.lines;
    const double by_bytes = keys * each * 8 / 5, by_slots = keys * 4 / 3 * sizeof *t->slots * 8;
    const double bytes = (by_bytes > by_slots ? by_bytes : by_slots) * 1.25;
    return bytes < 9e18 ? (uint64_t)bytes : UINT64_C(9000000000000000000);
}

/* ---- in order: a heap in the slots, whose first n are taken off and put
 * behind it ------------------------------- */

static bool before(const heavy *t, uint32_t a, uint32_t b)
{
    const entry *x = entry_of(t, a), *y = entry_of(t, b);
    if (x->count != y->count) return x->count > y->count;
    const uint32_t n = x->length < y->length ? x->length : y->length;
    const int order = memcmp(x->key, y->key, n);
    return order ? order < 0 : x->length < y->length;
}

static void sink(heavy *t, uint64_t i, uint64_t n)
{
    uint32_t *heap = t->slots;
    for (uint64_t child; (child = 2 * i + 1) < n; i = child) {
        if (child + 1 < n && before(t, heap[child + 1], heap[child])) child++;
        if (!before(t, heap[child], heap[i])) return;
        const uint32_t swap = heap[i];
        heap[i] = heap[child];
        heap[child] = swap;
    }
}

/* Keys of count `least` and more, to the front of the slots; the highest of the
 * others is kept. */
static uint64_t gather(heavy *t, uint64_t least)
{
    uint64_t n = 0;
    t->others = heavy_sums(t).bound;
    for (unsigned i = 0; i < t->nparts; i++) {
        const part *p = &t->parts[i];
        for (uint64_t at = p->from; at < p->used;) {
            const entry *e = entry_at(t, at);
            if (e->count >= least)
                t->slots[n++] = (uint32_t)(at / UNIT);
            else if (e->count > t->others)
                t->others = e->count;
            at += entry_bytes(e->length);
        }
    }
    return n;
}

size_t heavy_sort(heavy *t, size_t n, uint64_t least)
{
    uint64_t left = t->keys = gather(t, least);
    for (uint64_t i = left / 2; i-- > 0;) sink(t, i, left);
    if (n > left) n = (size_t)left;
    for (size_t i = 0; i < n; i++) {
        const uint32_t first = t->slots[0];
        t->slots[0] = t->slots[--left];
        t->slots[left] = first;
        sink(t, 0, left);
    }
    if (left && entry_of(t, t->slots[0])->count > t->others)
        t->others = entry_of(t, t->slots[0])->count;
    return n;
}

heavy_key heavy_at(const heavy *t, size_t i)
{
    const entry *e = entry_of(t, t->slots[t->keys - 1 - i]);
    return (heavy_key){e->key, e->length, e->count - e->over, e->count};
}

uint64_t heavy_others(const heavy *t) { return t->others; }
