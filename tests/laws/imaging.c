/* imaging.c - laws of images: what is saved comes back, and nothing else does. */
#include <errno.h>
#include <inttypes.h>

#include "laws/laws.h"

static bool always(const blm_kind_info *k) { return k->name != NULL; }
static bool has_golden(const blm_kind_info *k);

/* ---- round_trip -------------------------------------------------------------------------------- */

static int same_again(const blm_filter *f, const blm_open_options *how, uint64_t n)
{
    blm_filter *g = NULL;
    blm_report why = {BLM_OK, ""};
    const uint64_t size = blm_saved_size(f);
    law_image im = law_save(f), again = {NULL, 0};
    uint64_t peeked = 0;
    DEMAND(im.n == size, "saved %zu bytes, saved_size said %" PRIu64, im.n, size);
    DEMAND(blm_image_size(im.p, im.n, &peeked, &why) == BLM_OK && peeked == size, "image_size");
    DEMAND(blm_verify_image(im.p, im.n, &why) == BLM_OK, "verify: %s", why.text);
    DEMAND(law_load(&g, im.p, im.n, how, &why) == BLM_OK, "load: %s", why.text);
    again = law_save(g);
    DEMAND(law_same_image(&im, &again), "saved, loaded and saved: other bytes");
    DEMAND(blm_equal(f, g), "a loaded filter is not equal to the saved one");
    DEMAND(law_answers(f, n) == law_answers(g, n), "a loaded filter answers unlike the saved one");
    blm_free(g);
    law_drop(&im);
    law_drop(&again);
    return 0;
}

/* Both go on: what is not in the image shows when the next keys come. */
static int goes_on(const char *kind, uint64_t n)
{
    blm_filter *f = law_filled(kind, n + 100, n), *g = NULL;
    blm_report why = {BLM_OK, ""};
    law_image im = law_save(f);
    DEMAND(law_load(&g, im.p, im.n, NULL, &why) == BLM_OK, "load: %s", why.text);
    if (law_may_add(f)) {
        DEMAND(law_add(f, n, 100) == BLM_OK && law_add(g, n, 100) == BLM_OK, "add after load");
        DEMAND(blm_equal(f, g), "a loaded filter goes on unlike the saved one");
    }
    blm_free(f);
    blm_free(g);
    law_drop(&im);
    return 0;
}

/* Integers are not hashed: a secret is refused, and these kinds go on without one. */
static int with_extras(const char *kind)
{
    static const uint8_t secret[16] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};
    blm_filter *f = NULL;
    blm_report why = {BLM_OK, ""};
    blm_kind_info info;
    const bool hashed = blm_kind_named(kind, &info) && !info.integers;
    blm_config c = {.size = sizeof c,
                    .kind = kind,
                    .keys = 100,
                    .seed = 99,
                    .secret = secret,
                    .with = law_with(kind)};
    DEMAND(hashed || (blm_new(&f, &c, &why) == BLM_E_ARG && strstr(why.text, "secret")),
           "a secret for integers, which are not hashed, is taken");
    if (!hashed) c.secret = NULL;
    DEMAND(blm_new(&f, &c, &why) == BLM_OK, "new: %s", why.text);
    DEMAND(blm_set_note(f, "a note with \xc3\xa9 and \x1b", &why) == BLM_OK, "note: %s", why.text);
    DEMAND(blm_set_key_form(f, "crlf lower", &why) == BLM_OK, "key form: %s", why.text);
    if (law_may_add(f)) DEMAND(law_add(f, 0, 60) == BLM_OK, "add");
    if (blm_can(f, BLM_TICK)) DEMAND(blm_tick(f, 123456789) == BLM_OK, "tick");
    if (blm_can(f, BLM_GROW)) DEMAND(blm_grow(f, NULL) == BLM_OK, "grow");
    if (same_again(f, BLM_OPEN(.secret = c.secret), 100)) return 1;
    law_image im = law_save(f);
    blm_filter *g = NULL;
    DEMAND(!hashed || (blm_load(&g, im.p, im.n, NULL, NULL) == BLM_E_KEY && !g),
           "it opens without its key");
    law_drop(&im);
    blm_free(f);
    return 0;
}

static int law_round_trip(const char *kind)
{
    static const uint64_t sizes[] = {0, 1, 100, TEST_SLOW ? 1000 : 5000};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        blm_filter *f = law_filled(kind, sizes[i] ? sizes[i] : 1, sizes[i]);
        if (same_again(f, NULL, sizes[i]) || goes_on(kind, sizes[i])) return 1;
        blm_free(f);
    }
    return with_extras(kind);
}

/* ---- damage --------------------------------------------------------------------------------------- */

/* All doors refuse with IMAGE, and write nothing into *out. */
static int refused(const uint8_t *p, size_t n, const char *what, size_t where)
{
    static const blm_check checks[] = {BLM_CHECK_NONE, BLM_CHECK_TOUCHED, BLM_CHECK_ALL};
    blm_filter *f = NULL;
    blm_report why = {BLM_OK, ""};
    DEMAND(law_load(&f, p, n, NULL, &why) == BLM_E_IMAGE && !f, "%s at %zu: load: %s", what, where,
           f ? "taken for sound" : why.text);
    DEMAND(why.code == BLM_E_IMAGE && why.text[0], "%s at %zu: no sentence", what, where);
    DEMAND(blm_verify_image(p, n, &why) == BLM_E_IMAGE, "%s at %zu: verify", what, where);
    const bool same_length = strcmp(what, "flip") == 0;
    for (size_t i = same_length ? 2 : 0; i < 3; i++)
        DEMAND(blm_view(&f, p, n, BLM_OPEN(.check = checks[i]), &why) == BLM_E_IMAGE && !f,
               "%s at %zu: a view is opened", what, where);
    return 0;
}

static int law_truncation(const char *kind)
{
    blm_filter *f = law_filled(kind, 20, 15);
    law_image im = law_save(f);
    for (size_t n = 0; n < im.n; n++) {
        law_image cut = law_image_copy(&im, n);
        if (refused(cut.p, n, "cut", n)) return 1;
        law_drop(&cut);
    }
    law_drop(&im);
    blm_free(f);
    return 0;
}

static int law_append(const char *kind)
{
    blm_filter *f = law_filled(kind, 20, 15);
    law_image im = law_save(f), longer = law_image_copy(&im, im.n + 1);
    for (unsigned value = 0; value < 256; value++) {
        longer.p[im.n] = (uint8_t)value;
        if (refused(longer.p, longer.n, "one more byte", value)) return 1;
    }
    law_drop(&longer);
    for (size_t more = 8; more <= 8192; more *= 2) {
        longer = law_image_copy(&im, im.n + more);
        if (refused(longer.p, longer.n, "zeros", more)) return 1;
        law_drop(&longer);
    }
    law_drop(&im);
    blm_free(f);
    return 0;
}

/* A view that checks nothing may open; whatever it answers, it ends inside the buffer. */
static void ask_unchecked(const law_fence *image)
{
    static const blm_check checks[] = {BLM_CHECK_NONE, BLM_CHECK_TOUCHED};
    law_key room;
    for (size_t c = 0; c < 2; c++) {
        blm_filter *f = NULL;
        if (blm_view(&f, image->p, image->n, BLM_OPEN(.check = checks[c]), NULL)) continue;
        for (uint64_t i = 0; i < 8; i++) {
            const blm_item it = law_item(f, i % 2 ? LAW_STRANGER : LAW_MEMBER, i / 2, &room);
            blm_has_item(f, &it);
        }
        blm_free(f);
    }
}

static int law_flip(const char *kind)
{
    blm_filter *f = law_filled(kind, 20, 15);
    law_image im = law_save(f);
    law_fence image = law_fence_of(im.p, im.n);
    law_limit(600);
    for (size_t bit = 0; bit < im.n * 8; bit++) {
        image.p[bit / 8] ^= (uint8_t)(1u << bit % 8);
        if (refused(image.p, image.n, "flip", bit)) return 1;
        ask_unchecked(&image);
        image.p[bit / 8] ^= (uint8_t)(1u << bit % 8);
    }
    law_limit(0);
    law_fence_drop(&image);
    law_drop(&im);
    blm_free(f);
    return 0;
}

/* ---- goldens ----------------------------------------------------------------------------------------- */

/* SOURCE: the root of the tree; without it the laws run in its tests folder. A kind has its golden in its room,
 * broken ones have theirs next to them. */
static void golden_path(char *path, size_t room, const char *kind, const char *group)
{
    const char *root = getenv("SOURCE");
    char place[200];
    snprintf(place, sizeof place, "src/kinds/%s/%s/golden", group, kind);
    for (char *c = place; *c; c++)
        if (*c == '-') *c = '_';
    if (strcmp(group, "broken") == 0) strcpy(place, "tests/laws/broken");
    if (strcmp(group, "toy") == 0) strcpy(place, "tests/golden");
    snprintf(path, room, "%s/%s/%s.blm", root ? root : "..", place, kind);
}

static bool has_golden(const blm_kind_info *k)
{
    char path[600];
    golden_path(path, sizeof path, k->name, k->group);
    FILE *f = fopen(path, "rb");
    if (f) fclose(f);
    return f || strcmp(k->group, "broken") != 0; /* every kind of the library must have one */
}

static int law_goldens(const char *kind)
{
    char path[600];
    blm_kind_info info;
    blm_filter *f = NULL;
    blm_report why = {BLM_OK, ""};
    law_need(blm_kind_named(kind, &info), kind, NULL);
    golden_path(path, sizeof path, kind, info.group);
    FILE *file = fopen(path, "rb");
    DEMAND(file, "%s: %s", path, strerror(errno));
    law_image im = {malloc(1 << 20), 0};
    law_need(im.p != NULL, "no memory", NULL);
    im.n = fread(im.p, 1, 1 << 20, file);
    fclose(file);
    DEMAND(blm_verify_image(im.p, im.n, &why) == BLM_OK, "%s: %s", path, why.text);
    DEMAND(blm_load(&f, im.p, im.n, NULL, &why) == BLM_OK, "%s: %s", path, why.text);
    law_image again = law_save(f);
    DEMAND(law_same_image(&im, &again), "%s: saved again it has other bytes", path);
    law_drop(&im);
    law_drop(&again);
    blm_free(f);
    return 0;
}

const law laws_of_images[] = {
    {"round_trip", "load(save(f)) = f: bytes, answers, and what comes after", always,
     law_round_trip},
    {"truncation", "every cut of an image is refused", always, law_truncation},
    {"flip", "every flipped bit is refused by load, verify and a checked view; none faults", always,
     law_flip},
    {"append", "every appended byte is refused", always, law_append},
    {"goldens", "the golden image is read, and written again byte for byte", has_golden,
     law_goldens},
    {NULL, NULL, always, NULL},
};
