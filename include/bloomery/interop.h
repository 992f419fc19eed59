/* bloomery/interop.h - filters in the formats of other programs.
 *
 *     if (blm_foreign_read(&f, "fuse8", p, n, NULL, &why)) return 1;    // theirs
 *     blm_has_u64(f, their_hash_of(key, length));                       // asked as they ask it
 *
 *     blm_builder_new(&b, BLM_CONFIG(.kind = "fuse", .with = "width=8,shards=1"), &why); ...
 *     if (blm_foreign_write(f, "fuse8", to_file, &fd, &why)) return 1;  // ours, for them
 *
 *     format            kind              other programs
 *     xor8, xor16       xor, w 8 and 16   the C library xor_singleheader: xor8_serialize
 *     fuse8, fuse16     fuse, w 8 and 16  the same: binary_fuse8_serialize; arity 3
 *
 * Programs of these formats hash their keys by themselves, each in its own way: their filters take
 * 64-bit integers. A filter that is read has the hash `given-64`: its keys are such integers (8
 * bytes, little-endian), and every other key is answered no. A filter of ours that is written is
 * to be asked with our hash of the key, which is XXH3-64 with the seed of the filter
 * (blm_hash_many, h.lo).
 */
#ifndef BLOOMERY_INTEROP_H
#define BLOOMERY_INTEROP_H
#include <bloomery/image.h>
#ifdef __cplusplus
extern "C" {
#endif

/* What a format is. */
typedef struct blm_foreign {
    const char *name; /* "fuse8"                                      */
    const char *kind; /* the kind of the filters that it holds        */
    const char *with; /* the knobs with which such a filter is made   */
    const char *doc;
} blm_foreign;

/* Describes the i-th format, from 0. Returns false after the last one. */
BLM_API bool blm_foreign_at(size_t i, blm_foreign *out);

/* Makes a filter from the bytes of another program in a buffer, which may be freed afterwards. Of
 * `how`, max_bytes and alloc count. Written again, it gives the same bytes. The formats have no
 * checksum: what is checked is that all numbers fit each other and the length. Fails with
 * BLM_E_ARG if there is no such format or the filter is above the limit, BLM_E_IMAGE if the bytes
 * are no such filter, BLM_E_NOMEM. */
BLM_API BLM_MUST_USE blm_err blm_foreign_read(blm_filter **out, const char *format, const void *p,
                                              size_t n, const blm_open_options *how,
                                              blm_report *why);

/* Sends f in a format of other programs to a sink. Fails with BLM_E_ARG if there is no such
 * format, with BLM_E_CANNOT if the format cannot hold f (the sentence names the knobs of a filter
 * that it can hold), with BLM_E_KEY if f has a secret, and with what the sink returns. */
BLM_API BLM_MUST_USE blm_err blm_foreign_write(const blm_filter *f, const char *format, blm_sink to,
                                               void *ctx, blm_report *why);

#ifdef __cplusplus
}
#endif
#endif
