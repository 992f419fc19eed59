/* sample.c - filters, members and non-members for experiments. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "lab.h"

#define BATCH 1024

/* A bijection of 64 bits: members come from counters below 2^63, non-members from those above, so
 * that the two never meet. */
static uint64_t scramble(uint64_t x)
{
    x += UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

uint64_t lab_random(uint64_t *state)
{
    const uint64_t x = scramble(*state);
    *state += UINT64_C(0x9e3779b97f4a7c15);
    return x;
}

uint64_t lab_member(uint64_t i) { return scramble(i); }
uint64_t lab_stranger(uint64_t i) { return scramble(UINT64_C(1) << 63 | i); }

blm_filter *lab_make(lab_sheet *s, const char *spec, ...)
{
    char text[256];
    va_list args;
    blm_filter *f = NULL;
    blm_report why = {BLM_OK, ""};
    va_start(args, spec);
    const int n = vsnprintf(text, sizeof text, spec, args);
    va_end(args);
    if (n < 0 || (size_t)n + 16 >= sizeof text)
        return lab_stuck(s, text, "the spec is too long"), NULL;
    snprintf(text + n, sizeof text - (size_t)n, " overfill=yes");
    if (blm_make(&f, text, &why)) return lab_stuck(s, text, why.text), NULL;
    return f;
}

bool lab_add(lab_sheet *s, blm_filter *f, uint64_t first, uint64_t n)
{
    uint64_t keys[BATCH];
    for (uint64_t done = 0; f && done < n;) {
        const size_t turn = n - done < BATCH ? (size_t)(n - done) : BATCH;
        for (size_t i = 0; i < turn; i++) keys[i] = lab_member(first + done + i);
        const blm_err err = blm_add_many_u64(f, keys, turn, NULL, NULL);
        if (err) return lab_stuck(s, "adding keys", blm_strerror(err)), false;
        done += turn;
    }
    return f != NULL;
}

static uint64_t yes_of(const blm_filter *f, uint64_t (*key)(uint64_t), uint64_t first, uint64_t n)
{
    uint64_t keys[BATCH], sum = 0;
    uint8_t yes[BATCH];
    for (uint64_t done = 0; done < n;) {
        const size_t turn = n - done < BATCH ? (size_t)(n - done) : BATCH;
        for (size_t i = 0; i < turn; i++) keys[i] = key(first + done + i);
        blm_has_many_u64(f, keys, turn, yes);
        for (size_t i = 0; i < turn; i++) sum += yes[i];
        done += turn;
    }
    return sum;
}

uint64_t lab_missed(const blm_filter *f, uint64_t first, uint64_t n)
{
    return f ? n - yes_of(f, lab_member, first, n) : n;
}

lab_hits lab_ask(const blm_filter *f, uint64_t strangers)
{
    return f ? (lab_hits){yes_of(f, lab_stranger, 0, strangers), strangers} : (lab_hits){0, 0};
}

lab_hits lab_turns(lab_sheet *s, blm_filter *f, uint64_t n, uint64_t turns, uint64_t strangers)
{
    lab_hits h = {0, turns * strangers};
    for (uint64_t i = 0; f && i < turns; i++) {
        blm_clear(f);
        if (!lab_add(s, f, i * n, n)) return h;
        h.hits += yes_of(f, lab_stranger, i * strangers, strangers);
    }
    return h;
}

blm_rate lab_theory(const blm_filter *f, uint64_t keys)
{
    const blm_case c = {.keys = keys};
    return f ? blm_fpr(f, &c) : (blm_rate){NAN, NAN, 0};
}

double lab_bits(const blm_filter *f)
{
    blm_info info;
    if (!f) return NAN;
    blm_info_of(f, &info);
    return 8 * (double)info.bytes;
}

double lab_field(const blm_filter *f, const char *name)
{
    blm_field_info field;
    for (size_t i = 0; f && blm_field_at(f, i, &field); i++)
        if (strcmp(field.name, name) == 0) return (double)field.value;
    return NAN;
}
