/* recipe.c - recipes played and asked, by the public calls alone. */
#include "golden/recipe.h"
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#if defined(__GNUC__)
__attribute__((noreturn, format(printf, 2, 3)))
#endif
static void
give_up(const char *name, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    fprintf(stderr, "%s: ", name);
    vfprintf(stderr, fmt, args);
    fputc('\n', stderr);
    va_end(args);
    exit(2);
}

/* ---- text ---------------------------------------------------------------------------------- */

void golden_append(golden_text *t, const void *bytes, size_t n)
{
    if (t->room - t->length <= n) {
        t->room = (t->length + n + 1) * 2;
        t->bytes = realloc(t->bytes, t->room);
        if (!t->bytes) give_up("golden", "no memory");
    }
    if (n) memcpy(t->bytes + t->length, bytes, n);
    t->length += n;
    t->bytes[t->length] = 0;
}

blm_err golden_sink(void *text, const void *bytes, size_t n)
{
    golden_append(text, bytes, n);
    return BLM_OK;
}

bool golden_read(golden_text *t, const char *golden, const char *suffix)
{
    char path[1024], piece[4096];
    snprintf(path, sizeof path, "%s%s", golden, suffix);
    FILE *file = fopen(path, "rb");
    if (!file) return false;
    t->length = 0;
    golden_append(t, "", 0);
    for (size_t n; (n = fread(piece, 1, sizeof piece, file)) > 0;) golden_append(t, piece, n);
    const bool whole = !ferror(file);
    fclose(file);
    return whole;
}

/* ---- lines ---------------------------------------------------------------------------------- */

typedef struct line {
    char text[1200], verb[16], word[32];
    const char *rest; /* after the verb */
    uint64_t from, to, more, weight;
    int numbers; /* of from, to, more, weight */
} line;

/* The next line into l; false at the end. "verb word from to more weight", or "verb question word from to". */
static bool next_line(const char **at, line *l)
{
    while (**at) {
        const size_t n = strcspn(*at, "\n");
        snprintf(l->text, sizeof l->text, "%.*s", (int)n, *at);
        *at += n + ((*at)[n] == '\n');
        if (!l->text[0] || l->text[0] == '#') continue;
        int used = 0;
        l->verb[0] = l->word[0] = 0;
        if (sscanf(l->text, "%15s %n", l->verb, &used) < 1) continue;
        l->rest = l->text + used;
        const char *numbers = l->rest + (strcmp(l->verb, "ask") ? 0 : strcspn(l->rest, " "));
        l->numbers = sscanf(numbers, "%31s %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64, l->word,
                            &l->from, &l->to, &l->more, &l->weight) -
                     1;
        return true;
    }
    return false;
}

typedef struct key {
    uint8_t bytes[64];
    size_t length;
} key;

static key key_of(const char *word, uint64_t i)
{
    key k = {{0}, 8};
    if (strcmp(word, "integer") == 0)
        for (unsigned b = 0; b < 8; b++) k.bytes[b] = (uint8_t)(i >> 8 * b);
    else
        k.length = (size_t)snprintf((char *)k.bytes, sizeof k.bytes, "%s-%" PRIu64, word, i);
    return k;
}

/* ---- making ---------------------------------------------------------------------------------- */

const uint8_t *golden_secret(const char *recipe, uint8_t room[16])
{
    line l;
    while (next_line(&recipe, &l)) {
        if (strcmp(l.verb, "secret") != 0) continue;
        for (unsigned i = 0; i < 16; i++) {
            unsigned byte = 0;
            if (sscanf(l.rest + 2 * i, "%2x", &byte) != 1) give_up("secret", "%s", l.rest);
            room[i] = (uint8_t)byte;
        }
        return room;
    }
    return NULL;
}

bool golden_newer(const char *recipe, char name[200])
{
    line l;
    while (next_line(&recipe, &l)) {
        if (strcmp(l.verb, "made-by-older") != 0) continue;
        snprintf(name, 200, "%s", l.rest);
        return true;
    }
    return false;
}

/* Lines that say something about the golden, and change no filter. */
static bool is_remark(const char *verb)
{
    return strcmp(verb, "secret") == 0 || strcmp(verb, "ask") == 0 ||
           strcmp(verb, "made-by-older") == 0;
}

typedef struct spec { /* what blm_make parses, as a config that can have a secret or be built */
    blm_config c;
    char kind[40], with[200];
} spec;

static blm_err set_word(spec *s, const char *word, blm_report *why)
{
    const char *value = strchr(word, '=') + 1;
    uint64_t hashes = 0;
    if (strncmp(word, "keys=", 5) == 0) return blm_parse_count(value, &s->c.keys, why);
    if (strncmp(word, "fpr=", 4) == 0) return blm_parse_rate(value, &s->c.fpr, why);
    if (strncmp(word, "seed=", 5) == 0) return blm_parse_count(value, &s->c.seed, why);
    if (strncmp(word, "bits=", 5) == 0) /* a bare number says its unit by its name */
        return blm_parse_count(value, &s->c.bits, NULL) ? blm_parse_bits(value, &s->c.bits, why)
                                                        : BLM_OK;
    if (strncmp(word, "hashes=", 7) != 0) {
        snprintf(s->with + strlen(s->with), sizeof s->with - strlen(s->with), " %s", word);
        return BLM_OK;
    }
    const blm_err err = blm_parse_count(value, &hashes, why);
    s->c.hashes = (unsigned)hashes;
    return err;
}

static blm_err parse_spec(spec *s, const char *text, const uint8_t *secret, blm_report *why)
{
    int used = 0;
    char word[64];
    blm_err err = BLM_OK;
    memset(s, 0, sizeof *s);
    blm_config_init(&s->c);
    if (sscanf(text, "%39s%n", s->kind, &used) != 1) give_up(text, "no kind");
    for (text += used; !err && sscanf(text, "%63s%n", word, &used) == 1; text += used) {
        if (!strchr(word, '=')) give_up(word, "no name=value");
        err = set_word(s, word, why);
    }
    s->c.kind = s->kind;
    s->c.secret = secret;
    s->c.with = s->with[0] ? s->with : NULL;
    return err;
}

typedef struct bench { /* what a recipe works on: first a builder, if it has one, then a filter */
    blm_builder *b;
    blm_filter *f;
} bench;

static blm_err change_key(bench *on, const line *l, uint64_t i)
{
    const key k = key_of(l->word, i);
    if (strcmp(l->verb, "del") == 0) {
        const blm_item it =
            blm_item_of(on->f, k.bytes, k.length, l->numbers < 3 ? BLM_NO_ARG : l->more);
        const blm_err err = blm_del_item(on->f, &it);
        return err == BLM_E_UNSURE ? BLM_OK : err;
    }
    if (strcmp(l->verb, "deny") == 0) {
        const blm_err err = blm_deny(on->f, k.bytes, k.length);
        return err == BLM_E_ABSENT ? BLM_OK : err;
    }
    if (strcmp(l->verb, "put") == 0) return blm_put(on->f, k.bytes, k.length, l->more + i);
    const unsigned list = strcmp(l->verb, "list") ? 0 : (unsigned)l->more;
    if (on->b) return blm_builder_add(on->b, list, k.bytes, k.length, BLM_NO_ARG);
    if (l->numbers < 4) return blm_add(on->f, k.bytes, k.length);
    const blm_item it = blm_item_of(on->f, k.bytes, k.length, l->weight);
    return blm_add_item(on->f, &it, NULL);
}

static blm_err change_keys(bench *on, const char *name, const line *l)
{
    const bool deny = strcmp(l->verb, "deny") == 0;
    const int min = strcmp(l->verb, "del") && !deny ? 3 : 2;
    const int max = deny ? 2 : strcmp(l->verb, "add") ? 3 : 4;
    if (l->numbers < min || l->numbers > max) give_up(name, "%s", l->text);
    blm_err err = BLM_OK;
    for (uint64_t times = strcmp(l->verb, "add") ? 1 : l->more; times && !err; times--)
        for (uint64_t i = l->from; i <= l->to && !err; i++) err = change_key(on, l, i);
    return err;
}

/* Cells of others: one byte over and over. */
static blm_err adopt(blm_filter *f, const char *byte, blm_report *why)
{
    size_t n = 0;
    blm_cells(f, &n);
    uint8_t *cells = malloc(n + 1);
    if (!cells) give_up("adopt", "no memory");
    memset(cells, (int)strtoul(byte, NULL, 16), n);
    const blm_err err = blm_adopt(f, cells, n, why);
    free(cells);
    return err;
}

static blm_err change(bench *on, const char *name, const line *l, blm_report *why)
{
    static const char *const of_keys[] = {"add", "list", "del", "deny", "put"};
    for (size_t i = 0; i < sizeof of_keys / sizeof *of_keys; i++)
        if (strcmp(l->verb, of_keys[i]) == 0) return change_keys(on, name, l);
    if (strcmp(l->verb, "note") == 0) return blm_set_note(on->f, l->rest, why);
    if (strcmp(l->verb, "form") == 0) return blm_set_key_form(on->f, l->rest, why);
    if (strcmp(l->verb, "tick") == 0) return blm_tick(on->f, strtoull(l->rest, NULL, 10));
    if (strcmp(l->verb, "grow") == 0) return blm_grow(on->f, why);
    if (strcmp(l->verb, "adopt") == 0) return adopt(on->f, l->rest, why);
    if (strcmp(l->verb, "fold") != 0) give_up(name, "%s", l->text);
    blm_filter *small = NULL;
    const blm_err err = blm_fold(&small, on->f, (unsigned)strtoul(l->rest, NULL, 10), why);
    if (!err) blm_free(on->f), on->f = small;
    return err;
}

static blm_err play(bench *on, const char *name, const line *l, const uint8_t *secret,
                    blm_report *why)
{
    const bool build = strcmp(l->verb, "build") == 0;
    if (build || strcmp(l->verb, "make") == 0) {
        spec s;
        const blm_err err = parse_spec(&s, l->rest, secret, why);
        if (err) return err;
        return build ? blm_builder_new(&on->b, &s.c, why) : blm_new(&on->f, &s.c, why);
    }
    if (!on->b && !on->f) give_up(name, "the first line is neither make nor build");
    if (on->b && strcmp(l->verb, "add") != 0 && strcmp(l->verb, "list") != 0)
        give_up(name, "%s: a builder takes add and list alone", l->text);
    return change(on, name, l, why);
}

blm_filter *golden_make(const char *name, const char *recipe)
{
    uint8_t room[16];
    const uint8_t *secret = golden_secret(recipe, room);
    bench on = {NULL, NULL};
    blm_report why = {BLM_OK, ""};
    line l;
    while (next_line(&recipe, &l)) {
        if (is_remark(l.verb)) continue;
        const blm_err err = play(&on, name, &l, secret, &why);
        if (err) give_up(name, "%s: %s %s", l.text, blm_strerror(err), why.text);
    }
    if (on.b && blm_build(&on.f, on.b, &why)) give_up(name, "%s", why.text);
    if (!on.f) give_up(name, "it makes nothing");
    return on.f;
}

/* ---- asking ----------------------------------------------------------------------------------- */

static void answer(const blm_filter *f, const char *verb, const line *l, uint64_t i, char out[40])
{
    const key k = key_of(l->word, i);
    blm_estimate times = {0, 0, 0, false};
    uint64_t value = 0;
    if (strncmp(verb, "count ", 6) == 0) {
        const blm_err err = blm_count(f, k.bytes, k.length, &times);
        snprintf(out, 40, "%.0f%s", err ? -1 : times.value, times.bound ? "+" : "");
    } else if (strncmp(verb, "get ", 4) == 0) {
        const blm_err err = blm_get(f, k.bytes, k.length, &value);
        if (!err)
            snprintf(out, 40, "%" PRIu64, value);
        else
            snprintf(out, 40, "%s",
                     err == BLM_E_ABSENT   ? "absent"
                     : err == BLM_E_UNSURE ? "unsure"
                                           : blm_strerror(err));
    } else {
        const bool range = strncmp(verb, "range8 ", 7) == 0;
        const bool yes = range ? blm_range(f, i, i + 7) : blm_has(f, k.bytes, k.length);
        snprintf(out, 40, "%s", yes ? "maybe" : "no");
    }
}

void golden_answers(const char *name, const char *recipe, const blm_filter *f, golden_text *out)
{
    line l;
    out->length = 0;
    golden_append(out, "", 0);
    while (next_line(&recipe, &l)) {
        char text[160], now[40], next[40];
        if (strcmp(l.verb, "ask") != 0) continue;
        if (l.numbers != 2) give_up(name, "%s", l.text);
        answer(f, l.rest, &l, l.from, now);
        for (uint64_t i = l.from, start = i; i <= l.to; i++) {
            if (i < l.to) answer(f, l.rest, &l, i + 1, next);
            if (i < l.to && strcmp(now, next) == 0) continue;
            const int n = snprintf(text, sizeof text, "%.*s %s %" PRIu64 " %" PRIu64 " %s\n",
                                   (int)strcspn(l.rest, " "), l.rest, l.word, start, i, now);
            golden_append(out, text, (size_t)n);
            start = i + 1;
            memcpy(now, next, sizeof now);
        }
    }
}
