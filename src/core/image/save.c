/* save.c - a filter into a sink, without a second copy of it. */
#include <string.h>

#include "core/image/image.h"
#include "core/bytes.h"

uint64_t blm_saved_size(const blm_filter *f)
{
    uint64_t end = blm_layout_of(blm_header_write(f, NULL, 0, NULL), f->bytes, BLM_CHUNK_LOG2).end;
    for (uint32_t i = 0; i < f->nchild; i++) {
        const uint64_t bytes = blm_saved_size(f->child[i]);
        end = blm_child_at(end, bytes) + bytes;
    }
    return end;
}

typedef struct stream {
    blm_sink to;
    void *ctx;
    uint64_t at; /* of the outermost image */
    blm_err err; /* the first one; nothing is sent after it */
} stream;

static void send(stream *s, const void *p, uint64_t n)
{
    while (n && !s->err) { /* in pieces that fit a 32-bit size_t and a write() */
        const size_t piece = n > (1u << 20) ? 1u << 20 : (size_t)n;
        s->err = s->to(s->ctx, p, piece);
        p = (const uint8_t *)p + piece;
        s->at += piece;
        n -= piece;
    }
}

static void send_zeros(stream *s, uint64_t n)
{
    static const uint8_t zeros[4096];
    send(s, zeros, n); /* padding is always shorter than 4096 */
}

static void send_image(stream *s, const blm_filter *f, blm_report *why);

static void send_body(stream *s, const blm_filter *f, const blm_layout *l, uint64_t start)
{
    send_zeros(s, l->cells_at - (s->at - start));
    send(s, f->cells, f->bytes);
    send_zeros(s, l->sums_at - l->cells_at - l->cells);
    for (uint64_t i = 0; i < l->sums && !s->err; i++) {
        uint8_t sum[8];
        blm_put64(sum, blm_chunk_sum(f->cells, f->bytes, BLM_CHUNK_LOG2, i));
        send(s, sum, sizeof sum);
    }
}

static void send_image(stream *s, const blm_filter *f, blm_report *why)
{
    uint64_t child_bytes[BLM_CHILDREN_MAX];
    const uint64_t start = s->at;
    if (f->nchild > BLM_CHILDREN_MAX) {
        s->err = blm_fail(why, BLM_E_CANNOT, "%u children: an image holds at most %u per filter",
                          f->nchild, BLM_CHILDREN_MAX);
        return;
    }
    for (uint32_t i = 0; i < f->nchild; i++) child_bytes[i] = blm_saved_size(f->child[i]);

    const size_t head = blm_header_write(f, child_bytes, blm_saved_size(f), NULL);
    uint8_t bytes[BLM_PRELUDE + 16384]; /* names, 64 fields, a note, 1024 children: below 11 KiB */
    blm_header_write(f, child_bytes, blm_saved_size(f), bytes);
    const blm_layout l = blm_layout_of(head, f->bytes, BLM_CHUNK_LOG2);
    send(s, bytes, head);
    send_body(s, f, &l, start);
    for (uint32_t i = 0; i < f->nchild && !s->err; i++) {
        send_zeros(s, blm_child_at(s->at - start, child_bytes[i]) - (s->at - start));
        send_image(s, f->child[i], why);
    }
}

blm_err blm_save(const blm_filter *f, blm_sink to, void *ctx, blm_report *why)
{
    stream s = {to, ctx, 0, BLM_OK};
    blm_report sentence = {BLM_OK, ""};
    send_image(&s, f, &sentence);
    if (s.err && why && sentence.code) *why = sentence;
    if (s.err && !sentence.code)
        blm_fail(why, s.err, "the sink failed at byte %llu", (unsigned long long)s.at);
    return s.err;
}

/* ---- equality: the same image, without writing either ---------------------------------------- */

static bool same_header(const blm_filter *a, const blm_filter *b)
{
    uint64_t child_bytes[BLM_CHILDREN_MAX] = {0};
    uint8_t x[BLM_PRELUDE + 16384], y[BLM_PRELUDE + 16384];
    if (a->nchild != b->nchild || a->nchild > BLM_CHILDREN_MAX) return false;
    const size_t n = blm_header_write(a, child_bytes, 0, x);
    return n == blm_header_write(b, child_bytes, 0, NULL) &&
           blm_header_write(b, child_bytes, 0, y) == n && memcmp(x, y, n) == 0;
}

bool blm_equal(const blm_filter *a, const blm_filter *b)
{
    if (a->bytes != b->bytes || !same_header(a, b)) return false;
    if (a->bytes && memcmp(a->cells, b->cells, (size_t)a->bytes) != 0) return false;
    for (uint32_t i = 0; i < a->nchild; i++)
        if (!blm_equal(a->child[i], b->child[i])) return false;
    return true;
}

const void *blm_cells(const blm_filter *f, size_t *bytes)
{
    *bytes = (size_t)f->bytes;
    return f->cells;
}
