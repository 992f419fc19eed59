/* test.c - a Bloom filter in every cache line. */
#include "kinds/rates.h"
#include "oracles.h"

enum { BLOCK = 64 }; /* bytes */

static blm_filter *blocks_of(uint64_t blocks, unsigned hashes, uint64_t keys, uint64_t seed)
{
    return made_new(BLM_CONFIG(.kind = "blocked", .bits = blocks * 512, .hashes = hashes,
                               .keys = keys, .seed = seed));
}

/* The Poisson mixture with exact occupancy inside a block of 512 bits, c bits a key: one filter of 10^4
 * blocks, 10^6 strangers, within the 99 % interval of the table's value +- 1 %. */
static void rates_of_the_table(void **state)
{
    static const struct {
        unsigned c, k;
        double rate;
    } table[] = {{8, 5, 2.3263e-2}, {10, 6, 9.6647e-3}, {12, 8, 4.1349e-3}, {16, 10, 8.4612e-4}};
    (void)state;
    for (size_t i = 0; i < COUNT(table); i++) {
        const uint64_t n = 10000 * 512 / table[i].c;
        blm_filter *f = blocks_of(10000, table[i].k, n, 1);
        char what[60];
        fill_to_rate(f, n, table[i].rate);
        snprintf(what, sizeof what, "rate at %u bits a key, k=%u", table[i].c, table[i].k);
        ORACLE_NEAR("1.A7", what, table[i].rate, 1e-3, blm_fpr(f, &(blm_case){.keys = n}).high);
        blm_free(f);
    }
}

/* Given its blocks, the rate of a filter is the mean of (ones / 512)^k over them, here counted bit by
 * bit: within 4 sigma of it, and far above the rate of one large filter with that fill. */
static void rate_as_it_stands(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 5; seed++) {
        blm_filter *f = blocks_of(200, 8, 8000, seed);
        size_t bytes;
        double rate = 0;
        add_run(f, 0, 8000);
        const uint8_t *cells = blm_cells(f, &bytes);
        for (size_t at = 0; at < bytes; at += BLOCK) {
            unsigned ones = 0;
            for (unsigned bit = 0; bit < 512; bit++) ones += cells[at + bit / 8] >> bit % 8 & 1;
            rate += pow(ones / 512.0, 8) / 200;
        }
        NEAR(blm_fpr(f, NULL).high, rate, 1e-12);
        NEAR(blm_fpr(f, NULL).low, rate, 1e-12);
        assert_true(rate > 1.2 * pow(info_of(f).fill, 8));
        WITHIN((double)false_yes(f, 300000), 300000 * rate, 4 * sqrt(300000 * rate));
        blm_free(f);
    }
}

static void an_add_touches_one_block(void **state)
{
    enum { BLOCKS = 37 };
    blm_filter *f = blocks_of(BLOCKS, 11, 100, 3), *old = NULL;
    unsigned hit[BLOCKS] = {0};
    (void)state;
    for (uint64_t key = 0; key < 3700; key++) {
        size_t n;
        OK(blm_copy(&old, f, &why));
        const uint8_t *before = blm_cells(old, &n);
        const blm_item it = blm_item_u64(f, key, BLM_NO_ARG);
        blm_touch t[11];
        assert_int_equal(blm_touched(f, &it, t, 11), 11);
        const uint64_t block = t[0].byte / BLOCK;
        uint8_t want[BLOCK];
        memcpy(want, before + block * BLOCK, BLOCK);
        for (unsigned i = 0; i < 11; i++) {
            assert_true(t[i].byte / BLOCK == block && t[i].byte == t[i].cell / 8);
            assert_int_equal(t[i].value, before[t[i].byte] >> t[i].cell % 8 & 1);
            want[t[i].byte % BLOCK] |= (uint8_t)(1u << t[i].cell % 8);
        }
        blm_clear(f); /* an empty filter then shows this key's bits alone */
        assert_int_equal(blm_add_item(f, &it, NULL), BLM_OK);
        const uint8_t *alone = blm_cells(f, &n);
        for (size_t i = 0; i < n; i++)
            if (i / BLOCK != block) assert_int_equal(alone[i], 0);
        OK(blm_merge(f, old, &why));
        assert_memory_equal(alone + block * BLOCK, want, BLOCK);
        hit[block]++;
        blm_free(old);
    }
    double chi = 0; /* 36 degrees, sd sqrt(72): above 36 + 4 sd by chance 3e-4 */
    for (unsigned i = 0; i < BLOCKS; i++) chi += (hit[i] - 100.0) * (hit[i] - 100.0) / 100;
    assert_true(chi < 36 + 4 * sqrt(72));
    blm_free(f);
}

/* Every one of the 512 places, by every one of up to 64 hashes, is as likely as another: seven places a
 * word, so that places 7, 14, ... begin a new word. 511 degrees a hash, 4 sigma. */
static void places_are_even(void **state)
{
    enum { KEYS = 51200 };
    static unsigned seen[64][512];
    blm_filter *f = blocks_of(1, 64, 1, 1);
    (void)state;
    for (uint64_t key = 0; key < KEYS; key++) {
        const blm_item it = blm_item_u64(f, key, BLM_NO_ARG);
        blm_touch t[64];
        assert_int_equal(blm_touched(f, &it, t, 64), 64);
        for (unsigned i = 0; i < 64; i++) seen[i][t[i].cell]++;
    }
    for (unsigned i = 0; i < 64; i++) {
        double chi = 0;
        for (unsigned p = 0; p < 512; p++) chi += (seen[i][p] - 100.0) * (seen[i][p] - 100.0) / 100;
        WITHIN(chi, 511, 4 * sqrt(2 * 511.0));
    }
    blm_free(f);
}

/* Two places of one key fall together in one of 512 keys, whichever two. 4 sigma of a binomial. */
static void places_are_independent(void **state)
{
    enum { KEYS = 102400 };
    static unsigned together[16][16];
    blm_filter *f = blocks_of(1, 16, 1, 1);
    (void)state;
    for (uint64_t key = 0; key < KEYS; key++) {
        const blm_item it = blm_item_u64(f, key, BLM_NO_ARG);
        blm_touch t[16];
        blm_touched(f, &it, t, 16);
        for (unsigned i = 0; i < 16; i++)
            for (unsigned j = 0; j < i; j++) together[i][j] += t[i].cell == t[j].cell;
    }
    for (unsigned i = 0; i < 16; i++)
        for (unsigned j = 0; j < i; j++)
            WITHIN(together[i][j], KEYS / 512.0, 4 * sqrt(KEYS / 512.0));
    blm_free(f);
}

/* The block says nothing of the places in it: 16 blocks by 16 stretches of 32 places, for the first and
 * the ninth place. 255 degrees, 4 sigma. */
static void places_do_not_know_their_block(void **state)
{
    enum { KEYS = 25600 };
    double seen[2][256] = {{0}};
    blm_filter *f = blocks_of(16, 9, 1, 1);
    (void)state;
    for (uint64_t key = 0; key < KEYS; key++) {
        const blm_item it = blm_item_u64(f, key, BLM_NO_ARG);
        blm_touch t[9];
        blm_touched(f, &it, t, 9);
        for (unsigned i = 0; i < 2; i++)
            seen[i][t[8 * i].cell / 512 * 16 + t[8 * i].cell % 512 / 32]++;
    }
    for (unsigned i = 0; i < 2; i++) {
        double chi = 0;
        for (unsigned c = 0; c < 256; c++) chi += (seen[i][c] - 100) * (seen[i][c] - 100) / 100;
        WITHIN(chi, 255, 4 * sqrt(2 * 255.0));
    }
    blm_free(f);
}

/* The page's figures: 9.9, 15.6 and 38.8 bits a key, where the mixture over the loads is the promise. */
static void planned_by_keys_and_rate(void **state)
{
    static const struct {
        double fpr, bits_a_key;
    } table[] = {{1e-2, 9.9}, {1e-3, 15.6}, {1e-6, 38.8}};
    (void)state;
    for (size_t i = 0; i < COUNT(table); i++) {
        blm_filter *f =
            made_new(BLM_CONFIG(.kind = "blocked", .keys = 1000000, .fpr = table[i].fpr));
        const double bits = (double)info_of(f).bits / 1e6;
        assert_true(bits > table[i].bits_a_key - 0.05 && bits < table[i].bits_a_key * 1.004 + 0.05);
        const double rate = blm_fpr(f, &(blm_case){.keys = 1000000}).high;
        assert_true(rate <= table[i].fpr && rate > 0.95 * table[i].fpr);
        assert_int_equal(info_of(f).bits, field(f, "blocks") * 512);
        blm_free(f);
    }
}

/* Up to 1024 blocks at a time can be folded away, for less than 0.4 % more of them. */
static void planned_to_fold(void **state)
{
    blm_filter *f = made("blocked keys=1e7 fpr=1%"), *out = NULL;
    (void)state;
    assert_int_equal(field(f, "blocks") % 512, 0);
    const uint64_t blocks = field(f, "blocks");
    uint64_t min;
    unsigned k;
    assert_true(blm_size_blocked(10000000, 0.01, 512, 0, &min, &k));
    assert_true(blocks >= min && (double)blocks < 1.004 * (double)min);
    assert_int_equal(field(f, "hashes"), k);
    OK(blm_fold(&out, f, 9, &why));
    assert_int_equal(field(out, "blocks"), blocks >> 9);
    blm_free(out);
    blm_free(f);
}

static void planned_by_memory(void **state)
{
    blm_filter *f = made("blocked bits=1023b keys=20");
    (void)state;
    assert_int_equal(field(f, "blocks"), 1);
    assert_int_equal(field(f, "hashes"), blm_best_hashes_blocked(512, 1, 20));
    blm_free(f);
    REFUSED(blm_make(&f, "blocked bits=511b hashes=3", &why), BLM_E_ARG, "bits 511");
    SAYS("512");
    REFUSED(blm_make(&f, "blocked keys=7e15 fpr=1e-60", &why), BLM_E_ARG, "7e+15 keys");
    SAYS("1e-60");
}

static void adopts_only_its_own_size(void **state)
{
    uint8_t cells[128];
    blm_filter *f = blocks_of(2, 5, 20, 1);
    (void)state;
    memset(cells, 0x11, sizeof cells);
    REFUSED(blm_adopt(f, cells, 127, &why), BLM_E_ARG, "127 bytes");
    SAYS("128");
    assert_int_equal(field(f, "ones"), 0);
    OK(blm_adopt(f, cells, 128, &why));
    assert_int_equal(field(f, "ones"), 256);
    assert_true(info_of(f).fill == 0.25);
    NEAR(blm_fpr(f, NULL).high, pow(0.25, 5), 1e-12);
    blm_free(f);
}

/* Blocks are rounded up to a multiple of at most 1024; of four sizes some are odd ones. */
static void blocks_can_be_halved(void **state)
{
    bool odd = false;
    (void)state;
    for (uint64_t n = 50000000; n < 54000000; n += 1000000) {
        blm_offer o;
        size_t count = 1;
        uint64_t min = 0;
        unsigned k = 0;
        assert_true(blm_size_blocked(n, 0.01, 512, 0, &min, &k));
        const blm_config *wish = BLM_CONFIG(.kind = "blocked", .keys = n, .fpr = 0.01);
        assert_int_equal(blm_plan(wish, 0, &o, &count, NULL), BLM_OK);
        assert_true(o.bytes == (min + 1023) / 1024 * 1024 * 64);
        odd = odd || (min + 1023) / 1024 % 2;
    }
    assert_true(odd);
}

/* One key, one hash, one bit: a stranger meets it once in all of the bits. */
static void one_bit_is_its_rate(void **state)
{
    blm_filter *f = NULL;
    blm_info info;
    (void)state;
    assert_int_equal(blm_make(&f, "blocked keys=10 bits=4096b hashes=1", NULL), BLM_OK);
    assert_int_equal(blm_add(f, "plum", 4), BLM_OK);
    blm_info_of(f, &info);
    assert_true(info.bits == 4096 && info.fpr_now.low == 1.0 / 4096 &&
                info.fpr_now.high == 1.0 / 4096);
    blm_free(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_can_be_halved),
        cmocka_unit_test(one_bit_is_its_rate),
        cmocka_unit_test(rates_of_the_table),
        cmocka_unit_test(rate_as_it_stands),
        cmocka_unit_test(an_add_touches_one_block),
        cmocka_unit_test(places_are_even),
        cmocka_unit_test(places_are_independent),
        cmocka_unit_test(places_do_not_know_their_block),
        cmocka_unit_test(planned_by_keys_and_rate),
        cmocka_unit_test(planned_to_fold),
        cmocka_unit_test(planned_by_memory),
        cmocka_unit_test(adopts_only_its_own_size),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
