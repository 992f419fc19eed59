/* lens.c - the law that a lens (bloomery/inline.h) answers as its filter does.
 *
 * The header has the places of a key's bits a second time. Members would show a wrong place. A place that is left out
 * shows only for non-members that have all others: so filters are filled until one non-member in eight is taken for a
 * member, for every number of hashes around which a form takes another word of its stream.
 */
#include <unistd.h>

#include "core/bytes.h"
#include "core/kind.h"
#include "laws/laws.h"
#include "laws/lens_ask.h"

static bool always(const blm_kind_info *k) { return k->name != NULL; }

static bool plain_here(void) { return true; }
extern const lens_ask lens_ask_plain;
LENS_ASK(plain)
static const lens_ask *const asks[] = {&lens_ask_plain, &lens_ask_avx2, &lens_ask_avx512};

enum { BITS = 8192, STEP = 64, ADDS_MAX = 20000, ASKED = TEST_SLOW ? 200 : 1000 };

/* ---- the same answers ------------------------------------------------------------------------------ */

/* Lengths of the keys that are strings: those where XXH3 goes another way are among them. */
static size_t length_at(size_t i) { return i <= 70 ? i : 300; }
enum { LENGTHS = 72, ROOM = 304 };

/* Bytes of key i of this length; even ones are added by add_strings. */
static void write_string(uint8_t room[ROOM], size_t len, uint64_t i)
{
    uint64_t state = len * 1000 + i;
    for (size_t at = 0; at < ROOM; at += 8) blm_put64(room + at, law_random(&state));
}

static int add_strings(blm_filter *f)
{
    uint8_t room[ROOM];
    for (size_t i = 0; i < LENGTHS; i++) {
        write_string(room, length_at(i), 0);
        DEMAND(blm_add(f, room, length_at(i)) == BLM_OK, "add of %zu bytes", length_at(i));
    }
    return 0;
}

static int same_strings(const blm_filter *f, const blm_lens *lens, const lens_ask *a)
{
    uint8_t room[ROOM];
    for (size_t i = 0; i < LENGTHS; i++)
        for (uint64_t j = 0; j < 4; j++) {
            const size_t len = length_at(i);
            write_string(room, len, j);
            DEMAND(a->has(lens, room, len) == blm_has(f, room, len),
                   "%s: lens_has differs from has, %zu bytes", a->name, len);
        }
    DEMAND(a->has(lens, NULL, 0) == blm_has(f, NULL, 0), "%s: no bytes at no address", a->name);
    DEMAND(!a->has(lens, NULL, 5), "%s: 5 bytes at no address", a->name);
    return 0;
}

static int same_numbers(const blm_filter *f, const blm_lens *lens, const lens_ask *a)
{
    uint64_t state = 1;
    for (uint64_t i = 0; i < 2 * ASKED; i++) {
        const uint64_t key = i % 2 ? law_random(&state) : i / 2; /* small ones are members */
        DEMAND(a->has_u64(lens, key) == blm_has_u64(f, key),
               "%s: lens_has_u64 differs from has_u64 for %llu", a->name, (unsigned long long)key);
    }
    return 0;
}

/* By the library's vector routine, if there is one, and without it; compiled plain, with AVX2 and with AVX-512. */
static int same_answers(const blm_filter *f, const blm_lens *lens)
{
    blm_lens without = *lens;
    without.test = NULL;
    for (size_t i = 0; i < sizeof asks / sizeof *asks; i++) {
        if (!asks[i]->here()) continue;
        if (same_numbers(f, lens, asks[i]) || same_numbers(f, &without, asks[i])) return 1;
        if (same_strings(f, lens, asks[i]) || same_strings(f, &without, asks[i])) return 1;
    }
    return 0;
}

/* ---- where a filter is ----------------------------------------------------------------------------- */

static int same_of(const blm_filter *f, const char *where)
{
    blm_lens lens;
    DEMAND(blm_lens_of(f, &lens), "no lens %s", where);
    return same_answers(f, &lens);
}

/* Cells at an odd address: what a query reads may have any alignment. */
static int in_a_view(const blm_filter *f)
{
    law_image im = law_save(f);
    uint8_t *odd = malloc(im.n + 1);
    blm_filter *g = NULL;
    law_need(odd != NULL, "no memory", NULL);
    memcpy(odd + 1, im.p, im.n);
    DEMAND(blm_view(&g, odd + 1, im.n, NULL, NULL) == BLM_OK, "view");
    if (same_of(g, "of a view")) return 1;
    blm_free(g);
    free(odd);
    law_drop(&im);
    return 0;
}

static int in_a_file(const blm_filter *f)
{
    const char *path = law_path();
    blm_filter *g = NULL;
    blm_report why = {BLM_OK, ""};
    DEMAND(blm_write(f, path, BLM_WRITE_REPLACE, &why) == BLM_OK, "write: %s", why.text);
    DEMAND(blm_map(&g, path, NULL, &why) == BLM_OK, "map: %s", why.text);
    if (same_of(g, "of a mapped file")) return 1;
    blm_free(g);
    DEMAND(blm_map(&g, path, BLM_OPEN(.check = BLM_CHECK_TOUCHED), &why) == BLM_OK, "map");
    unlink(path);
    blm_lens lens;
    DEMAND(!blm_lens_of(g, &lens), "a lens would not check what it touches");
    blm_free(g);
    return 0;
}

/* NULL: this kind does not take so many hashes. */
static blm_filter *made(const char *kind, unsigned hashes, const uint8_t *secret)
{
    blm_filter *f = NULL;
    const blm_config c = {.size = sizeof c,
                          .kind = kind,
                          .bits = BITS,
                          .keys = 1000,
                          .hashes = hashes,
                          .seed = UINT64_C(0x123456789abcdef0) * hashes,
                          .secret = secret,
                          .with = law_with(kind),
                          .overfill = true};
    return blm_new(&f, &c, NULL) ? NULL : f;
}

/* One lens, taken before the keys come. */
static int fills(blm_filter *f)
{
    blm_lens lens;
    uint64_t n = 0;
    DEMAND(blm_lens_of(f, &lens), "no lens of an empty filter");
    if (same_answers(f, &lens) || add_strings(f)) return 1;
    while (n < ADDS_MAX && blm_fpr(f, NULL).high < 0.125)
        for (uint64_t end = n + STEP; n < end; n++)
            DEMAND(blm_add_u64(f, n) == BLM_OK, "add within capacity");
    return same_answers(f, &lens);
}

/* ---- who has none ----------------------------------------------------------------------------------- */

static int no_lens(const blm_filter *f, const char *which)
{
    blm_lens lens, before;
    memset(&before, 7, sizeof before);
    memcpy(&lens, &before, sizeof lens);
    DEMAND(!blm_lens_of(f, &lens), "%s has a lens", which);
    DEMAND(memcmp(&lens, &before, sizeof lens) == 0, "it says no and writes");
    return 0;
}

static int of_other_hashes(const char *kind)
{
    static const uint8_t secret[16] = {1, 2, 3};
    blm_filter *f = made(kind, 8, secret), *g = NULL;
    law_need(f != NULL, "a filter with a secret", NULL);
    law_image im = law_save(f);
    if (no_lens(f, "a filter with a secret")) return 1;
    DEMAND(law_load(&g, im.p, im.n, BLM_OPEN(.without_secret = true), NULL) == BLM_OK, "load");
    if (no_lens(g, "a filter without its secret")) return 1;
    blm_free(f);
    blm_free(g);
    law_drop(&im);
    f = made(kind, 8, NULL);
    law_need(f != NULL, kind, NULL);
    f->salt = 5; /* as children and retries of builders have */
    if (no_lens(f, "a filter with a salt")) return 1;
    blm_free(f);
    return 0;
}

static int law_lens(const char *kind)
{
    static const unsigned hashes[] = {1, 2, 6, 7, 8, 10, 11, 13, 14, 15, 21, 32, 64};
    blm_filter *f = law_filled(kind, 100, 100);
    const bool has_one = f->kind->lens && f->kind->lens(f, &(blm_lens){.cells = f->cells});
    if (!has_one && no_lens(f, "a kind that offers none")) return 1;
    if (has_one && (same_of(f, "of a filter in memory") || of_other_hashes(kind))) return 1;
    blm_free(f);
    for (size_t i = 0; has_one && i < sizeof hashes / sizeof *hashes; i++) {
        if (!(f = made(kind, hashes[i], NULL))) continue;
        if (fills(f) || in_a_view(f)) return 1;
        if (hashes[i] == 8 && in_a_file(f)) return 1;
        blm_free(f);
    }
    return 0;
}

const law laws_of_lenses[] = {
    {"lens", "queries inlined by bloomery/inline.h = those of the library", always, law_lens},
    {NULL, NULL, NULL, NULL},
};
