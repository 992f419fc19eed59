/* spec.c - one text makes a filter: "counting keys=1e6 fpr=1% width=8". */
#include <string.h>

#include "core/core_internal.h"

typedef struct spec {
    blm_config c;
    char kind[40], with[512];
} spec;

static blm_err set_hashes(const char *value, unsigned *out, blm_report *why)
{
    uint64_t v = 0;
    const blm_err err = blm_parse_count(value, &v, why);
    if (err) return err;
    if (v < 1 || v > BLM_HASHES_MAX)
        return blm_fail(why, BLM_E_ARG, "hashes %.40s: must be from 1 to %u", value,
                        BLM_HASHES_MAX);
    *out = (unsigned)v;
    return BLM_OK;
}

static blm_err set_keys(const char *value, uint64_t *out, blm_report *why)
{
    const blm_err err = blm_parse_count(value, out, why);
    return !err && *out == 0 ? blm_fail(why, BLM_E_ARG, "keys 0: must be at least 1") : err;
}

/* "bits=1024" says its unit by its name; "bits=64KiB" by its own. */
static blm_err set_bits(const char *value, uint64_t *out, blm_report *why)
{
    const blm_err err =
        blm_parse_count(value, out, NULL) ? blm_parse_bits(value, out, why) : BLM_OK;
    return !err && *out == 0 ? blm_fail(why, BLM_E_ARG, "bits 0: must be at least 1") : err;
}

static blm_err set_max_count(const char *value, uint64_t *out, blm_report *why)
{
    const blm_err err = blm_parse_count(value, out, why);
    return !err && *out == 0
               ? blm_fail(why, BLM_E_ARG,
                          "max-count 0: must be from 1 to 9007199254740991 (2^53 - 1)")
               : err;
}

static blm_err set_word(spec *s, const char *name, const char *value, blm_report *why)
{
    if (strcmp(name, "keys") == 0) return set_keys(value, &s->c.keys, why);
    if (strcmp(name, "fpr") == 0) return blm_parse_rate(value, &s->c.fpr, why);
    if (strcmp(name, "fnr") == 0) return blm_parse_rate(value, &s->c.fnr, why);
    if (strcmp(name, "bits") == 0) return set_bits(value, &s->c.bits, why);
    if (strcmp(name, "hashes") == 0) return set_hashes(value, &s->c.hashes, why);
    if (strcmp(name, "max-count") == 0) return set_max_count(value, &s->c.max_count, why);
    if (strcmp(name, "seed") == 0) return blm_parse_count(value, &s->c.seed, why);
    if (strcmp(name, "overfill") == 0) {
        s->c.overfill = strcmp(value, "yes") == 0;
        return s->c.overfill || strcmp(value, "no") == 0
                   ? BLM_OK
                   : blm_fail(why, BLM_E_ARG, "overfill=%.40s: must be yes or no", value);
    }
    const size_t used = strlen(s->with);
    if (used + strlen(name) + strlen(value) + 3 > sizeof s->with)
        return blm_fail(why, BLM_E_ARG, "the settings are longer than %zu bytes", sizeof s->with);
    if (used) strcat(s->with, " ");
    strcat(strcat(strcat(s->with, name), "="), value);
    return BLM_OK;
}

static blm_err parse(spec *s, const char *text, blm_report *why)
{
    char word[600];
    blm_config_init(&s->c);
    s->kind[0] = s->with[0] = 0;
    for (const char *p = text + strspn(text, " \t\n"); *p; p += strspn(p, " \t\n")) {
        const size_t n = strcspn(p, " \t\n");
        if (n >= sizeof word)
            return blm_fail(why, BLM_E_ARG, "a setting of %zu bytes is too long", n);
        memcpy(word, p, n);
        word[n] = 0;
        p += n;
        char *equal = strchr(word, '=');
        if (!equal && !s->kind[0] && n < sizeof s->kind) {
            strcpy(s->kind, word);
            continue;
        }
        if (!equal || !s->kind[0])
            return blm_fail(why, BLM_E_ARG, "%.60s: a filter is written \"kind name=value ...\"",
                            word);
        *equal = 0;
        const blm_err err = set_word(s, word, equal + 1, why);
        if (err) return err;
    }
    if (!s->kind[0])
        return blm_fail(why, BLM_E_ARG,
                        "an empty text: a filter is written \"kind name=value ...\"");
    s->c.kind = s->kind;
    s->c.with = s->with;
    return BLM_OK;
}

blm_err blm_make(blm_filter **out, const char *text, blm_report *why)
{
    spec s;
    const blm_err err = parse(&s, text, why);
    return err ? err : blm_new(out, &s.c, why);
}
