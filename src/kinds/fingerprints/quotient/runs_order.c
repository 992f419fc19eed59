/* runs_order.c - tables that are read and written as their numbers rise, and whether bytes are a table. */
#include "runs.h"

/* ---- all numbers, as they rise ----------------------------------------------------------- */

blm_runs_reader blm_runs_read(const blm_runs *r, const uint8_t *cells)
{
    return (blm_runs_reader){.r = r, .cells = cells, .homes = blm_runs_homes(r, cells, 0)};
}

/* The next run; false: there is none. */
static bool next_run(blm_runs_reader *x)
{
    const blm_runs *r = x->r;
    while (!x->homes) {
        if (++x->block >= r->blocks) return false;
        x->homes = blm_runs_homes(r, x->cells, x->block);
    }
    x->home = x->block * 64 + (unsigned)__builtin_ctzll(x->homes);
    x->homes &= x->homes - 1;
    x->at = x->home > x->after ? x->home : x->after;
    if (x->home >= r->homes || x->at >= r->slots) return false;
    const uint64_t end = blm_runs_end_from(r, x->cells, x->at, 1);
    x->after = end < r->slots ? end + 1 : end;
    return true;
}

bool blm_runs_next(blm_runs_reader *x, uint64_t *number, uint64_t *times)
{
    const blm_runs *r = x->r;
    if (x->at == x->after && !next_run(x)) return false;
    const uint64_t rest = blm_runs_cell(r, x->cells, x->at) >> r->width;
    *number = x->home << r->low | rest;
    *times = 0;
    for (; x->at < x->after; x->at++) {
        const uint64_t cell = blm_runs_cell(r, x->cells, x->at);
        if (cell >> r->width != rest) break;
        *times += (cell & ((UINT64_C(1) << r->width) - 1)) + 1;
    }
    return true;
}

blm_runs_writer blm_runs_write(const blm_runs *r, uint8_t *zeroed)
{
    return (blm_runs_writer){.r = r, .cells = zeroed, .home = UINT64_MAX};
}

/* The blocks up to `last` begin after the runs that are there. */
static void offsets_to(blm_runs_writer *w, uint64_t last)
{
    while (w->block < last) {
        const uint64_t slot = ++w->block * 64, offset = w->at > slot ? w->at - slot : 0;
        w->cells[w->block * w->r->block] = (uint8_t)(offset < BLM_RUNS_FAR ? offset : BLM_RUNS_FAR);
    }
}

bool blm_runs_put(blm_runs_writer *w, uint64_t number, uint64_t times)
{
    const blm_runs *r = w->r;
    const uint64_t home = number >> r->low, rest = number & blm_packed_top(r->low);
    const uint64_t full = (UINT64_C(1) << r->width) - 1, n = (times + full) >> r->width;
    const bool more = home == w->home;
    if (!more) {
        offsets_to(w, home / 64);
        if (w->at < home) w->at = home;
    }
    if (n > r->slots - w->at || n > r->room - w->used) return false;
    if (more) blm_runs_set_end(r, w->cells, w->at - 1, false);
    blm_runs_set_home(r, w->cells, home, true);
    w->home = home;
    for (uint64_t i = 1; i <= n; i++, w->at++)
        blm_runs_set(r, w->cells, w->at, rest << r->width | (i < n ? full : (times - 1) & full));
    blm_runs_set_end(r, w->cells, w->at - 1, true);
    w->used += n;
    w->numbers++;
    return true;
}

void blm_runs_done(blm_runs_writer *w) { offsets_to(w, w->r->blocks - 1); }

/* ---- is it a table? ---------------------------------------------------------------------- */

static bool all_empty(const blm_runs *r, const uint8_t *cells, uint64_t from, uint64_t to)
{
    for (uint64_t slot = from; slot < to; slot++)
        if (blm_runs_cell(r, cells, slot) || blm_runs_ends(r, cells, slot / 64) >> slot % 64 & 1)
            return false;
    return true;
}

/* Remainders rise; of equal ones all but the last are full. Counts those that differ. */
static bool is_sorted(const blm_runs *r, const uint8_t *cells, uint64_t from, uint64_t to,
                      uint64_t *numbers)
{
    const uint64_t full = (UINT64_C(1) << r->width) - 1;
    uint64_t last = blm_runs_cell(r, cells, from);
    ++*numbers;
    for (uint64_t slot = from + 1; slot < to; slot++) {
        const uint64_t cell = blm_runs_cell(r, cells, slot), rest = cell >> r->width;
        if (rest < last >> r->width) return false;
        if (rest == last >> r->width && (last & full) != full) return false;
        *numbers += rest > last >> r->width;
        last = cell;
    }
    return true;
}

const char *blm_runs_fault(const blm_runs *r, const uint8_t *cells, uint64_t *used,
                           uint64_t *numbers)
{
    uint64_t after = 0;
    *used = *numbers = 0;
    for (uint64_t b = 0; b < r->blocks; b++) {
        const uint64_t offset = after > 64 * b ? after - 64 * b : 0;
        if (cells[b * r->block] != (offset < BLM_RUNS_FAR ? offset : BLM_RUNS_FAR))
            return "an offset is not the number of slots that earlier runs take";
        for (uint64_t w = blm_runs_homes(r, cells, b); w; w &= w - 1) {
            const uint64_t home = 64 * b + (unsigned)__builtin_ctzll(w);
            const uint64_t from = home > after ? home : after,
                           end = blm_runs_end_from(r, cells, from, 1);
            if (home >= r->homes) return "a run has a home past the last one";
            if (end == r->slots) return "a run has no end";
            if (!all_empty(r, cells, after, from)) return "a slot outside of the runs is not empty";
            if (!is_sorted(r, cells, from, end + 1, numbers)) return "a run is not sorted";
            *used += end + 1 - from;
            after = end + 1;
        }
    }
    if (!all_empty(r, cells, after, r->slots)) return "a slot outside of the runs is not empty";
    for (uint64_t i = r->blocks * r->block; i < blm_runs_bytes(r); i++)
        if (cells[i]) return "a byte past the last block is not zero";
    return NULL;
}
