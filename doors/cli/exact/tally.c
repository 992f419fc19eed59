/* tally.c - bloomery uniq -c and -u: how often each line came, exactly, within --ram.
 *
 *      slots   | 0 | 17 | 0 | 3 | ...                 open addressing; in units of 8 bytes, from 1
 *      arena   |entry|text|key|entry|text|key|...     in the order of arrival
 *
 * Nothing can be printed before the end: any line may come again. A table takes keys until its memory is full.
 * From then on lines whose key is not in it go to a spool, in order. At the end the table is printed, emptied, and
 * the spool is read as the input was, into the next spool, until none is left. A key of the spool first came after
 * every key of the table, so that the order of the output is that of the first lines.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "exact/exact.h"
#include "exact/spill.h"

#define UNIT 8
#define NO_KEY                                                                                     \
    UINT64_MAX /* in place of the length of a key: the line has none, and is like no other */
#define IS_TEXT (UINT64_MAX - 1) /* the key is the text */
#define WINDOW  ((size_t)1 << 18)

typedef struct entry { /* and a record of a spool, where count is 1 */
    uint64_t hash, count;
    uint64_t text_length, key_length; /* of the bytes that follow */
} entry;

typedef struct tally {
    const settings *s;
    const uniq_tally_wish *wish;
    uint32_t *slots;
    char *arena;
    uint64_t nslots, keys;    /* of the table */
    uint64_t used, room, max; /* of the arena, in bytes; most: of all memory */
    bool full;                /* the table takes no more keys in this pass */
    spool *next;              /* what did not fit; NULL: all did */
    uint64_t lines, printed, distinct, memory, spilled;
} tally;

static uint64_t key_bytes(const entry *e) { return e->key_length < IS_TEXT ? e->key_length : 0; }

static uint64_t entry_bytes(const entry *e)
{
    return (sizeof *e + e->text_length + key_bytes(e) + UNIT - 1) / UNIT * UNIT;
}

static entry *entry_at(const tally *t, uint64_t unit)
{
    return (entry *)(void *)(t->arena + (unit - 1) * UNIT);
}

/* The key of an entry whose text is at `text` and its key after it. */
static const char *key_of(const entry *e, const char *text, uint64_t *n)
{
    *n = e->key_length < IS_TEXT ? e->key_length : e->text_length;
    return e->key_length < IS_TEXT ? text + e->text_length : text;
}

/* ---- the table ----------------------------------------------------------------------------------------- */

static entry *find(const tally *t, uint64_t hash, const char *key, uint64_t length)
{
    for (uint64_t i = hash;; i++) { /* ends: a quarter of the slots is empty */
        uint64_t n;
        const uint32_t unit = t->slots[i & (t->nslots - 1)];
        if (!unit) return NULL;
        entry *e = entry_at(t, unit);
        const char *own = key_of(e, (const char *)(e + 1), &n);
        if (e->hash == hash && n == length && memcmp(own, key, (size_t)n) == 0) return e;
    }
}

static void point_at(tally *t, uint64_t hash, uint64_t unit)
{
    uint64_t i = hash;
    while (t->slots[i & (t->nslots - 1)]) i++;
    t->slots[i & (t->nslots - 1)] = (uint32_t)unit;
}

static bool more_slots(tally *t)
{
    if (t->keys < t->nslots / 4 * 3) return true;
    const size_t bytes = (size_t)t->nslots * 2 * sizeof *t->slots;
    if (bytes > t->max / 4) return false;
    uint32_t *larger = realloc(t->slots, bytes);
    if (!larger) return false;
    memset(larger, 0, bytes);
    t->slots = larger;
    t->nslots *= 2;
    for (uint64_t at = 0; at < t->used;) {
        const entry *e = entry_at(t, at / UNIT + 1);
        if (e->key_length != NO_KEY) point_at(t, e->hash, at / UNIT + 1);
        at += entry_bytes(e);
    }
    return true;
}

/* One line always fits, however long: --max-record is a part of --ram. */
static bool more_arena(tally *t, uint64_t need)
{
    const uint64_t max = t->max - t->max / 4;
    if (t->used + need <= t->room) return true;
    if (t->used && (t->used + need > max || (t->used + need) / UNIT >= UINT32_MAX)) return false;
    uint64_t room = t->room;
    while (room < t->used + need) room *= 2;
    if (room > max && t->used + need <= max) room = max;
    char *larger = realloc(t->arena, (size_t)room);
    if (!larger) return false;
    t->arena = larger;
    t->room = room;
    return true;
}

static bool put(tally *t, const entry *e, const char *text, const char *key)
{
    if (t->full || !more_arena(t, entry_bytes(e)) || !more_slots(t)) return false;
    entry *to = entry_at(t, t->used / UNIT + 1);
    char *bytes = (char *)(to + 1);
    *to = *e;
    memcpy(bytes, text, (size_t)e->text_length);
    memcpy(bytes + e->text_length, key, (size_t)key_bytes(e));
    if (e->key_length != NO_KEY) point_at(t, e->hash, t->used / UNIT + 1), t->keys++;
    t->used += entry_bytes(e);
    return true;
}

/* ---- a line, of the input or of a spool ------------------------------------------------------------------ */

static ending take_entry(tally *t, const entry *e, const char *text, const char *key)
{
    uint64_t n = e->key_length < IS_TEXT ? e->key_length : e->text_length;
    const char *whole = e->key_length < IS_TEXT ? key : text;
    entry *known = e->key_length == NO_KEY ? NULL : find(t, e->hash, whole, n);
    if (known) {
        known->count++;
        return END_YES;
    }
    if (put(t, e, text, key)) return END_YES;
    t->full = true; /* a shorter line that would fit must not pass those that did not */
    if (!t->next && !(t->next = spool_new(t->max / 16 < WINDOW ? (size_t)(t->max / 16) : WINDOW)))
        return END_TROUBLE;
    spool_write(t->next, e, sizeof *e);
    spool_write(t->next, text, (size_t)e->text_length);
    spool_write(t->next, key, (size_t)key_bytes(e));
    return spool_failed(t->next) ? END_TROUBLE : END_YES;
}

static ending take_line(tally *t, const input *in, const line *l)
{
    const bool is_text = l->key == l->text && l->key_length == l->length;
    const entry e = {.hash = l->key ? l->h.lo : 0,
                     .count = 1,
                     .text_length = l->length,
                     .key_length = !l->key   ? NO_KEY
                                   : is_text ? IS_TEXT
                                             : l->key_length};
    if (!l->key && !input_keeps(in, l)) return END_YES;
    return take_entry(t, &e, l->text, l->key ? l->key : "");
}

static ending take_input(tally *t, input *in)
{
    line lines[BATCH];
    size_t n;
    ending end = END_YES;
    while (!end && (n = input_lines(in, lines)) > 0) {
        for (size_t i = 0; i < n && !end; i++) end = take_line(t, in, &lines[i]);
        t->lines += n;
    }
    return !end && input_failed(in) ? END_TROUBLE : end;
}

/* n bytes of the spool, in a buffer that begins at *base; NULL: it has failed. */
typedef struct window {
    char *bytes;
    uint64_t base, used, room;
} window;

static const char *look(window *w, spool *from, uint64_t at, uint64_t n)
{
    if (at >= w->base && at + n <= w->base + w->used) return w->bytes + (at - w->base);
    const uint64_t left = spool_bytes(from) - at, want = n > WINDOW      ? n
                                                         : left < WINDOW ? left
                                                                         : WINDOW;
    if (want > w->room) {
        free(w->bytes);
        w->room = w->used = 0;
        if (!(w->bytes = malloc((size_t)want))) {
            complain("no memory for a line of %" PRIu64 " bytes", n);
            return NULL;
        }
        w->room = want;
    }
    w->base = at;
    w->used = want;
    return spool_read(from, at, w->bytes, (size_t)want) ? w->bytes : NULL;
}

static ending take_spool(tally *t, spool *from)
{
    window w = {.bytes = NULL};
    entry e;
    ending end = END_YES;
    for (uint64_t at = 0; at < spool_bytes(from) && !end;) {
        const char *head = look(&w, from, at, sizeof e);
        if (!head) end = END_TROUBLE;
        if (end) break;
        memcpy(&e, head, sizeof e);
        const uint64_t n = e.text_length + key_bytes(&e);
        const char *text = look(&w, from, at + sizeof e, n);
        end = text ? take_entry(t, &e, text, text + e.text_length) : END_TROUBLE;
        at += sizeof e + n;
    }
    free(w.bytes);
    return end;
}

/* ---- the end ------------------------------------------------------------------------------------------------ */

static void print_all(tally *t)
{
    const char end = t->s->read.zero ? '\0' : '\n';
    for (uint64_t at = 0; at < t->used && !out_failed();) {
        const entry *e = entry_at(t, at / UNIT + 1);
        at += entry_bytes(e);
        t->distinct += e->key_length != NO_KEY;
        if ((t->wish->once && e->count > 1) || (t->wish->repeated && e->count == 1)) continue;
        if (t->wish->count) out_text("%7" PRIu64 " ", e->count);
        out_bytes(e + 1, (size_t)e->text_length);
        out_bytes(&end, 1);
        t->printed++;
    }
}

static ending all_passes(tally *t)
{
    ending end = END_YES;
    for (;;) {
        const uint64_t now = t->room + t->nslots * sizeof *t->slots;
        spool *from = t->next;
        if (now > t->memory) t->memory = now;
        print_all(t);
        t->next = NULL;
        if (!from) return END_YES;
        t->spilled += spool_on_disk(from);
        memset(t->slots, 0, (size_t)t->nslots * sizeof *t->slots);
        t->used = t->keys = 0;
        t->full = false;
        if (!end) end = out_failed() ? END_TROUBLE : take_spool(t, from);
        spool_free(from);
        if (end) return end;
    }
}

static void summary(const tally *t, uint64_t keyless)
{
    char memory[32], spilled[32];
    if (t->s->json)
        fprintf(stderr,
                "{\"lines\":%" PRIu64 ",\"printed\":%" PRIu64 ",\"dropped\":%" PRIu64
                ",\"without_key\":%" PRIu64 ",\"expected_lost\":0,\"distinct\":%" PRIu64
                ",\"bytes\":%" PRIu64 ",\"spilled_bytes\":%" PRIu64 "}\n",
                t->lines, t->printed, t->lines - t->printed, keyless, t->distinct, t->memory,
                t->spilled);
    else if (!t->s->quiet)
        complain("%" PRIu64 " line%s in, %" PRIu64 " distinct, %" PRIu64
                 " out; none lost; %s of memory, %s spilled",
                 t->lines, plural(t->lines), t->distinct, t->printed, text_bytes(memory, t->memory),
                 text_bytes(spilled, t->spilled));
}

ending uniq_tally(const settings *s, const uniq_tally_wish *wish)
{
    tally t = {.s = s, .wish = wish, .nslots = 1024, .room = 4096};
    blm_filter *hasher = NULL;
    input *in = NULL;
    uint64_t keyless = 0;
    if (!(t.max = ram_bytes(s, "uniq -c and -u"))) return END_TROUBLE;
    t.slots = calloc((size_t)t.nslots, sizeof *t.slots);
    t.arena = malloc((size_t)t.room);
    ending end = t.slots && t.arena ? END_YES : trouble("no memory for a table of lines");
    if (!end && !(hasher = secret_hasher())) end = END_TROUBLE;
    if (!end && !(in = input_open(s, s->operand, s->operands))) end = END_TROUBLE;
    if (in) {
        input_hash_with(in, hasher, true);
        end = take_input(&t, in);
        keyless = input_keyless(in);
        input_close(in);
    }
    if (!end) end = all_passes(&t);
    out_flush();
    if (!end && !out_failed()) summary(&t, keyless);
    spool_free(t.next);
    blm_free(hasher);
    free(t.slots);
    free(t.arena);
    return end;
}
