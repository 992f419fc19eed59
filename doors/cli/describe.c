/* describe.c - sentences about a filter that several verbs say. */
#include <stdio.h>
#include <string.h>

#include "describe.h"

ending cannot(const char *path, const char *kind, blm_ability what, const char *does)
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
                : trouble("%s: kind %s cannot %s, and no kind in this build can", path, kind, does);
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
        snprintf(room, ABOVE_ROOM, "; above the promise, because there are more keys than planned");
    else if (spread > 0)
        snprintf(room, ABOVE_ROOM,
                 "; above the promise; filters of this size have %.3g %% +- %.2g %%",
                 n->fpr_target * 100, n->fpr_target * spread * 100);
    else
        snprintf(room, ABOVE_ROOM, "; above the promise");
    return room;
}
