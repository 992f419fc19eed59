/* order.c - what came of the table of table.c: sums over its parts, and its keys in order. */
#include <string.h>

#include "heavy/table.h"

heavy_sum heavy_sums(const heavy *t)
{
    heavy_sum sum = {.bytes = t->ram};
    for (unsigned i = 0; i < t->nparts; i++) {
        const part *p = &t->parts[i];
        sum.lines += p->lines;
        sum.held += p->keys;
        sum.used += p->used - p->from;
        if (p->bound > sum.bound) sum.bound = p->bound;
        if (p->too_long > sum.too_long) sum.too_long = p->too_long;
    }
    return sum;
}

/* bound <= 2 lines / keys, and 1/32 more for the classes; a quarter more for parts and keys that are not alike. 5/8
 * are for entries, 1/8 for slots, three quarters of them used. */
uint64_t heavy_ram_for(const heavy *t, uint64_t min)
{
    const heavy_sum sum = heavy_sums(t);
    const double each = sum.held ? (double)sum.used / (double)sum.held : HEAD;
    double keys = 2.1 * (double)sum.lines / (double)min;
    if (keys > (double)sum.lines) keys = (double)sum.lines;
    const double by_bytes = keys * each * 8 / 5, by_slots = keys * 4 / 3 * sizeof *t->slots * 8;
    const double bytes = (by_bytes > by_slots ? by_bytes : by_slots) * 1.25;
    return bytes < 9e18 ? (uint64_t)bytes : UINT64_C(9000000000000000000);
}

/* ---- in order: a heap in the slots, whose first n are taken off and put after it ----------------------------- */

static bool before(const heavy *t, uint32_t a, uint32_t b)
{
    const entry *x = entry_of(t, a), *y = entry_of(t, b);
    if (x->count != y->count) return x->count > y->count;
    const uint64_t nx = entry_length(x), ny = entry_length(y);
    const int order = memcmp(x->key, y->key, (size_t)(nx < ny ? nx : ny));
    return order ? order < 0 : nx < ny;
}

static void sink(heavy *t, uint64_t i, uint64_t n)
{
    uint32_t *heap = t->slots;
    for (uint64_t child; (child = 2 * i + 1) < n; i = child) {
        if (child + 1 < n && before(t, heap[child + 1], heap[child])) child++;
        if (!before(t, heap[child], heap[i])) return;
        const uint32_t swap = heap[i];
        heap[i] = heap[child];
        heap[child] = swap;
    }
}

/* Keys of count `least` and more, to the front of the slots; the highest count of the others. */
static uint64_t gather(heavy *t, uint64_t min)
{
    uint64_t n = 0;
    t->others = heavy_sums(t).bound;
    for (unsigned i = 0; i < t->nparts; i++) {
        const part *p = &t->parts[i];
        for (uint64_t at = p->from; at < p->used;) {
            const entry *e = entry_at(t, at);
            if (e->count >= min)
                t->slots[n++] = (uint32_t)(at / UNIT);
            else if (e->count > t->others)
                t->others = e->count;
            at = entry_after(e, at);
        }
    }
    return n;
}

size_t heavy_sort(heavy *t, size_t n, uint64_t min)
{
    uint64_t left = t->sorted = gather(t, min);
    for (uint64_t i = left / 2; i-- > 0;) sink(t, i, left);
    if (n > left) n = (size_t)left;
    for (size_t i = 0; i < n; i++) {
        const uint32_t first = t->slots[0];
        t->slots[0] = t->slots[--left];
        t->slots[left] = first;
        sink(t, 0, left);
    }
    if (left && entry_of(t, t->slots[0])->count > t->others)
        t->others = entry_of(t, t->slots[0])->count;
    return n;
}

heavy_key heavy_at(const heavy *t, size_t i)
{
    const entry *e = entry_of(t, t->slots[t->sorted - 1 - i]);
    return (heavy_key){e->key, (size_t)entry_length(e), e->count - (e->rest >> 24), e->count};
}

uint64_t heavy_others(const heavy *t) { return t->others; }
