/* unpack.c - bloomery unpack: a filter out of what pack or delta wrote. */
#include <math.h>
#include <stdlib.h>

#include "image/image.h"

typedef struct unpack_settings {
    settings base;
    const char *old;
    uint64_t limit; /* in bits, as every size */
} unpack_settings;

static const unpack_settings *own(const settings *s) { return (const unpack_settings *)s; }

/* im->f, out of the bytes of the stream. */
static ending make(const settings *s, const stream *in, uint64_t limit, image *im)
{
    image old = {.f = NULL};
    secret key;
    blm_report why = {BLM_OK, ""};
    ending end = secret_load(&key, s);
    if (!end && own(s)->old) end = image_open(&old, s, own(s)->old, BLM_CHECK_NONE, true);
    if (end) return end;
    const blm_open_options how = {.size = sizeof how,
                                  .secret = key.given ? key.bytes : NULL,
                                  .without_secret = true,
                                  .max_bytes = limit};
    const blm_err err = old.f ? blm_patch(&im->f, old.f, in->p, (size_t)in->bytes, &how, &why)
                              : blm_unpack(&im->f, in->p, (size_t)in->bytes, &how, &why);
    secret_wipe(&key);
    image_close(&old);
    if (!err) {
        image_describe(im);
        return END_YES;
    }
    end = complain_why(s->operand[0], err, &why);
    if (err == BLM_E_MISMATCH && !own(s)->old)
        complain("use --base OLD, with the filter that delta was given first");
    return end;
}

static ending run_unpack(settings *s)
{
    stream in = {.bytes = 0};
    image im = {.f = NULL};
    const uint64_t limit = own(s)->limit ? own(s)->limit / 8 : BLM_UNPACK_DEFAULT;
    const char *paths[2] = {s->operand[0], own(s)->old};
    ending end = save_ready(s);
    if (!end) end = save_apart(s, paths, paths[1] ? 2 : 1);
    if (!end && paths[1] && paths[0][0] == '-' && !paths[0][1] && paths[1][0] == '-' &&
        !paths[1][1])
        end = trouble("- and --base -: standard input can hold only one of them");
    if (!end) end = stream_read(&in, s->operand[0], limit);
    if (!end) end = make(s, &in, limit, &im);
    free(in.p);
    if (!end) end = image_seed(&im, s, s->operand[0]);
    if (!end) end = save_image(s, im.f, NULL);
    if (!end) save_report(s, im.f, im.info.adds, round(im.info.keys.value), true);
    image_close(&im);
    return end;
}

static const option unpack_options[] = {
    OPTION_OUT,
    {0, "base", "FILE", "apply a delta to this filter, the first one that delta was given",
     TAKE_TEXT, offsetof(unpack_settings, old), 0, 0},
    {0, "limit", "SIZE", "reject what would be a larger file (default: 1GiB)", TAKE_SIZE,
     offsetof(unpack_settings, limit), 0, 0},
    OPTION_FORCE,
    OPTION_WAIT,
    OPTION_SAME_SEED,
    OPTION_NOTE,
    OPTION_KEY,
    OPTION_JSON,
    OPTION_END,
};

const verb verb_unpack = {
    .name = "unpack",
    .about = "make a filter of what pack or delta wrote",
    .usage = "unpack -o OUT [--base OLD] [--limit SIZE] FILE",
    .text = "A stream of 200 bytes can unpack to gigabytes of zeros, so a stream that states a "
            "larger size than\n"
            "--limit is rejected before anything is made. OUT is the same file, byte for byte, as "
            "the one that was\n"
            "packed. Its secret key is not needed.",
    .options = unpack_options,
    .examples = {"bloomery unpack -o seen.blm seen.packed",
                 "bloomery unpack --base mon.blm -o tue.blm tue.delta"},
    .endings = "0 written, 2 usage or I/O, 3 not a sound stream, or above --limit, 5 --base is "
               "another filter, or missing, or its seed is not --seed",
    .min_operands = 1,
    .max_operands = 1,
    .size = sizeof(unpack_settings),
    .run = run_unpack,
};
