/* knob.c - "width=8 method=recurring window=7d" against a kind's knob table. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/core_internal.h"

static const char *unknown_knob(const blm_kind *k, const char *name)
{
    const char *names[BLM_KNOBS_MAX] = {NULL};
    for (size_t i = 0; i < k->nknobs; i++) names[i] = k->knobs[i].name;
    return blm_nearest(name, names, k->nknobs);
}

static blm_err no_such_knob(const blm_kind *k, const char *name, blm_report *why)
{
    const char *near = unknown_knob(k, name);
    if (near)
        return blm_fail(why, BLM_E_ARG, "%.40s: %s has no such knob; did you mean %s?", name,
                        k->name, near);
    char all[120] = "";
    for (size_t i = 0; i < k->nknobs; i++)
        snprintf(all + strlen(all), sizeof all - strlen(all), "%s%s", i ? ", " : "",
                 k->knobs[i].name);
    return k->nknobs ? blm_fail(why, BLM_E_ARG, "%.40s: %s has no such knob; it has %s", name,
                                k->name, all)
                     : blm_fail(why, BLM_E_ARG, "%.40s: %s has no knobs", name, k->name);
}

/* The place of a word in "one|two|three", or -1. */
static int word_place(const char *words, const char *value)
{
    const size_t len = strlen(value);
    for (int i = 0;; i++) {
        const size_t n = strcspn(words, "|");
        if (n == len && memcmp(words, value, n) == 0) return i;
        if (!words[n]) return -1;
        words += n + 1;
    }
}

/* 500ms, 30s, 10m, 2h, 7d: milliseconds. A bare number is a number of arrivals, and not `timed`. */
static bool duration(const char *value, double *out, bool *timed)
{
    static const struct {
        const char *word;
        double ms;
    } units[] = {{"", 1}, {"ms", 1}, {"s", 1e3}, {"m", 6e4}, {"h", 3.6e6}, {"d", 8.64e7}};
    const char *p = value;
    if (!blm_number(&p, value + strlen(value), out)) return false;
    for (size_t i = 0; i < BLM_LEN(units); i++)
        if (strcmp(p, units[i].word) == 0) {
            *out *= units[i].ms;
            *timed = i > 0;
            return true;
        }
    return false;
}

static bool plain(const char *value, double *out)
{
    const char *p = value, *end = value + strlen(value);
    return blm_number(&p, end, out) && p == end;
}

static blm_err set_knob(const blm_knobdef *d, const char *value, double *num, bool *timed,
                        blm_report *why)
{
    uint64_t bits = 0;
    double v = 0;
    bool fits = true;
    switch (d->type) {
    case BLM_K_NUMBER:
        fits = plain(value, &v);
        break;
    case BLM_K_SIZE:
        fits = !blm_parse_bits(value, &bits, NULL), v = (double)bits;
        break;
    case BLM_K_TIME:
        fits = duration(value, &v, timed);
        break;
    case BLM_K_WORD:
        v = word_place(d->words, value), fits = v >= 0;
        break;
    case BLM_K_NUMBERS:
        *num = 0;
        return BLM_OK; /* the kind reads the text */
    }
    if (!fits && d->type == BLM_K_WORD)
        return blm_fail(why, BLM_E_ARG, "%s=%.40s: must be one of %s", d->name, value, d->words);
    if (!fits || (d->type != BLM_K_WORD && !(v >= d->min && v <= d->max)))
        return blm_fail(why, BLM_E_ARG, "%s=%.40s: %s, from %g to %g", d->name, value, d->doc,
                        d->min, d->max);
    *num = v;
    return BLM_OK;
}

blm_err blm_knobs_parse(const blm_kind *k, const char *with, blm_knob_values *out, blm_report *why)
{
    for (size_t i = 0; i < k->nknobs; i++) {
        out->num[i] = k->knobs[i].def;
        out->text[i] = NULL;
        out->timed[i] = false;
    }
    if (!with) return BLM_OK;
    if (strlen(with) >= sizeof out->room)
        return blm_fail(why, BLM_E_ARG, "knobs of %zu bytes: at most %zu", strlen(with),
                        sizeof out->room - 1);
    char *p = strcpy(out->room, with);
    while (*(p += strspn(p, " ,")) != 0) {
        char *word = p;
        p += strcspn(p, " ,");
        if (*p) *p++ = 0;
        char *equal = strchr(word, '=');
        if (!equal) return blm_fail(why, BLM_E_ARG, "%.60s: a knob is written name=value", word);
        *equal = 0;
        size_t i = 0;
        while (i < k->nknobs && strcmp(k->knobs[i].name, word) != 0) i++;
        if (i == k->nknobs) return no_such_knob(k, word, why);
        const blm_err err = set_knob(&k->knobs[i], equal + 1, &out->num[i], &out->timed[i], why);
        if (err) return err;
        out->text[i] = equal + 1;
    }
    return BLM_OK;
}
