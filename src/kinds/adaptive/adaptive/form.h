/* form.h - one word of 64 - s bits per key, in each of S = 2^s groups; before any change it acts as one group: the
 * mean over the loads of a word of E[(distinct bits / width)^k]. */
#ifndef BLM_FORM_ADAPTIVE_H
#define BLM_FORM_ADAPTIVE_H
#include "theory/forms/forms.h"

static inline double adaptive_rate(uint64_t words, unsigned width, unsigned k, uint64_t keys)
{
    double ones[WORD + 1] = {1}, power[WORD + 1], sum = 0;
    const double b = (double)words, n = (double)keys, last = n / b + 40 * sqrt(n / b) + 40;
    double weight = exp(n * log1p(-1 / b));
    for (unsigned i = 0; i <= width; i++) power[i] = pow(i / (double)width, k);
    for (double load = 1; load <= n && load < last; load++) {
        for (unsigned t = 0; t < k; t++)
            for (unsigned i = width + 1; i-- > 0;)
                ones[i] = (ones[i] * i + (i ? ones[i - 1] * (width - i + 1) : 0)) / width;
        weight *= (n - load + 1) / load / (b - 1);
        for (unsigned i = 0; i <= width; i++) sum += weight * ones[i] * power[i];
    }
    return sum;
}

/* Fast words, then from a multiple of 64 on S slow ones each. */
static inline uint64_t adaptive_bytes(uint64_t words, unsigned groups)
{
    return (words * 8 + 63) / 64 * 64 + words * groups * 8;
}

static inline void check_adaptive(const blm_offer *o, const blm_config *c)
{
    const char *with = strstr(o->with, "groups=");
    const unsigned groups = with ? (unsigned)with[7] - '0' : 4, k = o->hashes;
    const unsigned width = groups == 8 ? 61 : groups == 4 ? 62 : 63;
    const uint64_t n = o->capacity;
    uint64_t words = o->bytes / (groups + 1) / 8;
    while (adaptive_bytes(words, groups) > o->bytes) words--;
    const uint64_t fewer = words * 255 / 256 - 1;
    assert_int_equal(adaptive_bytes(words, groups), o->bytes);
    assert_true(k >= 1 && k <= width / 2 && o->lines >= 1 && o->lines <= 1);
    if (c->bits)
        assert_true(o->bytes <= c->bits / 8 && adaptive_bytes(words + 1, groups) > c->bits / 8);
    if (c->fpr > 0) assert_true(o->rate <= c->fpr);
    if (words < 2000 || words > UINT64_C(1) << 32) return;
    NEAR(o->rate, adaptive_rate(words, width, k, n), 1e-6);
    if (!c->bits) assert_true(adaptive_rate(fewer, width, k, n) > c->fpr);
    if (!c->keys) assert_true(adaptive_rate(words, width, k, n + n / 1000 + 1) > c->fpr);
}

/* 200 wishes yield at least this many offers. */
#define FORM_ADAPTIVE "adaptive", check_adaptive, 400
#endif
