/* exact.c - bloomery uniq --exact: what awk '!s[$0]++' prints, byte for byte, within --ram.
 *
 * A line is decided at once in two cases: the filter does not know its key (certainly new), or the
 * key's bytes are among those of a moment ago (certainly a repeat; while these are all that ever
 * came, what is not among them is certainly new). Otherwise it is a doubt: a
 * repeat from far back or a false positive. Until the first doubt, lines are printed as they come.
 * From then on they are held, in order, in a spill file, which has the keys of all rows from the
 * start: at the end each doubt is decided by the bytes (join.c), and the held lines are printed.
 *
 *      memory    reading: 1/2 filter, 3/8 keys of a moment ago, the rest buffers
 *                deciding: 5/8 table and a bit a doubt, 1/8 filter of doubts, the rest buffers
 *      disk      a row a line that is no sure repeat: 10 bytes, its key, and when held its text
 *
 * The filter starts at 1 MiB and grows up to its share by reading the rows' hashes again; past its
 * share it is overfilled, which makes more doubts and no error. Hashes have a random secret: the
 * output does not depend on it, and nobody can choose lines that meet.
 */
#define _POSIX_C_SOURCE 200809L
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "exact/exact.h"
#include "exact/spill.h"

enum { START_BYTES = 1 << 20, GROWTH = 8, BITS_A_KEY = 12, HASHES = 6 };
enum { SEEN_ONCE, SEEN_SOME, SEEN_TWICE }; /* exactly once; once or more; twice or more */

typedef struct dedupe {
    const settings *s;
    bool repeated; /* lines that come again are wanted */
    uint64_t ram;
    input *in;
    blm_filter *hasher, *known;
    uint64_t bits, max_bits, inside; /* of known; how many keys changed it */
    recent *lately;
    spool *rows;
    doubts doubts;
    bool holding;
    size_t buffers;                            /* of the two spools */
    uint64_t lines, keyless, printed, written; /* lines: of any sort */
    uint64_t memory;                           /* the most of what --ram is for */
} dedupe;

/* ---- the filter ------------------------------------------------------------------------------------ */

static ending new_filter(dedupe *d, uint64_t bits)
{
    blm_report why = {BLM_OK, ""};
    blm_free(d->known);
    d->known = NULL;
    const blm_err err = blm_new(
        &d->known, BLM_CONFIG(.kind = "blocked", .bits = bits, .hashes = HASHES, .overfill = true),
        &why);
    d->bits = bits;
    return err ? complain_why(NULL, err, &why) : END_YES;
}

/* Adds all rows again, doubts too: a false positive is in the filter from now on. */
static ending grow_filter(dedupe *d)
{
    rows r;
    row w;
    blm_hash h[BATCH];
    size_t n = 0;
    const uint64_t bits = d->max_bits / GROWTH > d->bits ? d->bits * GROWTH : d->max_bits;
    const ending end = new_filter(d, bits);
    if (end) return end;
    if (!rows_open(&r, d->rows, spool_bytes(d->rows), 2 * LONG_KEY)) return END_TROUBLE;
    bool more = true;
    while (more) {
        more = rows_next(&r, &w);
        if (more && w.kind == ROW_PASSED) continue;
        if (more) h[n++] = (blm_hash){w.hash, 0};
        if (n < BATCH && more) continue;
        if (blm_add_many(d->known, h, NULL, n, NULL, NULL)) break;
        n = 0;
    }
    rows_close(&r);
    return spool_failed(d->rows) ? END_TROUBLE : END_YES;
}

/* ---- reading ------------------------------------------------------------------------------------------ */

static void print_line(dedupe *d, const line *l)
{
    out_bytes(l->text, l->length);
    out_bytes(d->s->read.zero ? "" : "\n", 1);
    d->printed++;
}

static void keep(dedupe *d, const line *l, row_kind kind)
{
    const bool shown = kind == (d->repeated ? ROW_SECOND : ROW_FIRST);
    row r = {.kind = kind,
             .hash = l->h.lo,
             .number = d->doubts.count,
             .key = l->key,
             .key_length = l->key_length,
             .text = l->text,
             .text_length = l->length};
    if (kind == ROW_DOUBT) {
        doubts_note(&d->doubts, &r);
        d->holding = true;
    } else
        d->doubts.others++;
    if (shown && !d->holding) print_line(d, l);
    r.has_text = kind == ROW_DOUBT || (shown && d->holding);
    row_write(d->rows, &r);
}

static void take_line(dedupe *d, const line *l, bool fresh)
{
    uint8_t *seen = fresh ? NULL : recent_find(d->lately, l->h.lo, l->key, l->key_length);
    if (seen && (!d->repeated || *seen == SEEN_TWICE)) return;
    if (!seen && recent_has_all(d->lately)) fresh = true;
    const row_kind kind = fresh ? ROW_FIRST : seen && *seen == SEEN_ONCE ? ROW_SECOND : ROW_DOUBT;
    if (seen)
        *seen = SEEN_TWICE;
    else
        recent_put(d->lately, l->h.lo, l->key, l->key_length, fresh ? SEEN_ONCE : SEEN_SOME);
    keep(d, l, kind);
}

/* A line without a key, in its place among the others. */
static void pass_line(dedupe *d, const line *l)
{
    if (!input_keeps(d->in, l)) return;
    if (d->holding)
        row_pass(d->rows, l);
    else
        print_line(d, l);
}

static ending take_batch(dedupe *d, const line *lines, size_t n)
{
    blm_hash h[BATCH];
    uint8_t fresh[BATCH];
    size_t asked = 0, at = 0;
    for (size_t i = 0; i < n; i++) {
        if (!lines[i].key) continue;
        h[asked++] = (blm_hash){lines[i].h.lo, 0};
        recent_expect(d->lately, lines[i].h.lo);
    }
    const blm_err err = blm_add_many(d->known, h, NULL, asked, fresh, NULL);
    if (err) return complain_why(NULL, err, NULL);
    for (size_t i = 0; i < asked; i++)
        if (!fresh[i]) recent_expect_key(d->lately, h[i].lo);
    for (size_t i = 0; i < n; i++) {
        if (!lines[i].key) {
            pass_line(d, &lines[i]);
            continue;
        }
        d->inside += fresh[at];
        take_line(d, &lines[i], fresh[at++]);
    }
    d->lines += n;
    if (spool_failed(d->rows) || spool_failed(d->doubts.hashes)) return END_TROUBLE;
    return doubts_fit(&d->doubts, d->ram);
}

static ending take_all(dedupe *d)
{
    line lines[BATCH];
    ending end = END_YES;
    size_t n;
    while (!end && !out_failed() && (n = input_lines(d->in, lines)) > 0) {
        end = take_batch(d, lines, n);
        if (!end && d->inside > d->bits / BITS_A_KEY && d->bits < d->max_bits) end = grow_filter(d);
    }
    if (!end && (input_failed(d->in) || out_failed())) end = END_TROUBLE;
    d->lines += input_headers(d->in);
    d->keyless = input_keyless(d->in);
    input_close(d->in);
    d->in = NULL;
    d->memory = d->bits / 8 + recent_bytes(d->lately) + d->buffers;
    return end;
}

/* ---- deciding and printing -------------------------------------------------------------------------------- */

static ending each_row(dedupe *d, join *j, void (*with)(dedupe *, join *, rows *, const row *))
{
    rows r;
    row w;
    const uint64_t end = spool_bytes(d->rows);
    if (!rows_open(&r, d->rows, end, 4 * LONG_KEY < d->ram / 16 ? 4 * LONG_KEY : 0))
        return END_TROUBLE;
    progress_start(d->s, end, "bytes");
    while (!out_failed() && rows_next(&r, &w)) {
        with(d, j, &r, &w);
        progress_at(r.at);
    }
    progress_end();
    rows_close(&r);
    return spool_failed(d->rows) || out_failed() ? END_TROUBLE : END_YES;
}

static void join_if_near(dedupe *d, join *j, rows *r, const row *w)
{
    (void)d, (void)r;
    if (w->kind == ROW_PASSED) return;
    if (w->kind == ROW_DOUBT || join_wants(j, w->hash)) join_row(j, w);
}

static void print_if_true(dedupe *d, join *j, rows *r, const row *w)
{
    if (!w->has_text || (w->kind == ROW_DOUBT && !join_yes(j, w->number))) return;
    rows_print(r, w, d->s->read.zero ? '\0' : '\n');
    d->printed++;
}

static ending settle(dedupe *d)
{
    blm_free(d->known);
    recent_free(d->lately);
    d->known = NULL;
    d->lately = NULL;
    join *j = join_new(d->repeated ? JOIN_SECOND : JOIN_FIRST, &d->doubts, d->rows, d->ram);
    ending end = j ? each_row(d, j, join_if_near) : END_TROUBLE;
    if (!end && !join_end(j)) end = END_TROUBLE;
    if (!end) end = each_row(d, j, print_if_true);
    if (j) d->written = join_bytes(j);
    if (j && join_memory(j) + d->buffers > d->memory) d->memory = join_memory(j) + d->buffers;
    join_free(j);
    return end;
}

/* ---- the verb's part ------------------------------------------------------------------------------------------ */

static void summary(const dedupe *d)
{
    char memory[32], spilled[32];
    const uint64_t bytes = spool_on_disk(d->rows) + spool_on_disk(d->doubts.hashes) + d->written;
    if (d->s->json)
        fprintf(stderr,
                "{\"lines\":%" PRIu64 ",\"printed\":%" PRIu64 ",\"dropped\":%" PRIu64
                ",\"without_key\":%" PRIu64 ",\"expected_lost\":0,\"at_once\":%" PRIu64
                ",\"held\":%" PRIu64 ",\"bytes\":%" PRIu64 ",\"spilled_bytes\":%" PRIu64 "}\n",
                d->lines, d->printed, d->lines - d->printed, d->keyless, d->lines - d->doubts.count,
                d->doubts.count, d->memory, bytes);
    else if (!d->s->quiet)
        complain("%" PRIu64 " line%s in, %" PRIu64 " out, %" PRIu64 " dropped; none lost: %" PRIu64
                 " decided at once, %" PRIu64
                 " at the end by their bytes; %s of memory, %s spilled",
                 d->lines, plural(d->lines), d->printed, d->lines - d->printed,
                 d->lines - d->doubts.count, d->doubts.count, text_bytes(memory, d->memory),
                 text_bytes(spilled, bytes));
}

static ending start(dedupe *d)
{
    const settings *s = d->s;
    if (!(d->ram = ram_bytes(s, "uniq --exact"))) return END_TROUBLE;
    const size_t buffer = d->ram / 16 < 8 * LONG_KEY ? (size_t)(d->ram / 16) : 8 * LONG_KEY;
    d->max_bits = d->ram / 2 * 8;
    d->hasher = secret_hasher();
    d->lately = recent_new(d->ram / 8 * 3);
    d->rows = spool_new(buffer);
    d->doubts.hashes = spool_new(buffer / 4);
    d->buffers = buffer + buffer / 4;
    if (!d->hasher || !d->lately || !d->rows || !d->doubts.hashes) return END_TROUBLE;
    const uint64_t first = (uint64_t)START_BYTES * 8;
    const ending end = new_filter(d, first < d->max_bits ? first : d->max_bits);
    if (end) return end;
    if (!(d->in = input_open(s, s->operand, s->operands))) return END_TROUBLE;
    input_hash_with(d->in, d->hasher, true);
    return END_YES;
}

ending uniq_exact(const settings *s, bool repeated)
{
    dedupe d = {.s = s, .repeated = repeated};
    ending end = start(&d);
    if (!end) end = take_all(&d);
    if (!end && d.doubts.count) end = settle(&d);
    out_flush();
    if (!end && !out_failed()) summary(&d);
    blm_free(d.hasher);
    blm_free(d.known);
    recent_free(d.lately);
    spool_free(d.rows);
    spool_free(d.doubts.hashes);
    return end;
}
