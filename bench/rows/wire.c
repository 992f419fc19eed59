/* wire.c - packing and unpacking against copying: bytes of cells per second, at two fills. */
#include <bloomery/bloomery.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rows.h"

enum { MIB = 16, TRIES = 9 };
#define WANTED 200e6 /* bytes per second */

typedef struct buffer {
    uint8_t *p;
    size_t n, room;
} buffer;

static blm_err keep(void *ctx, const void *p, size_t n)
{
    buffer *b = ctx;
    if (n > b->room - b->n) return BLM_E_NOMEM;
    memcpy(b->p + b->n, p, n);
    b->n += n;
    return BLM_OK;
}

static double pack_once(const blm_filter *f, buffer *b)
{
    blm_report why;
    b->n = 0;
    const double start = bench_now();
    if (blm_pack(f, keep, b, &why)) versus_stop(2, "pack: %s", why.text);
    return bench_now() - start;
}

static double unpack_once(const blm_filter *f, const buffer *b)
{
    blm_report why;
    blm_filter *g = NULL;
    const double start = bench_now();
    if (blm_unpack(&g, b->p, b->n, NULL, &why)) versus_stop(2, "unpack: %s", why.text);
    const double spent = bench_now() - start;
    if (!blm_equal(f, g)) versus_stop(1, "unpacked: another filter");
    blm_free(g);
    return spent;
}

static double copy_once(const blm_filter *f, buffer *b)
{
    size_t n = 0;
    const void *cells = blm_cells(f, &n);
    const double start = bench_now();
    memcpy(b->p, cells, n);
    const double spent = bench_now() - start;
    bench_keep(b->p[n / 2]);
    return spent;
}

static void least(double *best, double spent)
{
    if (*best <= 0 || spent < *best) *best = spent;
}

static void speed_row(const char *what, unsigned percent, uint64_t bytes, double spent,
                      double copied)
{
    char name[80], ours[24], theirs[24];
    const double speed = (double)bytes / spent;
    snprintf(name, sizeof name, "%s, standard, %u MiB, %u %% full, against memcpy", what, MIB,
             percent);
    snprintf(ours, sizeof ours, "%.0f MB/s", speed / 1e6);
    snprintf(theirs, sizeof theirs, "%.0f MB/s", (double)bytes / copied / 1e6);
    versus_show(&(versus_figures){.what = name,
                                  .ours = ours,
                                  .theirs = theirs,
                                  .wanted = ">= 200 MB/s",
                                  .ratio = copied / spent,
                                  .pass = speed >= WANTED});
}

static void wire_at(unsigned percent)
{
    double packed = 0, unpacked = 0, copied = 0;
    blm_info info;
    blm_filter *f = filter_of("standard bits=%uMiB hashes=4 keys=20000000", MIB);
    const uint64_t bytes = cells_of(f);
    /* 1 - e^(-4n/m) = 5 %, 30 % */
    fill_filter(f, (uint64_t)((double)bytes * 8 / 4 * (percent == 5 ? 0.051293 : 0.356675)));
    blm_info_of(f, &info);
    if (info.fill < percent / 100. - 0.001 || info.fill > percent / 100. + 0.001)
        versus_stop(1, "a filter that is %.3f full", info.fill);
    buffer b = {malloc((size_t)blm_saved_size(f) + 16), 0, (size_t)blm_saved_size(f) + 16};
    if (!b.p) versus_stop(2, "no memory for a stream");
    memset(b.p, 1, b.room);
    for (int i = 0; i < TRIES; i++) {
        least(&copied, copy_once(f, &b));
        least(&packed, pack_once(f, &b));
        least(&unpacked, unpack_once(f, &b));
    }
    speed_row("pack", percent, bytes, packed, copied);
    speed_row("unpack", percent, bytes, unpacked, copied);
    free(b.p);
    blm_free(f);
}

void rows_wire(void)
{
    if (!kind_there("standard", NULL)) return;
    wire_at(5);
    wire_at(30);
}
