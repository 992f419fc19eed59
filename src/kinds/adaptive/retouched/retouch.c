/* retouch.c - which bits to clear. */
#include "retouch.h"

/* Both are sorted by their hashes. */
blm_err blm_retouch_apart(const blm_rows *members, const blm_rows *unwanted, blm_report *why)
{
    size_t twins = 0;
    for (size_t i = 0, j = 0; i < members->n && j < unwanted->n;) {
        const uint64_t a = members->lo[i], b = unwanted->lo[j];
        twins += a == b;
        i += a <= b;
        j += b <= a;
    }
    return !twins ? BLM_OK
                  : blm_fail(why, BLM_E_CONFLICT,
                             "%zu of %zu unwanted keys are also members: remove them from one of "
                             "the two lists",
                             twins, unwanted->n);
}

/* Of r ones that are left, l of them to be cleared, the next is cleared with a chance of l / r. */
void blm_retouch_random(blm_filter *f, uint64_t some)
{
    uint64_t remain = ((const blm_flat *)f)->ones, state = f->seed;
    for (uint64_t at = 0; some; at++) {
        if (!blm_bit_get(f->cells, at)) continue;
        state += UINT64_C(0x9e3779b97f4a7c15);
        if (blm_reduce(blm_mix(state), remain--) < some) blm_retouch_bit(f, at), some--;
    }
}

/* For each bit how many of these keys that pass have it, a key that has it twice once. */
static void count_uses(const blm_filter *f, const blm_rows *keys, uint32_t *uses)
{
    const blm_flat *s = (const blm_flat *)f;
    uint64_t at[64];
    for (size_t key = 0; uses && key < keys->n; key++) {
        const blm_hash h = blm_row_hash(keys, key);
        if (!blm_retouch_has(f, h, NULL)) continue;
        for (unsigned i = 0; i < s->hashes; i++) {
            unsigned same = 0;
            at[i] = blm_place(h, i, s->cells);
            while (at[same] != at[i]) same++;
            if (same == i) uses[at[i]] += uses[at[i]] < UINT32_MAX;
        }
    }
}

typedef struct blm_uses { /* of each bit; NULL: not asked for, all bits are alike */
    uint32_t *members, *unwanted;
} blm_uses;

static uint64_t uses_at(const uint32_t *uses, uint64_t at) { return uses ? uses[at] : 1; }

/* Of the bits with the fewest members for each unwanted key the first. A product of two counts fits. */
static uint64_t best_place(const blm_flat *s, const blm_uses *u, blm_hash h)
{
    uint64_t best = blm_place(h, 0, s->cells);
    for (unsigned i = 1; i < s->hashes; i++) {
        const uint64_t at = blm_place(h, i, s->cells);
        if (uses_at(u->members, at) * uses_at(u->unwanted, best) <
            uses_at(u->members, best) * uses_at(u->unwanted, at))
            best = at;
    }
    return best;
}

blm_err blm_retouch_list(blm_filter *f, blm_retouch_by by, const blm_rows *members,
                         const blm_rows *unwanted, blm_report *why)
{
    const blm_flat *s = (const blm_flat *)f;
    const bool of_members = by == BLM_RETOUCH_RATIO || by == BLM_RETOUCH_FEWEST,
               of_unwanted = by == BLM_RETOUCH_RATIO || by == BLM_RETOUCH_MAX;
    const unsigned vectors = unwanted->n ? of_members + of_unwanted : 0;
    blm_region room = {NULL, 0};
    if (vectors && blm_recell(f, &room, s->cells * vectors * sizeof(uint32_t)))
        return blm_fail(why, BLM_E_NOMEM, "no memory to choose bits: %zu bytes for each of %llu",
                        vectors * sizeof(uint32_t), (unsigned long long)s->cells);
    uint32_t *counts = (uint32_t *)(void *)room.cells;
    const blm_uses u = {of_members ? counts : NULL,
                        of_unwanted && vectors ? counts + (of_members ? s->cells : 0) : NULL};
    if (vectors) count_uses(f, members, u.members), count_uses(f, unwanted, u.unwanted);
    for (size_t i = 0; i < unwanted->n; i++) {
        const blm_hash h = blm_row_hash(unwanted, i);
        if (blm_retouch_has(f, h, NULL))
            blm_retouch_bit(f, vectors ? best_place(s, &u, h) : blm_retouch_some(s, h));
    }
    if (vectors) f->alloc.put(f->alloc.ctx, room.cells, (size_t)room.bytes);
    return BLM_OK;
}
