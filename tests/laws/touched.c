/* touched.c - the law that blm_touched tells all that a query reads.
 *
 * A view of an image that checks what it touches (BLM_CHECK_TOUCHED) checks the chunks of these cells and no others, so a
 * cell that is left out could be damaged and believed.
 */
#include "core/kind.h"
#include "laws/laws.h"

static bool always(const blm_kind_info *k) { return k->name != NULL; }

/* Inverts every byte that a query does not read; a cell is at most 8 bytes long. */
static void invert_others(uint8_t *cells, uint64_t bytes, const blm_touch *t, size_t n)
{
    uint8_t *own = calloc(1, (size_t)bytes);
    law_need(own != NULL, "no memory", NULL);
    for (size_t i = 0; i < n; i++)
        for (uint64_t at = t[i].byte; at < t[i].byte + 8 && at < bytes; at++) own[at] = 1;
    for (uint64_t at = 0; at < bytes; at++)
        if (!own[at]) cells[at] = (uint8_t)~cells[at];
    free(own);
}

/* What a query reads decides its answer: a view of an image checks no other chunks. */
static int touches_of(const blm_filter *f, const blm_item *it)
{
    static const blm_touch untouched = {UINT64_MAX, UINT64_MAX, UINT64_MAX};
    blm_touch all[BLM_TOUCH_MAX], few[2] = {untouched, untouched};
    blm_filter *g = NULL;
    const size_t n = blm_touched(f, it, all, BLM_TOUCH_MAX);
    DEMAND(n <= BLM_TOUCH_MAX, "%zu cells, more than BLM_TOUCH_MAX", n);
    if (!n) return 0; /* it does not tell: everything is checked */
    DEMAND(blm_touched(f, it, few, 1) == n && memcmp(few, all, sizeof *few) == 0,
           "with room for one cell it tells another one, or another number");
    DEMAND(memcmp(&few[1], &untouched, sizeof *few) == 0, "it writes past the room it was given");
    DEMAND(blm_copy(&g, f, NULL) == BLM_OK, "copy");
    invert_others(g->cells, g->bytes, all, n);
    const bool same = blm_has_item(g, it) == blm_has_item(f, it);
    blm_free(g);
    DEMAND(same, "the answer depends on a cell that it does not tell of");
    return 0;
}

static int law_touched(const char *kind)
{
    static const uint64_t sizes[] = {1, 20, 1000};
    for (size_t i = 0; i < 3; i++) {
        blm_filter *f = law_filled(kind, sizes[i], sizes[i]);
        law_key room;
        for (uint64_t j = 0; j < 200 && !f->nchild; j++) {
            const law_side side = j % 2 ? LAW_STRANGER : LAW_MEMBER;
            const blm_item it = law_item(f, side, j / 2 % law_keys_max(f), &room);
            if (touches_of(f, &it)) return 1;
        }
        blm_free(f);
    }
    return 0;
}

const law laws_of_touches[] = {
    {"touched", "a query reads the cells that it tells of, and no others", always, law_touched},
    {NULL, NULL, always, NULL},
};
