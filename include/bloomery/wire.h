/* bloomery/wire.h - filters for the network: packed, or as the difference to one that is there.
 *
 *     if (blm_pack(f, to_socket, &fd, NULL)) return 1;    // the sender: in few bytes
 *     if (blm_unpack(&g, p, n, NULL, &why)) return 1;     // the receiver: the same filter
 *
 *     if (blm_delta(monday, tuesday, to_socket, &fd, NULL)) return 1;
 *     if (blm_patch(&g, monday, p, n, NULL, &why)) return 1; // g equals tuesday
 *
 * A stream has the header of the filter and its cells, coded where that is smaller: as gaps
 * between ones, or as bytes by their frequencies. A filter that is half full cannot be coded in
 * less than its cells; one that is 5 % full takes 29 % of them. The same filter gives the same
 * stream on every machine, and docs/format.md describes every byte. Streams are not images:
 * blm_load does not take them, so that what it allocates is bounded by the bytes that it is given.
 */
#ifndef BLOOMERY_WIRE_H
#define BLOOMERY_WIRE_H
#include <bloomery/image.h>
#ifdef __cplusplus
extern "C" {
#endif

/* The largest image that blm_unpack and blm_patch make if blm_open_options.max_bytes is 0: 1 GiB.
 * A stream of 200 bytes may unpack to 8 GiB of zeros. */
#define BLM_UNPACK_DEFAULT (UINT64_C(1) << 30)

/* Sends f, packed, to a sink, piece by piece; a stream is never more than 16 bytes longer than the
 * image of f. Needs 3 MiB of memory at most. Fails with what the sink returns, BLM_E_NOMEM, or
 * BLM_E_CANNOT if f has more than 1024 children. */
BLM_API BLM_MUST_USE blm_err blm_pack(const blm_filter *f, blm_sink to, void *ctx, blm_report *why);

/* Makes a filter from the stream of blm_pack in a buffer, which may be freed afterwards. `how` is
 * as for blm_load; how->max_bytes limits the size of the image that the filter would have, and 0
 * stands for BLM_UNPACK_DEFAULT. The stream states that size in its first bytes, and it is checked
 * before anything is allocated for it. Fails with BLM_E_IMAGE if the stream is damaged, too short
 * or too long, BLM_E_ARG if the image would be above the limit, BLM_E_MISMATCH if it is a delta,
 * BLM_E_NEWER, BLM_E_KEY, BLM_E_POLLUTED, BLM_E_NOMEM. */
BLM_API BLM_MUST_USE blm_err blm_unpack(blm_filter **out, const void *p, size_t n,
                                        const blm_open_options *how, blm_report *why);

/* Sends what turns `base` into f: for the cells, the exclusive or of both. f itself is sent, as
 * blm_pack does, if that is shorter, or if the two have different numbers of cells because one of
 * them has grown. Both must have the same kind, shape, seed and secret: BLM_E_MISMATCH. Costs up to
 * three times as much as blm_pack; all else is as there. */
BLM_API BLM_MUST_USE blm_err blm_delta(const blm_filter *base, const blm_filter *f, blm_sink to,
                                       void *ctx, blm_report *why);

/* Makes the filter that blm_delta was called for. A delta names its base by the XXH3-64 of the
 * base's image, and with any other base the call fails with BLM_E_MISMATCH. A stream of blm_pack
 * needs no base, and is unpacked. If base has a secret and `how` has none, it is base's. Fails as
 * blm_unpack does. */
BLM_API BLM_MUST_USE blm_err blm_patch(blm_filter **out, const blm_filter *base, const void *p,
                                       size_t n, const blm_open_options *how, blm_report *why);

/* Writes the stream of blm_pack to a file, as blm_write writes an image: at any moment the path
 * holds the whole old file or the whole new one. */
BLM_API BLM_MUST_USE blm_err blm_write_packed(const blm_filter *f, const char *path,
                                              blm_write_how how, blm_report *why);

/* Writes the stream of blm_delta to a file, as blm_write writes an image. */
BLM_API BLM_MUST_USE blm_err blm_write_delta(const blm_filter *base, const blm_filter *f,
                                             const char *path, blm_write_how how, blm_report *why);

/* What the first bytes of a stream say. They are covered by the checksum of the whole stream, which
 * only blm_unpack and blm_patch compare. */
typedef struct blm_stream_info {
    bool delta;           /* it needs a base                                   */
    uint64_t base;        /* XXH3-64 of the base's image; 0 if it needs none   */
    uint64_t image_bytes; /* of the image of the filter that comes out of it   */
} blm_stream_info;

/* The first bytes of a stream: this many are enough for blm_stream_look. */
#define BLM_STREAM_HEAD 32

/* Describes the stream that starts at p. Fails with BLM_E_IMAGE if there is none, BLM_E_NEWER if it
 * is of a later version. */
BLM_API blm_err blm_stream_look(const void *p, size_t n, blm_stream_info *out, blm_report *why);

#ifdef __cplusplus
}
#endif
#endif
