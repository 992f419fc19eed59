/* info.c - bloomery info: what a file says of itself; at most 4 KiB of it are read. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "describe.h"
#include "image/clock.h"

static void row(const char *name, const char *format, ...) LIKE_PRINTF(2, 3);
static void row(const char *name, const char *format, ...)
{
    char text[2048];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    out_text("  %-11s %s\n", name, text);
}

static void show_knobs(const image *im)
{
    char text[1024] = "", word[64];
    size_t used = 0;
    blm_knobdef d;
    uint64_t v;
    for (size_t i = 0; blm_knob_at(im->info.kind, i, &d); i++) {
        if (!host_knob_now(im->f, &d, &v)) continue;
        snprintf(word, sizeof word, "%" PRIu64, v);
        if (d.type == BLM_K_WORD) host_knob_word(word, sizeof word, &d, (double)v);
        const int n =
            snprintf(text + used, sizeof text - used, "%s%s=%s", used ? " " : "", d.name, word);
        if (n < 0 || (size_t)n >= sizeof text - used) break;
        used += (size_t)n;
    }
    if (used) row("knobs", "%s", text);
}

static void show_fields(const image *im)
{
    blm_field_info d;
    for (size_t i = 0; blm_field_at(im->f, i, &d); i++)
        row(i ? "" : "fields", "%-12s %12" PRIu64 "  %s", d.name, d.value, d.doc);
}

static void show_seen(const blm_info *n)
{
    const uint64_t asked = n->denied + n->noes;
    if (n->noes)
        row("seen",
            "%" PRIu64 " false of %" PRIu64 " queries for non-members: %.4g (99 %%: %.4g to %.4g)",
            n->denied, asked, host_rate_seen(n), blm_binomial_low(n->denied, asked, 0.99),
            blm_binomial_high(n->denied, asked, 0.99));
    else if (n->denied)
        row("seen", "%" PRIu64 " false positive%s reported, number of queries not given", n->denied,
            plural(n->denied));
}

/* How long its keys stay, and which time it is for it. */
static void show_clock(const blm_info *n)
{
    char time[WHEN_ROOM], span[32];
    if (n->clock == BLM_CLOCK_MS) {
        row("keys stay", "%s", text_span(span, n->window));
        row("time", "%s, by the clock in ms", when_text(time, n->now));
    } else if (n->clock) {
        const char *unit = blm_clock_name((blm_clock)n->clock);
        row("keys stay", "%" PRIu64 " %s", n->window, unit);
        row("time", "%" PRIu64 " %s", n->now, unit);
    }
}

/* One line for each layer, up to HOST_LAYERS. */
static void show_layers(const image *im)
{
    char size[32];
    for (size_t i = 0; i < HOST_LAYERS && blm_inner(im->f, i); i++) {
        blm_info n;
        blm_info_of(blm_inner(im->f, i), &n);
        row(i ? "" : "layers", "%3zu. %s: %s %.0f keys, planned for %" PRIu64 ", %s, rate now %.3g",
            i + 1, n.kind, n.keys.bound ? "more than" : "about", n.keys.value, n.capacity,
            text_bytes(size, n.bytes), n.fpr_now.high);
    }
    if (im->info.children > HOST_LAYERS)
        row("", "and %u more", im->info.children - (unsigned)HOST_LAYERS);
}

static void show_text(const image *im, const char *path)
{
    const blm_info *n = &im->info;
    char name[ESCAPED_NAME], note[4200], words[512], size[32], above[ABOVE_ROOM];
    host_escape(name, sizeof name, path, strlen(path));
    host_escape(note, sizeof note, n->note, strlen(n->note));
    out_text("%s\n", name);
    row("kind", "%s (%s), version %u, image format %u", n->kind, n->group, n->version, n->format);
    row("keys", "%s %.0f in the set, planned for %" PRIu64 ", %" PRIu64 " add%s",
        n->keys.bound ? "more than" : "about", n->keys.value, n->capacity, n->adds,
        plural(n->adds));
    row("rate", "promised %.4g, now %.4g%s", n->fpr_target, n->fpr_now.high,
        text_above(above, im->f, n));
    show_clock(n);
    show_seen(n);
    if (n->deletes > 0 && n->deletes < 1)
        row("deletes", "about %.3g %% of the keys can be deleted", 100 * n->deletes);
    if (n->fill >= 0) row("fill", "%.2f %% of the cells", n->fill * 100);
    row("size", "%s of cells, %" PRIu64 " bits; %" PRIu64 " bytes as a file",
        text_bytes(size, n->bytes), n->bits, im->file_bytes);
    if (n->hashes) row("hashes", "%u", n->hashes);
    row("hash", "%s, seed %" PRIu64 "%s", n->hash, n->seed, n->keyed ? ", keyed" : "");
    show_knobs(im);
    show_fields(im);
    host_abilities(words, sizeof words, n->can, " ");
    row("can", "%s", words);
    host_promises(words, sizeof words, n->promises, " ");
    row("promises", "%s", words[0] ? words : "none");
    host_promises(words, sizeof words, n->lost, " ");
    if (n->lost) row("lost", "%s", words);
    show_layers(im);
    if (blm_key_form(im->f)[0]) row("key form", "%s", blm_key_form(im->f));
    if (note[0]) out_text("  %-11s %s\n", "note", note);
}

static void show_json(const image *im, const char *path)
{
    json_open(NULL, '{');
    host_json_info(json_output(), im->f, path, im->file_bytes);
    json_close('}');
    json_end_line();
}

/* A packed filter or a delta: what its first bytes say. */
static void show_stream(const settings *s, const char *path, const stream *in,
                        const blm_stream_info *look)
{
    char name[ESCAPED_NAME], size[32], base[24];
    snprintf(base, sizeof base, "%016" PRIx64, look->base);
    if (s->json) {
        json_open(NULL, '{');
        json_text("file", path);
        json_text("packed", look->delta ? "delta" : "filter");
        json_count("file_bytes", in->bytes);
        json_count("image_bytes", look->image_bytes);
        if (look->delta) json_text("base", base);
        json_close('}');
        json_end_line();
        return;
    }
    host_escape(name, sizeof name, path, strlen(path));
    out_text("%s\n", name);
    row("packed",
        look->delta ? "a delta; unpack --base applies it" : "a filter; unpack it to query it");
    if (look->delta) row("base", "%s is the XXH3-64 of its file", base);
    row("size", "%" PRIu64 " bytes; unpacked %s", in->bytes, text_bytes(size, look->image_bytes));
}

static ending info_of(const settings *s, const char *path)
{
    image im;
    stream in;
    blm_stream_info look;
    const ending end = image_open(&im, s, path, BLM_CHECK_NONE, true);
    if (im.is_stream && stream_peek(path, &in, &look)) {
        show_stream(s, path, &in, &look);
        return END_YES;
    }
    if (end) return end;
    if (s->json)
        show_json(&im, path);
    else
        show_text(&im, path);
    warn_full(&im, path);
    image_close(&im);
    return END_YES;
}

static ending run_info(settings *s)
{
    s->open.streams = true;
    return each_file(s, info_of);
}

static const option info_options[] = {OPTION_JSON, OPTION_KEY, OPTION_END};

const verb verb_info = {
    .name = "info",
    .about = "show what a filter is, holds, promises and can do",
    .usage = "info FILE... [--json]",
    .text = "Reads only the header, at most 4 KiB of a file of any size; verify checks the rest. A "
            "keyed filter is\n"
            "described without its key. With several FILEs, each is described, and the exit code "
            "is the highest\n"
            "one.",
    .options = info_options,
    .examples = {"bloomery info seen.blm", "bloomery info --json seen.blm | jq .fpr_now"},
    .endings = "0 shown, 2 usage or I/O, 3 not a sound image",
    .min_operands = 1,
    .run = run_info,
};
