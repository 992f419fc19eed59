/* test_groups.h - the groups of a key, as docs/format.md has them: in plain steps, apart from the kind. */
#ifndef BLM_TESTS_SPACE_CODE_H
#define BLM_TESTS_SPACE_CODE_H
#include "kinds/counters.h"
#include "kinds/places.h"

/* 2^64 times the chance that an add is written in filter j, from 0; not of the first, which has all. */
static inline uint64_t chance_word(const blm_filter *f, unsigned j)
{
    const uint64_t second = field(f, "share") << 32;
    return j < 2 ? second : high(chance_word(f, j - 1), second);
}

static inline double chance_of(const blm_filter *f, unsigned j)
{
    return j ? (double)chance_word(f, j) / 0x1p64 : 1;
}

static inline uint64_t bits_of(const blm_filter *f, unsigned j)
{
    return j ? high(field(f, "cells"), chance_word(f, j)) + 1 : field(f, "cells");
}

/* The first bit of filter j in the region. */
static inline uint64_t start_of(const blm_filter *f, unsigned j)
{
    uint64_t start = 0;
    for (unsigned i = 0; i < j; i++) start += (bits_of(f, i) + 63) / 64 * 64;
    return start;
}

/* Bit i of group g in filter j, as a bit of the region. */
static inline uint64_t place_of(const blm_filter *f, uint64_t lo, unsigned j, unsigned g,
                                unsigned i)
{
    const uint64_t own = j ? salted(lo, j) : lo;
    return start_of(f, j) + high(word_of(own, g * (unsigned)field(f, "hashes") + i), bits_of(f, j));
}

static inline unsigned groups_seen(const blm_filter *f, uint64_t key, unsigned j)
{
    const uint64_t lo = blm_item_u64(f, key, BLM_NO_ARG).h.lo;
    unsigned seen = 0;
    for (unsigned g = 0; g < field(f, "groups"); g++) {
        bool whole = true;
        for (unsigned i = 0; whole && i < field(f, "hashes"); i++)
            whole = cell_of(f, 1, place_of(f, lo, j, g, i));
        seen += whole;
    }
    return seen;
}

static inline double by_others(const blm_filter *f, unsigned j)
{
    char name[8] = "ones";
    if (j) snprintf(name, sizeof name, "ones_%u", j + 1);
    return pow((double)field(f, name) / (double)bits_of(f, j), (double)field(f, "hashes"));
}
#endif
