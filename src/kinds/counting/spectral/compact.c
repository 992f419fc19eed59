/* compact.c - one counter: where its bits are, what it is, and how it becomes another one. */
#include "compact.h"

/* Where a counter's bits are in its page. */
typedef struct walk {
    blm_page page;
    unsigned group;                  /* of the page */
    unsigned class, layers;          /* layers of the group that have bits, and layer 0 */
    uint64_t place[COMPACT_CLASSES]; /* its bit in each of these, or where it would be */
    uint64_t end;                    /* of the layers, where another one would begin */
    uint64_t value;                  /* the first bit of its value */
} walk;

unsigned blm_compact_class(uint64_t value)
{
    unsigned class = 0;
    while (class < COMPACT_CLASSES - 1 && value >= blm_compact_first(class + 1)) class ++;
    return class;
}

static inline uint64_t low_bits(unsigned n) { return n < 64 ? (UINT64_C(1) << n) - 1 : UINT64_MAX; }

uint64_t blm_compact_read(const blm_page *p, uint64_t at, unsigned n)
{
    const unsigned shift = at % 64;
    const uint8_t *word = p->bits + at / 64 * 8;
    if (at > blm_page_room(p) || n > blm_page_room(p) - at || !n) return 0;
    uint64_t v = blm_le64(word) >> shift;
    if (n > 64 - shift) v |= blm_le64(word + 8) << (64 - shift);
    return v & low_bits(n);
}

void blm_compact_write(const blm_page *p, uint64_t at, unsigned n, uint64_t value)
{
    const unsigned shift = at % 64;
    uint8_t *word = p->bits + at / 64 * 8;
    if (at > blm_page_room(p) || n > blm_page_room(p) - at || !n) return;
    blm_put64(word, (blm_le64(word) & ~(low_bits(n) << shift)) | value << shift);
    if (n <= 64 - shift) return;
    blm_put64(word + 8,
              (blm_le64(word + 8) & ~(low_bits(n) >> (64 - shift))) | value >> (64 - shift));
}

/* From layer to layer, as deep as the group has them: the ones before the counter's place say where it is in the next one, and how
 * many bits of values come before its own. What forged lengths say ends with the page. */
static walk walk_to(const blm_spectral *c, uint64_t at)
{
    const uint8_t *cells = c->flat.base.cells;
    const uint64_t group = at / BLM_POOL_GROUP, first = group * BLM_POOL_GROUP,
                   left = c->flat.cells - first, own = blm_pool_page_of(&c->pages, group);
    walk w = {.page = blm_pool_page(&c->pages, c->flat.base.cells, own),
              .group = (unsigned)(group - own * c->pages.a_page)};
    const uint64_t room = blm_page_room(&w.page);
    blm_pool_ones n =
        blm_pool_count(cells, first, at - first, left < BLM_POOL_GROUP ? left : BLM_POOL_GROUP);
    bool in = blm_bit_get(cells, at);
    uint64_t before = 0;
    w.end = blm_page_start(&w.page, w.group);
    for (w.layers = 1; n.all && w.layers < COMPACT_CLASSES; w.layers++) {
        const uint64_t len = n.all < room - w.end ? n.all : room - w.end,
                       rank = n.before < len ? n.before : len;
        w.place[w.layers] = w.end + rank;
        if (in) w.class = w.layers;
        in = in && rank < len && blm_bit_get(w.page.bits, w.end + rank);
        n = blm_pool_count(w.page.bits, w.end, rank, len);
        before += n.before;
        w.end += len;
    }
    w.value = w.end + 2 * before;
    return w;
}

static inline uint64_t place_of(const walk *w, unsigned layer)
{
    return layer < w->layers ? w->place[layer] : w->end;
}

uint64_t blm_compact_get(const blm_spectral *c, uint64_t at)
{
    if (!blm_bit_get(c->flat.base.cells, at)) return 0;
    const walk w = walk_to(c, at);
    return blm_compact_first(w.class) +
           blm_compact_read(&w.page, w.value, blm_compact_bits(w.class));
}

blm_compact_key blm_compact_find(const blm_spectral *c, blm_hash h)
{
    blm_compact_key key;
    for (unsigned i = 0; i < c->flat.hashes; i++) key.at[i] = blm_place(h, i, c->flat.cells);
    key.n = blm_counters_distinct(key.at, c->flat.hashes);
    key.min = UINT64_MAX;
    for (unsigned i = 0; i < key.n; i++) {
        key.is[i] = key.to[i] = blm_compact_get(c, key.at[i]);
        key.min = key.is[i] < key.min ? key.is[i] : key.min;
    }
    return key;
}

void blm_compact_fetch(const blm_spectral *c, blm_hash h, unsigned n)
{
    for (unsigned i = 0; i < n && i < 16; i++) {
        const uint64_t at = blm_place(h, i, c->flat.cells),
                       own = blm_pool_page_of(&c->pages, at / BLM_POOL_GROUP);
        blm_fetch(c->flat.base.cells + at / 8);
        blm_fetch(blm_pool_page(&c->pages, c->flat.base.cells, own).head);
    }
}

/* ---- from one class to another ----------------------------------------------------------- */

/* Forged lengths may leave no room, and so no gap: then a place may be the end of the page. */
static inline bool in_page(const walk *w, unsigned layer)
{
    return place_of(w, layer) < blm_page_room(&w->page);
}

/* The bits of its value become more, then, from the deepest layer up, its place in each new layer; all that lies before
 * a gap stays where the walk has seen it. */
static void rise(const blm_spectral *c, const walk *w, uint64_t at, unsigned class)
{
    for (unsigned more = blm_compact_bits(class) - blm_compact_bits(w->class); more; more -= 2)
        blm_page_open(&w->page, w->group, w->value, 2);
    for (unsigned layer = class; layer > w->class; layer--) {
        blm_page_open(&w->page, w->group, place_of(w, layer), 1);
        if (layer < class && in_page(w, layer)) blm_bit_set(w->page.bits, place_of(w, layer));
    }
    if (!w->class)
        blm_bit_set(c->flat.base.cells, at);
    else if (in_page(w, w->class))
        blm_bit_set(w->page.bits, place_of(w, w->class));
}

static void fall(const blm_spectral *c, const walk *w, uint64_t at, unsigned class)
{
    for (unsigned less = blm_compact_bits(w->class) - blm_compact_bits(class); less; less -= 2)
        blm_page_close(&w->page, w->group, w->value, 2);
    for (unsigned layer = w->class; layer > class; layer--)
        blm_page_close(&w->page, w->group, place_of(w, layer), 1);
    if (!class)
        blm_bit_clear(c->flat.base.cells, at);
    else if (in_page(w, class))
        blm_bit_clear(w->page.bits, place_of(w, class));
}

static void set(blm_spectral *c, uint64_t at, uint64_t is, uint64_t to)
{
    const unsigned class = blm_compact_class(to);
    const uint64_t top = blm_packed_top(c->width);
    const walk w = walk_to(c, at);
    if (class != w.class) (class > w.class ? rise : fall)(c, &w, at, class);
    /* Before its value there are as many bits more as it has layers more. */
    blm_compact_write(&w.page, w.value + class - w.class, blm_compact_bits(class),
                      to - blm_compact_first(class));
    c->flat.ones += to > 0;
    c->flat.ones -= is > 0;
    c->stuck += to == top; /* it was not: it would stay there */
}

/* Words that the fullest page of the key has then. A page that does not grow has enough. */
static uint64_t words_for(const blm_spectral *c, const blm_compact_key *key)
{
    uint64_t own[64], more[64], words = 0;
    for (unsigned i = 0; i < key->n; i++) {
        const unsigned now = blm_compact_size(blm_compact_class(key->is[i])),
                       then = blm_compact_size(blm_compact_class(key->to[i]));
        own[i] = blm_pool_page_of(&c->pages, key->at[i] / BLM_POOL_GROUP);
        more[i] = then > now ? then - now : 0;
    }
    for (unsigned i = 0; i < key->n; i++) {
        const blm_page page = blm_pool_page(&c->pages, c->flat.base.cells, own[i]);
        uint64_t bits = blm_page_used(&page);
        for (unsigned j = 0; j < key->n; j++) bits += own[j] == own[i] ? more[j] : 0;
        words = (bits + 63) / 64 > words ? (bits + 63) / 64 : words;
    }
    return words;
}

static blm_err grow_to(blm_spectral *c, uint64_t words)
{
    uint64_t bytes;
    uint8_t steps = c->pool;
    blm_pool to = c->pages;
    while (to.words < words && steps < BLM_POOL_STEPS)
        to = blm_pool_after(c->flat.cells, COMPACT_WORDS, c->spare, ++steps, &bytes);
    if (to.words < words) return BLM_E_FULL;
    if (steps == c->pool) return BLM_OK;
    const blm_err err = blm_pool_grow(&c->flat.base, &c->pages, &to, bytes);
    if (err) return err;
    c->pages = to;
    c->pool = steps;
    return BLM_OK;
}

blm_err blm_compact_put(blm_spectral *c, const blm_compact_key *key)
{
    const blm_err err = grow_to(c, words_for(c, key));
    if (err) return err;
    for (unsigned i = 0; i < key->n; i++)
        if (key->to[i] != key->is[i]) set(c, key->at[i], key->is[i], key->to[i]);
    return BLM_OK;
}
