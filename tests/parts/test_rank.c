/* test_rank.c - rank and select in words, against bits that are counted one by one. */
#include "parts/rank.h"

#include "core/unit.h"

static void check_bits(uint64_t word)
{
    unsigned n = 0;
    for (unsigned at = 0; at < 64; at++) {
        assert_int_equal(blm_rank(word, at), n);
        if (!(word >> at & 1)) continue;
        assert_int_equal(blm_select(word, n), at);
        n++;
    }
    assert_int_equal(blm_rank(word, 64), n);
    for (unsigned number = n; number < 300; number += 1 + number / 66)
        assert_int_equal(blm_select(word, number), 64);
}

/* Every pair of bits, every run of bits, every byte at every place. */
static void words_with_a_pattern(void **state)
{
    (void)state;
    check_bits(0);
    check_bits(UINT64_MAX);
    for (unsigned i = 0; i < 64; i++)
        for (unsigned j = i; j < 64; j++) {
            check_bits(UINT64_C(1) << i | UINT64_C(1) << j);
            check_bits(UINT64_MAX << i >> i >> (j - i) << (j - i));
        }
    for (uint64_t byte = 0; byte < 256; byte++)
        for (unsigned at = 0; at <= 56; at++) check_bits(byte << at);
}

/* Few bits, half of them, nearly all. */
static void words_by_chance(void **state)
{
    uint64_t random = 1;
    (void)state;
    for (unsigned i = 0; i < (TEST_SLOW ? 1000 : 20000); i++) {
        const uint64_t a = draw(&random), b = draw(&random), c = draw(&random);
        check_bits(a);
        check_bits(a & b & c);
        check_bits(a | b | c);
    }
}

/* Lines with many ones and with none, and one number of bits that ends inside a line. */
static void lines_with_a_directory(void **state)
{
    enum { LINES = 9, BITS = LINES * BLM_RANK_LINE - 100 };
    static uint8_t bits[LINES * BLM_RANK_LINE / 8], directory[8 * (LINES + 1)];
    uint64_t random = 2, n = 0;
    (void)state;
    assert_int_equal(blm_rank_lines(BITS), LINES);
    assert_int_equal(blm_rank_bytes_of(LINES), sizeof directory);
    for (uint64_t i = 0; i < BITS / 8; i++)
        if (i / 64 % 3 != 1) bits[i] = (uint8_t)(draw(&random) & draw(&random));
    blm_rank_count(bits, LINES, directory);
    for (uint64_t at = 0; at < LINES * BLM_RANK_LINE; at++) {
        assert_int_equal(blm_rank_before(bits, directory, at), n);
        if (!(bits[at / 8] >> at % 8 & 1)) continue;
        assert_int_equal(blm_select_of(bits, directory, LINES, n), at);
        n++;
    }
    assert_true(n > 300);
    for (uint64_t past = n; past < n + 3; past++)
        assert_int_equal(blm_select_of(bits, directory, LINES, past), LINES * BLM_RANK_LINE);
    for (unsigned i = 0; i < 1000;
         i++) { /* whatever entries say, an answer ends inside the lines */
        for (size_t byte = 0; byte < sizeof directory; byte++)
            directory[byte] = (uint8_t)(draw(&random) >> draw(&random) % 64);
        assert_true(blm_select_of(bits, directory, LINES, draw(&random) >> draw(&random) % 64) <=
                    LINES * BLM_RANK_LINE);
    }
    assert_int_equal(blm_select_of(bits, directory, 0, blm_le64(directory)), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_with_a_pattern),
        cmocka_unit_test(words_by_chance),
        cmocka_unit_test(lines_with_a_directory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
