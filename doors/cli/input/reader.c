/* reader.c - blocks of whole records, one file after the other.
 *
 *      block   |tail of the last one|  bytes of read() ... newline|begun record|   free   |
 *              0                                                 cut         used       room
 *
 * A block goes out as soon as it holds a whole record and no more bytes have arrived, or it is
 * full; the begun record waits in `tail`. A record longer than the block doubles its room. Finding
 * the cut is sequential (a newline may stand inside quotes), all else is not.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "input/organs.h"

#define ROOM (2 * BLOCK) /* of an ordinary block, and the max of a tail */

static bool trouble_in(block *b, const char *why)
{
    if (why != b->why) snprintf(b->why, WHY, "%s", why);
    b->failed = true;
    return false;
}

/* A block that had to grow gives that back. */
static bool block_clear(block *b)
{
    if (b->room > 2 * ROOM) {
        free(b->bytes);
        b->bytes = NULL;
        b->room = 0;
    }
    if (b->keys_room > 2 * ROOM) {
        free(b->keys);
        b->keys = NULL;
        b->keys_room = 0;
    }
    if (!b->bytes) b->bytes = malloc(ROOM);
    if (b->bytes && !b->room) b->room = ROOM;
    b->used = b->nlines = b->keyless = b->given = b->header = 0;
    b->newlines = b->wrong = 0;
    b->failed = b->first = b->has_header = b->odd_header = b->marked = b->timed = false;
    b->why[0] = 0;
    return b->bytes || trouble_in(b, "no memory for an input buffer");
}

void block_free(block *b)
{
    free(b->bytes);
    free(b->keys);
    free(b->lines);
    free(b->mark);
    sorted_free(&b->by_share);
    *b = (block){.bytes = NULL};
}

/* Whatever is here is one record that has not ended, or less than a block. */
static bool make_room(const reader *r, block *b, bool whole)
{
    char text[32];
    if (!whole && b->used > r->longest) {
        snprintf(b->why, WHY, "a line longer than %s; use a larger --max-record or --ram",
                 text_bytes(text, r->longest));
        return trouble_in(b, b->why);
    }
    if (b->room - b->used >= BLOCK) return true;
    char *larger = b->room > SIZE_MAX / 2 ? NULL : realloc(b->bytes, 2 * b->room);
    if (!larger) return trouble_in(b, "a line too long for the memory");
    b->bytes = larger;
    b->room *= 2;
    return true;
}

static size_t cut_at(reader *r, const block *b, size_t from)
{
    if (r->f->csv) return csv_cut(&r->csv, r->f->delimiter, b->bytes, from, b->used);
    size_t cut = b->used;
    while (cut > from && b->bytes[cut - 1] != r->f->end) cut--;
    return cut > from ? cut : 0;
}

/* Reads until there is a whole record, and on while more is there. The end of a file ends a record.
 * *cut: where the last one ends. */
static outcome fill(reader *r, block *b, size_t *cut)
{
    for (*cut = 0;;) {
        size_t n = 0, from = b->used;
        if (!make_room(r, b, *cut > 0)) return GOT_FAILED;
        const outcome g = source_read(&r->src, !*cut, b->bytes + b->used, BLOCK, &n, b->why);
        if (g == GOT_END) *cut = b->used;
        if (g == GOT_FAILED) b->failed = true;
        if (g == GOT_STOPPED && *cut) return GOT_BYTES; /* whole records go out all the same */
        if (g != GOT_BYTES) return g;
        b->used += n;
        const size_t end = cut_at(r, b, from);
        if (end) *cut = end;
        if (*cut && (!n || b->used >= BLOCK)) return g;
    }
}

static bool no_image(block *b)
{
    if (is_image(b->bytes, b->used))
        return trouble_in(b, "this is a filter, not lines of keys; did you swap FILE and INPUT?");
    return true;
}

/* Keys of UTF-16 would match none of the same words elsewhere. Records of -z are any bytes. */
static bool no_wide_text(const reader *r, block *b)
{
    const bool wide = b->used >= 2 && (memcmp(b->bytes, "\xff\xfe", 2) == 0 ||
                                       memcmp(b->bytes, "\xfe\xff", 2) == 0);
    if (!wide || !r->f->end) return true;
    const bool plain_file = !r->src.un.how && strcmp(r->paths[r->next - 1], "-") != 0;
    snprintf(b->why, WHY,
             "this is UTF-16 text, but keys are compared as bytes; convert it first: %s%.400s",
             plain_file ? "iconv -f UTF-16 -t UTF-8 " : "pipe it through iconv -f UTF-16 -t UTF-8",
             plain_file ? r->src.name : "");
    return trouble_in(b, b->why);
}

/* The mark that some editors put before UTF-8 is not part of the first key. A CSV header comes out as
 * it is: csv_column looks after the mark. */
static void strip_mark(const reader *r, block *b, size_t *cut)
{
    static const char mark[3] = "\xef\xbb\xbf";
    if (r->f->csv || !r->f->end || *cut < sizeof mark || memcmp(b->bytes, mark, sizeof mark) != 0)
        return;
    b->used -= sizeof mark;
    *cut -= sizeof mark;
    memmove(b->bytes, b->bytes + sizeof mark, b->used);
    b->marked = true;
}

/* The first header stands for those of all files: a reader of the output expects one. */
static bool give_header(reader *r, block *b, size_t n)
{
    if (n && b->bytes[n - 1] == '\r') n--;
    if (r->header) {
        b->odd_header = n != r->header_length || memcmp(r->header, b->bytes, n) != 0;
        return true;
    }
    r->header = malloc(n + 1);
    if (!r->header) return trouble_in(b, "no memory for its header");
    memcpy(r->header, b->bytes, n);
    r->header_length = n;
    b->has_header = true;
    return true;
}

static bool take_header(reader *r, block *b)
{
    bool open = false;
    const char *end = b->bytes + b->used;
    const char *stop = csv_record_end(r->f->delimiter, b->bytes, end, &open);
    char *room = block_keys(b);
    b->wrong = 1;
    if (open) return trouble_in(b, "a quoted field has no closing quote");
    if (!room) return trouble_in(b, "no memory for its keys");
    if (!csv_column(r->f->delimiter, b->bytes, (size_t)(stop - b->bytes), r->f->csv, room,
                    &r->column, b->why))
        return trouble_in(b, b->why);
    if (r->f->time && !csv_column(r->f->delimiter, b->bytes, (size_t)(stop - b->bytes), r->f->time,
                                  room, &r->time_column, b->why))
        return trouble_in(b, b->why);
    b->wrong = 0;
    b->header = (size_t)(stop - b->bytes) + (stop < end);
    return !r->f->headers || give_header(r, b, (size_t)(stop - b->bytes));
}

static bool open_next(reader *r, block *b)
{
    const char *path = r->paths[r->next++];
    b->name = path;
    if (!source_open(&r->src, path, b->why)) return trouble_in(b, b->why);
    r->first = true;
    r->csv = (csv_state){0};
    r->tail_used = 0;
    return true;
}

/* What comes after the cut waits for the next block; a file that failed has none. */
static bool finish(reader *r, block *b, outcome g, size_t cut)
{
    bool sound = true;
    b->name = r->src.name;
    b->first = r->first;
    b->read = r->src.bytes;
    if (r->first && b->used) sound = no_image(b) && no_wide_text(r, b);
    if (r->first && sound) strip_mark(r, b, &cut);
    r->tail_used = g == GOT_BYTES ? b->used - cut : 0;
    memcpy(r->tail, b->bytes + cut, r->tail_used);
    b->used = sound ? cut : 0;
    if (b->used && r->first && r->f->csv && !take_header(r, b)) b->used = b->header = 0;
    b->column = r->column;
    b->time_column = r->time_column;
    r->bytes += b->used;
    if (b->used) r->first = false;
    if (g == GOT_END) source_close(&r->src);
    if (b->failed) r->failed = true;
    return b->used || b->failed;
}

static void exchange(reader *r, block *b)
{
    char *const bytes = b->bytes;
    const size_t room = b->room;
    b->bytes = r->tail;
    b->room = r->tail_room;
    r->tail = bytes;
    r->tail_room = room;
}

/* A begun record longer than an ordinary block is there only when reading stopped inside it. */
static void take_tail(reader *r, block *b)
{
    if (r->tail_used > b->room)
        exchange(r, b);
    else
        memcpy(b->bytes, r->tail, r->tail_used);
    b->used = r->tail_used;
}

/* Somebody may read on: what has come of a record is kept. */
static bool stopped(reader *r, block *b)
{
    exchange(r, b);
    r->tail_used = b->used;
    return false;
}

bool reader_next(reader *r, block *b)
{
    if (r->failed) return false;
    if (!r->tail) r->tail = malloc(r->tail_room = ROOM);
    r->failed = !block_clear(b) || (!r->tail && !trouble_in(b, "no memory for an input buffer"));
    while (!r->failed) {
        size_t cut = 0;
        if (r->src.fd < 0) {
            if (r->next >= r->npaths) return false;
            r->failed = !open_next(r, b);
            if (r->failed) break;
        }
        take_tail(r, b);
        const outcome g = fill(r, b, &cut);
        if (g == GOT_STOPPED) return stopped(r, b);
        if (finish(r, b, g, cut)) break;
    }
    return true;
}

void reader_close(reader *r)
{
    source_close(&r->src);
    free(r->src.raw);
    free(r->tail);
    free(r->header);
    r->src.raw = r->tail = r->header = NULL;
}
