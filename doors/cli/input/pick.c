/* pick.c - keys out of records: which options go together, and what each makes of a line. Any
 * thread runs block_pick; nothing here knows of the others. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "input/organs.h"

/* ---- options ---------------------------------------------------------------------------------- */

static bool refuse(const char *sentence)
{
    complain("%s", sentence);
    return false;
}

/* The option with the field of the key's number, as this verb calls it. */
static const char *arg_option(const verb *v)
{
    const option *o;
    for (size_t i = 0; (o = option_at(v, i)); i++)
        if (o->type == TAKE_COUNT && o->at == offsetof(settings, read.arg)) return o->name;
    return "arg";
}

static bool makes_sense(const settings *s)
{
    if (s->read.csv && s->read.jsonl) return refuse("--csv and --jsonl: give only one of them");
    if (s->read.csv && s->read.field)
        return refuse("--csv NAME and -f N: both choose the key; give only one of them");
    if (s->read.jsonl && (s->read.field || s->read.delimiter))
        return refuse("--jsonl and -d or -f: --jsonl already chooses the key by its path; leave -d "
                      "and -f out");
    if (s->read.csv && s->read.zero)
        return refuse("--csv and -z: CSV records end in a newline; leave -z out");
    if (s->read.hex && s->read.lower)
        return refuse("--hex and --lower: give only one of them (hex digits may have either case)");
    if (s->read.arg && !s->read.field) {
        complain("--%s N: also choose the field that is the key: -f N", arg_option(s->verb));
        return false;
    }
    if (s->read.csv && !*s->read.csv) return refuse("--csv: missing column name");
    return true;
}

static bool pick_delimiter(const settings *s, char *out)
{
    const char *d = s->read.delimiter;
    *out = s->read.csv ? ',' : '\t';
    if (!d) return true;
    if (!s->read.field && !s->read.csv && !s->read.time) {
        complain("-d %s: also choose the field that is the key: -f N, or --csv NAME%s", d,
                 strcmp(s->verb->name, "uniq") == 0 ? "; for repeated lines, use --repeated" : "");
        return false;
    }
    if (strcmp(d, "\\t") == 0) {
        *out = '\t';
        return true;
    }
    if (strlen(d) != 1) {
        complain("-d %s: a delimiter must be one byte, or \\t", d);
        return false;
    }
    if (s->read.csv && strchr("\"\r\n", d[0]))
        return refuse("-d: in CSV, a quote or a line end cannot be the delimiter");
    *out = d[0];
    return true;
}

static bool pick_no_key(const settings *s, format *f)
{
    static const char *const words[] = {"drop", "keep", "fail"}; /* in the order of the enum */
    const char *word = s->read.no_key ? s->read.no_key : words[NO_KEY_DROP];
    unsigned i = 0;
    while (i < COUNT_OF(words) && strcmp(word, words[i]) != 0) i++;
    if (i == COUNT_OF(words)) {
        complain("--no-key %s: must be keep, drop or fail", word);
        return false;
    }
    f->no_key = i;
    if (i != NO_KEY_KEEP || s->verb->lines_out) return true;
    return refuse("--no-key keep: this verb prints no lines; use drop or fail");
}

ending arg_taken(const settings *s, const char *kind)
{
    blm_kind_info k;
    const bool takes = blm_kind_named(kind, &k) && k.arg;
    return !s->read.arg || takes ? END_YES : trouble("--arg: keys of kind %s have no number", kind);
}

ending arg_refused(const char *kind, const blm_filter *f)
{
    uint64_t min, max;
    blm_kind_info k;
    const char *name = blm_kind_named(kind, &k) && k.arg ? k.arg : "number";
    if (!f || !blm_arg_range(f, &min, &max))
        return trouble("--arg: a %s is out of the range of kind %s; nothing was written", name,
                       kind);
    return trouble("--arg: a %s is out of range: must be from %" PRIu64 " to %" PRIu64
                   "; nothing was written",
                   name, min, max);
}

/* Where the time stands, in the words by which the key is chosen. */
static bool time_of(format *f, const settings *s)
{
    const char *t = f->time = s->read.time;
    if (!t || (s->read.csv && *t)) return true;
    if (s->read.jsonl) return json_path_read(&f->time_path, "--time", t);
    if (key_number(t, strlen(t), &f->time_field) && f->time_field && f->time_field <= 1000000)
        return true;
    complain("--time %s: must be the number of a field, from 1; with --csv the name of a column, "
             "with --jsonl a path such as .time",
             t);
    return false;
}

bool format_of(format *f, const settings *s)
{
    *f = (format){.end = s->read.zero ? '\0' : '\n',
                  .field = s->read.arg > s->read.field ? s->read.arg : s->read.field,
                  .arg = s->read.arg,
                  .arg_name = arg_option(s->verb),
                  .fields = s->read.fields,
                  .csv = s->read.csv,
                  .headers = s->read.csv && s->read.header,
                  .crlf = s->read.crlf,
                  .hex = s->read.hex,
                  .lower = s->read.lower};
    if (!makes_sense(s) || !pick_delimiter(s, &f->delimiter) || !pick_no_key(s, f)) return false;
    if ((!s->read.jsonl || json_path_read(&f->path, "--jsonl", s->read.jsonl)) && time_of(f, s))
        return true;
    format_free(f);
    return false;
}

void format_free(format *f)
{
    free(f->path.names);
    free(f->time_path.names);
    f->path.names = f->time_path.names = NULL;
}

/* ---- one key ------------------------------------------------------------------------------------ */

/* The key is one piece of the record, as most are? Else its pieces are put together. */
static bool in_one_piece(const format *f) { return !f->field || f->fields.n == 1; }

/* Where field number n begins, by p, where field number *at does; NULL: the record ends before. */
static const char *go_to(const format *f, const char *p, const char *end, uint64_t *at, uint64_t n)
{
    for (; p && *at < n; ++*at) {
        p = memchr(p, f->delimiter, (size_t)(end - p));
        if (p) p++;
    }
    return p;
}

/* The fields of one range; past: where field number *at begins. */
static found one_range(const format *f, const field_range *r, const char *p, const char *end,
                       uint64_t *at, line *piece)
{
    const char *from = go_to(f, p, end, at, r->from), *stop = end;
    if (!from) return ABSENT;
    if (r->to != UINT64_MAX) {
        if (!(p = go_to(f, from, end, at, r->to))) return ABSENT;
        stop = memchr(p, f->delimiter, (size_t)(end - p));
    } else
        p = from;
    piece->text = p;
    piece->key = from;
    piece->key_length = (size_t)((stop ? stop : end) - from);
    return FOUND;
}

/* What cut -f LIST prints: one piece of the record or, put together in room, several. */
static found plain_fields(const format *f, line *l, char *room)
{
    const char *p = l->text, *end = l->text + l->length;
    size_t used = 0;
    uint64_t at = 1;
    line piece = {.key = p, .text = p};
    if (f->crlf && end > p && end[-1] == '\r') end--;
    piece.key_length = (size_t)(end - p);
    for (size_t i = 0; f->field && i < f->fields.n; i++) {
        if (one_range(f, &f->fields.range[i], piece.text, end, &at, &piece) != FOUND) return ABSENT;
        if (in_one_piece(f)) break;
        if (i) room[used++] = f->delimiter;
        memcpy(room + used, piece.key, piece.key_length);
        used += piece.key_length;
    }
    l->key = in_one_piece(f) ? piece.key : room;
    l->key_length = in_one_piece(f) ? piece.key_length : used;
    return FOUND;
}

#define SHOWN 60 /* bytes of a wrong key in a sentence */

static found wrong_key(const line *l, const char *what, const char *more, char why[WHY])
{
    char text[4 * SHOWN + 1];
    host_escape(text, sizeof text, l->key, l->key_length < SHOWN ? l->key_length : SHOWN);
    snprintf(why, WHY, "%s%s: %s%s", text, l->key_length > SHOWN ? "..." : "", what, more);
    return WRONG;
}

/* In its place or from the record to room: the i-th byte is written when 2i were read. */
static found decode_hex(line *l, char *room, char why[WHY])
{
    if (l->key_length % 2)
        return wrong_key(l, "an odd number of digits; --hex needs two per byte", "", why);
    for (size_t i = 0; i < l->key_length; i++)
        if (hex_digit(l->key[i]) < 0)
            return wrong_key(l, "--hex allows only the digits 0-9, a-f and A-F", "", why);
    for (size_t i = 0; i < l->key_length / 2; i++)
        room[i] = (char)(hex_digit(l->key[2 * i]) * 16 + hex_digit(l->key[2 * i + 1]));
    l->key = room;
    l->key_length /= 2;
    return FOUND;
}

static void to_lower(line *l, char *room)
{
    for (size_t i = 0; i < l->key_length; i++) {
        const char c = l->key[i];
        room[i] = c >= 'A' && c <= 'Z' ? (char)(c | 0x20) : c;
    }
    l->key = room;
}

/* Keys of bytes are hashed in batches, later. */
static found number_key(const format *f, line *l, char why[WHY])
{
    uint64_t number = 0;
    if (key_number(l->key, l->key_length, &number)) {
        l->h = blm_hash_u64(f->hasher, number);
        return FOUND;
    }
    return f->strict
               ? wrong_key(l, "keys must be whole numbers for a filter of kind ", f->kind, why)
               : ABSENT;
}

/* Another field than the key. */
static found field_beside(const format *f, uint64_t number, const line *l, line *piece)
{
    const field_range range = {number, number};
    const char *p = l->text, *end = p + l->length;
    uint64_t at = 1;
    if (f->crlf && end > p && end[-1] == '\r') end--;
    return one_range(f, &range, p, end, &at, piece);
}

/* The number that stands next to a key. */
static found number_beside(const format *f, line *l, char why[WHY])
{
    char what[96];
    line piece = {.key = NULL};
    if (field_beside(f, f->arg, l, &piece) != FOUND) return ABSENT;
    if (key_number(piece.key, piece.key_length, &l->arg) && l->arg != BLM_NO_ARG) return FOUND;
    snprintf(what, sizeof what, "--%s: the number of a key must be a whole number", f->arg_name);
    return wrong_key(&piece, what, "", why);
}

/* A line with a key must have a time. The room is the key's, which comes later. */
static found time_beside(const format *f, size_t column, line *l, char *room, char why[WHY])
{
    line piece = {.key = NULL};
    const found got =
        f->path.text ? json_value(&f->time_path, l->text, l->length, room, &piece, why)
        : f->csv     ? csv_field(f->delimiter, l->text, l->length, column, room, &piece, why)
                     : field_beside(f, f->time_field, l, &piece);
    if (got == ABSENT) {
        snprintf(why, WHY, "no time: it has no %s %.200s",
                 f->csv         ? "column"
                 : f->path.text ? "value at"
                                : "field",
                 f->time);
        return WRONG;
    }
    if (got == WRONG || when_read(piece.key, piece.key_length, &l->when)) return got;
    return wrong_key(&piece,
                     "not a time; --time reads 2026-11-19T12:00:00Z, or seconds since 1970 (from "
                     "10^11 on, milliseconds)",
                     "", why);
}

static found no_key(const format *f, char why[WHY])
{
    static const char rest[] = "; use --no-key drop or keep to continue without it";
    if (f->no_key != NO_KEY_FAIL) return ABSENT;
    if (f->path.text)
        snprintf(why, WHY, "no value at %.200s%s", f->path.text, rest);
    else if (f->csv)
        snprintf(why, WHY, "no column %.200s%s", f->csv, rest);
    else if (f->field)
        snprintf(why, WHY, "no field %" PRIu64 "%s", f->field, rest);
    else
        snprintf(why, WHY, "the key is not a number%s", rest);
    return WRONG;
}

static found pick_key(const format *f, const block *b, line *l, char *room, char why[WHY])
{
    const size_t column = b ? b->column : 0;
    const found timed = f->time ? time_beside(f, b ? b->time_column : 0, l, room, why) : FOUND;
    found got = f->path.text ? json_value(&f->path, l->text, l->length, room, l, why)
                : f->csv     ? csv_field(f->delimiter, l->text, l->length, column, room, l, why)
                             : plain_fields(f, l, room);
    if (got == FOUND && f->hex) got = decode_hex(l, room, why);
    if (got == FOUND && f->lower) to_lower(l, room);
    if (got == FOUND && f->integers) got = number_key(f, l, why);
    if (got == FOUND && f->arg) got = number_beside(f, l, why);
    if (got == FOUND) return timed;
    l->key = NULL;
    l->key_length = 0;
    return got == ABSENT ? no_key(f, why) : got;
}

bool key_of_word(const settings *s, const char *word, char *room, line *out)
{
    char why[WHY];
    if (s->read.field || s->read.arg || s->read.delimiter || s->read.csv || s->read.jsonl ||
        s->read.time || (s->read.crlf && !s->read.crlf_of_image)) {
        complain("%s: KEYs are used as they are; %s applies to the lines of an input (-i, or "
                 "standard input)",
                 word,
                 s->read.field       ? "-f"
                 : s->read.arg       ? "--arg"
                 : s->read.delimiter ? "-d"
                 : s->read.csv       ? "--csv"
                 : s->read.jsonl     ? "--jsonl"
                 : s->read.time      ? "--time"
                                     : "--crlf");
        return false;
    }
    const format f = {.hex = s->read.hex, .lower = s->read.lower};
    *out = (line){.text = word, .length = strlen(word), .arg = BLM_NO_ARG};
    if (pick_key(&f, NULL, out, room, why) == FOUND) return true;
    complain("%s", why);
    return false;
}

/* ---- one block ------------------------------------------------------------------------------------ */

static bool wrong(block *b, const char *why)
{
    if (why != b->why) snprintf(b->why, WHY, "%s", why);
    b->failed = true;
    b->wrong = b->newlines + 1;
    return false;
}

static uint64_t newlines_in(const char *p, const char *end)
{
    uint64_t n = 0;
    while ((p = memchr(p, '\n', (size_t)(end - p)))) n++, p++;
    return n;
}

/* ---- times that go forward ------------------------------------------------------------------------- */

static void too_early(char why[WHY], uint64_t when, uint64_t clock, bool of_filter)
{
    char early[WHEN_ROOM], late[WHEN_ROOM];
    snprintf(why, WHY, "its time, %s, is before %s, the time of the %s", when_text(early, when),
             when_text(late, clock), of_filter ? "filter" : "line before it");
}

/* newlines: those before this line. */
static bool in_order(const format *f, block *b, const line *l, uint64_t newlines)
{
    if (!f->time || !l->key) return true;
    if (b->timed && l->when < b->last_when) {
        too_early(b->why, l->when, b->last_when, false);
        return false;
    }
    if (!b->timed) {
        b->timed = true;
        b->first_when = l->when;
        b->first_at = b->nlines;
        b->first_newlines = newlines;
    }
    b->last_when = l->when;
    return true;
}

void block_follow(reader *r, block *b)
{
    if (!b->timed) return;
    b->timed = false; /* once */
    if (b->first_when >= r->clock) {
        r->clock = b->last_when;
        r->clock_of_filter = false;
        return;
    }
    too_early(b->why, b->first_when, r->clock, r->clock_of_filter);
    b->nlines = b->judged = b->first_at; /* those before it have no key */
    b->keyless = b->first_at - b->has_header;
    b->newlines = b->first_newlines;
    b->by_share.shares = 0;
    wrong(b, b->why);
}

/* ---- cutting ----------------------------------------------------------------------------------------- */

/* At first for lines of 8 bytes: memory that is not touched costs nothing, holes that growing leaves do. */
static bool room_for_lines(block *b, size_t more)
{
    if (b->lines_room - b->nlines >= more) return true;
    size_t room = b->lines_room ? b->lines_room : BLOCK / 8 + ENDS_MAX;
    while (room - b->nlines < more) room *= 2;
    line *larger = realloc(b->lines, room * sizeof *larger);
    if (larger) b->lines = larger;
    uint8_t *marks = larger ? realloc(b->mark, room) : NULL;
    if (!marks) return wrong(b, "no memory for that many lines");
    b->mark = marks;
    b->lines_room = room;
    return true;
}

static void whole_line(line *l, const char *from, const char *to)
{
    const size_t n = (size_t)(to - from);
    *l = (line){.text = from, .length = n, .key = from, .key_length = n, .arg = BLM_NO_ARG};
}

/* All lines, or as many as there is memory for. */
static void cut_lines(const format *f, block *b)
{
    const char *from = b->bytes, *p = from, *stop = from + b->used;
    uint32_t at[ENDS_MAX];
    while (p < stop) {
        size_t seen = 0;
        const size_t n = line_ends(p, (size_t)(stop - p), f->end, at, &seen);
        if (!room_for_lines(b, n + 1)) return;
        line *l = b->lines + b->nlines;
        for (size_t i = 0; i < n; i++) {
            whole_line(&l[i], from, p + at[i]);
            from = p + at[i] + 1;
        }
        b->nlines += n;
        b->newlines += n;
        p += seen;
    }
    if (from == stop) return;
    whole_line(&b->lines[b->nlines++], from, stop);
    b->newlines++;
}

static char *key_room(const block *b, const char *p)
{
    return b->keys ? b->keys + (p - b->bytes) : NULL;
}

static void pick_lines(const format *f, block *b)
{
    const bool whole =
        !f->path.text && !f->field && !f->hex && !f->lower && !f->crlf && !f->integers && !f->time;
    cut_lines(f, b);
    if (whole) return;
    const size_t n = b->nlines;
    for (b->nlines = 0; b->nlines < n; b->nlines++) {
        line *l = &b->lines[b->nlines];
        const found got = pick_key(f, b, l, key_room(b, l->text), b->why);
        b->keyless += got == ABSENT;
        if (got != WRONG && in_order(f, b, l, b->nlines)) continue;
        b->newlines = b->nlines;
        wrong(b, b->why);
        return;
    }
}

static bool header_line(block *b)
{
    if (!room_for_lines(b, 1)) return false;
    line *l = &b->lines[b->nlines++];
    whole_line(l, b->bytes, b->bytes + b->header - (b->bytes[b->header - 1] == '\n'));
    l->key = NULL;
    l->key_length = HEADER;
    return true;
}

/* CSV: a newline may stand inside quotes. */
static void pick_records(const format *f, block *b)
{
    const char *p = b->bytes + b->header, *stop = b->bytes + b->used, *end;
    if (b->has_header && !header_line(b)) return;
    for (; p < stop; p = end < stop ? end + 1 : stop) {
        bool open = false;
        end = csv_record_end(f->delimiter, p, stop, &open);
        if (open) {
            wrong(b, "a quoted field has no closing quote");
            return;
        }
        if (!room_for_lines(b, 1)) return;
        line *l = &b->lines[b->nlines];
        whole_line(l, p, end);
        const found got = pick_key(f, b, l, key_room(b, p), b->why);
        if (got == WRONG || !in_order(f, b, l, b->newlines)) {
            wrong(b, b->why);
            return;
        }
        b->keyless += got == ABSENT;
        b->nlines++;
        b->newlines += 1 + newlines_in(p, end);
    }
}

/* Numbers have their hashes by now. */
static void hash_lines(const format *f, block *b)
{
    blm_key k[BATCH];
    blm_hash h[BATCH];
    for (size_t from = 0; from < b->nlines; from += BATCH) {
        line *l = b->lines + from;
        const size_t left = b->nlines - from, n = left < BATCH ? left : BATCH;
        for (size_t i = 0; i < n; i++) k[i] = (blm_key){l[i].key, l[i].key ? l[i].key_length : 0};
        blm_hash_many(f->hasher, k, n, h);
        for (size_t i = 0; i < n; i++) l[i].h = h[i];
    }
}

char *block_keys(block *b)
{
    if (b->keys_room < b->used) {
        free(b->keys);
        b->keys = malloc(b->used);
        b->keys_room = b->keys ? b->used : 0;
    }
    return b->keys;
}

void block_pick(const format *f, block *b)
{
    if (b->header) b->newlines = newlines_in(b->bytes, b->bytes + b->header);
    if (b->header == b->used && !b->has_header) return;
    if ((f->csv || f->path.text || f->hex || f->lower || !in_one_piece(f)) && !block_keys(b)) {
        wrong(b, "no memory for its keys");
        return;
    }
    if (f->csv)
        pick_records(f, b);
    else
        pick_lines(f, b);
    if (f->hasher && !f->integers) hash_lines(f, b);
}
