/* stream.h - the layout of a packed filter or a delta.
 *
 *     prelude  32 bytes   magic 8, version u16, what u16, header bytes u32, image bytes u64, base u64
 *     header              that of the image, without its prelude
 *     cells               records, until all cells are there
 *     children            each one: header bytes u32, header, cells, children
 *     checksum            XXH3-64 of all before it
 *
 *     record              method u8, bytes of cells varint; then by method
 *       0 zeros           nothing: a run of any length
 *       1 raw             the cells
 *       2 gaps            length varint, code of parts/coder.c
 *       3 bytes           length varint, code of parts/coder_bytes.c
 *
 * What can be derived is not sent: checksums of chunks, padding, preludes of children. In a delta, cells are those of the
 * new filter xor those of its base; all else is the new filter's.
 */
#ifndef BLM_USES_WIRE_STREAM_H
#define BLM_USES_WIRE_STREAM_H
#include <bloomery/wire.h>
#include "core/image/open.h"
#include "parts/coder.h"

#define BLM_STREAM_VERSION 1u
#define BLM_STREAM_BLOCK   ((size_t)1 << 20) /* cells that are coded together, by this writer */

enum {
    STREAM_VERSION = 8,
    STREAM_WHAT = 10,
    STREAM_HEADER = 12,
    STREAM_IMAGE = 16,
    STREAM_BASE = 24
};
enum { STREAM_SUM = 8 }; /* bytes of the checksum */

typedef enum blm_stream_what {
    BLM_STREAM_WHOLE = 0,
    BLM_STREAM_DELTA = 1,
} blm_stream_what;

typedef enum blm_stream_method {
    BLM_RECORD_ZEROS = 0,
    BLM_RECORD_RAW = 1,
    BLM_RECORD_GAPS = 2,
    BLM_RECORD_BYTES = 3
} blm_stream_method;

_Static_assert(BLM_STREAM_HEAD == BLM_PRELUDE, "a header stands where the one of an image does");

/* XXH3-64 of the image of f: what a delta calls its base. */
blm_err blm_image_sum(const blm_filter *f, uint64_t *sum, blm_report *why);
#endif
