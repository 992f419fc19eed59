/* spec.c - any text as a number, a rate, a size and a filter's spec.
 *
 * The grammar of blm_make is read here a second time, word by word, into a config whose allocator
 * has a limit: a text that asks for 100 TB must not be obeyed by the machine of the tester. Where
 * both ways make a filter, it is the same one; where one refuses, so does the other.
 */
#define _POSIX_C_SOURCE 200809L /* strtok_r */
#include "fuzz/fuzz.h"

#define MEMORY (1u << 20)

static const uint64_t untouched = 0x5eed5eed5eed5eed;

static bool spoken(blm_err err, const blm_report *why)
{
    if (!err) return why->code == BLM_OK && !why->text[0]; /* written on failure only */
    return why->code == err && why->text[0] && memchr(why->text, 0, sizeof why->text);
}

static void numbers(const char *text)
{
    blm_report why[3] = {{BLM_OK, ""}, {BLM_OK, ""}, {BLM_OK, ""}};
    uint64_t count = untouched, bits = untouched;
    double rate = -7;
    const blm_err e0 = blm_parse_count(text, &count, &why[0]);
    const blm_err e1 = blm_parse_rate(text, &rate, &why[1]);
    const blm_err e2 = blm_parse_bits(text, &bits, &why[2]);
    MUST(spoken(e0, &why[0]) && spoken(e1, &why[1]) && spoken(e2, &why[2]));
    MUST(e0 ? e0 == BLM_E_ARG && count == untouched : count <= UINT64_C(1) << 53);
    MUST(e1 ? e1 == BLM_E_ARG && rate == -7 : rate > 0 && rate < 1);
    MUST(e2 ? e2 == BLM_E_ARG && bits == untouched : bits >= 1 && bits <= UINT64_C(1) << 60);
}

/* ---- the grammar, a second time ---------------------------------------------------------------- */

typedef struct reading {
    blm_config c;
    char kind[40], with[512];
} reading;

static bool read_count(const char *value, uint64_t min, uint64_t max, uint64_t *out)
{
    return !blm_parse_count(value, out, NULL) && *out >= min && *out <= max;
}

static bool read_word(reading *r, const char *name, const char *value)
{
    uint64_t n = 0;
    if (!strcmp(name, "keys")) return read_count(value, 1, UINT64_MAX, &r->c.keys);
    if (!strcmp(name, "seed")) return read_count(value, 0, UINT64_MAX, &r->c.seed);
    if (!strcmp(name, "max-count")) return read_count(value, 1, UINT64_MAX, &r->c.max_count);
    if (!strcmp(name, "fpr")) return !blm_parse_rate(value, &r->c.fpr, NULL);
    if (!strcmp(name, "fnr")) return !blm_parse_rate(value, &r->c.fnr, NULL);
    if (!strcmp(name, "bits"))
        return !blm_parse_count(value, &r->c.bits, NULL) ? r->c.bits > 0
                                                         : !blm_parse_bits(value, &r->c.bits, NULL);
    if (!strcmp(name, "hashes")) {
        if (!read_count(value, 1, 64, &n)) return false;
        r->c.hashes = (unsigned)n;
        return true;
    }
    if (!strcmp(name, "overfill")) {
        r->c.overfill = !strcmp(value, "yes");
        return r->c.overfill || !strcmp(value, "no");
    }
    const size_t used = strlen(r->with);
    if (used + strlen(name) + strlen(value) + 3 > sizeof r->with) return false;
    snprintf(r->with + used, sizeof r->with - used, "%s%s=%s", used ? " " : "", name, value);
    return true;
}

/* A kind's name first, then name=value words; NULL when the text is no such thing. */
static bool read_spec(reading *r, char *text)
{
    blm_config_init(&r->c);
    r->kind[0] = r->with[0] = 0;
    for (char *rest = text, *word; (word = strtok_r(rest, " \t\n", &rest)) != NULL;) {
        char *equal = strchr(word, '=');
        if (strlen(word) >= 600 || !equal == (r->kind[0] != 0)) return false;
        if (!equal) {
            if (strlen(word) >= sizeof r->kind) return false;
            strcpy(r->kind, word);
            continue;
        }
        *equal = 0;
        if (!read_word(r, word, equal + 1)) return false;
    }
    r->c.kind = r->kind;
    r->c.with = r->with;
    return r->kind[0] != 0;
}

/* ---- both ways --------------------------------------------------------------------------------- */

/* What was made keeps keys and its size. */
static void try_out(blm_filter *f, const blm_config *c)
{
    blm_info info;
    blm_info_of(f, &info);
    MUST(info.capacity >= 1 && info.fpr_target >= 0 && info.fpr_target <= 1);
    if (c->keys) MUST(info.capacity == c->keys);
    if (c->bits) MUST(info.bits < c->bits + 64);
    if (c->hashes && info.hashes) MUST(info.hashes == c->hashes);
    for (uint64_t i = 0; i < 4; i++) {
        const bool added = blm_add_u64(f, i) == BLM_OK;
        if (added) MUST(blm_has_u64(f, i));
    }
}

static void make(const char *text, char *copy)
{
    meter m = {.limit = MEMORY};
    const blm_alloc alloc = {meter_get, meter_put, &m};
    reading r;
    blm_filter *one = NULL, *two = NULL;
    blm_report why = {BLM_OK, ""};
    const bool grammar = read_spec(&r, copy);
    r.c.alloc = &alloc;
    const blm_err err = grammar ? blm_new(&one, &r.c, NULL) : BLM_E_ARG;
    if (err == BLM_E_NOMEM) return; /* it asks for more than is granted here */
    MUST(blm_make(&two, text, &why) == err);
    MUST(spoken(err, &why) && !err == (two != NULL));
    if (!err) {
        MUST(blm_equal(one, two));
        try_out(one, &r.c);
    }
    blm_free(one);
    blm_free(two);
    MUST(m.now == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1), *copy = malloc(size + 1);
    MUST(text && copy);
    if (size) memcpy(text, data, size);
    text[size] = 0;
    strcpy(copy, text);
    numbers(text);
    make(text, copy);
    free(text);
    free(copy);
    return 0;
}

/* ---- `fuzz_spec --words`: the kinds, their knobs and words, as a dictionary of libFuzzer ------------- */

static void print_words(const char *kind)
{
    blm_knobdef d;
    printf("\"%s\"\n", kind);
    for (size_t i = 0; blm_knob_at(kind, i, &d); i++) {
        if (d.type != BLM_K_WORD) printf("\"%s=\"\n", d.name);
        for (const char *w = d.type == BLM_K_WORD ? d.words : ""; *w; w += strspn(w, "|")) {
            const int length = (int)strcspn(w, "|");
            printf("\"%s=%.*s\"\n", d.name, length, w);
            w += length;
        }
    }
}

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    blm_kind_info k;
    if (*argc != 2 || strcmp((*argv)[1], "--words") != 0) return 0;
    for (size_t i = 0; blm_kind_at(i, &k); i++) print_words(k.name);
    exit(0);
}
