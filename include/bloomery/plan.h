/* bloomery/plan.h - which kind, how large, at what price: before anything is made.
 *
 *     blm_offer offer[8];
 *     size_t n = 8;
 *     if (blm_plan(BLM_CONFIG(.keys = 1000000, .fpr = 0.01), BLM_NEED_DELETE, offer, &n, &why))
 *         return 1;
 *     if (blm_make(&f, offer[0].spec, &why)) return 1;      // "counting keys=1000000 fpr=0.01"
 *
 * Offers come from the kinds themselves, so a new kind is offered at once. No filter is allocated.
 */
#ifndef BLOOMERY_PLAN_H
#define BLOOMERY_PLAN_H
#include <bloomery/core.h>
#ifdef __cplusplus
extern "C" {
#endif

/* What a filter is needed for. */
typedef enum blm_need {
    BLM_NEED_DELETE = 1 << 0,     /* keys are deleted                                        */
    BLM_NEED_COUNT = 1 << 1,      /* how often was a key added, up to max_count              */
    BLM_NEED_MERGE = 1 << 2,      /* filters of several machines become one                  */
    BLM_NEED_GROW = 1 << 3,       /* there may be more keys than planned                     */
    BLM_NEED_FORGET = 1 << 4,     /* old keys expire by themselves                           */
    BLM_NEED_VALUE = 1 << 5,      /* a value is stored with each key                         */
    BLM_NEED_WHICH = 1 << 6,      /* in which of several sets is a key                       */
    BLM_NEED_STATIC = 1 << 7,     /* it is built once, from the complete list of keys        */
    BLM_NEED_CONCURRENT = 1 << 8, /* many threads add at the same time                       */
    BLM_NEED_KEYED = 1 << 9,      /* adversaries choose keys: hash with a secret             */
    BLM_NEED_LEARN = 1 << 10      /* false positives that are reported (blm_deny) go away    */
} blm_need;

/* Returns the name of one need, such as "delete"; NULL if there is no such bit. */
BLM_API const char *blm_need_name(blm_need one);

/* Reads needs such as "delete,merge" (separated by commas or blanks) into bits of blm_need. Fails
 * with BLM_E_ARG for an unknown word; the report names the nearest one. */
BLM_API BLM_MUST_USE blm_err blm_parse_needs(const char *text, uint32_t *needs, blm_report *why);

/* The max_count of a plan that has BLM_NEED_COUNT and sets none. */
#define BLM_MAX_COUNT_DEFAULT 255

/* One way to fulfil a wish. */
#define BLM_PLAN_BEGUN 1000
typedef struct blm_offer {
    const char *kind;
    char with[128];    /* the knobs that it sets, such as "width=8"; others have their defaults  */
    char spec[256];    /* what to give to blm_make() to get this filter                          */
    uint64_t capacity; /* keys it has room for                                                   */
    uint64_t bytes;    /* size of its cells; 0: not known before the keys, or no number was given */
    double
        bits_per_key; /* at capacity                                                            */
    double fpr;       /* the promised rate                                                      */
    double rate;      /* the rate by theory at capacity; never above fpr                        */
    unsigned hashes;  /* cells that a query reads; 0: the kind has no such number               */
    double lines;     /* cache lines that a query for a non-member reads at capacity, on average */
    uint64_t max_count; /* the largest count it reports; UINT64_MAX: any; 0: it does not count    */
    uint64_t grown_bytes; /* of kinds that take cells as keys come, at capacity, if they were
                           * planned for BLM_PLAN_BEGUN keys and have grown; 0: other kinds, or
                           * there are no more keys than that                                    */
    uint32_t can;      /* bits of blm_ability, with these settings                               */
    uint32_t promises; /* bits of blm_promise                                                    */
    uint32_t lacks;    /* bits of blm_need that it does not fulfil                               */
    bool misses;       /* as in blm_kind_info                                                    */
    bool is_static;    /* as in blm_kind_info                                                    */
    bool integers;     /* as in blm_kind_info                                                    */
    double
        deletes; /* share of the members that blm_del can delete at capacity; 1: all, always;   */
                 /* 0: it does not delete, or no number was given                               */
} blm_offer;

/* Sets out[] to offers that fulfil a wish, best first. *n is the number of offers that fit, and
 * becomes the number that were found; if they do not fit, the worst are dropped.
 *
 * Of the wish it reads kind (NULL: all), keys, fpr, fnr, bits, hashes, max_count, with and alloc.
 * What is missing among keys, fpr, bits and hashes is solved for: from keys and fpr the size,
 * from bits and fpr the keys, from keys and bits the rate. Hashes are the best number unless
 * given. fpr is 1/1000 if nothing else determines it. Without any number the offers have no sizes
 * and say which kinds have the abilities.
 *
 * Counts: each kind that counts is offered with its smallest counters that reach max_count. For
 * 255, counting sets "width=9" (which counts to 510) unless `with` of the wish sets the width.
 * Counters are never smaller than a plain set needs. max_count is about a single key: if all keys
 * come that often, counters that several keys share reach their ceiling, and stay there after
 * deletes. A max_count in the wish implies BLM_NEED_COUNT, and kinds that count less are not
 * offered. Without it, BLM_MAX_COUNT_DEFAULT is used; kinds that count less come last, with their
 * default settings, and offer.max_count says how far they count.
 *
 * Order: kinds with all that is needed come before kinds that lack something (`lacks`); kinds for
 * any key that never miss a member before kinds for integers and kinds with false negatives
 * (unless BLM_NEED_FORGET); with BLM_NEED_DELETE, kinds that delete every member before those that
 * cannot delete some; kinds that reach max_count before those that do not; known sizes
 * before unknown ones. Then come the fewest bits per key for the rate (where rates differ: per
 * halving of the rate, which is 1.44 for standard). Offers within 15 % of the smallest count as
 * equal: among these the default kind (blm_default_kind) is first, then the kind with the fewest
 * cache lines, rounded to an eighth. Of equals that do all that is needed, the one that does the
 * least besides is first. So blocked comes before standard down to a rate of 10^-4. A kind that
 * cannot satisfy these numbers is not offered; ask for it by name to get the reason.
 *
 * Fails with BLM_E_ARG if numbers disagree or are missing, or if needs contradict each other;
 * with BLM_E_CANNOT if no kind fulfils all needs (the sentence names the nearest ones). Cost:
 * microseconds per offer, up to some 10 ms each if the number of keys is solved for. */
BLM_API BLM_MUST_USE blm_err blm_plan(const blm_config *wish, uint32_t needs, blm_offer *out,
                                      size_t *n, blm_report *why);

/* Returns the default kind for these numbers (0: not given, as in blm_config): "blocked", or
 * "standard" for rates below 10^-4, where blocked needs over 15 % more memory (a third more at
 * 10^-6). */
BLM_API const char *blm_default_kind(uint64_t keys, double fpr, uint64_t bits, unsigned hashes);

#ifdef __cplusplus
}
#endif
#endif
