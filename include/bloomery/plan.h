/* bloomery/plan.h - which kind, how large, at what price: before anything is made.
 *
 *     blm_offer offer[8];
 *     size_t n = 8;
 *     if (!blm_plan(BLM_CONFIG(.keys = 1000000, .fpr = 0.01), BLM_NEED_DELETE, offer, &n, &why))
 *         blm_make(&f, offer[0].spec, &why);          "counting keys=1000000 fpr=0.01"
 *
 * Offers come from the kinds' own tables: each kind's plan and shape run on a handle without cells,
 * so a kind that is added is offered, and no cell is ever allocated here.
 */
#ifndef BLOOMERY_PLAN_H
#define BLOOMERY_PLAN_H
#include <bloomery/core.h>
#ifdef __cplusplus
extern "C" {
#endif

typedef enum blm_need {
    BLM_NEED_DELETE = 1 << 0,     /* keys leave                                               */
    BLM_NEED_COUNT = 1 << 1,      /* how often did a key come, up to max_count or more         */
    BLM_NEED_MERGE = 1 << 2,      /* filters of several machines become one                   */
    BLM_NEED_GROW = 1 << 3,       /* more keys than planned                                   */
    BLM_NEED_FORGET = 1 << 4,     /* old keys leave by themselves: it has a clock             */
    BLM_NEED_VALUE = 1 << 5,      /* a number beside each key comes back                      */
    BLM_NEED_WHICH = 1 << 6,      /* in which of several sets                                 */
    BLM_NEED_STATIC = 1 << 7,     /* built whole from a list that is complete                 */
    BLM_NEED_CONCURRENT = 1 << 8, /* added to by many threads at once                         */
    BLM_NEED_KEYED = 1 << 9,      /* keys come from strangers: hashed with a secret           */
    BLM_NEED_LEARN = 1 << 10      /* false positives that are reported (blm_deny) go away     */
} blm_need;
BLM_API const char *blm_need_name(blm_need one); /* "delete", "count", ...; NULL: no such bit */
/* "delete,merge" (commas or blanks) to bits; a wrong word: BLM_E_ARG, with the nearest one. */
BLM_API BLM_MUST_USE blm_err blm_parse_needs(const char *text, uint32_t *needs, blm_report *why);

#define BLM_MAX_COUNT_DEFAULT                                                                      \
    255 /* max_count where BLM_NEED_COUNT is given and the wish has none */

typedef struct blm_offer {
    const char *kind;
    char with[128];           /* the knobs that it sets: "width=8"; the others are as usual   */
    char spec[256];           /* what blm_make() takes to make this filter                      */
    uint64_t capacity, bytes; /* bytes 0: not known before keys come, or no number was given    */
    double bits_per_key;
    double fpr, rate;       /* promised; theory at capacity, at most the promise              */
    unsigned hashes;        /* cells a query looks at; 0: the kind has no such number         */
    double lines;           /* cache lines that a stranger costs at capacity, on average      */
    uint64_t most;          /* the largest count that it tells; UINT64_MAX: any; 0: none      */
    uint32_t can, promises; /* of this setting: bits of blm_can_t, blm_promise                */
    uint32_t lacks;         /* bits of blm_need: asked for and not there                      */
    bool misses, is_static, integers; /* as in blm_kind_info                                    */
} blm_offer;

/* blm_plan - offers, best first. *n: in, room; out, how many there are (past the room they are left
 * out, the worst first).
 *
 * Of the wish it reads kind (NULL: all), keys, fpr, fnr, bits, hashes, max_count, with and alloc. What is missing
 * among keys, fpr, bits, hashes is solved: keys + fpr -> size, hashes; bits + fpr -> keys; keys + bits ->
 * rate; and so on; hashes are the best ones unless given; fpr is 1/1000 where nothing determines it.
 * Without any number the offers have no sizes: which kinds have what is needed.
 *
 * Counts: where they are needed, each kind that counts is offered with the smallest setting whose count() tells
 * max_count: counting at 255 has "width=9" in `with` (counts to 510), unless `with` of the wish sets the width.
 * It is never narrower than a set needs, where each key comes once. max_count is about one key: where
 * all keys come so often, counters that several of them share reach their ceiling, and deletes leave
 * them there. A wish with max_count implies BLM_NEED_COUNT, and kinds that count less make no
 * offer. Without it, BLM_MAX_COUNT_DEFAULT is taken; kinds that count less come last, in their
 * default setting, and `most` says how high they count.
 *
 * Order: kinds with all that is needed before those that lack something (told by `lacks`); those for any
 * key that miss none before kinds of integers and kinds with false negatives (unless BLM_NEED_FORGET);
 * where counts are needed, those that tell max_count before those that do not; known sizes before unknown ones. Then the
 * fewest bits a key for the rate (where offers differ in rate: for each halving of it, which is 1.44 for
 * standard); but offers within 15 % of the cheapest count as equally large, and there the usual kind
 * (blm_usual_kind) comes first, then the fewest cache lines (to an eighth of one). Of equals that do all
 * that is needed, the one that does the least besides. So blocked comes before standard down to a rate of
 * 10^-4.
 * A kind that cannot do these numbers makes no offer; ask for it by name to be told why.
 *
 * BLM_E_ARG: numbers that disagree or are too few, needs that contradict each other. BLM_E_CANNOT: no kind
 * has all that is needed; the sentence names the nearest ones. Cost: microseconds an offer from keys, up to
 * some 10 ms each where the keys are solved for. */
BLM_API BLM_MUST_USE blm_err blm_plan(const blm_config *wish, uint32_t needs, blm_offer *out,
                                      size_t *n, blm_report *why);

/* The kind for who names none: blocked, or standard where the rate is below 10^-4: there blocked costs
 * over 15 % more (a third at 10^-6). Zero: not given, as in blm_config. */
BLM_API const char *blm_usual_kind(uint64_t keys, double fpr, uint64_t bits, unsigned hashes);

#ifdef __cplusplus
}
#endif
#endif
