/* kind.h - the contract between the core and one kind.
 *
 * Core hashes, allocates, counts, saves, maps, merges-checks, batches, plans, reports. A kind
 * knows its cells. Five rules that no table can state:
 *  R1 Bounds come from fields alone: any cell bytes may lie under a kind (mapped, unchecked),
 *     and every operation must still stay inside f->cells and end.
 *  R2 plan() may use libm; shape() and everything after it is integer arithmetic, so that the
 *     same fields are the same bytes on every machine. (fpr, fnr, keys are read by people.)
 *  R3 A failing operation reads everything first and writes last.
 *  R4 Hash bits are spent once: a child, level, shard or retry draws its own by blm_resalt().
 *  R5 Cells are little-endian for ever: reads and writes go through core/bytes.h.
 */
#ifndef BLM_KIND_H
#define BLM_KIND_H
#include <bloomery/core.h>
#include <bloomery/image.h>
#include <bloomery/count.h>
#include <bloomery/time.h>
#include <bloomery/value.h>
#include <bloomery/inline.h>
#include "core/fetch.h"
#include "core/mul128.h"

#define BLM_MISSES_DEFAULT 0.05 /* fnr where none is asked for, of kinds that are sized by it */
#define BLM_ADDS_MAX       (UINT64_C(1) << 62)
#define BLM_COUNTS_TRIED   64 /* values of the knob that decides how high counts go          */

typedef struct blm_kind blm_kind;

#define BLM_LEN(array) (sizeof(array) / sizeof((array)[0]))

/* One scalar. The list, in order, IS the image; flags say who compares it. */
typedef enum blm_field_role {
    BLM_F_SHAPE = 0 /* equal or no merge */,
    BLM_F_STATE = 1 /* data, moves */
} blm_field_role;
typedef struct blm_field {
    const char *name, *doc;
    uint16_t at;
    uint8_t width, flags; /* 1, 2, 4, 8 bytes, unsigned */
    uint8_t since;        /* the version of the kind that brought it */
    uint64_t min, max;
} blm_field;
/* A later version adds fields at the end of the list, never any other change. Images from before have
 * the new ones at their min; a filter that leaves them there is still written as the older version,
 * with the same bytes as ever. */
#define BLM_FIELD_SINCE(version, type, member, flag, lo, hi, text)                                 \
    {                                                                                              \
        .name = #member, .doc = text, .at = offsetof(type, member),                                \
        .width = sizeof(((type *)0)->member), .flags = flag, .since = version, .min = lo,          \
        .max = hi                                                                                  \
    }
#define BLM_FIELD(type, member, flag, lo, hi, text)                                                \
    BLM_FIELD_SINCE(1, type, member, flag, lo, hi, text)

/* Knob values by table order: num for all types (a WORD's place in its list), text as written. */
typedef struct blm_knobs {
    const double *num;
    const char *const *text;
    const bool
        *timed; /* of a TIME: a unit stood after the number, so num is in ms; else in arrivals */
} blm_knobs;

/* What it means that a key comes again, with the same number or another one. */
typedef enum blm_again {
    BLM_AGAIN_CONFLICT =
        0, /* a value: two different ones are an error of the caller, BLM_E_CONFLICT      */
    BLM_AGAIN_SUM =
        1, /* a weight: they add up, capped at the largest legal number                   */
    BLM_AGAIN_EACH =
        2, /* a set, a host, a level: the key is there once with each, and takes room once
                             * with each                                                                   */
    BLM_AGAIN_STATE =
        3, /* a state: after two different ones nobody knows it (get says UNSURE), and the key
                             * takes room once. For kinds that only add                                    */
    BLM_AGAIN_LONGEST =
        4, /* a life, in units of the clock: the key stays until the last one of them ends. For kinds
                             * that only add                                                               */
    BLM_AGAIN_MAX =
        5 /* a strength: the largest number counts, and other keys may add to it, so get says at
                             * least what was put. The key takes room once. For kinds that only add     */
} blm_again;
/* The argument of a key, and the lists that come with the members. NULL name = none. The builder obeys `again`
 * for kinds that are built whole; kinds that only add see every key as it comes, and must behave the same. Where args()
 * ends below `def`, its highest number is the default. */
typedef struct blm_argdef {
    const char *name, *doc;
    uint64_t def, min, max;
    blm_again again;
} blm_argdef;
typedef struct blm_listdef {
    const char *name, *doc;
    bool keyed;      /* rows carry an arg */
    blm_again again; /* of these args      */
} blm_listdef;

typedef enum blm_needs { /* what add, has, ... get */
                         BLM_NEEDS_HASH64 = 0,
                         BLM_NEEDS_HASH128 =
                             1, /* a collision of hashes would be an error                          */
                         BLM_NEEDS_BYTES =
                             2, /* it->key, it->len as well                                         */
                         BLM_NEEDS_U64 =
                             4, /* keys are integers: h.lo IS the key, not hashed                   */
                         BLM_NEEDS_LO =
                             8, /* looks at h.lo alone: batches may leave h.hi unset               */
                         BLM_NEEDS_SALTS =
                             16 /* h comes as it is, and the kind mixes f->salt in by itself       */
} blm_needs;

/* Rows of one list as columns, in the order of lo, hi, arg, each row once. */
typedef struct blm_rows {
    const uint64_t *lo;
    const uint64_t *hi;  /* NULL: hi is a mix of lo (BLM_NEEDS_HASH64), or nobody looks at it */
    const uint64_t *arg; /* NULL: this list has no numbers                                    */
    size_t n;
} blm_rows;
/* One key in one function: hashed and asked, or hashed and added, without a look at what cannot be. core/one.h stamps
 * such rows out of a kind's has and add; `add` takes the key while f->adds < f->look, and calls core where the fill is to
 * be judged. */
typedef struct blm_one {
    bool (*has)(const blm_filter *f, const void *key, size_t len);
    bool (*has_u64)(const blm_filter *f, uint64_t key);
    blm_err (*add)(blm_filter *f, const void *key, size_t len);
    blm_err (*add_u64)(blm_filter *f, uint64_t key);
} blm_one;
typedef struct blm_region {
    uint8_t *cells;
    uint64_t bytes;
} blm_region;

struct blm_kind {
    const char *name;  /* the identity in images, specs and docs; no numbers               */
    const char *group; /* "membership", "counting", ...: the chapter it is listed under    */
    uint16_t version;  /* of the field list: the newest, see BLM_FIELD                     */
    uint32_t size;     /* of the kind's struct                                             */
    uint32_t needs, promises;
    bool built_first; /* add() takes keys only after build(): shape() says when                 */
    bool superseded;  /* others do as much for less, and the planner ranks them before it       */
    double rate;      /* promised where none is asked for; 0: 1/1000                            */
    /* Bits of blm_clock: the units in which the age of its keys may be measured. shape() narrows f->clock to the one of
     * this setting. 0: keys stay until they are deleted. A kind with a clock forgets by design: fnr tells when. Without
     * `tick`, arrivals are all the time that it knows. */
    uint32_t clock;
    /* A key that comes again takes a place as a new one does, up to max_count() times: it may count copies, but capacity
     * means adds, not keys, and a wish for counts above 1 fails. With counts_by as well, max_count() copies of a key take one
     * place, and those after them another one, without end. Without it, and where max_count() is 1, repeated keys never fill
     * a filter. */
    bool copies;
    const blm_field *fields;
    size_t nfields;
    const blm_knobdef *knobs;
    size_t nknobs;
    blm_argdef arg;
    const blm_listdef *lists; /* next to the members */
    size_t nlists;

    /* wish -> fields, from (keys, fpr) or from (bits, hashes), hashes 0 = the best for keys; core
     * inverts all else by bisection over plan + shape. Core has checked the ranges of keys, fpr, bits
     * and hashes. Never allocates: the planner runs it on a blank struct. */
    blm_err (*plan)(blm_filter *f, const blm_config *wish, const blm_knobs *k, blm_report *why);
    /* fields -> bytes, section offsets (kept in the struct, not in the image), and
     * f->can &= ~... for what this setting cannot do. Run by new, load and map. */
    blm_err (*shape)(blm_filter *f, uint64_t *bytes, blm_report *why);
    blm_err (*start)(blm_filter *f, blm_report *why); /* first cells, first children    */
    blm_err (*check)(const blm_filter *f,
                     blm_report *why); /* are the cells possible? load, verify */
    blm_rate (*fpr)(const blm_filter *f, const blm_case *c);
    blm_rate (*fnr)(const blm_filter *f, const blm_case *c); /* NULL: never, while NO_MISS stands */
    /* A rate that is never passed, whatever keys or cells come, and so the promise; 1 or NULL: none. */
    double (*fpr_ceiling)(const blm_filter *f);
    /* The highest rate that fpr tells for any load, of kinds whose keys leave: they come back to it for ever, so that it is
     * the promise. NULL: the promise is the rate at capacity. */
    double (*fpr_worst)(const blm_filter *f);
    double (*lines)(const blm_filter *f, const blm_case *c); /* cache lines a miss; NULL: 1      */
    /* The share of the members of which del() is not UNSURE, without a case from STATE alone. NULL: all of them. */
    double (*deletes)(const blm_filter *f, const blm_case *c);
    double (*fill)(const blm_filter *f); /* 0..1, from STATE alone           */
    /* The largest count that count() can tell of any key, and with `copies` how often a key can be in the set, or with
     * counts_by as well in one place of it; NULL: any. It depends on the knobs alone. */
    uint64_t (*max_count)(const blm_filter *f);
    /* The knob that decides how high counts go: whole numbers, at most BLM_COUNTS_TRIED of them. Core tries
     * them upwards from `least` and takes the first one with which max_count() is high enough (max_count). Below
     * `least` counters would reach their ceiling although each key comes once. NULL: there is no such knob. */
    struct {
        const char *knob;
        double min;
    } counts_by;
    /* The planner offers each word of the first enumerated knob, and of the knob of this name, the others at their defaults.
     * NULL: of the first one alone. */
    const char *offers_too;
    /* legal keys: BYTES their length, U64 their value. Core refuses others, laws draw from it. */
    void (*world)(const blm_filter *f, uint64_t *min, uint64_t *max);
    /* Legal args, where a knob says how many sets, states or values there are; within arg.min .. arg.max, and arg.def is
     * one of them, or above all of them. It depends on the knobs alone, and where no bits are wished, on rate and hashes.
     * NULL: arg.min .. arg.max. Core refuses others, laws draw from it. */
    void (*args)(const blm_filter *f, uint64_t *min, uint64_t *max);
    /* How long keys stay, in units of f->clock: exactly, or as the planner was asked to keep them. 0: NULL, no clock. */
    uint64_t (*window)(const blm_filter *f);
    /* What has() would read: cells in the order of reading, at most cap; returns how many. */
    size_t (*touch)(const blm_filter *f, blm_hash h, const blm_item *it, blm_touch *out,
                    size_t cap);

    /* h in registers; it may be NULL unless needs or arg ask for it. */
    bool (*has)(const blm_filter *f, blm_hash h, const blm_item *it);
    blm_err (*add)(blm_filter *f, blm_hash h, const blm_item *it, bool *fresh);
    /* The rows for this setting on this machine; NULL, or none: core looks at everything for each key. Core takes them
     * only for keys without a number, hashed by xxh3-64 with f->seed, and where no chunk is checked when it is read. */
    const blm_one *(*one)(const blm_filter *f);
    /* Why add() was FULL for this key: returns FULL, with a sentence. NULL: all places for keys are taken. */
    blm_err (*full)(const blm_filter *f, blm_hash h, const blm_item *it, blm_report *why);
    /* From many threads at once (BLM_BATCH_SHARED): cells and STATE, 8 bytes each, change by atomic operations
     * only. Needs keys(): nobody else knows whether there is room. */
    void (*add_shared)(blm_filter *f, const blm_hash *h, size_t n, uint8_t *fresh);
    /* Batches: prefetch_many and has_many, or none (BLM_BATCH). prefetch_many fetches what the others read first. h has n + more
     * hashes; the first BLM_AHEAD are fetched already, has_many and add_many fetch the rest, those of `more`
     * too. *done = how many went in before an error; fresh may be NULL. */
    void (*prefetch_many)(const blm_filter *f, const blm_hash *h, size_t n);
    void (*has_many)(const blm_filter *f, const blm_hash *h, const uint64_t *a, size_t n,
                     size_t more, uint8_t *yes);
    blm_err (*add_many)(blm_filter *f, const blm_hash *h, const uint64_t *a, size_t n, size_t more,
                        uint8_t *fresh, size_t *done);
    /* Many deletes and counts, with h, n, more and *done as for add_many; both need has_many. absent[i] is 1 where del()
     * says ABSENT, 2 where it says UNSURE (blm_del_flag), and the batch goes on; absent may be NULL. Without these hooks
     * core goes key by key. */
    blm_err (*del_many)(blm_filter *f, const blm_hash *h, const uint64_t *a, size_t n, size_t more,
                        uint8_t *absent, size_t *done);
    blm_err (*count_many)(const blm_filter *f, const blm_hash *h, size_t n, size_t more,
                          blm_estimate *times);
    /* Keys of 8 bytes, hashed on the way by xxh3-64 with f->seed; NULL: core hashes for has_many and add_many. Such an
     * add never fails. fresh may be NULL. */
    void (*has_u64)(const blm_filter *f, const uint64_t *key, size_t n, uint8_t *yes);
    void (*add_u64)(blm_filter *f, const uint64_t *key, size_t n, uint8_t *fresh);
    /* Queries inlined into callers: sets form, count and what else the form has (bloomery/inline.h), and *out's `test` if
     * a vector row does it better. Core has set cells, seed and flip, and has made sure that keys are hashed by xxh3-64
     * alone. has() must look at h.lo and cells only. NULL, or false for this setting: none. */
    bool (*lens)(const blm_filter *f, blm_lens *out);
    /* The block of a key with this h.lo: it rises with h.lo from 0, and keys of different blocks touch no common
     * byte of cells; STATE are sums over blocks, and add_many never fails. NULL, or 0 for all: cells lie
     * anywhere. blm_add_bulk cuts threads by it. */
    uint64_t (*block)(const blm_filter *f, uint64_t lo);
    blm_err (*build)(blm_filter *f, const blm_rows *lists,
                     blm_report *why); /* BLM_E_BUILD: next salt */
    /* Kinds of large fixed sets are built in parts instead, and have no `build`, lists or arg. How many follows from SHAPE
     * fields alone; part i gets the rows with blm_reduce(h.lo, parts) == i. build_part writes the bytes of its part and no
     * others, and no field: several threads build parts at the same time, in any order. It tries salts of its own; when
     * none works it says BLM_E_BUILD, widen gives f fields with more room (or says BLM_E_BUILD: that was enough), core
     * shapes and zeroes f anew, and builds all parts again. built comes last, once, with the number of rows in all parts:
     * it sets STATE and may recell. widen and built may be NULL. f with fewer rows than f->capacity must do, down to none;
     * core refuses more (BLM_E_FULL). */
    uint64_t (*parts)(const blm_filter *f);
    blm_err (*build_part)(blm_filter *f, uint64_t i, const blm_rows *rows, blm_report *why);
    blm_err (*widen)(blm_filter *f, blm_report *why);
    blm_err (*built)(blm_filter *f, uint64_t n, blm_report *why);

    /* ABSENT: certainly not in the set. UNSURE: has() says maybe, but no cell is the key's alone, and nothing has changed;
     * only kinds with `deletes` say it, and of no key that is alone in a filter. */
    blm_err (*del)(blm_filter *f, blm_hash h, const blm_item *it);
    blm_err (*count)(const blm_filter *f, blm_hash h, const blm_item *it, blm_estimate *n);
    blm_err (*count_all)(const blm_filter *f, const blm_item *it, size_t n, blm_estimate *times);
    blm_err (*get)(const blm_filter *f, blm_hash h, const blm_item *it, uint64_t *value);
    blm_err (*put)(blm_filter *f, blm_hash h, const blm_item *it);
    blm_err (*which)(const blm_filter *f, blm_hash h, const blm_item *it, const uint64_t *sets,
                     size_t n, uint8_t *yes); /* NULL: core asks has() once a set */
    blm_err (*index)(const blm_filter *f, blm_hash h, uint64_t *dense);
    bool (*range)(const blm_filter *f, uint64_t lo, uint64_t hi);
    blm_err (*part)(const blm_filter *f, const blm_item *it, uint64_t *offsets, size_t *n);
    /* Of a key that has() takes for a member. OK also where nothing helps. */
    blm_err (*deny)(blm_filter *f, blm_hash h, const blm_item *it);
    /* Time is `now` from here on; core has refused now < f->now, and sets f->now afterwards. Two short ticks are one long
     * one: what fades does so at fixed multiples of time. By a clock of arrivals every add is a step of time (blm_step),
     * and a tick adds idle steps. */
    blm_err (*tick)(blm_filter *f, uint64_t now);

    const char *no_merge_reason; /* why it has no merge, the end of a sentence; NULL: not told */
    /* Shapes are equal already; the numbers of children need not be, and what they are is for the kind to see. */
    blm_err (*merge)(blm_filter *f, const blm_filter *g, blm_report *why);
    blm_err (*intersect)(blm_filter *f, const blm_filter *g);
    blm_err (*subtract)(blm_filter *f, const blm_filter *g);
    /* half: copied fields become those of half the size (or a sentence why not); core then shapes and
     * furnishes, and fold fills the cells. Both or none. */
    blm_err (*half)(blm_filter *half, blm_report *why);
    void (*fold)(blm_filter *half, const blm_filter *f);
    /* grow: room for twice the keys or more, by blm_recell or children, or FULL and nothing changes. room: the keys that
     * f has room for now, from fields and children; what add and merge take by themselves is said by blm_grown().
     * Capacity and promise follow room (blm_capacity_now, blm_promise_now). NULL: f->capacity, for ever. grow needs it. */
    blm_err (*grow)(blm_filter *f, blm_report *why);
    uint64_t (*room)(const blm_filter *f);
    /* Bytes of all cells once that many keys are in, those of children included that come on the way: the price that a
     * planner names. NULL: what shape() says, however many keys. */
    uint64_t (*bytes_at)(const blm_filter *f, uint64_t keys);
    /* Each key once, by its hash. A kind that keeps fingerprints lists each of these once, by the smallest hash that has it
     * (blm_reduce_from): what is listed, added to an empty filter as often as count() says, is the set again. */
    blm_err (*list)(const blm_filter *f, blm_item *out, size_t *n, blm_report *why);
    blm_err (*keys)(const blm_filter *f, blm_estimate *n); /* from STATE alone: O(1)        */
    blm_err (*overlap)(const blm_filter *f, const blm_filter *g, blm_overlap *out);
    /* Bare cells of a peer, f->bytes of them: check them, then copy them and set STATE by them. */
    blm_err (*adopt)(blm_filter *f, const uint8_t *cells, blm_report *why);
};

typedef enum blm_flag {
    BLM_MAPPED = 1,      /* cells belong to a file or to the caller: read-only                 */
    BLM_KEYED = 2,       /* hashed with a secret                                               */
    BLM_OVERFILL = 4,    /* add past twice the promise                                         */
    BLM_TOUCH_CHECK = 8, /* queries compare the chunks they read with their checksums         */
    BLM_UNCHECKED = 16,  /* opened by its header alone: kind->check has not seen the cells    */
    BLM_QUIET = 32       /* part of a large mapped image: info reads no cells of it            */
} blm_flag;

/* First member of every kind's struct. Core owns all of it; a kind reads it, writes its own
 * fields and cells, and sets bits of `lost`. */
struct blm_filter {
    const blm_kind *kind;
    const blm_one *one; /* how one key is asked and added: blm_settle() picks it */
    uint8_t *cells;     /* one region, little-endian, 64-byte aligned unless mapped           */
    uint64_t bytes;
    uint64_t seed, salt; /* seed: bytes -> hash. salt: hash -> hash, retries and children      */
    uint64_t adds;       /* calls of add: sums under merge, the same in any order              */
    uint64_t capacity,   /* as planned: f may have grown since */
        look;            /* adds at which core next asks fpr(f, NULL); 0 if mapped             */
    uint64_t now;        /* last tick, and the arrivals since, by a clock of arrivals          */
    double target;       /* promised rate: as asked, else theory at capacity                   */
    uint32_t can, lost;  /* abilities of this setting; promises this filter has lost           */
    uint32_t clock;      /* the one bit of blm_clock of this setting, or 0                     */
    uint32_t flags;
    uint16_t nchild,
        places; /* places: how long the list is; children that left need not shorten it */
    uint16_t
        judged; /* keys, by the fill, in 4096ths of the capacity, when fpr(f, NULL) was last asked; 0: not
                      * since the cells were changed by more than adds */
    blm_filter **child; /* in order; the place is the role                                    */
    const struct blm_hasher
        *hasher;              /* NULL: opened without its secret                            */
    struct blm_backing *back; /* the image under a mapped filter                            */
    struct blm_label *label;  /* note and reports of users; NULL: none                      */
    uint64_t key_check;       /* 0 without a secret                                         */
    uint8_t secret[16];
    blm_alloc alloc;
};

/* services of core ------------------------------------------------------------------------ */
#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
blm_err
blm_fail(blm_report *why, blm_err code, const char *fmt, ...);
/* The next section: `count` cells of `width_bits`, at a multiple of `align` bytes. Returns its
 * offset and moves *end; saturates at UINT64_MAX, which core refuses as a size. */
uint64_t blm_section(uint64_t *end, uint64_t count, unsigned width_bits, unsigned align);
blm_err blm_recell(blm_filter *f, blm_region *fresh, uint64_t bytes); /* zeroed; f untouched     */
void blm_commit(blm_filter *f, blm_region *fresh);                    /* swap in, free the old   */
/* The keys that f has room for: those it was planned for, or what kind->room says; at most 2^56. */
uint64_t blm_capacity_now(const blm_filter *f);
/* f has taken more room, in add or merge: its fill is judged by the new capacity from here on. Kinds with `block` or
 * add_shared, whose adds run side by side, do not call it. */
void blm_grown(blm_filter *f);
/* Saturating sum: a + b, capped at max. Requires a <= max. */
static inline uint64_t blm_sum_below(uint64_t a, uint64_t b, uint64_t max)
{
    return b < max - a ? a + b : max;
}
static inline void blm_count_adds(blm_filter *f, uint64_t n)
{
    f->adds = blm_sum_below(f->adds, n, BLM_ADDS_MAX);
}
/* n keys have come, by a clock of arrivals. At the end of time it stands still. */
static inline void blm_step(blm_filter *f, uint64_t n)
{
    f->now = blm_sum_below(f->now, n, UINT64_MAX);
}
/* One key, looked at in every respect (ops.c): what rows of blm_one call when the fill is to be judged. */
blm_err blm_any_add(blm_filter *f, const void *key, size_t len);
blm_err blm_any_add_u64(blm_filter *f, uint64_t key);
static inline uint64_t blm_mix(uint64_t x) /* splitmix64's finisher: each bit reaches each bit */
{
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}
#define BLM_SALT_STEP UINT64_C(0x9e3779b97f4a7c15)
/* One to one, so that hashes that differ stay different. */
static inline blm_hash blm_resalt(blm_hash h, uint64_t salt)
{
    const uint64_t step = salt * BLM_SALT_STEP;
    return (blm_hash){blm_mix(h.lo + step), blm_mix(h.hi ^ step)};
}
static inline blm_hash blm_row_hash(const blm_rows *r, size_t i)
{
    return (blm_hash){r->lo[i], r->hi ? r->hi[i] : blm_mix(r->lo[i])};
}
/* As kind->list tells of a fingerprint, one of `range` numbers. */
static inline blm_item blm_listed(uint64_t print, uint64_t range)
{
    const uint64_t lo = blm_reduce_from(print, range);
    return (blm_item){{lo, blm_mix(lo)}, NULL, 0, BLM_NO_ARG};
}
/* The salt by which core changes the hashes of f: none for a kind that mixes its own in. */
static inline uint64_t blm_outer_salt(const blm_filter *f)
{
    return f->kind->needs & BLM_NEEDS_SALTS ? 0 : f->salt;
}
/* Is the kind built whole, out of all its keys? */
static inline bool blm_is_built(const blm_kind *k) { return k->build || k->parts; }
/* keys, doubled `times` times; 2^64 - 1 where that is too much, as forged numbers are. */
static inline uint64_t blm_doubled(uint64_t keys, unsigned times)
{
    return times < 64 && keys <= UINT64_MAX >> times ? keys << times : UINT64_MAX;
}

/* ---- children: filters of their own, whose place is their role (family.c) ------------------------------------ */

/* Appends a filter as *c wishes, with the hash, the seed and the secret of f. The kind picks the salt, by which the child
 * makes a hash of its own out of its parent's (R4); 0: it gets the parent's as it is, so that children of one shape
 * have the bits of a key at the same places. An error: nothing has changed. */
blm_err blm_child(blm_filter *f, const blm_config *c, uint64_t salt, blm_report *why);
/* Likewise n of them at once, all or none, as `wish` says: of the child at this place, its config and its salt. */
typedef uint64_t (*blm_child_wish)(const blm_filter *f, uint32_t place, blm_config *c);
blm_err blm_children(blm_filter *f, uint32_t n, blm_child_wish wish, blm_report *why);
/* Likewise a child of a kind that is built whole, out of such rows as f's own build gets, one blm_rows per list: they are
 * resalted and sorted anew, and built; after BLM_E_BUILD with salt + 1, ... as the builder does (the child knows its own).
 * c->keys 0: as many as lists[0] has. */
blm_err blm_child_built(blm_filter *f, const blm_config *c, uint64_t salt, const blm_rows *lists,
                        size_t nlists, blm_report *why);
/* Copies of g's children from place `first` on, salts and all, behind those of f; all of them or none. */
blm_err blm_child_copies(blm_filter *f, const blm_filter *g, uint32_t first, blm_report *why);
/* What core looks at before it calls kind->merge, for children that are merged one by one: OK, and a merge of kinds that
 * only add cells up cannot fail. */
blm_err blm_may_merge(const blm_filter *into, const blm_filter *from, blm_report *why);
/* Child i leaves and is freed; those after it move up. It never fails: where there is no memory for a shorter list, the
 * long one stays. */
void blm_child_drop(blm_filter *f, uint32_t i);
/* The hash with which a child is asked. */
static inline blm_hash blm_child_hash(const blm_filter *child, blm_hash h)
{
    const uint64_t salt = blm_outer_salt(child);
    return salt ? blm_resalt(h, salt) : h;
}
static inline bool blm_child_has(const blm_filter *f, uint32_t i, blm_hash h, const blm_item *it)
{
    const blm_filter *c = f->child[i];
    return c->kind->has(c, blm_child_hash(c, h), it);
}
/* As kind->prefetch_many and kind->has_many of child i, with the parent's n + more hashes; the first BLM_AHEAD are
 * fetched already. A child whose kind has no batches is asked key by key. */
void blm_child_prefetch_many(const blm_filter *f, uint32_t i, const blm_hash *h, size_t n);
void blm_child_has_many(const blm_filter *f, uint32_t i, const blm_hash *h, const uint64_t *a,
                        size_t n, size_t more, uint8_t *yes);

/* BLM_BATCH(counting) stamps counting_prefetch_many and counting_has_many out of the kind's static inline
 * counting_prefetch (prefetch) and counting_has: key i + BLM_AHEAD is fetched while key i is tested, and no
 * indirect call per key (+0.8 to 1.7 ns measured). BLM_BATCH_ADD(counting, counting_prefetch_all) likewise, with what fetches
 * for an add: a question for a non-member ends after two cells, an add writes all of them. One line per kind; a kind whose
 * has_many is a vector row (simd/lanes.h) takes BLM_PREFETCH alone. */
#define BLM_PREFETCH(K)                                                                            \
    static void K##_prefetch_many(const blm_filter *f, const blm_hash *h, size_t n)                \
    {                                                                                              \
        for (size_t i = 0; i < n; i++) K##_prefetch(f, h[i]);                                      \
    }
#define BLM_BATCH(K)                                                                               \
    BLM_PREFETCH(K)                                                                                \
    static void K##_has_many(const blm_filter *f, const blm_hash *h, const uint64_t *a, size_t n,  \
                             size_t more, uint8_t *yes)                                            \
    {                                                                                              \
        for (size_t i = 0; i < n; i++) {                                                           \
            if (i + BLM_AHEAD < n + more) K##_prefetch(f, h[i + BLM_AHEAD]);                       \
            const blm_item it = {h[i], 0, 0, a ? a[i] : BLM_NO_ARG};                               \
            yes[i] = K##_has(f, h[i], &it);                                                        \
        }                                                                                          \
    }
#define BLM_BATCH_ADD(K, NEAR)                                                                     \
    static blm_err K##_add_many(blm_filter *f, const blm_hash *h, const uint64_t *a, size_t n,     \
                                size_t more, uint8_t *fresh, size_t *done)                         \
    {                                                                                              \
        blm_err err = BLM_OK;                                                                      \
        size_t i = 0;                                                                              \
        for (; i < n && !err; i += !err) {                                                         \
            bool was_new = false;                                                                  \
            if (i + BLM_AHEAD < n + more) NEAR(f, h[i + BLM_AHEAD]);                               \
            const blm_item it = {h[i], 0, 0, a ? a[i] : BLM_NO_ARG};                               \
            err = K##_add(f, h[i], &it, &was_new);                                                 \
            if (fresh && !err) fresh[i] = was_new;                                                 \
        }                                                                                          \
        *done = i;                                                                                 \
        return err;                                                                                \
    }
/* What a delete within a batch said: the flag of its key, and an error only where the batch ends. */
static inline uint8_t blm_del_flag(blm_err *err, blm_err said)
{
    const uint8_t flag = said == BLM_E_ABSENT   ? BLM_WAS_ABSENT
                         : said == BLM_E_UNSURE ? BLM_WAS_UNSURE
                                                : BLM_WAS_DELETED;
    *err = flag ? BLM_OK : said;
    return flag;
}
/* Likewise out of counting_del and counting_count. */
#define BLM_BATCH_DEL(K, NEAR)                                                                     \
    static blm_err K##_del_many(blm_filter *f, const blm_hash *h, const uint64_t *a, size_t n,     \
                                size_t more, uint8_t *absent, size_t *done)                        \
    {                                                                                              \
        blm_err err = BLM_OK;                                                                      \
        size_t i = 0;                                                                              \
        for (; i < n && !err; i += !err) {                                                         \
            if (i + BLM_AHEAD < n + more) NEAR(f, h[i + BLM_AHEAD]);                               \
            const blm_item it = {h[i], 0, 0, a ? a[i] : BLM_NO_ARG};                               \
            const uint8_t flag = blm_del_flag(&err, K##_del(f, h[i], &it));                        \
            if (absent && !err) absent[i] = flag;                                                  \
        }                                                                                          \
        *done = i;                                                                                 \
        return err;                                                                                \
    }
#define BLM_BATCH_COUNT(K, NEAR)                                                                   \
    static blm_err K##_count_many(const blm_filter *f, const blm_hash *h, size_t n, size_t more,   \
                                  blm_estimate *times)                                             \
    {                                                                                              \
        blm_err err = BLM_OK;                                                                      \
        for (size_t i = 0; i < n && !err; i++) {                                                   \
            if (i + BLM_AHEAD < n + more) NEAR(f, h[i + BLM_AHEAD]);                               \
            const blm_item it = {h[i], 0, 0, BLM_NO_ARG};                                          \
            err = K##_count(f, h[i], &it, &times[i]);                                              \
        }                                                                                          \
        return err;                                                                                \
    }
#endif
