/* room.c - room in the table of table.c: the quarter of the keys, or of their bytes, that came least often
 * goes. Which these are is found by counting the keys of each class of counts; of the last class the oldest go. */
#include <string.h>

#include "heavy/table.h"

enum { FINE = 5, CLASSES = 64 << FINE }; /* counts to 1/32; below 64 each has a class of its own */

static unsigned class_of(uint64_t count)
{
    unsigned shift = 0;
    while (count >> shift >> (FINE + 1)) shift++;
    return (shift << FINE) + (unsigned)(count >> shift);
}

typedef struct cut { /* goes: the classes below `at`, and that many keys and bytes of class `at` */
    unsigned at;
    uint64_t keys, bytes;
} cut;

static uint64_t less(uint64_t a, uint64_t b) { return a > b ? a - b : 0; }

static cut find_cut(const heavy *t, const part *p)
{
    uint64_t keys[CLASSES] = {0}, bytes[CLASSES] = {0};
    const uint64_t some_keys = p->max_keys / 4, some_bytes = (p->end - p->from) / 4;
    for (uint64_t at = p->from; at < p->used;) {
        const entry *e = entry_at(t, at);
        const unsigned class = class_of(e->count);
        keys[class]++;
        bytes[class] += entry_bytes(entry_length(e));
        at = entry_after(e, at);
    }
    cut c = {0, less(some_keys, p->max_keys - p->keys), less(some_bytes, p->end - p->used)};
    while (keys[c.at] < c.keys || bytes[c.at] < c.bytes) {
        c.keys = less(c.keys, keys[c.at]);
        c.bytes = less(c.bytes, bytes[c.at++]);
    }
    return c;
}

static bool goes(cut *c, const entry *e)
{
    const unsigned class = class_of(e->count);
    if (class != c->at) return class < c->at;
    if (!c->keys && !c->bytes) return false;
    c->keys = less(c->keys, 1);
    c->bytes = less(c->bytes, entry_bytes(entry_length(e)));
    return true;
}

/* The sketch says `count` of this key from now on, or more. */
static void hand_over(part *p, const entry *e, blm_hash h)
{
    const blm_item it = {.h = h, .arg = BLM_NO_ARG};
    const uint64_t now = heavy_sketched(p, &it);
    if (now < e->count) heavy_sketch(p, it, e->count - now);
    if (e->count > p->bound) p->bound = e->count;
}

void heavy_make_room(heavy *t, part *p)
{
    const uint64_t used = p->used;
    cut c = find_cut(t, p);
    memset(p->slots, 0, (size_t)p->nslots * sizeof *p->slots);
    p->used = p->from;
    p->keys = 0;
    for (uint64_t at = p->from; at < used;) {
        const entry *e = entry_at(t, at);
        const uint64_t bytes = entry_bytes(entry_length(e));
        const blm_hash h = blm_hash_of(p->sketch, e->key, (size_t)entry_length(e));
        if (goes(&c, e))
            hand_over(p, e, h);
        else {
            memmove(t->arena + p->used, e, (size_t)bytes);
            heavy_point(t, p, h.lo, p->used);
            p->used += bytes;
            p->keys++;
        }
        at += bytes;
    }
}
