/* bloomery/core.h - filters of every kind, through one handle.
 *
 *     blm_filter *f;
 *     if (blm_make(&f, "blocked keys=1e6 fpr=0.1%", NULL)) return 1;
 *     if (blm_add(f, "plum", 4)) return 1;
 *     if (blm_has(f, "plum", 4)) puts("maybe");
 *     blm_free(f);
 *
 * A filter answers "is this key in the set?" with "no" or "maybe". A kind is one data structure of
 * the literature; blm_kind_at() lists them. A key is a string of bytes, of any length.
 *
 * Most operations come in two forms: one takes (key, len); the other, _item, takes a key that was
 * hashed already, or that carries an argument.
 *
 * Errors: calls that can fail return a blm_err. After a failure nothing has changed, and output
 * parameters are untouched. Pass a blm_report to get a sentence that says what was wrong.
 *
 * Threads: calls that take a const filter never write to it, not even to a cache, so any number of
 * threads may make them at the same time. All other calls need the filter to themselves
 * (blm_add_shared is the exception). A NULL handle is a programming error, not an error code.
 */
#ifndef BLOOMERY_CORE_H
#define BLOOMERY_CORE_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* BLM_MUST_USE marks calls whose result must be looked at: what they were asked to do may not have
 * been done. gcc and clang warn about a caller that ignores it. */
#if defined(__GNUC__)
#define BLM_API      __attribute__((visibility("default")))
#define BLM_MUST_USE __attribute__((warn_unused_result))
#else
#define BLM_API
#define BLM_MUST_USE
#endif

#ifdef __cplusplus
extern "C" {
#endif

#define BLM_VERSION_MAJOR 0
#define BLM_VERSION_MINOR 1
#define BLM_VERSION_PATCH 0

/* Returns the version of the library that runs, such as "0.1.0". The macros above are the version
 * of the header that the program was compiled with. */
BLM_API const char *blm_version(void);

/* A filter of any kind. */
typedef struct blm_filter blm_filter;

/* What went wrong. The numbers are frozen, because they are sent over networks: new ones are added
 * at the end. */
typedef enum blm_err {
    BLM_OK = 0,
    BLM_E_ARG = 1,       /* a parameter is outside its documented range                       */
    BLM_E_NOMEM = 2,     /* there is not enough memory                                        */
    BLM_E_FULL = 3,      /* no room, or the rate would pass twice the promised one            */
    BLM_E_CANNOT = 4,    /* this filter lacks the ability: see blm_can()                      */
    BLM_E_ABSENT = 5,    /* the key is certainly not in the set                               */
    BLM_E_IMAGE = 6,     /* these bytes are not an image, or it is damaged or forged          */
    BLM_E_NEWER = 7,     /* the image is sound, but newer than this library                   */
    BLM_E_MISMATCH = 8,  /* the two filters cannot be combined; the report says why           */
    BLM_E_UNSURE = 9,    /* the filter cannot tell: an ambiguous delete, an unknown value     */
    BLM_E_CONFLICT = 10, /* one key has two values, or is on two exclusive lists */
    BLM_E_BUILD = 11,    /* no seed worked; honest keys do not cause this                     */
    BLM_E_CLOCK = 12,    /* time went backwards                                               */
    BLM_E_KEY = 13,      /* the secret key is missing or wrong                                */
    BLM_E_IO = 14,       /* a file could not be read or written                               */
    BLM_E_READONLY = 15, /* the filter is mapped, and mapped filters cannot be changed        */
    BLM_E_POLLUTED = 16  /* the image is fuller than the caller accepts from others           */
} blm_err;

/* Returns a few words for a code, such as "out of memory". The report has the whole sentence. */
BLM_API const char *blm_strerror(blm_err e);

/* The sentence that explains a failure: it names the value and the legal range. The caller owns
 * it. Calls write to it only when they fail; where a call takes one, NULL means "the code is
 * enough". */
typedef struct blm_report {
    blm_err code;
    char text[240];
} blm_report;

/* Where the memory of a filter comes from. */
typedef struct blm_alloc {
    void *(*get)(void *ctx, size_t bytes); /* zeroed, aligned to 64 bytes; NULL: none left */
    void (*put)(void *ctx, void *p, size_t bytes); /* takes back what get returned                */
    void *ctx;                                     /* is passed to both                           */
} blm_alloc;

/* The hash of a key under one filter's seed. Where a kind needs only 64 bits, hi is derived from
 * lo. */
typedef struct blm_hash {
    uint64_t lo;
    uint64_t hi;
} blm_hash;

/* The argument of an item that has none: the kind's default is used. */
#define BLM_NO_ARG UINT64_MAX

/* A key that is ready for a filter. */
typedef struct blm_item {
    blm_hash h;      /* its hash                                                                */
    const void *key; /* its bytes; only kinds that look inside a key read them                  */
    size_t len;      /* how many bytes                                                          */
    uint64_t arg;    /* one number: a weight, value, set, ... as blm_kind_info.arg names it      */
} blm_item;

/* A number with an error. Where the kind promises bounds, low <= truth <= high is certain;
 * elsewhere they are one standard error away on either side, cut off at what is possible, and the
 * 95 % interval is value +- 1.96 times the longer side. low == high means that the value is
 * exact. Counts below 2^53 are exact in a double. */
typedef struct blm_estimate {
    double value;
    double low;
    double high;
    bool bound; /* value is only a lower bound: a counter is at its ceiling */
} blm_estimate;

/* What a filter can do. Ask with blm_can(). */
typedef enum blm_ability {
    BLM_ADD = 1 << 0,          /* add keys                                        */
    BLM_DEL = 1 << 1,          /* delete keys                                     */
    BLM_COUNT = 1 << 2,        /* count how often a key was added                 */
    BLM_COUNT_ALL = 1 << 3,    /* count many keys together, more exactly          */
    BLM_GET = 1 << 4,          /* return the value of a key                       */
    BLM_PUT = 1 << 5,          /* store a value for a key                         */
    BLM_WHICH = 1 << 6,        /* say in which of several sets a key is           */
    BLM_INDEX = 1 << 7,        /* give each member a number of its own            */
    BLM_RANGE = 1 << 8,        /* say whether a range of integers has a member    */
    BLM_PART = 1 << 9,         /* find a part of a key                            */
    BLM_DENY = 1 << 10,        /* learn from false positives that are reported    */
    BLM_TICK = 1 << 11,        /* let keys expire                                 */
    BLM_MERGE = 1 << 12,       /* take in all keys of another filter              */
    BLM_INTERSECT = 1 << 13,   /* keep what another filter has, too               */
    BLM_SUBTRACT = 1 << 14,    /* remove the counts of another filter             */
    BLM_FOLD = 1 << 15,        /* shrink to half the size                         */
    BLM_GROW = 1 << 16,        /* make room for twice the keys                    */
    BLM_LIST = 1 << 17,        /* list the keys, or their fingerprints            */
    BLM_CARDINALITY = 1 << 18, /* estimate how many distinct keys it has          */
    BLM_BUILD = 1 << 19,       /* be built from all keys at once                  */
    BLM_SHARED = 1 << 20,      /* add keys from many threads at the same time     */
    BLM_OVERLAP = 1 << 21      /* estimate how much two filters have in common    */
} blm_ability;

/* Returns the name of one ability, such as "add" or "cardinality"; NULL if there is no such bit. */
BLM_API const char *blm_ability_name(blm_ability one);

/* What a filter never breaks. A filter may lose a promise (blm_info.lost), for example after an
 * intersection. */
typedef enum blm_promise {
    BLM_NO_MISS = 1 << 0,     /* every key that was added and not deleted answers yes      */
    BLM_NO_FALSE = 1 << 1,    /* a yes is certain, for the keys that the kind is made for  */
    BLM_NEVER_LOW = 1 << 2,   /* a count, value or label is never below the truth          */
    BLM_ANY_ORDER = 1 << 3,   /* the same keys in any order give the same bytes            */
    BLM_IDEMPOTENT = 1 << 4,  /* adding a key again changes no cell                        */
    BLM_MERGE_EXACT = 1 << 5, /* a merge has the same bytes as adding both sets            */
    BLM_FOLD_EXACT = 1 << 6,  /* a fold has the same bytes as a filter built that small    */
    BLM_DEL_EXACT = 1 << 7    /* adding and deleting a key restores the cells              */
} blm_promise;

/* Returns the name of one promise, such as "no_miss"; NULL if there is no such bit. */
BLM_API const char *blm_promise_name(blm_promise one);

/* ---- making a filter --------------------------------------------------------------------- */

/* What kind of filter to make, and how large. Zero in any field asks for the default. Give any
 * two of keys, fpr and bits, and the third one is solved for; with one alone, fpr is 1/1000, or the
 * default of the kind. */
typedef struct blm_config {
    size_t size;            /* sizeof(blm_config); blm_config_init() and BLM_CONFIG set it       */
    const char *kind;       /* such as "blocked", which is the default                           */
    uint64_t keys;          /* how many distinct keys to make room for                           */
    double fpr;             /* the false positive rate to keep up to that number                 */
    double fnr;             /* the false negative rate, for kinds that have one                  */
    uint64_t bits;          /* size of the whole filter, never exceeded                          */
    unsigned hashes;        /* hashes per key; 0: the best number                                */
    uint64_t seed;          /* filters with the same seed hash keys alike                        */
    const uint8_t *secret;  /* 16 bytes: hash with a secret key, against keys that an adversary
                             * chooses; NULL: none                                               */
    const char *with;       /* knobs of the kind, such as "width=8 layout=line"                  */
    bool overfill;          /* keep adding past twice the promised rate                          */
    const blm_alloc *alloc; /* NULL: malloc; arrays of 2 MiB or more ask for huge pages          */
    uint64_t max_count;     /* the largest count that blm_count must still report; the kind takes
                             * the smallest counters that do. 0: its default counters            */
    uint64_t now;           /* the time at which a filter begins whose keys expire by ticks
                             * (bloomery/time.h): as if blm_tick() came first                    */
} blm_config;

/* Sets *c to all defaults. */
BLM_API void blm_config_init(blm_config *c);

/* BLM_CONFIG(.keys = 1000000, .fpr = 0.01) is a pointer to a blm_config, for use as an argument
 * of a call; fields that are not named have their defaults. In C++ (17 or later) the fields may
 * come in any order, at most 12 of them, and the pointer is valid until the call ends. */
#ifndef __cplusplus
#define BLM_CONFIG(...) (&(const blm_config){.size = sizeof(blm_config), __VA_ARGS__})
#else
#define BLM_CONFIG(...) BLM_CXX_SET(blm_config, blm_config_init, __VA_ARGS__)
#endif

/* Makes a filter from one text: the name of a kind, then NAME=VALUE settings in any order. keys,
 * fpr, bits, hashes, seed, max-count and overfill are for every kind; the others are the knobs of
 * the kind. Numbers: 1e9, 10M (10^7), 0.1%, 1/1000. Sizes: 128B, 64KiB, 2GiB, 1024b (bits). Fails
 * with BLM_E_ARG if the text or a value is wrong, BLM_E_NOMEM. Free it with blm_free(). */
BLM_API BLM_MUST_USE blm_err blm_make(blm_filter **out, const char *spec, blm_report *why);

/* Makes a filter from a blm_config. Fails as blm_make does. Cost: the memory is allocated and
 * zeroed. */
BLM_API BLM_MUST_USE blm_err blm_new(blm_filter **out, const blm_config *c, blm_report *why);

/* Makes a copy of f that can be changed, even if f is mapped. Fails with BLM_E_NOMEM. */
BLM_API BLM_MUST_USE blm_err blm_copy(blm_filter **out, const blm_filter *f, blm_report *why);

/* Removes all keys; the shape stays. Fails with BLM_E_READONLY if f is mapped. */
BLM_API blm_err blm_clear(blm_filter *f);

/* Returns whether a and b have the same image, byte for byte. */
BLM_API bool blm_equal(const blm_filter *a, const blm_filter *b);

/* Frees f and what belongs to it; NULL is fine. */
BLM_API void blm_free(blm_filter *f);

/* Returns whether f has this ability. It depends on the kind and on its settings. */
BLM_API bool blm_can(const blm_filter *f, blm_ability what);

/* Reads a count as people write it ("1e6", "10M"), independent of the locale. Fails with
 * BLM_E_ARG. */
BLM_API BLM_MUST_USE blm_err blm_parse_count(const char *text, uint64_t *n, blm_report *why);

/* Reads a rate ("0.01", "0.1%", "1/1000"). Fails with BLM_E_ARG unless it is between 0 and 1. */
BLM_API BLM_MUST_USE blm_err blm_parse_rate(const char *text, double *p, blm_report *why);

/* Reads a size ("2GiB", "64KiB", "1024b") and returns it in bits: "2GiB" is 2^34. Fails with
 * BLM_E_ARG. */
BLM_API BLM_MUST_USE blm_err blm_parse_bits(const char *text, uint64_t *bits, blm_report *why);

/* ---- one key ------------------------------------------------------------------------------ */

/* Adds a key. Fails with BLM_E_FULL, and does not add it, when the rate judged by the fill has
 * passed twice the promised one (unless overfill is set); blm_room() then has the sentence.
 * Adding a key again is harmless; kinds that count, count it. Fails with BLM_E_READONLY if f is
 * mapped, BLM_E_KEY if it was opened without its secret. */
BLM_API BLM_MUST_USE blm_err blm_add(blm_filter *f, const void *key, size_t len);

/* Adds an integer: its 8 bytes, little-endian on every machine. Fails as blm_add does. */
BLM_API BLM_MUST_USE blm_err blm_add_u64(blm_filter *f, uint64_t key);

/* Adds an item, and sets *fresh to whether the key was certainly not in the set before (a
 * test-and-add). fresh may be NULL. Fails as blm_add does. */
BLM_API BLM_MUST_USE blm_err blm_add_item(blm_filter *f, const blm_item *it, bool *fresh);

/* Returns BLM_OK if f has room for more keys; BLM_E_FULL, with the sentence, if it has not. */
BLM_API blm_err blm_room(const blm_filter *f, blm_report *why);

/* Says why an item was rejected with BLM_E_FULL just now: the rate, as blm_room() does; or that the
 * kind has no place left for this key; or that the key is in the set as often as it can be. it may
 * be NULL: which key it was is not known. Returns BLM_E_FULL. */
BLM_API blm_err blm_why_full(const blm_filter *f, const blm_item *it, blm_report *why);

/* Returns whether the key may be in the set. "No" is certain where the kind promises BLM_NO_MISS;
 * "yes" is wrong with the false positive rate. If f cannot know (it was opened without its
 * secret, or reads a damaged chunk under BLM_CHECK_TOUCHED) the answer is true, which does no
 * harm. */
BLM_API bool blm_has(const blm_filter *f, const void *key, size_t len);

/* Like blm_has, for an integer: its 8 bytes, little-endian on every machine. */
BLM_API bool blm_has_u64(const blm_filter *f, uint64_t key);

/* Like blm_has, for a key whose hash is known (blm_hash_of). */
BLM_API bool blm_has_hash(const blm_filter *f, blm_hash h);

/* Like blm_has, for an item. Its argument, if the kind has one, asks "in this set (class, side)?"
 */
BLM_API bool blm_has_item(const blm_filter *f, const blm_item *it);

/* Returns whether any integer from lo to hi, both included, may be a member. Filters without
 * BLM_RANGE answer true. */
BLM_API bool blm_range(const blm_filter *f, uint64_t lo, uint64_t hi);

/* Reports that a "maybe" for this key was wrong. Every kind counts the report (blm_info.denied);
 * kinds with BLM_DENY also adapt, so that the key is rejected from now on, or more often. Fails
 * with BLM_E_ABSENT, and counts nothing, if f already answers no. Never deny a member. */
BLM_API blm_err blm_deny(blm_filter *f, const void *key, size_t len);

/* Like blm_deny, for an item. */
BLM_API blm_err blm_deny_item(blm_filter *f, const blm_item *it);

/* Records queries for non-members in bulk: `yes` false positives that were not denied one by one,
 * and `no` correct rejections. The rate that users saw is denied / (denied + noes) of blm_info. */
BLM_API blm_err blm_report_queries(blm_filter *f, uint64_t yes, uint64_t no);

/* One cell that a query reads. */
typedef struct blm_touch {
    uint64_t cell;  /* its position                            */
    uint64_t byte;  /* its first byte in the region of cells   */
    uint64_t value; /* its current value                       */
} blm_touch;
#define BLM_TOUCH_MAX 512

/* Writes the cells that a query for this item reads, in order, but at most cap of them; returns how
 * many it reads. 0: the kind does not report them. BLM_TOUCH_MAX entries are always enough. */
BLM_API size_t blm_touched(const blm_filter *f, const blm_item *it, blm_touch *out, size_t cap);

/* ---- many keys ----------------------------------------------------------------------------- */

/* The bytes of a key. */
typedef struct blm_key {
    const void *key;
    size_t len;
} blm_key;

/* Makes an item for f from a key and an argument (BLM_NO_ARG: none). The item refers to the
 * bytes. */
BLM_API blm_item blm_item_of(const blm_filter *f, const void *key, size_t len, uint64_t arg);

/* Like blm_item_of, for an integer. */
BLM_API blm_item blm_item_u64(const blm_filter *f, uint64_t key, uint64_t arg);

/* Returns the hash of a key as f hashes it: filters with the same seed and secret agree. */
BLM_API blm_hash blm_hash_of(const blm_filter *f, const void *key, size_t len);

/* Like blm_hash_of, for an integer. */
BLM_API blm_hash blm_hash_u64(const blm_filter *f, uint64_t key);

/* Sets h[i] to the hash of k[i], for the batch calls below: h[i].hi is 0 where the kind does not
 * use it. */
BLM_API void blm_hash_many(const blm_filter *f, const blm_key *k, size_t n, blm_hash *h);

/* Sets yes[i] to whether the key with hash h[i] may be in the set, for n keys. The cells of later
 * keys are fetched while earlier ones are tested: in large filters this is several times as fast
 * as one call per key. args may be NULL: all have the default. */
BLM_API void blm_has_many(const blm_filter *f, const blm_hash *h, const uint64_t *args, size_t n,
                          uint8_t *yes);

/* Like blm_has_many, for keys; it hashes them, too. */
BLM_API void blm_has_many_keys(const blm_filter *f, const blm_key *k, size_t n, uint8_t *yes);

/* Like blm_has_many, for integers. */
BLM_API void blm_has_many_u64(const blm_filter *f, const uint64_t *k, size_t n, uint8_t *yes);

/* Adds n keys by their hashes. When it fails (as blm_add does), the first *done keys have been
 * added. With fresh it is a test-and-add: fresh[i] is 1 if the key was certainly not in the set
 * before, twins in one batch included. args, fresh and done may be NULL. */
BLM_API BLM_MUST_USE blm_err blm_add_many(blm_filter *f, const blm_hash *h, const uint64_t *args,
                                          size_t n, uint8_t *fresh, size_t *done);

/* Like blm_add_many, for keys; it hashes them, too. */
BLM_API BLM_MUST_USE blm_err blm_add_many_keys(blm_filter *f, const blm_key *k, size_t n,
                                               uint8_t *fresh, size_t *done);

/* Like blm_add_many, for integers. */
BLM_API BLM_MUST_USE blm_err blm_add_many_u64(blm_filter *f, const uint64_t *k, size_t n,
                                              uint8_t *fresh, size_t *done);

/* Like blm_add_many, but with several threads (0: one per core; at most 64, and at most one per
 * 2^16 hashes). The bytes are the same. Kinds that keep a key in one block divide the cells
 * between the threads (64 KiB of memory per thread); others with BLM_SHARED add concurrently. All
 * other kinds use one thread, and so does everything when memory or threads are not available. */
BLM_API BLM_MUST_USE blm_err blm_add_bulk(blm_filter *f, const blm_hash *h, size_t n,
                                          unsigned threads, size_t *done);

/* Adds n keys by their hashes; any number of threads may call it at the same time (BLM_SHARED) as
 * long as nothing else is done to f. No key is lost, and the bytes are those of one thread. With
 * fresh (may be NULL) it is an exactly-once test-and-add: for one key at most one thread gets 1,
 * and exactly one unless the key was a false positive. Fails with BLM_E_FULL, and adds none, if f
 * has passed twice its promised rate. It occasionally allocates a temporary buffer, so a custom
 * allocator must be thread-safe. BLM_E_NOMEM: no key was added. */
BLM_API BLM_MUST_USE blm_err blm_add_shared(blm_filter *f, const blm_hash *h, size_t n,
                                            uint8_t *fresh);

/* ---- whole filters -------------------------------------------------------------------------- */

/* Adds all keys of `from` to `into`. Fails with BLM_E_MISMATCH if the shapes differ; the report
 * names the first field that differs and what to do about it. BLM_E_CANNOT: the kind has no
 * merge. */
BLM_API BLM_MUST_USE blm_err blm_merge(blm_filter *into, const blm_filter *from, blm_report *why);

/* Keeps in `into` what both filters have. Keys that are in both sets are kept; the rate for
 * others is not above that of either filter. Fails as blm_merge does. */
BLM_API BLM_MUST_USE blm_err blm_intersect(blm_filter *into, const blm_filter *from,
                                           blm_report *why);

/* Takes the counts of `what`, all of whose keys were added to `from`, out of `from`. Fails as
 * blm_merge does. */
BLM_API BLM_MUST_USE blm_err blm_subtract(blm_filter *from, const blm_filter *what,
                                          blm_report *why);

/* Makes a new filter of the size of f divided by 2^times, with the same keys and a higher rate.
 * Fails with BLM_E_ARG if f cannot be halved that often, BLM_E_CANNOT, BLM_E_NOMEM. */
BLM_API BLM_MUST_USE blm_err blm_fold(blm_filter **out, const blm_filter *f, unsigned times,
                                      blm_report *why);

/* Makes room for twice the keys, in about twice the memory. The capacity doubles, and the
 * promised rate becomes the rate at that capacity (blm_info_of reports both). Fails with
 * BLM_E_FULL if f cannot hold twice the keys. */
BLM_API BLM_MUST_USE blm_err blm_grow(blm_filter *f, blm_report *why);

/* Estimates how many distinct keys f has, from its fill. Fails with BLM_E_CANNOT without
 * BLM_CARDINALITY. Cost: none, whatever the size. */
BLM_API blm_err blm_cardinality(const blm_filter *f, blm_estimate *keys);

/* How much two filters of one shape have in common. Each figure has its own standard error. */
typedef struct blm_overlap {
    blm_estimate a;         /* keys in A                                                        */
    blm_estimate b;         /* keys in B                                                        */
    blm_estimate both_sets; /* keys in the union                                                */
    blm_estimate common;    /* keys in the intersection, clamped to what is possible            */
    blm_estimate jaccard;   /* common / union                                                   */
    blm_estimate a_in_b;    /* common / keys in A                                               */
    blm_estimate b_in_a;    /* common / keys in B                                               */
    double common_raw;      /* common before it was clamped: it may be below 0 by chance        */
    uint64_t dot;           /* the inner product: cells that are set in both                    */
    bool a_may_be_subset;   /* false is certain: some key of A is not in B                      */
    bool b_may_be_subset;   /* false is certain: some key of B is not in A                      */
    blm_estimate join;      /* the size of a join: the sum over all keys of the count in A times
                             * the count in B. low <= truth <= high is certain, and high is
                             * INFINITY where no limit is known. join.value < 0: the kind does not
                             * report it                                                        */
} blm_overlap;

/* Estimates how much a and b have in common, from their cells. Fails with BLM_E_MISMATCH if the
 * shapes differ, BLM_E_CANNOT without BLM_OVERLAP. Cost: it reads all cells of both. */
BLM_API BLM_MUST_USE blm_err blm_overlap_of(const blm_filter *a, const blm_filter *b,
                                            blm_overlap *out, blm_report *why);

/* ---- what is this filter -------------------------------------------------------------------- */

/* A rate of errors. low == high: the exact expectation. low == 0: only an upper bound is known. */
typedef struct blm_rate {
    double low;
    double high;
    double spread; /* relative standard deviation between filters of one shape; 0: this filter's */
} blm_rate;

/* A situation to compute a rate for. */
typedef struct blm_case {
    uint64_t keys; /* distinct keys in the filter                                     */
    uint64_t gap;  /* for kinds that forget: the age of the key, in units of the clock; 0: the
                    * mean over all keys. A miss rate of 1 means that it is surely forgotten */
    uint64_t arg;  /* the argument of the query                                       */
} blm_case;

/* Returns the false positive rate by theory. c == NULL: of the filter as it is, from its fill;
 * this may read all cells. Otherwise: of a filter of this shape in the situation *c, from numbers
 * alone. */
BLM_API blm_rate blm_fpr(const blm_filter *f, const blm_case *c);

/* Returns the false negative rate by theory, as blm_fpr does. It is 0 while BLM_NO_MISS holds. */
BLM_API blm_rate blm_fnr(const blm_filter *f, const blm_case *c);

/* What a filter is and how it is doing. Texts live as long as the filter. */
typedef struct blm_info {
    const char *kind;  /* the name of its kind                                               */
    const char *group; /* the family of its kind: "membership", "counting", ...              */
    const char *hash;  /* how it hashes keys: "xxh3-64", ...                                  */
    const char *note;  /* the note of its owner; "" if there is none                         */
    unsigned version;  /* of the list of fields in its image                                 */
    unsigned format;   /* of the image                                                       */
    uint64_t seed;     /* of its hash function                                               */
    uint64_t capacity; /* keys it has room for                                               */
    uint64_t adds;     /* calls that added a key                                             */
    uint64_t bits;     /* of all cells                                                       */
    uint64_t bytes;    /* of all cells, those of children included                           */
    uint64_t now;      /* its time: the last blm_tick(), and the arrivals since if it counts them */
    unsigned hashes;   /* cells per key; 0: the kind has no such number                      */
    uint32_t can;      /* bits of blm_ability                                                */
    uint32_t promises; /* bits of blm_promise that it keeps                                  */
    uint32_t lost;     /* bits of blm_promise that it has lost                               */
    uint32_t children; /* filters inside this one                                            */
    double fpr_target; /* the promised false positive rate                                   */
    double fill;       /* from 0 to 1; below 0: the kind has no such number                  */
    blm_rate fpr_now;  /* the false positive rate with the keys it has                       */
    blm_estimate keys; /* distinct keys                                                      */
    bool keyed;        /* it hashes with a secret                                            */
    bool mapped;       /* its cells belong to a file or to the caller                        */
    bool overfill;     /* it takes keys past twice the promised rate                         */
    uint64_t denied;   /* false positives that were reported (blm_deny, blm_report_queries)  */
    uint64_t noes;     /* correct rejections that were reported (blm_report_queries)         */
    double deletes;    /* about the share of the members that blm_del deletes; 0: it has no del */
    uint32_t clock;    /* in which unit its keys age: one blm_clock (time.h); 0: they do not  */
    uint64_t window;   /* how long they stay, in that unit                                    */
} blm_info;

/* Describes f. It reads no cells of a mapped filter above 64 MiB; fpr_now is then the rate by
 * theory at the estimated number of keys. */
BLM_API void blm_info_of(const blm_filter *f, blm_info *out);

/* One number of the image of a filter. */
typedef struct blm_field_info {
    const char *name;
    const char *doc;
    uint64_t value;
    uint64_t min, max;
    unsigned width; /* in bytes                                                          */
    bool state;     /* true: data; false: shape, which must be equal in filters to merge */
} blm_field_info;

/* Describes the i-th field of f, in the order of the image. Returns false after the last one. */
BLM_API bool blm_field_at(const blm_filter *f, size_t i, blm_field_info *out);

/* Sets the note that the image keeps: at most 1 KiB of UTF-8 text. Fails with BLM_E_ARG,
 * BLM_E_READONLY, BLM_E_NOMEM. */
BLM_API BLM_MUST_USE blm_err blm_set_note(blm_filter *f, const char *text, blm_report *why);

/* Returns how text becomes the bytes of a key before it is hashed, as the image records it: "" if
 * keys are taken as they are, otherwise words such as "hex" (two hex digits per byte), "lower"
 * (A-Z become a-z) or "crlf" (a CR before the newline is dropped). The library hashes the bytes
 * that it is given and never applies a form; the command line does. Filters with different forms
 * do not merge (BLM_E_MISMATCH). The text lives as long as f, or until the form is set again. */
BLM_API const char *blm_key_form(const blm_filter *f);

/* Records the form of the keys; no key changes. form has words of a-z, 0-9 and '-' in ascending
 * order, one space between them, at most 32 bytes; "" for none. Fails with BLM_E_ARG for any
 * other text, BLM_E_READONLY if f is mapped, BLM_E_NOMEM. */
BLM_API BLM_MUST_USE blm_err blm_set_key_form(blm_filter *f, const char *form, blm_report *why);

/* ---- which kinds are there ------------------------------------------------------------------- */

/* The type of a knob's value. */
typedef enum blm_ktype {
    BLM_K_NUMBER,
    BLM_K_WORD,   /* one of a list of words         */
    BLM_K_SIZE,   /* a size, in bits                */
    BLM_K_TIME,   /* a time span: milliseconds, or arrivals where no unit stands */
    BLM_K_NUMBERS /* several numbers                */
} blm_ktype;

/* One setting of a kind. */
typedef struct blm_knobdef {
    const char *name;
    const char *doc;
    blm_ktype type;
    double def; /* the default; for a WORD, its place in the list; below min: none, or planned */
    double min;
    double max;
    const char *words; /* for a WORD: "selection|increase|recurring"     */
} blm_knobdef;

/* What a kind is. */
typedef struct blm_kind_info {
    const char *name;
    const char *group; /* its family                                               */
    const char *arg;   /* the name of the number that goes with a key; NULL: none  */
    unsigned version;  /* of its list of fields                                    */
    uint32_t can;      /* bits of blm_ability                                      */
    uint32_t promises; /* bits of blm_promise                                      */
    bool is_static;    /* it is built from all keys at once: no add, or only later */
    bool misses;       /* it may answer no for a member                            */
    bool integers;     /* its keys are integers, not bytes                         */
    bool bytes;        /* it looks inside keys: it takes no batches of hashes      */
    size_t nknobs;
    size_t nlists;  /* lists of keys besides the members (build.h)              */
    uint32_t clock; /* bits of blm_clock (time.h); 0: its keys do not expire     */
} blm_kind_info;

/* Describes the i-th kind. Returns false after the last one. */
BLM_API bool blm_kind_at(size_t i, blm_kind_info *out);

/* Describes the kind of this name. Returns false if there is none. */
BLM_API bool blm_kind_named(const char *name, blm_kind_info *out);

/* Returns the name of the kind that is spelled most like this, for "did you mean"; NULL if none
 * is. */
BLM_API const char *blm_kind_nearest(const char *name);

/* Returns the one of n words that is the fewest slips away from `word`, or NULL if none is near.
 * A slip is a letter too many, too few, another one, or two that changed places; 2 slips are
 * near, 1 for words of one or two letters. Words of more than 32 letters have no neighbours. */
BLM_API const char *blm_nearest(const char *word, const char *const *among, size_t n);

/* Describes the i-th knob of a kind. Returns false after the last one, or if there is no such
 * kind. */
BLM_API bool blm_knob_at(const char *kind, size_t i, blm_knobdef *out);

/* Describes the i-th image field of a kind without a filter; value is 0. For documentation and for
 * programs that read images by themselves. Returns false as blm_knob_at does. */
BLM_API bool blm_kind_field_at(const char *kind, size_t i, blm_field_info *out);

#ifdef __cplusplus
}

/* BLM_CXX_SET(type, init, .a = 1, .b = 2): a temporary of this type, set by init, then a = 1, b =
 * 2. C++17 has neither compound literals nor designated initializers; an assignment per field is
 * the same. It is for BLM_CONFIG and BLM_OPEN, not for users. */
template <typename T> struct blm_cxx_temporary {
    T value;
    operator const T *() const { return &value; }
};
#define BLM_CXX_SET(type, init, ...)                                                               \
    ([&]() {                                                                                       \
        blm_cxx_temporary<type> blm_t;                                                             \
        init(&blm_t.value);                                                                        \
        BLM_CXX_PICK(__VA_ARGS__, BLM_CXX_12, BLM_CXX_11, BLM_CXX_10, BLM_CXX_9, BLM_CXX_8,        \
                     BLM_CXX_7, BLM_CXX_6, BLM_CXX_5, BLM_CXX_4, BLM_CXX_3, BLM_CXX_2, BLM_CXX_1,  \
                     unused)                                                                       \
        (__VA_ARGS__) return blm_t;                                                                \
    }())
#define BLM_CXX_PICK(a, b, c, d, e, f, g, h, i, j, k, l, name, ...) name

#define BLM_CXX_1(a)       static_cast<void>(blm_t.value a);
#define BLM_CXX_2(a, ...)  BLM_CXX_1(a) BLM_CXX_1(__VA_ARGS__)
#define BLM_CXX_3(a, ...)  BLM_CXX_1(a) BLM_CXX_2(__VA_ARGS__)
#define BLM_CXX_4(a, ...)  BLM_CXX_1(a) BLM_CXX_3(__VA_ARGS__)
#define BLM_CXX_5(a, ...)  BLM_CXX_1(a) BLM_CXX_4(__VA_ARGS__)
#define BLM_CXX_6(a, ...)  BLM_CXX_1(a) BLM_CXX_5(__VA_ARGS__)
#define BLM_CXX_7(a, ...)  BLM_CXX_1(a) BLM_CXX_6(__VA_ARGS__)
#define BLM_CXX_8(a, ...)  BLM_CXX_1(a) BLM_CXX_7(__VA_ARGS__)
#define BLM_CXX_9(a, ...)  BLM_CXX_1(a) BLM_CXX_8(__VA_ARGS__)
#define BLM_CXX_10(a, ...) BLM_CXX_1(a) BLM_CXX_9(__VA_ARGS__)
#define BLM_CXX_11(a, ...) BLM_CXX_1(a) BLM_CXX_10(__VA_ARGS__)
#define BLM_CXX_12(a, ...) BLM_CXX_1(a) BLM_CXX_11(__VA_ARGS__)
#endif
#endif
