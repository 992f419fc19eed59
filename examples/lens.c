/* lens.c - one key at a time in a hot loop: is each row of one table perhaps in another?
 *
 *     cc -O2 -mavx2 lens.c $(pkg-config --cflags --libs bloomery)
 *
 * The rows come one by one, and a look-up in the other table is slow. The filter rejects most rows that
 * have no partner there, in a few nanoseconds and without a call.
 */
#include <bloomery/bloomery.h>
#include <bloomery/inline.h>
#include <stdio.h>

enum { ROWS = 1000000, PARTNERS = 10000 };

static uint64_t row(uint64_t i) { return i * 2654435761u; } /* stands for your table */

int main(void)
{
    blm_filter *f;
    blm_lens lens;
    blm_report why;
    unsigned looked_up = 0;
    if (blm_make(&f, "split-block keys=1e5 fpr=1%", &why))
        return fprintf(stderr, "%s\n", why.text), 1;
    for (uint64_t i = 0; i < PARTNERS; i++)
        if (blm_add_u64(f, row(i * (ROWS / PARTNERS)))) return 1;

    if (!blm_lens_of(f, &lens)) return 1; /* another kind: use blm_has_u64 */
    for (uint64_t i = 0; i < ROWS; i++)
        if (blm_lens_has_u64(&lens, row(i))) looked_up++; /* here the slow look-up would follow */

    printf("%d rows, %d partners, %u look-ups\n", ROWS, PARTNERS, looked_up);
    blm_free(f);
    return looked_up < PARTNERS; /* a member is never missed */
}
