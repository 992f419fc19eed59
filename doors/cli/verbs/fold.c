/* fold.c - bloomery fold: half the memory, the same keys, a higher rate. */
#include <math.h>

#include "image/image.h"

typedef struct fold_settings {
    settings base;
    uint64_t times;
} fold_settings;

static const fold_settings *own(const settings *s) { return (const fold_settings *)s; }

static ending run_fold(settings *s)
{
    image im;
    blm_filter *small = NULL;
    blm_report why = {BLM_OK, ""};
    ending end = save_ready(s);
    if (!end) end = save_apart(s, s->operand, s->operands);
    if (!end)
        end =
            image_open(&im, s, s->operand[0], s->open.trust ? BLM_CHECK_NONE : BLM_CHECK_ALL, true);
    if (end) return end;
    end = image_seed(&im, s, s->operand[0]);
    if (!end) {
        const blm_err err =
            blm_fold(&small, im.f, own(s)->times ? (unsigned)own(s)->times : 1, &why);
        if (err) end = complain_why(s->operand[0], err, &why);
    }
    if (!end) end = save_image(s, small, NULL);
    if (!end) save_report(s, small, im.info.adds, round(im.info.keys.value), true);
    blm_free(small);
    image_close(&im);
    return end;
}

static const option fold_options[] = {
    OPTION_OUT,
    {0, "times", "N", "halve it N times (default: 1)", TAKE_COUNT, offsetof(fold_settings, times),
     1, 60},
    OPTION_FORCE,
    OPTION_WAIT,
    OPTION_SAME_SEED,
    OPTION_NOTE,
    OPTION_KEY,
    OPTION_TRUST,
    OPTION_JSON,
    OPTION_END,
};

const verb verb_fold = {
    .name = "fold",
    .about = "halve a filter: the same keys, a higher rate",
    .usage = "fold -o OUT [--times N] FILE",
    .text = "The result equals, byte for byte, a filter that was built with half the size and the "
            "same number of\n"
            "hashes. Its promised rate is the theoretical rate at the same capacity.",
    .options = fold_options,
    .examples = {"bloomery fold -o small.blm large.blm",
                 "bloomery fold --times 3 -o eighth.blm large.blm"},
    .endings = "0 written, 2 usage or I/O, or a size that cannot be halved, 3 not a sound image, 5 "
               "its seed is not --seed",
    .min_operands = 1,
    .max_operands = 1,
    .size = sizeof(fold_settings),
    .run = run_fold,
};
