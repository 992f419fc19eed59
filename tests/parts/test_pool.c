/* test_pool.c - gaps in strings of bits, against a plain array of them; forged lengths; sizes. */
#include "parts/pool.h"

#include "core/unit.h"

enum { GROUPS = 5, WORDS = 9, HEAD = 16, BITS = WORDS * 64 };

/* 0 .. n - 1 */
static uint64_t draw_below_of(uint64_t *random, uint64_t n) { return draw(random) % n; }

typedef struct model {
    bool bit[GROUPS][BITS];
    unsigned length[GROUPS];
} model;

static blm_page page_in(uint8_t *room) { return (blm_page){room, room + HEAD, GROUPS, WORDS}; }

static void check_page(const blm_page *p, const model *m)
{
    uint64_t at = 0;
    for (unsigned g = 0; g < GROUPS; g++) {
        assert_int_equal(blm_page_length(p, g), m->length[g]);
        assert_int_equal(blm_page_start(p, g), at);
        for (unsigned i = 0; i < m->length[g]; i++)
            assert_int_equal(blm_bit_get(p->bits, at + i), m->bit[g][i]);
        at += m->length[g];
    }
    assert_int_equal(blm_page_used(p), at);
    assert_true(blm_page_tidy(p));
}

/* A gap at any place of any group; bits are set in it; gaps that do not fit do nothing. */
static void gaps_open_and_close(void **state)
{
    uint8_t room[HEAD + WORDS * 8] = {0};
    const blm_page p = page_in(room);
    model *m = calloc(1, sizeof *m);
    uint64_t random = 1;
    (void)state;
    assert_non_null(m);
    for (unsigned turn = 0; turn < 20000; turn++) {
        const unsigned g = (unsigned)draw_below_of(&random, GROUPS),
                       n = 1 + (unsigned)draw_below_of(&random, 63),
                       i = (unsigned)draw_below_of(&random, m->length[g] + 1);
        const uint64_t at = blm_page_start(&p, g) + i, used = blm_page_used(&p);
        bool *bits = m->bit[g];
        if (draw_below_of(&random, 2)) {
            blm_page_open(&p, g, at, n);
            if (used + n > BITS) {
                check_page(&p, m);
                continue;
            }
            memmove(bits + i + n, bits + i, m->length[g] - i);
            for (unsigned j = i; j < i + n; j++) {
                bits[j] = draw_below_of(&random, 2);
                if (bits[j]) blm_bit_set(p.bits, blm_page_start(&p, g) + j);
            }
            m->length[g] += n;
        } else if (n <= m->length[g] - i) {
            blm_page_close(&p, g, at, n);
            memmove(bits + i, bits + i + n, m->length[g] - i - n);
            m->length[g] -= n;
        }
        check_page(&p, m);
    }
    free(m);
}

/* Any lengths: what is read and written lies in the page, which ends where the room does. */
static void forged_lengths(void **state)
{
    uint64_t random = 1;
    (void)state;
    for (unsigned turn = 0; turn < 5000; turn++) {
        uint8_t *room = malloc(HEAD + WORDS * 8);
        assert_non_null(room);
        for (unsigned i = 0; i < HEAD + WORDS * 8; i++)
            room[i] = (uint8_t)(draw(&random) & (turn % 2 ? 255 : draw(&random) & 15));
        const blm_page p = page_in(room);
        const unsigned g = (unsigned)draw_below_of(&random, GROUPS);
        const uint64_t at = draw_below_of(&random, BITS + 1);
        assert_true(blm_page_start(&p, g) <= BITS && blm_page_used(&p) <= BITS);
        blm_page_open(&p, g, at, 1 + (unsigned)(draw(&random) % 63));
        blm_page_close(&p, g, at, 1 + (unsigned)(draw(&random) % 63));
        assert_true(blm_page_used(&p) <= BITS);
        free(room);
    }
}

static void ones_are_counted(void **state)
{
    uint8_t bits[64];
    uint64_t random = 1;
    (void)state;
    for (unsigned turn = 0; turn < 20000; turn++) {
        for (unsigned i = 0; i < sizeof bits; i++) bits[i] = (uint8_t)draw(&random);
        if (turn % 8 == 0) memset(bits, 255, sizeof bits);
        const uint64_t n = draw_below_of(&random, 257), from = draw_below_of(&random, 512 - n + 1),
                       rank = draw_below_of(&random, n + 1);
        uint64_t before = 0, all = 0;
        for (uint64_t i = 0; i < n; i++) {
            before += i < rank && blm_bit_get(bits, from + i);
            all += blm_bit_get(bits, from + i);
        }
        const blm_pool_ones got = blm_pool_count(bits, from, rank, n);
        assert_true(got.before == before && got.all == all);
    }
}

/* Every group has a page, pages have equally many, and a product finds them. */
static void groups_and_pages(void **state)
{
    (void)state;
    for (uint64_t groups = 1; groups < UINT64_C(1) << 48; groups += 1 + groups / 40) {
        const blm_pool p = blm_pool_of(groups);
        const uint64_t ask[] = {0, groups / 2, groups - 1, p.a_page - 1u, p.a_page % groups};
        assert_true(p.a_page <= BLM_POOL_GROUPS && p.pages == (groups + 15) / 16);
        assert_true((p.pages - 1) * p.a_page < groups && p.pages * p.a_page >= groups);
        for (size_t i = 0; i < COUNT(ask); i++)
            assert_int_equal(blm_pool_page_of(&p, ask[i]), ask[i] / p.a_page);
    }
    assert_int_equal(blm_pool_words(1, 3, 100), 4);
    assert_int_equal(blm_pool_words(16, 2, 100), 22); /* 16 + 3, 19 + 3 */
    assert_int_equal(blm_pool_words(90, 1, 100), 100);
    assert_int_equal(blm_pool_words(1, BLM_POOL_STEPS, 6208), 6208);
}

/* ---- plans ------------------------------------------------------------------------------- */

static blm_pool_load two_thirds(const void *ctx, uint64_t cells)
{
    const double mean = (double)cells * *(const double *)ctx;
    return (blm_pool_load){mean, mean, 1, 3 * mean};
}

/* As many cells as fit: with 1 % more, or a group per page, no pages do. */
static void as_many_as_fit(void **state)
{
    double share = 2.0 / 3;
    const blm_pool_wish w = {252, two_thirds, &share};
    (void)state;
    for (uint64_t bytes = 40; bytes < UINT64_C(1) << 50; bytes = bytes * 9 / 4) {
        uint64_t takes, cells = blm_pool_fit(&w, bytes, UINT64_C(1) << 56);
        if (!cells) {
            assert_true(bytes < 64);
            continue;
        }
        blm_pool_after(cells, 252, blm_pool_spare(&w, cells), 0, &takes);
        assert_true(takes <= bytes && takes % 8 == 0);
        const blm_pool p = blm_pool_of(blm_pool_groups(cells));
        const uint64_t more = cells + cells / 100 + p.pages * BLM_POOL_GROUP + 64;
        blm_pool_after(more, 252, blm_pool_spare(&w, more), 0, &takes);
        assert_true(takes > bytes);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gaps_open_and_close), cmocka_unit_test(forged_lengths),
        cmocka_unit_test(ones_are_counted),    cmocka_unit_test(groups_and_pages),
        cmocka_unit_test(as_many_as_fit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
