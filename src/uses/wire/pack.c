/* pack.c - a filter, or what has changed since another one, into a sink.
 *
 * Cells are coded in blocks of 1 MiB. Each block is sent the shortest way: not at all if it is zero, as gaps if it has
 * few ones, as bytes by their frequencies, or as it is. A table of frequencies costs 100 to 600 bytes, 0.2 % of a
 * coded block at most; smaller blocks would pay more for it.
 */
#include <string.h>

#include "uses/wire/stream.h"

/* Gaps are tried below a density of 1/32 only: above it bytes are shorter, but for small blocks, where their table counts. */
#define SPARSE 32u
#define SMALL  ((size_t)1 << 15)

typedef struct packer {
    blm_sink to; /* NULL: nobody, only `sent` counts */
    void *ctx;
    blm_err err;    /* the first one; nothing is sent after it */
    uint64_t sent;  /* bytes                                   */
    uint64_t zeros; /* bytes of cells that are waiting for more of their kind */
    blm_alloc alloc;
    size_t room;                  /* of each of the three                    */
    uint8_t *mixed, *one, *other; /* base xor new; and a block's codes       */
    blm_running_sum sum;
} packer;

static void send(packer *k, const void *p, uint64_t n)
{
    k->sent += n;
    while (n && !k->err && k->to) { /* in pieces that fit a 32-bit size_t and a write() */
        const size_t piece = blm_min_size(n, 1u << 20);
        blm_sum_add(&k->sum, p, piece);
        k->err = k->to(k->ctx, p, piece);
        p = (const uint8_t *)p + piece;
        n -= piece;
    }
}

/* ---- blocks ------------------------------------------------------------------------------------------ */

static bool all_zero(const uint8_t *p, size_t n)
{
    size_t at = 0;
    for (; n - at >= 64; at += 64) {
        uint64_t any = 0;
        for (unsigned i = 0; i < 64; i += 8) any |= blm_le64(p + at + i);
        if (any) return false;
    }
    for (; at < n; at++)
        if (p[at]) return false;
    return true;
}

static void send_record(packer *k, blm_stream_method method, uint64_t cells)
{
    uint8_t head[1 + BLM_VARINT_MAX] = {(uint8_t)method};
    send(k, head, 1 + blm_varint_put(head + 1, cells));
}

static void send_zeros(packer *k)
{
    if (k->zeros) send_record(k, BLM_RECORD_ZEROS, k->zeros);
    k->zeros = 0;
}

static void send_code(packer *k, blm_stream_method method, const uint8_t *code, size_t length,
                      size_t cells)
{
    uint8_t bytes[BLM_VARINT_MAX];
    send_record(k, method, cells);
    send(k, bytes, blm_varint_put(bytes, length));
    send(k, code, length);
}

static void send_block(packer *k, const uint8_t *p, size_t n)
{
    if (all_zero(p, n)) {
        k->zeros += n;
        return;
    }
    send_zeros(k);
    uint8_t length[BLM_VARINT_MAX];
    const size_t extra = blm_varint_put(length, n); /* what a code has to say besides */
    const size_t room = n > extra ? n - extra : 0;
    const uint64_t ones = blm_ones_in(p, n), bits = (uint64_t)n * 8;
    const bool few = n <= SMALL ? ones <= bits / 2 : ones <= bits / SPARSE;
    const size_t gaps = few ? blm_gaps_encode(p, n, ones, k->one, room) : 0;
    const size_t bytes = blm_bytes_encode(p, n, k->other, gaps ? gaps : room);
    if (bytes && (!gaps || bytes < gaps))
        send_code(k, BLM_RECORD_BYTES, k->other, bytes, n);
    else if (gaps)
        send_code(k, BLM_RECORD_GAPS, k->one, gaps, n);
    else {
        send_record(k, BLM_RECORD_RAW, n);
        send(k, p, n);
    }
}

/* Cells that f has and base does not, or the other way round; base NULL: those of f. */
static void send_cells(packer *k, const blm_filter *f, const blm_filter *base)
{
    for (uint64_t at = 0; at < f->bytes && !k->err; at += k->room) {
        const size_t n = blm_min_size(f->bytes - at, k->room);
        const uint8_t *p = f->cells + at;
        for (size_t i = 0; base && i < n; i++) k->mixed[i] = p[i] ^ base->cells[at + i];
        send_block(k, base ? k->mixed : p, n);
    }
    send_zeros(k);
}

/* ---- filters --------------------------------------------------------------------------------------------- */

/* Sends the header, after its prelude or, for a child, its length. */
static void send_header(packer *k, const blm_filter *f, const uint8_t *prelude)
{
    uint64_t child_bytes[BLM_CHILDREN_MAX];
    uint8_t bytes[BLM_PRELUDE + 16384]; /* names, 64 fields, a note, 1024 children: below 11 KiB */
    for (uint32_t i = 0; i < f->nchild; i++) child_bytes[i] = blm_saved_size(f->child[i]);
    const size_t n = blm_header_write(f, child_bytes, 0, bytes);
    if (prelude) {
        memcpy(bytes, prelude, BLM_PRELUDE);
        blm_put32(bytes + STREAM_HEADER, (uint32_t)(n - BLM_PRELUDE));
        send(k, bytes, n);
    } else {
        blm_put32(bytes + BLM_PRELUDE - 4, (uint32_t)(n - BLM_PRELUDE));
        send(k, bytes + BLM_PRELUDE - 4, n - BLM_PRELUDE + 4);
    }
}

static void send_filter(packer *k, const blm_filter *f, const blm_filter *base,
                        const uint8_t *prelude)
{
    send_header(k, f, prelude);
    send_cells(k, f, base);
    for (uint32_t i = 0; i < f->nchild && !k->err; i++)
        send_filter(k, f->child[i], base ? base->child[i] : NULL, NULL);
}

static void send_stream(packer *k, const blm_filter *f, const blm_filter *base, uint64_t base_sum)
{
    uint8_t prelude[BLM_PRELUDE], sum[STREAM_SUM];
    memcpy(prelude, blm_packed_magic, sizeof blm_packed_magic);
    blm_put16(prelude + STREAM_VERSION, BLM_STREAM_VERSION);
    blm_put16(prelude + STREAM_WHAT, base ? BLM_STREAM_DELTA : BLM_STREAM_WHOLE);
    blm_put32(prelude + STREAM_HEADER, 0); /* send_header knows it */
    blm_put64(prelude + STREAM_IMAGE, blm_saved_size(f));
    blm_put64(prelude + STREAM_BASE, base_sum);
    blm_sum_begin(&k->sum);
    send_filter(k, f, base, prelude);
    blm_put64(sum, blm_sum_end(&k->sum));
    send(k, sum, sizeof sum);
}

/* ---- memory ------------------------------------------------------------------------------------------------ */

static uint64_t largest(const blm_filter *f)
{
    uint64_t bytes = f->bytes;
    for (uint32_t i = 0; i < f->nchild; i++) {
        const uint64_t own = largest(f->child[i]);
        if (own > bytes) bytes = own;
    }
    return bytes;
}

static bool family_fits(const blm_filter *f)
{
    bool fits = f->nchild <= BLM_CHILDREN_MAX;
    for (uint32_t i = 0; fits && i < f->nchild; i++) fits = family_fits(f->child[i]);
    return fits;
}

static void packer_close(packer *k)
{
    blm_put_back(&k->alloc, k->mixed, k->room);
    blm_put_back(&k->alloc, k->one, k->room);
    blm_put_back(&k->alloc, k->other, k->room);
}

static blm_err packer_open(packer *k, const blm_filter *f, blm_report *why)
{
    *k = (packer){.alloc = f->alloc, .room = blm_min_size(largest(f) + 1, BLM_STREAM_BLOCK)};
    if (!family_fits(f))
        return blm_fail(why, BLM_E_CANNOT,
                        "too many children: a stream holds at most %u per filter",
                        BLM_CHILDREN_MAX);
    k->mixed = blm_take(&k->alloc, k->room);
    k->one = blm_take(&k->alloc, k->room);
    k->other = blm_take(&k->alloc, k->room);
    if (k->mixed && k->one && k->other) return BLM_OK;
    packer_close(k);
    return blm_fail(why, BLM_E_NOMEM, "no memory to code blocks of %zu bytes", k->room);
}

static blm_err deliver(packer *k, blm_sink to, void *ctx, const blm_filter *f,
                       const blm_filter *base, uint64_t base_sum, blm_report *why)
{
    k->to = to;
    k->ctx = ctx;
    k->sent = 0;
    send_stream(k, f, base, base_sum);
    return k->err ? blm_fail(why, k->err, "the sink failed before byte %llu",
                             (unsigned long long)k->sent)
                  : BLM_OK;
}

blm_err blm_pack(const blm_filter *f, blm_sink to, void *ctx, blm_report *why)
{
    packer k;
    blm_err err = packer_open(&k, f, why);
    if (err) return err;
    err = deliver(&k, to, ctx, f, NULL, 0, why);
    packer_close(&k);
    return err;
}

/* ---- deltas -------------------------------------------------------------------------------------------------- */

static blm_err add_to_sum(void *ctx, const void *p, size_t n)
{
    blm_sum_add(ctx, p, n);
    return BLM_OK;
}

blm_err blm_image_sum(const blm_filter *f, uint64_t *sum, blm_report *why)
{
    blm_running_sum s;
    blm_sum_begin(&s);
    const blm_err err = blm_save(f, add_to_sum, &s, why);
    if (!err) *sum = blm_sum_end(&s);
    return err;
}

/* Has each cell a partner? Filters of one shape differ in this after one of them has grown. */
static bool partners(const blm_filter *a, const blm_filter *b)
{
    bool yes = a->kind == b->kind && a->bytes == b->bytes && a->nchild == b->nchild;
    for (uint32_t i = 0; yes && i < a->nchild; i++) yes = partners(a->child[i], b->child[i]);
    return yes;
}

/* The bytes of a stream that nobody gets. */
static uint64_t length_of(packer *k, const blm_filter *f, const blm_filter *base)
{
    k->to = NULL;
    k->sent = 0;
    send_stream(k, f, base, 0);
    return k->sent;
}

blm_err blm_delta(const blm_filter *base, const blm_filter *f, blm_sink to, void *ctx,
                  blm_report *why)
{
    packer k;
    uint64_t sum = 0;
    blm_err err = blm_same_make(base, f, why);
    if (!err) err = packer_open(&k, f, why);
    if (err) return err;
    const bool smaller = partners(base, f) && length_of(&k, f, base) < length_of(&k, f, NULL);
    if (smaller) err = blm_image_sum(base, &sum, why);
    if (!err) err = deliver(&k, to, ctx, f, smaller ? base : NULL, sum, why);
    packer_close(&k);
    return err;
}

/* ---- files ---------------------------------------------------------------------------------------------------- */

typedef struct pair {
    const blm_filter *base, *f;
} pair;

static blm_err send_packed(const void *f, blm_sink to, void *ctx, blm_report *why)
{
    return blm_pack(f, to, ctx, why);
}

static blm_err send_delta(const void *both, blm_sink to, void *ctx, blm_report *why)
{
    const pair *p = both;
    return blm_delta(p->base, p->f, to, ctx, why);
}

blm_err blm_write_packed(const blm_filter *f, const char *path, blm_write_how how, blm_report *why)
{
    return blm_write_sent(send_packed, f, path, how, why);
}

blm_err blm_write_delta(const blm_filter *base, const blm_filter *f, const char *path,
                        blm_write_how how, blm_report *why)
{
    const pair both = {base, f};
    return blm_write_sent(send_delta, &both, path, how, why);
}
