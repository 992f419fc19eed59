/* denied.c - the law of false positives that users report. */
#include <inttypes.h>

#include "laws/laws.h"

static bool always(const blm_kind_info *k) { return k->name != NULL; }

enum { KEYS = 500, STRANGERS = 20000 };

static blm_info seen(const blm_filter *f)
{
    blm_info info;
    blm_info_of(f, &info);
    return info;
}

/* Denies all non-members that pass; returns how many did, and in *stuck how many still pass right after.
 * Those that do not pass leave no trace. */
static uint64_t deny_all(blm_filter *f, uint64_t *stuck, int *broken)
{
    law_key room;
    const uint64_t max = law_keys_max(f), strangers = max < STRANGERS ? max : STRANGERS;
    uint64_t passed = 0, unheard = 0;
    for (uint64_t i = 0; i < strangers; i++) {
        const blm_item it = law_item(f, LAW_STRANGER, i, &room);
        const bool yes = blm_has_item(f, &it);
        const blm_err err = blm_deny_item(f, &it);
        passed += yes;
        *stuck += yes && blm_has_item(f, &it);
        unheard += err != (yes ? BLM_OK : BLM_E_ABSENT);
    }
    if (unheard)
        *broken =
            law_broken(__FILE__, __LINE__, "%" PRIu64 " of %" PRIu64 " denials: another answer",
                       unheard, strangers);
    return passed;
}

static uint64_t missed(const blm_filter *f)
{
    law_key room;
    uint64_t n = 0;
    for (uint64_t i = 0; i < KEYS; i++) {
        const blm_item it = law_item(f, LAW_MEMBER, i, &room);
        n += !blm_has_item(f, &it);
    }
    return n;
}

/* Reports are kept by images and copies, add up in merges, and are gone with the keys. */
static int kept(blm_filter *f, uint64_t denied)
{
    blm_report why = {BLM_OK, ""};
    blm_filter *g = NULL, *view = NULL;
    DEMAND(blm_report_queries(f, 2, 1000) == BLM_OK && seen(f).noes == 1000 &&
               seen(f).denied == denied,
           "reports are not counted");
    law_image im = law_save(f);
    DEMAND(law_load(&g, im.p, im.n, NULL, &why) == BLM_OK, "load: %s", why.text);
    DEMAND(seen(g).denied == denied && seen(g).noes == 1000, "a loaded filter has other reports");
    DEMAND(blm_view(&view, im.p, im.n, NULL, &why) == BLM_OK, "view: %s", why.text);
    DEMAND(blm_deny(view, "x", 1) == BLM_E_READONLY &&
               blm_report_queries(view, 1, 1) == BLM_E_READONLY,
           "a mapped filter takes reports");
    if (blm_can(f, BLM_MERGE)) {
        DEMAND(blm_merge(g, f, &why) == BLM_OK, "merge: %s", why.text);
        DEMAND(seen(g).denied == 2 * denied && seen(g).noes == 2000,
               "merged reports do not add up");
    }
    DEMAND(blm_clear(g) == BLM_OK && !seen(g).denied && !seen(g).noes, "cleared, it has reports");
    blm_free(view);
    blm_free(g);
    law_drop(&im);
    return 0;
}

static int law_denied(const char *kind)
{
    blm_filter *f = law_filled(kind, law_places(kind, KEYS, 2), KEYS), *before = NULL;
    blm_report why = {BLM_OK, ""};
    int broken = 0;
    DEMAND(blm_copy(&before, f, &why) == BLM_OK, "copy: %s", why.text);
    uint64_t stuck = 0;
    const uint64_t missed_before = missed(f), first = deny_all(f, &stuck, &broken);
    if (broken) return 1;
    DEMAND(seen(f).denied == first, "%" PRIu64 " denials are %" PRIu64 " in info", first,
           seen(f).denied);
    if (!blm_can(f, BLM_DENY))
        DEMAND(law_same_cells(f, before), "it cannot learn by denials, and its cells changed");
    if (seen(f).promises & BLM_NO_MISS)
        DEMAND(!missed(f), "it denied a member, and promises not to");
    DEMAND(missed(f) == missed_before || blm_fnr(f, NULL).high > 0,
           "denials cost %" PRIu64 " members, and it says none", missed(f) - missed_before);
    if (blm_can(f, BLM_DENY) && first > 20)
        DEMAND(2 * stuck < first, "%" PRIu64 " of %" PRIu64 " denied keys pass right after", stuck,
               first);
    const uint64_t second = deny_all(f, &stuck, &broken);
    if (broken) return 1;
    /* With 40 non-members per key a change for one may harm others: other words of adaptive, such as
     * check=off, promise only what is asked above. */
    if (blm_can(f, BLM_DENY) && first > 20 && !law_with(kind)[0])
        DEMAND(second < first, "all %" PRIu64 " denied keys pass again", first);
    if (kept(f, first + second + 2)) return 1;
    blm_free(f);
    blm_free(before);
    return 0;
}

const law laws_of_denials[] = {
    {"denied", "reported false positives are counted, and cost no promise that stands", always,
     law_denied},
    {NULL, NULL, always, NULL},
};
