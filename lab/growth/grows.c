/* grows.c - a scalable filter that was begun at 1000 keys, at each power of ten, next to filters of the right size. */
#include <bloomery/build.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <time.h>

#include "growth.h"

#define RATE  "rate"
#define BITS  "bits"
#define SIZED "built without -n: "

#define PROMISE 0.01
#define FIRST   1000 /* keys that the filter is begun for */
#define BATCH   1024
#define LAST    8 /* 10^8 keys, in a huge run */

/* By the definition (P 1 %, growth 2, tightening 0.85: k = ceil(log2(1 / P_i)) slices of ceil(n_i / ln 2) bits), in
 * another program: the bits of all layers, their compounded rate and the bits that a non-member reads, newest layer
 * first. The right-sized filter is standard with the fewest bits for 1 %. */
static const struct {
    double bits, times, layers, rate, probes; /* times: the bits of the right-sized one */
} defined[LAST + 1] = {
    [3] = {14430, 1.504, 1, 0.00097747836, 1.99823},
    [4] = {227962, 2.376, 4, 0.0029279024, 7.28533},
    [5] = {2005386, 2.090, 7, 0.0043926518, 13.4667},
    [6] = {17517246, 1.826, 10, 0.0055247068, 19.8941},
    [7] = {301162647, 3.139, 14, 0.0062092267, 27.1049},
    [8] = {2546688653, 2.655, 17, 0.0065731806, 33.3684},
};

static unsigned last_power(const lab_sheet *s) { return s->quick ? 6 : s->huge ? LAST : 7; }

static double now(void)
{
    struct timespec t = {0};
    timespec_get(&t, TIME_UTC);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Nanoseconds per non-member, in batches. */
static double time_of(const blm_filter *f, uint64_t strangers)
{
    const double from = now();
    lab_ask(f, strangers);
    return (now() - from) * 1e9 / (double)strangers;
}

/* ---- what a query reads -------------------------------------------------------------------------------------- */

/* The bits that f reads for this key before it has a no, newest layer first. */
static unsigned probes_of(const blm_filter *f, const blm_item *it)
{
    blm_touch at[BLM_TOUCH_MAX];
    unsigned read = 0;
    size_t layers = 0;
    while (blm_inner(f, layers)) layers++;
    while (layers-- > 0) {
        const blm_item inner = blm_inner_item(f, layers, it);
        const size_t n = blm_touched(blm_inner(f, layers), &inner, at, BLM_TOUCH_MAX);
        size_t i = 0;
        while (i < n && at[i].value) i++;
        read += (unsigned)(i < n ? i + 1 : n);
        if (i == n) return read; /* a false positive */
    }
    return read;
}

static lab_number probes_to_reject(const blm_filter *f, uint64_t strangers)
{
    double sum = 0, squares = 0;
    const double n = (double)strangers;
    for (uint64_t i = 0; i < strangers; i++) {
        const blm_item it = blm_item_u64(f, lab_stranger(i), BLM_NO_ARG);
        const double read = probes_of(f, &it);
        sum += read;
        squares += read * read;
    }
    const double mean = sum / n, one = sqrt(fmax(0, squares / n - mean * mean) / n);
    return (lab_number){mean, mean - 2.576 * one, mean + 2.576 * one, mean - 3.891 * one,
                        mean + 3.891 * one};
}

/* ---- the filter that grows ------------------------------------------------------------------------------------ */

static size_t layers_of(const blm_filter *f)
{
    size_t n = 0;
    while (blm_inner(f, n)) n++;
    return n;
}

static double right_sized(uint64_t keys)
{
    uint64_t m = 0;
    unsigned k = 0;
    return blm_size_for(keys, PROMISE, 0, true, &m, &k) ? (double)m : NAN;
}

static void rows_at(lab_sheet *s, const blm_filter *f, unsigned power, uint64_t keys, lab_hits h)
{
    const double times = lab_bits(f) / right_sized(keys);
    char what[64];
    snprintf(what, sizeof what, "10^%u keys: rate", power);
    /* Filters of 1000 keys differ by 4 %, and the first is half of all at 10^4. */
    lab_say(s, what,
            &(lab_claim){.expected = defined[power].rate,
                         .within = power < 5 ? 0.1 : 0.03,
                         .at_most = PROMISE},
            NAN, lab_share(h, 0));
    snprintf(what, sizeof what, "10^%u keys: members that are denied", power);
    lab_say(s, what, &(lab_claim){0}, 0, lab_exactly((double)lab_missed(f, 0, keys)));
    snprintf(what, sizeof what, "10^%u keys: layers", power);
    lab_say(s, what, &(lab_claim){.expected = defined[power].layers}, NAN,
            lab_exactly((double)layers_of(f)));
    snprintf(what, sizeof what, "10^%u keys: bits / right-sized", power);
    lab_say(s, what, &(lab_claim){.expected = defined[power].times, .within = 3e-3}, NAN,
            lab_exactly(times));
    snprintf(what, sizeof what, "10^%u keys: bits that a non-member reads", power);
    lab_say(s, what, &(lab_claim){.expected = defined[power].probes, .within = 5e-3}, NAN,
            probes_to_reject(f, 20000));
    snprintf(what, sizeof what, "10^%u keys: ns per non-member", power);
    lab_show(s, what, lab_exactly(time_of(f, 1000000)));
}

/* 1, 2, 5 and 10 times each power: all are drawn, the powers have rows. */
void growth_grows(lab_sheet *s, size_t i)
{
    static const unsigned steps[] = {1, 2, 5};
    const uint64_t strangers = s->quick ? 200000 : 4000000;
    uint64_t inside = 0, power_of_ten = FIRST;
    (void)i;
    blm_filter *f = lab_make(s, "scalable keys=%d fpr=1%% seed=1", FIRST);
    for (unsigned power = 3; f && power <= last_power(s); power++, power_of_ten *= 10)
        for (size_t j = 0; j < (power < last_power(s) ? 3 : 1); j++) {
            const uint64_t keys = steps[j] * power_of_ten;
            const bool added = lab_add(s, f, inside, keys - inside);
            const lab_hits h = lab_ask(f, strangers);
            inside = keys;
            if (!added) break;
            lab_mark_at(s, RATE, "scalable", (double)keys,
                        lab_share(h, lab_theory(f, keys).spread));
            lab_mark_at(s, BITS, "scalable", (double)keys, lab_exactly(lab_bits(f) / (double)keys));
            if (!j) rows_at(s, f, power, keys, h);
        }
    blm_free(f);
}

/* The definition as lines: what n keys cost, and their rate. */
void growth_defined(lab_sheet *s, size_t i)
{
    const double most = pow(10, last_power(s));
    (void)i;
    for (double n = FIRST; n <= most * 1.001; n *= pow(10, 0.02)) {
        double bits = 0, none = 1, first = PROMISE * 0.15, room = FIRST, left = n;
        for (; left > 0; left -= room, room *= 2, first *= 0.85) {
            const double k = ceil(log2(1 / first)), slice = ceil(room / log(2));
            bits += k * slice;
            none *= 1 - pow(-expm1(fmin(left, room) * log1p(-1 / slice)), k);
            if (left <= room) break;
        }
        lab_line_at(s, RATE, "scalable", n, 1 - none);
        lab_line_at(s, RATE, "promise", n, PROMISE);
        lab_line_at(s, BITS, "scalable", n, bits / n);
    }
}

/* ---- keys that are collected first, as `build` without -n does -------------------------------------------------- */

static blm_filter *build_sized(lab_sheet *s, const char *kind, uint64_t keys)
{
    uint64_t key[BATCH];
    blm_hash hash[BATCH];
    blm_key bytes[BATCH];
    blm_builder *b = NULL;
    blm_filter *f = NULL;
    blm_report why = {BLM_OK, ""};
    blm_err err = blm_builder_new(&b, BLM_CONFIG(.kind = kind, .fpr = PROMISE, .seed = 1), &why);
    for (uint64_t done = 0; !err && done < keys;) {
        const size_t turn = keys - done < BATCH ? (size_t)(keys - done) : BATCH;
        for (size_t i = 0; i < turn; i++) {
            key[i] = lab_member(done + i);
            bytes[i] = (blm_key){&key[i], sizeof key[i]};
        }
        blm_hash_many(blm_builder_hasher(b), bytes, turn, hash);
        err = blm_builder_add_many(b, hash, turn, NULL);
        done += turn;
    }
    if (err)
        blm_builder_free(b);
    else
        err = blm_build(&f, b, &why);
    if (err) lab_stuck(s, kind, why.text[0] ? why.text : blm_strerror(err));
    return f;
}

/* bits: per key at 1 %, of many keys; the literature, and for blocked the exact sum over loads. */
static const struct {
    const char *kind;
    double bits;
} sized[] = {{"standard", 9.593}, {"blocked", 9.92}};

void growth_sized(lab_sheet *s, size_t i)
{
    const char *kind = sized[i % 2].kind;
    const unsigned power = 4 + (unsigned)(i / 2);
    const uint64_t strangers = s->quick ? 200000 : 4000000;
    uint64_t keys = 1;
    char what[64];
    if (power > last_power(s) || power > 7) return;
    for (unsigned p = 0; p < power; p++) keys *= 10;
    blm_filter *f = build_sized(s, kind, keys);
    if (!f) return;
    const lab_hits h = lab_ask(f, strangers);
    const blm_rate theory = lab_theory(f, keys);
    const double bits = lab_bits(f) / (double)keys;
    snprintf(what, sizeof what, SIZED "%s, 10^%u keys: rate", kind, power);
    lab_rate(s, what, &(lab_claim){.expected = PROMISE, .within = 0.02}, theory, h);
    snprintf(what, sizeof what, SIZED "%s, 10^%u keys: bits per key", kind, power);
    lab_say(s, what, &(lab_claim){.expected = sized[i % 2].bits, .within = 0.01}, NAN,
            lab_exactly(bits));
    snprintf(what, sizeof what, SIZED "%s, 10^%u keys: ns", kind, power);
    lab_show(s, what, lab_exactly(time_of(f, 1000000)));
    lab_mark_at(s, RATE, kind, (double)keys, lab_share(h, theory.spread));
    lab_mark_at(s, BITS, kind, (double)keys, lab_exactly(bits));
    blm_free(f);
}
