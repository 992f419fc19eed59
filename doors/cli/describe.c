/* describe.c - names of abilities, promises and knobs, as text and as JSON, for info and kinds. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "describe.h"

typedef const char *(*namer)(uint32_t one);

static const char *can_name(uint32_t one) { return blm_can_name((blm_can_t)one); }
static const char *promise_name(uint32_t one) { return blm_promise_name((blm_promise)one); }

static void text_bits(char *out, size_t room, uint32_t bits, namer name, const char *between)
{
    size_t used = 0;
    out[0] = 0;
    for (uint32_t one = 1; one; one <<= 1) {
        const char *word = bits & one ? name(one) : NULL;
        if (!word) continue;
        const int n = snprintf(out + used, room - used, "%s%s", used ? between : "", word);
        if (n < 0 || (size_t)n >= room - used) break;
        used += (size_t)n;
    }
}

static void json_bits(const char *key, uint32_t bits, namer name)
{
    json_open(key, '[');
    for (uint32_t one = 1; one; one <<= 1)
        if (bits & one && name(one)) json_text(NULL, name(one));
    json_close(']');
}

void text_abilities(char *out, size_t room, uint32_t can, const char *between)
{
    text_bits(out, room, can, can_name, between);
}
void text_promises(char *out, size_t room, uint32_t promises)
{
    text_bits(out, room, promises, promise_name, " ");
}
void json_abilities(const char *key, uint32_t can) { json_bits(key, can, can_name); }
void json_promises(const char *key, uint32_t promises) { json_bits(key, promises, promise_name); }

/* The word at a place of "one|two|three". */
void knob_word(char *out, size_t room, const blm_knobdef *d, double place)
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
        knob_word(word, sizeof word, d, place);
        if (strtoull(word, NULL, 10) == *value) {
            *value = place;
            return true;
        }
        if (place > 63) return false;
    }
}

/* A knob lives in a field of its name, or left its mark on others. */
bool knob_now(const blm_filter *f, const blm_knobdef *d, uint64_t *value)
{
    blm_field_info field;
    for (size_t i = 0; blm_field_at(f, i, &field); i++)
        if (strcmp(field.name, d->name) == 0) {
            *value = field.value;
            return knob_place(d, value);
        }
    return false;
}

ending cannot(const char *path, const char *kind, blm_can_t what, const char *does)
{
    char names[1024] = "";
    size_t used = 0;
    blm_kind_info k;
    for (size_t i = 0; blm_kind_at(i, &k); i++) {
        if (!(k.can & (uint32_t)what)) continue;
        const int n = snprintf(names + used, sizeof names - used, "%s%s", used ? ", " : "", k.name);
        if (n < 0 || (size_t)n >= sizeof names - used) break;
        used += (size_t)n;
    }
    return used ? trouble("%s: kind %s cannot %s; build it with -t and one of: %s", path, kind,
                          does, names)
                : trouble("%s: kind %s cannot %s, and no kind of this build can", path, kind, does);
}

/* The promise is the mean of all filters of a size; this one knows its own rate by its fill. */
const char *text_above(char room[ABOVE_ROOM], const blm_filter *f, const blm_info *n)
{
    char own[32], promised[32];
    const blm_case full = {.keys = n->capacity, .arg = BLM_NO_ARG};
    room[0] = 0;
    snprintf(own, sizeof own, "%.3g", n->fpr_now.high);
    snprintf(promised, sizeof promised, "%.3g", n->fpr_target);
    if (!(n->fpr_now.high > n->fpr_target) || strcmp(own, promised) == 0) return room;
    const double spread = blm_fpr(f, &full).spread;
    if (n->adds > n->capacity && n->keys.value > (double)n->capacity)
        snprintf(room, ABOVE_ROOM, "; above the promise: more keys are inside than were planned");
    else if (spread > 0)
        snprintf(room, ABOVE_ROOM,
                 "; above the promise; filters of this size have %.3g %% +- %.2g %%",
                 n->fpr_target * 100, n->fpr_target * spread * 100);
    else
        snprintf(room, ABOVE_ROOM, "; above the promise");
    return room;
}
