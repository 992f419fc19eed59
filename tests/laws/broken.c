/* broken.c - what no kind can break: the code of images and of streams.
 *
 * The loader is core's alone, so that no kind can make it take a cut, a flipped or a lengthened image; and a stream has
 * whatever the image has. For these laws the broken kind is sound, and the loader, or what packs, that the law is given
 * is broken in one place.
 */
#include "core/core_internal.h"
#include "laws/laws.h"

/* Takes what is missing at the end for zeros, and checks no sums. */
static blm_err load_cut(blm_filter **out, const void *p, size_t n, const blm_open_options *how,
                        blm_report *why)
{
    uint64_t whole = 0;
    if (blm_image_size(p, n, &whole, NULL) || whole <= n || whole > 1 << 20)
        return blm_load(out, p, n, how, why);
    uint8_t *copy = calloc(1, (size_t)whole);
    law_need(copy != NULL, "no memory", NULL);
    memcpy(copy, p, n);
    law_repair(copy, (size_t)whole);
    const blm_err err = blm_load(out, copy, (size_t)whole, how, why);
    free(copy);
    return err;
}

/* Checks no sums. */
static blm_err load_flipped(blm_filter **out, const void *p, size_t n, const blm_open_options *how,
                            blm_report *why)
{
    uint8_t *copy = malloc(n);
    law_need(copy != NULL, "no memory", NULL);
    memcpy(copy, p, n);
    law_repair(copy, n);
    const blm_err err = blm_load(out, copy, n, how, why);
    free(copy);
    return err;
}

/* Does not look past the last byte of the image. */
static blm_err load_longer(blm_filter **out, const void *p, size_t n, const blm_open_options *how,
                           blm_report *why)
{
    uint64_t whole = n;
    if (blm_image_size(p, n, &whole, NULL) || whole > n) whole = n;
    return blm_load(out, p, (size_t)whole, how, why);
}

/* Forgets how many keys were added. */
static blm_err pack_less(const blm_filter *f, blm_sink to, void *ctx, blm_report *why)
{
    blm_filter *g = NULL;
    law_need(blm_copy(&g, f, why) == BLM_OK, "copy", why);
    g->adds = 0;
    const blm_err err = blm_pack(g, to, ctx, why);
    blm_free(g);
    return err;
}

/* Keeps the note of the base. */
static blm_err delta_of_cells(const blm_filter *base, const blm_filter *f, blm_sink to, void *ctx,
                              blm_report *why)
{
    blm_filter *g = NULL;
    law_need(blm_copy(&g, f, why) == BLM_OK && blm_set_note(g, blm_note(base), why) == BLM_OK,
             "copy", why);
    const blm_err err = blm_delta(base, g, to, ctx, why);
    blm_free(g);
    return err;
}

void broken_hook(const char *kind)
{
    law_loader = blm_load;
    law_packer = strcmp(kind, "broken-packed") == 0 ? pack_less : blm_pack;
    law_differ = strcmp(kind, "broken-delta") == 0 ? delta_of_cells : blm_delta;
    if (strcmp(kind, "broken-truncation") == 0) law_loader = load_cut;
    if (strcmp(kind, "broken-flip") == 0) law_loader = load_flipped;
    if (strcmp(kind, "broken-append") == 0) law_loader = load_longer;
}
