/* hostile.c - laws of images from forgers, who set all checksums right: refused, or safe. */
#include <inttypes.h>

#include "core/core_internal.h"
#include "laws/laws.h"
#include "core/bytes.h"

static bool always(const blm_kind_info *k) { return k->name != NULL; }

/* Opens the bytes at a fence in every way and does everything that the filter can do. CPU
 * seconds: all of it takes milliseconds. */
static int open_and_use(const law_fence *image, const char *what, bool theory)
{
    static const blm_check checks[] = {BLM_CHECK_NONE, BLM_CHECK_TOUCHED, BLM_CHECK_ALL};
    blm_filter *f = NULL;
    law_limit(law_catches ? 1 : TEST_SLOW ? 60 : 10);
    for (size_t i = 0; i < 3; i++) {
        law_purse purse = LAW_PURSE;
        const blm_alloc a = law_alloc(&purse);
        if (blm_view(&f, image->p, image->n, BLM_OPEN(.check = checks[i], .alloc = &a), NULL))
            continue;
        law_all_calls(f, true, theory);
        blm_free(f);
        DEMAND(purse.out == 0, "%s: a view leaks %" PRIu64 " bytes", what, purse.out);
    }
    law_purse purse = LAW_PURSE;
    const blm_alloc a = law_alloc(&purse);
    /* Without overfill, an add asks for the rate to see whether the filter is full. */
    const blm_err err =
        blm_load(&f, image->p, image->n, BLM_OPEN(.alloc = &a, .overfill = !theory), NULL);
    DEMAND(!err || err == BLM_E_IMAGE || err == BLM_E_NEWER || err == BLM_E_KEY, "%s: load: %s",
           what, blm_strerror(err));
    DEMAND(purse.peak <= image->n + 81920, "%s: load takes %" PRIu64 " bytes for an image of %zu",
           what, purse.peak, image->n);
    if (!err) {
        law_all_calls(f, false, theory);
        blm_free(f);
    }
    DEMAND(purse.out == 0, "%s: load leaks %" PRIu64 " bytes", what, purse.out);
    law_limit(0);
    return 0;
}

/* ---- forged --------------------------------------------------------------------------------------- */

/* A number as a forger would write it: near a limit of something. */
static uint64_t wicked(uint64_t *state)
{
    static const uint64_t limits[] = {0, 1, 2, 64, 255, 4096, 65535, 65536, UINT32_MAX};
    const uint64_t r = law_random(state);
    switch (r % 4) {
    case 0:
        return limits[r / 4 % 9];
    case 1:
        return UINT64_C(1) << (r / 4 % 64);
    case 2:
        return (UINT64_C(1) << (r / 4 % 64)) - 1;
    default:
        return law_random(state);
    }
}

/* Where the image of the filter itself, or of one of its children, starts: they all begin alike. */
static size_t some_image(const law_image *im, uint64_t *state)
{
    size_t starts[64], n = 0;
    for (size_t at = 0; at + 32 <= im->n && n < 64; at += 8)
        if (memcmp(im->p + at, im->p, 8) == 0) starts[n++] = at;
    return starts[law_random(state) % n];
}

void law_forge(law_image *im, uint64_t *state)
{
    const size_t start = some_image(im, state);
    const uint64_t header = 32 + (uint64_t)blm_le32(im->p + start + 12), r = law_random(state);
    const size_t head = start + header <= im->n ? (size_t)header : 32;
    const size_t at = start + (size_t)(law_random(state) % head);
    uint8_t word[8];
    blm_put64(word, wicked(state));
    switch (r % 5) {
    case 0:
        im->p[at] = word[0];
        break;
    case 1: /* a whole field, wherever it starts and however wide it is */
        memcpy(im->p + at, word,
               start + head - at < 8 ? start + head - at : (size_t)1 << r / 5 % 4);
        break;
    case 2: /* the lengths of header and image */
        if (r / 5 % 2)
            blm_put32(im->p + start + 12, (uint32_t)(header - 32 + law_random(state) % 17 - 8));
        else
            blm_put64(im->p + start + 16, wicked(state));
        break;
    case 3: /* bytes of cells, sums or padding */
        im->p[law_random(state) % im->n] = word[0];
        break;
    default: /* one field by one */
        im->p[at] = (uint8_t)(im->p[at] + (r / 5 % 2 ? 1 : 255));
        break;
    }
}

/* Cuts and lengthens as well, and says so in the prelude. */
static void stretch(law_image *im, uint64_t *state)
{
    const uint64_t r = law_random(state);
    const size_t n = r % 2 ? im->n - (size_t)(r / 2 % (im->n / 2)) : im->n + (size_t)(r / 2 % 5000);
    law_image other = law_image_copy(im, n);
    blm_put64(other.p + 16, n);
    law_drop(im);
    *im = other;
}

/* One round in 16, whatever the round's remainder by 3 and 8: these choose the kind of forgery. */
static bool some_rounds(uint64_t round)
{
    return (round * UINT64_C(0x9e3779b97f4a7c15)) >> 60 == 0;
}

static int forge_one(const law_image *sound, uint64_t round)
{
    uint64_t state = round;
    char what[64];
    law_image im = law_image_copy(sound, sound->n);
    snprintf(what, sizeof what, "forgery %" PRIu64, round);
    for (uint64_t i = 0; i <= round % 3; i++) law_forge(&im, &state);
    if (round % 8 == 7) stretch(&im, &state);
    law_repair(im.p, im.n);
    law_fence image = law_fence_of(im.p, im.n);
    const int broken = open_and_use(&image, what, some_rounds(round));
    law_fence_drop(&image);
    law_drop(&im);
    return broken;
}

/* A family whose first child is of a foreign kind. */
static int graft(blm_filter *f)
{
    blm_kind_info k;
    for (size_t i = 0; f->nchild && blm_kind_at(i, &k); i++) {
        blm_filter *own = f->child[0], *foreign = law_filled(k.name, 20, 10);
        f->child[0] = foreign;
        law_image im = law_save(f);
        f->child[0] = own;
        law_fence image = law_fence_of(im.p, im.n);
        if (open_and_use(&image, k.name, true)) return 1;
        law_fence_drop(&image);
        law_drop(&im);
        blm_free(foreign);
    }
    return 0;
}

static int law_forged(const char *kind)
{
    const uint64_t rounds = TEST_SLOW > 1            ? 300
                            : TEST_SLOW || law_small ? 1000
                            : law_with(kind)[0]      ? 2000
                                                     : 6000;
    blm_filter *f = law_filled(kind, 20, 15);
    if (blm_can(f, BLM_TICK)) DEMAND(blm_tick(f, f->now + 5) == BLM_OK, "tick");
    if (blm_can(f, BLM_GROW)) DEMAND(blm_grow(f, NULL) == BLM_OK, "grow");
    DEMAND(blm_set_note(f, "note", NULL) == BLM_OK, "note");
    DEMAND(blm_set_key_form(f, "crlf hex", NULL) == BLM_OK, "key form");
    law_image im = law_save(f);
    for (uint64_t i = 0; i < rounds; i++)
        if (forge_one(&im, i)) return 1;
    const int broken = graft(f);
    law_drop(&im);
    blm_free(f);
    return broken;
}

/* ---- random_cells ------------------------------------------------------------------------------------- */

typedef struct paint {
    unsigned pattern;
    uint64_t state;
} paint;

static void paint_cells(void *ctx, uint8_t *cells, size_t n)
{
    paint *p = ctx;
    for (size_t i = 0; i < n; i++) {
        const uint8_t r = (uint8_t)law_random(&p->state), s = (uint8_t)law_random(&p->state);
        const uint8_t patterns[LAW_PATTERNS] = {0, 255, r, r & s, r | s, 1, 128, i % 2 ? 255 : 0};
        cells[i] = patterns[p->pattern];
    }
}

void law_paint(law_image *im, unsigned round)
{
    paint p = {round % LAW_PATTERNS, round};
    law_each_cells(im->p, im->n, paint_cells, &p);
}

static int random_cells(const law_image *sound, unsigned round, uint64_t keys)
{
    char what[64];
    law_image im = law_image_copy(sound, sound->n);
    law_paint(&im, round);
    law_repair(im.p, im.n);
    law_fence image = law_fence_of(im.p, im.n);
    snprintf(what, sizeof what, "pattern %u, %" PRIu64 " keys", round % 8, keys);
    const int broken = open_and_use(&image, what, round < 8);
    law_fence_drop(&image);
    law_drop(&im);
    return broken;
}

/* Each pattern four times; rates are asked for once. */
static int law_random_cells(const char *kind)
{
    static const uint64_t sizes[] = {1, 20, 1000};
    for (size_t i = 0; i < 3; i++) {
        blm_filter *f = law_filled(kind, sizes[i], sizes[i]);
        law_image im = law_save(f);
        for (unsigned round = 0; round < 8 * 4; round++)
            if (random_cells(&im, round, sizes[i])) return 1;
        law_drop(&im);
        blm_free(f);
    }
    return 0;
}

const law laws_of_hostile[] = {
    {"forged", "fields, lengths and cells altered, checksums right: refused or safe", always,
     law_forged},
    {"random_cells", "random, zero and all-one cells, checksums right: all ends inside the region",
     always, law_random_cells},
    {NULL, NULL, always, NULL},
};
