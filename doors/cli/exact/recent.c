/* recent.c - the real bytes of the keys of a moment ago: "equal bytes were here before" is certain.
 *
 *      ring    |entry|key...|entry|key...|      the oldest is overwritten; positions only grow
 *      index   the newest entry of a hash; entries of one place in the index are chained backwards
 *
 * A key that is met in the older half of the ring is written again at the front, so that what comes
 * often stays. The ring starts small and doubles until its share is reached; the index has 8 bytes for
 * 32 of the ring. Until something was forgotten "not found" is certain too, then it means nothing.
 */
#include <stdlib.h>
#include <string.h>

#include "exact/spill.h"

typedef struct entry { /* 16 bytes */
    uint64_t hash;
    uint32_t back;   /* to the one before it in its chain, in units; 0: none */
    uint16_t length; /* at most LONG_KEY */
    uint8_t with;
} entry;

enum { UNIT = 8, START = 1 << 17 };
#define EMPTY UINT64_MAX
#define MAX                                                                                        \
    (SIZE_MAX / 8 < (uint64_t)UINT32_MAX * UNIT / 4 ? SIZE_MAX / 8                                 \
                                                    : (uint64_t)UINT32_MAX * UNIT / 4)

struct recent {
    char *ring;
    uint64_t *index;
    uint64_t head; /* where the next entry goes; its place in the ring is head % room */
    uint64_t room, max, buckets;
    bool forgot; /* some key is no longer held, or never was */
};

static uint64_t entry_bytes(size_t n) { return (sizeof(entry) + n + UNIT - 1) / UNIT * UNIT; }

static entry *entry_at(const recent *c, uint64_t at)
{
    return (entry *)(void *)(c->ring + at % c->room);
}

static uint64_t *bucket_of(const recent *c, uint64_t hash)
{
    return c->index + (hash & (c->buckets - 1));
}

static bool still_there(const recent *c, uint64_t at)
{
    return at != EMPTY && c->head - at <= c->room;
}

static bool make_index(recent *c)
{
    uint64_t buckets = 1;
    while (buckets * 2 <= c->room / 32) buckets *= 2;
    uint64_t *index = realloc(c->index, (size_t)buckets * sizeof *index); /* never both */
    if (!index) return false;
    memset(index, 0xff, (size_t)buckets * sizeof *index);
    c->index = index;
    c->buckets = buckets;
    return true;
}

/* most: for both. */
recent *recent_new(uint64_t max)
{
    recent *c = calloc(1, sizeof *c);
    if (c) {
        c->max = START;
        while (c->max * 2 <= max / 5 * 4 && c->max < MAX) c->max *= 2;
        c->room = START;
        c->ring = malloc(START);
        if (c->ring && make_index(c)) return c;
    }
    complain("no memory for the keys of a moment ago");
    recent_free(c);
    return NULL;
}

void recent_free(recent *c)
{
    if (!c) return;
    free(c->ring);
    free(c->index);
    free(c);
}

static void point_at(recent *c, entry *e, uint64_t at)
{
    uint64_t *newest = bucket_of(c, e->hash);
    e->back = still_there(c, *newest) ? (uint32_t)((at - *newest) / UNIT) : 0;
    *newest = at;
}

/* Before anything was overwritten, so every position stays what it is. */
static void grow(recent *c)
{
    char *larger = realloc(c->ring, (size_t)c->room * 2);
    if (larger) {
        c->ring = larger;
        c->room *= 2;
    }
    if (!larger || !make_index(c)) { /* what there is will do */
        c->max = c->room;
        return;
    }
    for (uint64_t at = 0; at < c->head;) {
        entry *e = entry_at(c, at);
        point_at(c, e, at);
        at += entry_bytes(e->length);
    }
}

void recent_put(recent *c, uint64_t hash, const char *key, size_t n, uint8_t with)
{
    const uint64_t need = entry_bytes(n);
    if (n > LONG_KEY || need > c->max / 16) {
        c->forgot = true;
        return;
    }
    while (c->head + need > c->room && c->room < c->max) grow(c);
    if (c->head % c->room + need > c->room) /* an entry is in one piece */
        c->head += c->room - c->head % c->room;
    entry *e = entry_at(c, c->head);
    *e = (entry){.hash = hash, .length = (uint16_t)n, .with = with};
    memcpy(e + 1, key, n);
    point_at(c, e, c->head);
    c->head += need;
    c->forgot |= c->head > c->room;
}

bool recent_has_all(const recent *c) { return !c->forgot; }
uint64_t recent_bytes(const recent *c) { return c->room + c->buckets * sizeof *c->index; }

/* A cache miss each: asked for a batch ahead, they overlap (1.4 times the speed at 20 MiB). */
void recent_expect(const recent *c, uint64_t hash)
{
#if defined(__GNUC__)
    __builtin_prefetch(bucket_of(c, hash), 1);
#else
    (void)c, (void)hash;
#endif
}

void recent_expect_key(const recent *c, uint64_t hash)
{
#if defined(__GNUC__)
    const uint64_t at = *bucket_of(c, hash);
    if (still_there(c, at)) __builtin_prefetch(entry_at(c, at), 1);
#else
    (void)c, (void)hash;
#endif
}

uint8_t *recent_find(recent *c, uint64_t hash, const char *key, size_t n)
{
    uint64_t at = *bucket_of(c, hash);
    while (still_there(c, at)) {
        entry *e = entry_at(c, at);
        if (e->hash == hash && e->length == n && memcmp(e + 1, key, n) == 0) {
            if (c->room < c->max || c->head - at <= c->room / 2) return &e->with;
            recent_put(c, hash, key, n, e->with);
            return &entry_at(c, *bucket_of(c, hash))->with;
        }
        if (!e->back) break;
        at -= (uint64_t)e->back * UNIT;
    }
    return NULL;
}
