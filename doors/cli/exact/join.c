/* join.c - which doubts are true: every row that could matter, its key's real bytes, within --ram.
 *
 *      rows --hash of a doubt?--> part 0: decided at once in the table
 *                             \-> part 1, 2, ...: to disk, each decided in the same table later
 *
 * A filter of the doubts' hashes leaves out the rows that no doubt is about. Equal keys are in one
 * part, in order, so that the first of them is the first of all. When the table is full it takes no
 * new key any more: rows of keys that are not in it go to a file that is decided afterwards in the
 * same way. So the parts are a matter of speed, and a wrong guess of their number costs no memory:
 * with p parts for a need of r tables the rows are written r/p times over.
 */
#define _POSIX_C_SOURCE 200809L
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "exact/spill.h"

enum { SALT_NEAR = 1, SALT_PART = 2 };
enum {
    PARTS_MAX = 256,
    BUFFER_MIN = 4096,
    BUFFER_MAX = 65536,
    ENTRY = 32,
    NEAR_BITS = 12,
    CACHED = 1 << 20
};

struct join {
    join_rule rule;
    spool *home;
    blm_filter *near; /* the doubts' hashes; NULL: any row may matter */
    keytable *table;
    bool full;   /* the table takes no new keys */
    spool *rest; /* rows of keys that came when it was full */
    spool *part[PARTS_MAX];
    uint64_t parts, doubts, bytes;
    uint64_t near_bytes, memory; /* memory: the most so far */
    size_t buffer;
    uint8_t *yes; /* a bit a doubt */
};

/* ---- doubts ---------------------------------------------------------------------------------------- */

void doubts_note(doubts *d, const row *r)
{
    spool_write(d->hashes, &r->hash, sizeof r->hash);
    d->count++;
    d->key_bytes += r->key_length > LONG_KEY ? 0 : r->key_length;
}

/* A quarter of --ram for a bit a doubt. */
ending doubts_fit(const doubts *d, uint64_t ram)
{
    if (d->count <= ram / 4 * 8) return END_YES;
    complain("--ram: %" PRIu64 " bytes can decide at most %" PRIu64
             " undecided lines, and there are more; use a larger --ram",
             ram, ram / 4 * 8);
    return END_FULL;
}

static blm_hash near_hash(uint64_t hash) { return (blm_hash){hash_again(hash, SALT_NEAR), 0}; }

/* 12 bits a doubt: 1 row in 250 comes along for nothing. At most an eighth of --ram. With as many
 * doubts as other rows it would leave out too little to pay for itself. */
static bool make_near(join *j, const doubts *d, uint64_t ram)
{
    blm_report why = {BLM_OK, ""};
    uint64_t max = ram, hashes[BATCH];
    if (d->others && d->others <= d->count) return true;
    if (d->count < max / NEAR_BITS) max = (d->count + 1) * NEAR_BITS;
    j->near_bytes = max / 8;
    const blm_err err = blm_new(
        &j->near,
        BLM_CONFIG(.kind = "blocked", .bits = max < 512 ? 512 : max, .hashes = 6, .overfill = true),
        &why);
    if (err) {
        complain_why(NULL, err, &why);
        return false;
    }
    for (uint64_t i = 0; i < d->count; i += BATCH) {
        const size_t n = d->count - i < BATCH ? (size_t)(d->count - i) : BATCH;
        blm_hash h[BATCH];
        if (!spool_read(d->hashes, i * sizeof *hashes, hashes, n * sizeof *hashes)) return false;
        for (size_t k = 0; k < n; k++) h[k] = near_hash(hashes[k]);
        if (blm_add_many(j->near, h, NULL, n, NULL, NULL)) return false;
    }
    return true;
}

/* ---- making ------------------------------------------------------------------------------------------ */

/* Every key in the table is a doubt's, but for the few that come along: so the doubts are the need. */
static void choose_parts(join *j, const doubts *d, uint64_t table, uint64_t ram)
{
    const uint64_t need = d->count * ENTRY + d->key_bytes;
    uint64_t max = ram / 16 / BUFFER_MIN;
    const long files = sysconf(_SC_OPEN_MAX);
    if (files > 0 && max > (uint64_t)files / 2) max = (uint64_t)files / 2;
    if (max > PARTS_MAX) max = PARTS_MAX;
    const uint64_t tables = need / (table - table / 4) + 1;
    const uint64_t cached = need / CACHED + 1;
    /* With more than one nearly all goes to disk: then in parts whose table the cache can hold. */
    j->parts = tables > 1 && cached > tables ? cached : tables;
    if (j->parts > max) j->parts = max;
    const uint64_t share = ram / 16 / j->parts;
    j->buffer = (size_t)(share > BUFFER_MAX ? BUFFER_MAX : share);
}

join *join_new(join_rule rule, const doubts *d, spool *home, uint64_t ram)
{
    join *j = calloc(1, sizeof *j);
    uint8_t *yes = calloc((size_t)(d->count / 8 + 1), 1);
    if (!j || !yes) {
        complain("no memory to decide %" PRIu64 " lines", d->count);
        free(j);
        free(yes);
        return NULL;
    }
    j->rule = rule;
    j->home = home;
    j->yes = yes;
    j->doubts = d->count;
    /* 5/8 for the bits (at most 1/4) and the table; the rest is for the filter and buffers. */
    const uint64_t left = ram / 8 * 5 - d->count / 8, table = left < ram / 2 ? left : ram / 2;
    choose_parts(j, d, table, ram);
    bool made = make_near(j, d, ram) && (j->table = keytable_new(table, home));
    for (uint64_t i = 1; made && i < j->parts; i++) made = (j->part[i] = spool_new(j->buffer));
    if (made && (j->rest = spool_new(j->buffer))) return j;
    join_free(j);
    return NULL;
}

void join_free(join *j)
{
    if (!j) return;
    blm_free(j->near);
    keytable_free(j->table);
    spool_free(j->rest);
    for (size_t i = 0; i < PARTS_MAX; i++) spool_free(j->part[i]);
    free(j->yes);
    free(j);
}

/* ---- deciding ------------------------------------------------------------------------------------------ */

static void say_yes(join *j, const row *r)
{
    j->yes[r->number / 8] |= (uint8_t)(1 << r->number % 8);
}

bool join_yes(const join *j, uint64_t number) { return j->yes[number / 8] >> number % 8 & 1; }

/* *times, the byte stored with a key, says how often it was there: 1, or 2 for twice and more. */
static void meet_again(join *j, const row *r, uint8_t *times)
{
    const bool doubt = r->kind == ROW_DOUBT;
    if (doubt && (j->rule == JOIN_LISTED || (j->rule == JOIN_SECOND && *times == 1))) say_yes(j, r);
    *times = 2;
}

static void decide(join *j, const row *r)
{
    uint8_t *times = keytable_find(j->table, r);
    if (times) {
        meet_again(j, r, times);
        return;
    }
    const bool doubt = r->kind == ROW_DOUBT, inserts = !doubt || j->rule != JOIN_LISTED;
    if (!j->full && inserts) j->full = !keytable_put(j->table, r, r->kind == ROW_SECOND ? 2 : 1);
    if (j->full)
        row_pass_on(j->rest, r);
    else if (doubt && j->rule == JOIN_FIRST)
        say_yes(j, r);
}

bool join_wants(const join *j, uint64_t hash)
{
    return !j->near || blm_has_hash(j->near, near_hash(hash));
}

void join_row(join *j, const row *r)
{
    const uint64_t part = (hash_again(r->hash, SALT_PART) >> 32) * j->parts >> 32;
    if (part)
        row_pass_on(j->part[part], r);
    else
        decide(j, r);
}

static void count_memory(join *j)
{
    const uint64_t reader = j->buffer > LONG_KEY ? j->buffer : LONG_KEY;
    const uint64_t now = keytable_bytes(j->table) + j->near_bytes + j->doubts / 8 +
                         (j->parts + 1) * j->buffer + reader;
    if (now > j->memory) j->memory = now;
}

static bool decide_all(join *j, spool *from)
{
    rows r;
    row w;
    keytable_clear(j->table);
    j->full = false;
    if (!rows_open(&r, from, spool_bytes(from), j->buffer)) return false;
    while (rows_next(&r, &w)) decide(j, &w);
    rows_close(&r);
    j->bytes += spool_on_disk(from);
    return !spool_failed(from) && !spool_failed(j->rest) && !spool_failed(j->home);
}

/* What did not fit, again and again: each time at least one key fits. */
static bool decide_rest(join *j)
{
    bool sound = !spool_failed(j->rest);
    while (sound && spool_bytes(j->rest)) {
        spool *from = j->rest;
        j->rest = spool_new(j->buffer);
        sound = j->rest && decide_all(j, from);
        spool_free(from);
    }
    return sound;
}

bool join_end(join *j)
{
    count_memory(j);
    blm_free(j->near);
    j->near = NULL;
    j->near_bytes = 0;
    bool sound = !spool_failed(j->home) && decide_rest(j);
    for (uint64_t i = 1; sound && i < j->parts; i++) {
        sound = decide_all(j, j->part[i]) && decide_rest(j);
        spool_free(j->part[i]); /* its room on disk is free again */
        j->part[i] = NULL;
    }
    count_memory(j);
    keytable_free(j->table);
    j->table = NULL;
    return sound;
}

uint64_t join_bytes(const join *j) { return j->bytes; }
uint64_t join_memory(const join *j) { return j->memory; }
