/* pair.c - two filters at a time: opened, and why they do not go together. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "image/pair.h"

ending with_pair(const settings *s,
                 ending (*use)(const settings *s, const image *a, const image *b))
{
    image a, b;
    const blm_check check = s->open.trust ? BLM_CHECK_NONE : BLM_CHECK_ALL;
    if (strcmp(s->operand[0], "-") == 0 && strcmp(s->operand[1], "-") == 0)
        return trouble("- and -: standard input can hold only one image");
    ending end = image_open(&a, s, s->operand[0], check, true);
    if (end) return end;
    end = image_open(&b, s, s->operand[1], check, true);
    if (!end) {
        end = use(s, &a, &b);
        image_close(&b);
    }
    image_close(&a);
    return end;
}

static bool same_shape(const blm_filter *a, const blm_filter *b)
{
    blm_field_info x, y;
    for (size_t i = 0; blm_field_at(a, i, &x) && blm_field_at(b, i, &y); i++)
        if (!x.state && x.value != y.value) return false;
    return true;
}

/* The plan that both filters can have: large enough for either, and for what is in both together. */
static void text_shape(char *out, size_t room, const blm_info *x, const blm_info *y, bool both)
{
    const double inside = both ? ceil(x->keys.value + y->keys.value) : 0;
    const double keys = fmax(inside, fmax((double)x->capacity, (double)y->capacity));
    if (x->capacity == y->capacity && x->fpr_target == y->fpr_target)
        snprintf(out, room, "the same -m, -k and --set");
    else
        snprintf(out, room, "-n %.0f -p %.3g", keys, fmin(x->fpr_target, y->fpr_target));
}

/* The library knows fields, the user options. Whether two secrets are the same only the library can tell. */
ending complain_pair(const char *name, const blm_filter *a, const blm_filter *b, blm_err err,
                     const blm_report *why, bool both)
{
    blm_info x, y;
    char shape[96] = "";
    const ending end = complain_why(name, err, why);
    blm_info_of(a, &x);
    blm_info_of(b, &y);
    if (err != BLM_E_MISMATCH || strcmp(x.kind, y.kind) != 0) return end;
    const char *key = x.keyed || y.keyed ? "the same --key" : "";
    const char *seed = x.seed != y.seed ? "the same --seed" : "";
    if (!same_shape(a, b)) text_shape(shape, sizeof shape, &x, &y, both);
    if (*key || *seed || *shape)
        complain("build both with %s%s%s%s%s", key, *key && (*seed || *shape) ? ", " : "", seed,
                 *seed && *shape ? ", " : "", shape);
    return end;
}
