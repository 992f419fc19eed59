/* adaptive.c - a Bloom filter in every machine word that learns from its false positives.
 *
 * QUESTION  Is the key in the set, in one load, when the same non-members are queried again and again, and
 *           each false positive is noticed after the filter and reported to it?
 *
 * PICTURE   A key has k bits in one word, different ones in each of S groups. The fast word is the word of one
 *           group, chosen by its selector; the slow memory has the word of every group.
 *
 *           fast    | 2 | ..1..1....1. |         word h(x): selector, 64 - log2 S bits; queries read this alone
 *           slow    | .1...1.. | 1..1.... | ..1..1.. | ....1..1 |      the same word in groups 0, 1, 2, 3
 *
 *           deny(x): x was a false positive. The word moves to the first group that says no to x (check=on; otherwise
 *           to the next one), and x is now rejected. If no group says no, x is stuck.
 *
 * COST      One cache line per query (reads=1), as in word. Fast bits per key with 2, 4, 8 groups: 12.4, 12.6, 12.9 at
 *           1 % (word 12.1), 24.6, 25.2, 25.8 at 0.1 %. With the slow memory 3, 5, 9 times as much in total.
 *           memory=shared keeps no second copy of the word in use: 2, 4, 8 times, but a change writes S words. add
 *           writes S + 1 words, and takes four times as long as in word with 4 groups.
 *           The gain depends on the queries: there is none if no non-member is queried twice. With as many non-members
 *           as keys, each queried 10 times, and 8 fast bits per key, 3.4 % of the answers are wrong in word, 1.5, 0.76,
 *           0.64 % here with 2, 4, 8 groups; ten times as many non-members leave 2.9 % with 2 groups, because each
 *           change helps one of them and may harm others of its word. A fraction rate^S of the non-members is a false
 *           positive in every group, and stays one.
 *
 * CHOOSE    adaptive when queries repeat (flows, addresses), the truth is known afterwards, and fast memory is small, 4
 *           to 8 bits per key. Choose word when non-members do not repeat; blocked when all memory is alike: 9.9 bits at
 *           1 %. every=d lets only each d-th deny change a word: less slow memory traffic, less gain.
 *           Threads may add together, and query together; deny is a writer and must run alone. A change is one store of
 *           8 bytes, selector and bits together (memory=copies): readers never see half of it.
 *           It does not protect against attackers. Two keys, each a false positive in one of two groups and queried
 *           alternately, are wrong every time, with check or without; more groups make such pairs rare. Whoever knows
 *           the hash can find keys that are bad in all groups, or many of one word: use a secret key. Whoever can read
 *           the selectors can see where false positives were.
 *
 * PAPER     Reviriego, Sanchez-Macian, Rottenstreich, Larrabeiti: Adaptive one memory access Bloom filters, IEEE
 *           Transactions on Network and Service Management, 2022. Its section VI: reads=2 to 4 gives a key j words, each
 *           with a selector, tried in turn; reads=all is the bit based filter, one bit in each of k words, with the
 *           rate of standard; memory=shared is its one alternate of two groups, which we extend to more. The paper does
 *           not say whether d counts over the filter or per word: policy sets this. Its equations 8 and 9 lack a "1 -"
 *           each, and its "below 5 % with four bits" contradicts its own Table II (5.63 % on trace 1). A single group
 *           would be word, bit for bit, and is not offered.
 */
#include <bloomery/theory.h>
#include <bloomery/theory/words.h>
#include <math.h>

#include "core/kind.h"
#include "cells.h"

static const blm_field adaptive_fields[] = {
    BLM_FIELD(blm_groups, fast, BLM_F_SHAPE, 8, UINT64_C(1) << 57,
              "bytes of the fast memory, 8 per word"),
    BLM_FIELD(blm_groups, slow, BLM_F_SHAPE, 0, UINT64_C(1) << 60, "bytes of the slow memory"),
    BLM_FIELD(blm_block_bits, hashes, BLM_F_SHAPE, 1, 64, "k, bits per key in a group"),
    BLM_FIELD(blm_groups, words, BLM_F_SHAPE, 1, BLM_GROUPS_READS, "j, words per key"),
    BLM_FIELD(blm_groups, selector, BLM_F_SHAPE, 0, 3, "s, bits of a selector: 2^s groups"),
    BLM_FIELD(blm_groups, memory, BLM_F_SHAPE, 0, 1,
              "slow memory: 0 all groups, 1 those not in use"),
    BLM_FIELD(blm_groups, check, BLM_F_SHAPE, 0, 1, "0 find a group that says no, 1 take the next"),
    BLM_FIELD(blm_groups, policy, BLM_F_SHAPE, 0, 1, "denied keys count: 0 per filter, 1 per word"),
    BLM_FIELD(blm_groups, every, BLM_F_SHAPE, 1, 255, "d, each d-th denied key changes a word"),
    BLM_FIELD(blm_block_bits, ones, BLM_F_STATE, 0, UINT64_C(1) << 60,
              "bits that are one in all groups"),
    BLM_FIELD(blm_groups, waiting, BLM_F_STATE, 0, 254, "denied keys since the last d-th"),
    BLM_FIELD(blm_groups, adapted, BLM_F_STATE, 0, UINT64_C(1) << 62,
              "denied keys that changed a word"),
    BLM_FIELD(blm_groups, stuck, BLM_F_STATE, 0, UINT64_C(1) << 62,
              "denied keys that are bad in all groups"),
};

enum {
    ADAPTIVE_GROUPS,
    ADAPTIVE_READS,
    ADAPTIVE_MEMORY,
    ADAPTIVE_CHECK,
    ADAPTIVE_EVERY,
    ADAPTIVE_POLICY
};
static const blm_knobdef adaptive_knobs[] = {
    [ADAPTIVE_GROUPS] = {"groups", "versions of each word, one of them in use", BLM_K_WORD,
                         .def = 1, .words = "2|4|8"},
    [ADAPTIVE_READS] = {"reads", "words per key; all: one bit in each (bit based)", BLM_K_WORD,
                        .def = 0, .words = "1|2|3|4|all"},
    [ADAPTIVE_MEMORY] = {"memory", "slow memory: all groups, or only those not in use", BLM_K_WORD,
                         .def = 0, .words = "copies|shared"},
    [ADAPTIVE_CHECK] = {"check", "on: move to a group that says no; off: to the next", BLM_K_WORD,
                        .def = 0, .words = "on|off"},
    [ADAPTIVE_EVERY] = {"every", "denied keys per change", BLM_K_NUMBER, .def = 1, .min = 1,
                        .max = 255},
    [ADAPTIVE_POLICY] = {"policy", "every counts per filter, or per word", BLM_K_WORD, .def = 0,
                         .words = "whole|word"},
};

/* ---- theory ---------------------------------------------------------------------------- */

static blm_err adaptive_plan(blm_filter *f, const blm_config *wish, const blm_knobs *knobs,
                             blm_report *why)
{
    blm_groups *a = (blm_groups *)f;
    const bool all = knobs->num[ADAPTIVE_READS] > 3;
    unsigned k = wish->hashes;
    if (knobs->num[ADAPTIVE_EVERY] != floor(knobs->num[ADAPTIVE_EVERY]))
        return blm_fail(why, BLM_E_ARG, "every=%g: must be a whole number from 1 to 255",
                        knobs->num[ADAPTIVE_EVERY]);
    a->selector = (uint8_t)(knobs->num[ADAPTIVE_GROUPS] + 1);
    a->words = a->b.reads = (uint8_t)(all ? k : knobs->num[ADAPTIVE_READS] + 1);
    a->memory = (uint8_t)knobs->num[ADAPTIVE_MEMORY];
    a->check = (uint8_t)knobs->num[ADAPTIVE_CHECK];
    a->every = (uint8_t)knobs->num[ADAPTIVE_EVERY];
    a->policy = (uint8_t)knobs->num[ADAPTIVE_POLICY];
    a->b.width = (uint16_t)(BLM_WORDS_WIDTH - a->selector);
    a->b.blocks = 1;
    if (all || !k || k >= a->words) { /* else shape has the sentence */
        const blm_err err = blm_groups_words(a, wish, all, &k, why);
        if (err) return err;
    }
    a->fast = a->b.blocks * 8;
    a->slow = a->fast * (blm_groups_count(a) - (a->memory == BLM_GROUPS_SHARED));
    a->b.hashes = (uint8_t)k;
    if (all) a->words = (uint8_t)k;
    return BLM_OK;
}

static blm_err adaptive_shape(blm_filter *f, uint64_t *bytes, blm_report *why)
{
    const blm_groups *a = (const blm_groups *)f;
    const unsigned k = a->b.hashes, reads = a->words;
    const unsigned half = (BLM_WORDS_WIDTH - a->selector) / 2u;
    if (k < reads)
        return blm_fail(why, BLM_E_ARG, "hashes %u, reads %u: use at least one hash per read", k,
                        reads);
    if (reads > BLM_THEORY_READS && reads != k)
        return blm_fail(why, BLM_E_ARG,
                        "hashes %u in %u words: use 1 to %d words, or one word per bit", k, reads,
                        BLM_THEORY_READS);
    if ((k + reads - 1) / reads > half)
        return blm_fail(why, BLM_E_ARG,
                        "hashes %u in %u reads: a word takes at most %u bits per key", k, reads,
                        half);
    return blm_groups_shape(f, bytes, why);
}

/* Every read lets through the same share of non-members. */
static double adaptive_lines(const blm_filter *f, const blm_case *c)
{
    const unsigned reads = ((const blm_groups *)f)->words;
    return blm_probes_to_reject(pow(blm_groups_fpr(f, c).high, 1.0 / reads), reads);
}

/* ---- operations ------------------------------------------------------------------------- */

static inline void adaptive_prefetch(const blm_filter *f, blm_hash h)
{
    const blm_block_bits *b = (const blm_block_bits *)f;
    for (unsigned i = 0; i < b->reads; i++) blm_fetch(f->cells + blm_words_index(b, h, i) * 8);
}

static inline bool adaptive_has(const blm_filter *f, blm_hash h, const blm_item *it)
{
    (void)it;
    return blm_groups_has((const blm_groups *)f, h);
}

/* Adds read the slow memory too: the S words of a key, in one or two lines. */
static inline void adaptive_all_prefetch(const blm_filter *f, blm_hash h)
{
    const blm_groups *a = (const blm_groups *)f;
    for (unsigned i = 0; i < a->b.reads; i++) {
        const uint64_t at = blm_words_index(&a->b, h, i);
        blm_fetch(f->cells + at * 8);
        blm_fetch(f->cells + blm_groups_at(a, at, 1, 0));
    }
}

static inline blm_err adaptive_all_add(blm_filter *f, blm_hash h, const blm_item *it, bool *fresh)
{
    blm_groups *a = (blm_groups *)f;
    const unsigned set = blm_groups_put(a, h, false);
    (void)it;
    a->b.ones += set;
    *fresh = set > 0;
    return BLM_OK;
}

static inline unsigned adaptive_all_put_shared(blm_filter *f, blm_hash h)
{
    return blm_groups_put((blm_groups *)f, h, true);
}

BLM_BATCH(adaptive)
BLM_BATCH_ADD(adaptive_all, adaptive_all_prefetch)
BLM_BATCH_SHARED(adaptive_all, blm_block_bits)

static uint64_t adaptive_block(const blm_filter *f, uint64_t lo)
{
    const blm_block_bits *b = (const blm_block_bits *)f;
    return b->reads > 1 ? 0 : blm_reduce(lo, b->blocks);
}

static size_t adaptive_touch(const blm_filter *f, blm_hash h, const blm_item *it, blm_touch *out,
                             size_t cap)
{
    const blm_groups *a = (const blm_groups *)f;
    size_t n = 0;
    (void)it;
    for (unsigned i = 0; i < a->b.reads; i++) {
        const uint64_t at = blm_words_index(&a->b, h, i), fast = blm_le64(f->cells + at * 8);
        blm_words_draw d = blm_groups_draw(a, blm_groups_chosen(a, fast), i);
        for (unsigned left = blm_words_share(&a->b, i); left && n < cap; left--, n++) {
            const unsigned place = blm_groups_place(a, h, &d);
            out[n] = (blm_touch){at * 64 + place, at * 8 + place / 8, fast >> place & 1};
        }
    }
    return a->b.hashes;
}

static blm_err adaptive_deny(blm_filter *f, blm_hash h, const blm_item *it)
{
    blm_groups *a = (blm_groups *)f;
    (void)it;
    if (!blm_groups_turn(a, h)) return BLM_OK;
    uint64_t *outcome = blm_groups_adapt(a, h) ? &a->adapted : &a->stuck;
    *outcome += *outcome < UINT64_C(1) << 62;
    return BLM_OK;
}

const blm_kind blm_kind_adaptive = {
    .name = "adaptive",
    .group = "adaptive",
    .version = 1,
    .size = sizeof(blm_groups),
    .needs = BLM_NEEDS_HASH64 | BLM_NEEDS_LO,
    .promises = BLM_NO_MISS | BLM_ANY_ORDER | BLM_IDEMPOTENT,
    .fields = adaptive_fields,
    .nfields = BLM_LEN(adaptive_fields),
    .knobs = adaptive_knobs,
    .nknobs = BLM_LEN(adaptive_knobs),
    .plan = adaptive_plan,
    .shape = adaptive_shape,
    .check = blm_groups_check,
    .fpr = blm_groups_fpr,
    .lines = adaptive_lines,
    .fill = blm_groups_fill,
    .touch = adaptive_touch,
    .has = adaptive_has,
    .add = adaptive_all_add,
    .prefetch_many = adaptive_prefetch_many,
    .has_many = adaptive_has_many,
    .add_many = adaptive_all_add_many,
    .add_shared = adaptive_all_add_shared,
    .block = adaptive_block,
    .deny = adaptive_deny,
    .merge = blm_groups_merge,
    .intersect = blm_groups_intersect,
    .half = blm_groups_half,
    .fold = blm_groups_fold,
    .keys = blm_groups_keys,
};
