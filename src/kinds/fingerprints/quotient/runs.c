/* runs.c - how large a table is, and cells that make room for one more or close the gap of one that leaves. */
#include "runs.h"

/* ---- shape ------------------------------------------------------------------------------- */

/* The root of x < 2^62, rounded down. */
static uint64_t root(uint64_t x)
{
    uint64_t low = 0;
    for (uint64_t bit = UINT64_C(1) << 31; bit; bit >>= 1)
        if ((low | bit) * (low | bit) <= x) low |= bit;
    return low;
}

uint64_t blm_runs_slots(uint64_t homes)
{
    const uint64_t more = root(100 * homes) + 1, guard = more < homes ? more : homes;
    return (homes + guard + 63) / 64 * 64;
}

blm_runs blm_runs_of(uint64_t homes, unsigned low, unsigned width)
{
    const uint64_t slots = blm_runs_slots(homes);
    const unsigned bits = low + width;
    return (blm_runs){.homes = homes,
                      .blocks = slots / 64,
                      .slots = slots,
                      .bytes = UINT64_C(8) * bits,
                      .low = low,
                      .width = width,
                      .bits = bits,
                      .block = BLM_RUNS_HEAD + 8 * bits,
                      .room = homes - (homes + 19) / 20};
}

uint64_t blm_runs_bytes(const blm_runs *r) { return (r->blocks * r->block + 7) / 8 * 8; }

/* ---- moving cells ------------------------------------------------------------------------ */

static uint64_t bits_from(unsigned low) { return UINT64_MAX << low; }
static uint64_t bits_below(unsigned high)
{
    return high < 64 ? (UINT64_C(1) << high) - 1 : UINT64_MAX;
}

/* The bits from..to-1 of the words become those `by` lower ones. Requires from >= by, 0 < by < 64. */
static void bits_up(uint8_t *words, unsigned by, unsigned from, unsigned to)
{
    uint8_t *at = words + (size_t)8 * ((to - 1) / 64), *const last =
                                                           words + (size_t)8 * (from / 64);
    uint64_t old = blm_le64(at), own = bits_below((to - 1) % 64 + 1);
    for (; at > last; at -= 8, own = UINT64_MAX) {
        const uint64_t below = blm_le64(at - 8);
        blm_put64(at, (old & ~own) | ((old << by | below >> (64 - by)) & own));
        old = below;
    }
    const uint64_t below = at > words ? blm_le64(at - 8) : 0;
    own &= bits_from(from % 64);
    blm_put64(at, (old & ~own) | ((old << by | below >> (64 - by)) & own));
}

/* They become those `by` higher ones, of n words. */
static void bits_down(uint8_t *words, unsigned n, unsigned by, unsigned from, unsigned to)
{
    uint8_t *at = words + (size_t)8 * (from / 64), *const last =
                                                       words + (size_t)8 * ((to - 1) / 64);
    uint64_t old = blm_le64(at), own = bits_from(from % 64);
    for (; at < last; at += 8, own = UINT64_MAX) {
        const uint64_t above = blm_le64(at + 8);
        blm_put64(at, (old & ~own) | ((old >> by | above << (64 - by)) & own));
        old = above;
    }
    const uint64_t above = at + 8 < words + (size_t)8 * n ? blm_le64(at + 8) : 0;
    own &= bits_below((to - 1) % 64 + 1);
    blm_put64(at, (old & ~own) | ((old >> by | above << (64 - by)) & own));
}

/* What slots from..to-1 have moves to from+1..to, whole words at a time. */
static void slots_up(const blm_runs *r, uint8_t *cells, uint64_t from, uint64_t to)
{
    for (uint64_t b = to / 64;; b--) {
        uint8_t *block = cells + b * r->block;
        const bool last = b == from / 64;
        const unsigned low = last ? (unsigned)(from % 64) : 0,
                       high = b == to / 64 ? (unsigned)(to % 64) : 63;
        if (high > low) {
            bits_up(block + 9, 1, low + 1, high + 1);
            bits_up(block + BLM_RUNS_HEAD, r->bits, (low + 1) * r->bits, (high + 1) * r->bits);
        }
        if (last) return;
        const uint64_t end = blm_runs_ends(r, cells, b - 1) >> 63;
        blm_put64(block + 9, (blm_le64(block + 9) & ~UINT64_C(1)) | end);
        blm_runs_set(r, cells, b * 64, blm_runs_cell(r, cells, b * 64 - 1));
    }
}

/* What slots from+1..to have moves to from..to-1. */
static void slots_down(const blm_runs *r, uint8_t *cells, uint64_t from, uint64_t to)
{
    for (uint64_t b = from / 64;; b++) {
        uint8_t *block = cells + b * r->block;
        const bool last = b == to / 64;
        const unsigned low = b == from / 64 ? (unsigned)(from % 64) : 0,
                       high = last ? (unsigned)(to % 64) : 63;
        if (high > low) {
            bits_down(block + 9, 1, 1, low, high);
            bits_down(block + BLM_RUNS_HEAD, r->bits, r->bits, low * r->bits, high * r->bits);
        }
        if (last) return;
        const uint64_t end = blm_runs_ends(r, cells, b + 1) << 63;
        blm_put64(block + 9, (blm_le64(block + 9) & ~(UINT64_C(1) << 63)) | end);
        blm_runs_set(r, cells, b * 64 + 63, blm_runs_cell(r, cells, b * 64 + 64));
    }
}

/* ---- one number -------------------------------------------------------------------------- */

/* How many of the slots above `low`, up to `high`, are homes of runs. */
static uint64_t homes_in(const blm_runs *r, const uint8_t *cells, uint64_t low, uint64_t high)
{
    uint64_t n = 0, b = (low + 1) / 64, w;
    if (low == high) return 0;
    for (w = blm_runs_homes(r, cells, b) & bits_from((low + 1) % 64); b < high / 64;
         w = blm_runs_homes(r, cells, ++b))
        n += blm_ones_of(w);
    return n + blm_rank(w, (unsigned)(high % 64) + 1);
}

/* All runs of homes up to `home` end before slot `after`. Goes on to the next runs while their homes lie before
 * after - back, or there: while they stand where they do because of those before them. Returns the slot after them. Slot by slot it
 * keeps the number of runs that have a home so far and no end: two steps per slot, and one branch at the end that is missed. */
static uint64_t chain_end(const blm_runs *r, const uint8_t *cells, uint64_t home, uint64_t after,
                          unsigned back)
{
    uint64_t runs = after < r->slots ? homes_in(r, cells, home, after - back) : 0;
    while (runs && after < r->slots) {
        const uint64_t next = after + 1 - back; /* the home that may come with the next slot */
        uint64_t ends = blm_runs_ends(r, cells, after / 64) >> after % 64, homes = 0;
        if (next < r->slots) homes = blm_runs_homes(r, cells, next / 64) >> next % 64;
        const uint64_t here = 64 - after % 64, there = 64 - next % 64;
        const uint64_t end = after + (here < there ? here : there);
        do {
            runs = runs - (ends & 1) + (homes & 1);
            ends >>= 1;
            homes >>= 1;
            after++;
        } while (runs && after < end);
    }
    return after;
}

bool blm_runs_add(const blm_runs *r, uint8_t *cells, const blm_runs_spot *s, uint64_t used,
                  uint64_t *took)
{
    const uint64_t full = (UINT64_C(1) << r->width) - 1, at = s->to;
    *took = 0;
    if (s->from < at) {
        const uint64_t cell = blm_runs_cell(r, cells, at - 1);
        if ((cell & full) < full) {
            blm_runs_set(r, cells, at - 1, cell + 1);
            return true;
        }
    }
    const uint64_t open = s->after > s->home ? chain_end(r, cells, s->home, s->after, 0) : s->home;
    if (used >= r->room || open >= r->slots || at > open) return false;
    slots_up(r, cells, at, open);
    blm_runs_set(r, cells, at, s->rest << r->width);
    blm_runs_set_end(r, cells, at, !s->run || at == s->after);
    if (s->run && at == s->after) blm_runs_set_end(r, cells, at - 1, false);
    blm_runs_set_home(r, cells, s->home, true);
    for (uint64_t b = s->home / 64 + 1; b <= open / 64; b++) {
        uint8_t *offset = cells + b * r->block;
        *offset = (uint8_t)(*offset + (*offset < BLM_RUNS_FAR));
    }
    *took = 1;
    return true;
}

/* The offsets of blocks first..last, by the homes and ends before them. */
static void set_offsets(const blm_runs *r, uint8_t *cells, uint64_t first, uint64_t last)
{
    uint64_t b = blm_runs_known(r, cells, first - 1), after = blm_runs_begin(r, cells, b);
    for (; b < last; b++) {
        const uint64_t n = blm_ones_of(blm_runs_homes(r, cells, b)), slot = 64 * (b + 1);
        const uint64_t end = n ? blm_runs_end_from(r, cells, after, n) : 0;
        if (n) after = end < r->slots ? end + 1 : end;
        const uint64_t offset = after > slot ? after - slot : 0;
        if (b + 1 >= first)
            cells[slot / 64 * r->block] = (uint8_t)(offset < BLM_RUNS_FAR ? offset : BLM_RUNS_FAR);
    }
}

uint64_t blm_runs_del(const blm_runs *r, uint8_t *cells, const blm_runs_spot *s)
{
    const uint64_t full = (UINT64_C(1) << r->width) - 1, at = s->to - 1;
    const uint64_t cell = blm_runs_cell(r, cells, at);
    if (cell & full) {
        blm_runs_set(r, cells, at, cell - 1);
        return 0;
    }
    const uint64_t hole = chain_end(r, cells, s->home, s->after, 1) - 1;
    const bool only = blm_runs_first(r, cells, s->home, s->after) == at && s->after == s->to;
    if (!only && s->to == s->after) blm_runs_set_end(r, cells, at - 1, true);
    slots_down(r, cells, at, hole);
    blm_runs_set_end(r, cells, hole, false);
    blm_runs_set(r, cells, hole, 0);
    if (only) blm_runs_set_home(r, cells, s->home, false);
    bool far = false;
    for (uint64_t b = s->home / 64 + 1; b <= hole / 64; b++) {
        uint8_t *offset = cells + b * r->block;
        if (*offset == BLM_RUNS_FAR)
            far = true;
        else
            *offset = (uint8_t)(*offset - (*offset > 0));
    }
    if (far) set_offsets(r, cells, s->home / 64 + 1, hole / 64);
    return 1;
}
