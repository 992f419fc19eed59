/* pairs.c - laws of two filters: merged as if added, folded as if built small, built as if added. */
#include <inttypes.h>

#include "core/core_internal.h"
#include "laws/laws.h"

static bool always(const blm_kind_info *k) { return k->name != NULL; }
static bool merges(const blm_kind_info *k) { return k->can & BLM_MERGE && k->can & BLM_ADD; }
static bool merge_exact(const blm_kind_info *k)
{
    return merges(k) && k->promises & BLM_MERGE_EXACT;
}
static bool fold_exact(const blm_kind_info *k)
{
    return k->can & BLM_FOLD && k->can & BLM_ADD && k->promises & BLM_FOLD_EXACT;
}

static int law_merge_exact(const char *kind)
{
    enum { KEYS = 1000, COMMON = 100 };
    static const uint64_t cuts[] = {0, 1, 500, 900};
    for (size_t i = 0; i < 4; i++) { /* A: 0 .. cut + 99, B: cut .. 999; 100 keys are in both */
        blm_filter *a = law_filled(kind, KEYS * 2, cuts[i] + COMMON),
                   *b = law_filled(kind, KEYS * 2, 0);
        blm_filter *both = law_filled(kind, KEYS * 2, cuts[i] + COMMON);
        blm_report why = {BLM_OK, ""};
        DEMAND(law_add(b, cuts[i], KEYS - cuts[i]) == BLM_OK, "add");
        DEMAND(law_add(both, cuts[i], KEYS - cuts[i]) == BLM_OK, "add");
        law_image from = law_save(b);
        DEMAND(blm_merge(a, b, &why) == BLM_OK, "merge: %s", why.text);
        DEMAND(blm_equal(a, both), "merged at %" PRIu64 ": other bytes than having added both",
               cuts[i]);
        law_image after = law_save(b);
        DEMAND(law_same_image(&from, &after), "merge changes the filter that it merges from");
        law_drop(&from);
        law_drop(&after);
        blm_free(a);
        blm_free(b);
        blm_free(both);
    }
    return 0;
}

/* Refused with MISMATCH and a sentence that has the word; nothing changed. */
static int refused(blm_filter *f, const blm_filter *g, const char *word)
{
    blm_report why = {BLM_OK, ""};
    law_image before = law_save(f);
    const blm_err err = blm_merge(f, g, &why);
    law_image after = law_save(f);
    DEMAND(err == BLM_E_MISMATCH, "another %s: %s", word, blm_strerror(err));
    DEMAND(strstr(why.text, word), "another %s: the sentence is \"%s\"", word, why.text);
    DEMAND(law_same_image(&before, &after), "another %s: the refused merge has changed it", word);
    law_drop(&before);
    law_drop(&after);
    return 0;
}

/* Where put changes only what is in the set, the key is added. */
static blm_err put_or_add(blm_filter *f, const blm_item *it)
{
    const blm_err err = blm_put_item(f, it);
    return err == BLM_E_ABSENT ? blm_add_item(f, it, NULL) : err;
}

/* The same keys with other values: merged or refused, never half of it. */
static int other_values(const char *kind, blm_filter *f)
{
    law_key room;
    blm_filter *g = law_filled(kind, 100, 0);
    if (!blm_can(g, BLM_PUT)) {
        blm_free(g);
        return 0;
    }
    for (uint64_t i = 0; i < 100; i++) {
        blm_item mine = law_item(f, LAW_MEMBER, i, &room), other = mine;
        other.arg = law_item(g, LAW_STRANGER, i, &room).arg;
        DEMAND(!put_or_add(f, &mine) && !put_or_add(g, &other), "put within capacity");
    }
    DEMAND(law_add(g, 200, 10) == BLM_OK, "add within capacity");
    law_image before = law_save(f);
    const blm_err err = blm_merge(f, g, NULL);
    law_image after = law_save(f);
    DEMAND(!err || law_same_image(&before, &after), "a refused merge (%s) has changed the filter",
           blm_strerror(err));
    law_drop(&before);
    law_drop(&after);
    blm_free(g);
    return 0;
}

static int law_merge_mismatch(const char *kind)
{
    blm_filter *f = law_filled(kind, 100, 50), *g = law_make(kind, "keys=100 fpr=1% seed=2");
    if (refused(f, g, "seed")) return 1;
    blm_free(g);
    g = law_make(kind, "keys=7777 fpr=1%");
    if (refused(f, g, "differs")) return 1;
    blm_free(g);
    g = law_make(strcmp(kind, "standard") ? "standard" : "blocked", "keys=100 fpr=1%");
    if (refused(f, g, "kind")) return 1;
    blm_free(g);
    g = law_filled(kind, 100, 50);
    DEMAND(blm_set_key_form(g, "hex", NULL) == BLM_OK, "key form");
    if (refused(f, g, "form of the keys")) return 1;
    blm_free(g);
    DEMAND(blm_merge(f, f, NULL) == BLM_E_ARG, "a filter is merged with itself");
    const int broken = other_values(kind, f);
    blm_free(f);
    return broken;
}

static int law_fold_exact(const char *kind)
{
    enum { KEYS = 3000 };
    static const char *const sizes[] = {
        "bits=65536 hashes=8 keys=3000", "bits=32768 hashes=8 keys=3000",
        "bits=16384 hashes=8 keys=3000", "bits=8192 hashes=8 keys=3000"};
    blm_filter *large = law_make(kind, sizes[0]);
    DEMAND(law_add(large, 0, KEYS) == BLM_OK, "add within capacity");
    law_image before = law_save(large);
    for (unsigned times = 0; times < 4; times++) {
        blm_filter *small = law_make(kind, sizes[times]), *folded = NULL;
        blm_report why = {BLM_OK, ""};
        DEMAND(law_add(small, 0, KEYS) == BLM_OK, "add within capacity");
        DEMAND(blm_fold(&folded, large, times, &why) == BLM_OK, "fold %u times: %s", times,
               why.text);
        DEMAND(blm_equal(folded, small), "folded %u times: other bytes than built small", times);
        blm_free(folded);
        blm_free(small);
    }
    law_image after = law_save(large);
    DEMAND(law_same_image(&before, &after), "fold changes the filter that it folds");
    law_drop(&before);
    law_drop(&after);
    blm_free(large);
    return 0;
}

const law laws_of_pairs[] = {
    {"merge_exact", "merged: the same bytes as having added both", merge_exact, law_merge_exact},
    {"merge_mismatch", "filters that differ are not merged, and nothing changes", merges,
     law_merge_mismatch},
    {"fold_exact", "folded: the same bytes as having built small", fold_exact, law_fold_exact},
    {NULL, NULL, always, NULL},
};
