/* test_resets.h - the places of a key of kind generalized, and what is done to them, from the words of docs/format.md. */
#ifndef BLM_TESTS_RESETS_H
#define BLM_TESTS_RESETS_H
#include "core/unit.h"
#include "kinds/places.h"

typedef struct pair {
    unsigned k0, k1;
    bool distinct;
} pair;

/* "zeros=2 ones=3 distinct=off", with the start before it. */
static inline blm_filter *resetter(uint64_t bits, pair k, const char *start, uint64_t keys,
                                   uint64_t seed)
{
    char with[120];
    snprintf(with, sizeof with, "%s zeros=%u ones=%u distinct=%s", start, k.k0, k.k1,
             k.distinct ? "on" : "off");
    return made_new(BLM_CONFIG(.kind = "generalized", .bits = bits, .keys = keys, .seed = seed,
                               .with = with, .overfill = !k.k0 || !k.k1));
}

static inline void places_of(uint64_t lo, uint64_t m, pair k, uint64_t *at)
{
    unsigned word = 0;
    for (unsigned n = 0; n < k.k0 + k.k1; n++) {
        bool taken = true;
        for (unsigned tries = 0; taken && tries < (k.distinct ? 64 : 1); tries++) {
            at[n] = high(word_of(lo, word++), m);
            taken = false;
            for (unsigned i = 0; i < n; i++) taken = taken || at[i] == at[n];
        }
        while (taken && k.distinct) {
            at[n] = (at[n] + 1) % m;
            taken = false;
            for (unsigned i = 0; i < n; i++) taken = taken || at[i] == at[n];
        }
    }
}

/* On one byte a bit. strict: by the letter of the paper, every set place must be one. */
static inline bool ask_plainly(const uint8_t *bit, const uint64_t *at, pair k, bool strict)
{
    for (unsigned i = 0; i < k.k0; i++)
        if (bit[at[i]]) return false;
    for (unsigned i = k.k0; i < k.k0 + k.k1; i++) {
        bool both = false;
        for (unsigned j = 0; j < k.k0; j++) both = both || at[j] == at[i];
        if (!bit[at[i]] && (strict || !both)) return false;
    }
    return true;
}

static inline void add_plainly(uint8_t *bit, const uint64_t *at, pair k)
{
    for (unsigned i = k.k0; i < k.k0 + k.k1; i++) bit[at[i]] = 1;
    for (unsigned i = 0; i < k.k0; i++) bit[at[i]] = 0;
}

static inline void unpack(const blm_filter *f, uint8_t *bit, uint64_t m)
{
    size_t n;
    const uint8_t *cells = blm_cells(f, &n);
    for (uint64_t i = 0; i < m; i++) bit[i] = cells[i / 8] >> i % 8 & 1;
}

/* Adopts foreign cells: each bit is zero with the chance p0. */
static inline void adopt_random(blm_filter *f, double p0, uint64_t *state)
{
    size_t n;
    blm_cells(f, &n);
    uint8_t *cells = calloc(n, 1);
    assert_non_null(cells);
    for (size_t i = 0; i < n * 8; i++)
        if ((double)(draw(state) >> 11) * 0x1p-53 >= p0) cells[i / 8] |= (uint8_t)(1u << i % 8);
    OK(blm_adopt(f, cells, n, &why));
    free(cells);
}

static inline void adopt_byte(blm_filter *f, int byte)
{
    size_t n;
    blm_cells(f, &n);
    uint8_t *cells = malloc(n);
    assert_non_null(cells);
    memset(cells, byte, n);
    OK(blm_adopt(f, cells, n, &why));
    free(cells);
}
#endif
