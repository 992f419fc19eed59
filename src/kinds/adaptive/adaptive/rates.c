/* rates.c - how many words, what rate, how many keys: those of word, or of standard when each bit of a key has
 * its own word. */
#include <bloomery/theory.h>
#include <bloomery/theory/adaptive.h>
#include <bloomery/theory/words.h>
#include <math.h>

#include "parts/bits.h"
#include "parts/wish.h"
#include "cells.h"

/* One bit a read: no two bits of a key have a word in common by more than chance. */
static bool groups_by_bits(const blm_block_bits *b) { return b->reads == b->hashes; }

static uint64_t groups_cells(const blm_block_bits *b) { return b->blocks * b->width; }

/* The largest number of words that fits into that many bits: 64 of them have no gap between their sections. */
static uint64_t groups_fit(const blm_groups *a, uint64_t bits)
{
    uint64_t words = bits / 8 / (blm_groups_bytes(a, 64) / 64);
    while (words && blm_groups_bytes(a, words) > bits / 8) words--;
    return words;
}

static bool groups_size(blm_groups *a, const blm_config *wish, bool all, unsigned *k)
{
    blm_block_bits *b = &a->b;
    uint64_t m = 0;
    if (!all) return blm_size_word(wish->keys, wish->fpr, b->width, b->reads, *k, &b->blocks, k);
    if (!blm_size_for(wish->keys, wish->fpr, *k, true, &m, k)) return false;
    b->blocks = m / b->width + (m % b->width > 0);
    return true;
}

blm_err blm_groups_words(blm_groups *a, const blm_config *wish, bool all, unsigned *k,
                         blm_report *why)
{
    blm_block_bits *b = &a->b;
    if (wish->bits) {
        b->blocks = groups_fit(a, wish->bits);
        if (!b->blocks)
            return blm_fail(why, BLM_E_ARG,
                            "bits %llu: too few; one word of %u groups needs %llu bits",
                            (unsigned long long)wish->bits, blm_groups_count(a),
                            (unsigned long long)blm_groups_bytes(a, 1) * 8);
        if (!*k)
            *k = all ? blm_best_hashes(groups_cells(b), wish->keys)
                     : blm_best_hashes_word(b->width, b->blocks, b->reads, wish->keys);
        return BLM_OK;
    }
    if (!groups_size(a, wish, all, k)) return blm_wish_beyond(wish, "2^60 bits or 64 hashes", why);
    b->blocks = blm_foldable(b->blocks, 8192);
    return BLM_OK;
}

/* With a case: the rate before any change, which is that of non-members that come once. */
blm_rate blm_groups_fpr(const blm_filter *f, const blm_case *c)
{
    const blm_groups *a = (const blm_groups *)f;
    const blm_block_bits *b = &a->b;
    const uint64_t m = groups_cells(b);
    double rate = c ? 0 : blm_groups_rate(a), band = 0;
    if (!c) return (blm_rate){rate, rate, 0};
    if (groups_by_bits(b)) {
        rate = blm_rate_exact(m, b->hashes, c->keys);
        return (blm_rate){rate, rate, blm_rate_sd(m, b->hashes, c->keys)};
    }
    const double often = (double)(b->hashes % b->reads) / b->reads;
    if (c->keys) band = b->reads * often * (1 - often) / (double)c->keys; /* as of word */
    rate = blm_rate_word(b->width, b->blocks, b->reads, b->hashes, c->keys);
    return (blm_rate){rate / (1 + band), rate,
                      blm_rate_word_sd(b->width, b->blocks, b->reads, b->hashes, c->keys)};
}

/* By the mean of the groups. */
blm_err blm_groups_keys(const blm_filter *f, blm_estimate *n)
{
    const blm_groups *a = (const blm_groups *)f;
    const blm_block_bits *b = &a->b;
    const uint64_t m = groups_cells(b), mean = b->ones / blm_groups_count(a);
    const uint64_t ones = mean < m ? mean : m - 1; /* full: only a lower bound is known */
    const bool bits = groups_by_bits(b);
    const double keys =
        bits ? blm_keys_from_fill(ones, m, b->hashes)
             : blm_keys_from_fill_word(ones, b->width, b->blocks, b->reads, b->hashes);
    const double sd = blm_keys_sd_groups(b->width, b->blocks, b->reads, b->hashes,
                                         blm_groups_count(a), (uint64_t)keys);
    *n = (blm_estimate){keys, fmax(0, keys - sd), keys + sd, mean >= m};
    return BLM_OK;
}

double blm_groups_fill(const blm_filter *f)
{
    const blm_groups *a = (const blm_groups *)f;
    return (double)a->b.ones / ((double)groups_cells(&a->b) * blm_groups_count(a));
}
