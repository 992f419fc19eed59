/* intersect.c - bloomery intersect: a filter that holds what two filters have in common. */
#include <math.h>

#include "describe.h"
#include "image/pair.h"

/* The estimate of the keys in both, or what the cells of the result look like. */
static double keys_in_both(const blm_filter *a, const blm_filter *b, const blm_filter *both)
{
    blm_overlap o;
    blm_info info;
    if (blm_overlap_of(a, b, &o, NULL) == BLM_OK) return o.common.value;
    blm_info_of(both, &info);
    return info.keys.value;
}

static ending combine(const settings *s, const image *a, const image *b)
{
    blm_filter *both = NULL;
    blm_report why = {BLM_OK, ""};
    if (!blm_can(a->f, BLM_INTERSECT))
        return cannot(s->operand[0], a->info.kind, BLM_INTERSECT, "be intersected");
    ending end = image_seed(a, s, s->operand[0]);
    if (end) return end;
    blm_err err = blm_copy(&both, a->f, &why);
    if (err) return complain_why(s->operand[0], err, &why);
    err = blm_intersect(both, b->f, &why);
    end = err ? complain_pair(s->operand[1], a->f, b->f, err, &why, false) : END_YES;
    if (!end) end = save_image(s, both, NULL);
    if (!end) {
        blm_info info;
        blm_info_of(both, &info);
        save_report(s, both, info.adds, round(keys_in_both(a->f, b->f, both)), true);
    }
    blm_free(both);
    return end;
}

static ending run_intersect(settings *s)
{
    ending end = save_ready(s);
    if (!end) end = save_apart(s, s->operand, s->operands);
    return end ? end : with_pair(s, combine);
}

static const option intersect_options[] = {
    OPTION_OUT, OPTION_FORCE, OPTION_WAIT, OPTION_SAME_SEED, OPTION_NOTE,
    OPTION_KEY, OPTION_TRUST, OPTION_JSON, OPTION_END,
};

const verb verb_intersect = {
    .name = "intersect",
    .about = "make a filter of the keys that two filters have in common",
    .usage = "intersect -o OUT A B",
    .text = "Both filters must have the same kind, size and seed. Every key that is in both is in "
            "the result, and\n"
            "a key that one of them answers no for gets a no from the result, too. The result also "
            "has cells that\n"
            "different keys set in A and in B, so its rate is above that of a filter built from "
            "the common keys.\n"
            "The summary estimates the number of distinct keys from A, B and their union.",
    .options = intersect_options,
    .examples = {"bloomery intersect -o both.blm monday.blm tuesday.blm",
                 "bloomery intersect -F -o both.blm bought.blm returned.blm"},
    .endings = "0 written, 2 usage or I/O, or a kind that cannot intersect, 3 not a sound image, 5 "
               "incompatible filters",
    .min_operands = 2,
    .max_operands = 2,
    .run = run_intersect,
};
