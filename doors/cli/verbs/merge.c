/* merge.c - bloomery merge: the filter of all keys, from the filters of the shards. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "image/pair.h"

/* The first one is copied, the others are only mapped: one filter in memory, whatever their number. */
static ending take_one(const settings *s, const char *path, blm_filter **sum)
{
    image im;
    blm_report why = {BLM_OK, ""};
    ending end = image_open(&im, s, path, s->open.trust ? BLM_CHECK_NONE : BLM_CHECK_ALL, true);
    if (end) return end;
    end = image_seed(&im, s, path);
    if (!end) {
        const blm_err err = *sum ? blm_merge(*sum, im.f, &why) : blm_copy(sum, im.f, &why);
        if (err)
            end = *sum ? complain_pair(path, *sum, im.f, err, &why, true)
                       : complain_why(path, err, &why);
    }
    image_close(&im);
    return end;
}

static ending has_room(const settings *s, const blm_filter *sum, const blm_info *info)
{
    bool warned = false;
    blm_report why = {BLM_OK, ""};
    /* Three standard errors below the estimate, never more than were added. */
    const double surely =
        fmin(info->keys.value - 3 * (info->keys.value - info->keys.low), (double)info->adds);
    warn_capacity(info, sum, surely, &warned);
    if (s->open.overfill || info->adds <= info->capacity || blm_room(sum, &why) == BLM_OK)
        return END_YES;
    complain("%s; nothing was written", why.text);
    /* Where every cell is set nobody knows how many there are: not more than were added. */
    complain("build the parts with -n %.0f or more, or use --overfill",
             info->keys.bound ? (double)info->adds : ceil(info->keys.value));
    return END_FULL;
}

static ending one_image(const settings *s)
{
    size_t pipes = 0;
    for (size_t i = 0; i < s->operands; i++) pipes += strcmp(s->operand[i], "-") == 0;
    return pipes < 2
               ? END_YES
               : trouble("-: given %zu times, but standard input can hold only one image", pipes);
}

static ending run_merge(settings *s)
{
    blm_filter *sum = NULL;
    blm_info info;
    ending end = save_ready(s);
    if (!end) end = one_image(s);
    if (!end) end = save_apart(s, s->operand, s->operands);
    for (size_t i = 0; !end && i < s->operands; i++) end = take_one(s, s->operand[i], &sum);
    if (!end) {
        blm_info_of(sum, &info);
        end = has_room(s, sum, &info);
    }
    if (!end) end = save_image(s, sum, NULL);
    if (!end) save_report(s, sum, info.adds, round(info.keys.value), true);
    blm_free(sum);
    return end;
}

static const option merge_options[] = {
    OPTION_OUT, OPTION_FORCE,    OPTION_WAIT,  OPTION_SAME_SEED, OPTION_NOTE,
    OPTION_KEY, OPTION_OVERFILL, OPTION_TRUST, OPTION_JSON,      OPTION_END,
};

const verb verb_merge = {
    .name = "merge",
    .about = "merge several filters into one that holds all their keys",
    .usage = "merge -o OUT FILE...",
    .text = "All filters must have the same kind, size and seed: build the parts with the same -n, "
            "-p and --seed.\n"
            "The result equals, byte for byte, one build of all keys with that -n.",
    .options = merge_options,
    .examples = {"bloomery merge -o all.blm monday.blm tuesday.blm",
                 "bloomery merge -F -o all.blm shard-*.blm"},
    .endings =
        "0 written, 2 usage or I/O, 3 not a sound image, 4 over capacity, 5 incompatible filters",
    .min_operands = 1,
    .run = run_merge,
};
