/* core_internal.h - what the files of core share, and no kind sees. */
#ifndef BLM_CORE_INTERNAL_H
#define BLM_CORE_INTERNAL_H
#include <string.h>

#include "core/kind.h"

#define BLM_FORMAT       1u                  /* of images                                   */
#define BLM_BITS_MAX     (UINT64_C(1) << 60) /* of one filter                               */
#define BLM_KEYS_MAX     (UINT64_C(1) << 56)
#define BLM_HASHES_MAX   64u
#define BLM_NOTE_MAX     1024u
#define BLM_FORM_MAX     32u
#define BLM_RATE_DEFAULT 0.001
#define BLM_KIND_DEFAULT "blocked" /* where none is named; small rates: blm_default_kind */
#define BLM_QUIET_BYTES  (UINT64_C(64) << 20) /* mapped and larger: info reads no cells      */

/* ---- kinds ---------------------------------------------------------------------------- */
const blm_kind *blm_kind_find(const char *name, size_t len);
const blm_kind *blm_kind_wanted(const char *name, blm_report *why); /* or NULL and the nearest */
uint32_t blm_kind_can(const blm_kind *k);

/* ---- hashes ----------------------------------------------------------------------------- */
typedef struct blm_hasher {
    const char *name;
    unsigned width;    /* 64 or 128 */
    bool keyed, given; /* given: keys are 8 bytes, which are the hash */
    blm_hash (*hash)(const blm_filter *f, const void *key, size_t len);
} blm_hasher;
const blm_hasher *blm_hasher_for(uint32_t needs, bool keyed);
const blm_hasher *blm_hasher_named(const char *name, size_t len);
blm_hash blm_hash_widen(uint64_t lo); /* hi from lo, for kinds that need 64 bits */
/* Are keys integers, that is, 8 bytes? */
static inline bool blm_of_integers(const blm_filter *f)
{
    return f->kind->needs & BLM_NEEDS_U64 || (f->hasher && f->hasher->given);
}
bool blm_hash_is_plain(const blm_filter *f); /* xxh3-64 of the bytes and the seed, nothing more */
/* As blm_hash_of and blm_hash_u64 do, but for hi where the kind does not look at it. */
void blm_hash_keys(const blm_filter *f, const blm_key *k, size_t n, blm_hash *h);
void blm_hash_u64s(const blm_filter *f, const uint64_t *k, size_t n, blm_hash *h);
/* XXH3-64 of 8-byte keys, by the best vector unit there is (simd/lanes.c); h.lo alone. */
void blm_hash_u64_lanes(uint64_t seed, const uint64_t *key, size_t n, blm_hash *h);
uint64_t blm_key_check(const uint8_t secret[16]);
uint64_t blm_checksum(const void *p, size_t n, uint64_t seed); /* XXH3-64 */
typedef struct blm_running_sum { /* the same with seed 0, of bytes that come in pieces */
    _Alignas(64) uint8_t state[640];
} blm_running_sum;
void blm_sum_begin(blm_running_sum *s);
void blm_sum_add(blm_running_sum *s, const void *p, size_t n);
uint64_t blm_sum_end(const blm_running_sum *s);

/* ---- small things -------------------------------------------------------------------------- */
/* The smaller one, where that fits into memory. */
static inline size_t blm_min_size(uint64_t a, uint64_t b) { return (size_t)(a < b ? a : b); }
/* IO, and "PATH: WHAT: the system's words for errno". */
blm_err blm_io_fail(blm_report *why, const char *path, const char *what);

/* ---- memory ------------------------------------------------------------------------------- */
extern const blm_alloc blm_alloc_default;
void *blm_map_file(int fd,
                   size_t bytes); /* read-only, or MAP_FAILED; 2 MiB and more: aligned to it */
static inline void *blm_take(const blm_alloc *a, uint64_t bytes)
{
    return bytes > SIZE_MAX / 2 ? NULL : a->get(a->ctx, (size_t)bytes);
}
static inline void blm_put_back(const blm_alloc *a, void *p, uint64_t bytes)
{
    if (p) a->put(a->ctx, p, (size_t)bytes);
}

/* ---- two filters ---------------------------------------------------------------------------- */
/* MISMATCH, and the first difference: of kind, secret, seed, hash, form of the keys, or a SHAPE field. */
blm_err blm_same_make(const blm_filter *a, const blm_filter *b, blm_report *why);

/* ---- handles ------------------------------------------------------------------------------- */
typedef struct blm_backing { /* the image under a mapped filter; children share the mapping */
    const uint8_t *sums;
    uint64_t sums_count;
    unsigned chunk_log2;
    void *mapping; /* munmap this when the filter goes; NULL: the caller's, or the parent's */
    size_t mapping_length;
} blm_backing;
blm_filter *blm_blank(const blm_kind *kind, const blm_alloc *alloc);
blm_err blm_shape(blm_filter *f, uint64_t *bytes,
                  blm_report *why);                  /* kind's shape + core's limits */
blm_err blm_furnish(blm_filter *f, blm_report *why); /* shape + zeroed cells        */
void blm_inherit(blm_filter *f,
                 const blm_filter *parent); /* hash, seed, secret, flags; f's children too */
blm_err blm_copy_by(blm_filter **out, const blm_filter *f, const blm_alloc *alloc, blm_report *why);
blm_err blm_key_in(blm_filter *f, const uint8_t *secret,
                   blm_report *why);                    /* secret -> hasher, check     */
void blm_put_handle(const blm_alloc *a, blm_filter *f); /* without its secret          */

/* What few filters have. It is apart from the handle, because a filter may have a thousand small children. */
typedef struct blm_label {
    uint64_t denied, noes;       /* what users reported: false positives, correct rejections */
    char form[BLM_FORM_MAX + 8]; /* of the keys; zero-ended, "": plain                          */
    char note[];                 /* zero-ended; where the struct ends, which is copied whole    */
} blm_label;
_Static_assert(offsetof(blm_label, note) == sizeof(blm_label),
               "no byte of a note is in the struct");
static inline const char *blm_note(const blm_filter *f) { return f->label ? f->label->note : ""; }
static inline uint64_t blm_label_bytes(const blm_filter *f)
{
    return f->label ? sizeof *f->label + strlen(f->label->note) + 1 : 0;
}
blm_err blm_note_copy(blm_filter *f, const char *text,
                      size_t len); /* reports and the form of the keys stay */
/* Words of a-z, 0-9 and -, ascending, one space between; 1 to BLM_FORM_MAX bytes. */
bool blm_form_legal(const char *text, size_t len);
blm_err blm_form_copy(blm_filter *f, const char *text, size_t len); /* legal, or 0 bytes */
blm_err blm_label_make(blm_filter *f);                              /* so that f has one */
blm_err blm_reports_copy(blm_filter *f, const blm_filter *from);
void blm_reports_add(blm_filter *f, uint64_t denied, uint64_t noes); /* f has a label */
void blm_reports_forget(blm_filter *f);
blm_err blm_possible(const blm_filter *f, blm_report *why); /* unchecked cells, before use  */
double
blm_promise_now(const blm_filter *f); /* as asked, or the rate at capacity where that is higher */
bool blm_is_bounded(const blm_filter *f); /* its rate has a ceiling, and needs no look        */
void blm_look_again(blm_filter *f);       /* when to judge the fill next */

/* ---- one key (ops.c): what batches look at as well ------------------------------------------------ */
/* Picks f->one. To be called whenever kind, shape, hash, salt or flags of f have been set. */
void blm_settle(blm_filter *f);
extern const blm_one
    blm_one_any; /* looks at everything: for filters that nothing has settled yet */
blm_err blm_may_write(const blm_filter *f, blm_ability what);
blm_err blm_may_read(const blm_filter *f, blm_ability what);
bool blm_in_world(const blm_filter *f, const blm_item *it); /* a key of the kind's world?      */
uint64_t blm_default_arg(const blm_filter *f);              /* of a key that comes without one */
bool blm_arg_fits(const blm_filter *f, uint64_t arg);
blm_item blm_default_item(const blm_filter *f, const blm_item *it); /* with the default argument */
blm_err
blm_judge(blm_filter *f); /* FULL: the rate has passed twice the promise; else: look later */

/* Only hashes count, no number, world or byte of a key: batches are one call of the kind. */
bool blm_is_plain(const blm_filter *f);

/* ---- fields, knobs, numbers ------------------------------------------------------------------ */
uint64_t blm_field_get(const blm_filter *f, const blm_field *d);
void blm_field_set(blm_filter *f, const blm_field *d, uint64_t v);
/* The lowest version of its kind that holds this filter: the one that its image is. */
unsigned blm_fields_version(const blm_filter *f);
blm_err blm_fields_check(const blm_filter *f, blm_report *why);
bool blm_field_named(const blm_filter *f, const char *name, uint64_t *value);

#define BLM_KNOBS_MAX 16u
typedef struct blm_knob_values {
    double num[BLM_KNOBS_MAX];
    const char *text[BLM_KNOBS_MAX];
    bool timed[BLM_KNOBS_MAX];
    char room[512];
} blm_knob_values;
blm_err blm_knobs_parse(const blm_kind *k, const char *with, blm_knob_values *out, blm_report *why);
bool blm_number(const char **at, const char *end, double *out); /* unsigned decimal, any locale */

/* ---- planning -------------------------------------------------------------------------------- */
blm_err blm_config_take(blm_config *own, const blm_config *given,
                        blm_report *why); /* by its size */
blm_err blm_plan_fields(blm_filter *f, const blm_config *c, blm_report *why);
/* The largest count that f can tell, after shape: 0 if it does not count, UINT64_MAX if any. */
uint64_t blm_max_count(const blm_filter *f);
/* The knob that decides how high counts of this kind go, by its place; nknobs: there is none. */
size_t blm_count_knob(const blm_kind *k);
bool blm_counts_to(const blm_kind *k, uint64_t max, uint64_t n); /* a filter with this maximum */
/* Sets that knob to the smallest value with which counts up to n are exact, unless the user has set it. f is
 * blank. If no value does, the knob keeps its default: BLM_E_ARG, or BLM_E_CANNOT if f does not count.
 * *max: the largest count with the knob as it is now. *best: with any value of it; 0 if other knobs are wrong. */
blm_err blm_count_to(blm_filter *f, uint64_t n, blm_knob_values *v, uint64_t *max, uint64_t *best,
                     blm_report *why);
double blm_rate_rounded(double p); /* a rate from libm, rounded so that machines agree */
#endif
