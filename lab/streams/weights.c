/* weights.c - weighted against standard where queries have Zipf's law: 1000 members of 10,000 keys, any of them with the
 * same chance, and key r is asked for in proportion to 1 / r.
 *
 * Classes are octaves of r: 1, 2 to 3, 4 to 7, ... 8192 to 10,000, so that a class has queries of nearly one weight, and 14
 * classes do what a number of hashes for each key would. A turn draws new members and asks for all others; each answer
 * counts by its weight. That is the mean of any number of queries, without their noise.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "streams.h"

enum { KEYS = 10000, MEMBERS = 1000, OCTAVES = 14 };

/* By another program: real k of each key, rounded, then single steps and pairs while they help. */
static const struct {
    unsigned per_key, hashes;
    double standard, weighted, times;
} known[STREAMS_WEIGHTED] = {
    {4, 3, 0.146892, 0.0415493, 3.535},
    {8, 6, 0.0215771, 0.00607033, 3.555},
    {12, 8, 0.00314235, 0.00088575, 3.548},
};

typedef struct zipf {
    double weight[KEYS]; /* of the queries */
    uint64_t octave[KEYS], arg[KEYS];
    uint32_t order[KEYS]; /* the first MEMBERS are the members of this turn */
    blm_hash h[KEYS];
    uint8_t yes[KEYS];
} zipf;

/* Sums over turns, for the quotient of two sums and its interval. */
typedef struct weighed {
    double yes, all, squares, product, squares_of_all, turns;
} weighed;

static void set_up(zipf *z)
{
    double sum = 0;
    for (unsigned r = 1; r <= KEYS; r++) {
        unsigned octave = 0;
        while (r >> (octave + 1)) octave++;
        z->octave[r - 1] = octave;
        z->order[r - 1] = r - 1;
        sum += z->weight[r - 1] = 1.0 / r;
    }
    for (unsigned i = 0; i < KEYS; i++) z->weight[i] /= sum;
}

/* The shares that make the table: "1:2:4:..." and the queries of each octave. */
static blm_filter *make_weighted(lab_sheet *s, const zipf *z, unsigned bits)
{
    char size[80] = "", asked[160] = "";
    size_t a = 0, b = 0;
    for (unsigned c = 0; c < OCTAVES; c++) {
        unsigned keys = 0;
        double queries = 0;
        for (unsigned i = 0; i < KEYS; i++)
            if (z->octave[i] == c) keys++, queries += z->weight[i];
        a += (size_t)snprintf(size + a, sizeof size - a, "%s%u", c ? ":" : "", keys);
        b += (size_t)snprintf(asked + b, sizeof asked - b, "%s%.4f", c ? ":" : "", 100 * queries);
    }
    return lab_make(s, "weighted bits=%ub keys=%d size=%s asked=%s seed=1", bits, MEMBERS, size,
                    asked);
}

/* New members, the same for both filters. Keys are new in each turn: the filter's seed is not. */
static void draw(zipf *z, const blm_filter *f, uint64_t *random, uint64_t turn)
{
    for (uint32_t i = 0; i < MEMBERS; i++) {
        const uint32_t j = i + (uint32_t)(lab_random(random) % (KEYS - i)), was = z->order[i];
        z->order[i] = z->order[j];
        z->order[j] = was;
    }
    for (uint32_t i = 0; i < KEYS; i++) {
        z->h[i] = blm_hash_u64(f, lab_member(turn * KEYS + z->order[i]));
        z->arg[i] = z->octave[z->order[i]];
    }
}

static bool one_turn(lab_sheet *s, zipf *z, blm_filter *f, const uint64_t *args, weighed *w)
{
    double yes = 0, all = 0;
    blm_clear(f);
    const blm_err err = blm_add_many(f, z->h, args, MEMBERS, NULL, NULL);
    if (err) return lab_stuck(s, "adding members", blm_strerror(err)), false;
    blm_has_many(f, z->h, args, KEYS, z->yes);
    for (uint32_t i = 0; i < MEMBERS; i++)
        if (!z->yes[i]) return lab_stuck(s, "a member", "it is denied"), false;
    for (uint32_t i = MEMBERS; i < KEYS; i++) {
        all += z->weight[z->order[i]];
        yes += z->yes[i] ? z->weight[z->order[i]] : 0;
    }
    w->yes += yes;
    w->all += all;
    w->squares += yes * yes;
    w->product += yes * all;
    w->squares_of_all += all * all;
    w->turns++;
    return true;
}

/* One standard deviation of yes / all, relative. */
static double spread_of(const weighed *w)
{
    const double rate = w->yes / w->all;
    const double left = w->squares - 2 * rate * w->product + rate * rate * w->squares_of_all;
    return sqrt(fmax(0, left)) / w->yes;
}

static lab_number by_spread(double value, double spread)
{
    return (lab_number){value, value * (1 - 2.576 * spread), value * (1 + 2.576 * spread),
                        fmax(0, value * (1 - 3.891 * spread)), value * (1 + 3.891 * spread)};
}

static void rows(lab_sheet *s, size_t i, const blm_filter *of[2], const weighed w[2])
{
    const double standard = lab_theory(of[0], MEMBERS).high;
    const blm_case c = {.keys = MEMBERS, .arg = BLM_NO_ARG};
    const double weighted = blm_fpr(of[1], &c).high;
    const double rate[2] = {w[0].yes / w[0].all, w[1].yes / w[1].all};
    const double spread[2] = {spread_of(&w[0]), spread_of(&w[1])};
    char what[64];
    snprintf(what, sizeof what, "%u bits per key: standard", known[i].per_key);
    lab_say(s, what, &(lab_claim){.expected = known[i].standard, .within = 0.01}, standard,
            by_spread(rate[0], spread[0]));
    snprintf(what, sizeof what, "%u bits per key: weighted", known[i].per_key);
    lab_say(s, what, &(lab_claim){.expected = known[i].weighted, .within = 0.02}, weighted,
            by_spread(rate[1], spread[1]));
    snprintf(what, sizeof what, "%u bits per key: standard / weighted", known[i].per_key);
    lab_say(s, what, &(lab_claim){.expected = known[i].times, .within = 0.01, .at_least = 2},
            standard / weighted, by_spread(rate[0] / rate[1], hypot(spread[0], spread[1])));
}

void streams_weighted(lab_sheet *s, size_t i)
{
    const uint64_t turns = s->quick ? 4000 : s->huge ? 200000 : 20000;
    const unsigned bits = known[i].per_key * MEMBERS;
    weighed w[2];
    uint64_t random = 1;
    memset(w, 0, sizeof w);
    zipf *z = malloc(sizeof *z);
    if (!z) {
        lab_stuck(s, "the keys", "no memory");
        return;
    }
    set_up(z);
    blm_filter *a = lab_make(s, "standard bits=%ub hashes=%u seed=1", bits, known[i].hashes);
    blm_filter *b = make_weighted(s, z, bits);
    bool sound = a && b;
    for (uint64_t turn = 0; sound && turn < turns; turn++) {
        draw(z, a, &random, turn);
        sound = one_turn(s, z, a, NULL, &w[0]) && one_turn(s, z, b, z->arg, &w[1]);
    }
    if (sound) rows(s, i, (const blm_filter *[]){a, b}, w);
    blm_free(a);
    blm_free(b);
    free(z);
}
