/* zipf.c - queries by Zipf's law: how much rarer a non-member that got a yes gets another.
 *
 * The prediction knows no filter and no hash. A word has n of the N keys (binomial), and X of its w bits are ones in a
 * group, after kn throws (the law behind equation 3); each non-member of the word has a yes in that group by a coin of
 * chance (X/w)^k. A yes takes the word to its next group, with check to the next one that has none for this
 * non-member. Words, ones, coins and queries are drawn round by round, and the mean is what is predicted; for Bloom-1,
 * the rate times all queries but the first of each non-member. With one chance f(n) for all groups, the mean of
 * (X/w)^k, as in the model of the paper, the prediction is 8 % too high at S = 4: groups that are nearly clean are
 * where words stay. The yeses after a non-member's first one are the repeated ones.
 */
#include <bloomery/theory/words.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "adaptive.h"

#define KEYS      (UINT64_C(8) * ADAPTIVE_WORDS)
#define HASHES    4
#define STRANGERS 100000
#define QUESTIONS 200000
#define DECADES   6

typedef struct stream {
    uint32_t who[QUESTIONS];
    uint32_t times[STRANGERS]; /* how often each asks */
} stream;

/* The same questions for the filters and for the coins of a round. */
static void draw_stream(stream *t, const double sum[STRANGERS], uint64_t seed)
{
    for (uint32_t i = 0; i < STRANGERS; i++) t->times[i] = 0;
    for (uint32_t q = 0; q < QUESTIONS; q++) {
        const double u = (double)(lab_random(&seed) >> 11) * 0x1p-53 * sum[STRANGERS - 1];
        uint32_t low = 0, high = STRANGERS - 1;
        while (low < high) {
            const uint32_t middle = (low + high) / 2;
            if (sum[middle] < u)
                low = middle + 1;
            else
                high = middle;
        }
        t->who[q] = low;
        t->times[low]++;
    }
}

typedef struct yeses {
    uint32_t of[STRANGERS];
    adaptive_rounds repeated, all;      /* a round each                        */
    double by[DECADES], asked[DECADES]; /* of non-members queried 1-9, 10-99, .. times */
} yeses;

static void end_round(yeses *y, const stream *t)
{
    uint64_t all = 0, repeated = 0;
    for (uint32_t i = 0; i < STRANGERS; i++) {
        unsigned decade = 0;
        for (uint32_t n = t->times[i]; n >= 10 && decade + 1 < DECADES; n /= 10) decade++;
        all += y->of[i];
        repeated += y->of[i] ? y->of[i] - 1 : 0;
        y->by[decade] += y->of[i];
        y->asked[decade] += t->times[i];
        y->of[i] = 0;
    }
    adaptive_note(&y->all, (double)all / QUESTIONS);
    adaptive_note(&y->repeated, (double)repeated / QUESTIONS);
}

/* ---- by coins --------------------------------------------------------------------------------------------------- */

typedef struct coins {
    uint8_t in_use[ADAPTIVE_WORDS], keys[ADAPTIVE_WORDS];
    double chance[ADAPTIVE_WORDS][8]; /* of a yes, by group */
    uint16_t word[STRANGERS];
    uint8_t bad[STRANGERS]; /* a bit per group */
} coins;

/* (X/w)^k after that many throws. */
static double chance_of(unsigned throws, unsigned width, uint64_t *state)
{
    uint64_t bits = 0;
    unsigned ones = 0;
    while (throws--) bits |= UINT64_C(1) << ((lab_random(state) >> 32) * width >> 32);
    for (; bits; bits &= bits - 1) ones++;
    return pow((double)ones / width, HASHES);
}

static void toss(coins *c, adaptive_form v, unsigned width, uint64_t *state)
{
    for (unsigned i = 0; i < ADAPTIVE_WORDS; i++) c->in_use[i] = c->keys[i] = 0;
    for (unsigned i = 0; i < KEYS; i++) c->keys[lab_random(state) % ADAPTIVE_WORDS]++;
    for (unsigned i = 0; i < ADAPTIVE_WORDS; i++)
        for (unsigned r = 0; r < v.groups; r++)
            c->chance[i][r] = chance_of(HASHES * c->keys[i], width, state);
    for (uint32_t i = 0; i < STRANGERS; i++) {
        c->word[i] = (uint16_t)(lab_random(state) % ADAPTIVE_WORDS);
        c->bad[i] = 0;
        for (unsigned r = 0; r < v.groups; r++)
            if ((double)(lab_random(state) >> 11) * 0x1p-53 < c->chance[c->word[i]][r])
                c->bad[i] |= (uint8_t)(1u << r);
    }
}

static void predict(coins *c, adaptive_form v, const stream *t, yeses *y)
{
    for (uint32_t q = 0; q < QUESTIONS; q++) {
        const uint32_t x = t->who[q];
        uint8_t *in_use = &c->in_use[c->word[x]];
        if (!(c->bad[x] >> *in_use & 1)) continue;
        y->of[x]++;
        for (unsigned j = 1; j < v.groups; j++) {
            const unsigned r = (*in_use + j) % v.groups;
            if (v.check && c->bad[x] >> r & 1) continue;
            *in_use = (uint8_t)r;
            break;
        }
    }
}

/* ---- by the filter ------------------------------------------------------------------------------------------------ */

static bool measure(lab_sheet *s, blm_filter *f, blm_hash *hash, const stream *t, uint64_t round,
                    yeses *y)
{
    const uint64_t first = round << 32;
    blm_clear(f);
    if (!lab_add(s, f, first, KEYS)) return false;
    for (uint32_t i = 0; i < STRANGERS; i++)
        hash[i] = blm_hash_u64(f, lab_member(first + KEYS + i));
    for (uint32_t q = 0; q < QUESTIONS; q++) y->of[t->who[q]] += adaptive_asks(f, hash[t->who[q]]);
    return true;
}

enum { PLAIN, ADAPTED, BY_COINS, SIDES };
typedef struct zipf_desk {
    double sum[STRANGERS];
    stream stream;
    coins coins;
    blm_hash hash[STRANGERS];
    yeses yes[SIDES];
    adaptive_rounds again; /* queries but the first of each non-member */
} zipf_desk;

/* The interval of what was measured and of what coins say, which has its rounds too. */
static lab_number with_coins(lab_number n, lab_number tossed)
{
    n.lowest = n.value - hypot(n.value - n.lowest, tossed.value - tossed.lowest);
    n.highest = n.value + hypot(n.highest - n.value, tossed.highest - tossed.value);
    return n;
}

static void points_of(lab_sheet *s, const char *curve, const yeses *y, const yeses *predicted)
{
    for (unsigned i = 0; i < DECADES; i++) {
        const double x = 3 * pow(10, i);
        if (!(y->asked[i] > 0)) continue;
        lab_mark_at(s, "zipf", curve, x, lab_exactly(y->by[i] / y->asked[i]));
        if (predicted) lab_line_at(s, "zipf", curve, x, predicted->by[i] / predicted->asked[i]);
    }
}

static void rows_of(lab_sheet *s, adaptive_form v, const zipf_desk *d)
{
    static const char *const curve[] = {"", "", "S = 2", "", "S = 4", "", "", "", "S = 8"};
    const yeses *plain = &d->yes[PLAIN], *adapted = &d->yes[ADAPTED], *tossed = &d->yes[BY_COINS];
    const lab_number again = adaptive_mean(&d->again), by_coins = adaptive_mean(&tossed->repeated);
    const double def = again.value * blm_rate_word(64, ADAPTIVE_WORDS, 1, HASHES, KEYS);
    const double factor = def / by_coins.value;
    lab_number off = by_coins;
    char what[64];
    off.value = factor;
    off.lowest = factor * (2 - by_coins.highest / by_coins.value);
    off.highest = factor * (2 - by_coins.lowest / by_coins.value);
    lab_say(s, "repeated false positives per query, Bloom-1", &(lab_claim){0}, def,
            adaptive_mean(&plain->repeated));
    snprintf(what, sizeof what, "repeated false positives per query, S = %u", v.groups);
    lab_say(s, what, &(lab_claim){0}, by_coins.value,
            with_coins(adaptive_mean(&adapted->repeated), by_coins));
    snprintf(what, sizeof what, "they fall by a factor of, S = %u", v.groups);
    lab_say(s, what, &(lab_claim){.at_least = 1}, factor,
            with_coins(adaptive_beside(&plain->repeated, &adapted->repeated), off));
    snprintf(what, sizeof what, "all false positives, ABF / Bloom-1, S = %u", v.groups);
    lab_say(s, what, &(lab_claim){.at_most = 1}, NAN, adaptive_beside(&adapted->all, &plain->all));
    if (v.groups == 2) points_of(s, "Bloom-1", plain, NULL);
    points_of(s, curve[v.groups], adapted, tossed);
}

void adaptive_zipf(lab_sheet *s, size_t i)
{
    const adaptive_form v = {2u << i, true, 1};
    const unsigned rounds = s->quick ? 12 : ADAPTIVE_ROUNDS;
    uint64_t state = i + 1;
    zipf_desk *d = calloc(1, sizeof *d);
    blm_filter *plain = adaptive_make(s, (adaptive_form){1, false, 1}, HASHES, 1);
    blm_filter *f = adaptive_make(s, v, HASHES, 1);
    bool whole = d && plain && f;
    for (uint32_t j = 0; d && j < STRANGERS; j++)
        d->sum[j] = 1 / (double)(j + 1) + (j ? d->sum[j - 1] : 0);
    for (uint64_t round = 0; whole && round < rounds; round++) {
        draw_stream(&d->stream, d->sum, round + 1);
        whole = measure(s, plain, d->hash, &d->stream, round, &d->yes[PLAIN]) &&
                measure(s, f, d->hash, &d->stream, round, &d->yes[ADAPTED]);
        toss(&d->coins, v, 63 - (unsigned)i, &state);
        predict(&d->coins, v, &d->stream, &d->yes[BY_COINS]);
        uint32_t came = 0;
        for (uint32_t j = 0; j < STRANGERS; j++) came += d->stream.times[j] > 0;
        adaptive_note(&d->again, 1 - (double)came / QUESTIONS);
        for (int side = 0; side < SIDES; side++) end_round(&d->yes[side], &d->stream);
    }
    if (!d) lab_stuck(s, "queries by Zipf's law", "no memory");
    if (whole) rows_of(s, v, d);
    blm_free(plain);
    blm_free(f);
    free(d);
}
