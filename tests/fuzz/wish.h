/* wish.h - two or three bytes become a wish for a small filter: one chooses the kind, the others its numbers and knobs.
 * Kinds and knobs come from the tables.
 *
 * Planning takes longer than anything else. So the wishes of a kind are a list, drawn at random, and each is planned
 * once; most inputs take one of the first 64.
 */
#ifndef BLM_TESTS_WISH_H
#define BLM_TESTS_WISH_H
#include "core/core_internal.h"
#include "fuzz/fuzz.h"

enum { OFTEN = 64, WISHES = OFTEN + 16 * 256 };

typedef struct wish {
    blm_kind_info kind;
    blm_config c; /* but for `with`, which moves with the struct */
    char with[200];
    uint8_t kind_number; /* in the table */
    uint16_t number;     /* of the wish, below WISHES */
} wish;

static const uint8_t wish_secret[16] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};

static inline unsigned draw(uint64_t *state, unsigned below)
{
    *state = blm_mix(*state + UINT64_C(0x9e3779b97f4a7c15));
    return (unsigned)(*state >> 33) % below;
}

/* In range, and often at its ends; knobs of shares have no number above 1. */
static inline double number_for(const blm_knobdef *d, unsigned byte)
{
    const unsigned small = byte >> 3;
    double v = d->def;
    switch (byte & 7) {
    case 0:
        return d->min;
    case 1:
        return d->max;
    case 2:
        break;
    case 3:
        v = d->min + (double)(UINT64_C(1) << (2 * (small & 15)));
        break;
    default:
        v = d->max <= 1 ? d->min + (d->max - d->min) * small / 31 : d->min + small;
    }
    return v > d->max ? d->max : v;
}

static inline void add_knob(wish *w, uint64_t *state)
{
    blm_knobdef d;
    const unsigned which = draw(state, 1000), byte = draw(state, 256);
    if (!w->kind.nknobs || !blm_knob_at(w->kind.name, which % w->kind.nknobs, &d)) return;
    const size_t used = strlen(w->with), room = sizeof w->with - used;
    char *to = w->with + used;
    const char *word = d.words;
    switch (d.type) {
    case BLM_K_WORD:
        for (unsigned i = byte % 8; i && strchr(word, '|'); i--) word = strchr(word, '|') + 1;
        snprintf(to, room, " %s=%.*s", d.name, (int)strcspn(word, "|"), word);
        break;
    case BLM_K_NUMBERS:
        snprintf(to, room, " %s=%u:%u:%u", d.name, byte & 3, byte >> 2 & 7, byte >> 5);
        break;
    default: /* sizes are written in bits, times in milliseconds */
        snprintf(to, room, " %s=%.17g%s", d.name, number_for(&d, byte),
                 d.type == BLM_K_SIZE ? "b" : "");
    }
}

/* Each byte belongs to the kind whose name scores highest with it: a kind that is added takes a few bytes from all others,
 * and an input that is kept means, but for these, what it meant before. */
static inline uint8_t choose_kind(unsigned byte, blm_kind_info *out)
{
    blm_kind_info k;
    uint64_t best = 0;
    size_t at = 0;
    for (size_t i = 0; blm_kind_at(i, &k); i++) {
        const uint64_t score = blm_checksum(k.name, strlen(k.name), byte);
        if (i && score <= best) continue;
        best = score;
        *out = k;
        at = i;
    }
    return (uint8_t)at;
}

/* Keys with a rate, or with bits and hashes, which needs no search. */
static inline wish wish_from(input *in, const blm_alloc *alloc)
{
    static const uint64_t keys[] = {1, 2, 5, 13, 30, 64, 150, 500};
    static const double rates[] = {0, 0.01, 0.1, 0.3, 0.5, 0.9, 0.001, 1e-6};
    wish w = {.with = ""};
    w.kind_number = choose_kind(next(in), &w.kind);
    const unsigned byte = next(in);
    w.number = (uint16_t)(byte < 240 ? byte % OFTEN : OFTEN + (byte - 240) * 256 + next(in));
    uint64_t state = w.number;
    blm_config_init(&w.c);
    w.c.kind = w.kind.name;
    w.c.keys = keys[draw(&state, 8)];
    w.c.hashes = draw(&state, 4) ? 1 + draw(&state, 6) : 0;
    if (draw(&state, 4))
        w.c.bits = w.c.keys * (1 + draw(&state, 30)) + 64 * draw(&state, 8);
    else
        w.c.fpr = rates[draw(&state, 8)];
    w.c.fnr = draw(&state, 8) ? 0 : 0.1;
    w.c.overfill = draw(&state, 8) > 0; /* judging the fill is slow */
    w.c.seed = draw(&state, 4) == 0;
    w.c.secret = draw(&state, 8) ? NULL : wish_secret;
    w.c.alloc = alloc;
    for (unsigned i = draw(&state, 4); i; i--) add_knob(&w, &state);
    return w;
}
#endif
