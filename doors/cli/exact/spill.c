/* spill.c - rows of the input in an unlinked file, in order.
 *
 *      row   | what | hash, 8 | number | key length | text length | key ... | text ... |
 *              1 byte           lengths and numbers: 7 bits per byte, the lowest first
 *
 * The number is there for doubts only, the text length for rows whose text is not their key. A row
 * that was passed on has the place of a long key instead of its bytes. Nobody else reads the file,
 * so words are in the machine's own order. A row of a line of 8 bytes has 18.
 */
#define _GNU_SOURCE 1
#include "exact/spill.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

enum { KIND = 3, HAS_TEXT = 4, TEXT_IS_KEY = 8, BY_PLACE = 16 };
#define HEAD_MAX 64 /* what + hash + four numbers of at most 10 bytes */
#define PIECE    ((size_t)16 << 10)

/* ---- hashes ------------------------------------------------------------------------------ */

uint64_t hash_again(uint64_t hash, uint64_t salt)
{
    uint64_t x = hash + salt * UINT64_C(0x9e3779b97f4a7c15); /* splitmix64 */
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

blm_filter *secret_hasher(void)
{
    uint8_t random[16];
    blm_filter *f = NULL;
    blm_report why = {BLM_OK, ""};
    if (getrandom(random, sizeof random, 0) != (ssize_t)sizeof random) {
        complain("no random bytes for a secret hash: %s", strerror(errno));
        return NULL;
    }
    const blm_err err = blm_new(
        &f, BLM_CONFIG(.kind = "blocked", .bits = 512, .hashes = 1, .secret = random), &why);
    if (err) complain_why(NULL, err, &why);
    return f;
}

/* ---- bytes on disk ------------------------------------------------------------------------------------ */

struct spool {
    int fd; /* -1: all is in the buffer */
    bool failed;
    uint64_t flushed; /* bytes in the file */
    size_t used, room;
    char buffer[];
};

spool *spool_new(size_t buffer)
{
    spool *s = malloc(sizeof *s + buffer);
    if (!s) {
        complain("no memory for a buffer of %zu bytes", buffer);
        return NULL;
    }
    s->fd = -1;
    s->failed = false;
    s->flushed = 0;
    s->used = 0;
    s->room = buffer;
    return s;
}

static void spool_fail(spool *s, const char *what)
{
    if (!s->failed)
        complain("TMPDIR (%s): %s after %" PRIu64 " bytes of a temporary file; set TMPDIR to a "
                 "folder with more space, or use a larger --ram",
                 spool_folder(), what, s->flushed);
    s->failed = true;
}

/* Never with a name where the system can do that; else no signal comes between name and unlink. */
static int open_nameless(const char *folder)
{
    char path[4096];
    sigset_t all, before;
#if defined(O_TMPFILE)
    const int nameless = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (nameless >= 0) return nameless;
#endif
    const int n = snprintf(path, sizeof path, "%s/bloomery.XXXXXX", folder);
    if (n < 0 || (size_t)n >= sizeof path) {
        errno = ENAMETOOLONG;
        return -1;
    }
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before);
    const int fd = mkostemp(path, O_CLOEXEC);
    if (fd >= 0) unlink(path);
    const int error = errno;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    errno = error;
    return fd;
}

static void send_out(spool *s, const char *p, size_t n)
{
    if (s->fd < 0 && (s->fd = open_nameless(spool_folder())) < 0) spool_fail(s, strerror(errno));
    while (n && !s->failed) {
        const ssize_t went = write(s->fd, p, n);
        if (went < 0 && errno == EINTR) continue;
        if (went < 0) {
            spool_fail(s, strerror(errno));
            break;
        }
        p += went;
        n -= (size_t)went;
        s->flushed += (uint64_t)went;
    }
}

void spool_write(spool *s, const void *p, size_t n)
{
    if (s->failed || !n) return;
    if (n > s->room - s->used) {
        send_out(s, s->buffer, s->used);
        s->used = 0;
    }
    if (n >= s->room) {
        send_out(s, p, n);
        return;
    }
    memcpy(s->buffer + s->used, p, n);
    s->used += n;
}

bool spool_read(spool *s, uint64_t at, void *p, size_t n)
{
    char *to = p;
    while (n && at < s->flushed && !s->failed) {
        const size_t want = n < s->flushed - at ? n : (size_t)(s->flushed - at);
        const ssize_t got = pread(s->fd, to, want, (off_t)at);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) {
            spool_fail(s, got ? strerror(errno) : "the file is truncated");
            break;
        }
        to += got;
        n -= (size_t)got;
        at += (uint64_t)got;
    }
    if (n && !s->failed) memcpy(to, s->buffer + (at - s->flushed), n);
    return !s->failed;
}

bool spool_same(spool *s, uint64_t a, uint64_t b, uint64_t n)
{
    char one[PIECE], other[PIECE];
    if (a == b) return true;
    for (uint64_t done = 0; done < n; done += PIECE) {
        const size_t piece = n - done < PIECE ? (size_t)(n - done) : PIECE;
        if (!spool_read(s, a + done, one, piece) || !spool_read(s, b + done, other, piece) ||
            memcmp(one, other, piece) != 0)
            return false;
    }
    return true;
}

uint64_t spool_bytes(const spool *s) { return s->flushed + s->used; }
uint64_t spool_on_disk(const spool *s) { return s->flushed; }
bool spool_failed(const spool *s) { return s->failed; }

void spool_free(spool *s)
{
    if (s && s->fd >= 0) close(s->fd);
    free(s);
}

/* ---- rows ------------------------------------------------------------------------------------------------ */

static size_t put_number(uint8_t *p, uint64_t v)
{
    size_t n = 0;
    for (; v >= 128; v >>= 7) p[n++] = (uint8_t)(v | 128);
    p[n++] = (uint8_t)v;
    return n;
}

static uint64_t get_number(const uint8_t **p)
{
    uint64_t v = 0;
    unsigned shift = 0;
    for (; **p & 128; shift += 7) v |= (uint64_t)(*(*p)++ & 127) << shift;
    return v | (uint64_t) * (*p)++ << shift;
}

static void write_head(spool *to, const row *r, unsigned what)
{
    uint8_t head[HEAD_MAX];
    size_t n = 0;
    head[n++] = (uint8_t)(what | (unsigned)r->kind);
    memcpy(head + n, &r->hash, 8);
    n += 8;
    if (r->kind == ROW_DOUBT) n += put_number(head + n, r->number);
    n += put_number(head + n, r->key_length);
    if (what & BY_PLACE) n += put_number(head + n, r->key_at);
    if ((what & (HAS_TEXT | TEXT_IS_KEY)) == HAS_TEXT) n += put_number(head + n, r->text_length);
    spool_write(to, head, n);
}

void row_pass(spool *to, const line *l)
{
    const row r = {.kind = ROW_PASSED,
                   .has_text = true,
                   .key = l->text,
                   .key_length = l->length,
                   .text = l->text,
                   .text_length = l->length};
    row_write(to, &r);
}

void row_write(spool *to, const row *r)
{
    const bool one = r->has_text && r->text == r->key && r->text_length == r->key_length;
    write_head(to, r, (r->has_text ? HAS_TEXT : 0u) | (one ? TEXT_IS_KEY : 0u));
    spool_write(to, r->key, (size_t)r->key_length);
    if (r->has_text && !one) spool_write(to, r->text, (size_t)r->text_length);
}

void row_pass_on(spool *to, const row *r)
{
    write_head(to, r, r->key ? 0 : BY_PLACE);
    if (r->key) spool_write(to, r->key, (size_t)r->key_length);
}

bool rows_open(rows *r, spool *from, uint64_t end, size_t room)
{
    if (room < LONG_KEY + HEAD_MAX) room = LONG_KEY + HEAD_MAX;
    *r = (rows){.from = from, .end = end, .room = room, .buffer = malloc(room)};
    if (!r->buffer) complain("no memory for a buffer of %zu bytes", room);
    return r->buffer != NULL;
}

void rows_close(rows *r)
{
    free(r->buffer);
    r->buffer = NULL;
}

/* The n bytes at this place, n at most the room of the buffer. */
static const char *window(rows *r, uint64_t at, size_t n)
{
    if (at < r->base || at + n > r->base + r->used) {
        const uint64_t left = r->end - at;
        r->used = 0;
        const size_t want = left < r->room ? (size_t)left : r->room;
        if (!spool_read(r->from, at, r->buffer, want)) return NULL;
        r->base = at;
        r->used = want;
    }
    return r->buffer + (at - r->base);
}

bool rows_next(rows *r, row *out)
{
    if (r->at >= r->end) return false;
    const size_t look = r->end - r->at < HEAD_MAX ? (size_t)(r->end - r->at) : HEAD_MAX;
    const char *head = window(r, r->at, look);
    if (!head) return false;
    const uint8_t *p = (const uint8_t *)head;
    const unsigned what = *p++;
    *out = (row){.kind = (row_kind)(what & KIND), .has_text = what & HAS_TEXT};
    memcpy(&out->hash, p, 8);
    p += 8;
    if (out->kind == ROW_DOUBT) out->number = get_number(&p);
    out->key_length = out->text_length = get_number(&p);
    if (what & BY_PLACE) out->key_at = get_number(&p);
    if ((what & (HAS_TEXT | TEXT_IS_KEY)) == HAS_TEXT) out->text_length = get_number(&p);
    const uint64_t body = r->at + (uint64_t)(p - (const uint8_t *)head);
    r->at = body;
    if (what & BY_PLACE) return true;
    out->key_at = body;
    out->text_at = what & TEXT_IS_KEY ? body : body + out->key_length;
    r->at = out->has_text ? out->text_at + out->text_length : body + out->key_length;
    if (out->key_length > LONG_KEY) return true;
    out->key = window(r, body, (size_t)out->key_length);
    return out->key != NULL;
}

void rows_print(rows *r, const row *w, char end)
{
    for (uint64_t done = 0; done < w->text_length && !out_failed();) {
        const uint64_t left = w->text_length - done;
        const size_t piece = left < PIECE ? (size_t)left : PIECE;
        const char *p = window(r, w->text_at + done, piece);
        if (!p) return;
        out_bytes(p, piece);
        done += piece;
    }
    out_bytes(&end, 1);
}
