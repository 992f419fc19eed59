/* needs.c - what a user must be able to do, in words, against what kinds can do. */
#include <stdio.h>
#include <string.h>

#include "core/plan/needs.h"

/* can: the abilities that meet the need. A value can be asked for by get alone: kinds that are built
 * whole take it in the builder. Keyed is the hash's, not an ability. */
static const struct {
    blm_need need;
    uint32_t can;
    const char *name;
} table[] = {
    {BLM_NEED_DELETE, BLM_DEL, "delete"},   {BLM_NEED_COUNT, BLM_COUNT, "count"},
    {BLM_NEED_MERGE, BLM_MERGE, "merge"},   {BLM_NEED_GROW, BLM_GROW, "grow"},
    {BLM_NEED_FORGET, 0, "forget"}, /* the kind has a clock */
    {BLM_NEED_VALUE, BLM_GET, "value"},     {BLM_NEED_WHICH, BLM_WHICH, "which"},
    {BLM_NEED_STATIC, BLM_BUILD, "static"}, {BLM_NEED_CONCURRENT, BLM_SHARED, "concurrent"},
    {BLM_NEED_KEYED, 0, "keyed"},           {BLM_NEED_LEARN, BLM_DENY, "learn"},
};

const char *blm_need_name(blm_need one)
{
    for (size_t i = 0; i < BLM_LEN(table); i++)
        if (table[i].need == one) return table[i].name;
    return NULL;
}

static bool some_kind_has(blm_need one)
{
    blm_kind_info k;
    for (size_t i = 0; blm_kind_at(i, &k); i++)
        if (!blm_needs_lacking(blm_kind_find(k.name, strlen(k.name)), k.can, (uint32_t)one))
            return true;
    return false;
}

/* What no kind of this build has is not listed. */
static blm_err no_such_need(const char *word, blm_report *why)
{
    const char *names[BLM_LEN(table)];
    char all[140] = "";
    size_t n = 0;
    for (size_t i = 0; i < BLM_LEN(table); i++) {
        if (!some_kind_has(table[i].need)) continue;
        snprintf(all + strlen(all), sizeof all - strlen(all), "%s%s", n ? ", " : "", table[i].name);
        names[n++] = table[i].name;
    }
    const char *near = blm_nearest(word, names, n);
    return near ? blm_fail(why, BLM_E_ARG, "%.40s: no such need; did you mean %s?", word, near)
                : blm_fail(why, BLM_E_ARG, "%.40s: no such need; use one of %s", word, all);
}

blm_err blm_parse_needs(const char *text, uint32_t *needs, blm_report *why)
{
    static const char between[] = ", \t";
    uint32_t found = 0;
    for (const char *p = text + strspn(text, between); *p; p += strspn(p, between)) {
        char word[41];
        const size_t n = strcspn(p, between);
        size_t i = 0;
        snprintf(word, sizeof word, "%.*s", (int)(n < 40 ? n : 40), p);
        while (i < BLM_LEN(table) && strcmp(table[i].name, word) != 0) i++;
        if (i == BLM_LEN(table)) return no_such_need(word, why);
        found |= (uint32_t)table[i].need;
        p += n;
    }
    if (!found)
        return blm_fail(why, BLM_E_ARG, "needs \"%.40s\": name at least one, such as delete,merge",
                        text);
    *needs = found;
    return BLM_OK;
}

uint32_t blm_needs_lacking(const blm_kind *k, uint32_t can, uint32_t needs)
{
    uint32_t lacks = 0;
    for (size_t i = 0; i < BLM_LEN(table); i++)
        if (needs & (uint32_t)table[i].need && (can & table[i].can) != table[i].can)
            lacks |= (uint32_t)table[i].need;
    if (!k->clock) lacks |= needs & BLM_NEED_FORGET;
    if (k->needs & BLM_NEEDS_U64) lacks |= needs & BLM_NEED_KEYED; /* integers are not hashed */
    return lacks;
}

unsigned blm_needs_count(uint32_t needs)
{
    unsigned n = 0;
    for (; needs; needs &= needs - 1) n++;
    return n;
}

/* ---- why no kind will do ------------------------------------------------------------------------ */

static void name_needs(char *out, size_t room, uint32_t needs)
{
    out[0] = 0;
    for (size_t i = 0; i < BLM_LEN(table); i++)
        if (needs & (uint32_t)table[i].need)
            snprintf(out + strlen(out), room - strlen(out), "%s%s", out[0] ? ", " : "",
                     table[i].name);
}

/* The kinds that lack the fewest of these needs, with what they lack; *none: what no kind has. */
static void nearest_kinds(char *out, size_t room, uint32_t needs, uint32_t *none)
{
    blm_kind_info k;
    unsigned min = UINT32_MAX;
    *none = needs;
    for (int turn = 0; turn < 2; turn++) {
        out[0] = 0;
        for (size_t i = 0; blm_kind_at(i, &k); i++) {
            const blm_kind *kind = blm_kind_find(k.name, strlen(k.name));
            const uint32_t lacks = blm_needs_lacking(kind, k.can, needs);
            const unsigned n = blm_needs_count(lacks);
            char what[80];
            *none &= lacks;
            if (n < min) min = n;
            if (!turn || n != min || strlen(out) + strlen(k.name) + 90 > room) continue;
            name_needs(what, sizeof what, lacks);
            snprintf(out + strlen(out), room - strlen(out), "%s%s%s%s", out[0] ? "; " : "", k.name,
                     n ? " lacks " : "", what);
        }
    }
}

blm_err blm_needs_unmet(const blm_kind *only, uint32_t needs, blm_report *why)
{
    static const uint32_t changes =
        BLM_NEED_DELETE | BLM_NEED_GROW | BLM_NEED_FORGET | BLM_NEED_CONCURRENT;
    char what[100], near[140];
    uint32_t none = 0;
    if (only) {
        name_needs(what, sizeof what, blm_needs_lacking(only, blm_kind_can(only), needs));
        nearest_kinds(near, sizeof near, needs, &none);
        return blm_fail(why, BLM_E_CANNOT, "%s lacks %s; nearest: %s", only->name, what, near);
    }
    if (needs & BLM_NEED_STATIC && needs & changes) {
        name_needs(what, sizeof what, needs & changes);
        return blm_fail(why, BLM_E_ARG,
                        "static and %s contradict each other: a static filter does "
                        "not change after it is built; omit one of them",
                        what);
    }
    nearest_kinds(near, sizeof near, needs, &none);
    name_needs(what, sizeof what, none ? none : needs);
    return none ? blm_fail(why, BLM_E_CANNOT, "%s: no kind in this build has it; nearest: %s", what,
                           near)
                : blm_fail(why, BLM_E_CANNOT,
                           "%s: no kind in this build has all of them; nearest: %s", what, near);
}
