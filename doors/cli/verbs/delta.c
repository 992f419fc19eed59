/* delta.c - bloomery delta: what has changed between two filters. */
#include "image/pair.h"

static ending send_delta(const settings *s, const image *old, const image *now)
{
    stream sent;
    const ending end = save_stream(s, old->f, now->f, &sent);
    if (!end) stream_report(s, &sent, now->f, true);
    return end;
}

static ending run_delta(settings *s)
{
    ending end = save_ready(s);
    if (!end) end = save_apart(s, s->operand, s->operands);
    return end ? end : with_pair(s, send_delta);
}

static const option delta_options[] = {
    OPTION_OUT, OPTION_FORCE, OPTION_WAIT, OPTION_KEY, OPTION_TRUST, OPTION_JSON, OPTION_END,
};

const verb verb_delta = {
    .name = "delta",
    .about = "write what has changed between two filters; unpack --base applies it",
    .usage = "delta -o OUT OLD NEW",
    .text = "For who has OLD and wants NEW. Both must have the same kind, size, seed and key. OUT "
            "names OLD by the\n"
            "XXH3-64 of its file, and can be applied to no other filter. If too much has changed, "
            "OUT is NEW, packed\n"
            "whole: unpack takes that with --base and without.",
    .options = delta_options,
    .examples = {"bloomery delta -o tue.delta mon.blm tue.blm",
                 "bloomery delta -o - old.blm new.blm | ssh host bloomery unpack --base old.blm -o "
                 "new.blm -"},
    .endings = "0 written, 2 usage or I/O, 3 not a sound image, 5 incompatible filters",
    .min_operands = 2,
    .max_operands = 2,
    .run = run_delta,
};
