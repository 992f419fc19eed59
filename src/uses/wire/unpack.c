/* unpack.c - a stream back into a filter, alone or on top of its base.
 *
 * The checksum of the whole stream is compared before any value is believed, so that a flipped or missing byte is always
 * "damaged". Whoever can write a stream can write its checksum too: every number is checked against what it stands for,
 * and nothing is allocated before the size of the image is known to be within the limit. Sizes of cells come from the
 * fields by the kind's own shape(), as for images.
 */
#include <inttypes.h>
#include <string.h>

#include "uses/wire/stream.h"

typedef struct unpacker {
    const uint8_t *p;
    size_t at, end; /* end: where the checksum begins */
    blm_opening o;
} unpacker;

static blm_err forged(blm_report *why, const char *what)
{
    return blm_fail(why, BLM_E_IMAGE, "forged: %s", what);
}

/* ---- cells ------------------------------------------------------------------------------------------- */

static bool take_varint(unpacker *u, uint64_t *v)
{
    const size_t n = blm_varint_get(u->p + u->at, u->end - u->at, v);
    u->at += n;
    return n > 0;
}

/* One record into `room` bytes of zeros; returns how many it has filled, 0: it is no record of ours. */
static uint64_t take_record(unpacker *u, uint8_t *cells, uint64_t room)
{
    uint64_t n, length;
    if (u->at == u->end) return 0;
    const unsigned method = u->p[u->at++];
    if (!take_varint(u, &n) || n > room) return 0;
    if (method == BLM_RECORD_ZEROS) return n;
    length = n;
    if (method != BLM_RECORD_RAW && !take_varint(u, &length)) return 0;
    if (length > u->end - u->at) return 0;
    const uint8_t *code = u->p + u->at;
    u->at += (size_t)length;
    switch (method) {
    case BLM_RECORD_RAW:
        memcpy(cells, code, (size_t)n);
        return n;
    case BLM_RECORD_GAPS:
        return blm_gaps_decode(code, (size_t)length, cells, (size_t)n) ? n : 0;
    case BLM_RECORD_BYTES:
        return blm_bytes_decode(code, (size_t)length, cells, (size_t)n) ? n : 0;
    default:
        return 0;
    }
}

static blm_err take_cells(unpacker *u, blm_filter *f, const blm_filter *base, blm_report *why)
{
    for (uint64_t at = 0; at < f->bytes;) {
        const uint64_t n = take_record(u, f->cells + at, f->bytes - at);
        if (!n)
            return blm_fail(why, BLM_E_IMAGE,
                            "forged: the cells from byte %" PRIu64 " on have no code", at);
        at += n;
    }
    for (uint64_t i = 0; base && i < f->bytes; i++) f->cells[i] ^= base->cells[i];
    return BLM_OK;
}

/* ---- filters ------------------------------------------------------------------------------------------- */

static blm_err take_filter(unpacker *u, blm_filter **out, const blm_filter *base, size_t header,
                           uint64_t image, unsigned depth, blm_report *why);

/* Where the image ends goes to *end, from where it was. */
static blm_err take_children(unpacker *u, blm_filter *f, const blm_filter *base,
                             const blm_head *head, uint64_t *end, unsigned depth, blm_report *why)
{
    blm_err err = blm_open_places(f, head, &u->o, depth, why);
    for (uint32_t i = 0; !err && i < head->nchild; i++) {
        const uint64_t bytes = blm_le64(head->children + (size_t)i * 8),
                       start = blm_child_at(*end, bytes);
        if (start > head->image_bytes || bytes > head->image_bytes - start)
            return forged(why, "a child runs past its parent");
        if (u->end - u->at < 4) return forged(why, "it ends before its children");
        const uint32_t header = blm_le32(u->p + u->at);
        u->at += 4;
        err = take_filter(u, &f->child[i], base ? base->child[i] : NULL, header, bytes, depth + 1,
                          why);
        if (!err && !blm_open_fits(f->child[i], f))
            err = forged(why, "a child hashes keys differently than its parent");
        *end = start + bytes;
    }
    return err;
}

static blm_err take_body(unpacker *u, blm_filter *f, const blm_filter *base, const blm_head *head,
                         unsigned depth, blm_report *why)
{
    uint64_t cells = 0;
    blm_err err = blm_shape(f, &cells, why);
    if (err) return blm_image_fault(err, why);
    uint64_t end = blm_layout_of(head->length, cells, head->chunk_log2).end;
    if (end > head->image_bytes)
        return blm_fail(why, BLM_E_IMAGE,
                        "forged: its fields need %" PRIu64 " bytes, but it states %" PRIu64, end,
                        head->image_bytes);
    if (base && (base->kind != f->kind || base->bytes != cells || base->nchild != head->nchild))
        return forged(why, "its base has another shape");
    err = blm_open_cells(f, cells, &u->o, why);
    if (!err) err = take_cells(u, f, base, why);
    if (!err) err = take_children(u, f, base, head, &end, depth, why);
    if (!err && end != head->image_bytes)
        err = forged(why, "it states another size than its contents have");
    if (!err && f->kind->check) err = blm_image_fault(f->kind->check(f, why), why);
    return err;
}

/* `header` bytes of header, then the rest of one filter, whose image has `image` bytes. */
static blm_err take_filter(unpacker *u, blm_filter **out, const blm_filter *base, size_t header,
                           uint64_t image, unsigned depth, blm_report *why)
{
    blm_filter *f = NULL;
    if (header > BLM_HEADER_MAX || header > u->end - u->at)
        return forged(why, "it ends inside a header");
    blm_head head = {.length = BLM_PRELUDE + header, .image_bytes = image};
    /* At least a prelude is before every header, as it is in an image. */
    blm_err err = blm_open_begin(&f, u->p + u->at - BLM_PRELUDE, &head, &u->o, why);
    if (err) return err;
    u->at += header;
    err = take_body(u, f, base, &head, depth, why);
    if (err) {
        blm_free(f);
        return err;
    }
    blm_open_end(f, &u->o);
    *out = f;
    return BLM_OK;
}

/* ---- streams --------------------------------------------------------------------------------------------- */

static blm_err check_front(const uint8_t *p, size_t n, blm_report *why)
{
    if (n >= sizeof blm_magic && memcmp(p, blm_magic, sizeof blm_magic) == 0)
        return blm_fail(why, BLM_E_IMAGE, "a filter that is not packed: load it");
    if (n < sizeof blm_packed_magic || memcmp(p, blm_packed_magic, sizeof blm_packed_magic) != 0)
        return blm_fail(why, BLM_E_IMAGE,
                        "not a packed filter: it does not start with its magic number");
    return n < BLM_STREAM_HEAD
               ? blm_fail(why, BLM_E_IMAGE, "damaged or truncated: it ends at byte %zu", n)
               : BLM_OK;
}

static blm_err check_version(const uint8_t *p, blm_report *why)
{
    const unsigned version = blm_le16(p + STREAM_VERSION), what = blm_le16(p + STREAM_WHAT);
    if (version > BLM_STREAM_VERSION || what > BLM_STREAM_DELTA)
        return blm_fail(
            why, BLM_E_NEWER,
            "written by a newer version: stream %u of type %u, this build reads up to %u", version,
            what, BLM_STREAM_VERSION);
    return version ? BLM_OK : forged(why, "there is no stream 0");
}

blm_err blm_stream_look(const void *p, size_t n, blm_stream_info *out, blm_report *why)
{
    const uint8_t *b = p;
    blm_err err = check_front(b, n, why);
    if (!err) err = check_version(b, why);
    if (err) return err;
    *out = (blm_stream_info){.delta = blm_le16(b + STREAM_WHAT) == BLM_STREAM_DELTA,
                             .base = blm_le64(b + STREAM_BASE),
                             .image_bytes = blm_le64(b + STREAM_IMAGE)};
    return BLM_OK;
}

/* The stream is sound as far as its bytes can tell. */
static blm_err check_stream(const uint8_t *p, size_t n, blm_stream_info *info, blm_report *why)
{
    const blm_err err = check_front(p, n, why);
    if (err) return err;
    if (n < BLM_STREAM_HEAD + STREAM_SUM ||
        blm_checksum(p, n - STREAM_SUM, 0) != blm_le64(p + n - STREAM_SUM))
        return blm_fail(why, BLM_E_IMAGE,
                        "damaged: its checksum differs (changed, truncated, or something was "
                        "appended)");
    return blm_stream_look(p, n, info, why);
}

static blm_err check_base(const blm_filter *base, uint64_t want, blm_report *why)
{
    uint64_t sum;
    if (!base)
        return blm_fail(
            why, BLM_E_MISMATCH,
            "a delta: it needs the filter that it was made from, with checksum %016" PRIx64, want);
    const blm_err err = blm_image_sum(base, &sum, why);
    if (err || sum == want) return err;
    return blm_fail(why, BLM_E_MISMATCH,
                    "the base differs: this delta was made from a filter with checksum %016" PRIx64
                    ", not %016" PRIx64,
                    want, sum);
}

/* base NULL: there is none. */
static blm_err open_stream(blm_filter **out, const blm_filter *base, const void *p, size_t n,
                           const blm_open_options *how, blm_report *why)
{
    unpacker u = {.p = p, .at = BLM_PRELUDE};
    blm_stream_info info;
    blm_filter *f = NULL;
    blm_err err = blm_open_take(&u.o.how, how, why);
    if (!err) err = check_stream(p, n, &info, why);
    if (err) return err;
    if (!u.o.how.max_bytes) u.o.how.max_bytes = BLM_UNPACK_DEFAULT;
    u.end = n - STREAM_SUM;
    err = blm_open_afford(&u.o, info.image_bytes, why);
    if (!err && info.delta) err = check_base(base, info.base, why);
    if (!err && !info.delta && info.base) err = forged(why, "it needs no base, but names one");
    if (!err)
        err = take_filter(&u, &f, info.delta ? base : NULL, blm_le32(u.p + STREAM_HEADER),
                          info.image_bytes, 0, why);
    if (err) return err;
    if (u.at != u.end) {
        blm_free(f);
        return forged(why, "it is longer than its contents");
    }
    return blm_open_police(out, f, &u.o.how, why);
}

blm_err blm_unpack(blm_filter **out, const void *p, size_t n, const blm_open_options *how,
                   blm_report *why)
{
    return open_stream(out, NULL, p, n, how, why);
}

blm_err blm_patch(blm_filter **out, const blm_filter *base, const void *p, size_t n,
                  const blm_open_options *how, blm_report *why)
{
    blm_open_options own;
    const blm_err err = blm_open_take(&own, how, why);
    if (err) return err;
    own.size = sizeof own;
    if (base->flags & BLM_KEYED && !own.secret) {
        if (base->hasher)
            own.secret = base->secret;
        else
            own.without_secret = true;
    }
    return open_stream(out, base, p, n, &own, why);
}
