/* keys.c - members, non-members, filters, and how many non-members may be taken for members. */
#include <bloomery/bloomery.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "versus.h"

enum { STRING_MIN = 16, STRING_MAX = 40 };

static void *room_for(size_t n, size_t each)
{
    void *p = n <= SIZE_MAX / each ? malloc(n * each) : NULL;
    if (!p) versus_stop(2, "no memory for %zu keys of %zu bytes", n, each);
    memset(p, 1, n * each); /* no page is touched for the first time inside the clock */
    return p;
}

static uint64_t next_key(uint64_t *state, who which)
{
    return (bench_random(state) & ~UINT64_C(1)) | (which == STRANGERS);
}

static uint64_t seed_of(who which) { return which == STRANGERS ? UINT64_C(1) << 63 : 1; }

uint64_t *draw_numbers(who which, size_t n)
{
    uint64_t state = seed_of(which), *key = room_for(n, sizeof *key);
    for (size_t i = 0; i < n; i++) key[i] = next_key(&state, which);
    return key;
}

blm_hash *draw_hashes(const blm_filter *f, who which, size_t n)
{
    uint64_t state = seed_of(which);
    blm_hash *h = room_for(n, sizeof *h);
    for (size_t i = 0; i < n; i++) h[i] = blm_hash_u64(f, next_key(&state, which));
    return h;
}

/* The letters of a number, 16 of them, then more letters up to the length: no two are equal. */
blm_key *draw_strings(who which, size_t n)
{
    uint64_t state = seed_of(which);
    blm_key *k = room_for(n, sizeof *k);
    char *at = room_for(n, STRING_MAX);
    for (size_t i = 0; i < n; i++) {
        const uint64_t key = next_key(&state, which);
        k[i] = (blm_key){at, STRING_MIN + key / 2 % (STRING_MAX - STRING_MIN + 1)};
        for (size_t j = 0; j < k[i].len; j++) *at++ = (char)('a' + (key >> 4 * (j % 16) & 15));
    }
    return k;
}

void drop_strings(blm_key *k)
{
    union {
        const void *read;
        void *write;
    } first = {k->key}; /* ours, though keys are const to a filter */
    free(first.write);
    free(k);
}

blm_filter *filter_of(const char *spec, ...)
{
    char text[256];
    va_list args;
    blm_filter *f;
    blm_report why;
    va_start(args, spec);
    vsnprintf(text, sizeof text, spec, args);
    va_end(args);
    if (blm_make(&f, text, &why)) versus_stop(2, "%s: %s", text, why.text);
    return f;
}

void fill_filter(blm_filter *f, uint64_t n)
{
    uint64_t state = seed_of(MEMBERS), key[4096];
    const size_t max = sizeof key / sizeof *key;
    for (uint64_t done = 0; done < n;) {
        const size_t here = n - done < max ? (size_t)(n - done) : max;
        for (size_t i = 0; i < here; i++) key[i] = next_key(&state, MEMBERS);
        const blm_err err = blm_add_many_u64(f, key, here, NULL, NULL);
        if (err) versus_stop(1, "adding within capacity: %s", blm_strerror(err));
        done += here;
    }
}

bool kind_there(const char *kind, const char *knob)
{
    blm_kind_info k;
    blm_knobdef d;
    bool there = blm_kind_named(kind, &k);
    if (there && knob) {
        there = false;
        for (size_t i = 0; !there && blm_knob_at(kind, i, &d); i++)
            there = strcmp(d.name, knob) == 0;
    }
    return there;
}

/* Five standard deviations of the count, and five of the rate between filters of one shape. */
void hits_expected(blm_rate rate, uint64_t asked, uint64_t *low, uint64_t *high)
{
    const double min = rate.low * (1 - 5 * rate.spread), max = rate.high * (1 + 5 * rate.spread);
    const double bottom = (double)asked * min - 5 * blm_binomial_sd(asked, min);
    *low = bottom > 0 ? (uint64_t)bottom : 0;
    *high = (uint64_t)ceil((double)asked * max + 5 * blm_binomial_sd(asked, max));
}
