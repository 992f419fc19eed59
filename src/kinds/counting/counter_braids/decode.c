/* decode.c - the message passing of Counter Braids.
 *
 * Sums never overflow: what a row tells a counter is cut off at that counter's bound. A counter is endless if it has no
 * upper bound, or one that would pass 2^64, once for each of its rows: it tells lower bounds alone. There rows are cut off at
 * a limit that its lower bound does not pass either: where a row is beyond it, the counter has nothing to tell the others.
 */
#include "decode.h"

blm_err blm_braid_new(blm_braid *b, const blm_alloc *a, uint64_t rows, unsigned arity,
                      uint64_t cells, uint64_t least)
{
    uint64_t end = 0;
    if (rows > UINT64_MAX / BRAID_ARITY) return BLM_E_NOMEM;
    const uint64_t at_cell = blm_section(&end, cells, 8 * sizeof(blm_braid_cell), 64),
                   at_bound = blm_section(&end, 2 * rows, 64, 64),
                   at_id = blm_section(&end, rows, 64, 64),
                   at_place = blm_section(&end, rows * arity, 64, 64),
                   at_low = blm_section(&end, rows * arity, 64, 64),
                   at_high = blm_section(&end, rows * arity, 64, 64);
    uint8_t *p = end <= SIZE_MAX ? a->get(a->ctx, (size_t)end) : NULL;
    if (!p) return BLM_E_NOMEM;
    *b = (blm_braid){
        .rows = rows, .left = rows, .cells = cells, .bytes = end, .least = least, .arity = arity};
    b->cell = (blm_braid_cell *)(void *)(p + at_cell);
    b->bound[BRAID_LOW] = (uint64_t *)(void *)(p + at_bound);
    b->bound[BRAID_HIGH] = b->bound[BRAID_LOW] + rows;
    b->id = (uint64_t *)(void *)(p + at_id);
    b->place = (uint64_t *)(void *)(p + at_place);
    b->told[BRAID_LOW] = (uint64_t *)(void *)(p + at_low);
    b->told[BRAID_HIGH] = (uint64_t *)(void *)(p + at_high);
    return BLM_OK;
}

void blm_braid_free(blm_braid *b, const blm_alloc *a) { a->put(a->ctx, b->cell, (size_t)b->bytes); }

static inline bool endless(const blm_braid_cell *c) { return c->bound[BRAID_HIGH] == BRAID_ANY; }

/* The first bounds of a counter with n rows. */
static void tie_cell(blm_braid_cell *c, uint64_t n, uint64_t least)
{
    uint64_t *low = &c->bound[BRAID_LOW], *high = &c->bound[BRAID_HIGH];
    const uint64_t limit = UINT64_MAX / (n + 1);
    if (*high > limit || least > limit) *high = BRAID_ANY;
    if (endless(c) && *low > limit) *low = limit;
    c->max = endless(c) ? limit : *high;
    c->told[BRAID_LOW] = n * least;
    c->told[BRAID_HIGH] = n * c->max;
}

void blm_braid_tie(blm_braid *b)
{
    const uint64_t edges = b->rows * b->arity;
    for (uint64_t e = 0; e < edges; e++) b->cell[b->place[e]].told[BRAID_LOW]++;
    for (uint64_t i = 0; i < b->cells; i++)
        tie_cell(&b->cell[i], b->cell[i].told[BRAID_LOW], b->least);
    for (uint64_t e = 0; e < edges; e++) {
        b->told[BRAID_LOW][e] = b->least;
        b->told[BRAID_HIGH][e] = b->cell[b->place[e]].max;
    }
    for (uint64_t r = 0; r < b->rows; r++) {
        b->id[r] = r;
        b->bound[BRAID_LOW][r] = b->least;
        b->bound[BRAID_HIGH][r] = BRAID_ANY;
    }
}

/* What the counter of edge e says of its row: by the other side's bounds of its other rows. */
static inline uint64_t heard(const blm_braid *b, const blm_braid_cell *c, uint64_t e, unsigned side)
{
    if (side == BRAID_HIGH && endless(c)) return BRAID_ANY;
    const uint64_t others = c->told[!side] - b->told[!side][e], bound = c->bound[side];
    const uint64_t rest = bound > others ? bound - others : 0;
    return rest > b->least ? rest : b->least;
}

/* A row tells each of its counters the best of what the others say. */
static inline bool turn_row(blm_braid *b, uint64_t r, unsigned side)
{
    const bool high = side == BRAID_HIGH;
    uint64_t best = high ? BRAID_ANY : b->least, next = best;
    unsigned from = 0;
    bool news = false;
    for (unsigned j = 0; j < b->arity; j++) {
        const uint64_t e = r * b->arity + j, v = heard(b, &b->cell[b->place[e]], e, side);
        if (high ? v < best : v > best)
            next = best, best = v, from = j;
        else if (high ? v < next : v > next)
            next = v;
    }
    uint64_t *own = &b->bound[side][b->id[r]];
    if (high ? best < *own : best > *own) *own = best;
    for (unsigned j = 0; j < b->arity; j++) {
        const uint64_t e = r * b->arity + j;
        blm_braid_cell *c = &b->cell[b->place[e]];
        uint64_t v = j == from ? next : best, *old = &b->told[side][e];
        if (v > c->max) v = c->max;
        if (high ? v >= *old : v <= *old) continue;
        c->told[side] += v - *old; /* modulo 2^64: upper bounds fall */
        *old = v;
        news = true;
    }
    return news;
}

enum { BRAID_AHEAD = 12 }; /* rows: counters lie anywhere */

static inline void fetch_row(const blm_braid *b, uint64_t r)
{
    for (uint64_t e = r * b->arity; e < (r + 1) * b->arity; e++) blm_fetch(&b->cell[b->place[e]]);
}

/* Takes a row of which the number is known off its counters. */
static void take_off(blm_braid *b, uint64_t r, uint64_t value)
{
    for (uint64_t e = r * b->arity; e < (r + 1) * b->arity; e++) {
        blm_braid_cell *c = &b->cell[b->place[e]];
        uint64_t *low = &c->bound[BRAID_LOW], *high = &c->bound[BRAID_HIGH];
        b->torn |= *high < value;
        if (!endless(c)) *high -= *high < value ? *high : value;
        *low -= *low < value ? *low : value;
        for (unsigned side = 0; side < 2; side++) c->told[side] -= b->told[side][e];
    }
}

static void move_row(blm_braid *b, uint64_t to, uint64_t r)
{
    const size_t edges = b->arity * sizeof *b->place;
    if (to == r) return;
    b->id[to] = b->id[r];
    memcpy(b->place + to * b->arity, b->place + r * b->arity, edges);
    for (unsigned side = 0; side < 2; side++)
        memcpy(b->told[side] + to * b->arity, b->told[side] + r * b->arity, edges);
}

/* Rows that are known leave; true if there were some. */
static bool close_rows(blm_braid *b)
{
    const uint64_t before = b->left;
    b->left = 0;
    for (uint64_t r = 0; r < before; r++) {
        const uint64_t low = b->bound[BRAID_LOW][b->id[r]], high = b->bound[BRAID_HIGH][b->id[r]];
        b->torn |= low > high;
        if (low == high)
            take_off(b, r, low);
        else
            move_row(b, b->left++, r);
    }
    return b->left < before;
}

bool blm_braid_turn(blm_braid *b)
{
    const unsigned side = ++b->turns % 2 ? BRAID_HIGH : BRAID_LOW;
    bool news = false;
    for (uint64_t r = 0; r < b->left; r++) {
        if (r + BRAID_AHEAD < b->left) fetch_row(b, r + BRAID_AHEAD);
        news |= turn_row(b, r, side);
    }
    return side == BRAID_LOW && close_rows(b) ? true : news;
}

/* Can each counter be the sum of its rows, by the bounds of all that are left? */
static bool sums_hold(const blm_braid *b)
{
    for (uint64_t i = 0; i < b->cells; i++) b->cell[i].told[0] = b->cell[i].told[1] = 0;
    for (uint64_t e = 0; e < b->left * b->arity; e++) {
        blm_braid_cell *c = &b->cell[b->place[e]];
        for (unsigned side = 0; side < 2; side++) {
            const uint64_t v = b->bound[side][b->id[e / b->arity]];
            if (v > c->max && side == BRAID_LOW && !endless(c)) return false;
            c->told[side] += v < c->max ? v : c->max;
        }
    }
    for (uint64_t i = 0; i < b->cells; i++) {
        const blm_braid_cell *c = &b->cell[i];
        if (c->told[BRAID_LOW] > c->bound[BRAID_HIGH] || c->told[BRAID_HIGH] < c->bound[BRAID_LOW])
            return false;
    }
    return true;
}

bool blm_braid_decode(blm_braid *b)
{
    while (b->left && !b->torn && b->turns < BRAID_TURNS) {
        const bool upper = blm_braid_turn(b), lower = blm_braid_turn(b);
        if (!upper && !lower) break;
    }
    return !b->torn && sums_hold(b);
}
