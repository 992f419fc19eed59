/* prints.c - whole tables of fingerprints. */
#include "parts/prints.h"

/* Loads of `cells` lanes; the last one ends with the bucket. False: one of them would need more than 64 bits. */
static bool loads_of(blm_prints_loads *w, unsigned slots, unsigned bits, unsigned cells)
{
    const unsigned last = slots - cells;
    uint64_t seen = 0; /* cells */
    for (unsigned slot = 0;; slot = slot + cells < last ? slot + cells : last) {
        if (w->n == BLM_PRINTS_LOADS) return false;
        const blm_packed_at at = blm_packed_find(w->bytes, bits, slot);
        if (at.shift + cells * bits > 64) return false;
        w->at[w->n].byte = (unsigned)at.byte;
        w->at[w->n].shift = at.shift;
        w->at[w->n].own = 0;
        for (unsigned i = 0; i < cells; i++)
            if (!(seen >> (slot + i) & 1)) w->at[w->n].own |= UINT64_C(1) << (i * bits + bits - 1);
        seen |= ((UINT64_C(1) << cells) - 1) << slot;
        w->n++;
        if (slot == last) return true;
    }
}

/* The fewest loads. A sum of lanes is a number of cells, so that 8 bits of a lane are enough for it. */
static blm_prints_loads whole_of(unsigned slots, unsigned bits, unsigned tail)
{
    const blm_prints_loads none = {.n = 0};
    if (slots * bits % 8 || slots * bits < 64 || slots > 32 || bits < 8) return none;
    for (unsigned cells = 64 / bits < slots ? 64 / bits : slots; cells; cells--) {
        blm_prints_loads w = {.bytes = slots * bits / 8, .cells = cells};
        if (!loads_of(&w, slots, bits, cells)) continue;
        for (unsigned i = 0; i < cells; i++) w.ones |= UINT64_C(1) << i * bits;
        w.top = w.ones << (bits - 1);
        w.below = w.top - w.ones;
        w.counters = w.ones * blm_packed_top(tail);
        for (unsigned i = 0; w.n == 2 && i < 16; i++)
            w.order[i] = (uint8_t)(w.at[i / 8].byte + i % 8);
        return w;
    }
    return none;
}

blm_prints blm_prints_of(unsigned tables, uint64_t across, unsigned slots, unsigned low,
                         unsigned width)
{
    return blm_prints_with(tables, across, slots, low, 0, width);
}

blm_prints blm_prints_with(unsigned tables, uint64_t across, unsigned slots, unsigned low,
                           unsigned payload, unsigned width)
{
    blm_prints p = {.across = across,
                    .tables = tables,
                    .slots = slots,
                    .low = low,
                    .width = width,
                    .tail = payload + width,
                    .bits = low + payload + width};
    p.run = BLM_PRINTS_CELL / p.bits < slots ? BLM_PRINTS_CELL / p.bits : slots;
    for (unsigned i = 0; i < p.run; i++) p.ones |= UINT64_C(1) << i * p.bits;
    p.top = p.ones << (p.bits - 1);
    if (!width) return p;
    p.tail_bits = p.ones * blm_packed_top(p.tail);
    p.whole = whole_of(slots, p.bits, p.tail);
    p.many = blm_prints_best(&p);
    return p;
}

static unsigned cells_in_use(const blm_prints *p, const blm_filter *f, uint64_t at)
{
    unsigned n = 0;
    for (unsigned slot = 0; slot < p->slots; slot += p->run) {
        const unsigned left = p->slots - slot, here = left < p->run ? left : p->run;
        const uint64_t whole = (UINT64_C(1) << here * p->bits) - 1; /* a run is at most 57 bits */
        const uint64_t lanes = blm_prints_lanes(p, f, at + slot) & whole;
        n += (unsigned)__builtin_popcountll(blm_prints_some(p, lanes & p->tail_bits));
    }
    return n;
}

uint64_t blm_prints_vacant(const blm_prints *p, const blm_filter *f,
                           const uint64_t at[BLM_PRINTS_TABLES])
{
    uint64_t best = BLM_PRINTS_NONE;
    unsigned min = p->slots;
    for (unsigned i = 0; i < p->tables; i++) {
        const unsigned load = cells_in_use(p, f, at[i]);
        if (load < min) min = load, best = at[i];
    }
    while (best != BLM_PRINTS_NONE && blm_prints_tail(p, f, best)) best++;
    return best;
}

uint64_t blm_prints_back(const blm_prints *p, const blm_filter *f, uint64_t cell)
{
    return blm_prints_of_rest(p, cell / p->slots, blm_prints_cell(p, f, cell) >> p->tail);
}

/* Each is found where it lies: there is none before it. */
blm_err blm_prints_check(const blm_prints *p, const blm_filter *f, blm_census said, blm_report *why)
{
    const uint64_t cells = blm_prints_cells(p), top = blm_prints_top(p);
    blm_census is = {0, 0};
    if (!blm_packed_tail_zero(f->cells, f->bytes, p->bits, cells))
        return blm_fail(why, BLM_E_IMAGE, "damaged: a bit past the last cell is set");
    for (uint64_t i = 0; i < cells; i++) {
        const uint64_t v = blm_prints_cell(p, f, i);
        if (!v) continue;
        if (!(v & top)) return blm_fail(why, BLM_E_IMAGE, "damaged: an empty cell is not zero");
        if (blm_prints_seek(p, f, blm_prints_back(p, f, i)) != i)
            return blm_fail(why, BLM_E_IMAGE, "damaged: a fingerprint has two cells");
        is.used++;
        is.stuck += (v & top) == top;
    }
    return is.used == said.used && is.stuck == said.stuck
               ? BLM_OK
               : blm_fail(why, BLM_E_IMAGE,
                          "damaged: the numbers of used and stuck cells differ from their fields");
}

static blm_err pour(const blm_prints *p, blm_filter *f, const blm_prints *q, const blm_filter *g,
                    blm_census *sum)
{
    const uint64_t cells = blm_prints_cells(q);
    blm_err err = BLM_OK;
    for (uint64_t i = 0; i < cells && !err; i++) {
        blm_census change = {0, 0};
        const uint64_t times = blm_prints_counter(q, g, i),
                       payload = blm_prints_tail(q, g, i) >> q->width;
        uint64_t cell;
        if (times)
            err = blm_prints_enter(p, f, blm_prints_back(q, g, i), times, payload, &change, &cell);
        sum->used += change.used;
        sum->stuck += change.stuck;
    }
    return err;
}

blm_err blm_prints_move(blm_filter *f, const blm_prints *from, const blm_prints *to,
                        const blm_filter *g, const blm_prints *q, blm_census *sum, blm_report *why)
{
    const uint64_t bytes = blm_packed_bytes(blm_prints_cells(to), to->bits);
    blm_region fresh;
    blm_err err = blm_recell(f, &fresh, bytes);
    if (err) return blm_fail(why, err, "no memory for %g bytes of cells", (double)bytes);
    blm_filter onto = *f;
    onto.cells = fresh.cells;
    onto.bytes = fresh.bytes;
    err = pour(to, &onto, from, f, sum);
    if (!err && g) err = pour(to, &onto, q, g, sum);
    if (err) {
        f->alloc.put(f->alloc.ctx, fresh.cells, (size_t)fresh.bytes);
        return blm_fail(why, err,
                        "over capacity: %llu of %llu cells are in use, and all %u buckets of a key "
                        "are full; grow it, or build for more keys",
                        (unsigned long long)sum->used, (unsigned long long)blm_prints_cells(to),
                        to->tables);
    }
    blm_commit(f, &fresh);
    return BLM_OK;
}
