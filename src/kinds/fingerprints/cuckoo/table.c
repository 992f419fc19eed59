/* table.c - what is written: one slot, a fingerprint with those that make room for it, whole tables. */
#include "cells.h"
#include "parts/moves.h"

/* ---- one slot ---------------------------------------------------------------------------------- */

uint64_t blm_cuckoo_get(const blm_cuckoo *s, uint64_t bucket, unsigned slot)
{
    const blm_prints *p = &s->now;
    uint64_t all[4];
    if (!s->form) return blm_prints_cell(p, &s->base, bucket * p->slots + slot);
    blm_cuckoo_sorted_read(s, bucket, all);
    return all[slot];
}

/* Writes the lowest n bits of v. */
static void cuckoo_bits_put(const blm_cuckoo *s, uint64_t bit, unsigned n, uint64_t v)
{
    const blm_packed_at at = blm_packed_find(s->base.bytes, 1, bit);
    const uint64_t old = blm_le64(s->base.cells + at.byte), mask = blm_packed_top(n) << at.shift;
    blm_put64(s->base.cells + at.byte, (old & ~mask) | v << at.shift);
}

static void cuckoo_sorted_write(const blm_cuckoo *s, uint64_t bucket, const uint64_t rest[4])
{
    const unsigned low = s->now.low - 4;
    const uint64_t bit = bucket * s->wide;
    unsigned number[4];
    uint64_t at = bit + BLM_CUCKOO_CODE;
    for (unsigned i = 0; i < 4; i++, at += low) {
        number[i] = (unsigned)(rest[i] >> low);
        cuckoo_bits_put(s, at, low, rest[i] & blm_packed_top(low));
    }
    cuckoo_bits_put(s, bit, BLM_CUCKOO_CODE, blm_cuckoo_code(number));
}

void blm_cuckoo_set(blm_cuckoo *s, uint64_t bucket, unsigned slot, uint64_t rest)
{
    const blm_prints *p = &s->now;
    uint64_t all[4];
    if (!s->form) {
        const uint64_t cell = bucket * p->slots + slot;
        blm_packed_set(s->base.cells, s->base.bytes, p->bits, cell, rest);
        return;
    }
    blm_cuckoo_sorted_read(s, bucket, all);
    for (; slot > 0 && all[slot - 1] > rest; slot--) all[slot] = all[slot - 1];
    for (; slot < 3 && all[slot + 1] < rest; slot++) all[slot] = all[slot + 1];
    all[slot] = rest;
    cuckoo_sorted_write(s, bucket, all);
}

/* The first slot of the bucket that has this rest, or `slots`. */
static unsigned cuckoo_slot(const blm_cuckoo *s, uint64_t bucket, uint64_t rest)
{
    const blm_prints *p = &s->now;
    unsigned slot = 0;
    if (s->form) {
        uint64_t all[4];
        blm_cuckoo_sorted_read(s, bucket, all);
        while (slot < 4 && all[slot] != rest) slot++;
        return slot;
    }
    for (; slot < p->slots; slot += p->run) {
        const uint64_t lanes = blm_cuckoo_bits(s, blm_cuckoo_bit(s, bucket, slot));
        const uint64_t found =
            blm_cuckoo_zeros(p, lanes ^ rest * p->ones) & blm_cuckoo_inside(p, p->slots - slot);
        if (found) return slot + (unsigned)__builtin_ctzll(found) / p->bits;
    }
    return p->slots;
}

/* ---- a fingerprint ---------------------------------------------------------------------------------- */

static unsigned cuckoo_vacancy(const void *s, uint64_t bucket) { return cuckoo_slot(s, bucket, 0); }

static void cuckoo_move_fetch(const void *s, uint64_t bucket) { blm_cuckoo_fetch(s, bucket); }

static uint64_t cuckoo_move_other(const void *s, uint64_t bucket, unsigned slot)
{
    return blm_cuckoo_other(s, bucket, blm_cuckoo_get(s, bucket, slot));
}

static void cuckoo_move(void *s, uint64_t from, unsigned slot, uint64_t to, unsigned to_slot)
{
    blm_cuckoo_set(s, to, to_slot, blm_cuckoo_get(s, from, slot));
}

static const blm_moves_by cuckoo_moves = {cuckoo_vacancy, cuckoo_move_fetch, cuckoo_move_other,
                                          cuckoo_move};

/* The bucket with more room, the first of equals: so that buckets fill evenly, and moves begin late. */
blm_err blm_cuckoo_put(blm_cuckoo *s, const blm_cuckoo_place *x, blm_cuckoo_seen a,
                       blm_cuckoo_seen b, bool *fresh)
{
    const bool is_new = !(a.same + b.same);
    *fresh = is_new;
    if (s->twins && !is_new) return BLM_OK;
    uint64_t bucket = x->at[b.empty > a.empty];
    unsigned slot = 0;
    if (a.empty + b.empty)
        slot = cuckoo_slot(s, bucket, 0);
    else if (!blm_moves_make(&cuckoo_moves, s->now.slots, s, x->at, 2, &bucket, &slot))
        return BLM_E_FULL;
    blm_cuckoo_set(s, bucket, slot, x->rest);
    s->used++;
    s->different += is_new;
    s->pairs += is_new && x->rest == 1;
    return BLM_OK;
}

blm_err blm_cuckoo_take(blm_cuckoo *s, const blm_cuckoo_place *x)
{
    const unsigned a = blm_cuckoo_see(s, x->at[0], x->rest).same,
                   b = blm_cuckoo_see(s, x->at[1], x->rest).same;
    const uint64_t bucket = x->at[b > a];
    if (!(a + b)) return BLM_E_ABSENT;
    blm_cuckoo_set(s, bucket, cuckoo_slot(s, bucket, x->rest), 0);
    s->used -= s->used > 0; /* the fields of a forger may be lower */
    s->different -= a + b == 1 && s->different;
    s->pairs -= a + b == 1 && x->rest == 1 && s->pairs;
    return BLM_OK;
}

/* ---- whole tables ------------------------------------------------------------------------------------- */

/* No code is none, and the rests of a sorted bucket are in order. */
static bool cuckoo_in_order(const blm_cuckoo *s, uint64_t bucket)
{
    uint64_t all[4];
    if (!s->form) return true;
    if ((blm_cuckoo_bits(s, bucket * s->wide) & 4095) >= BLM_CUCKOO_CODES) return false;
    blm_cuckoo_sorted_read(s, bucket, all);
    return all[0] <= all[1] && all[1] <= all[2] && all[2] <= all[3];
}

/* A fingerprint is counted where it lies first: in the first table, and in the lowest slot. */
static bool cuckoo_is_first(const blm_cuckoo *s, uint64_t bucket, unsigned slot, uint64_t rest)
{
    const bool second = bucket >= s->now.across;
    if (cuckoo_slot(s, bucket, rest) < slot) return false;
    return !second || !blm_cuckoo_see(s, blm_cuckoo_other(s, bucket, rest), rest).same;
}

blm_err blm_cuckoo_check(const blm_filter *f, blm_report *why)
{
    const blm_cuckoo *s = (const blm_cuckoo *)f;
    const uint64_t buckets = 2 * s->now.across;
    uint64_t used = 0, different = 0, pairs = 0;
    if (!blm_packed_tail_zero(f->cells, f->bytes, s->wide, buckets))
        return blm_fail(why, BLM_E_IMAGE, "damaged: a bit past the last bucket is set");
    for (uint64_t bucket = 0; bucket < buckets; bucket++) {
        if (!cuckoo_in_order(s, bucket))
            return blm_fail(why, BLM_E_IMAGE, "damaged: a sorted bucket is not in order");
        for (unsigned slot = 0; slot < s->now.slots; slot++) {
            const uint64_t rest = blm_cuckoo_get(s, bucket, slot);
            const bool first = rest && cuckoo_is_first(s, bucket, slot, rest);
            used += rest != 0;
            different += first;
            pairs += first && rest == 1;
        }
    }
    if (s->twins && used != different)
        return blm_fail(why, BLM_E_IMAGE, "damaged: a fingerprint is there twice, with twins=once");
    return used == s->used && different == s->different && pairs == s->pairs
               ? BLM_OK
               : blm_fail(why, BLM_E_IMAGE,
                          "damaged: the numbers of slots in use and of fingerprints differ from "
                          "their fields");
}

/* All fingerprints of `from`, by rising cell, some at a time, so that their buckets are fetched together. */
static blm_err cuckoo_pour(blm_cuckoo *to, const blm_cuckoo *from)
{
    enum { SOME = 64 };
    const uint64_t cells = blm_prints_cells(&from->now);
    blm_cuckoo_place x[SOME];
    blm_err err = BLM_OK;
    for (uint64_t cell = 0; cell < cells && !err;) {
        unsigned n = 0;
        for (; n < SOME && cell < cells; cell++) {
            const uint64_t bucket = cell / from->now.slots,
                           rest = blm_cuckoo_get(from, bucket, (unsigned)(cell % from->now.slots));
            if (!rest) continue;
            x[n] = blm_cuckoo_find(to, blm_prints_of_rest(&from->now, bucket, rest));
            for (unsigned i = 0; i < 2; i++) blm_cuckoo_fetch(to, x[n].at[i]);
            n++;
        }
        for (unsigned i = 0; i < n && !err; i++) {
            bool fresh;
            err = blm_cuckoo_put(to, &x[i], blm_cuckoo_see(to, x[i].at[0], x[i].rest),
                                 blm_cuckoo_see(to, x[i].at[1], x[i].rest), &fresh);
        }
    }
    return err;
}

blm_err blm_cuckoo_rebuild(blm_cuckoo *s, const blm_cuckoo *g, unsigned doublings, blm_report *why)
{
    blm_cuckoo to = *s;
    blm_region fresh;
    uint64_t bytes = 0;
    to.doublings = (uint8_t)doublings;
    to.used = to.different = to.pairs = 0;
    blm_err err = blm_cuckoo_shape(&to.base, &bytes, why);
    if (err) return err;
    if ((err = blm_recell(&s->base, &fresh, bytes)))
        return blm_fail(why, err, "no memory for %g bytes of cells", (double)bytes);
    to.base.cells = fresh.cells;
    to.base.bytes = fresh.bytes;
    err = cuckoo_pour(&to, s);
    if (!err && g) err = cuckoo_pour(&to, g);
    if (err) {
        s->base.alloc.put(s->base.alloc.ctx, fresh.cells, (size_t)fresh.bytes);
        return blm_fail(why, err,
                        "over capacity: %llu of %llu slots are in use, and no fingerprint can make "
                        "room; grow it, or build for more keys",
                        (unsigned long long)to.used, (unsigned long long)blm_prints_cells(&to.now));
    }
    blm_commit(&s->base, &fresh);
    s->doublings = to.doublings;
    s->used = to.used, s->different = to.different, s->pairs = to.pairs;
    s->wide = to.wide;
    s->now = to.now;
    return BLM_OK;
}

/* Each fingerprint once, by rising cell. */
blm_err blm_cuckoo_list(const blm_filter *f, blm_item *out, size_t *n, blm_report *why)
{
    const blm_cuckoo *s = (const blm_cuckoo *)f;
    const uint64_t buckets = 2 * s->now.across;
    const size_t room = out ? *n : 0;
    (void)why;
    *n = 0;
    for (uint64_t bucket = 0; bucket < buckets; bucket++)
        for (unsigned slot = 0; slot < s->now.slots; slot++) {
            const uint64_t rest = blm_cuckoo_get(s, bucket, slot);
            if (!rest || !cuckoo_is_first(s, bucket, slot, rest)) continue;
            if (*n < room)
                out[*n] = blm_listed(blm_prints_of_rest(&s->now, bucket, rest), s->range);
            ++*n;
        }
    return BLM_OK;
}
