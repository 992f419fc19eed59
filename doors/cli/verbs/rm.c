/* rm.c - bloomery rm: deletes keys from a filter. */
#include <inttypes.h>
#include <stdio.h>

#include "image/change.h"
#include "image/clock.h"

typedef struct removing {
    change c;
    uint64_t keys[BLM_WAS_UNSURE + 1];            /* by what was said of them */
    char first[BLM_WAS_UNSURE + 1][ESCAPED_NAME]; /* the first key of which it was said */
} removing;

static void note_key(removing *r, const line *l, uint8_t was)
{
    if (r->keys[was]++ == 0)
        host_escape(r->first[was], sizeof r->first[was], l->key, l->key_length);
}

static ending remove_key(void *ctx, const line *l, const blm_item *it)
{
    removing *r = ctx;
    const blm_err err = blm_del_item(r->c.im.f, it);
    if (err && err != BLM_E_ABSENT && err != BLM_E_UNSURE)
        return complain_why(r->c.path, err, NULL);
    note_key(r, l, err == BLM_E_ABSENT ? BLM_WAS_ABSENT : err ? BLM_WAS_UNSURE : BLM_WAS_DELETED);
    return END_YES;
}

static ending remove_hashes(removing *r, const line *lines, size_t n)
{
    blm_hash h[BATCH];
    uint64_t room[BATCH];
    uint8_t absent[BATCH];
    size_t ready = 0, done = 0, at = 0;
    for (size_t i = 0; i < n; i++)
        if (lines[i].key) h[ready++] = lines[i].h;
    const uint64_t *args = line_args(r->c.s, lines, n, room);
    const blm_err err = blm_del_many(r->c.im.f, h, args, ready, absent, &done);
    for (size_t i = 0; i < n && at < done; i++)
        if (lines[i].key) note_key(r, &lines[i], absent[at++]);
    if (err == BLM_E_ARG && args) return arg_refused(r->c.im.info.kind, r->c.im.f);
    return err ? complain_why(r->c.path, err, NULL) : END_YES;
}

static ending remove_lines(removing *r)
{
    line lines[BATCH];
    size_t n;
    ending end = END_YES;
    while (!end && (n = input_lines(r->c.in, lines)) > 0) end = remove_hashes(r, lines, n);
    if (!end && input_failed(r->c.in)) end = END_TROUBLE;
    return end ? end : input_had_keys(r->c.in);
}

/* Kinds that look inside a key take no batches of hashes, and arguments are few. */
static ending remove_all(removing *r)
{
    const bool hashed = r->c.in && !r->c.im.looks_inside;
    return hashed ? remove_lines(r) : change_each(&r->c, remove_key, r);
}

static void report(const removing *r)
{
    char head[128];
    const uint64_t removed = r->keys[BLM_WAS_DELETED], absent = r->keys[BLM_WAS_ABSENT],
                   unsure = r->keys[BLM_WAS_UNSURE];
    snprintf(head, sizeof head, "%" PRIu64 " key%s removed", removed, plural(removed));
    if (absent)
        complain("%" PRIu64 " key%s not in the set, the first: %s", absent,
                 absent == 1 ? " was" : "s were", r->first[BLM_WAS_ABSENT]);
    if (unsure)
        complain("%" PRIu64 " key%s not removed, because the filter cannot tell %s cells from "
                 "those of other keys, the first: %s",
                 unsure, unsure == 1 ? " was" : "s were", unsure == 1 ? "its" : "their",
                 r->first[BLM_WAS_UNSURE]);
    if (r->c.s->json) {
        json_open(NULL, '{');
        json_text("file", r->c.path);
        json_count("removed", removed);
        json_count("absent", absent);
        json_count("unsure", unsure);
    }
    change_report(&r->c, head);
}

static ending run_rm(settings *s)
{
    removing r = {.keys = {0}};
    ending end = change_begin(&r.c, s, BLM_DEL, "remove keys");
    if (!end) end = remove_all(&r);
    /* A file that did not change is not written. */
    if (!end && (r.keys[BLM_WAS_DELETED] || s->save.note || !r.c.held)) end = change_write(&r.c);
    if (!end) report(&r);
    change_close(&r.c);
    return end ? end : r.keys[BLM_WAS_ABSENT] || r.keys[BLM_WAS_UNSURE] ? END_NO : END_YES;
}

static const option rm_options[] = {
    OPTION_INPUTS, OPTION_NOTE, OPTION_KEY, OPTION_FORCE_CHANGE, OPTION_WAIT, OPTION_TRUST,
    OPTIONS_INPUT, OPTION_ARG,  OPTION_NOW, OPTION_JSON,         OPTION_END,
};

const verb verb_rm = {
    .name = "rm",
    .about = "remove keys from a filter",
    .usage = "rm [-i] FILE [KEY... | INPUT...]",
    .text = "KEYs are arguments. With -i, the arguments after FILE are INPUTs, and each of their "
            "lines is a key.\n"
            "With no argument after FILE, each line of standard input is a key. A KEY that is also "
            "the name of\n"
            "a file is rejected; put it after -- if you mean the key.\n"
            "Each key is removed once: a key that was added twice stays in the set until it is "
            "removed twice. A\n"
            "key that is certainly not in the set is counted and reported, and so is one that the "
            "filter cannot tell\n"
            "from other keys (kind deletable): it stays in the set. The others are removed all the "
            "same.\n"
            "Remove only keys that were added: rm cannot recognize a non-member that is a false "
            "positive, and\n"
            "removing it also removes parts of other keys.\n"
            "Other writers of FILE wait until it is written. With FILE -, the filter is read from "
            "standard input\n"
            "and written to standard output.",
    .options = rm_options,
    .examples = {"bloomery rm -i sessions.blm ended.txt",
                 "comm -23 old new | bloomery rm members.blm"},
    .endings =
        "0 all removed, 1 some key was not in the set, or the filter was unsure, 2 usage or I/O, or a kind that "
        "cannot remove keys, 3 not a sound image",
    .min_operands = 1,
    .run = run_rm,
};
