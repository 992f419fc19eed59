/* cells.c - what a sum tells about those who made it. */
#include "cells.h"

#include <bloomery/theory/counters.h>
#include <bloomery/theory/increments.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* At most 3 levels, as h is at most 4, of at most 8 values. */
static bool sum_of(const blm_sums *s, unsigned keys, uint64_t sum)
{
    if (!keys) return sum == 0;
    for (unsigned i = 0; i < s->values && s->add[i] <= sum; i++)
        if (sum_of(s, keys - 1, sum - s->add[i])) return true;
    return false;
}

bool blm_sums_possible(const blm_sums *s, uint64_t keys, uint64_t sum)
{
    if (keys < s->h) return sum_of(s, (unsigned)keys, sum);
    return sum >= keys * s->add[0] && sum <= keys * s->add[s->values - 1];
}

uint64_t blm_sums_max(const blm_sums *s, uint64_t cell, unsigned add)
{
    const uint64_t v = blm_sums_sum(s, cell), n = blm_sums_keys(s, cell), rest = v % add;
    if (!s->h) return v / add - (rest && rest < s->low && v >= add);
    uint64_t times = v / add < n ? v / add : n;
    while (times && !blm_sums_possible(s, n - times, v - times * add)) times--;
    return times || n <= s->h ? times : 1; /* more than h are not decoded: maybe */
}

/* ---- many cells ---------------------------------------------------------------------------------- */

blm_census blm_sums_census(const blm_sums_array *a)
{
    blm_census sum = {0, 0};
    for (uint64_t i = 0; i < a->count; i++) {
        const uint64_t cell = blm_sums_get(a, i);
        sum.used += cell > 0;
        sum.stuck += blm_sums_stuck(a->rule, cell);
    }
    return sum;
}

bool blm_sums_all_sound(const blm_sums *s, const uint8_t *cells, uint64_t bytes, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++)
        if (!blm_sums_cell_sound(s, blm_packed_get(cells, bytes, s->width + s->elements, i)))
            return false;
    return true;
}

blm_census blm_sums_merge(const blm_sums_array *into, const blm_sums_array *from)
{
    const blm_sums *s = into->rule;
    for (uint64_t i = 0; i < into->count; i++) {
        const uint64_t old = blm_sums_get(into, i), more = blm_sums_get(from, i);
        blm_sums_put(into, i, old,
                     blm_sums_raise(s, old, blm_sums_keys(s, more), blm_sums_sum(s, more)));
    }
    return blm_sums_census(into);
}

static unsigned passing(const blm_sums *s, uint64_t cell)
{
    unsigned n = 0;
    for (unsigned i = 0; i < s->values; i++) n += blm_sums_pass(s, cell, s->add[i]);
    return n;
}

/* Small cells repeat: what passes is worked out once a value. */
double blm_sums_chance(const blm_sums_array *a)
{
    uint8_t known[1024] = {0}; /* 1 + how many pass */
    uint64_t sum = 0;
    for (uint64_t i = 0; i < a->count; i++) {
        const uint64_t cell = blm_sums_get(a, i);
        if (cell >= sizeof known) {
            sum += passing(a->rule, cell);
            continue;
        }
        if (!known[cell]) known[cell] = (uint8_t)(1 + passing(a->rule, cell));
        sum += known[cell] - 1u;
    }
    return (double)sum / ((double)a->count * a->rule->values);
}

/* ---- a key --------------------------------------------------------------------------------------- */

bool blm_sums_all_held(const blm_sums_array *a, blm_hash h, unsigned k)
{
    for (unsigned i = 0; i < k; i++) {
        const uint64_t at = blm_place(h, i, a->count);
        uint64_t keys = 0, sum = 0;
        for (unsigned j = 0; j < k; j++)
            if (blm_place(h, j, a->count) == at)
                keys++, sum += blm_sums_increment(a->rule, h, k, j);
        const uint64_t cell = blm_sums_get(a, at);
        if (!blm_sums_holds(a->rule, cell, keys, sum) ||
            !blm_sums_cell_sound(a->rule, blm_sums_lower(a->rule, cell, keys, sum)))
            return false;
    }
    return true;
}

blm_estimate blm_sums_count(const blm_sums_array *a, blm_hash h, unsigned k)
{
    uint64_t min = UINT64_MAX, ceiling = UINT64_MAX;
    for (unsigned i = 0; i < k; i++) {
        const uint64_t cell = blm_sums_get(a, blm_place(h, i, a->count));
        const unsigned add = blm_sums_increment(a->rule, h, k, i);
        const bool stuck = blm_sums_stuck(a->rule, cell);
        const uint64_t max = stuck ? blm_sums_top(a->rule) / add : blm_sums_max(a->rule, cell, add);
        uint64_t *to = stuck ? &ceiling : &min;
        *to = max < *to ? max : *to;
    }
    const bool bound = min == UINT64_MAX;
    const double value = (double)(bound ? ceiling : min);
    return (blm_estimate){value, 0, bound ? (double)INFINITY : value, bound};
}

/* ---- rules --------------------------------------------------------------------------------------- */

static bool sum_fits(const blm_sums *s)
{
    return blm_sums_top(s) > (uint64_t)s->add[s->values - 1] * (s->h ? s->h : 2);
}

static bool keys_fit(const blm_sums *s) { return !s->h || blm_sums_top_keys(s) > s->h; }

void blm_sums_widen(blm_sums *s, unsigned width)
{
    const double lambda = blm_increment_lambda((blm_increments){s->values, s->h}), rare = 1e-6;
    s->elements = s->h > 0;
    while (!keys_fit(s) || (s->h && blm_counter_tail(lambda, blm_sums_top_keys(s)) > rare))
        s->elements++;
    s->width = width ? width : 2;
    while (!width &&
           (!sum_fits(s) || blm_increment_tail(lambda, s->add, s->values, blm_sums_top(s)) > rare))
        s->width++;
}

blm_err blm_sums_parse(const char *text, uint16_t *value, unsigned max, blm_report *why)
{
    const char *at = text;
    for (unsigned i = 0;; i++) {
        char *end = NULL;
        const bool digit = *at >= '0' && *at <= '9';
        const unsigned long v = digit ? strtoul(at, &end, 10) : 0;
        if (i == max || !v || v > BLM_SUMS_LARGEST || (*end && *end != ':') ||
            (i && v <= value[i - 1]))
            return blm_fail(
                why, BLM_E_ARG,
                "values=%.60s: must be 2 to %u ascending whole numbers from 1 to %u, such as 1:4:6",
                text, max, BLM_SUMS_LARGEST);
        value[i] = (uint16_t)v;
        if (!*end) return BLM_OK;
        at = end + 1;
    }
}

/* ---- are all sums different? --------------------------------------------------------------------- */

enum { SUMS_MAX = 330 }; /* 4 of 8 values, with repetition */

/* The next choice of h increments, each not before the one in front of it; false past the last one. */
static bool next_choice(const blm_sums *s, unsigned *choice)
{
    unsigned i = s->h;
    while (i > 0 && choice[i - 1] + 1 == s->values) i--;
    if (!i) return false;
    const unsigned next = choice[i - 1] + 1;
    for (unsigned j = i - 1; j < s->h; j++) choice[j] = next;
    return true;
}

static void write_choice(const blm_sums *s, const unsigned *choice, char out[40])
{
    out[0] = 0;
    for (unsigned i = 0; i < s->h; i++)
        snprintf(out + strlen(out), 40 - strlen(out), "%s%u", i ? "+" : "", s->add[choice[i]]);
}

static blm_err same_sum(const blm_sums *s, const unsigned *a, const unsigned *b, blm_report *why)
{
    char one[40], other[40];
    write_choice(s, a, one);
    write_choice(s, b, other);
    return blm_fail(why, BLM_E_ARG,
                    "values: %s = %s, so a sum of %u values would be ambiguous; "
                    "use 1:4:6 or 1:2:5:7, for example, whose sums of 2 all differ",
                    one, other, s->h);
}

/* A choice is kept in the order of choosing, so that the first of two equal sums can be made again. */
static blm_err all_differ(const blm_sums *s, blm_report *why)
{
    uint32_t sums[SUMS_MAX];
    unsigned choice[4] = {0}, n = 0;
    do {
        uint32_t sum = 0;
        for (unsigned i = 0; i < s->h; i++) sum += s->add[choice[i]];
        for (unsigned before = 0; before < n; before++) {
            unsigned first[4] = {0};
            if (sums[before] != sum) continue;
            for (unsigned i = 0; i < before; i++) next_choice(s, first);
            return same_sum(s, first, choice, why);
        }
        sums[n++] = sum;
    } while (next_choice(s, choice));
    return BLM_OK;
}

blm_err blm_sums_sound(const blm_sums *s, blm_report *why)
{
    if (!s->h && (!s->low || s->low & (s->low - 1)))
        return blm_fail(why, BLM_E_ARG, "increment=%u: must be 1, 2, 4, 8 or 16", s->low);
    for (unsigned i = 0; i < s->values; i++)
        if (s->add[i] > BLM_SUMS_LARGEST || s->add[i] <= (i ? s->add[i - 1] : 0))
            return blm_fail(why, BLM_E_ARG, "values must ascend and lie between 1 and %d",
                            BLM_SUMS_LARGEST);
    if (!sum_fits(s) || !keys_fit(s))
        return blm_fail(
            why, BLM_E_ARG,
            "width=%u: too few bits for increments up to %u; use up to 32, or 0 for as many "
            "as they need",
            s->width, s->add[s->values - 1]);
    return s->h ? all_differ(s, why) : BLM_OK;
}
