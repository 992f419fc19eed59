/* word.c - a Bloom filter in every machine word: Bloom-1, and Bloom-g that reads g of them.
 *
 * QUESTION  Is the key in the set, in one load, one and, one compare?
 *
 * PICTURE   The hash chooses one to four words (reads = 1 .. 4) of 64 or 32 bits; the k bits of a key are spread
 *           evenly over them.
 *
 *           reads=1   [........][..1..1.1][........][........]       all k bits in one word
 *           reads=2   [.1....1.][........][........][...1..1.]       k/2 bits in each of two
 *
 * COST      One cache line per read. A word holds few keys, and some words get many, so this kind needs more bits per
 *           key than standard. With 1, 2, 3, 4 reads: 12.1, 10.1, 9.8, 9.8 at 1 % (standard 9.6), 24.0, 16.4, 15.1,
 *           14.9 at 0.1 % (14.4), 170, 48.0, 36.4, 32.7 at 10^-6 (28.8). With 32-bit words and one read: 14.7 at
 *           1 %, 36.2 at 0.1 %. With reads=2 at 1 %, a non-member needs 1.1 reads on average, a member both.
 *
 * CHOOSE    reads=1 above 1 % when instructions matter more than bits, or when you want one atomic word per key:
 *           threads add with one fetch_or per read. Choose reads=4 from 10^-4 to 10^-6, where blocked takes a fifth
 *           to a third more bits: a non-member then costs 1.1 to 1.03 cache lines instead of standard's 2, for 5 to
 *           14 % more bits. A member costs 4, so avoid it where most queried keys are members. Otherwise choose
 *           blocked: one cache line, 9.9 bits at 1 %.
 *
 * PAPER     Qiao, Li, Chen: One memory access Bloom filters and their generalization, INFOCOM 2011, TPDS 25(1),
 *           2014. Their rate has (1 - (1 - 1/w)^(ik))^k inside the sum over loads, which is too low for words of few
 *           bits: 3.26 % instead of 3.35 % at 8 bits per key and k = 4. Ours uses the exact occupancy, and accounts
 *           for reads that coincide in small filters. If hashes are not given, k is a multiple of reads.
 */
#include <bloomery/theory.h>
#include <bloomery/theory/overlap.h>
#include <bloomery/theory/words.h>
#include <math.h>

#include "core/kind.h"
#include "core/one.h"
#include "core/shared.h"
#include "parts/bits.h"
#include "parts/words.h"
#include "parts/wish.h"

enum { WIDTH_MAX = 64 };

static const blm_field word_fields[] = {
    BLM_FIELD(blm_block_bits, blocks, BLM_F_SHAPE, 1, UINT64_C(1) << 55, "the number of words"),
    BLM_FIELD(blm_block_bits, hashes, BLM_F_SHAPE, 1, 64, "k, bits per key"),
    BLM_FIELD(blm_block_bits, reads, BLM_F_SHAPE, 1, BLM_THEORY_READS, "g, words per key"),
    BLM_FIELD(blm_block_bits, width, BLM_F_SHAPE, 32, BLM_WORDS_WIDTH, "bits per word, 32 or 64"),
    BLM_FIELD(blm_block_bits, ones, BLM_F_STATE, 0, UINT64_C(1) << 60, "bits that are one"),
};

enum { KNOB_READS, KNOB_WIDTH };
static const blm_knobdef word_knobs[] = {
    [KNOB_READS] = {"reads", "words per key: the more, the closer to standard", BLM_K_WORD,
                    .def = 0, .words = "1|2|3|4"},
    [KNOB_WIDTH] = {"width", "bits per word", BLM_K_WORD, .def = 1, .words = "32|64"},
};

/* ---- theory ---------------------------------------------------------------------------- */

static blm_err word_plan(blm_filter *f, const blm_config *wish, const blm_knobs *knobs,
                         blm_report *why)
{
    blm_block_bits *b = (blm_block_bits *)f;
    unsigned k = wish->hashes;
    b->reads = (uint8_t)(knobs->num[KNOB_READS] + 1);
    b->width = knobs->num[KNOB_WIDTH] > 0 ? 64 : 32;
    if (k && k < b->reads)
        b->blocks = 1; /* shape has the sentence */
    else if (wish->bits) {
        b->blocks = wish->bits / b->width;
        if (!b->blocks)
            return blm_fail(why, BLM_E_ARG, "bits %llu: too few; one word has %u bits",
                            (unsigned long long)wish->bits, b->width);
        if (!k) k = blm_best_hashes_word(b->width, b->blocks, b->reads, wish->keys);
    } else {
        if (!blm_size_word(wish->keys, wish->fpr, b->width, b->reads, k, &b->blocks, &k))
            return blm_wish_beyond(wish, "2^60 bits or 64 hashes", why);
        b->blocks = blm_foldable(b->blocks, 8192);
    }
    b->hashes = (uint8_t)k;
    return BLM_OK;
}

static blm_err word_shape(blm_filter *f, uint64_t *bytes, blm_report *why)
{
    const blm_block_bits *b = (const blm_block_bits *)f;
    if (b->width != 32 && b->width != 64)
        return blm_fail(why, BLM_E_ARG, "width %u: must be 32 or 64", b->width);
    if (b->hashes < b->reads)
        return blm_fail(why, BLM_E_ARG, "hashes %u, reads %u: use at least one hash per read",
                        b->hashes, b->reads);
    if (blm_words_share(b, 0) > b->width / 2u)
        return blm_fail(why, BLM_E_ARG,
                        "hashes %u in %u reads: a word of %u bits takes at most %u bits per key",
                        b->hashes, b->reads, b->width, b->width / 2);
    return blm_blocks_shape(f, b->width, bytes, why);
}

/* Where reads does not divide k, theory is an upper bound, see there. */
static blm_rate word_fpr(const blm_filter *f, const blm_case *c)
{
    const blm_block_bits *b = (const blm_block_bits *)f;
    const double now = c ? 0 : blm_words_rate(b);
    if (!c) return (blm_rate){now, now, 0};
    const double high = blm_rate_word(b->width, b->blocks, b->reads, b->hashes, c->keys);
    const double often = (double)(b->hashes % b->reads) / b->reads;
    const double band = c->keys ? b->reads * often * (1 - often) / (double)c->keys : 0;
    return (blm_rate){high / (1 + band), high,
                      blm_rate_word_sd(b->width, b->blocks, b->reads, b->hashes, c->keys)};
}

/* A read lets through as many non-members as the others do. */
static double word_lines(const blm_filter *f, const blm_case *c)
{
    const unsigned reads = ((const blm_block_bits *)f)->reads;
    return blm_probes_to_reject(pow(word_fpr(f, c).high, 1.0 / reads), reads);
}

static blm_estimate word_size_of(const blm_block_bits *b, uint64_t ones)
{
    const uint64_t all = b->blocks * b->width;
    const bool full = ones >= all; /* then only a lower bound is known: one bit fewer */
    if (full) ones = all - 1;      /* unchecked bytes may have bits past the last one */
    const double n = blm_keys_from_fill_word(ones, b->width, b->blocks, b->reads, b->hashes);
    const double sd = blm_keys_sd_word(b->width, b->blocks, b->reads, b->hashes, (uint64_t)n);
    return (blm_estimate){n, fmax(0, n - sd), n + sd, full};
}

static blm_err word_keys(const blm_filter *f, blm_estimate *n)
{
    const blm_block_bits *b = (const blm_block_bits *)f;
    *n = word_size_of(b, b->ones);
    return BLM_OK;
}

/* ---- operations ------------------------------------------------------------------------- */

static inline void word_prefetch(const blm_filter *f, blm_hash h)
{
    const blm_block_bits *b = (const blm_block_bits *)f;
    for (unsigned i = 0; i < b->reads; i++) blm_fetch(f->cells + blm_words_start(b, h, i) / 64 * 8);
}

static inline bool word_has(const blm_filter *f, blm_hash h, const blm_item *it)
{
    const blm_block_bits *b = (const blm_block_bits *)f;
    blm_words_draw d = {0, 0, 0};
    (void)it;
    for (unsigned i = 0; i < b->reads; i++) {
        const uint64_t at = blm_words_start(b, h, i), mask = blm_words_mask(b, h, i, at, &d);
        if (mask & ~blm_le64(f->cells + at / 64 * 8)) return false;
    }
    return true;
}

static inline blm_err word_add(blm_filter *f, blm_hash h, const blm_item *it, bool *fresh)
{
    blm_block_bits *b = (blm_block_bits *)f;
    blm_words_draw d = {0, 0, 0};
    unsigned set = 0;
    (void)it;
    for (unsigned i = 0; i < b->reads; i++) {
        const uint64_t at = blm_words_start(b, h, i), mask = blm_words_mask(b, h, i, at, &d);
        uint8_t *word = f->cells + at / 64 * 8;
        const uint64_t old = blm_le64(word);
        blm_put64(word, old | mask);
        set += blm_ones_of(mask & ~old);
    }
    b->ones += set;
    *fresh = set > 0;
    return BLM_OK;
}

BLM_PREFETCH(word)
BLM_ONE_OF(word)

static inline unsigned word_put_shared(blm_filter *f, blm_hash h)
{
    const blm_block_bits *b = (const blm_block_bits *)f;
    blm_words_draw d = {0, 0, 0};
    unsigned set = 0;
    for (unsigned i = 0; i < b->reads; i++) {
        const uint64_t at = blm_words_start(b, h, i);
        set += blm_set_shared(f->cells + at / 64 * 8, blm_words_mask(b, h, i, at, &d));
    }
    return set;
}

BLM_BATCH_SHARED(word, blm_block_bits)

static bool word_lens(const blm_filter *f, blm_lens *out)
{
    out->reads = ((const blm_block_bits *)f)->reads;
    out->width = (uint8_t)((const blm_block_bits *)f)->width;
    return blm_blocks_lens(f, BLM_LENS_WORDS, out);
}

/* Two words of 32 bits share the bytes that an add writes. */
static uint64_t word_block(const blm_filter *f, uint64_t lo)
{
    const blm_block_bits *b = (const blm_block_bits *)f;
    return b->reads > 1 ? 0 : blm_reduce(lo, b->blocks) / (64 / b->width);
}

static size_t word_touch(const blm_filter *f, blm_hash h, const blm_item *it, blm_touch *out,
                         size_t cap)
{
    const blm_block_bits *b = (const blm_block_bits *)f;
    blm_words_draw d = {0, 0, 0};
    size_t n = 0;
    (void)it;
    for (unsigned i = 0; i < b->reads; i++)
        for (unsigned left = blm_words_share(b, i); left && n < cap; left--, n++) {
            const uint64_t at = blm_words_start(b, h, i) + blm_words_place(b, h, &d);
            out[n] = (blm_touch){at, at / 8, blm_bit_get(f->cells, at)};
        }
    return b->hashes;
}

static blm_err word_overlap(const blm_filter *f, const blm_filter *g, blm_overlap *out)
{
    const blm_block_bits *b = (const blm_block_bits *)f;
    blm_blocks_sizes n;
    *out = blm_blocks_overlap(f, g, word_size_of, &n);
    const uint64_t w = b->width, m = b->blocks;
    const unsigned j = b->reads, k = b->hashes;
    blm_overlap_spread(
        out, (blm_overlap_sd){.common = blm_keys_common_sd_word(w, m, j, k, n.a, n.b, n.common),
                              .jaccard = blm_jaccard_sd_word(w, m, j, k, n.a, n.b, n.common),
                              .a_in_b = blm_contained_sd_word(w, m, j, k, n.a, n.b, n.common),
                              .b_in_a = blm_contained_sd_word(w, m, j, k, n.b, n.a, n.common)});
    return BLM_OK;
}

const blm_kind blm_kind_word = {
    .name = "word",
    .group = "membership",
    .version = 1,
    .size = sizeof(blm_block_bits),
    .needs = BLM_NEEDS_HASH64 | BLM_NEEDS_LO,
    .promises = BLM_NO_MISS | BLM_ANY_ORDER | BLM_IDEMPOTENT | BLM_MERGE_EXACT | BLM_FOLD_EXACT,
    .fields = word_fields,
    .nfields = BLM_LEN(word_fields),
    .knobs = word_knobs,
    .nknobs = BLM_LEN(word_knobs),
    .plan = word_plan,
    .shape = word_shape,
    .check = blm_blocks_check,
    .fpr = word_fpr,
    .lines = word_lines,
    .fill = blm_blocks_fill,
    .touch = word_touch,
    .has = word_has,
    .add = word_add,
    .one = word_one,
    .prefetch_many = word_prefetch_many,
    .has_many = blm_words_has_many,
    .add_many = blm_words_add_many,
    .has_u64 = blm_words_has_u64,
    .add_u64 = blm_words_add_u64,
    .add_shared = word_add_shared,
    .lens = word_lens,
    .block = word_block,
    .merge = blm_blocks_merge,
    .intersect = blm_blocks_intersect,
    .half = blm_blocks_half,
    .fold = blm_blocks_fold,
    .keys = word_keys,
    .overlap = word_overlap,
    .adopt = blm_blocks_adopt,
};
