/* settings.c - the settings that laws run with: a kind as it usually is, and with each other word of its
 * first knob of words.
 */
#include "laws/runner.h"

void bare_kind(const char *setting, char kind[NAME_ROOM])
{
    snprintf(kind, NAME_ROOM, "%.*s", (int)strcspn(setting, ","), setting);
}

static bool first_words(const char *kind, blm_knobdef *d)
{
    for (size_t i = 0; blm_knob_at(kind, i, d); i++)
        if (d->type == BLM_K_WORD) return true;
    return false;
}

bool setting_at(const char *kind, size_t i, char name[NAME_ROOM])
{
    blm_knobdef d;
    snprintf(name, NAME_ROOM, "%s", kind);
    if (i == 0) return true;
    if (!first_words(kind, &d)) return false;
    const char *word = d.words;
    for (size_t at = i - (i <= (size_t)d.usual); at > 0 && word; at--)
        if ((word = strchr(word, '|'))) word++;
    if (word) snprintf(name, NAME_ROOM, "%s,%s=%.*s", kind, d.name, (int)strcspn(word, "|"), word);
    return word != NULL;
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
