/* counters.h - what the tests of kinds that count share: counts, and counters read bit by bit. */
#ifndef BLM_TESTS_COUNTERS_H
#define BLM_TESTS_COUNTERS_H
#include "core/core_internal.h"
#include "core/unit.h"

static inline blm_estimate times_u64(const blm_filter *f, uint64_t key)
{
    const blm_item it = blm_item_u64(f, key, BLM_NO_ARG);
    blm_estimate n;
    assert_int_equal(blm_count_item(f, &it, &n), BLM_OK);
    return n;
}

static inline blm_err del_u64(blm_filter *f, uint64_t key)
{
    const blm_item it = blm_item_u64(f, key, BLM_NO_ARG);
    return blm_del_item(f, &it);
}

static inline bool at_least_u64(const blm_filter *f, uint64_t key, uint64_t times)
{
    uint8_t text[8];
    bool yes = false;
    for (unsigned i = 0; i < 8; i++) text[i] = (uint8_t)(key >> 8 * i);
    assert_int_equal(blm_at_least(f, text, 8, times, &yes), BLM_OK);
    return yes;
}

/* Cell i has the bits i * width and above. */
static inline uint64_t cell_of(const blm_filter *f, unsigned width, uint64_t i)
{
    size_t n;
    const uint8_t *cells = blm_cells(f, &n);
    uint64_t v = 0;
    for (unsigned b = 0; b < width; b++) {
        const uint64_t bit = i * width + b;
        v |= (uint64_t)(cells[bit / 8] >> bit % 8 & 1) << b;
    }
    return v;
}

static inline unsigned counter(const blm_filter *f, unsigned width, uint64_t i)
{
    return (unsigned)cell_of(f, width, i);
}

static inline void check_census(const blm_filter *f, unsigned width)
{
    uint64_t used = 0, stuck = 0;
    for (uint64_t i = 0; i < field(f, "cells"); i++) {
        used += counter(f, width, i) > 0;
        stuck += counter(f, width, i) == (1u << width) - 1;
    }
    assert_int_equal(used, field(f, "used"));
    assert_int_equal(stuck, field(f, "stuck"));
    assert_int_equal(info_of(f).lost, stuck ? BLM_DEL_EXACT : 0);
}
/* What a forger writes: the sums of the image are made of it. */
static inline void forge_field(blm_filter *f, const char *name, uint64_t value)
{
    for (size_t i = 0; i < f->kind->nfields; i++)
        if (strcmp(f->kind->fields[i].name, name) == 0)
            blm_field_set(f, &f->kind->fields[i], value);
}
#endif
