/* form.h - reads words a key; the mean over the loads of a word, of shares of a key, once a read, multiplied. */
#ifndef BLM_FORM_WORD_H
#define BLM_FORM_WORD_H
#include "theory/forms/forms.h"

/* One bit more with this chance. */
static inline void throw_into(double *ones, unsigned size, double often)
{
    for (unsigned i = size + 1; i-- > 0;)
        ones[i] = ones[i] * (1 - often) +
                  often * (ones[i] * i + (i ? ones[i - 1] * (size - i + 1) : 0)) / size;
}

/* Two reads meet with a chance of 1 / words: then one word has the bits of both. */
static inline double word_rate(uint64_t words, unsigned reads, unsigned k, uint64_t keys)
{
    double ones[WORD + 1] = {1}, mean[4] = {0}, product = 1, met = 0;
    const double b = (double)words, n = (double)keys * reads, pairs = reads * (reads - 1.0) / 2 / b,
                 spread = 40 * sqrt(n / b) + 40;
    double weight = exp(n * log1p(-1 / b)), power[2][WORD + 1];
    for (unsigned i = 0; i <= WORD; i++) {
        power[0][i] = pow(i / (double)WORD, k / reads);
        power[1][i] = power[0][i] * i / WORD;
    }
    for (double load = 1; load <= n && load < n / b + spread; load++) {
        for (unsigned t = 0; t < k / reads; t++) throw_into(ones, WORD, 1);
        throw_into(ones, WORD, (double)(k % reads) / reads);
        weight *= (n - load + 1) / load / (b - 1);
        for (unsigned i = 0; i <= WORD; i++) met += weight * ones[i] * power[0][i] * power[0][i];
        for (unsigned r = 0; r < reads; r++)
            for (unsigned i = 0; i <= WORD; i++)
                mean[r] += weight * ones[i] * power[r < k % reads][i];
    }
    for (unsigned r = 0; r < reads; r++) product *= mean[r];
    return product * (1 - pairs + pairs * met / mean[reads - 1] / mean[reads - 1]);
}

/* In few words more than two reads meet, and their loads are not independent: not this formula; see test_word.c. k is a multiple of reads if it is free; slack: what folding may add, and the 2000 words. */
static inline void check_word(const blm_offer *o, const blm_config *c)
{
    const char *with = strstr(o->with, "reads=");
    const unsigned reads = with ? (unsigned)with[6] - '0' : 1, k = o->hashes;
    const uint64_t words = o->bytes / (WORD / 8), n = o->capacity, fewer = words * 255 / 256 - 1;
    const double slack = reads > 1 ? 5e-3 : 1e-6;
    assert_true(k >= reads && k <= 32 * reads && (c->hashes || k % reads == 0));
    assert_true(o->lines >= 1 && o->lines <= reads);
    if (c->bits) assert_int_equal(words, c->bits / WORD);
    if (c->fpr > 0) assert_true(o->rate <= c->fpr);
    if (words < 2000 || words > UINT64_C(1) << 32) return;
    NEAR(o->rate, word_rate(words, reads, k, n), slack);
    if (!c->bits) assert_true(word_rate(fewer, reads, k, n) * (1 + slack) > c->fpr);
    if (!c->keys) assert_true(word_rate(words, reads, k, n + n / 1000 + 1) * (1 + slack) > c->fpr);
}

/* 200 wishes yield at least this many offers: a read has at most half a word of bits. */
#define FORM_WORD "word", check_word, 600
#endif
