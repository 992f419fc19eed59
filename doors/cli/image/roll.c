/* roll.c - all keys of the input to the filter at once, each of them once.
 *
 *      slots   | 0 | 3 | 0 | 1 | 2 | ...       open addressing: the number of a key, from 1; 0: free
 *      items   | hash, offset of its bytes | ...   in the order in which they first came
 *      bytes   |plum|quince|fig|...
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "describe.h"
#include "image/clock.h"
#include "image/lookup.h"

enum {
    FIRST_ROOM = 1 << 12,
    COUNTED = 200
}; /* bytes that counting a key takes, with 1.3 counters per key */

typedef struct roll {
    lookup l;
    lookup_told show;
    blm_item *items; /* key: its offset until all keys are there */
    size_t *slots, *offsets;
    char *bytes;
    size_t keys, nslots, room, used, bytes_room; /* room: of items and offsets */
    uint64_t ram;
} roll;

static void *larger(void *old, size_t count, size_t size)
{
    return count <= SIZE_MAX / size ? realloc(old, count * size) : NULL;
}

static void point_at(roll *r, uint64_t hash, size_t number)
{
    size_t i = (size_t)hash & (r->nslots - 1);
    while (r->slots[i]) i = (i + 1) & (r->nslots - 1);
    r->slots[i] = number;
}

/* Slots are twice the room of items, a power of two. */
static bool more_keys(roll *r)
{
    const size_t room = r->room ? 2 * r->room : FIRST_ROOM;
    if (room > SIZE_MAX / 4) return false;
    blm_item *items = larger(r->items, room, sizeof *items);
    if (items) r->items = items;
    size_t *offsets = larger(r->offsets, room, sizeof *offsets);
    if (offsets) r->offsets = offsets;
    size_t *slots = larger(r->slots, 2 * room, sizeof *slots);
    if (slots) r->slots = slots;
    if (!items || !offsets || !slots) return false;
    r->room = room;
    r->nslots = 2 * room;
    memset(r->slots, 0, r->nslots * sizeof *r->slots);
    for (size_t i = 0; i < r->keys; i++) point_at(r, r->items[i].h.lo, i + 1);
    return true;
}

static bool more_bytes(roll *r, size_t n)
{
    size_t room = r->bytes_room ? r->bytes_room : FIRST_ROOM;
    if (r->used + n <= r->bytes_room) return true;
    while (room - r->used < n && room <= SIZE_MAX / 2) room *= 2;
    char *bytes = room - r->used < n ? NULL : larger(r->bytes, room, 1);
    if (!bytes) return false;
    r->bytes = bytes;
    r->bytes_room = room;
    return true;
}

static bool known(const roll *r, uint64_t hash, const line *key)
{
    for (size_t i = (size_t)hash & (r->nslots - 1); r->slots[i]; i = (i + 1) & (r->nslots - 1)) {
        const blm_item *it = &r->items[r->slots[i] - 1];
        if (it->h.lo == hash && it->len == key->key_length &&
            memcmp(r->bytes + r->offsets[r->slots[i] - 1], key->key, it->len) == 0)
            return true;
    }
    return false;
}

static bool enter(roll *r, const line *key, blm_item it)
{
    if (r->keys == r->room && !more_keys(r)) return false;
    if (known(r, it.h.lo, key)) return true;
    if (!more_bytes(r, key->key_length)) return false;
    memcpy(r->bytes + r->used, key->key, key->key_length);
    it.len = key->key_length;
    r->offsets[r->keys] = r->used;
    r->items[r->keys] = it;
    r->used += key->key_length;
    r->keys++;
    point_at(r, it.h.lo, r->keys);
    return true;
}

/* What this many keys take, counting included. */
static uint64_t memory(const roll *r)
{
    return r->room * (sizeof *r->items + sizeof *r->offsets) + r->nslots * sizeof *r->slots +
           r->bytes_room + r->keys * (uint64_t)COUNTED;
}

static ending too_many(const roll *r, uint64_t bytes)
{
    char text[32];
    return trouble(
        "%zu distinct keys and their counts do not fit into %s: --all keeps all of them in "
        "memory; raise --ram",
        r->keys, text_bytes(text, bytes));
}

static ending read_keys(roll *r)
{
    line lines[BATCH];
    size_t n;
    ending end = END_YES;
    const settings *s = r->l.s;
    input *in = input_open(s, s->operand + 1, s->operands - 1);
    if (!in) return END_TROUBLE;
    if (!more_bytes(r, 1) || !more_keys(r)) end = trouble("out of memory");
    while (!end && (n = input_lines(in, lines)) > 0)
        for (size_t i = 0; i < n && !end; i++) {
            blm_item it;
            if (!lines[i].key || !key_item(&r->l.im, &lines[i], &it)) continue;
            if (!enter(r, &lines[i], it))
                end = trouble("out of memory after %zu distinct keys", r->keys);
            else if (memory(r) > r->ram)
                end = too_many(r, r->ram);
        }
    if (!end && input_failed(in)) end = END_TROUBLE;
    if (!end) end = input_had_keys(in);
    input_close(in);
    return end;
}

static ending undecoded(const roll *r)
{
    blm_report why = {BLM_E_UNSURE, ""};
    snprintf(
        why.text, sizeof why.text,
        "the counts of these %zu keys do not fit its counters: a key that was added is missing "
        "from the input, or far more keys were added than it was built for",
        r->keys);
    return complain_why(r->l.path, BLM_E_UNSURE, &why);
}

static ending tell_all(roll *r)
{
    blm_estimate *times = calloc(r->keys + 1, sizeof *times);
    if (!times) return trouble("out of memory for the counts of %zu keys", r->keys);
    for (size_t i = 0; i < r->keys; i++) r->items[i].key = r->bytes + r->offsets[i];
    const blm_err err = blm_count_all(r->l.im.f, r->items, r->keys, times);
    for (size_t i = 0; i < r->keys && !err && !out_failed(); i++) {
        const line key = {.text = r->items[i].key,
                          .length = r->items[i].len,
                          .key = r->items[i].key,
                          .key_length = r->items[i].len,
                          .arg = BLM_NO_ARG};
        r->show(&r->l, &key, &times[i]);
    }
    free(times);
    if (err == BLM_E_UNSURE) return undecoded(r);
    return err ? complain_why(r->l.path, err, NULL) : END_YES;
}

ending lookup_together(settings *s, lookup_told show)
{
    roll r = {.l = {.s = s, .path = s->operand[0]}, .show = show};
    const char *path = r.l.path;
    if (one_pipe(s) || !(r.ram = ram_bytes(s, "count --all"))) return END_TROUBLE;
    ending end = image_open_now(&r.l.im, s, path, BLM_CHECK_ALL);
    if (end) return end;
    if (blm_can(r.l.im.f, BLM_COUNT_ALL))
        end = form_apply(s, r.l.im.f, path);
    else if (blm_can(r.l.im.f, BLM_COUNT))
        end = trouble("%s: kind %s counts each key by itself; leave --all out", path,
                      r.l.im.info.kind);
    else
        end = cannot(path, r.l.im.info.kind, BLM_COUNT_ALL, "count keys");
    if (!end) end = arg_taken(s, r.l.im.info.kind);
    if (!end) end = read_keys(&r);
    if (!end) end = tell_all(&r);
    free(r.items);
    free(r.offsets);
    free(r.slots);
    free(r.bytes);
    image_close(&r.l.im);
    return end ? end : r.l.any_no ? END_NO : END_YES;
}
