/* unpack.c - gzip, zstd and xz, told by their first bytes, through zlib, libzstd and liblzma.
 *
 * Each library is optional: a row without functions is one that was missing when this was built.
 * What has arrived is given at once, so that a stream with flush points can be followed.
 */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "input/organs.h"

#ifdef BLM_HAVE_ZLIB
#define ZLIB_CONST
#include <zlib.h>
#endif
#ifdef BLM_HAVE_ZSTD
#include <zstd.h>
#include <zstd_errors.h>
#endif
#ifdef BLM_HAVE_LZMA
#include <lzma.h>
#endif

typedef struct flow {
    const char **in;
    size_t *in_left;
    char **out;
    size_t *out_left;
    bool last;
} flow;

struct packing {
    const char *name, *suffix, *library, *tool;
    unsigned char magic[6], first_mask; /* the mask is of the first byte: skippable zstd frames */
    size_t length;
    bool (*start)(unpacking *u);
    stepped (*step)(unpacking *u, const flow *w);
    void (*end)(unpacking *u);
};

#if defined(BLM_HAVE_ZLIB) || defined(BLM_HAVE_ZSTD) || defined(BLM_HAVE_LZMA)
static void moved(const flow *w, size_t in_now, size_t out_now)
{
    *w->in += *w->in_left - in_now;
    *w->in_left = in_now;
    *w->out += *w->out_left - out_now;
    *w->out_left = out_now;
}
#endif

/* ---- gzip: members one after the other, then perhaps zeros ----------------------------------------- */

#ifdef BLM_HAVE_ZLIB
#define GZIP_ONLY (16 + MAX_WBITS)

static bool gzip_start(unpacking *u)
{
    z_stream *z = calloc(1, sizeof *z);
    if (z && inflateInit2(z, GZIP_ONLY) != Z_OK) {
        free(z);
        z = NULL;
    }
    u->state = z;
    return z != NULL;
}

/* Tapes and disks pad with zeros; anything else after a member must be a member, which zlib checks. */
static bool gzip_between(unpacking *u, const flow *w)
{
    while (*w->in_left && **w->in == 0) {
        u->padded = true;
        ++*w->in;
        --*w->in_left;
    }
    if (!*w->in_left) return true;
    if (u->padded) {
        u->what = "there is other data after its end";
        return false;
    }
    u->inside = true;
    return true;
}

static stepped gzip_step(unpacking *u, const flow *w)
{
    z_stream *z = u->state;
    if (!u->inside && u->begun && !gzip_between(u, w)) return STEP_DAMAGED;
    if (!u->inside && u->begun) return STEP_OK;
    u->begun = u->inside = true;
    const uInt in = *w->in_left < UINT_MAX ? (uInt)*w->in_left : UINT_MAX;
    const uInt out = *w->out_left < UINT_MAX ? (uInt)*w->out_left : UINT_MAX;
    z->next_in = (const Bytef *)*w->in;
    z->avail_in = in;
    z->next_out = (Bytef *)*w->out;
    z->avail_out = out;
    const int r = inflate(z, Z_SYNC_FLUSH);
    const bool still = z->avail_in == in && z->avail_out == out;
    moved(w, *w->in_left - (in - z->avail_in), *w->out_left - (out - z->avail_out));
    if (r == Z_STREAM_END) {
        u->inside = false;
        return inflateReset(z) == Z_OK ? STEP_OK : STEP_NOMEM;
    }
    if (r == Z_MEM_ERROR) return STEP_NOMEM;
    if (r == Z_OK || r == Z_BUF_ERROR) return w->last && still ? STEP_CUT : STEP_OK;
    u->what = z->msg;
    return STEP_DAMAGED;
}

static void gzip_end(unpacking *u)
{
    inflateEnd(u->state);
    free(u->state);
}
#define GZIP gzip_start, gzip_step, gzip_end
#else
#define GZIP NULL, NULL, NULL
#endif

/* ---- zstd: frames, and frames to skip ---------------------------------------------------------------- */

#ifdef BLM_HAVE_ZSTD
#define WIDEST_WINDOW              ((int)(sizeof(void *) > 4 ? 31 : 27)) /* what zstd --long=31 makes: 2 GiB */
#define ZSTD_WINDOWLOG_LIMIT_LEAST 10                                    /* by the format */

static int window_log(uint64_t ram)
{
    int log = ZSTD_WINDOWLOG_LIMIT_LEAST;
    while (log < WIDEST_WINDOW && UINT64_C(2) << log <= ram) log++;
    return log;
}

static bool zstd_start(unpacking *u)
{
    ZSTD_DCtx *d = ZSTD_createDCtx();
    if (d) (void)ZSTD_DCtx_setParameter(d, ZSTD_d_windowLogMax, window_log(u->ram));
    u->state = d;
    return d != NULL;
}

static stepped zstd_step(unpacking *u, const flow *w)
{
    ZSTD_inBuffer in = {*w->in, *w->in_left, 0};
    ZSTD_outBuffer out = {*w->out, *w->out_left, 0};
    const size_t r = ZSTD_decompressStream(u->state, &out, &in);
    const ZSTD_ErrorCode wrong = ZSTD_getErrorCode(r);
    if (wrong == ZSTD_error_memory_allocation) return STEP_NOMEM;
    if (wrong == ZSTD_error_frameParameter_windowTooLarge) return STEP_LIMIT;
    if (wrong) {
        u->what = ZSTD_getErrorName(r);
        return STEP_DAMAGED;
    }
    const bool still = !in.pos && !out.pos;
    if (!still) u->inside = r != 0; /* between frames an idle call asks for the next one */
    moved(w, *w->in_left - in.pos, *w->out_left - out.pos);
    return w->last && still && u->inside ? STEP_CUT : STEP_OK;
}

static void zstd_end(unpacking *u) { ZSTD_freeDCtx(u->state); }
#define ZSTD zstd_start, zstd_step, zstd_end
#else
#define ZSTD NULL, NULL, NULL
#endif

/* ---- xz: streams and padding, both known to liblzma ----------------------------------------------------- */

#ifdef BLM_HAVE_LZMA
static bool xz_start(unpacking *u)
{
    lzma_stream *z = malloc(sizeof *z);
    if (!z) return false;
    *z = (lzma_stream)LZMA_STREAM_INIT;
    if (lzma_stream_decoder(z, u->ram, LZMA_CONCATENATED) != LZMA_OK) {
        free(z);
        return false;
    }
    u->state = z;
    u->inside = true;
    return true;
}

static stepped xz_step(unpacking *u, const flow *w)
{
    lzma_stream *z = u->state;
    if (!u->inside) return STEP_OK;
    z->next_in = (const uint8_t *)*w->in;
    z->avail_in = *w->in_left;
    z->next_out = (uint8_t *)*w->out;
    z->avail_out = *w->out_left;
    const lzma_ret r = lzma_code(z, w->last ? LZMA_FINISH : LZMA_RUN);
    const bool still = z->avail_in == *w->in_left && z->avail_out == *w->out_left;
    moved(w, z->avail_in, z->avail_out);
    if (r == LZMA_STREAM_END) {
        u->inside = false;
        return STEP_OK;
    }
    if (r == LZMA_MEM_ERROR) return STEP_NOMEM;
    if (r == LZMA_MEMLIMIT_ERROR) {
        u->needs = lzma_memusage(z);
        return STEP_LIMIT;
    }
    if (r == LZMA_OK || r == LZMA_BUF_ERROR) return w->last && still ? STEP_CUT : STEP_OK;
    u->what = r == LZMA_DATA_ERROR      ? "its checksum or its data is wrong"
              : r == LZMA_OPTIONS_ERROR ? "it uses options that liblzma does not know"
              : r == LZMA_FORMAT_ERROR  ? "there is other data after its end"
                                        : NULL;
    return STEP_DAMAGED;
}

static void xz_end(unpacking *u)
{
    lzma_end(u->state);
    free(u->state);
}
#define XZ xz_start, xz_step, xz_end
#else
#define XZ NULL, NULL, NULL
#endif

/* ---- which ------------------------------------------------------------------------------------------------ */

static const packing packings[] = {
    {"gzip", "gz", "zlib", "gzip", {0x1f, 0x8b, 8}, 0xff, 3, GZIP},
    {"zstd", "zst", "libzstd", "zstd", {0x28, 0xb5, 0x2f, 0xfd}, 0xff, 4, ZSTD},
    {"xz", "xz", "liblzma", "xz", {0xfd, '7', 'z', 'X', 'Z', 0}, 0xff, 6, XZ},
    {"zstd", NULL, "libzstd", "zstd", {0x50, 0x2a, 0x4d, 0x18}, 0xf0, 4, ZSTD}, /* to be skipped */
};

const packing *packing_of(const char *p, size_t n, bool *unsure)
{
    *unsure = false;
    for (size_t i = 0; i < COUNT_OF(packings); i++) {
        const packing *k = &packings[i];
        const size_t common = n < k->length ? n : k->length;
        if (common && ((unsigned char)p[0] & k->first_mask) != k->magic[0]) continue;
        if (common > 1 && memcmp(p + 1, k->magic + 1, common - 1) != 0) continue;
        if (common == k->length) return k;
        *unsure = true;
    }
    return NULL;
}

void packing_show(void)
{
    for (size_t i = 0; i < COUNT_OF(packings); i++) {
        const packing *k = &packings[i];
        if (!k->suffix) continue;
        out_text("%s%s ", i ? ", " : "compressed inputs: ", k->suffix);
        if (k->start)
            out_text("yes");
        else
            out_text("no (%s was missing when this was built)", k->library);
    }
    out_text("\n");
}

bool unpack_start(unpacking *u, const packing *how, uint64_t ram, char why[WHY])
{
    *u = (unpacking){.how = how, .ram = ram};
    if (how->start && how->start(u)) return true;
    if (how->start)
        snprintf(why, WHY, "no memory for unpacking it");
    else
        snprintf(why, WHY,
                 "it is compressed with %s, and %s was missing when this bloomery was built; "
                 "unpack it first: %s -dc",
                 how->name, how->library, how->tool);
    u->how = NULL;
    return false;
}

stepped unpack_step(unpacking *u, const char **in, size_t *in_left, bool last, char **out,
                    size_t *out_left)
{
    const flow w = {in, in_left, out, out_left, last};
    return u->how->step(u, &w);
}

const char *unpack_name(const unpacking *u) { return u->how->name; }

void unpack_end(unpacking *u)
{
    if (u->how) u->how->end(u);
    u->how = NULL;
}
