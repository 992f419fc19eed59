/* confirm.c - bloomery grep --confirm LIST: a positive counts only if its key stands in the real list.
 *
 * A list that fits in half of --ram is read first, and lines stream as without --confirm. A larger
 * one, or one that comes by a pipe, is read after the input, once: the positives are held on disk in
 * order (with -v: and the negatives after the first positive), the keys of the list that could be
 * theirs are joined with them by their bytes (join.c), and what is chosen is printed.
 *
 * With --deny the hashes of false positives wait on disk too, and are reported to FILE at the end: what this
 * run answers does not depend on what it reports.
 */
#define _POSIX_C_SOURCE 200809L
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "exact/exact.h"
#include "exact/spill.h"
#include "image/clock.h"

typedef struct confirming {
    const settings *s;
    const grep_wish *wish;
    const image *im;
    settings of_list; /* whole lines */
    uint64_t ram;
    size_t buffer;
    blm_filter *hasher;
    spool *rows;
    uint64_t rows_end;
    keytable *table;     /* the whole list; NULL: it is not in memory */
    doubts doubts;       /* positives that are held */
    spool *held, *wrong; /* --deny: hashes of the positives that are held; of the false ones */
    uint64_t chosen, asked, positives, listed;
} confirming;

/* ---- what comes out ---------------------------------------------------------------------------------- */

static bool enough(const confirming *c) { return out_failed() || (c->s->quiet && c->chosen); }
static bool prints(const confirming *c) { return !c->s->quiet && !c->wish->count; }

static void choose(confirming *c, const line *l)
{
    c->chosen++;
    if (!prints(c)) return;
    out_bytes(l->text, l->length);
    out_bytes(c->s->read.zero ? "" : "\n", 1);
}

static row row_of(confirming *c, const line *l)
{
    return (row){.kind = ROW_FIRST,
                 .hash = blm_hash_of(c->hasher, l->key, l->key_length).lo,
                 .key = l->key,
                 .key_length = l->key_length,
                 .text = l->text,
                 .text_length = l->length};
}

/* A key on its way into a table: a long one goes to disk first, where it is compared. */
static void to_disk_if_long(confirming *c, row *r)
{
    if (r->key_length <= LONG_KEY) return;
    r->key_at = spool_bytes(c->rows);
    spool_write(c->rows, r->key, (size_t)r->key_length);
    r->key = NULL;
}

/* ---- the list in memory ---------------------------------------------------------------------------------- */

/* False: it does not fit; *end says whether that is a failure. */
static bool load_lines(confirming *c, input *in, ending *end)
{
    line lines[BATCH];
    size_t n;
    while ((n = input_lines(in, lines)) > 0)
        for (size_t i = 0; i < n; i++) {
            if (!lines[i].key) continue;
            row r = row_of(c, &lines[i]);
            to_disk_if_long(c, &r);
            if (!keytable_find(c->table, &r) && !keytable_put(c->table, &r, 0)) return false;
        }
    if (input_failed(in) || spool_failed(c->rows)) *end = END_TROUBLE;
    return *end == END_YES;
}

static bool is_pipe(const char *path)
{
    struct stat st;
    if (strcmp(path, "-") == 0) return true;
    return stat(path, &st) == 0 && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode);
}

static ending load_list(confirming *c)
{
    ending end = END_YES;
    if (is_pipe(c->s->list)) return END_YES; /* it can be read once only: after the input */
    input *in = input_open(&c->of_list, &c->s->list, 1);
    if (!in) return END_TROUBLE;
    if (!(c->table = keytable_new(c->ram / 2, c->rows))) end = END_TROUBLE;
    const bool fits = !end && load_lines(c, in, &end);
    input_close(in);
    if (fits || end) return end;
    keytable_free(c->table);
    spool_free(c->rows);
    c->table = NULL;
    c->rows = spool_new(c->buffer); /* without the long keys of this trial */
    return c->rows ? END_YES : END_TROUBLE;
}

/* ---- the input -------------------------------------------------------------------------------------------- */

static bool in_table(confirming *c, const row *r)
{
    row w = *r;
    to_disk_if_long(c, &w);
    return keytable_find(c->table, &w) != NULL;
}

static void keep_hash(spool *to, const blm_hash *h)
{
    if (to) spool_write(to, h, sizeof *h);
}

static void hold(confirming *c, const line *l, row *r, bool doubt)
{
    r->kind = doubt ? ROW_DOUBT : ROW_FIRST;
    r->number = c->doubts.count;
    r->has_text = prints(c);
    if (doubt)
        doubts_note(&c->doubts, r), keep_hash(c->held, &l->h);
    else
        r->key = r->text, r->key_length = r->text_length; /* its text is all that matters */
    row_write(c->rows, r);
}

static void take_line(confirming *c, const line *l, bool positive)
{
    const bool invert = c->wish->invert;
    c->asked++;
    c->positives += positive;
    if (!positive) {
        if (!invert) return;
        if (!c->doubts.count || !prints(c)) {
            choose(c, l);
            return;
        }
    }
    row r = row_of(c, l);
    if (!c->table || !positive) {
        hold(c, l, &r, positive);
        return;
    }
    const bool listed = in_table(c, &r);
    c->listed += listed;
    if (!listed) keep_hash(c->wrong, &l->h);
    if (listed != invert) choose(c, l);
}

/* Puts a line without a key in its place among the others: after a line that is held, it is held too. */
static void pass_line(confirming *c, const input *in, const line *l)
{
    if (!prints(c) || !input_keeps(in, l)) return;
    if (c->doubts.count) {
        row_pass(c->rows, l);
        return;
    }
    out_bytes(l->text, l->length);
    out_bytes(c->s->read.zero ? "" : "\n", 1);
}

static ending take_input(confirming *c)
{
    line lines[BATCH];
    uint8_t yes[BATCH];
    ending end = END_YES;
    size_t n;
    input *in = input_open(c->s, c->s->operand + 1, c->s->operands - 1);
    if (!in) return END_TROUBLE;
    const asker ask = ask_input(c->im, in);
    while (!end && !enough(c) && (n = input_lines(in, lines)) > 0) {
        ask(c->im, lines, n, yes);
        for (size_t i = 0; i < n; i++)
            if (lines[i].key)
                take_line(c, &lines[i], yes[i]);
            else
                pass_line(c, in, &lines[i]);
        end = spool_failed(c->rows) || spool_failed(c->doubts.hashes)
                  ? END_TROUBLE
                  : doubts_fit(&c->doubts, c->ram);
    }
    if (input_failed(in)) end = END_TROUBLE;
    input_close(in);
    c->rows_end = spool_bytes(c->rows);
    return end;
}

/* ---- the list after the input --------------------------------------------------------------------------------- */

static ending join_list(confirming *c, join *j)
{
    line lines[BATCH];
    size_t n;
    input *in = input_open(&c->of_list, &c->s->list, 1);
    if (!in) return END_TROUBLE;
    while ((n = input_lines(in, lines)) > 0)
        for (size_t i = 0; i < n; i++) {
            if (!lines[i].key) continue;
            row r = row_of(c, &lines[i]);
            if (!join_wants(j, r.hash)) continue;
            to_disk_if_long(c, &r);
            join_row(j, &r);
        }
    const bool failed = input_failed(in) || spool_failed(c->rows);
    input_close(in);
    return failed ? END_TROUBLE : END_YES;
}

static void deny_later(confirming *c, uint64_t number)
{
    blm_hash h;
    if (c->held && spool_read(c->held, number * sizeof h, &h, sizeof h)) keep_hash(c->wrong, &h);
}

static ending each_row(confirming *c, join *j, bool last)
{
    rows r;
    row w;
    if (!rows_open(&r, c->rows, c->rows_end, 4 * LONG_KEY < c->ram / 16 ? 4 * LONG_KEY : 0))
        return END_TROUBLE;
    while (!enough(c) && rows_next(&r, &w)) {
        const bool doubt = w.kind == ROW_DOUBT;
        if (!last) {
            if (doubt) join_row(j, &w);
            continue;
        }
        if (w.kind == ROW_PASSED) {
            rows_print(&r, &w, c->s->read.zero ? '\0' : '\n');
            continue;
        }
        const bool listed = doubt && join_yes(j, w.number);
        c->listed += listed;
        if (doubt && !listed) deny_later(c, w.number);
        if (listed == c->wish->invert) continue;
        c->chosen++;
        if (w.has_text) rows_print(&r, &w, c->s->read.zero ? '\0' : '\n');
    }
    rows_close(&r);
    return spool_failed(c->rows) ? END_TROUBLE : END_YES;
}

static ending settle(confirming *c)
{
    join *j = join_new(JOIN_LISTED, &c->doubts, c->rows, c->ram);
    ending end = j ? join_list(c, j) : END_TROUBLE;
    if (!end) end = each_row(c, j, false);
    if (!end && !join_end(j)) end = END_TROUBLE;
    if (!end) end = each_row(c, j, true);
    join_free(j);
    return end;
}

/* ---- --deny ------------------------------------------------------------------------------------------------------ */

static blm_err deny_each(confirming *c, blm_filter *f, uint64_t *denied)
{
    const uint64_t end = spool_bytes(c->wrong);
    blm_hash h;
    for (uint64_t at = 0; at < end; at += sizeof h) {
        if (!spool_read(c->wrong, at, &h, sizeof h)) return BLM_E_IO;
        const blm_item it = {h, NULL, 8, BLM_NO_ARG};
        const blm_err err = blm_deny_item(f, &it);
        if (err && err != BLM_E_ABSENT) return err;
        *denied += !err;
    }
    return BLM_OK;
}

/* FILE is opened anew, to be changed: others may have written it meanwhile, and what it does not take for a
 * member any more is not counted. */
static ending tell_file(confirming *c)
{
    secret key;
    settings s = *c->s;
    blm_filter *f = NULL;
    blm_update *held = NULL;
    blm_report why = {BLM_OK, ""};
    uint64_t denied = 0;
    if (secret_load(&key, &s)) return END_TROUBLE;
    s.save.out = s.operand[0];
    s.save.force = true;
    const blm_open_options *how =
        BLM_OPEN(.secret = key.given ? key.bytes : NULL, .overfill = true);
    if (lock_wait(&s, s.save.out)) return END_TROUBLE;
    blm_err err = blm_update_begin(&held, &f, s.save.out, how, &why);
    secret_wipe(&key);
    if (err) return image_refused(&s, s.save.out, err, &why);
    if (clock_set(&s, f, s.save.out)) {
        blm_update_drop(held);
        blm_free(f);
        return END_TROUBLE;
    }
    err = deny_each(c, f, &denied);
    /* What one denial changed may have helped the next one, which was as wrong when it was asked. Where members
     * may be missed, a no says nothing about the key. */
    const uint64_t wrong = c->positives - c->listed;
    const bool sure = c->im->info.promises & BLM_NO_MISS;
    if (!err) err = blm_report_queries(f, wrong - denied, sure ? c->asked - c->positives : 0);
    ending end = err == BLM_E_IO ? END_TROUBLE
                 : err           ? complain_why(s.save.out, err, NULL)
                                 : END_YES;
    if (!end) {
        end = save_update(&s, f, held);
        held = NULL;
    }
    if (!end && !s.quiet)
        complain("%s: recorded %" PRIu64 " false positive%s", s.save.out, wrong, plural(wrong));
    blm_update_drop(held);
    blm_free(f);
    return end;
}

/* ---- the verb's part --------------------------------------------------------------------------------------------- */

/* Of the lines that are not in the list, how many did FILE take for members? */
static void summary(const confirming *c)
{
    const uint64_t wrong = c->positives - c->listed, outside = c->asked - c->listed;
    if (c->s->quiet) return;
    out_flush();
    complain("%" PRIu64 " line%s, %" PRIu64 " positive%s, %" PRIu64
             " of them false: %.3g of the %" PRIu64 " line%s not in %s (promised %.3g)",
             c->asked, plural(c->asked), c->positives, plural(c->positives), wrong,
             outside ? (double)wrong / (double)outside : 0.0, outside, plural(outside), c->s->list,
             c->im->info.fpr_target);
}

/* One pipe cannot bring two things. */
static bool two_by_one_pipe(const settings *s)
{
    if (strcmp(s->list, "-") != 0) return false;
    for (size_t i = 0; i < s->operands; i++)
        if (strcmp(s->operand[i], "-") == 0) return true;
    return s->operands == 1;
}

static ending may_deny(const confirming *c)
{
    if (c->s->quiet) return trouble("--deny: must look up every line; leave -q out");
    if (strcmp(c->s->operand[0], "-") == 0)
        return trouble("--deny: changes FILE, which cannot be standard input; name a file");
    return c->im->looks_inside ? trouble("--deny: not possible for kind %s, which needs the keys "
                                         "themselves; use bloomery deny",
                                         c->im->info.kind)
                               : END_YES;
}

static ending start(confirming *c)
{
    const settings *s = c->s;
    if (c->wish->deny && may_deny(c)) return END_TROUBLE;
    if (two_by_one_pipe(s))
        return trouble(
            "--confirm -: the list is read from standard input, so name FILE and the INPUT files");
    if (!(c->ram = ram_bytes(s, "grep --confirm"))) return END_TROUBLE;
    c->of_list = *s;
    c->of_list.read.field = 0;
    c->of_list.read.delimiter = c->of_list.read.csv = c->of_list.read.jsonl = NULL;
    c->buffer = c->ram / 16 < 8 * LONG_KEY ? (size_t)(c->ram / 16) : 8 * LONG_KEY;
    c->hasher = secret_hasher();
    c->rows = spool_new(c->buffer);
    c->doubts.hashes = spool_new(c->buffer / 4);
    if (!c->hasher || !c->rows || !c->doubts.hashes) return END_TROUBLE;
    if (c->wish->deny &&
        (!(c->held = spool_new(c->buffer / 4)) || !(c->wrong = spool_new(c->buffer / 4))))
        return END_TROUBLE;
    return load_list(c);
}

ending grep_confirm(const settings *s, const grep_wish *wish, const image *im, uint64_t *chosen)
{
    confirming c = {.s = s, .wish = wish, .im = im};
    ending end = start(&c);
    if (!end) end = take_input(&c);
    if (!end && c.doubts.count && !enough(&c)) end = settle(&c);
    if (!end && wish->deny && (spool_failed(c.held) || spool_failed(c.wrong))) end = END_TROUBLE;
    if (!end) summary(&c);
    if (!end && wish->deny) end = tell_file(&c);
    *chosen = c.chosen;
    blm_free(c.hasher);
    keytable_free(c.table);
    spool_free(c.rows);
    spool_free(c.doubts.hashes);
    spool_free(c.held);
    spool_free(c.wrong);
    return end;
}
