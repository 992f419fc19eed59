/* cells.c - golomb: the rows of a shard as codes and index, and whether cells are such. */
#include <inttypes.h>

#include "cells.h"

/* ---- building ------------------------------------------------------------------------------ */

typedef struct coding {
    const blm_golomb_set *s;
    const blm_rows *rows;
    uint8_t *section;
    blm_code_writer w;
    size_t row;      /* the next one */
    uint64_t values; /* written so far */
} coding;

/* The values of one bucket, as gaps: the first from 0, each other one from the value after the last. A value that comes
 * again is written once. */
static void code_bucket(coding *c, uint64_t bucket)
{
    uint64_t next = 0, value;
    for (; c->row < c->rows->n; c->row++) {
        if (golomb_bucket(c->s, c->rows->lo[c->row], &value) != bucket) return;
        if (value < next) continue;
        blm_code_put(&c->w, &c->s->code, value - next);
        next = value + 1;
        c->values++;
    }
}

/* The super after one of n buckets that end at `end`: on the line the buckets of a short block lie as those of a whole one. */
static uint64_t super_after(uint64_t from, uint64_t end, uint64_t n)
{
    return n ? from + ((end - from) * GOLOMB_BLOCK + n - 1) / n : from;
}

static bool put_entry(coding *c, uint64_t i, uint64_t off)
{
    const unsigned bits = c->s->entry;
    const uint64_t half = UINT64_C(1) << (bits - 1), bit = i * bits;
    uint8_t *p = c->section + c->s->entries + bit / 8;
    if (off + half >= 2 * half) return false;
    blm_put64(p, blm_le64(p) | (off & (2 * half - 1)) << (bit & 7));
    return true;
}

/* Up to GOLOMB_BLOCK buckets from `first` on, and what the index says of them. */
static bool code_block(coding *c, uint64_t shard, uint64_t first)
{
    const blm_golomb_set *s = c->s;
    const uint64_t left = s->buckets - first, n = left < GOLOMB_BLOCK ? left : GOLOMB_BLOCK;
    uint64_t starts[GOLOMB_BLOCK + 1];
    for (uint64_t j = 0; j < n; j++) {
        starts[j] = blm_code_place(&c->w);
        code_bucket(c, shard * s->buckets + first + j);
    }
    starts[n] = blm_code_place(&c->w);
    const uint64_t to = super_after(starts[0], starts[n], n);
    uint8_t *super = c->section + s->supers + first / GOLOMB_BLOCK * 8;
    blm_put64(super, starts[0]);
    blm_put64(super + 8, to);
    for (uint64_t j = 1; j <= n && j < GOLOMB_BLOCK; j++)
        if (!put_entry(c, first + j, starts[j] - golomb_line(starts[0], to, j))) return false;
    return !c->w.over;
}

blm_err blm_golomb_build(blm_filter *f, uint64_t i, const blm_rows *rows, blm_report *why)
{
    const blm_golomb_set *s = (const blm_golomb_set *)f;
    uint8_t *section = f->cells + i * s->stride;
    coding c = {s, rows, section, {.p = section + s->codes, .words = s->room}, 0, 0};
    for (uint64_t first = 0; first <= s->buckets; first += GOLOMB_BLOCK)
        if (!code_block(&c, i, first))
            return blm_fail(why, BLM_E_BUILD,
                            "shard %" PRIu64 ": %zu keys of uneven hashes need more than %" PRIu64
                            " words of codes and %u bits per bucket",
                            i, rows->n, s->room, s->entry);
    blm_code_end(&c.w);
    if (c.w.over)
        return blm_fail(why, BLM_E_BUILD, "shard %" PRIu64 ": more than %" PRIu64 " words of codes",
                        i, s->room);
    blm_put64(section, c.values);
    return BLM_OK;
}

/* ---- checking ------------------------------------------------------------------------------ */

/* Bits from `bit` on, up to a byte: are they zero? */
static bool zero_between(const uint8_t *p, uint64_t bit, uint64_t end, bool high_first)
{
    if (bit % 8 && bit < end) {
        const unsigned used = bit % 8,
                       rest = high_first ? p[bit / 8] << used & 0xff : p[bit / 8] >> used;
        if (rest) return false;
        bit += 8 - used;
    }
    for (; bit < end; bit += 8)
        if (p[bit / 8]) return false;
    return true;
}

/* The codes of one bucket end where the next one begins, and its values rise below the width. */
static bool sound_bucket(const blm_golomb_set *s, const uint8_t *codes, uint64_t at, uint64_t end,
                         uint64_t *values)
{
    uint64_t left = s->width; /* values that may still come */
    for (; at < end; ++*values) {
        const uint64_t gap = blm_code_get_long(codes, &at, end, &s->code, s->most);
        if (gap >= left) return false;
        left -= gap + 1;
    }
    return at == end;
}

static bool sound_section(const blm_golomb_set *s, const uint8_t *section, uint64_t *values)
{
    const uint8_t *super = section + s->supers;
    uint64_t at = 0, found = 0, from = 0;
    for (uint64_t b = 0; b <= s->buckets; b++) {
        const uint64_t j = b % GOLOMB_BLOCK, k = b / GOLOMB_BLOCK;
        if (golomb_first(s, section, b) != at) return false;
        if (!j) {
            from = at;
            if (golomb_entry(s, section, b) || blm_le64(super + k * 8) != at) return false;
        }
        if (b == s->buckets) {
            if (blm_le64(super + k * 8 + 8) != super_after(from, at, j)) return false;
            break;
        }
        const uint64_t end = golomb_first(s, section, b + 1);
        if (end < at || end > s->room * 64 || !sound_bucket(s, section + s->codes, at, end, &found))
            return false;
        at = end;
    }
    *values += found;
    return found == blm_le64(section) &&
           zero_between(section + s->entries, (s->buckets + 1) * s->entry,
                        (s->codes - s->entries) * 8, false) &&
           zero_between(section + s->codes, at, (s->stride - s->codes) * 8, true);
}

blm_err blm_golomb_check(const blm_filter *f, blm_report *why)
{
    const blm_golomb_set *s = (const blm_golomb_set *)f;
    uint64_t values = 0;
    for (uint64_t i = 0; i < s->shards; i++)
        if (!sound_section(s, f->cells + i * s->stride, &values))
            return blm_fail(why, BLM_E_IMAGE,
                            "damaged: shard %" PRIu64 " has codes that do not end where its index "
                            "says, or bits after the last code",
                            i);
    if (values != s->values || s->values > s->members || !s->values != !s->members)
        return blm_fail(why, BLM_E_IMAGE,
                        "damaged: %" PRIu64 " values are in the cells, recorded are %" PRIu64
                        " of %" PRIu64 " keys",
                        values, s->values, s->members);
    return BLM_OK;
}
