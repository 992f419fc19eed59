/* repair.h - makes an image's checksums, lengths and paddings right after its bytes were changed.
 *
 * Checksums stop accidents, not forgers; a fuzzer that cannot forge them never sees what stands
 * behind. What cannot be made right (a kind that does not exist, fields out of range) stays as it is.
 */
#ifndef BLM_TESTS_REPAIR_H
#define BLM_TESTS_REPAIR_H
#include "core/image/image.h"
#include "core/bytes.h"

typedef enum repairs {
    REPAIR_HEADER = 1, /* magic, checksum of the header                                */
    REPAIR_BODY = 2,   /* lengths, paddings and sums of the cells, the same of children */
    REPAIR_STATE = 4   /* fields that count the cells                                  */
} repairs;

static void seal_header(uint8_t *p, size_t length)
{
    blm_put64(p + 24, 0);
    blm_put64(p + 24, blm_checksum(p, length, 0));
}

/* Returns the length of prelude + header, 0 when there is no room for it. */
static size_t repair_header(uint8_t *p, size_t n)
{
    if (n < BLM_PRELUDE) return 0;
    memcpy(p, blm_magic, sizeof blm_magic);
    size_t header = blm_le32(p + 12);
    if (header > n - BLM_PRELUDE) header %= n - BLM_PRELUDE + 1;
    if (header > BLM_HEADER_MAX) header = BLM_HEADER_MAX;
    blm_put32(p + 12, (uint32_t)header);
    seal_header(p, BLM_PRELUDE + header);
    return BLM_PRELUDE + header;
}

/* The kind counts its cells by itself when it adopts them; the header then says what it found. */
static void repair_state(blm_filter *f, uint8_t *p, const uint8_t *cells, uint64_t bytes)
{
    uint8_t *own = malloc((size_t)bytes);
    if (!own || !f->kind->adopt) {
        free(own);
        return;
    }
    f->cells = own;
    f->bytes = bytes;
    if (f->kind->adopt(f, cells, NULL) == BLM_OK) {
        uint8_t *at = p + BLM_PRELUDE + 1 + p[BLM_PRELUDE]; /* the version of its fields */
        const unsigned version = blm_le16(at);
        at += 2;               /* the hash's name */
        at += 1 + *at + 5 * 8; /* what the filter has lost */
        blm_put32(at, f->lost & f->kind->promises);
        at += 4;
        for (size_t i = 0; i < f->kind->nfields; i++) {
            const blm_field *d = &f->kind->fields[i];
            if (d->since > version) continue;
            blm_put_n(at, d->width, blm_field_get(f, d));
            at += d->width;
        }
    }
    f->cells = NULL;
    f->bytes = 0;
    free(own);
}

static size_t repair(uint8_t *p, size_t n, size_t room, unsigned what, unsigned depth);

/* Each child is repaired in its place and the directory gets its length; returns where they end. */
static uint64_t repair_children(uint8_t *p, size_t room, const blm_head *head, uint64_t end,
                                unsigned what, unsigned depth)
{
    if (depth >= BLM_DEPTH_MAX) return end;
    for (uint32_t i = 0; i < head->nchild; i++) {
        uint8_t *entry = p + (head->children - p) + i * 8;
        const uint64_t said = blm_le64(entry), start = blm_child_at(end, said);
        if (start > room) return end;
        const size_t left = room - (size_t)start, bytes = said < left ? (size_t)said : left;
        const size_t length = repair(p + start, bytes, left, what, depth + 1);
        if (blm_child_at(end, length) != start) return end; /* it would have to move */
        memset(p + end, 0, (size_t)(start - end));
        blm_put64(entry, length);
        end = start + length;
    }
    return end;
}

/* Returns the length that the image has to have, n when that is more than there is room for. */
static size_t repair_body(blm_filter *f, uint8_t *p, size_t n, size_t room, const blm_head *head,
                          unsigned what, unsigned depth)
{
    uint64_t cells = 0;
    if (blm_shape(f, &cells, NULL)) return n;
    const blm_layout l = blm_layout_of(head->length, cells, head->chunk_log2);
    if (l.end > room) return n;
    memset(p + head->length, 0, (size_t)(l.cells_at - head->length));
    memset(p + l.cells_at + l.cells, 0, (size_t)(l.sums_at - l.cells_at - l.cells));
    if (what & REPAIR_STATE && cells) repair_state(f, p, p + l.cells_at, cells);
    for (uint64_t i = 0; i < l.sums; i++)
        blm_put64(p + l.sums_at + i * 8, blm_chunk_sum(p + l.cells_at, cells, head->chunk_log2, i));
    return (size_t)repair_children(p, room, head, l.end, what, depth);
}

/* n bytes of room at p are the image; returns how many are now. */
static size_t repair(uint8_t *p, size_t n, size_t room, unsigned what, unsigned depth)
{
    blm_head head;
    blm_filter *f = NULL;
    const size_t length = repair_header(p, n);
    if (!length) return n;
    if (what & REPAIR_BODY && !blm_prelude_check(p, n, &head, NULL) &&
        !blm_header_read(&f, p, &head, NULL, NULL)) {
        n = repair_body(f, p, n, room, &head, what, depth);
        blm_free(f);
    }
    blm_put64(p + 16, n);
    seal_header(p, length);
    return n;
}
#endif
