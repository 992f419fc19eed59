/* test_band.c - equations over bands of slots: what is put is solved, what contradicts is found, what leaves is gone. */
#include "core/unit.h"
#include "parts/band.h"

enum { ROWS = 900 };

typedef struct system {
    blm_band band;
    blm_band_shape shape;
    blm_band_row row[ROWS];
    uint8_t *cells;
} system_of;

static void begin(system_of *s, unsigned width, uint64_t blocks, uint64_t narrow, unsigned columns)
{
    const size_t slots = (size_t)blocks * BLM_BAND_BLOCK;
    s->shape = (blm_band_shape){blocks, narrow, columns, width};
    s->band = (blm_band){calloc(slots, 8), width == 128 ? calloc(slots, 8) : NULL, calloc(slots, 4),
                         slots};
    s->cells = malloc((size_t)blm_band_words(&s->shape, blocks) * 8);
    assert_true(s->band.low && s->band.right && s->cells);
}

static void end(system_of *s)
{
    free(s->band.low);
    free(s->band.high);
    free(s->band.right);
    free(s->cells);
}

static blm_band_row random_row(const system_of *s, uint64_t *state)
{
    const unsigned top = s->shape.columns + (s->shape.narrow < s->shape.blocks);
    blm_band_row row = {draw(state) | 1, 0, blm_reduce(draw(state), blm_band_starts(&s->shape)), 0};
    if (s->shape.width == 128) row.high = draw(state);
    row.right = (uint32_t)(draw(state) & ((UINT64_C(1) << top) - 1));
    return row;
}

/* Bit by bit, from the definition alone. */
static bool says(const system_of *s, const blm_band_row *row)
{
    const unsigned columns = blm_band_columns(&s->shape, row->start / 64);
    for (unsigned j = 0; j < columns; j++) {
        unsigned sum = row->right >> j & 1;
        for (unsigned i = 0; i < s->shape.width; i++) {
            const uint64_t slot = row->start + i, block = slot / 64,
                           word = blm_band_words(&s->shape, block) + j;
            if (((i < 64 ? row->low >> i : row->high >> (i - 64)) & 1) == 0) continue;
            sum ^= s->cells[word * 8 + slot % 64 / 8] >> slot % 8 & 1;
        }
        if (sum) return false;
    }
    return true;
}

/* All rows hold, by both ways of parity; other numbers do not. Blocks end where malloc's do. */
static void check_solved(system_of *s, unsigned n, uint64_t noise)
{
    blm_band_solve(&s->band, &s->shape, noise, s->cells);
    for (unsigned i = 0; i < n; i++) {
        blm_band_row other = s->row[i];
        const unsigned columns = blm_band_columns(&s->shape, other.start / 64);
        assert_true(says(s, &s->row[i]));
        assert_true(blm_band_says(s->cells, &s->shape, &s->row[i], false));
        assert_true(blm_band_says(s->cells, &s->shape, &s->row[i], true));
        other.right ^= UINT32_C(1) << i % columns;
        assert_false(blm_band_says(s->cells, &s->shape, &other, false));
        assert_false(blm_band_says(s->cells, &s->shape, &other, true));
    }
}

static void what_is_put_is_solved(void **state)
{
    static const unsigned columns[] = {1, 5, 8, 31};
    static system_of s;
    (void)state;
    for (unsigned t = 0; t < 16; t++) {
        uint64_t seed = t + 1;
        unsigned n = 0;
        begin(&s, t % 2 ? 128 : 64, 16, t / 2 % 2 ? 16 : 5, columns[t / 4]);
        for (unsigned i = 0; i < ROWS; i++) {
            s.row[n] = random_row(&s, &seed);
            if (i < 2) s.row[n].start = i ? blm_band_starts(&s.shape) - 1 : 0; /* both ends */
            n += blm_band_put(&s.band, s.row[n]) < s.band.slots;
        }
        assert_true(n > ROWS - 40);
        check_solved(&s, n, t % 3 ? 0 : 7);
        end(&s);
    }
    for (unsigned width = 64; width <= 128;
         width += 64) { /* as few blocks as there can be: one start */
        uint64_t seed = width;
        begin(&s, width, width / 64, 0, 3);
        assert_int_equal(blm_band_starts(&s.shape), 1);
        s.row[0] = random_row(&s, &seed);
        assert_int_equal(blm_band_put(&s.band, s.row[0]), 0);
        check_solved(&s, 1, 0);
        end(&s);
    }
}

/* A sum of rows with the sum of their numbers is redundant; with another number it contradicts them. */
static void sums_and_contradictions(void **state)
{
    static system_of s;
    uint64_t seed = 1;
    (void)state;
    begin(&s, 128, 4, 4, 8);
    blm_band_row a = random_row(&s, &seed), b = random_row(&s, &seed), c = random_row(&s, &seed);
    a.start = b.start = c.start = 9;
    b.low |= 2;
    const blm_band_row sum = {a.low ^ b.low ^ c.low, a.high ^ b.high ^ c.high, 9,
                              a.right ^ b.right ^ c.right};
    assert_int_equal(blm_band_put(&s.band, a), 9);
    assert_true(blm_band_put(&s.band, b) > 9 && blm_band_put(&s.band, c) > 9);
    assert_true(blm_band_put(&s.band, sum) == BLM_BAND_REDUNDANT);
    blm_band_row other = sum;
    other.right ^= 4;
    assert_true(blm_band_put(&s.band, other) == BLM_BAND_FAILED);
    a = (blm_band_row){1, 6, 100, 3},
    b = (blm_band_row){1, 2, 100, 1}; /* 64 slots are gone at once */
    assert_int_equal(blm_band_put(&s.band, a), 100);
    assert_int_equal(blm_band_put(&s.band, b), 100 + 64 + 2);
    s.row[0] = a, s.row[1] = b;
    check_solved(&s, 2, 0);
    end(&s);
}

/* Rows that leave in the reverse order leave no trace: the same cells as without them. */
static void rows_leave(void **state)
{
    (void)state;
    for (unsigned width = 64; width <= 128; width += 64) {
        static system_of s, without;
        uint64_t seed = 3, slot[100];
        begin(&s, width, 8, 3, 6);
        begin(&without, width, 8, 3, 6);
        for (unsigned i = 0; i < 300; i++) {
            const blm_band_row row = random_row(&s, &seed);
            assert_true(blm_band_put(&s.band, row) == blm_band_put(&without.band, row));
        }
        for (unsigned i = 0; i < 100; i++) {
            slot[i] = blm_band_put(&s.band, random_row(&s, &seed));
            assert_true(slot[i] < s.band.slots);
        }
        for (unsigned i = 100; i-- > 0;) blm_band_take_back(&s.band, slot[i]);
        blm_band_solve(&s.band, &s.shape, 0, s.cells);
        blm_band_solve_plain(&without.band, &without.shape, 0, without.cells);
        assert_memory_equal(s.cells, without.cells, (size_t)blm_band_words(&s.shape, 8) * 8);
        end(&s);
        end(&without);
    }
}

/* Without rows: all zero, or random bits, half of them ones (4 sigma of 4,096), others for another noise. */
static void free_slots(void **state)
{
    static system_of s;
    (void)state;
    uint64_t last = 0;
    begin(&s, 64, 8, 8, 8);
    for (uint64_t noise = 0; noise < 4; noise++) {
        unsigned ones = 0;
        blm_band_solve(&s.band, &s.shape, noise, s.cells);
        for (unsigned i = 0; i < 512; i++) ones += blm_ones_of(s.cells[i]);
        WITHIN(ones, noise ? 2048 : 0, noise ? 128 : 0);
        assert_true(!noise || blm_le64(s.cells) != last);
        last = blm_le64(s.cells);
    }
    end(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_put_is_solved),
        cmocka_unit_test(sums_and_contradictions),
        cmocka_unit_test(rows_leave),
        cmocka_unit_test(free_slots),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
