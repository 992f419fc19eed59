/* bloomery/core.h - every filter of the family behind one handle.
 *
 *     blm_filter *f;
 *     if (blm_make(&f, "blocked keys=1e6 fpr=0.1%", NULL)) ...      one text, the same in every door
 *     blm_add(f, "plum", 4);
 *     if (blm_has(f, "plum", 4)) puts("maybe");
 *     blm_free(f);
 *
 * Two forms a verb: (key, len), and _item for callers that hashed already or have an argument.
 * *out is written only on BLM_OK; on failure nothing changed. const calls run in parallel and
 * never write: no cache, no touched bit, no counter, no random state. A handle that is written
 * belongs to one thread at a time. NULL handles are programming errors, not codes.
 */
#ifndef BLOOMERY_CORE_H
#define BLOOMERY_CORE_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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
BLM_API const char *blm_version(void); /* "0.1.0": of the library that runs, not of the header */

typedef struct blm_filter blm_filter;

typedef enum blm_err { /* frozen: these numbers cross wires; add at the end only          */
                       BLM_OK = 0,
                       BLM_E_ARG =
                           1, /* a parameter is outside its documented range                   */
                       BLM_E_NOMEM = 2,
                       BLM_E_FULL =
                           3, /* no room, or the rate would pass twice the promise             */
                       BLM_E_CANNOT =
                           4, /* this filter has no such ability: blm_can() said so            */
                       BLM_E_ABSENT =
                           5, /* the key is certainly not inside                               */
                       BLM_E_IMAGE =
                           6, /* not an image, or damaged, or forged                           */
                       BLM_E_NEWER =
                           7, /* a sound image that this build predates                        */
                       BLM_E_MISMATCH =
                           8, /* two filters that may not be combined; the report names why    */
                       BLM_E_UNSURE =
                           9, /* it cannot tell: ambiguous delete, "do not know", undecodable  */
                       BLM_E_CONFLICT =
                           10, /* one key with two values, or on two lists that exclude it      */
                       BLM_E_BUILD =
                           11, /* no seed worked: no honest input reaches this                  */
                       BLM_E_CLOCK =
                           12, /* time went backwards                                           */
                       BLM_E_KEY =
                           13, /* the secret key is missing or is another one                   */
                       BLM_E_IO = 14,
                       BLM_E_READONLY =
                           15, /* a mapped filter; core refuses, kinds need not look            */
                       BLM_E_POLLUTED =
                           16 /* import policy: too full or too positive for a stranger's bytes */
} blm_err;
BLM_API const char *blm_strerror(blm_err e); /* a few words; the report has the sentence */

/* A place for the sentence behind a code: it names the value and the legal range. The caller
 * owns it; NULL means "code only". Written on failure only. */
typedef struct blm_report {
    blm_err code;
    char text[240];
} blm_report;

/* Where a filter's memory comes from. get: zeroed, aligned to 64, NULL when there is none. */
typedef struct blm_alloc {
    void *(*get)(void *ctx, size_t bytes);
    void (*put)(void *ctx, void *p, size_t bytes);
    void *ctx;
} blm_alloc;

typedef struct blm_hash {
    uint64_t lo, hi; /* hi = mix(lo) where 64 bits are enough */
} blm_hash;

/* A key, ready: its hash, its bytes if the kind looks inside, and ONE number. What the number
 * means is the kind's: weight, value, set, state, class, host, side (blm_kind_info.arg names it). */
#define BLM_NO_ARG UINT64_MAX
typedef struct blm_item {
    blm_hash h;
    const void *key;
    size_t len;
    uint64_t arg;
} blm_item;

/* A number that may be off. low <= truth <= high for sure where the kind promises it, else one standard error to each
 * side, cut off at what is possible; low = high: no error. The 95 % interval is value +- 1.96 times the longer side.
 * Counts below 2^53 are exact in a double. */
typedef struct blm_estimate {
    double value, low, high;
    bool bound; /* value is only a lower bound */
} blm_estimate;

typedef enum blm_can_t {
    BLM_ADD = 1 << 0,
    BLM_DEL = 1 << 1,
    BLM_COUNT = 1 << 2,
    BLM_COUNT_ALL = 1 << 3,
    BLM_GET = 1 << 4,
    BLM_PUT = 1 << 5,
    BLM_WHICH = 1 << 6,
    BLM_INDEX = 1 << 7,
    BLM_RANGE = 1 << 8,
    BLM_PART = 1 << 9,
    BLM_DENY = 1 << 10,
    BLM_TICK = 1 << 11,
    BLM_MERGE = 1 << 12,
    BLM_INTERSECT = 1 << 13,
    BLM_SUBTRACT = 1 << 14,
    BLM_FOLD = 1 << 15,
    BLM_GROW = 1 << 16,
    BLM_LIST = 1 << 17,
    BLM_SIZE = 1 << 18,
    BLM_BUILD = 1 << 19,
    BLM_SHARED = 1 << 20, /* add from many threads */
    BLM_OVERLAP = 1 << 21
} blm_can_t;
BLM_API const char *blm_can_name(blm_can_t one); /* "add", "del", ...; NULL for no such bit */

typedef enum blm_promise { /* what a filter never breaks; laws and the planner read these */
                           BLM_NO_MISS =
                               1
                               << 0, /* every key added and not deleted answers yes                */
                           BLM_NO_FALSE =
                               1
                               << 1, /* a yes is certain (inside the kind's stated world)          */
                           BLM_NEVER_LOW =
                               1
                               << 2, /* count, value or label is never below the truth             */
                           BLM_ANY_ORDER =
                               1
                               << 3, /* same keys in any order: same bytes                         */
                           BLM_IDEMPOTENT =
                               1
                               << 4, /* a key added twice: same cells                              */
                           BLM_MERGE_EXACT =
                               1
                               << 5, /* merge: same bytes as having added both                     */
                           BLM_FOLD_EXACT =
                               1
                               << 6, /* fold: same bytes as having built small                     */
                           BLM_DEL_EXACT =
                               1
                               << 7 /* add then delete a member: same cells as before             */
} blm_promise;
BLM_API const char *blm_promise_name(blm_promise one);

typedef struct
    blm_config {      /* zero asks for the default; no kind adds a field here: kinds have knobs */
    size_t size;      /* sizeof(blm_config) of the caller: blm_config_init() fills it      */
    const char *kind; /* "blocked" */
    uint64_t keys;    /* any two of keys, fpr, bits; core solves for the third; one alone:  */
    double fpr, fnr;  /* fpr is then 1/1000                                                */
    uint64_t bits;    /* the whole filter, not one array; never exceeded                   */
    unsigned hashes;  /* 0: the best                                                       */
    uint64_t seed;
    const uint8_t *secret;  /* 16 bytes, or NULL: keys do not come from strangers                */
    const char *with;       /* "width=8 method=rm window=7d" */
    bool overfill;          /* keep adding past twice the promised rate                          */
    const blm_alloc *alloc; /* NULL: malloc; arrays of 2 MiB and more ask for huge pages         */
    uint64_t max_count;     /* how often one key may come: count() must still tell it. The kind
                             * gets the smallest counters that do; 0: its default ones           */
} blm_config;
BLM_API void
blm_config_init(blm_config *c); /* C++ and bindings; BLM_CONFIG(...) is the C shorthand */
#define BLM_CONFIG(...) (&(const blm_config){.size = sizeof(blm_config), __VA_ARGS__})

/* blm_make - a filter from one text: a kind's name, then name=value words in any order.
 * keys, fpr, bits, hashes, seed, max-count and overfill are every kind's; all others are the kind's knobs.
 * Numbers: 1e9, 10M (= 10^7), 0.1%, 1/1000; sizes: 128B, 64KiB, 2GiB, 1024b (bits). */
BLM_API BLM_MUST_USE blm_err blm_make(blm_filter **out, const char *spec, blm_report *why);
BLM_API BLM_MUST_USE blm_err blm_new(blm_filter **out, const blm_config *c, blm_report *why);
BLM_API BLM_MUST_USE blm_err blm_copy(blm_filter **out, const blm_filter *f, blm_report *why);
BLM_API blm_err blm_clear(blm_filter *f); /* as new: no keys, same shape; READONLY when mapped    */
BLM_API bool blm_equal(const blm_filter *a, const blm_filter *b); /* same image                   */
BLM_API void blm_free(blm_filter *f);                             /* NULL is fine */
BLM_API bool blm_can(const blm_filter *f, blm_can_t what);

/* Numbers as people write them, whatever the locale: the same parser for C, command line and
 * SQL. BLM_E_ARG with a sentence otherwise. Sizes come back in bits ("2GiB" = 2^34). */
BLM_API BLM_MUST_USE blm_err blm_parse_count(const char *text, uint64_t *n, blm_report *why);
BLM_API BLM_MUST_USE blm_err blm_parse_rate(const char *text, double *p, blm_report *why);
BLM_API BLM_MUST_USE blm_err blm_parse_bits(const char *text, uint64_t *bits, blm_report *why);

/* ---- one key -------------------------------------------------------------------------- */

/* add - FULL when the rate, judged by the fill, has passed twice the promise (unless overfill):
 * the key is then not added. The same key twice costs nothing. blm_room() has the sentence. */
BLM_API blm_err blm_add(blm_filter *f, const void *key, size_t len);
BLM_API blm_err blm_add_u64(blm_filter *f,
                            uint64_t key); /* = its 8 bytes, little-endian, on every machine */
BLM_API blm_err blm_add_item(blm_filter *f, const blm_item *it,
                             bool *fresh); /* test-and-add; fresh may be NULL */
BLM_API blm_err blm_room(const blm_filter *f, blm_report *why); /* OK, or FULL and the sentence   */

/* has - a "no" is certain where the kind promises NO_MISS, a "yes" is probable. In doubt (no
 * secret, a damaged chunk under BLM_CHECK_TOUCHED): true, the harmless answer. */
BLM_API bool blm_has(const blm_filter *f, const void *key, size_t len);
BLM_API bool blm_has_u64(const blm_filter *f, uint64_t key);
BLM_API bool blm_has_hash(const blm_filter *f, blm_hash h);
BLM_API bool blm_has_item(const blm_filter *f,
                          const blm_item *it); /* with arg: "in that set / class / side" */
BLM_API bool blm_range(const blm_filter *f, uint64_t lo, uint64_t hi); /* any member in [lo, hi]? */
/* deny - "that was a false positive", by one who knows. Every kind counts it (blm_info.denied); one that can
 * (BLM_DENY) also changes, so that the key is taken for a member no longer, or less often. ABSENT: f says
 * no of it already, nothing is counted. Never deny a member. */
BLM_API blm_err blm_deny(blm_filter *f, const void *key, size_t len);
BLM_API blm_err blm_deny_item(blm_filter *f, const blm_item *it);
/* asked - more questions about keys that are not inside, as they were answered: yes (false positives that nobody
 * denied one by one) and no. They are the rate that users saw: denied / (denied + noes) of blm_info. */
BLM_API blm_err blm_asked(blm_filter *f, uint64_t yes, uint64_t no);

/* What one query reads, cell by cell: for explanations, and to check a mapped image's chunks. */
typedef struct blm_touch {
    uint64_t cell;  /* position                                          */
    uint64_t byte;  /* its first byte in the region of cells             */
    uint64_t value; /* what stands there now                             */
} blm_touch;
#define BLM_TOUCH_MAX 512
/* Fills at most cap, returns how many a query reads; 0: the kind does not tell. */
BLM_API size_t blm_touched(const blm_filter *f, const blm_item *it, blm_touch *out, size_t cap);

/* ---- many keys: any length; args NULL = default ----------------------------------------- */
BLM_API blm_item blm_item_of(const blm_filter *f, const void *key, size_t len, uint64_t arg);
BLM_API blm_item blm_item_u64(const blm_filter *f, uint64_t key, uint64_t arg);
BLM_API blm_hash blm_hash_of(const blm_filter *f, const void *key, size_t len);
BLM_API blm_hash blm_hash_u64(const blm_filter *f, uint64_t key);
BLM_API void blm_has_many(const blm_filter *f, const blm_hash *h, const uint64_t *args, size_t n,
                          uint8_t *yes);
/* Keys themselves: hashed inside, while the cells of the keys before are on their way. */
typedef struct blm_key {
    const void *key;
    size_t len;
} blm_key;
/* h[i] is what blm_hash_of says of k[i], for the calls below; hi is 0 where the kind does not look at it. */
BLM_API void blm_hash_many(const blm_filter *f, const blm_key *k, size_t n, blm_hash *h);
BLM_API void blm_has_many_keys(const blm_filter *f, const blm_key *k, size_t n, uint8_t *yes);
BLM_API void blm_has_many_u64(const blm_filter *f, const uint64_t *k, size_t n, uint8_t *yes);
/* add_many - all or, past capacity, a prefix: *fresh and *done (either may be NULL) say which. With fresh it
 * is a test-and-add: 1 when the key was certainly not inside, twins in one batch too. */
BLM_API blm_err blm_add_many(blm_filter *f, const blm_hash *h, const uint64_t *args, size_t n,
                             uint8_t *fresh, size_t *done);
BLM_API blm_err blm_add_many_keys(blm_filter *f, const blm_key *k, size_t n, uint8_t *fresh,
                                  size_t *done);
BLM_API blm_err blm_add_many_u64(blm_filter *f, const uint64_t *k, size_t n, uint8_t *fresh,
                                 size_t *done);
/* add_bulk - add_many by several threads (0: one a core; at most 64, and one in 2^16 hashes): the same bytes.
 * Kinds that keep a key in one block cut the cells between them (64 KiB of memory a thread), others that can add
 * from many threads do that, the rest go on with one; so do all when memory or threads cannot be had. */
BLM_API blm_err blm_add_bulk(blm_filter *f, const blm_hash *h, size_t n, unsigned threads,
                             size_t *done);
/* add_shared - from any number of threads at once (BLM_SHARED), while nothing else is done to f: no key is lost,
 * the bytes are those of one thread. fresh (may be NULL) is an exactly-once test-and-add: for one key at most
 * one thread is told 1, and exactly one unless the key was a false positive. All n or, when f is past twice
 * its promise (judged by the ones alone), FULL and none. Now and then it asks the allocator for a moment's
 * room, which must then allow threads; NOMEM: none. */
BLM_API blm_err blm_add_shared(blm_filter *f, const blm_hash *h, size_t n, uint8_t *fresh);

/* ---- whole filters ----------------------------------------------------------------------- */

/* merge - MISMATCH names the first field that differs and what to do about it. */
BLM_API BLM_MUST_USE blm_err blm_merge(blm_filter *into, const blm_filter *from, blm_report *why);
BLM_API BLM_MUST_USE blm_err blm_intersect(blm_filter *into, const blm_filter *from,
                                           blm_report *why);
BLM_API BLM_MUST_USE blm_err blm_subtract(blm_filter *from, const blm_filter *what,
                                          blm_report *why);
/* fold - a new filter of the size / 2^times; same keys, higher rate. */
BLM_API BLM_MUST_USE blm_err blm_fold(blm_filter **out, const blm_filter *f, unsigned times,
                                      blm_report *why);
/* grow - makes room for twice the keys, in about twice the memory. Capacity doubles, and the promised rate becomes the
 * rate at that capacity (blm_info_of reports both). BLM_E_FULL: it cannot hold twice the keys; nothing has changed. */
BLM_API BLM_MUST_USE blm_err blm_grow(blm_filter *f, blm_report *why);
BLM_API blm_err blm_size(const blm_filter *f,
                         blm_estimate *keys); /* distinct keys, from the fill */

/* How much two filters of one shape share, read off their cells. Each figure has its own standard error: a share of a set
 * is also uncertain by the size of that set, and exact when all of the set is in the other. */
typedef struct blm_overlap {
    blm_estimate a, b, both_sets,
        common; /* |A|, |B|, |A u B|, |A n B| clamped to what is possible */
    blm_estimate jaccard, a_in_b,
        b_in_a;        /* common / union, common / |A|, common / |B|             */
    double common_raw; /* before the clamp; below 0 by chance alone              */
    uint64_t dot;      /* inner product: cells that are set in both              */
    bool a_may_be_subset,
        b_may_be_subset; /* false is certain: some key of A is not in B          */
} blm_overlap;
BLM_API BLM_MUST_USE blm_err blm_overlap_of(const blm_filter *a, const blm_filter *b,
                                            blm_overlap *out, blm_report *why);

/* ---- what is this filter ------------------------------------------------------------------ */
typedef struct blm_rate {
    double low, high; /* equal: an exact expectation; low 0: only an upper bound is known   */
    double spread;    /* relative sd between filters of one shape, 0 when conditional       */
} blm_rate;
/* Theory. c == NULL: the filter as it stands, reading its fill. c != NULL: a pure function of the
 * fields at that load. */
typedef struct blm_case {
    uint64_t keys; /* distinct */
    uint64_t gap;  /* adds or ms since */
    uint64_t arg;
} blm_case;
BLM_API blm_rate blm_fpr(const blm_filter *f, const blm_case *c);
BLM_API blm_rate blm_fnr(const blm_filter *f, const blm_case *c);

typedef struct blm_info {
    const char *kind, *group, *hash, *note; /* note: "" when there is none; live as long as f     */
    unsigned version, format;               /* of the fields that its image has; of the image     */
    uint64_t seed, capacity, adds, bits, bytes, now; /* bytes: of all cells, children too */
    unsigned hashes;              /* 0: the kind has no such number                     */
    uint32_t can, promises, lost; /* bits of blm_can_t and blm_promise                  */
    uint32_t children;
    double fpr_target, fill; /* fill < 0: the kind has no such number              */
    blm_rate fpr_now;
    blm_estimate keys;
    bool keyed, mapped, overfill;
    uint64_t denied, noes; /* as reported: false positives, and rightly answered strangers */
} blm_info;
/* Reads no cells of a mapped filter above 64 MiB: fpr_now is then theory at the estimated keys. */
BLM_API void blm_info_of(const blm_filter *f, blm_info *out);
/* The i-th field, as the image has it; false past the last one. */
typedef struct blm_field_info {
    const char *name, *doc;
    uint64_t value, min, max;
    unsigned width;
    bool state; /* data; else shape: must be equal to merge */
} blm_field_info;
BLM_API bool blm_field_at(const blm_filter *f, size_t i, blm_field_info *out);
BLM_API BLM_MUST_USE blm_err blm_set_note(blm_filter *f, const char *text,
                                          blm_report *why); /* <= 1 KiB */

/* key_form - how text becomes the bytes of a key before it is hashed, as the image keeps it: "" for keys
 * that are taken as they are, else words such as "hex" (the text is hex digits, two per byte), "lower" (A-Z
 * become a-z), "crlf" (a CR before the newline is dropped). The library hashes the bytes that it is given
 * and never applies a form; the command line does. Filters of two forms do not merge (BLM_E_MISMATCH). The
 * text lives as long as f, or until the form is set again. */
BLM_API const char *blm_key_form(const blm_filter *f);
/* set_key_form - records the form of the keys; no key changes. form: words of a-z, 0-9 and '-' in ascending
 * order with one space between, at most 32 bytes; "" for none. BLM_E_ARG: any other text. BLM_E_READONLY:
 * f is mapped. BLM_E_NOMEM: nothing has changed. */
BLM_API BLM_MUST_USE blm_err blm_set_key_form(blm_filter *f, const char *form, blm_report *why);

/* ---- what kinds are there ------------------------------------------------------------------ */
typedef enum blm_ktype {
    BLM_K_NUMBER,
    BLM_K_WORD,
    BLM_K_SIZE,
    BLM_K_TIME,
    BLM_K_NUMBERS
} blm_ktype;
typedef struct blm_knobdef {
    const char *name, *doc;
    blm_ktype type;
    double usual, min, max;
    const char *words; /* WORD: "selection|increase|recurring", value = its place */
} blm_knobdef;
typedef struct blm_kind_info {
    const char *name, *group, *arg; /* arg NULL: no number beside a key                         */
    unsigned version;
    uint32_t can, promises;
    bool is_static; /* built whole: no add, or only after it                    */
    bool misses;    /* may answer no for a member (fnr > 0)                     */
    bool integers;  /* keys are integers, not bytes                             */
    bool bytes;     /* looks inside a key: no batches of hashes                 */
    size_t nknobs, nlists;
} blm_kind_info;
BLM_API bool blm_kind_at(size_t i, blm_kind_info *out); /* false past the last one */
BLM_API bool blm_kind_named(const char *name, blm_kind_info *out);
BLM_API const char *blm_kind_nearest(const char *name); /* for "did you mean"; or NULL */
/* The same among other words: the one that is the fewest slips away (a letter too many, too few, another one, two that
 * changed places), or NULL when none is near: at most 2 slips, 1 in a word of one or two letters. At most 32 letters. */
BLM_API const char *blm_nearest(const char *word, const char *const *among, size_t n);
BLM_API bool blm_knob_at(const char *kind, size_t i, blm_knobdef *out);
/* The image fields of a kind without a filter: docs and second readers. */
BLM_API bool blm_kind_field_at(const char *kind, size_t i, blm_field_info *out);
#ifdef __cplusplus
}
#endif
#endif
