/* load.c - any bytes as an image: rejected, or every operation on it is safe.
 *
 * An input that starts with the magic number is taken as it is. Of any other the first byte says what
 * is repaired in the rest (checksums, lengths, counts of cells) and how it is opened, so that the
 * fuzzer gets past the checksums.
 */
#include "core/mul128.h"
#include "fuzz/ask.h"
#include "fuzz/repair.h"

#define ROOM   (80u << 10) /* of a repaired image: larger ones stay broken */
#define MEMORY (1u << 20)  /* for all that is done: growing stops there */

/* Bits of the first byte other than the repairs. Judging the fill at each add costs a hundred times
 * the rest of an execution at 64 hashes: only where the bit says so. */
enum { WITH_KEY = 8, JUDGED = 16 };

static const uint8_t secret[16] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};

/* ---- what can be done to it ------------------------------------------------------------------ */

static void change_keys(blm_filter *f)
{
    bool fresh;
    for (uint64_t i = 0; i < FEW; i++) {
        const blm_item it = blm_item_u64(f, i * 0x9e3779b97f4a7c15, BLM_NO_ARG);
        const bool added = blm_add_item(f, &it, &fresh) == BLM_OK;
        if (added && blm_fnr(f, NULL).high <= 0) MUST(blm_has_item(f, &it));
        const bool leaves = added && blm_can(f, BLM_DEL);
        const blm_err left = leaves ? blm_del_item(f, &it) : BLM_OK;
        MUST(!left || (left == BLM_E_UNSURE && f->kind->deletes));
        blm_deny_item(f, &it);
    }
    blm_hash hashes[FEW] = {{0, 0}};
    blm_err err = blm_add_many(f, hashes, NULL, FEW, NULL, NULL);
    err = blm_add_shared(f, hashes, FEW, NULL);
    err = blm_put(f, "plum", 4, 5);
    (void)err; /* any of them may fail, as long as nothing breaks */
    blm_del(f, "pear", 4);
    blm_tick(f, f->now + 1000);
}

/* What reads cells as a whole: of a mapped filter they may never have been looked at. */
static void ask_pair(const blm_filter *f, const blm_filter *other)
{
    blm_overlap overlap;
    blm_filter *half = NULL;
    any(blm_overlap_of(f, other, &overlap, NULL));
    if (blm_fold(&half, f, 1, NULL) == BLM_OK) ask_keys(half);
    blm_free(half);
}

static void change_whole(blm_filter *f, const blm_filter *other)
{
    size_t bytes;
    any(blm_merge(f, other, NULL));
    any(blm_intersect(f, other, NULL));
    any(blm_subtract(f, other, NULL));
    any(blm_adopt(f, blm_cells(other, &bytes), (size_t)other->bytes, NULL));
    any(blm_grow(f, NULL));
    any(blm_set_note(f, "note", NULL));
    any(blm_set_key_form(f, blm_key_form(f)[0] ? "" : "hex", NULL));
    any(blm_clear(f));
    change_keys(f);
}

static void change(const blm_filter *f)
{
    blm_filter *one = NULL, *two = NULL;
    if (blm_copy(&one, f, NULL) == BLM_OK && blm_copy(&two, f, NULL) == BLM_OK) {
        MUST(blm_equal(one, f) && blm_equal(one, two));
        change_keys(one);
        ask_pair(one, two);
        change_whole(one, two);
    }
    blm_free(one);
    blm_free(two);
}

/* Planned anew for what the image claims to be: a filter, or the sentence. */
static void plan_again(const blm_filter *f)
{
    for (unsigned by_bits = 0; by_bits < 2; by_bits++) {
        blm_config c = {
            .size = sizeof c, .kind = f->kind->name, .keys = f->capacity, .alloc = &f->alloc};
        blm_report why = {BLM_OK, ""};
        blm_filter *g = NULL;
        if (by_bits)
            c.bits = f->bytes * 8;
        else
            c.fpr = f->target;
        const blm_err err = blm_new(&g, &c, &why);
        MUST(err == why.code && !err == (g != NULL));
        if (g) MUST(!by_bits || g->bytes <= f->bytes);
        blm_free(g);
    }
}

/* Built anew in the shape of the image, full where that is not much: no shape that loads may lead a builder astray. */
static void build_again(const blm_filter *f)
{
    enum { PARTS = 64, ROWS = 1500 };
    static uint64_t lo[ROWS];
    static blm_hash h[ROWS];
    static uint8_t yes[ROWS];
    const blm_kind *k = f->kind;
    const size_t n = f->capacity < ROWS ? (size_t)f->capacity : ROWS;
    size_t from = 0;
    uint64_t bytes;
    blm_filter *g = NULL;
    blm_err err = BLM_OK;
    if (k->parts(f) > PARTS || blm_copy(&g, f, NULL)) return;
    memset(g->cells, 0, (size_t)g->bytes);
    for (size_t i = 0; i < n; i++) {
        lo[i] = i * (UINT64_MAX / n) + i * i;
        h[i] = (blm_hash){lo[i], 0};
    }
    for (uint64_t part = 0; part < k->parts(g) && !err; part++) {
        size_t to = from;
        while (to < n && blm_reduce(lo[to], k->parts(g)) == part) to++;
        const blm_rows rows = {lo + from, NULL, NULL, to - from};
        err = k->build_part(g, part, &rows, NULL);
        from = to;
    }
    if (!err && k->built) err = k->built(g, n, NULL);
    if (!err) blm_has_many(g, h, NULL, n, yes);
    for (size_t i = 0; i < n && !err; i++) MUST(yes[i] && blm_has_hash(g, h[i]));
    MUST(!err || err == BLM_E_BUILD || err == BLM_E_NOMEM);
    if (k->widen && !k->widen(g, NULL) && !blm_shape(g, &bytes, NULL)) MUST(bytes >= g->bytes);
    blm_free(g);
}

/* ---- opening --------------------------------------------------------------------------------- */

/* Saved again, it is the same filter: nothing of the image was lost on the way in. */
static void save_again(const blm_filter *f, const blm_open_options *how)
{
    saved s = image_of(f);
    blm_filter *again = NULL;
    MUST(blm_load(&again, s.at, s.length, how, NULL) == BLM_OK);
    MUST(blm_equal(f, again));
    blm_free(again);
    free(s.at);
}

static blm_err load(const uint8_t *p, size_t n, const blm_open_options *how)
{
    meter m = {.limit = MEMORY};
    const blm_alloc alloc = {meter_get, meter_put, &m};
    blm_open_options own = *how;
    blm_report why = {BLM_OK, ""};
    blm_filter *f = NULL;
    own.alloc = &alloc;
    const blm_err err = blm_load(&f, p, n, &own, &why);
    MUST(m.max <= n + 81920);
    MUST(err == why.code && !err == (f != NULL) && (!err || why.text[0]));
    if (f) {
        ask_keys(f);
        ask_whole(f);
        ask_rates(f);
        save_again(f, how);
        if (f->hasher && f->kind->parts) {
            build_again(f);
            plan_again(f);
        }
        change(f);
        change_keys(f);
    }
    blm_free(f);
    MUST(m.now == 0);
    return err;
}

static blm_err view(const uint8_t *p, size_t n, const blm_open_options *how, blm_check check)
{
    meter m = {.limit = MEMORY};
    const blm_alloc alloc = {meter_get, meter_put, &m};
    blm_open_options own = *how;
    blm_filter *f = NULL;
    own.check = check;
    own.alloc = &alloc;
    const blm_err err = blm_view(&f, p, n, &own, NULL);
    if (f) {
        ask_keys(f);
        ask_whole(f);
        ask_rates(f);
        MUST(blm_clear(f) == BLM_E_READONLY);
        MUST(blm_set_note(f, "note", NULL) == BLM_E_READONLY);
        MUST(blm_set_key_form(f, "hex", NULL) == BLM_E_READONLY);
        if (blm_can(f, BLM_ADD)) MUST(blm_add_u64(f, 1) != BLM_OK);
        blm_filter *twin = NULL;
        if (check == BLM_CHECK_NONE && blm_view(&twin, p, n, &own, NULL) == BLM_OK)
            ask_pair(f, twin);
        blm_free(twin);
    }
    blm_free(f);
    MUST(m.now == 0);
    return err;
}

static void open_all_ways(const uint8_t *p, size_t n, unsigned mode)
{
    uint64_t bytes = 0;
    const bool with_key = mode & WITH_KEY;
    const blm_open_options how = {.size = sizeof how,
                                  .secret = with_key ? secret : NULL,
                                  .without_secret = !with_key,
                                  .overfill = !(mode & JUDGED)};
    const blm_err loaded = load(p, n, &how);
    const blm_err all = view(p, n, &how, BLM_CHECK_ALL), none = view(p, n, &how, BLM_CHECK_NONE);
    MUST(loaded == all);
    MUST(view(p, n, &how, BLM_CHECK_TOUCHED) == none);
    MUST(!none || all); /* what the header alone forbids, the whole forbids */
    if (!with_key) MUST(blm_verify_image(p, n, NULL) == loaded);
    if (!loaded) MUST(blm_image_size(p, n, &bytes, NULL) == BLM_OK && bytes == n);
    any(blm_image_size(p, n, &bytes, NULL));
    any(view(p, n, BLM_OPEN(.max_fill = 0.1, .max_bytes = 4096), BLM_CHECK_ALL));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const unsigned mode = size && data[0] != blm_magic[0] ? data[0] : 0;
    size_t n = size && !mode ? size : size ? size - 1 : 0;
    uint8_t *image = malloc(ROOM > n ? ROOM : n);
    MUST(image);
    memset(image, 0, ROOM > n ? ROOM : n);
    if (n) memcpy(image, data + (size - n), n);
    if (mode & (REPAIR_HEADER | REPAIR_BODY | REPAIR_STATE))
        n = repair(image, n, ROOM > n ? ROOM : n, mode, 0);
    uint8_t *exact = malloc(n ? n : 1); /* a step past the end is seen */
    MUST(exact);
    memcpy(exact, image, n);
    open_all_ways(exact, n, mode);
    free(exact);
    free(image);
    return 0;
}
