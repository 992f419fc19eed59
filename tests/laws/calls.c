/* calls.c - every call that a filter can be given, for laws that ask only that all is well after. */
#include "core/core_internal.h"
#include "laws/laws.h"

enum { KEYS = 8, LISTED = 4096 };

static blm_err nowhere(void *ctx, const void *p, size_t n)
{
    *(uint64_t *)ctx += n + ((const uint8_t *)p)[0];
    return BLM_OK;
}

/* The kind's table has it and this filter's setting allows it. */
static bool can(const blm_filter *f, blm_ability what)
{
    return blm_kind_can(f->kind) & (uint32_t)what && blm_can(f, what);
}

static void ask_one(const blm_filter *f, const blm_item *it)
{
    const uint64_t sets[3] = {0, 1, it->arg};
    blm_touch touched[BLM_TOUCH_MAX];
    uint64_t value = 0, offsets[8];
    uint8_t yes[3];
    bool often;
    size_t n = 8;
    blm_estimate times;
    blm_has_item(f, it);
    blm_has(f, it->key, it->len);
    blm_has_hash(f, it->h);
    blm_count_item(f, it, &times);
    blm_count(f, it->key, it->len, &times);
    blm_at_least(f, it->key, it->len, 2, &often);
    if (can(f, BLM_COUNT_ALL)) blm_count_all(f, it, 1, &times);
    blm_get_item(f, it, &value);
    blm_which(f, it, sets, 3, yes);
    if (can(f, BLM_INDEX)) blm_index(f, it, &value);
    if (can(f, BLM_PART)) blm_part(f, it, offsets, &n);
    blm_touched(f, it, touched, BLM_TOUCH_MAX);
    blm_check_item(f, it, NULL);
}

/* Members and others, each of them six times. */
static void ask_list(const blm_filter *f)
{
    law_key room[100];
    blm_item it[100];
    blm_estimate times[100];
    for (size_t i = 0; i < 100; i++)
        it[i] = law_item(f, i % 2 ? LAW_MEMBER : LAW_STRANGER, i / 2 % KEYS, &room[i]);
    for (size_t n = 0; n <= 100; n += 50) blm_count_all(f, it, n, times);
}

static void ask_many(const blm_filter *f)
{
    blm_hash h[100];
    uint8_t yes[100];
    blm_estimate times[100];
    law_key room;
    blm_err err = BLM_OK;
    for (size_t i = 0; i < 100; i++)
        h[i] = law_item(f, i % 2 ? LAW_MEMBER : LAW_STRANGER, i % KEYS, &room).h;
    for (size_t n = 1; n <= 100; n *= 10) blm_has_many(f, h, NULL, n, yes);
    if (can(f, BLM_COUNT)) err = blm_count_many(f, h, 100, times);
    if (can(f, BLM_COUNT_ALL)) ask_list(f);
    (void)err;
}

/* Everything that computes rates: up to milliseconds for kinds with long sums, where all else takes
 * microseconds. */
static void ask_theory(const blm_filter *f)
{
    blm_info info;
    blm_report why;
    blm_info_of(f, &info);
    blm_fpr(f, NULL);
    blm_fpr(f, &(blm_case){.keys = 100, .arg = BLM_NO_ARG});
    blm_fnr(f, NULL);
    blm_fnr(f, &(blm_case){.keys = 100, .gap = 10, .arg = BLM_NO_ARG});
    blm_room(f, &why);
}

static void ask_whole(const blm_filter *f)
{
    blm_item *out = calloc(LISTED, sizeof *out);
    size_t n = 0;
    uint64_t sent = 0;
    blm_estimate keys;
    blm_field_info field;
    blm_report why;
    law_need(out != NULL, "no memory", NULL);
    if (can(f, BLM_RANGE))
        for (uint64_t lo = 0; lo < 70; lo++) {
            blm_range(f, lo, lo);
            blm_range(f, lo, UINT64_MAX - lo);
            blm_range(f, lo * lo, lo * lo + 3 * lo);
        }
    if (can(f, BLM_LIST)) {
        blm_list(f, NULL, &n, &why);
        n = LISTED;
        blm_list(f, out, &n, &why);
    }
    free(out);
    blm_cardinality(f, &keys);
    if (f->kind->fill) f->kind->fill(f); /* else asked by blm_info_of alone */
    for (size_t i = 0; blm_field_at(f, i, &field); i++) continue;
    if (blm_save(f, nowhere, &sent, &why) != BLM_OK) return;
    law_need(blm_saved_size(f) <= sent, "saved_size is more than was saved", NULL);
}

static void ask_pairs(const blm_filter *f)
{
    blm_filter *g = NULL;
    blm_overlap both;
    blm_report why;
    if (blm_copy(&g, f, &why) == BLM_OK) {
        blm_equal(f, g);
        if (can(f, BLM_OVERLAP) && blm_overlap_of(f, g, &both, &why)) (void)why;
        blm_free(g);
    }
    g = NULL;
    if (can(f, BLM_FOLD) && blm_fold(&g, f, 1, &why) == BLM_OK) blm_free(g);
}

static void const_calls(const blm_filter *f, bool theory)
{
    law_key room;
    for (uint64_t i = 0; i < 2 * KEYS; i++) {
        if (i / 2 >= law_keys_max(f)) break;
        const blm_item it = law_item(f, i % 2 ? LAW_STRANGER : LAW_MEMBER, i / 2, &room);
        ask_one(f, &it);
    }
    if (law_keys_max(f) > KEYS) ask_many(f);
    ask_whole(f);
    if (theory) ask_theory(f);
    ask_pairs(f);
}

void law_const_calls(const blm_filter *f) { const_calls(f, true); }

static void write_keys(blm_filter *f)
{
    law_key room;
    for (uint64_t i = 0; i < 2 * KEYS && i / 2 < law_keys_max(f); i++) {
        const blm_item it = law_item(f, i % 2 ? LAW_STRANGER : LAW_MEMBER, i / 2, &room);
        blm_err err = blm_add_item(f, &it, NULL);
        if (can(f, BLM_PUT)) err = blm_put_item(f, &it);
        if (can(f, BLM_DENY)) blm_deny_item(f, &it);
        if (can(f, BLM_DEL)) blm_del_item(f, &it);
        err = blm_add_many(f, &it.h, NULL, 1, NULL, NULL);
        (void)err; /* a full filter may refuse them */
    }
}

static void delete_many(blm_filter *f)
{
    blm_hash h[100];
    uint8_t absent[100];
    law_key room;
    for (size_t i = 0; i < 100; i++)
        h[i] = law_item(f, i % 2 ? LAW_MEMBER : LAW_STRANGER, i % KEYS, &room).h;
    const blm_err err = blm_del_many(f, h, NULL, 100, absent, NULL);
    (void)err; /* cells that no add has made may refuse them */
}

/* Each on a copy: the next one starts from what was there, not from what the last one left. */
static void write_pairs(const blm_filter *f, bool theory)
{
    static blm_err (*const calls[])(blm_filter *, const blm_filter *,
                                    blm_report *) = {blm_merge, blm_intersect, blm_subtract};
    static const blm_ability needed[] = {BLM_MERGE, BLM_INTERSECT, BLM_SUBTRACT};
    for (size_t i = 0; i < 3; i++) {
        blm_filter *g = NULL;
        blm_report why;
        if (!can(f, needed[i]) || blm_copy(&g, f, &why)) continue;
        if (calls[i](g, f, &why) == BLM_OK) const_calls(g, theory);
        blm_free(g);
    }
}

void law_all_calls(blm_filter *f, bool read_only, bool theory)
{
    size_t bytes = 0;
    blm_report why;
    const_calls(f, theory);
    if (read_only) return;
    write_pairs(f, theory);
    write_keys(f);
    if (can(f, BLM_DEL) && law_keys_max(f) > KEYS) delete_many(f);
    const uint64_t now = f->now;
    if (can(f, BLM_TICK) && now < UINT64_MAX - 100000) {
        blm_tick(f, now + 1);
        blm_tick(f, now + 100000);
    }
    if (can(f, BLM_GROW) && blm_grow(f, &why) == BLM_OK) write_keys(f);
    const void *cells = blm_cells(f, &bytes);
    if (blm_adopt(f, cells, bytes, &why) == BLM_OK) const_calls(f, theory);
    if (blm_set_note(f, "a note", &why) == BLM_OK) const_calls(f, theory);
    if (blm_clear(f) == BLM_OK) write_keys(f);
}
