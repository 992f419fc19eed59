/* braids.c - how long it takes to count a whole list by counter-braids. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <bloomery/count.h>

#include "rows.h"

enum { FLOWS = 1000000, ROUNDS = 5 };
#define SECONDS_MAX 10.0

/* Flow i comes once, or 2 to 10,000 times: a share of v^-1.25 of them v times or more. */
static uint32_t times_of(uint64_t number)
{
    const double u = (double)((number >> 11) + 1) * 0x1p-53;
    return (uint32_t)fmin(10000, pow(u, -0.8));
}

static double count_them(const blm_filter *f, const blm_item *it, blm_estimate *told)
{
    const double start = bench_now();
    const blm_err err = blm_count_all(f, it, FLOWS, told);
    const double spent = bench_now() - start;
    if (err) versus_stop(1, "counter-braids: %s", blm_strerror(err));
    return spent;
}

static int by_time(const void *a, const void *b)
{
    const double *x = a, *y = b;
    return *x < *y ? -1 : *x > *y;
}

void rows_braids(void)
{
    char ours[24];
    double spent[ROUNDS];
    if (!kind_there("counter-braids", NULL)) return;
    blm_filter *f = filter_of("counter-braids keys=%d", FLOWS);
    uint64_t *key = draw_numbers(MEMBERS, FLOWS);
    blm_item *it = malloc(FLOWS * sizeof *it);
    blm_estimate *told = malloc(FLOWS * sizeof *told);
    if (!it || !told) versus_stop(2, "no memory for %d flows", FLOWS);
    for (size_t i = 0; i < FLOWS; i++) {
        it[i] = blm_item_u64(f, key[i], BLM_NO_ARG);
        for (uint32_t t = times_of(it[i].h.lo); t > 0; t--)
            if (blm_add_item(f, &it[i], NULL)) versus_stop(2, "adding a flow");
    }
    versus_progress("counting %d flows", FLOWS);
    for (int r = 0; r < ROUNDS; r++) spent[r] = count_them(f, it, told);
    for (size_t i = 0; i < FLOWS; i++) {
        const double truth = times_of(it[i].h.lo);
        if (!(told[i].low <= truth && truth <= told[i].high && told[i].low >= told[i].high))
            versus_stop(1, "counter-braids: flow %zu came %g times, counted %g to %g", i, truth,
                        told[i].low, told[i].high);
    }
    qsort(spent, ROUNDS, sizeof *spent, by_time);
    snprintf(ours, sizeof ours, "%.2f s", spent[ROUNDS / 2]);
    versus_show(&(versus_figures){.what = "counter-braids, all counts of 1M flows, 14.4 bits each",
                                  .ours = ours,
                                  .theirs = "-",
                                  .wanted = "<= 10 s",
                                  .pass = spent[ROUNDS / 2] <= SECONDS_MAX});
    free(told);
    free(it);
    free(key);
    blm_free(f);
}
