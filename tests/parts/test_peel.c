/* test_peel.c - rows get cells of their own: every row's cells give its value, for two to four cells per row of any width. */
#include "parts/peel.h"

#include "core/unit.h"

typedef struct
    space { /* places: one in each of `arity` blocks; values: what the rows say by their number */
    uint64_t block;
    unsigned arity;
    const uint64_t *values;
} space;

static inline void spread(const void *of, uint64_t x, uint64_t at[BLM_PEEL_ARITY])
{
    const space *s = of;
    for (unsigned j = 0; j < s->arity; j++) {
        at[j] = j * s->block + blm_reduce(x, s->block);
        x *= UINT64_C(0x9e3779b97f4a7c15);
    }
}

static inline uint64_t by_number(const void *of, uint64_t x, uint32_t number)
{
    (void)x;
    return ((const space *)of)->values[number];
}

static bool ordered(blm_peel *p, const space *s)
{
    return s->arity == 2   ? blm_peel_order(p, 2, spread, s)
           : s->arity == 3 ? blm_peel_order(p, 3, spread, s)
                           : blm_peel_order(p, 4, spread, s);
}

static void written(const blm_peel *p, const space *s, uint8_t *cells, uint64_t bytes,
                    unsigned width)
{
    if (s->arity == 2) blm_peel_write(p, cells, bytes, width, 2, spread, by_number, s);
    if (s->arity == 3) blm_peel_write(p, cells, bytes, width, 3, spread, by_number, s);
    if (s->arity == 4) blm_peel_write(p, cells, bytes, width, 4, spread, by_number, s);
}

/* Tries seeds until all rows go, and looks at each. Returns how many seeds it took. */
static unsigned solve(unsigned arity, unsigned width, uint64_t n, double cells_per_row)
{
    purse held = {0, 0, 0, 0};
    const blm_alloc alloc = {purse_get, purse_put, &held};
    uint64_t state = n + width, at[BLM_PEEL_ARITY];
    uint64_t *lo = malloc((size_t)n * sizeof *lo), *values = malloc((size_t)n * sizeof *values);
    const space s = {(uint64_t)((double)n * cells_per_row / arity) + 4, arity, values};
    const uint64_t bytes = blm_packed_bytes(s.block * arity, width);
    uint8_t *cells = calloc(1, (size_t)bytes);
    unsigned seed = 0;
    blm_peel p;
    assert_true(lo && values && cells);
    for (uint64_t i = 0; i < n; i++) {
        lo[i] = draw(&state);
        values[i] = draw(&state) >> (64 - width);
    }
    OK(blm_peel_new(&p, &alloc, n, s.block * arity, true));
    do {
        assert_true(seed++ < 200);
        blm_peel_clear(&p);
        blm_peel_rows(&p, lo, seed, seed % 64);
    } while (!ordered(&p, &s));
    written(&p, &s, cells, bytes, width);
    for (uint64_t i = 0; i < n; i++) {
        spread(&s, blm_peel_mix(lo[i] + seed), at);
        assert_true(blm_peel_ask(cells, bytes, width, arity, at) == values[i]);
    }
    blm_peel_free(&p, &alloc);
    assert_int_equal(held.held, 0);
    free(lo);
    free(values);
    free(cells);
    return seed;
}

static void all_widths(void **state)
{
    (void)state;
    for (unsigned width = 1; width <= 57; width++) {
        solve(3, width, 300, 1.3);
        solve(4, width, 300, 1.4);
        solve(2, width, 100, 2.5);
    }
    for (uint64_t n = 1; n < 40; n++) solve(3, 9, n, 1.3);
    assert_true(solve(3, 8, 50000, 1.25) == 1); /* many buckets; the threshold is 1.222 */
}

/* Below the threshold rows hold each other fast, whatever the seed: 1.222 cells per row for three. */
static void too_few_cells(void **nothing)
{
    purse held = {0, 0, 0, 0};
    const blm_alloc alloc = {purse_get, purse_put, &held};
    static uint64_t lo[5000];
    uint64_t state = 1;
    blm_peel p;
    (void)nothing;
    for (size_t i = 0; i < COUNT(lo); i++) lo[i] = draw(&state);
    const space s = {2000, 3, NULL};
    OK(blm_peel_new(&p, &alloc, COUNT(lo), 6000, false));
    for (unsigned seed = 0; seed < 5; seed++) {
        blm_peel_clear(&p);
        blm_peel_rows(&p, lo, seed, 0);
        assert_false(ordered(&p, &s));
    }
    blm_peel_free(&p, &alloc);
    /* 64 rows in one cell: a count of 6 bits begins anew, and says so. */
    for (uint64_t rows = 62; rows < 66; rows++) {
        const space one = {1, 3, NULL};
        OK(blm_peel_new(&p, &alloc, rows, 3, false));
        blm_peel_rows(&p, lo, 0, 0);
        assert_int_equal(blm_peel_count(&p, 3, spread, &one), rows < 64);
        blm_peel_free(&p, &alloc);
    }
    held.refuse_at = held.calls + 1;
    assert_int_equal(blm_peel_new(&p, &alloc, 10, 20, false), BLM_E_NOMEM);
}

/* Rows come in the order of their first place, roughly: each of 2^6 parts once. */
static void rows_are_near(void **nothing)
{
    purse held = {0, 0, 0, 0};
    const blm_alloc alloc = {purse_get, purse_put, &held};
    enum { ROWS = 1 << 16 };
    static uint64_t lo[ROWS];
    uint64_t state = 1, sum = 0, all = 0;
    blm_peel p;
    (void)nothing;
    for (size_t i = 0; i < ROWS; i++) lo[i] = draw(&state), all ^= blm_peel_mix(lo[i] + 7);
    OK(blm_peel_new(&p, &alloc, ROWS, 10, true));
    for (unsigned turn = 0; turn < 64; turn += 21) {
        uint64_t last = 0;
        blm_peel_rows(&p, lo, 7, turn);
        sum = 0;
        for (size_t i = 0; i < ROWS; i++) {
            const uint64_t x = p.x[i], first = (turn ? x << turn | x >> (64 - turn) : x) >> 58;
            assert_true(first >= last && x == blm_peel_mix(lo[p.number[i]] + 7));
            last = first;
            sum ^= x;
        }
        assert_true(sum == all && last == 63);
    }
    blm_peel_free(&p, &alloc);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_widths),
        cmocka_unit_test(too_few_cells),
        cmocka_unit_test(rows_are_near),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
