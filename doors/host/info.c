/* info.c - what a filter is, holds, promises and can do, by the names of its tables. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/host.h"

/* ---- abilities, promises, clocks ------------------------------------------------------------------------------------ */

typedef const char *(*namer)(uint32_t one);

static const char *can_name(uint32_t one) { return blm_ability_name((blm_ability)one); }
static const char *promise_name(uint32_t one) { return blm_promise_name((blm_promise)one); }
static const char *clock_name(uint32_t one) { return blm_clock_name((blm_clock)one); }

static void text_bits(char *out, size_t room, uint32_t bits, namer name, const char *between)
{
    size_t used = 0;
    out[0] = 0;
    for (uint32_t one = 1; one; one <<= 1) {
        const char *word = bits & one ? name(one) : NULL;
        if (!word) continue;
        const int n = snprintf(out + used, room - used, "%s%s", used ? between : "", word);
        if (n < 0 || (size_t)n >= room - used) {
            out[used] = 0; /* no half of a word */
            break;
        }
        used += (size_t)n;
    }
}

static void json_bits(host_json *j, const char *key, uint32_t bits, namer name)
{
    host_json_open(j, key, '[');
    for (uint32_t one = 1; one; one <<= 1)
        if (bits & one && name(one)) host_json_text(j, NULL, name(one));
    host_json_close(j, ']');
}

void host_abilities(char *out, size_t room, uint32_t can, const char *between)
{
    text_bits(out, room, can, can_name, between);
}

void host_promises(char *out, size_t room, uint32_t promises, const char *between)
{
    text_bits(out, room, promises, promise_name, between);
}

void host_clocks(char *out, size_t room, uint32_t clocks, const char *between)
{
    text_bits(out, room, clocks, clock_name, between);
}

void host_json_abilities(host_json *j, const char *name, uint32_t can)
{
    json_bits(j, name, can, can_name);
}

void host_json_promises(host_json *j, const char *name, uint32_t promises)
{
    json_bits(j, name, promises, promise_name);
}

void host_json_clocks(host_json *j, const char *name, uint32_t clocks)
{
    json_bits(j, name, clocks, clock_name);
}

/* ---- knobs ------------------------------------------------------------------------------------------------------ */

/* The word at a place of "one|two|three". */
void host_knob_word(char *out, size_t room, const blm_knobdef *d, double place)
{
    const char *p = d->words ? d->words : "";
    for (uint64_t i = 0; i < (uint64_t)place && strchr(p, '|'); i++) p = strchr(p, '|') + 1;
    snprintf(out, room, "%.*s", (int)strcspn(p, "|"), p);
}

/* The place of a number in "1|2|4", or of a place in "one|two", which is itself; false: it has none. */
static bool knob_place(const blm_knobdef *d, uint64_t *value)
{
    char word[24];
    if (d->type != BLM_K_WORD || !d->words || *d->words < '0' || *d->words > '9') return true;
    for (unsigned place = 0;; place++) {
        host_knob_word(word, sizeof word, d, place);
        if (strtoull(word, NULL, 10) == *value) {
            *value = place;
            return true;
        }
        if (place > 63) return false;
    }
}

/* A knob lives in a field of its name, or left its mark on others. */
bool host_knob_now(const blm_filter *f, const blm_knobdef *d, uint64_t *value)
{
    blm_field_info field;
    for (size_t i = 0; blm_field_at(f, i, &field); i++)
        if (strcmp(field.name, d->name) == 0) {
            *value = field.value;
            return knob_place(d, value);
        }
    return false;
}

/* ---- all of it --------------------------------------------------------------------------------------------------- */

double host_rate_seen(const blm_info *n)
{
    return n->noes ? (double)n->denied / (double)(n->denied + n->noes) : -1;
}

static void put_knobs(host_json *j, const blm_filter *f, const char *kind)
{
    blm_knobdef d;
    uint64_t v;
    char word[64];
    host_json_open(j, "knobs", '{');
    for (size_t i = 0; blm_knob_at(kind, i, &d); i++) {
        if (!host_knob_now(f, &d, &v)) continue;
        host_knob_word(word, sizeof word, &d, (double)v);
        if (d.type == BLM_K_WORD)
            host_json_text(j, d.name, word);
        else
            host_json_count(j, d.name, v);
    }
    host_json_close(j, '}');
}

static void put_fields(host_json *j, const blm_filter *f)
{
    blm_field_info d;
    host_json_open(j, "fields", '{');
    for (size_t i = 0; blm_field_at(f, i, &d); i++) host_json_count(j, d.name, d.value);
    host_json_close(j, '}');
}

static void put_numbers(host_json *j, const blm_info *n, const uint64_t *file_bytes)
{
    host_json_count(j, "capacity", n->capacity);
    host_json_count(j, "keys", n->adds);
    host_json_number(j, "estimated_keys", n->keys.value);
    host_json_number(j, "fpr_target", n->fpr_target);
    host_json_number(j, "fpr_now", n->fpr_now.high);
    host_json_count(j, "denied", n->denied);
    host_json_count(j, "noes", n->noes);
    if (n->noes)
        host_json_number(j, "fpr_seen", host_rate_seen(n));
    else
        host_json_null(j, "fpr_seen");
    if (n->fill >= 0)
        host_json_number(j, "fill", n->fill);
    else
        host_json_null(j, "fill");
    host_json_number(j, "deletes", n->deletes);
    host_json_count(j, "bits", n->bits);
    host_json_count(j, "bytes", n->bytes);
    if (file_bytes) host_json_count(j, "file_bytes", *file_bytes);
    host_json_count(j, "hashes", n->hashes);
}

static void put_clock(host_json *j, const blm_info *n)
{
    if (!n->clock) return;
    host_json_text(j, "clock", blm_clock_name((blm_clock)n->clock));
    host_json_count(j, "window", n->window);
    host_json_count(j, "now", n->now);
}

/* The layers, in order, up to HOST_LAYERS. */
static void put_layers(host_json *j, const blm_filter *f)
{
    host_json_open(j, "layers", '[');
    for (size_t i = 0; i < HOST_LAYERS && blm_inner(f, i); i++) {
        blm_info n;
        blm_info_of(blm_inner(f, i), &n);
        host_json_open(j, NULL, '{');
        host_json_text(j, "kind", n.kind);
        host_json_count(j, "keys", n.adds);
        host_json_number(j, "estimated_keys", n.keys.value);
        host_json_count(j, "capacity", n.capacity);
        host_json_count(j, "bits", n.bits);
        host_json_number(j, "fpr_now", n.fpr_now.high);
        host_json_close(j, '}');
    }
    host_json_close(j, ']');
}

void host_json_info(host_json *j, const blm_filter *f, const char *file, uint64_t file_bytes)
{
    blm_info info;
    const blm_info *n = &info;
    blm_info_of(f, &info);
    if (file) host_json_text(j, "file", file);
    host_json_text(j, "kind", n->kind);
    host_json_text(j, "group", n->group);
    host_json_count(j, "version", n->version);
    host_json_count(j, "format", n->format);
    host_json_text(j, "hash", n->hash);
    host_json_count(j, "seed", n->seed);
    host_json_bool(j, "keyed", n->keyed);
    put_numbers(j, n, file ? &file_bytes : NULL);
    put_clock(j, n);
    host_json_abilities(j, "abilities", n->can);
    host_json_promises(j, "promises", n->promises);
    host_json_promises(j, "lost", n->lost);
    put_knobs(j, f, n->kind);
    put_fields(j, f);
    host_json_count(j, "children", n->children);
    if (n->children) put_layers(j, f);
    host_json_text(j, "key_form", blm_key_form(f));
    host_json_text(j, "note", n->note);
}
