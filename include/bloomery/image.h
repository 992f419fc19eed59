/* bloomery/image.h - a filter's bytes: the same on every machine, readable for ever.
 *
 *     blm_write(f, "keys.blm", BLM_WRITE_NEW, NULL);     temp, fsync, rename: the old file or the new
 *     blm_map(&g, "keys.blm", NULL, NULL);               50 GB open in a millisecond, read-only
 *
 * docs/format.md has every byte. A damaged, cut or lengthened image is refused; against forgers
 * the loader is safe by validation, and the checksums are no proof of origin.
 */
#ifndef BLOOMERY_IMAGE_H
#define BLOOMERY_IMAGE_H
#include <bloomery/core.h>
#ifdef __cplusplus
extern "C" {
#endif

typedef enum blm_check { /* when a mapped image's cells are compared with their checksums        */
                         BLM_CHECK_NONE =
                             0, /* never: the header alone                                              */
                         BLM_CHECK_TOUCHED =
                             1, /* at each query, the chunks of 64 KiB that it reads; damaged: "maybe"  */
                         BLM_CHECK_ALL =
                             2 /* once, before the call returns                                        */
} blm_check;

typedef struct blm_open { /* how to open an image; NULL: no secret, no limit, malloc */
    size_t size;          /* sizeof(blm_open) of the caller: BLM_OPEN fills it            */
    const uint8_t *secret;
    bool without_secret; /* info, merge, fold, verify only; has answers true             */
    uint64_t max_bytes;  /* 0: no limit                                                  */
    double max_fill;     /* import policy: fuller than this is POLLUTED; 0 = trust       */
    blm_check check;     /* map and view only; load checks all                           */
    bool overfill;       /* keep adding past twice the promised rate                     */
    const blm_alloc *alloc;
} blm_open;
#define BLM_OPEN(...) (&(const blm_open){.size = sizeof(blm_open), __VA_ARGS__})

/* save streams to a sink (no second copy in memory); load copies out of a buffer. */
typedef blm_err (*blm_sink)(void *ctx, const void *p, size_t n);
BLM_API BLM_MUST_USE blm_err blm_save(const blm_filter *f, blm_sink to, void *ctx, blm_report *why);
BLM_API uint64_t blm_saved_size(const blm_filter *f); /* bytes that save would send */
BLM_API BLM_MUST_USE blm_err blm_load(blm_filter **out, const void *p, size_t n,
                                      const blm_open *how, blm_report *why);

/* write - temp file in the same folder, fsync, rename, fsync of the folder: at any moment the path
 * holds the whole old file or the whole new one. A symlink's target is replaced, not the link. Writers
 * of one path exclude each other by flock; one that waits 60 seconds for another gives up (BLM_E_IO).
 *
 * A file that is replaced keeps its owner, group and mode (at most 0777: no setuid bit). Only root gives
 * files away: for others the new file belongs to the caller, without the others' write bit, without
 * the group's bits if the group cannot be kept, and `why` says so beside BLM_OK. ACLs and other
 * attributes are not kept.
 *
 * BLM_E_IO with "may not survive a power cut": the new file is in its place, but its folder could not
 * be brought to the disk. Every other failure leaves what was there. */
typedef enum blm_write_how {
    BLM_WRITE_NEW = 0 /* refuse an existing path */,
    BLM_WRITE_REPLACE = 1
} blm_write_how;
BLM_API BLM_MUST_USE blm_err blm_write(const blm_filter *f, const char *path, blm_write_how how,
                                       blm_report *why);
BLM_API BLM_MUST_USE blm_err blm_read(blm_filter **out, const char *path, const blm_open *how,
                                      blm_report *why);

/* update - read, change, write back, and lose nothing of others who do the same:
 *
 *     blm_update_begin(&u, &f, "keys.blm", NULL, NULL);   the writers' lock, then a copy to change
 *     blm_add(f, "plum", 4);
 *     blm_update_end(u, f, NULL);                         written as write does; blm_update_drop: not
 *     blm_free(f);
 *
 * The file must exist. Other writers of the path wait from begin to end or drop; readers never do.
 * how NULL: every checksum is compared first; else how->check says. Without checksums the cells must
 * still agree with the fields. end: u is spent either way, f stays the caller's; any filter may take
 * the place of the one that was read. */
typedef struct blm_update blm_update;
BLM_API BLM_MUST_USE blm_err blm_update_begin(blm_update **out, blm_filter **f, const char *path,
                                              const blm_open *how, blm_report *why);
BLM_API BLM_MUST_USE blm_err blm_update_end(blm_update *u, const blm_filter *f, blm_report *why);
BLM_API void blm_update_drop(blm_update *u); /* the file stays as it is; NULL is fine */

/* map - read-only; header, fields and lengths checked at once. view: the same on the caller's
 * buffer of any alignment, which must outlive the filter.
 *
 * A file that somebody makes shorter while it is mapped ends the process with SIGBUS at the first
 * question that reads past its new end; no library can prevent that. Files that this library replaces are
 * never made shorter. Where others may truncate files, copy them: blm_read. */
BLM_API BLM_MUST_USE blm_err blm_map(blm_filter **out, const char *path, const blm_open *how,
                                     blm_report *why);
BLM_API BLM_MUST_USE blm_err blm_view(blm_filter **out, const void *p, size_t n,
                                      const blm_open *how, blm_report *why);
/* Whether the chunks that this query reads are sound: OK, or IMAGE. Without sums (not mapped): OK. */
BLM_API blm_err blm_check_item(const blm_filter *f, const blm_item *it, blm_report *why);

/* image_size - peek: how many bytes the image that starts here has. Needs the first 32 bytes. */
BLM_API BLM_MUST_USE blm_err blm_image_size(const void *p, size_t n, uint64_t *bytes,
                                            blm_report *why);
/* verify_image - every checksum, every field, every padding byte, children too. */
BLM_API BLM_MUST_USE blm_err blm_verify_image(const void *p, size_t n, blm_report *why);

/* Bare cells, for packets and interop. adopt: bits from a peer of the same shape. */
BLM_API const void *blm_cells(const blm_filter *f, size_t *bytes);
BLM_API BLM_MUST_USE blm_err blm_adopt(blm_filter *f, const void *cells, size_t bytes,
                                       blm_report *why);
#ifdef __cplusplus
}
#endif
#endif
