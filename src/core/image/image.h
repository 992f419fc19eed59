/* image.h - the layout of an image, shared by the files that write and read it.
 *
 *     prelude  32 bytes   magic 8, format u16, zero u16, header bytes u32, image bytes u64, checksum u64
 *     header              kind, hash, numbers of every filter, the kind's fields, chunk size, tags
 *     (zeros)             up to the cells
 *     cells               at a multiple of 4096 when they fill 4096 bytes, of 64 when they fill 64, else of 8
 *     (zeros)             up to a multiple of 8
 *     sums                XXH3-64 of each chunk of cells, seeded with the chunk's place
 *     children            whole images, each at a multiple of 4096 (8 when smaller than that)
 *
 * The checksum is XXH3-64 of prelude and header with the checksum itself zero.
 */
#ifndef BLM_CORE_IMAGE_H
#define BLM_CORE_IMAGE_H
#include "core/core_internal.h"

#define BLM_PRELUDE      32u
#define BLM_HEADER_MAX   65536u
#define BLM_CHUNK_LOG2   16u
#define BLM_CHILDREN_MAX 1024u  /* of one filter   */
#define BLM_FAMILY_MAX   65536u /* of one image    */
#define BLM_DEPTH_MAX    4u

extern const uint8_t blm_magic[8];
extern const uint8_t blm_packed_magic[8]; /* of a stream that blm_unpack or blm_patch reads */

typedef enum blm_tag {                       /* in ascending order, each at most once */
                       BLM_TAG_NOTE = 1,     /* the user's text                         */
                       BLM_TAG_CHILDREN = 2, /* u64 a child: bytes of its image         */
                       BLM_TAG_SALT = 3,     /* u64, not zero                           */
                       BLM_TAG_NOW = 4,      /* u64, not zero: the last tick            */
                       BLM_TAG_SEEN = 5,     /* 2 u64, not both zero: denied, noes      */
                       BLM_TAG_FORM = 6      /* how text becomes a key: words           */
} blm_tag;
#define BLM_TAG_SKIP 1u /* flag: a reader that does not know this tag may pass over it */

typedef struct blm_layout {
    uint64_t cells_at, cells, sums_at, sums, end; /* end: after the sums, before the children */
} blm_layout;
/* From the length of prelude + header and the bytes of cells. All below 2^61: no overflow. */
blm_layout blm_layout_of(uint64_t head, uint64_t cells, unsigned chunk_log2);
uint64_t blm_child_at(uint64_t end, uint64_t bytes); /* where a child's image of that size starts */

/* Bytes of prelude + header of f. p NULL: only measure. child_bytes: nchild sizes. */
size_t blm_header_write(const blm_filter *f, const uint64_t *child_bytes, uint64_t image_bytes,
                        uint8_t *p);

typedef struct blm_head { /* what a header says besides what it put into the filter */
    size_t length;        /* prelude + header */
    unsigned chunk_log2;
    const uint8_t *children; /* nchild u64, inside the header bytes */
    uint32_t nchild;
    uint64_t image_bytes;
} blm_head;
/* Prelude: magic, checksum, format. n: bytes in hand (may be fewer than the image has). */
blm_err blm_prelude_check(const uint8_t *p, size_t n, blm_head *head, blm_report *why);
/* Header -> a blank filter with its fields set; cells and children are the caller's business. */
blm_err blm_header_read(blm_filter **out, const uint8_t *p, blm_head *head, const blm_alloc *alloc,
                        blm_report *why);

/* A bad field or cell is here the image's fault, not the caller's. */
static inline blm_err blm_image_fault(blm_err err, blm_report *why)
{
    if (err != BLM_E_ARG) return err;
    if (why) why->code = BLM_E_IMAGE;
    return BLM_E_IMAGE;
}

/* Whatever `send` sends of `what`, written to a path as blm_write does. */
typedef blm_err (*blm_sender)(const void *what, blm_sink to, void *ctx, blm_report *);
blm_err blm_write_sent(blm_sender send, const void *what, const char *path, blm_write_how how,
                       blm_report *why);

/* IMAGE: these bytes do not start as an image does, and what they start as, where that is known. */
blm_err blm_no_image(const uint8_t *p, size_t n, blm_report *why);

uint64_t blm_chunk_sum(const uint8_t *cells, uint64_t bytes, unsigned chunk_log2, uint64_t chunk);
#endif
