/* settings.c - the settings that laws run with.
 *
 * A kind has its default setting, and one setting for each other value of an enumerated knob, with all other
 * knobs at their defaults, if that value changes the layout. The tables say which values do: we plan the kind
 * at 1 % with and without the value, for 1 key and for 100,000 (some layouts depend on the size), and compare
 * what the plans ask for: bytes, SHAPE fields and abilities. The values of the first enumerated knob are
 * settings in any case: they may change the behaviour alone, such as count-min's update=plain.
 *
 * A value that is rejected for one of these wishes needs other knobs with it. No law can make such a filter,
 * so it is not a setting, and the kind's own test must cover it: `laws --list` names it on stderr.
 */
#include "core/core_internal.h"
#include "laws/runner.h"

void bare_kind(const char *setting, char kind[NAME_ROOM])
{
    snprintf(kind, NAME_ROOM, "%.*s", (int)strcspn(setting, ","), setting);
}

/* ---- layouts ------------------------------------------------------------------------------------- */

/* Fields alone, no cells; NULL if the wish is rejected. */
static blm_filter *planned(const char *kind, const char *with, uint64_t keys, blm_report *why)
{
    blm_filter *f = blm_blank(blm_kind_find(kind, strlen(kind)), NULL);
    const blm_config c = {.size = sizeof c, .kind = kind, .keys = keys, .fpr = 0.01, .with = with};
    law_need(f != NULL, kind, NULL);
    if (!blm_plan_fields(f, &c, why) && !blm_shape(f, &f->bytes, why)) return f;
    blm_free(f);
    return NULL;
}

static bool same_layout(const blm_filter *a, const blm_filter *b)
{
    if (a->bytes != b->bytes || a->can != b->can || a->nchild != b->nchild) return false;
    for (size_t i = 0; i < a->kind->nfields; i++) {
        const blm_field *d = &a->kind->fields[i];
        if (d->flags == BLM_F_SHAPE && blm_field_get(a, d) != blm_field_get(b, d)) return false;
    }
    return true;
}

typedef enum effect { REJECTED, SAME_LAYOUT, OTHER_LAYOUT } effect;

static effect effect_of(const char *kind, const char *with, blm_report *why)
{
    static const uint64_t keys[] = {1, 100000};
    effect e = SAME_LAYOUT;
    for (size_t i = 0; i < 2 && e != REJECTED; i++) {
        blm_filter *a = planned(kind, "", keys[i], why), *b = planned(kind, with, keys[i], why);
        law_need(a != NULL, kind, why);
        if (!b)
            e = REJECTED;
        else if (!same_layout(a, b))
            e = OTHER_LAYOUT;
        blm_free(a);
        blm_free(b);
    }
    return e;
}

/* ---- the list of one kind -------------------------------------------------------------------------- */

enum { SETTINGS_MAX = 64 };
typedef struct settings {
    char kind[NAME_ROOM], name[SETTINGS_MAX][NAME_ROOM];
    size_t n;
} settings;

static void add_words(settings *s, const char *kind, const blm_knobdef *d, bool all)
{
    size_t place = 0;
    for (const char *word = d->words; word; place++) {
        char with[NAME_ROOM];
        blm_report why = {BLM_OK, ""};
        const char *end = strchr(word, '|');
        snprintf(with, sizeof with, "%s=%.*s", d->name, (int)strcspn(word, "|"), word);
        word = end ? end + 1 : NULL;
        if (place == (size_t)d->def) continue;
        const effect e = all ? OTHER_LAYOUT : effect_of(kind, with, &why);
        if (e == REJECTED)
            fprintf(stderr, "not a setting for laws: %s,%s: %s\n", kind, with, why.text);
        if (e != OTHER_LAYOUT) continue;
        law_need(s->n < SETTINGS_MAX, "more settings of one kind than there is room for", NULL);
        snprintf(s->name[s->n++], NAME_ROOM, "%.60s,%.50s", kind, with);
    }
}

bool setting_at(const char *kind, size_t i, char name[NAME_ROOM])
{
    static settings last; /* of the kind that was asked for last */
    if (strcmp(last.kind, kind) != 0) {
        blm_knobdef d;
        bool first = true;
        last.n = 0;
        snprintf(last.kind, NAME_ROOM, "%s", kind);
        snprintf(last.name[last.n++], NAME_ROOM, "%s", kind);
        for (size_t at = 0; blm_knob_at(kind, at, &d); at++) {
            if (d.type != BLM_K_WORD) continue;
            add_words(&last, kind, &d, first);
            first = false;
        }
    }
    if (i < last.n) memcpy(name, last.name[i], NAME_ROOM);
    return i < last.n;
}

blm_kind_info settled(const blm_kind_info *k, const char *name)
{
    blm_kind_info less = *k;
    const char *comma = strchr(name, ',');
    blm_filter *f = NULL;
    blm_info info;
    const blm_config c = {
        .size = sizeof c, .kind = k->name, .keys = 100, .with = comma ? comma + 1 : NULL};
    if (blm_new(&f, &c, NULL)) return less;
    blm_info_of(f, &info);
    less.can &= info.can;
    less.promises &= info.promises;
    blm_free(f);
    return less;
}
