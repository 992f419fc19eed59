/* images.c - images in memory: saved, copied, and repaired after the laws have damaged them. */
#include "core/image/image.h"
#include "laws/laws.h"
#include "core/bytes.h"

static blm_err append(void *ctx, const void *p, size_t n)
{
    law_image *im = ctx;
    memcpy(im->p + im->n, p, n); /* saved_size made room: a law compares the two */
    im->n += n;
    return BLM_OK;
}

law_image law_save(const blm_filter *f)
{
    blm_report why = {BLM_OK, ""};
    law_image im = {malloc((size_t)blm_saved_size(f)), 0};
    law_need(im.p != NULL, "no memory for an image", NULL);
    law_need(blm_save(f, append, &im, &why) == BLM_OK, "save", &why);
    return im;
}

law_image law_image_copy(const law_image *im, size_t n)
{
    law_image c = {malloc(n ? n : 1), n};
    law_need(c.p != NULL, "no memory for an image", NULL);
    memset(c.p, 0, n);
    memcpy(c.p, im->p, n < im->n ? n : im->n);
    return c;
}

void law_drop(law_image *im)
{
    free(im->p);
    *im = (law_image){NULL, 0};
}

bool law_same_image(const law_image *a, const law_image *b)
{
    return a->n == b->n && memcmp(a->p, b->p, a->n) == 0;
}

/* ---- the parts of an image ------------------------------------------------------------------- */

typedef struct visit {
    void (*with)(void *ctx, uint8_t *cells, size_t n);
    void *ctx;
} visit;

static void write_sum(uint8_t *p, size_t header)
{
    blm_put64(p + 24, 0);
    blm_put64(p + 24, blm_checksum(p, header, 0));
}

/* Walks the image that starts at p. v: visits its cells; NULL: sets its sums right. */
static void walk(uint8_t *p, size_t n, const visit *v)
{
    blm_head head;
    blm_filter *f = NULL;
    uint64_t cells = 0;
    if (n < BLM_PRELUDE) return;
    const uint64_t header = (uint64_t)BLM_PRELUDE + blm_le32(p + 12);
    if (header > n || header > BLM_PRELUDE + BLM_HEADER_MAX) return;
    if (!v) write_sum(p, (size_t)header);
    if (blm_prelude_check(p, n, &head, NULL) || blm_header_read(&f, p, &head, NULL, NULL)) return;
    if (blm_shape(f, &cells, NULL) == BLM_OK && cells <= n) {
        const blm_layout l = blm_layout_of(head.length, cells, head.chunk_log2);
        uint64_t at = l.end;
        if (l.end <= n && v) v->with(v->ctx, p + l.cells_at, (size_t)l.cells);
        for (uint64_t i = 0; l.end <= n && !v && i < l.sums; i++)
            blm_put64(p + l.sums_at + 8 * i,
                      blm_chunk_sum(p + l.cells_at, l.cells, head.chunk_log2, i));
        for (uint32_t i = 0; i < head.nchild; i++) {
            const uint64_t bytes = blm_le64(head.children + i * 8);
            if (at > n || bytes > n || blm_child_at(at, bytes) > n - bytes) break;
            walk(p + blm_child_at(at, bytes), (size_t)bytes, v);
            at = blm_child_at(at, bytes) + bytes;
        }
    }
    blm_free(f);
}

void law_repair(uint8_t *p, size_t n) { walk(p, n, NULL); }

void law_each_cells(uint8_t *p, size_t n, void (*with)(void *ctx, uint8_t *cells, size_t n),
                    void *ctx)
{
    const visit v = {with, ctx};
    walk(p, n, &v);
}

blm_err (*law_loader)(blm_filter **out, const void *p, size_t n, const blm_open_options *how,
                      blm_report *why) = blm_load;

blm_err law_load(blm_filter **out, const void *p, size_t n, const blm_open_options *how,
                 blm_report *why)
{
    return law_loader(out, p, n, how, why);
}
