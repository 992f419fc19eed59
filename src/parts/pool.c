/* pool.c - gaps open and close, pages become larger. */
#include "parts/pool.h"

#include <math.h>

static inline uint64_t word_at(const blm_page *p, uint64_t w)
{
    return w < p->words ? blm_le64(p->bits + w * 8) : 0;
}

/* The bits below `at` of its word. */
static inline uint64_t below(uint64_t at) { return (UINT64_C(1) << at % 64) - 1; }

void blm_page_open(const blm_page *p, unsigned group, uint64_t at, unsigned n)
{
    const uint64_t used = blm_page_used(p), first = at / 64;
    if (at > used || n > blm_page_room(p) - used) return;
    const uint64_t last = (used + n - 1) / 64, word = word_at(p, first), keep = below(at);
    uint64_t before = word & ~keep; /* what moves of the word before the one that is written */
    for (uint64_t w = last; w > first; w--) {
        const uint64_t from = w - 1 > first ? word_at(p, w - 1) : before;
        blm_put64(p->bits + w * 8, word_at(p, w) << n | from >> (64 - n));
    }
    blm_put64(p->bits + first * 8, (word & keep) | before << n);
    blm_put16(p->head + (size_t)2 * group, (uint16_t)(blm_page_length(p, group) + n));
}

void blm_page_close(const blm_page *p, unsigned group, uint64_t at, unsigned n)
{
    const uint64_t used = blm_page_used(p), first = at / 64;
    if (at > used || n > used - at || n > blm_page_length(p, group)) return;
    const uint64_t last = (used - 1) / 64, keep = below(at), kept = word_at(p, first) & keep;
    for (uint64_t w = first; w <= last; w++) {
        const uint64_t next = w < last ? word_at(p, w + 1) : 0;
        blm_put64(p->bits + w * 8, word_at(p, w) >> n | next << (64 - n));
    }
    blm_put64(p->bits + first * 8, (word_at(p, first) & ~keep) | kept);
    blm_put16(p->head + (size_t)2 * group, (uint16_t)(blm_page_length(p, group) - n));
}

blm_err blm_pool_grow(blm_filter *f, const blm_pool *p, const blm_pool *to, uint64_t bytes)
{
    blm_region fresh;
    const blm_err err = blm_recell(f, &fresh, bytes);
    if (err) return err;
    memcpy(fresh.cells, f->cells, (size_t)p->at);
    for (uint64_t i = 0; i < p->pages; i++)
        memcpy(fresh.cells + to->at + i * to->stride, f->cells + p->at + i * p->stride,
               (size_t)p->stride);
    blm_commit(f, &fresh);
    return BLM_OK;
}

bool blm_page_tidy(const blm_page *p)
{
    for (unsigned g = p->groups; g % 4; g++)
        if (blm_page_length(p, g)) return false;
    return blm_bits_tail_zero(p->bits, p->words * UINT64_C(8), blm_page_used(p));
}

/* ---- ones -------------------------------------------------------------------------------- */

/* Of 256 bits, so that sums of bytes fit into bytes: words are added up before their bytes are. */
static inline uint64_t sums_of_bytes(uint64_t w)
{
    w -= w >> 1 & UINT64_C(0x5555555555555555);
    w = (w & UINT64_C(0x3333333333333333)) + (w >> 2 & UINT64_C(0x3333333333333333));
    return (w + (w >> 4)) & UINT64_C(0x0f0f0f0f0f0f0f0f);
}

static inline uint64_t sum_of_bytes(uint64_t w)
{
    const uint64_t even = UINT64_C(0x00ff00ff00ff00ff);
    return ((w & even) + (w >> 8 & even)) * UINT64_C(0x0001000100010001) >> 48;
}

blm_pool_ones blm_pool_count(const uint8_t *bits, uint64_t from, uint64_t rank, uint64_t n)
{
    const unsigned shift = from % 64;
    const uint8_t *word = bits + from / 64 * 8;
    blm_pool_ones sum = {0, 0};
    for (uint64_t at = 0; at < n; at += 64, word += 8) {
        uint64_t w = blm_le64(word) >> shift;
        if (shift && n - at > 64 - shift) w |= blm_le64(word + 8) << (64 - shift);
        if (n - at < 64) w &= (UINT64_C(1) << (n - at)) - 1;
        sum.all += sums_of_bytes(w);
        if (rank <= at) continue;
        if (rank - at < 64) w &= (UINT64_C(1) << (rank - at)) - 1;
        sum.before += sums_of_bytes(w);
    }
    return (blm_pool_ones){sum_of_bytes(sum.before), sum_of_bytes(sum.all)};
}

/* ---- plans ------------------------------------------------------------------------------- */

/* Bernstein: a sum of mean u and variance v, of terms up to s, passes u + t with a chance below exp(-t^2 / (2 (v + s t/3))).
 * For u = v = 2839, s = 1 and one page t = 285, for 10^5 pages t = 382. */
uint32_t blm_pool_spare(const blm_pool_wish *w, uint64_t cells)
{
    const uint64_t groups = blm_pool_groups(cells);
    const blm_pool p = blm_pool_of(groups);
    const blm_pool_load all = w->load(w->ctx, cells);
    const double own = fmin(1, (double)p.a_page / (double)groups), max = p.a_page * w->group_words;
    const double log_chance = log((double)p.pages * 1e6), third = all.step * log_chance / 3;
    const double above = third + sqrt(third * third + 2 * all.variance * own * log_chance);
    return (uint32_t)fmin(max, fmax(1, ceil(fmin(all.most, all.mean * own + above) / 64)));
}

/* The most cells next to pages of that many words; 0: none. */
static uint64_t cells_beside(const blm_pool_wish *w, uint32_t words, uint64_t bytes, uint64_t max)
{
    uint64_t low = 0, high = bytes < max / 8 ? bytes * 8 + 1 : max;
    while (high - low > 1) {
        const uint64_t cells = low + (high - low) / 2;
        uint64_t takes;
        blm_pool_after(cells, w->group_words, words, 0, &takes);
        *(takes <= bytes ? &low : &high) = cells;
    }
    return low;
}

/* Likewise, with room for what their strings take. One group more makes all pages longer, so some groups fewer may do
 * where as many as fit do not. */
static uint64_t cells_with(const blm_pool_wish *w, uint32_t words, uint64_t bytes, uint64_t max)
{
    uint64_t cells = cells_beside(w, words, bytes, max);
    for (unsigned turn = 0; cells && turn < 2; turn++) {
        const blm_pool p = blm_pool_of(blm_pool_groups(cells));
        if (blm_pool_spare(w, cells) <= words) return cells;
        cells = (p.a_page - 1) * p.pages * BLM_POOL_GROUP;
    }
    return 0;
}

/* With pages about as short as will do: longer pages leave fewer cells, but with the shortest ones there may be a group per
 * page less. */
uint64_t blm_pool_fit(const blm_pool_wish *w, uint64_t bytes, uint64_t max)
{
    enum { NEAR = 4 };
    uint32_t low = 0, longest = BLM_POOL_GROUPS * w->group_words, high = longest;
    uint64_t best = 0;
    while (high - low > 1) {
        const uint32_t words = low + (high - low) / 2;
        const uint64_t cells = cells_beside(w, words, bytes, max);
        const bool is_short = (double)(bytes * 8 - cells) < w->load(w->ctx, cells).mean;
        *(is_short ? &low : &high) = words;
    }
    for (uint32_t words = high, last = longest; words <= last; words++) {
        const uint64_t cells = cells_with(w, words, bytes, max);
        if (cells && !best) last = words + words / 8 + NEAR;
        best = cells > best ? cells : best;
    }
    return best;
}
