/* lens.c - the loop of a caller who asks one key at a time by a lens. It is compiled for this machine (cmake/benches.cmake), as
 * users of header-only libraries compile theirs. */
#include <bloomery/inline.h>

#include "rows.h"

double ask_lens(void *self, uint64_t *hits)
{
    const probe *p = self;
    blm_lens lens;
    uint64_t sum = 0;
    if (!blm_lens_of(p->f, &lens)) versus_stop(2, "this filter has no lens");
    const double start = bench_now();
    for (unsigned pass = 0; pass < p->passes; pass++)
        for (size_t i = 0; i < p->n; i++) sum += blm_lens_has_u64(&lens, p->key[i]);
    const double spent = bench_now() - start;
    *hits = sum;
    return spent;
}
