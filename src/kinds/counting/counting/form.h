/* form.h - counting: an array of counters, or lines of 512 bits of them. */
#ifndef BLM_FORM_COUNTING_H
#define BLM_FORM_COUNTING_H
#include "theory/forms/blocked.h"

/* Counters of 4 bits or more, anywhere; or in lines, where their bits are a power of two. */
static inline void check_counting(const blm_offer *o, const blm_config *c)
{
    unsigned width = counter_width(c, 4, 4);
    const bool line = strstr(o->with, "layout=line") != NULL;
    while (line && width & (width - 1)) width++;
    assert_int_equal(o->max_count, (UINT64_C(1) << width) - 2);
    if (line)
        check_blocked(o, c, width, 0);
    else
        check_cells(o, c, width, 0);
}

/* At least this many offers for 200 wishes: a line of 128 counters: the lowest rates are out of reach. */
#define FORM_COUNTING "counting", check_counting, 300
#endif
