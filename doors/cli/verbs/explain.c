/* explain.c - bloomery explain: which cells a key reads, what they say, and why that is the answer. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "describe.h"
#include "image/clock.h"

#define ROW      64u  /* cells per row of the picture                                    */
#define WINDOW   512u /* all reads inside one of these: it is drawn whole, 8 rows        */
#define ROWS_MAX 16u  /* else a row for each read, at most this many                     */

typedef struct story {
    const settings *s;
    const char *path;
    line key;
    image im;
    blm_item it;
    bool of_this_world; /* false: keys are numbers here, and this one is none             */
    bool yes;
    blm_touch touch[BLM_TOUCH_MAX];
    size_t reads;            /* 0: the kind does not tell                                        */
    bool all_needed;         /* it reads as many cells as it has hashes: one 0 is enough for a no */
    size_t first_no;         /* the read that decided, if all are needed; = reads: none did      */
    unsigned width;          /* bits per cell; 0: not known, no picture                          */
    uint64_t cells;          /* how many there are                                               */
    const blm_filter *shown; /* whose cells these are: f, or one of its layers          */
    size_t layer;            /* the newest one that says maybe, from 1; 0: none          */
    char why[256];
} story;

/* ---- cells ------------------------------------------------------------------------------------------ */

/* Cells of `width` bits side by side, the first in the low bits of byte 0. */
static uint64_t cell_value(const story *t, uint64_t cell)
{
    size_t bytes;
    const unsigned char *p = blm_cells(t->shown, &bytes);
    uint64_t v = 0;
    for (unsigned i = 0; i < t->width; i++) {
        const uint64_t bit = cell * t->width + i;
        v |= (uint64_t)(p[bit / 8] >> bit % 8 & 1) << i;
    }
    return v;
}

static uint64_t field_or(const blm_filter *f, const char *name, uint64_t def)
{
    blm_field_info d;
    for (size_t i = 0; blm_field_at(f, i, &d); i++)
        if (strcmp(d.name, name) == 0) return d.value;
    return def;
}

/* A field may name the width, else a cell is a bit. Believed when it gives all values that were read:
 * other kinds have other cells. */
static unsigned find_width(story *t)
{
    size_t bytes;
    (void)blm_cells(t->shown, &bytes);
    const uint64_t width = field_or(t->shown, "width", 1);
    if (!t->reads || !width || width > 64) return 0;
    t->width = (unsigned)width;
    const uint64_t room = (uint64_t)bytes * 8 / width;
    t->cells = field_or(t->shown, "cells", room);
    if (t->cells > room) return 0;
    for (size_t i = 0; i < t->reads; i++)
        if (t->touch[i].cell >= t->cells || cell_value(t, t->touch[i].cell) != t->touch[i].value)
            return 0;
    return t->width;
}

/* ---- why ---------------------------------------------------------------------------------------------- */

static void say_why(story *t)
{
    const blm_info *n = &t->im.info;
    const bool certain = n->promises & BLM_NO_MISS;
    const char *no = certain ? "no, certain" : "no, but this kind may miss members";
    if (!t->of_this_world)
        snprintf(t->why, sizeof t->why,
                 "no, certain: keys of this filter are whole numbers, and this is not one");
    else if (!t->yes && t->im.info.children)
        snprintf(t->why, sizeof t->why,
                 "%s: none of its %u layers holds what this key would leave there", no,
                 n->children);
    else if (!t->yes && t->all_needed && t->first_no < t->reads)
        snprintf(t->why, sizeof t->why,
                 "%s: cell %" PRIu64 " is 0, but adding this key would have set it", no,
                 t->touch[t->first_no].cell);
    else if (!t->yes)
        snprintf(t->why, sizeof t->why, "%s: its cells do not hold what this key would leave there",
                 no);
    else if (t->all_needed)
        snprintf(t->why, sizeof t->why,
                 "maybe: %s %zu cells that it reads are set, by this key or by others; the chance "
                 "of that for a non-member is %.3g",
                 t->reads == 2 ? "both" : "all", t->reads, n->fpr_now.high);
    else
        snprintf(t->why, sizeof t->why,
                 "maybe: its cells hold what this key leaves there; the chance of that for a "
                 "non-member is %.3g",
                 n->fpr_now.high);
}

/* Of a filter with layers the one that answers is shown: the newest that says maybe, or the newest of all. */
static blm_item find_layer(story *t)
{
    size_t i = t->im.info.children;
    const size_t newest = i ? i - 1 : 0;
    for (; i && !t->layer; i--) {
        const blm_item own = blm_inner_item(t->im.f, i - 1, &t->it);
        if (blm_has_item(blm_inner(t->im.f, i - 1), &own)) t->layer = i;
    }
    const size_t shown = t->layer ? t->layer - 1 : newest;
    if (blm_inner(t->im.f, shown)) t->shown = blm_inner(t->im.f, shown);
    return blm_inner_item(t->im.f, shown, &t->it);
}

static ending find_out(story *t)
{
    blm_report why = {BLM_OK, ""};
    t->shown = t->im.f;
    t->of_this_world = key_item(&t->im, &t->key, &t->it);
    if (t->of_this_world) {
        const blm_err err = blm_check_item(t->im.f, &t->it, &why);
        if (err) return complain_why(t->path, err, &why);
        t->yes = blm_has_item(t->im.f, &t->it);
        const blm_item own = find_layer(t);
        t->reads = blm_touched(t->shown, &own, t->touch, BLM_TOUCH_MAX);
        if (t->reads > BLM_TOUCH_MAX) t->reads = BLM_TOUCH_MAX;
    }
    t->all_needed = t->reads && t->reads == field_or(t->shown, "hashes", 0);
    while (t->first_no < t->reads && t->touch[t->first_no].value) t->first_no++;
    t->width = find_width(t);
    say_why(t);
    return END_YES;
}

/* ---- the picture ---------------------------------------------------------------------------------------- */

static char face(uint64_t value)
{
    return value < 36 ? ".123456789abcdefghijklmnopqrstuvwxyz"[value] : '*';
}

static void draw_row(const story *t, uint64_t from)
{
    char cells[ROW + 1] = "", marks[ROW + 1] = "";
    size_t n = 0, marked = 0;
    for (; n < ROW && from + n < t->cells; n++) {
        cells[n] = face(cell_value(t, from + n));
        marks[n] = ' ';
    }
    for (size_t i = 0; i < t->reads; i++) {
        const uint64_t at = t->touch[i].cell - from;
        if (t->touch[i].cell < from || at >= n) continue;
        marks[at] = '^';
        if (marked <= at) marked = (size_t)at + 1;
    }
    out_text("  %12" PRIu64 "  %s\n", from, cells);
    if (marked) out_text("  %12s  %.*s\n", "", (int)marked, marks);
}

static bool row_is_new(const story *t, size_t i)
{
    for (size_t j = 0; j < i; j++)
        if (t->touch[j].cell / ROW == t->touch[i].cell / ROW) return false;
    return true;
}

static void draw(const story *t)
{
    const uint64_t window = t->touch[0].cell / WINDOW;
    bool together = true;
    size_t rows = 0;
    for (size_t i = 0; i < t->reads; i++)
        together = together && t->touch[i].cell / WINDOW == window;
    out_text("\n"
             "  nearby cells, %u per row: . is 0, ^ is read\n",
             ROW);
    if (together)
        for (uint64_t at = window * WINDOW; at < (window + 1) * WINDOW && at < t->cells; at += ROW)
            draw_row(t, at);
    else
        for (size_t i = 0; i < t->reads && rows < ROWS_MAX; i++)
            if (row_is_new(t, i)) draw_row(t, t->touch[i].cell / ROW * ROW), rows++;
}

/* ---- telling ---------------------------------------------------------------------------------------------- */

static void show_text(const story *t)
{
    const blm_info *n = &t->im.info;
    char key[ESCAPED_NAME], name[ESCAPED_NAME];
    host_escape(key, sizeof key, t->key.key, t->key.key_length);
    host_escape(name, sizeof name, t->path, strlen(t->path));
    out_text("%s\n  %-6s %s, %s\n", key, "in", name, n->kind);
    if (t->of_this_world)
        out_text("  %-6s %016" PRIx64 " %016" PRIx64 "  (%s, seed %" PRIu64 ")\n", "hash",
                 t->it.h.lo, t->it.h.hi, n->hash, n->seed);
    if (t->of_this_world && n->children)
        out_text("  %-6s %zu of %u%s\n", "layer", t->layer ? t->layer : (size_t)n->children,
                 n->children,
                 t->layer ? ", the newest that says maybe" : ", the newest; all say no");
    for (size_t i = 0; i < t->reads; i++)
        out_text("  %-6s %3zu. cell %12" PRIu64 "  byte %11" PRIu64 "  = %" PRIu64 "%s\n",
                 i ? "" : "reads", i + 1, t->touch[i].cell, t->touch[i].byte, t->touch[i].value,
                 i == t->first_no && t->all_needed && !t->yes ? "  says no" : "");
    if (t->of_this_world && !t->reads)
        out_text("  %-6s this kind does not show which cells it reads\n", "reads");
    out_text("  %-6s %s\n", "answer", t->why);
    if (t->width) draw(t);
}

static void show_json(const story *t)
{
    const blm_info *n = &t->im.info;
    char word[32];
    json_open(NULL, '{');
    json_text("file", t->path);
    json_text("kind", n->kind);
    json_bytes("key", t->key.key, t->key.key_length);
    snprintf(word, sizeof word, "0x%016" PRIx64, t->it.h.lo);
    json_text("hash_lo", word); /* as text: readers of JSON keep 53 bits of a number */
    snprintf(word, sizeof word, "0x%016" PRIx64, t->it.h.hi);
    json_text("hash_hi", word);
    json_text("answer", t->yes ? "maybe" : "no");
    json_bool("certain", !t->yes && n->promises & BLM_NO_MISS);
    json_number("chance", n->fpr_now.high);
    if (n->children) json_count("layers", n->children);
    if (t->layer) json_count("layer", t->layer);
    json_open("reads", '[');
    for (size_t i = 0; i < t->reads; i++) {
        json_open(NULL, '{');
        json_count("cell", t->touch[i].cell);
        json_count("byte", t->touch[i].byte);
        json_count("value", t->touch[i].value);
        json_close('}');
    }
    json_close(']');
    json_text("why", t->why);
    json_close('}');
    json_end_line();
}

static ending find_key(story *t, char *room)
{
    return key_of_word(t->s, t->s->operand[1], room, &t->key) ? find_out(t) : END_TROUBLE;
}

static ending explain_key(settings *s, char *room)
{
    story t = {.s = s, .path = s->operand[0]};
    const bool small = image_is_small(t.path);
    ending end = image_open_now(&t.im, s, t.path, small ? BLM_CHECK_ALL : BLM_CHECK_NONE);
    if (end) return end;
    end = form_apply(s, t.im.f, t.path);
    if (!end) end = find_key(&t, room);
    if (!end && s->json)
        show_json(&t);
    else if (!end)
        show_text(&t);
    image_close(&t.im);
    return end ? end : t.yes ? END_YES : END_NO;
}

static ending run_explain(settings *s)
{
    char *room = malloc(strlen(s->operand[1]) + 1);
    if (!room) return trouble("no memory");
    const ending end = explain_key(s, room);
    free(room);
    return end;
}

static const option explain_options[] = {OPTION_JSON,  OPTION_KEY, OPTION_HEX,
                                         OPTION_LOWER, OPTION_NOW, OPTION_END};

const verb verb_explain = {
    .name = "explain",
    .about = "show why a key gets its answer: its cells, their contents, a picture",
    .usage = "explain FILE KEY",
    .text = "Shows the key's hash, the cells that it reads in order, what each of them holds, and "
            "the answer with\n"
            "its reason. An image below 64 MiB is checked completely first; of a larger one, only "
            "what is read.",
    .options = explain_options,
    .examples = {"bloomery explain seen.blm plum", "bloomery explain --json seen.blm plum"},
    .endings = "0 maybe, 1 no, 2 usage or I/O, 3 not a sound image",
    .min_operands = 2,
    .max_operands = 2,
    .run = run_explain,
};
