/* broken.c - what no kind can break: the code of images.
 *
 * The loader is core's alone, so that no kind can make it take a cut, a flipped or a lengthened image. For
 * these three laws the broken kind is sound, and the loader that the law is given is broken in one
 * place.
 */
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

void broken_hook(const char *kind)
{
    law_loader = blm_load;
    if (strcmp(kind, "broken-truncation") == 0) law_loader = load_cut;
    if (strcmp(kind, "broken-flip") == 0) law_loader = load_flipped;
    if (strcmp(kind, "broken-append") == 0) law_loader = load_longer;
}
