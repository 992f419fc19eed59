/* rounds.c - the paper's way to measure: rounds with hash functions of their own. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "generalized.h"

#define BATCH 1000

/* ---- elements and their hashes --------------------------------------------------------------------- */

static uint64_t below(uint64_t *state, uint64_t limit) /* limit < 2^32 */
{
    return ((lab_random(state) >> 32) * limit) >> 32;
}

gen_functions gen_draw(uint64_t *state)
{
    gen_functions u;
    for (int i = 0; i < 2; i++) {
        u.c[i] = 1 + below(state, GEN_PRIME - 1);
        u.d[i] = below(state, GEN_PRIME);
    }
    return u;
}

/* c x + d is below 2^63. */
blm_hash gen_hash(const gen_functions *u, uint64_t x)
{
    const uint64_t a = (u->c[0] * x + u->d[0]) % GEN_PRIME, b = (u->c[1] * x + u->d[1]) % GEN_PRIME;
    return (blm_hash){a << 31 | b, 0};
}

uint64_t gen_element(uint64_t *state, bool other_half)
{
    const uint64_t half = (GEN_PRIME - 1) / 2;
    return 1 + below(state, half) + (other_half ? half : 0);
}

/* ---- sums ------------------------------------------------------------------------------------------ */

void gen_count(gen_sum *s, uint64_t hits, uint64_t trials)
{
    s->rounds++;
    s->trials += trials;
    s->hits += hits;
    s->squares += (double)hits * (double)hits;
}

/* By the spread between rounds, but where hits are few: those are independent. */
lab_number gen_number(const gen_sum *s)
{
    const double rounds = (double)s->rounds, mean = (double)s->hits / rounds;
    const lab_number apart = lab_share((lab_hits){s->hits, s->trials}, 0);
    if (s->hits < 100 || s->trials - s->hits < 100 || s->rounds < 10) return apart;
    const double sd = sqrt(fmax(0, s->squares / rounds - mean * mean) / (rounds - 1));
    const double value = (double)s->hits / (double)s->trials, one = value * sd / mean;
    return (lab_number){
        value, fmin(apart.low, value - 2.576 * one), fmax(apart.high, value + 2.576 * one),
        fmin(apart.lowest, value - 3.891 * one), fmax(apart.highest, value + 3.891 * one)};
}

/* ---- filters ---------------------------------------------------------------------------------------- */

#define STANDARD_HASHES 64

blm_filter *gen_make(lab_sheet *s, const gen_setting *t, const char *more)
{
    if (t->k0 == 0 && t->k1 <= STANDARD_HASHES)
        return lab_make(s, "standard bits=%" PRIu64 "b hashes=%u", t->m, t->k1);
    return lab_make(s,
                    "generalized bits=%" PRIu64 "b keys=%" PRIu64 " zeros=%u ones=%u start=%s %s",
                    t->m, t->n ? t->n : 1, t->k0, t->k1, t->k1 ? "zeros" : "ones", more);
}

/* 64 bits, each of them a one with a chance of 1 - p0, by its first 24 binary digits from the last up. */
static uint64_t random_bits(double p0, uint64_t *state)
{
    const uint32_t chance = (uint32_t)((1 - p0) * (1 << 24) + 0.5);
    uint64_t bits = 0;
    unsigned digit = 0;
    if (chance >> 24) return UINT64_MAX;
    while (digit < 24 && !(chance >> digit & 1)) digit++;
    for (; digit < 24; digit++) {
        const uint64_t coin = lab_random(state);
        bits = chance >> digit & 1 ? bits | coin : bits & coin;
    }
    return bits;
}

bool gen_start(lab_sheet *s, blm_filter *f, const gen_setting *t, uint64_t *state)
{
    uint64_t cells[GEN_BYTES / 8];
    blm_report why = {BLM_OK, ""};
    const size_t bytes = (size_t)t->m / 8;
    if (bytes > GEN_BYTES || t->m % 64) return lab_stuck(s, "first bits", "odd size"), false;
    for (size_t i = 0; i < bytes / 8; i++) cells[i] = random_bits(t->p0, state);
    blm_clear(f);
    if (blm_adopt(f, cells, bytes, &why)) return lab_stuck(s, "first bits", why.text), false;
    return true;
}

bool gen_add(lab_sheet *s, blm_filter *f, const gen_functions *u, const uint64_t *x, size_t n)
{
    blm_hash h[BATCH];
    for (size_t done = 0; done < n;) {
        const size_t turn = n - done < BATCH ? n - done : BATCH;
        for (size_t i = 0; i < turn; i++) h[i] = gen_hash(u, x[done + i]);
        const blm_err err = blm_add_many(f, h, NULL, turn, NULL, NULL);
        if (err) return lab_stuck(s, "adding keys", blm_strerror(err)), false;
        done += turn;
    }
    return true;
}

uint64_t gen_yes(const blm_filter *f, const gen_functions *u, const uint64_t *x, size_t n)
{
    blm_hash h[BATCH];
    uint8_t yes[BATCH];
    uint64_t sum = 0;
    for (size_t done = 0; done < n;) {
        const size_t turn = n - done < BATCH ? n - done : BATCH;
        for (size_t i = 0; i < turn; i++) h[i] = gen_hash(u, x[done + i]);
        blm_has_many(f, h, NULL, turn, yes);
        for (size_t i = 0; i < turn; i++) sum += yes[i];
        done += turn;
    }
    return sum;
}

static double zeros_of(const blm_filter *f, uint64_t m)
{
    return 1 - lab_field(f, "ones") / (double)m;
}

static void ask_strangers(blm_filter *const *f, size_t filters, const gen_functions *u,
                          uint64_t strangers, uint64_t *state, gen_found *out)
{
    uint64_t x[BATCH], yes[8] = {0};
    for (uint64_t done = 0; done < strangers;) {
        const size_t turn = strangers - done < BATCH ? (size_t)(strangers - done) : BATCH;
        for (size_t i = 0; i < turn; i++) x[i] = gen_element(state, true);
        for (size_t j = 0; j < filters; j++) yes[j] += gen_yes(f[j], u, x, turn);
        done += turn;
    }
    for (size_t j = 0; j < filters; j++) gen_count(&out[j].fp, yes[j], strangers);
}

bool gen_rounds(lab_sheet *s, blm_filter *const *f, size_t filters, const gen_setting *t,
                uint64_t rounds, uint64_t strangers, uint64_t seed, gen_found *out)
{
    uint64_t x[GEN_KEYS], state = seed;
    for (size_t j = 0; j < filters; j++) out[j] = (gen_found){.zeros = 0};
    if (t->n > GEN_KEYS || filters > 8) return lab_stuck(s, "rounds", "too many keys"), false;
    for (uint64_t round = 0; round < rounds; round++) {
        const gen_functions u = gen_draw(&state);
        for (size_t i = 0; i < t->n; i++) x[i] = gen_element(&state, false);
        for (size_t j = 0; j < filters; j++) {
            if (!gen_start(s, f[j], t, &state) || !gen_add(s, f[j], &u, x, t->n)) return false;
            out[j].zeros += zeros_of(f[j], t->m) / (double)rounds;
            if (t->n == 0) continue;
            gen_count(&out[j].fn, t->n - gen_yes(f[j], &u, x, t->n), t->n);
            gen_count(&out[j].last, 1 - gen_yes(f[j], &u, x + t->n - 1, 1), 1);
        }
        ask_strangers(f, filters, &u, strangers, &state, out);
    }
    return true;
}

bool gen_stream(lab_sheet *s, blm_filter *f, const gen_setting *t, uint64_t rounds, uint64_t keys,
                uint64_t seed, gen_sum *out)
{
    blm_hash recent[GEN_KEYS + 1];
    uint64_t state = seed;
    *out = (gen_sum){.rounds = 0};
    if (t->n > GEN_KEYS) return lab_stuck(s, "a stream", "too many keys"), false;
    for (uint64_t round = 0; round < rounds; round++) {
        const gen_functions u = gen_draw(&state);
        uint64_t missed = 0;
        if (!gen_start(s, f, t, &state)) return false;
        for (uint64_t i = 0; i < keys + t->n; i++) {
            blm_hash *slot = &recent[i % (t->n + 1)];
            *slot = gen_hash(&u, gen_element(&state, false));
            const blm_err err = blm_add_many(f, slot, NULL, 1, NULL, NULL);
            if (err) return lab_stuck(s, "adding keys", blm_strerror(err)), false;
            if (i >= t->n) missed += !blm_has_hash(f, recent[(i + 1) % (t->n + 1)]);
        }
        gen_count(out, missed, keys);
    }
    return true;
}
