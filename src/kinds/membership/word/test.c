/* test.c - a Bloom filter in every machine word, and in up to four of them. */
#include "core/unit.h"
#include "oracles.h"

static blm_filter *words_of(uint64_t words, unsigned hashes, uint64_t keys, const char *with)
{
    const unsigned width = strstr(with, "width=32") ? 32 : 64;
    return made_new(BLM_CONFIG(.kind = "word", .bits = words * width, .hashes = hashes,
                               .keys = keys, .with = with, .seed = 1));
}

/* The simulated rates of 65536 words, c = 8, k = 6: rounded to three digits, and two samples of 10^6 strangers
 * (theirs and ours) whose 99 % intervals are 1.6 % each at 2.4 %. Given its cells the rate is no estimate. */
static void simulated_rates(void **state)
{
    static const struct {
        const char *with, *what, *given, *theory;
        double rate;
    } row[] = {{"reads=1", "g=1 k=6 c=8, 65536 words", "g=1, given the cells", "g=1, by the fields",
                3.80e-2},
               {"reads=2", "g=2 k=6 c=8, 65536 words", "g=2, given the cells", "g=2, by the fields",
                2.44e-2},
               {"reads=3", "g=3 k=6 c=8, 65536 words", "g=3, given the cells", "g=3, by the fields",
                2.25e-2}};
    const uint64_t n = 65536 * 8, probes = 1000000;
    (void)state;
    for (size_t i = 0; i < COUNT(row); i++) {
        blm_filter *f = words_of(65536, 6, n, row[i].with);
        add_run(f, 0, n);
        ORACLE_HOLDS("1.A8", row[i].with, has_run(f, 0, n)); /* no false negative */
        const uint64_t hits = false_yes(f, probes);
        const double p = row[i].rate;
        ORACLE_BETWEEN("1.A8", row[i].what, p, p * 0.965, p * 1.035, (double)hits / 1e6);
        ORACLE_HITS("1.A8", row[i].given, blm_fpr(f, NULL).high, hits, probes);
        ORACLE_NEAR("1.A8", row[i].theory, blm_fpr(f, &(blm_case){.keys = n}).high, 0.01,
                    blm_fpr(f, NULL).high);
        blm_free(f);
    }
}

/* Given the cells: the product over the reads of the mean over words, here bit by bit. */
static void rate_as_it_stands(void **state)
{
    static const char *const with[] = {"reads=1", "reads=2 width=32", "reads=3",
                                       "reads=4 width=32"};
    (void)state;
    for (size_t i = 0; i < COUNT(with); i++) {
        const unsigned width = i % 2 ? 32 : 64, reads = (unsigned)i + 1, k = 7;
        const uint64_t words = 155;
        blm_filter *f = words_of(words, k, 1300, with[i]);
        size_t bytes;
        double rate = 1;
        add_run(f, 0, width == 64 ? 1300 : 650);
        const uint8_t *cells = blm_cells(f, &bytes);
        for (unsigned r = 0; r < reads; r++) {
            double sum = 0;
            for (uint64_t w = 0; w < words; w++) {
                unsigned ones = 0;
                for (uint64_t bit = w * width; bit < (w + 1) * width; bit++)
                    ones += cells[bit / 8] >> bit % 8 & 1;
                sum += pow(ones / (double)width, k / reads + (r < k % reads));
            }
            rate *= sum / (double)words;
        }
        NEAR(blm_fpr(f, NULL).high, rate, 1e-12);
        NEAR(blm_fpr(f, NULL).low, rate, 1e-12);
        assert_true(blm_fpr(f, NULL).spread == 0);
        WITHIN((double)false_yes(f, 200000), 200000 * rate, 4 * sqrt(200000 * rate));
        blm_free(f);
    }
}

/* Where k does not come out even theory is a band; 400 filters of 20 keys have a mean inside it, 4 sigma. */
static void band_where_reads_does_not_divide(void **state)
{
    enum { FILTERS = 400 };
    double sum = 0, squares = 0;
    blm_rate band = {0, 0, 0};
    (void)state;
    for (uint64_t seed = 1; seed <= FILTERS; seed++) {
        blm_filter *f = made_new(BLM_CONFIG(.kind = "word", .bits = 256, .hashes = 5, .keys = 20,
                                            .with = "reads=2", .seed = seed));
        add_run(f, 0, 20);
        band = blm_fpr(f, &(blm_case){.keys = 20});
        const double rate = blm_fpr(f, NULL).high;
        sum += rate / FILTERS, squares += rate * rate / FILTERS;
        blm_free(f);
    }
    const double error = 4 * sqrt((squares - sum * sum) / FILTERS);
    assert_true(band.low < band.high && band.low > 0.95 * band.high);
    assert_true(sum > band.low - error && sum < band.high + error);
}

/* A key touches exactly `reads` words (fewer when they coincide), and k bits in all, as dealt. */
static void an_add_touches_its_words(void **state)
{
    static const char *const with[] = {"reads=1 width=32", "reads=2", "reads=3 width=32",
                                       "reads=4"};
    unsigned coincide = 0;
    bool as_dealt = true, no_other = true;
    (void)state;
    for (unsigned reads = 1; reads <= 4; reads++) {
        const unsigned width = reads % 2 ? 32 : 64, k = 10;
        blm_filter *f = words_of(37, k, 100, with[reads - 1]);
        for (uint64_t key = 0; key < 2000; key++) {
            const blm_item it = blm_item_u64(f, key, BLM_NO_ARG);
            blm_touch t[10];
            size_t bytes, at = 0;
            uint64_t mine[37] = {0}, start[4];
            assert_int_equal(blm_touched(f, &it, t, 10), 10);
            for (unsigned r = 0; r < reads; r++) {
                start[r] = t[at].cell / width;
                for (unsigned i = 0; i < k / reads + (r < k % reads); i++, at++) {
                    as_dealt = as_dealt && t[at].cell / width == start[r];
                    mine[start[r]] |= UINT64_C(1) << t[at].cell % width;
                }
            }
            coincide += reads == 2 && start[0] == start[1];
            assert_int_equal(blm_clear(f), BLM_OK);
            assert_int_equal(blm_add_item(f, &it, NULL), BLM_OK);
            const uint8_t *cells = blm_cells(f, &bytes);
            for (uint64_t bit = 0; bit < bytes * 8; bit++)
                no_other =
                    no_other && (cells[bit / 8] >> bit % 8 & 1) ==
                                    (bit / width < 37 ? mine[bit / width] >> bit % width & 1 : 0);
        }
        blm_free(f);
    }
    ORACLE_HOLDS("1.A8", "k/g bits in each of the g words", as_dealt);
    ORACLE_HOLDS("1.A8", "an add touches no other word", no_other);
    WITHIN(coincide, 2000 / 37.0, 4 * sqrt(2000 / 37.0));
}

/* Words and places are even, and places do not know their word: 4 sigma of chi squared. */
static void words_and_places_are_even(void **state)
{
    static const char *const with[] = {"reads=1 width=32", "reads=4"};
    (void)state;
    for (size_t s = 0; s < COUNT(with); s++) {
        enum { KEYS = 25600 };
        const unsigned width = s ? 64 : 32, k = 16;
        static double seen[16][64], both[16][256];
        blm_filter *f = words_of(16, k, 1, with[s]);
        memset(seen, 0, sizeof seen), memset(both, 0, sizeof both);
        for (uint64_t key = 0; key < KEYS; key++) {
            const blm_item it = blm_item_u64(f, key, BLM_NO_ARG);
            blm_touch t[16];
            assert_int_equal(blm_touched(f, &it, t, 16), 16);
            for (unsigned i = 0; i < k; i++) {
                const uint64_t place = t[i].cell % width, word = t[i].cell / width;
                seen[i][place]++;
                both[i][word * 16 + place * 16 / width]++;
            }
        }
        for (unsigned i = 0; i < k; i++) {
            double chi = 0, pair = 0;
            const double each = KEYS / (double)width;
            for (unsigned p = 0; p < width; p++) chi += pow(seen[i][p] - each, 2) / each;
            for (unsigned p = 0; p < 256; p++) pair += pow(both[i][p] - 100, 2) / 100;
            WITHIN(chi, width - 1.0, 4 * sqrt(2 * (width - 1.0)));
            WITHIN(pair, 255, 4 * sqrt(2 * 255.0));
        }
        blm_free(f);
    }
}

static void refuses_what_makes_no_sense(void **state)
{
    blm_filter *f = NULL;
    (void)state;
    REFUSED(blm_make(&f, "word bits=1024b hashes=33", &why), BLM_E_ARG, "hashes 33");
    SAYS("at most 32");
    REFUSED(blm_make(&f, "word bits=1024b hashes=17 width=32", &why), BLM_E_ARG, "at most 16");
    REFUSED(blm_make(&f, "word keys=9 hashes=2 fpr=1% reads=3", &why), BLM_E_ARG, "reads 3");
    ORACLE_HOLDS("1.A8", "more than half a word's bits are refused",
                 blm_make(&f, "word bits=1024b hashes=66 reads=2", NULL) == BLM_E_ARG &&
                     blm_make(&f, "word bits=1024b hashes=33 keys=9", NULL) == BLM_E_ARG &&
                     blm_make(&f, "word bits=1024b hashes=17 width=32", NULL) == BLM_E_ARG);
    ORACLE_HOLDS("1.A8", "g > k is refused",
                 blm_make(&f, "word bits=1024b hashes=3 reads=4", NULL) == BLM_E_ARG);
    ORACLE_HOLDS("1.A8", "words of 32 or 64 bits alone",
                 blm_make(&f, "word keys=9 width=16", NULL) == BLM_E_ARG &&
                     blm_make(&f, "word keys=9 width=128", NULL) == BLM_E_ARG);
    REFUSED(blm_make(&f, "word keys=9 width=48", &why), BLM_E_ARG, "48");
    REFUSED(blm_make(&f, "word keys=9 reads=5", &why), BLM_E_ARG, "5");
    REFUSED(blm_make(&f, "word bits=63b hashes=3", &why), BLM_E_ARG, "bits 63");
    SAYS("64");
    REFUSED(blm_make(&f, "word keys=7e15 fpr=1e-60", &why), BLM_E_ARG, "7e+15 keys");
    assert_null(f);
}

/* Bits behind the last word of 32 are none of its: they are zero, and stay so. */
static void an_odd_number_of_narrow_words(void **state)
{
    blm_filter *f = made("word bits=96b hashes=4 keys=9 reads=2 width=32 overfill=yes"),
               *g = words_of(4, 4, 9, "width=32"), *half = NULL;
    uint8_t cells[16];
    size_t bytes;
    (void)state;
    add_run(f, 0, 200);
    assert_int_equal(field(f, "ones"), 96);
    assert_true(info_of(f).fill == 1 && blm_fpr(f, NULL).high == 1);
    const uint8_t *all = blm_cells(f, &bytes);
    for (size_t i = 0; i < 16; i++) assert_int_equal(all[i], i < 12 ? 0xff : 0);
    assert_int_equal(bytes, 16);
    blm_estimate n;
    assert_int_equal(blm_cardinality(f, &n), BLM_OK);
    assert_true(n.bound && isfinite(n.value));
    REFUSED(blm_fold(&half, f, 1, &why), BLM_E_ARG, "3 blocks");
    memset(cells, 0xff, sizeof cells);
    REFUSED(blm_adopt(f, cells, 16, &why), BLM_E_ARG, "past the last");
    memset(cells + 12, 0, 4);
    cells[0] = 0;
    OK(blm_adopt(f, cells, 16, &why));
    assert_int_equal(field(f, "ones"), 88);
    add_run(g, 0, 9);
    OK(blm_fold(&half, g, 2, &why)); /* one word left: half of the region */
    assert_true(has_run(half, 0, 9) && info_of(half).bytes == 8);
    blm_free(half), blm_free(g), blm_free(f);
}

/* Folding and merging are having been small, or having added both. */
static void folds_and_merges(void **state)
{
    static const char *const with[] = {"reads=1", "reads=2 width=32", "reads=3 width=32",
                                       "reads=4"};
    (void)state;
    for (size_t i = 0; i < COUNT(with); i++) {
        blm_filter *f = words_of(172, 8, 500, with[i]), *g = words_of(172, 8, 500, with[i]),
                   *small = words_of(43, 8, 500, with[i]), *half = NULL;
        add_run(f, 0, 200), add_run(g, 200, 300);
        for (uint64_t key = 0; key < 500; key++) assert_true(blm_add_u64(small, key) != BLM_E_ARG);
        OK(blm_merge(f, g, &why));
        OK(blm_fold(&half, f, 2, &why));
        assert_true(has_run(half, 0, 500));
        if (field(small, "ones") == field(half, "ones")) assert_true(same_cells(half, small));
        blm_free(f), blm_free(g), blm_free(small), blm_free(half);
    }
    blm_filter *a = words_of(10, 4, 9, "reads=2"), *b = words_of(10, 4, 9, "reads=1");
    REFUSED(blm_merge(a, b, &why), BLM_E_MISMATCH, "reads");
    blm_free(a), blm_free(b);
}

/* Keys inside, from the ones; the spread is what 100 filters have, 4 sigma of a standard deviation. */
static void size_from_the_ones(void **state)
{
    (void)state;
    for (unsigned reads = 1; reads <= 4; reads++) {
        char with[16];
        double sum = 0, squares = 0, sd = 0;
        snprintf(with, sizeof with, "reads=%u", reads);
        for (uint64_t seed = 1; seed <= 100; seed++) {
            blm_filter *f = made_new(BLM_CONFIG(.kind = "word", .bits = 100 * 64, .hashes = 6,
                                                .keys = 600, .with = with, .seed = seed));
            blm_estimate n;
            add_run(f, 0, 600);
            assert_int_equal(blm_cardinality(f, &n), BLM_OK);
            sum += n.value / 100, squares += n.value * n.value / 100, sd = n.high - n.value;
            blm_free(f);
        }
        WITHIN(sum, 600, 4 * sd / 10 + 1.5);
        WITHIN(sqrt(squares - sum * sum), sd, 4 * sd / sqrt(200) + 0.5);
    }
}

/* What explain and a mapped reader look at: the byte that holds the bit. */
static void touched_bytes(void **state)
{
    blm_filter *f = made("word keys=1000 fpr=1% reads=3");
    blm_touch at[64];
    (void)state;
    add_run(f, 0, 1000);
    for (uint64_t key = 0; key < 20; key++) {
        const blm_item it = blm_item_u64(f, key, BLM_NO_ARG);
        const size_t n = blm_touched(f, &it, at, 64);
        assert_int_equal(n, info_of(f).hashes);
        for (size_t i = 0; i < n; i++)
            assert_true(at[i].byte == at[i].cell / 8 && at[i].value == 1);
    }
    blm_free(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(touched_bytes),
        cmocka_unit_test(simulated_rates),
        cmocka_unit_test(rate_as_it_stands),
        cmocka_unit_test(band_where_reads_does_not_divide),
        cmocka_unit_test(an_add_touches_its_words),
        cmocka_unit_test(words_and_places_are_even),
        cmocka_unit_test(refuses_what_makes_no_sense),
        cmocka_unit_test(an_odd_number_of_narrow_words),
        cmocka_unit_test(folds_and_merges),
        cmocka_unit_test(size_from_the_ones),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
