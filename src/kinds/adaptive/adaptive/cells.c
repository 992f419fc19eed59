/* cells.c - whole arrays of words in several versions, and the change from one to another. */
#include <string.h>

#include "cells.h"

#define GROUPS_COUNTED (UINT64_C(1) << 62) /* where fields of counts end */

/* ---- sections -------------------------------------------------------------------------------- */

static bool groups_counted(const blm_groups *a)
{
    return a->policy == BLM_GROUPS_WORD && a->every > 1;
}

static unsigned groups_slow(const blm_groups *a) /* words of the slow memory a fast word */
{
    return blm_groups_count(a) - (a->memory == BLM_GROUPS_SHARED);
}

/* 64: the groups of a word never lie in more cache lines than they must. */
static uint64_t groups_lay(const blm_groups *a, uint64_t words, uint64_t *slow, uint64_t *count)
{
    uint64_t end = 0;
    blm_section(&end, words, 64, 8);
    *slow = blm_section(&end, words, 64 * groups_slow(a), 64);
    *count = blm_section(&end, groups_counted(a) ? words : 0, 8, 8);
    return end > UINT64_MAX - 7 ? UINT64_MAX : (end + 7) / 8 * 8;
}

uint64_t blm_groups_bytes(const blm_groups *a, uint64_t words)
{
    uint64_t slow, count;
    return groups_lay(a, words, &slow, &count);
}

blm_err blm_groups_shape(blm_filter *f, uint64_t *bytes, blm_report *why)
{
    blm_groups *a = (blm_groups *)f;
    a->b.blocks = a->fast / 8;
    a->b.width = (uint16_t)(BLM_WORDS_WIDTH - a->selector);
    a->b.reads = a->words;
    if (a->fast % 8 || a->slow != a->fast * groups_slow(a))
        return blm_fail(
            why, BLM_E_ARG,
            "%llu fast and %llu slow bytes: there must be %u slow bytes per 8 fast ones",
            (unsigned long long)a->fast, (unsigned long long)a->slow, 8 * groups_slow(a));
    if (a->waiting >= a->every)
        return blm_fail(why, BLM_E_ARG,
                        "%u denied keys are waiting, but every %u-th one changes a word",
                        a->waiting, a->every);
    if (a->b.ones > a->b.blocks * a->b.width * blm_groups_count(a))
        return blm_fail(why, BLM_E_ARG, "more bits are one than the filter has");
    *bytes = groups_lay(a, a->b.blocks, &a->slow_at, &a->count_at);
    return BLM_OK;
}

/* ---- a word, all groups of it ------------------------------------------------------------------ */

/* group[r] for all r; returns the one in use. */
static unsigned groups_load(const blm_groups *a, uint64_t i, uint64_t group[BLM_GROUPS_MAX])
{
    const uint8_t *cells = a->b.base.cells;
    const unsigned chosen = blm_groups_chosen(a, blm_le64(cells + i * 8));
    for (unsigned r = 0; r < blm_groups_count(a); r++)
        group[r] = blm_groups_bits(a, blm_le64(cells + blm_groups_at(a, i, r, chosen)));
    return chosen;
}

/* Bits and selector are one store of 64 bits: whoever looks sees the old word or the new one. */
static void groups_use(blm_groups *a, uint64_t i, const uint64_t *group, unsigned r)
{
    const uint64_t selector = a->selector ? (uint64_t)r << a->b.width : 0;
    blm_put64(a->b.base.cells + i * 8, group[r] | selector);
}

/* Returns their ones. */
static uint64_t groups_store(blm_groups *a, uint64_t i, const uint64_t *group, unsigned chosen)
{
    uint64_t ones = 0;
    for (unsigned r = 0; r < blm_groups_count(a); r++) {
        const uint64_t at = blm_groups_at(a, i, r, chosen);
        if (at != i * 8) blm_put64(a->b.base.cells + at, group[r]);
        ones += blm_ones_of(group[r]);
    }
    groups_use(a, i, group, chosen);
    return ones;
}

/* The slow words have no selector, and the fast one is one of them. */
static bool groups_sound(const blm_groups *a, uint64_t i, uint64_t *ones)
{
    const uint8_t *cells = a->b.base.cells;
    const uint64_t fast = blm_le64(cells + i * 8);
    const unsigned chosen = blm_groups_chosen(a, fast);
    for (unsigned r = 0; r < blm_groups_count(a); r++) {
        const uint64_t at = blm_groups_at(a, i, r, chosen), word = blm_le64(cells + at);
        if (at != i * 8 && word != blm_groups_bits(a, word)) return false;
        if (r == chosen && blm_groups_bits(a, word) != blm_groups_bits(a, fast)) return false;
        *ones += blm_ones_of(blm_groups_bits(a, word));
    }
    return !groups_counted(a) || cells[a->count_at + i] < a->every;
}

static bool groups_zero(const uint8_t *cells, uint64_t from, uint64_t to)
{
    while (from < to && !cells[from]) from++;
    return from >= to;
}

blm_err blm_groups_check(const blm_filter *f, blm_report *why)
{
    const blm_groups *a = (const blm_groups *)f;
    const uint64_t used = groups_counted(a) ? a->count_at + a->b.blocks : a->slow_at + a->slow;
    uint64_t ones = 0;
    for (uint64_t i = 0; i < a->b.blocks; i++)
        if (!groups_sound(a, i, &ones))
            return blm_fail(why, BLM_E_IMAGE, "damaged: word %llu does not match any of its groups",
                            (unsigned long long)i);
    if (!groups_zero(f->cells, a->fast, a->slow_at) || !groups_zero(f->cells, used, f->bytes))
        return blm_fail(why, BLM_E_IMAGE, "damaged: a bit between the words is set");
    return ones == a->b.ones
               ? BLM_OK
               : blm_fail(why, BLM_E_IMAGE, "damaged: the number of ones differs from its field");
}

/* ---- two filters --------------------------------------------------------------------------------- */

/* Group by group; the selectors are those of f. */
static void groups_combine(blm_filter *f, const blm_filter *g, bool both)
{
    blm_groups *a = (blm_groups *)f;
    uint64_t mine[BLM_GROUPS_MAX], theirs[BLM_GROUPS_MAX], ones = 0;
    for (uint64_t i = 0; i < a->b.blocks; i++) {
        const unsigned chosen = groups_load(a, i, mine);
        groups_load((const blm_groups *)g, i, theirs);
        for (unsigned r = 0; r < blm_groups_count(a); r++)
            mine[r] = both ? mine[r] & theirs[r] : mine[r] | theirs[r];
        ones += groups_store(a, i, mine, chosen);
    }
    a->b.ones = ones;
}

blm_err blm_groups_merge(blm_filter *f, const blm_filter *g, blm_report *why)
{
    blm_groups *a = (blm_groups *)f;
    const blm_groups *b = (const blm_groups *)g;
    (void)why;
    groups_combine(f, g, false);
    a->adapted = blm_sum_below(a->adapted, b->adapted, GROUPS_COUNTED);
    a->stuck = blm_sum_below(a->stuck, b->stuck, GROUPS_COUNTED);
    return BLM_OK;
}

blm_err blm_groups_intersect(blm_filter *f, const blm_filter *g)
{
    blm_groups *a = (blm_groups *)f;
    groups_combine(f, g, true);
    a->adapted = a->stuck = 0; /* of another filter */
    return BLM_OK;
}

blm_err blm_groups_half(blm_filter *half, blm_report *why)
{
    blm_groups *a = (blm_groups *)half;
    if (a->b.blocks % 2)
        return blm_fail(why, BLM_E_ARG, "%llu words cannot be folded: the number is odd",
                        (unsigned long long)a->b.blocks);
    a->fast /= 2;
    a->slow /= 2;
    a->b.ones = a->adapted = a->stuck = 0;
    a->waiting = 0;
    return BLM_OK;
}

/* Words 2i and 2i+1 become word i, in the group of the first of them. */
void blm_groups_fold(blm_filter *half, const blm_filter *f)
{
    blm_groups *a = (blm_groups *)half;
    const blm_groups *from = (const blm_groups *)f;
    uint64_t even[BLM_GROUPS_MAX], odd[BLM_GROUPS_MAX], ones = 0;
    for (uint64_t i = 0; i < a->b.blocks; i++) {
        const unsigned chosen = groups_load(from, 2 * i, even);
        groups_load(from, 2 * i + 1, odd);
        for (unsigned r = 0; r < blm_groups_count(from); r++) even[r] |= odd[r];
        ones += groups_store(a, i, even, chosen);
    }
    a->b.ones = ones;
}

/* ---- rate and change ------------------------------------------------------------------------------ */

double blm_groups_rate(const blm_groups *a)
{
    uint64_t with[BLM_WORDS_WIDTH + 1] = {0};
    for (uint64_t i = 0; i < a->b.blocks; i++)
        with[blm_ones_of(blm_groups_bits(a, blm_le64(a->b.base.cells + i * 8)))]++;
    return blm_words_rate_of(&a->b, with);
}

static void groups_choose(blm_groups *a, uint64_t i, unsigned r)
{
    uint64_t group[BLM_GROUPS_MAX];
    groups_load(a, i, group);
    if (a->memory == BLM_GROUPS_COPIES)
        groups_use(a, i, group, r);
    else
        groups_store(a, i, group, r);
}

/* The first group after the one in use that says no of the read; the one in use: there is none. */
static unsigned groups_clean(const blm_groups *a, blm_hash h, unsigned read, unsigned chosen)
{
    const uint64_t i = blm_words_index(&a->b, h, read);
    const unsigned all = blm_groups_count(a);
    for (unsigned j = 1; j < all; j++) {
        const unsigned r = (chosen + j) & (all - 1);
        const uint64_t word = blm_le64(a->b.base.cells + blm_groups_at(a, i, r, chosen));
        if (blm_groups_mask(a, h, r, read) & ~word) return r;
    }
    return chosen;
}

bool blm_groups_adapt(blm_groups *a, blm_hash h)
{
    const unsigned all = blm_groups_count(a);
    const bool blind = a->check == BLM_GROUPS_BLIND;
    for (unsigned read = 0; read < a->b.reads; read++) {
        const uint64_t i = blm_words_index(&a->b, h, read);
        const unsigned chosen = blm_groups_chosen(a, blm_le64(a->b.base.cells + i * 8));
        const unsigned next = blind ? (chosen + 1) & (all - 1) : groups_clean(a, h, read, chosen);
        if (next == chosen) continue;
        groups_choose(a, i, next);
        if (!blind || !blm_groups_has(a, h)) return true;
    }
    return blind && all > 1;
}

bool blm_groups_turn(blm_groups *a, blm_hash h)
{
    uint8_t *counter = &a->waiting;
    if (groups_counted(a)) counter = a->b.base.cells + a->count_at + blm_words_index(&a->b, h, 0);
    const unsigned now = *counter + 1u;
    *counter = (uint8_t)(now < a->every ? now : 0);
    return now >= a->every;
}
