/* bloomery/image.h - the image of a filter: the same bytes on every machine, readable for ever.
 *
 *     if (blm_write(f, "keys.blm", BLM_WRITE_NEW, NULL)) return 1;  // the old file or the new one
 *     if (blm_map(&g, "keys.blm", NULL, NULL)) return 1;            // 50 GB open in a millisecond
 *     if (blm_has(g, "plum", 4)) puts("maybe");
 *     blm_free(g);
 *
 * docs/format.md describes every byte. Calls that open an image fail with BLM_E_IMAGE if it is
 * damaged, too short or too long, with BLM_E_NEWER if it needs a newer library, with BLM_E_KEY if
 * it needs a secret, and with BLM_E_IO if the file cannot be read. Opening a forged image is
 * safe, because every value is checked before it is used; but whoever can write an image can also
 * write its checksums, so they do not prove where it comes from.
 */
#ifndef BLOOMERY_IMAGE_H
#define BLOOMERY_IMAGE_H
#include <bloomery/core.h>
#ifdef __cplusplus
extern "C" {
#endif

/* When the cells of a mapped image are compared with their checksums. */
typedef enum blm_check {
    BLM_CHECK_NONE = 0,    /* never: only the header is checked                                   */
    BLM_CHECK_TOUCHED = 1, /* at each query, the chunks of 64 KiB it reads; damaged ones: "maybe" */
    BLM_CHECK_ALL = 2      /* once, before the call returns                                       */
} blm_check;

/* How to open an image. Zero in any field is the default; NULL in place of the struct means all
 * defaults: no secret, no limit, malloc. */
typedef struct blm_open_options {
    size_t size;            /* sizeof(blm_open_options); blm_open_init() and BLM_OPEN set it     */
    const uint8_t *secret;  /* the 16 bytes that the filter was made with; NULL: none            */
    bool without_secret;    /* open without the secret: blm_has answers true, and only info,
                             * merge, fold and verify work                                       */
    uint64_t max_bytes;     /* reject images that need more memory; 0: no limit                  */
    double max_fill;        /* reject filters that are fuller, with BLM_E_POLLUTED; 0: none      */
    blm_check check;        /* for blm_map and blm_view; blm_load and blm_read check all         */
    bool overfill;          /* keep adding past twice the promised rate                          */
    const blm_alloc *alloc; /* NULL: malloc                                                      */
} blm_open_options;

/* Sets *o to all defaults. */
BLM_API void blm_open_init(blm_open_options *o);

/* BLM_OPEN(.secret = key) is a pointer to a blm_open_options, for use as an argument of a call; see
 * BLM_CONFIG. */
#ifndef __cplusplus
#define BLM_OPEN(...) (&(const blm_open_options){.size = sizeof(blm_open_options), __VA_ARGS__})
#else
#define BLM_OPEN(...) BLM_CXX_SET(blm_open_options, blm_open_init, __VA_ARGS__)
#endif

/* ---- memory -------------------------------------------------------------------------------- */

/* Takes the next n bytes of an image; any code but BLM_OK stops blm_save, which returns it. */
typedef blm_err (*blm_sink)(void *ctx, const void *p, size_t n);

/* Sends the image of f to a sink, piece by piece, without a second copy in memory. Fails with
 * what the sink returns. */
BLM_API BLM_MUST_USE blm_err blm_save(const blm_filter *f, blm_sink to, void *ctx, blm_report *why);

/* Returns how many bytes blm_save sends. */
BLM_API uint64_t blm_saved_size(const blm_filter *f);

/* Makes a filter from the image in a buffer, which may be freed afterwards. */
BLM_API BLM_MUST_USE blm_err blm_load(blm_filter **out, const void *p, size_t n,
                                      const blm_open_options *how, blm_report *why);

/* ---- files --------------------------------------------------------------------------------- */

/* What blm_write does if the path exists. */
typedef enum blm_write_how {
    BLM_WRITE_NEW = 0,    /* fail             */
    BLM_WRITE_REPLACE = 1 /* replace the file */
} blm_write_how;

/* Writes the image of f to a file: a temporary file in the same folder, fsync, rename, fsync of
 * the folder. At any moment the path holds the whole old file or the whole new one. If the path
 * is a symbolic link, its target is replaced. Writers of one path exclude each other by flock;
 * one that waits for 60 seconds fails with BLM_E_IO.
 *
 * A file that is replaced keeps its owner, group and mode (at most 0777: no setuid bit). Only
 * root can give files away: for others the new file belongs to the caller, is not writable for
 * others, loses the group's permissions if the group cannot be kept, and `why` says so although
 * the call returns BLM_OK. ACLs and other attributes are not kept.
 *
 * BLM_E_IO with "may not survive a power failure" means that the new file is in place, but the
 * folder could not be flushed to disk. Every other failure leaves the old file. */
BLM_API BLM_MUST_USE blm_err blm_write(const blm_filter *f, const char *path, blm_write_how how,
                                       blm_report *why);

/* Reads a file into memory and checks all of it. The filter can be changed; the file is not. */
BLM_API BLM_MUST_USE blm_err blm_read(blm_filter **out, const char *path,
                                      const blm_open_options *how, blm_report *why);

/* A file that is being changed. */
typedef struct blm_update blm_update;

/* Reads a file in order to change it and write it back, without losing what others write
 * meanwhile:
 *
 *     if (blm_update_begin(&u, &f, "keys.blm", NULL, NULL)) return 1;   // locks out other writers
 *     if (!blm_add(f, "plum", 4)) err = blm_update_end(u, f, NULL);     // writes, and unlocks
 *     else blm_update_drop(u);                                          // unlocks: nothing changed
 *     blm_free(f);
 *
 * The file must exist. Other writers of the path wait until blm_update_end() or
 * blm_update_drop(); readers never wait. With how NULL all checksums are compared first;
 * otherwise how->check says which. Without checksums the cells must still agree with the fields. */
BLM_API BLM_MUST_USE blm_err blm_update_begin(blm_update **out, blm_filter **f, const char *path,
                                              const blm_open_options *how, blm_report *why);

/* Writes f, which need not be the filter that was read, as blm_write does, and lets other writers
 * go on. u is freed whether that succeeds or not; f still belongs to the caller. */
BLM_API BLM_MUST_USE blm_err blm_update_end(blm_update *u, const blm_filter *f, blm_report *why);

/* Leaves the file as it is, lets other writers go on, and frees u; NULL is fine. */
BLM_API void blm_update_drop(blm_update *u);

/* Maps a file, read-only. Header, fields and lengths are checked; how->check says when the cells
 * are. Cost: the header alone is read, so it takes as long for 50 GB as for 50 KB.
 *
 * If somebody makes the file shorter while it is mapped, the first query that reads past its new
 * end ends the process with SIGBUS; no library can prevent that. blm_write never makes a file
 * shorter: it replaces it, and filters that have mapped the old one go on with it. Where others
 * may truncate files, copy them with blm_read. examples/replace.c shows how threads go over to a
 * new file. */
BLM_API BLM_MUST_USE blm_err blm_map(blm_filter **out, const char *path,
                                     const blm_open_options *how, blm_report *why);

/* Like blm_map, on a buffer of any alignment, which must outlive the filter. */
BLM_API BLM_MUST_USE blm_err blm_view(blm_filter **out, const void *p, size_t n,
                                      const blm_open_options *how, blm_report *why);

/* ---- checks -------------------------------------------------------------------------------- */

/* Compares the chunks that this query reads with their checksums. Fails with BLM_E_IMAGE if one is
 * damaged. A filter that is not mapped has no checksums: BLM_OK. */
BLM_API blm_err blm_check_item(const blm_filter *f, const blm_item *it, blm_report *why);

/* Sets *bytes to the length of the image that starts at p. The first 32 bytes are enough. */
BLM_API BLM_MUST_USE blm_err blm_image_size(const void *p, size_t n, uint64_t *bytes,
                                            blm_report *why);

/* Checks every checksum, field and padding byte of an image, those of children included. */
BLM_API BLM_MUST_USE blm_err blm_verify_image(const void *p, size_t n, blm_report *why);

/* ---- bare cells ---------------------------------------------------------------------------- */

/* Returns the cells of f without a header, for packets and other programs. They belong to f. */
BLM_API const void *blm_cells(const blm_filter *f, size_t *bytes);

/* Replaces the cells of f by those of a peer of the same shape. Fails with BLM_E_IMAGE if f's kind
 * cannot have such cells, BLM_E_ARG if the length is wrong, BLM_E_CANNOT, BLM_E_READONLY. */
BLM_API BLM_MUST_USE blm_err blm_adopt(blm_filter *f, const void *cells, size_t bytes,
                                       blm_report *why);

/* Returns the i-th filter inside f, in the order in which they were appended, or NULL past the
 * last one. It belongs to f, and lives until f is changed or freed. */
BLM_API const blm_filter *blm_inner(const blm_filter *f, size_t i);

/* Returns the item with which f asks its i-th inner filter for the key of *it. */
BLM_API blm_item blm_inner_item(const blm_filter *f, size_t i, const blm_item *it);

#ifdef __cplusplus
}
#endif
#endif
