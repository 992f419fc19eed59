/* unit.h - what the tests of core and of single kinds share.
 *
 *     OK(blm_new(&f, c, &why));                              else the test fails with the sentence
 *     REFUSED(blm_make(&f, "plain", &why), BLM_E_ARG, "plain");   this code, and this word in the sentence
 *     SAYS("did you mean");                                  another word of the same sentence
 */
#ifndef BLM_TESTS_UNIT_H
#define BLM_TESTS_UNIT_H
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <bloomery/bloomery.h>
#include "slow.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static blm_report why; /* of the last call */

static inline void blank_why(void) { why = (blm_report){BLM_OK, ""}; }

static inline void check_ok(blm_err got, const char *call, const char *file, int line)
{
    if (!got) return;
    print_error("%s: %s: %s\n", call, blm_strerror(got), why.text);
    _fail(file, line);
}

static inline void check_word(const char *word, const char *file, int line)
{
    if (strstr(why.text, word)) return;
    print_error("the sentence is \"%s\", without \"%s\"\n", why.text, word);
    _fail(file, line);
}

/* The report has the code that the call returned: whoever looks at either learns the same. */
static inline void check_refused(blm_err got, blm_err want, const char *word, const char *call,
                                 const char *file, int line)
{
    if (got != want || why.code != want) {
        print_error("%s: code %d, reported %d, expected %d (%s)\n", call, got, why.code, want,
                    why.text);
        _fail(file, line);
    }
    check_word(word, file, line);
}

#define OK(call) (blank_why(), check_ok((call), #call, __FILE__, __LINE__))
#define REFUSED(call, code, word)                                                                  \
    (blank_why(), check_refused((call), code, word, #call, __FILE__, __LINE__))
#define SAYS(word) check_word(word, __FILE__, __LINE__)

/* got = want to a relative error; want 0: exactly. */
#define NEAR(got, want, error)                                                                     \
    do {                                                                                           \
        const double got_ = (got), want_ = (want);                                                 \
        if (!(fabs(got_ - want_) <= (error)*fabs(want_)))                                          \
            fail_msg("%s = %.17g, expected %.17g", #got, got_, want_);                             \
    } while (0)

/* got = want to an absolute error, such as 4 sigma. */
#define WITHIN(got, want, error)                                                                   \
    do {                                                                                           \
        const double got_ = (got), want_ = (want), error_ = (error);                               \
        if (!(fabs(got_ - want_) <= error_))                                                       \
            fail_msg("%s = %.17g, expected %.17g +- %.3g", #got, got_, want_, error_);             \
    } while (0)

/* ---- filters and keys -------------------------------------------------------------------------- */

static inline blm_filter *made(const char *spec)
{
    blm_filter *f = NULL;
    OK(blm_make(&f, spec, &why));
    return f;
}

static inline blm_filter *made_new(const blm_config *c)
{
    blm_filter *f = NULL;
    OK(blm_new(&f, c, &why));
    return f;
}

static inline blm_info info_of(const blm_filter *f)
{
    blm_info i;
    blm_info_of(f, &i);
    return i;
}

static inline uint64_t field(const blm_filter *f, const char *name)
{
    blm_field_info d;
    for (size_t i = 0; blm_field_at(f, i, &d); i++)
        if (strcmp(d.name, name) == 0) return d.value;
    fail_msg("no field %s", name);
    return 0;
}

/* The integers first .. first + n - 1, as members. */
static inline void add_run(blm_filter *f, uint64_t first, uint64_t n)
{
    for (uint64_t i = 0; i < n; i++) assert_int_equal(blm_add_u64(f, first + i), BLM_OK);
}

static inline bool has_run(const blm_filter *f, uint64_t first, uint64_t n)
{
    for (uint64_t i = 0; i < n; i++)
        if (!blm_has_u64(f, first + i)) return false;
    return true;
}

/* How many of n non-members, texts unlike every member, are taken for members. */
static inline uint64_t false_yes(const blm_filter *f, uint64_t n)
{
    blm_hash h[256];
    uint8_t yes[256];
    uint64_t hits = 0;
    for (uint64_t at = 0; at < n;) {
        size_t group = 0;
        for (; group < COUNT(h) && at < n; group++, at++) {
            char text[24] = "stranger ";
            size_t len = 9;
            for (uint64_t v = at; v || len == 9; v >>= 6) text[len++] = (char)('0' + (v & 63));
            h[group] = blm_hash_of(f, text, len);
        }
        blm_has_many(f, h, NULL, group, yes);
        for (size_t i = 0; i < group; i++) hits += yes[i];
    }
    return hits;
}

/* What a query reads are n cells, and the first two of them where only two are asked for. */
static inline void check_touched(const blm_filter *f, const blm_item *it, blm_touch *cells,
                                 size_t room, size_t n)
{
    blm_touch few[2];
    assert_int_equal(blm_touched(f, it, cells, room), n);
    assert_int_equal(blm_touched(f, it, few, 2), n);
    assert_memory_equal(few, cells, sizeof few);
}

static inline bool same_cells(const blm_filter *a, const blm_filter *b)
{
    size_t x, y;
    const void *p = blm_cells(a, &x), *q = blm_cells(b, &y);
    return x == y && memcmp(p, q, x) == 0;
}

/* splitmix64 */
static inline uint64_t draw(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

/* ---- images as bytes -------------------------------------------------------------------------- */

typedef struct blob {
    uint8_t *p;
    size_t n, room;
} blob;

static inline blm_err to_bytes(void *ctx, const void *p, size_t n)
{
    blob *b = ctx;
    if (n > b->room - b->n) return BLM_E_IO;
    memcpy(b->p + b->n, p, n);
    b->n += n;
    return BLM_OK;
}

/* The saved image in memory of exactly its size, so that a sanitizer sees every byte too far. */
static inline blob image_of(const blm_filter *f)
{
    blob b = {NULL, 0, (size_t)blm_saved_size(f)};
    b.p = malloc(b.room);
    assert_non_null(b.p);
    OK(blm_save(f, to_bytes, &b, &why));
    assert_int_equal(b.n, b.room);
    return b;
}

/* ---- an allocator that counts, and can refuse -------------------------------------------------- */

typedef struct purse {
    uint64_t held, max, calls;
    uint64_t refuse_at; /* the call that gets nothing, from 1; 0: none */
} purse;

static inline void *purse_get(void *ctx, size_t n)
{
    purse *c = ctx;
    if (++c->calls == c->refuse_at) return NULL;
    const size_t whole = n ? (n + 63) / 64 * 64 : 64;
    void *p = aligned_alloc(64, whole);
    assert_non_null(p);
    memset(p, 0, whole);
    c->held += n;
    if (c->held > c->max) c->max = c->held;
    return p;
}

static inline void purse_put(void *ctx, void *p, size_t n)
{
    purse *c = ctx;
    assert_true(c->held >= n);
    c->held -= n;
    free(p);
}
#endif
