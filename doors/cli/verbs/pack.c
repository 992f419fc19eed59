/* pack.c - bloomery pack: a filter in few bytes, for the network. */
#include "image/image.h"

static ending run_pack(settings *s)
{
    image im;
    stream sent;
    ending end = save_ready(s);
    if (!end) end = save_apart(s, s->operand, s->operands);
    if (!end)
        end =
            image_open(&im, s, s->operand[0], s->open.trust ? BLM_CHECK_NONE : BLM_CHECK_ALL, true);
    if (end) return end;
    end = save_stream(s, NULL, im.f, &sent);
    if (!end) stream_report(s, &sent, im.f, false);
    image_close(&im);
    return end;
}

static const option pack_options[] = {
    OPTION_OUT, OPTION_FORCE, OPTION_WAIT, OPTION_KEY, OPTION_TRUST, OPTION_JSON, OPTION_END,
};

const verb verb_pack = {
    .name = "pack",
    .about = "make a filter shorter for the network; unpack makes it a filter again",
    .usage = "pack -o OUT FILE",
    .text =
        "Cells are coded as gaps between ones, or as bytes by their frequencies, where that is "
        "shorter. A filter\n"
        "that is half full cannot become shorter; at 10 % it takes half of its image, at 1 % a "
        "twelfth. The\n"
        "result is never more than 16 bytes longer than FILE. It is no filter to query: unpack it "
        "first.",
    .options = pack_options,
    .examples = {"bloomery pack -o seen.packed seen.blm",
                 "bloomery pack -o - seen.blm | ssh host bloomery unpack -o seen.blm -"},
    .endings = "0 written, 2 usage or I/O, 3 not a sound image",
    .min_operands = 1,
    .max_operands = 1,
    .run = run_pack,
};
