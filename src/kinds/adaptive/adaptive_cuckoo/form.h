/* form.h - adaptive-cuckoo: eight places, 95 of 100 in use, each with one of 2^b - 1 fingerprints and 128 bits more. */
#ifndef BLM_FORM_ADAPTIVE_CUCKOO_H
#define BLM_FORM_ADAPTIVE_CUCKOO_H
#include "theory/forms/forms.h"

/* A yes in none of 2n/B slots, on average, which is the most. */
static inline double cuckoo_rate(double buckets, int width, double n)
{
    return -expm1(2 * n / buckets * log1p(-1 / (pow(2, width) - 1)));
}

static inline uint64_t cuckoo_bytes(uint64_t buckets, int width)
{
    return (buckets * 4 * (uint64_t)width + WORD - 1) / WORD * 8 + buckets * 64;
}

/* All keys find room below 98 %, but for what few buckets lack; 8 keys in any two. */
static inline uint64_t cuckoo_buckets(double n)
{
    double b = ceil(n / 3.8);
    while (n > 8 && 3.92 * b - 6.7 * pow(b, 0.36) < n) b++;
    return n > 8 ? (uint64_t)b : n > 4 ? 2 : 1;
}

/* In that many bytes: the longest fingerprints, then as many buckets as fit. Returns the rate; above 1: no fit. */
static inline double cuckoo_fit(uint64_t room, double n, uint64_t *bytes)
{
    const uint64_t min = cuckoo_buckets(n);
    int width = 56;
    while (width > 1 && cuckoo_bytes(min, width) > room) width--;
    if (width < 2) return 2;
    uint64_t b = room * 8 / (4 * (128 + (uint64_t)width)) + 1;
    while (b > min && cuckoo_bytes(b, width) > room) b--;
    *bytes = cuckoo_bytes(b, width);
    return cuckoo_rate((double)b, width, n);
}

static inline void check_cuckoo(const blm_offer *o, const blm_config *c)
{
    const double n = (double)o->capacity;
    const uint64_t b = cuckoo_buckets(n), room = (c->bits + WORD - 1) / WORD * 8;
    uint64_t bytes = 0;
    int width = 2;
    assert_true(o->hashes == 0 && o->lines >= 1 && o->lines < 3);
    if (c->fpr > 0) assert_true(o->rate <= c->fpr);
    if (c->bits) {
        const double rate = cuckoo_fit(room, n, &bytes);
        NEAR(o->rate, n > 4 ? rate : o->rate, 1e-12); /* one bucket has four places only */
        assert_int_equal(o->bytes, bytes);
        if (!c->keys) assert_true(cuckoo_fit(room, floor(n * 1.001) + 1, &bytes) > c->fpr);
        return;
    }
    while (cuckoo_rate((double)b, width, n) > c->fpr) width++;
    NEAR(o->rate, cuckoo_rate((double)b, width, n), 1e-12);
    assert_int_equal(o->bytes, cuckoo_bytes(b, width));
}

/* 200 wishes yield at least this many offers: it has no hashes to wish for, and few memories have 130 bits per key. */
#define FORM_ADAPTIVE_CUCKOO "adaptive-cuckoo", check_cuckoo, 40
#endif
