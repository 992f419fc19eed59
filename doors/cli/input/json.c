/* json.c - the value at a path of one line of JSON (RFC 8259, strict: the whole line must be
 * one value). No recursion: open brackets are bits of a small stack, so a hostile line costs its length.
 *
 * A path is steps from the outermost value: .user.tags[0] = "user", "tags", 0. While the open brackets
 * are those that the path goes through, `on` equals `depth`. Of twin names the last one counts, as
 * everywhere.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "input/organs.h"

#define DEPTH_MAX 512

typedef struct scan {
    const json_path *path;
    const char *start, *p, *end;
    char *room;
    size_t depth, on;
    uint64_t index[PATH_MAX + 1];          /* of the arrays on the path: the element we are in */
    unsigned char is_array[DEPTH_MAX / 8]; /* bits */
    bool live;                             /* the value that comes lies on the path           */
    bool open;                             /* we are inside the value that was asked for      */
    const char *from, *to;                 /* it, as written                                  */
    const char *why;
} scan;

static bool wrong(scan *s, const char *why)
{
    s->why = why;
    return false;
}

static void skip_blanks(scan *s)
{
    while (s->p < s->end && (*s->p == ' ' || *s->p == '\t' || *s->p == '\r' || *s->p == '\n'))
        s->p++;
}

/* ---- strings -------------------------------------------------------------------------------------- */

static bool hex4(const char *p, const char *end, uint32_t *code)
{
    *code = 0;
    if (end - p < 4) return false;
    for (int i = 0; i < 4; i++) {
        const int d = hex_digit(p[i]);
        if (d < 0) return false;
        *code = *code << 4 | (uint32_t)d;
    }
    return true;
}

/* Scans from the opening quote to after the closing one. */
static bool scan_string(scan *s)
{
    uint32_t code;
    for (s->p++; s->p < s->end; s->p++) {
        if (*s->p == '"') {
            s->p++;
            return true;
        }
        if ((unsigned char)*s->p < 0x20) return wrong(s, "a control character in a string");
        if (*s->p != '\\') continue;
        if (++s->p == s->end) break;
        if (*s->p == 'u' ? !hex4(s->p + 1, s->end, &code) : !*s->p || !strchr("\"\\/bfnrt", *s->p))
            return wrong(s, "an escape that JSON does not have");
    }
    return wrong(s, "a string without its closing quote");
}

static size_t put_utf8(char *out, uint32_t c)
{
    if (c < 0x80) {
        out[0] = (char)c;
        return 1;
    }
    const size_t n = c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
    static const uint32_t lead[] = {0, 0, 0xc0, 0xe0, 0xf0};
    for (size_t i = n; i-- > 1; c >>= 6) out[i] = (char)(0x80 | (c & 0x3f));
    out[0] = (char)(lead[n] | c);
    return n;
}

/* The code of \uXXXX at p (after the u), or of two of them when they are a pair; false: half a pair. */
static bool take_code(const char **p, const char *end, uint32_t *code)
{
    uint32_t low;
    if (!hex4(*p, end, code)) return false;
    *p += 4;
    if (*code < 0xd800 || *code > 0xdfff) return true;
    if (*code > 0xdbff || end - *p < 6 || (*p)[0] != '\\' || (*p)[1] != 'u') return false;
    if (!hex4(*p + 2, end, &low) || low < 0xdc00 || low > 0xdfff) return false;
    *code = 0x10000 + ((*code - 0xd800) << 10) + (low - 0xdc00);
    *p += 6;
    return true;
}

/* What stands between the quotes, without escapes: never longer than it was. */
static bool unescape(const char *p, const char *end, char *out, size_t *n)
{
    static const char letters[] = "bfnrt", bytes[] = "\b\f\n\r\t";
    for (*n = 0; p < end;) {
        if (*p != '\\') {
            out[(*n)++] = *p++;
            continue;
        }
        const char c = p[1];
        const char *known = c ? strchr(letters, c) : NULL;
        p += 2;
        if (c == 'u') {
            uint32_t code;
            if (!take_code(&p, end, &code)) return false;
            *n += put_utf8(out + *n, code);
        } else
            out[(*n)++] = known ? bytes[known - letters] : c;
    }
    return true;
}

/* Does the name between these quotes equal the next step of the path? */
static bool same_name(const scan *s, const char *from, const char *to)
{
    const json_step *step = &s->path->steps[s->depth - 1];
    size_t n = (size_t)(to - from);
    if (!step->name) return false;
    if (!memchr(from, '\\', n)) return n == step->length && memcmp(from, step->name, n) == 0;
    return unescape(from, to, s->room, &n) && n == step->length &&
           memcmp(s->room, step->name, n) == 0;
}

/* ---- other scalars ----------------------------------------------------------------------------------- */

static bool digits(scan *s)
{
    const char *from = s->p;
    while (s->p < s->end && *s->p >= '0' && *s->p <= '9') s->p++;
    return s->p > from;
}

static bool scan_number(scan *s)
{
    if (*s->p == '-') s->p++;
    const bool zero = s->p < s->end && *s->p == '0';
    if (zero)
        s->p++;
    else if (!digits(s))
        return wrong(s, "a value was expected");
    if (s->p < s->end && *s->p == '.') {
        s->p++;
        if (!digits(s)) return wrong(s, "a number without digits after its point");
    }
    if (s->p < s->end && (*s->p == 'e' || *s->p == 'E')) {
        s->p++;
        if (s->p < s->end && (*s->p == '+' || *s->p == '-')) s->p++;
        if (!digits(s)) return wrong(s, "a number without digits after its e");
    }
    return true;
}

static bool scan_word(scan *s)
{
    static const char *const words[] = {"true", "false", "null"};
    for (size_t i = 0; i < COUNT_OF(words); i++) {
        const size_t n = strlen(words[i]);
        if ((size_t)(s->end - s->p) >= n && memcmp(s->p, words[i], n) == 0) {
            s->p += n;
            return true;
        }
    }
    return scan_number(s);
}

/* ---- brackets ------------------------------------------------------------------------------------------ */

static bool in_array(const scan *s)
{
    return s->is_array[(s->depth - 1) / 8] >> (s->depth - 1) % 8 & 1;
}

static bool push(scan *s)
{
    const unsigned char bit = (unsigned char)(1u << s->depth % 8);
    if (s->depth == DEPTH_MAX) return wrong(s, "more than 512 nested brackets");
    if (*s->p == '[')
        s->is_array[s->depth / 8] |= bit;
    else
        s->is_array[s->depth / 8] &= (unsigned char)~bit;
    if (s->live && s->depth < s->path->nsteps) s->on = s->depth + 1;
    s->depth++;
    if (s->on == s->depth) s->index[s->depth - 1] = 0;
    s->p++;
    return true;
}

/* A value comes: does the path go through it? A twin takes the place of what was found before. */
static void meet(scan *s, bool same)
{
    s->live = same;
    if (same) s->from = s->to = NULL;
}

static void meet_element(scan *s)
{
    const bool on = s->on == s->depth;
    const json_step *step = on ? &s->path->steps[s->depth - 1] : NULL;
    meet(s, on && !step->name && step->index == s->index[s->depth - 1]);
}

static bool meet_member(scan *s)
{
    skip_blanks(s);
    const char *from = s->p;
    if (s->p == s->end || *s->p != '"') return wrong(s, "a name in quotes was expected");
    if (!scan_string(s)) return false;
    meet(s, s->on == s->depth && same_name(s, from + 1, s->p - 1));
    skip_blanks(s);
    if (s->p == s->end || *s->p != ':') return wrong(s, "a colon was expected after the name");
    s->p++;
    return true;
}

static bool meet_next(scan *s)
{
    if (!in_array(s)) return meet_member(s);
    meet_element(s);
    return true;
}

/* After a value: closes brackets until a comma or the end. *more: another value comes. */
static bool go_on(scan *s, bool *more)
{
    for (*more = false; s->depth;) {
        skip_blanks(s);
        if (s->p == s->end) return wrong(s, "a bracket that is not closed");
        const char c = *s->p++;
        if (c == ',') {
            if (s->on == s->depth) s->index[s->depth - 1]++;
            *more = true;
            return meet_next(s);
        }
        if (c != (in_array(s) ? ']' : '}')) {
            s->p--;
            return wrong(s, "a comma or a closing bracket was expected");
        }
        s->depth--;
        if (s->on > s->depth) s->on = s->depth;
        if (s->open && s->depth == s->path->nsteps) s->to = s->p, s->open = false;
    }
    return true;
}

/* One value up to its first inner value, or whole. *entered: an inner one comes. */
static bool take_value(scan *s, bool *entered)
{
    *entered = false;
    skip_blanks(s);
    if (s->p == s->end) return wrong(s, "a value was expected");
    const char *from = s->p;
    const bool wanted = s->live && s->depth == s->path->nsteps;
    if (*s->p == '{' || *s->p == '[') {
        const char close = *s->p == '{' ? '}' : ']';
        if (!push(s)) return false;
        if (wanted) s->from = from, s->open = true;
        skip_blanks(s);
        *entered = s->p == s->end || *s->p != close;
        return *entered ? meet_next(s) : true; /* an empty one is closed by go_on */
    }
    if (*s->p == '"' ? !scan_string(s) : !scan_word(s)) return false;
    if (wanted) s->from = from, s->to = s->p;
    return true;
}

static bool scan_line(scan *s)
{
    bool more = true, entered = false;
    s->live = true;
    while (more) {
        if (!take_value(s, &entered)) return false;
        if (!entered && !go_on(s, &more)) return false;
    }
    skip_blanks(s);
    return s->p == s->end || wrong(s, "text after the value");
}

/* ---- one line ---------------------------------------------------------------------------------------------- */

static found give(const scan *s, line *l, char why[WHY])
{
    const size_t n = s->from ? (size_t)(s->to - s->from) : 0;
    if (!s->from || (n == 4 && memcmp(s->from, "null", 4) == 0)) return ABSENT;
    l->key = s->from;
    l->key_length = n;
    if (*s->from != '"') return FOUND;
    l->key++;
    l->key_length -= 2;
    if (!memchr(l->key, '\\', l->key_length)) return FOUND;
    if (!unescape(s->from + 1, s->to - 1, s->room, &l->key_length)) {
        snprintf(why, WHY, "%s has half of a surrogate pair, which is not valid text",
                 s->path->text);
        return WRONG;
    }
    l->key = s->room;
    return FOUND;
}

found json_value(const json_path *path, const char *p, size_t n, char *room, line *l, char why[WHY])
{
    scan s; /* its indexes are set when arrays open: clearing them would cost 500 bytes per line */
    memset(s.is_array, 0, sizeof s.is_array);
    s.path = path;
    s.start = s.p = p;
    s.end = p + n;
    s.room = room;
    s.depth = s.on = 0;
    s.open = false;
    s.from = s.to = NULL;
    s.why = NULL;
    skip_blanks(&s);
    if (s.p == s.end) return ABSENT; /* a blank line between values */
    if (scan_line(&s)) return give(&s, l, why);
    snprintf(why, WHY, "not JSON: at byte %zu, %s", (size_t)(s.p - s.start) + 1, s.why);
    return WRONG;
}

/* ---- the path ------------------------------------------------------------------------------------------------ */

static bool no_path(const char *option_name, const char *text)
{
    if (text[0] && text[0] != '.')
        complain("%s %s: a path must begin with a dot; did you mean .%s?", option_name, text, text);
    else
        complain("%s %s: must be a path such as .user.id, .tags[0] or .\"odd name\"", option_name,
                 text);
    return false;
}

/* ."odd name": what is between the quotes, with the escapes of JSON. */
static const char *quoted_step(json_path *path, json_step *step, const char *p)
{
    scan s = {.path = path, .p = p, .end = p + strlen(p)};
    if (!scan_string(&s)) return NULL;
    char *out = path->names + (p - path->text);
    if (!unescape(p + 1, s.p - 1, out, &step->length)) return NULL;
    step->name = out;
    return s.p;
}

static const char *index_step(json_step *step, const char *p)
{
    const size_t n = strspn(p, "0123456789");
    *step = (json_step){.name = NULL};
    return n && p[n] == ']' && key_number(p, n, &step->index) ? p + n + 1 : NULL;
}

static const char *take_step(json_path *path, json_step *step, const char *p)
{
    *step = (json_step){.name = NULL};
    if (*p == '[' && p[1] != '"') return index_step(step, p + 1);
    if (*p == '[') {
        p = quoted_step(path, step, p + 1);
        return p && *p == ']' ? p + 1 : NULL;
    }
    if (*p++ != '.') return NULL;
    if (*p == '[') return take_step(path, step, p); /* .[0] */
    if (*p == '"') return quoted_step(path, step, p);
    step->name = p;
    step->length = strcspn(p, ".[\"");
    return step->length ? p + step->length : NULL;
}

bool json_path_read(json_path *path, const char *option_name, const char *text)
{
    path->text = text;
    path->nsteps = 0;
    path->names = malloc(strlen(text) + 1);
    if (!path->names) {
        complain("no memory");
        return false;
    }
    if (text[0] != '.') return no_path(option_name, text);
    for (const char *p = text[1] ? text : ""; *p;) {
        if (path->nsteps == PATH_MAX) {
            complain("%s %s: a path can have at most %d steps", option_name, text, PATH_MAX);
            return false;
        }
        p = take_step(path, &path->steps[path->nsteps++], p);
        if (!p) return no_path(option_name, text);
    }
    return true;
}
