/* test.c - eight lanes in half a cache line, as Parquet has them. */
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "kinds/rates.h"
#include "oracles.h"

enum { BLOCK = 32, LANES = 8 }; /* bytes; lanes of 4 bytes */

static blm_filter *blocks_of(uint64_t blocks, uint64_t keys, uint64_t seed)
{
    return made_new(
        BLM_CONFIG(.kind = "split-block", .bits = blocks * 256, .keys = keys, .seed = seed));
}

static blm_item item_of(uint64_t hash) { return (blm_item){.h = {hash, 0}, .arg = BLM_NO_ARG}; }

static void add_hash(blm_filter *f, uint64_t hash)
{
    const blm_item it = item_of(hash);
    assert_int_equal(blm_add_item(f, &it, NULL), BLM_OK);
}

/* ---- Parquet --------------------------------------------------------------------------------------- */

typedef struct block {
    unsigned at;
    const char *hex;
} block;

static void put_blocks(uint8_t *cells, const block *b, size_t n)
{
    for (size_t i = 0; i < n; i++)
        for (unsigned j = 0; j < BLOCK; j++) {
            unsigned byte = 0;
            assert_int_equal(sscanf(b[i].hex + 2 * j, "%2x", &byte), 1);
            cells[b[i].at * BLOCK + j] = (uint8_t)byte;
        }
}

static uint64_t xxh64(const char *text) { return XXH64(text, strlen(text), 0); }

/* The keys make these cells, bit for bit; these cells have the keys and none of the strangers. */
static void check_parquet(const uint8_t *cells, unsigned blocks, const uint64_t *keys, size_t nkeys,
                          const uint64_t *strangers, size_t nstrangers)
{
    blm_filter *ours = blocks_of(blocks, nkeys, 0), *theirs = blocks_of(blocks, nkeys, 0);
    size_t bytes;
    OK(blm_adopt(theirs, cells, blocks * BLOCK, &why));
    for (size_t i = 0; i < nkeys; i++) {
        add_hash(ours, keys[i]);
        assert_true(blm_has_hash(theirs, (blm_hash){keys[i], 0}));
    }
    for (size_t i = 0; i < nstrangers; i++)
        assert_false(blm_has_hash(theirs, (blm_hash){strangers[i], 0}));
    assert_memory_equal(blm_cells(ours, &bytes), cells, blocks * BLOCK);
    assert_int_equal(field(ours, "ones"), field(theirs, "ones"));
    blm_free(ours);
    blm_free(theirs);
}

/* apache/parquet-testing, data/bloom_filter.xxhash.bin, behind its header of 16 bytes: 1024 bytes, of which
 * these blocks are not zero. Written by parquet-mr for four strings, XXH64 with seed 0. */
static void filter_of_parquet_mr(void **state)
{
    static const block blocks[] = {
        {4, "0000100000020000000400008000000000020000000000800000001000000008"},
        {5, "0000800000000010010000000000001020000000000020000000004000000800"},
        {7, "0400000000004000000040000000080000000004002000001000000002000000"},
        {10, "0000200000080000000100000000002000008000000000080001000000100000"}};
    uint8_t cells[1024] = {0};
    uint64_t keys[] = {xxh64("hello"), xxh64("parquet"), xxh64("bloom"), xxh64("filter")};
    const uint64_t strangers[] = {xxh64("Hello"), xxh64("parque"), xxh64("b"), xxh64("")};
    (void)state;
    assert_int_equal(keys[0], UINT64_C(0x26c7827d889f6da3)); /* by another XXH64 */
    put_blocks(cells, blocks, COUNT(blocks));
    check_parquet(cells, 32, keys, COUNT(keys), strangers, COUNT(strangers));
}

/* apache/parquet-testing, data/data_index_bloom_encoding_stats.parquet, 1024 bytes at 208: the column of
 * fourteen strings; the four strangers are those of parquet-java's own test. */
static void filter_inside_a_parquet_file(void **state)
{
    static const block blocks[] = {
        {1, "0000400000020000400000000000100080000000001000000000000400040000"},
        {3, "2000000000000800000002001000000000000001800000000004000004000000"},
        {5, "0200000000002000000000020008000000100000400000000400000000000010"},
        {8, "4000000000002000000040000008000002000000100000004000000002000000"},
        {9, "0000000100000001001000002000000010000000000010000000800000000080"},
        {12, "0200000000000080020000000000400000008000000100000100000008000000"},
        {14, "0000002000800000000100000000800000010000004000004000000000000080"},
        {22, "0000002000000020000020000010000004000000000100000001000080000000"},
        {23, "0000010000000080080000000000000400040000000000800400000010000000"},
        {24, "0000002000004000008000000000002000000008080000000004000000000010"},
        {25, "0004000002000000000000020000002000001000000000400000000808000000"},
        {26, "0000040000000200020000000010000000000200000000010000000800000080"},
        {28, "0000020010000000000004000000100000001000000200000008000000000040"},
        {30, "8000000000800000000000010100000001000000000800000000020000000200"}};
    static const char *const texts[] = {"Hello",   "This is", "a",        "test",      "How",
                                        "are you", "doing ",  "today",    "the quick", "brown fox",
                                        "jumps",   "over",    "the lazy", "dog"};
    const uint64_t strangers[] = {xxh64("b"), xxh64("c"), xxh64("d"), xxh64("NOT_EXISTS")};
    uint8_t cells[1024] = {0};
    uint64_t keys[COUNT(texts)];
    (void)state;
    for (size_t i = 0; i < COUNT(texts); i++) keys[i] = xxh64(texts[i]);
    put_blocks(cells, blocks, COUNT(blocks));
    check_parquet(cells, 32, keys, COUNT(keys), strangers, COUNT(strangers));
}

/* DuckDB 1.5.6, a column of 64-bit integers (8 bytes, little-endian), 4096 bytes for 2904 rows: block 37
 * and all rows that chose it among 128. */
static void block_of_duckdb(void **state)
{
    static const block blocks[] = {
        {37, "d1c0009000399300800382248281402144404c040025408a8800011c04122241"}};
    static const uint64_t rows[] = {21361064083,  131161393483, 143641430923, 153361460083,
                                    157801473403, 179761539283, 204001612003, 294241882723};
    uint8_t cells[4096] = {0};
    uint64_t keys[COUNT(rows)];
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        uint8_t bytes[8];
        for (unsigned b = 0; b < 8; b++) bytes[b] = (uint8_t)(rows[i] >> 8 * b);
        keys[i] = XXH64(bytes, sizeof bytes, 0);
    }
    put_blocks(cells, blocks, COUNT(blocks));
    check_parquet(cells, 128, keys, COUNT(keys), NULL, 0);
}

/* ---- places ------------------------------------------------------------------------------------------ */

/* The low half 1 gives the upper five bits of the factors themselves, 0 bit 0 everywhere. */
static void places_of_known_hashes(void **state)
{
    static const unsigned of_one[LANES] = {8, 8, 17, 20, 14, 5, 19, 11};
    blm_filter *f = blocks_of(1000, 10, 0);
    blm_touch one[LANES], zero[LANES], last[LANES];
    const blm_item it = item_of(UINT64_C(0x80000000) << 32 | 1), none = item_of(0),
                   end = item_of(UINT64_MAX);
    (void)state;
    assert_int_equal(blm_touched(f, &it, one, LANES), LANES);
    assert_int_equal(blm_touched(f, &none, zero, LANES), LANES);
    assert_int_equal(blm_touched(f, &end, last, LANES), LANES);
    for (unsigned i = 0; i < LANES; i++) {
        assert_int_equal(one[i].cell, 500 * 256 + 32 * i + of_one[i]);
        assert_int_equal(zero[i].cell, 32 * i);
        assert_int_equal(last[i].byte / BLOCK, 999);
    }
    ORACLE_HOLDS("1.A9", "bits of the low half 1: 8 8 17 20 14 5 19 11", true);
    assert_int_equal(blm_touched(f, &it, one, 3), LANES); /* no more than there is room for */
    blm_free(f);
}

/* The edges between blocks, at any number of them: the first number of block i is ceil(i 2^32 / blocks). */
static void blocks_share_the_numbers(void **state)
{
    static const uint64_t sizes[] = {1, 2, 3, 7, 1000, 4096, 99991};
    (void)state;
    for (size_t s = 0; s < COUNT(sizes); s++) {
        const uint64_t blocks = sizes[s];
        blm_filter *f = blocks_of(blocks, 10, 0);
        for (uint64_t i = 1; i < blocks; i += 1 + blocks / 1000) {
            const uint64_t edge = ((i << 32) + blocks - 1) / blocks;
            blm_touch t;
            const blm_item first = item_of(edge << 32), before = item_of((edge - 1) << 32);
            blm_touched(f, &first, &t, 1);
            assert_int_equal(t.byte / BLOCK, i);
            blm_touched(f, &before, &t, 1);
            assert_int_equal(t.byte / BLOCK, i - 1);
        }
        blm_free(f);
    }
}

static void an_add_sets_one_bit_in_each_lane(void **state)
{
    blm_filter *f = blocks_of(11, 10, 0);
    uint64_t seed = 1;
    (void)state;
    for (unsigned round = 0; round < 1000; round++) {
        const blm_item it = item_of(draw(&seed));
        blm_touch t[LANES];
        size_t bytes;
        bool fresh = false;
        OK(blm_clear(f));
        assert_int_equal(blm_add_item(f, &it, &fresh), BLM_OK);
        assert_true(fresh && field(f, "ones") == LANES);
        const uint8_t *cells = blm_cells(f, &bytes);
        unsigned ones = 0;
        for (size_t i = 0; i < bytes * 8; i++) ones += cells[i / 8] >> i % 8 & 1;
        assert_int_equal(ones, LANES);
        blm_touched(f, &it, t, LANES);
        for (unsigned i = 0; i < LANES; i++) {
            assert_true(t[i].value == 1 && t[i].cell % 256 / 32 == i && t[i].byte == t[i].cell / 8);
            assert_int_equal(t[i].byte / BLOCK, t[0].byte / BLOCK);
        }
        assert_int_equal(blm_add_item(f, &it, &fresh), BLM_OK);
        assert_true(!fresh && field(f, "ones") == LANES);
    }
    blm_free(f);
}

/* A zero in any one lane is a no, and the key is then a new one. */
static void every_lane_is_asked(void **state)
{
    blm_filter *f = made("split-block bits=768b keys=10 overfill=yes");
    const blm_item it = item_of(UINT64_C(0x6a09e667f3bcc908));
    blm_touch t[LANES];
    (void)state;
    blm_touched(f, &it, t, LANES);
    for (unsigned lane = 0; lane < LANES; lane++) {
        uint8_t cells[3 * BLOCK], yes = 2;
        memset(cells, 0xff, sizeof cells);
        cells[t[lane].byte] &= (uint8_t) ~(1u << t[lane].cell % 8);
        OK(blm_adopt(f, cells, sizeof cells, &why));
        assert_false(blm_has_hash(f, it.h));
        blm_has_many(f, &it.h, NULL, 1, &yes);
        assert_int_equal(yes, 0);
        bool fresh = false;
        assert_int_equal(blm_add_item(f, &it, &fresh), BLM_OK);
        assert_true(fresh && field(f, "ones") == 3 * 256 && blm_has_hash(f, it.h));
    }
    blm_free(f);
}

/* ---- rates ------------------------------------------------------------------------------------------- */

/* The Poisson mixture of (1 - (31/32)^i)^8 at c bits a key: one filter of 2^14 blocks, 10^6 strangers,
 * within the 99 % interval of the table's value +- 1 %. */
static void rates_of_the_table(void **state)
{
    static const struct {
        unsigned c;
        double rate;
    } table[] = {{8, 3.32119e-2}, {10, 1.26485e-2}, {12, 5.41964e-3}, {16, 1.31557e-3}};
    (void)state;
    for (size_t i = 0; i < COUNT(table); i++) {
        const uint64_t n = 16384 * 256 / table[i].c;
        blm_filter *f = blocks_of(16384, n, 1);
        fill_to_rate(f, n, table[i].rate);
        NEAR(blm_fpr(f, &(blm_case){.keys = n}).high, table[i].rate, 1e-3);
        blm_free(f);
    }
}

/* Given its blocks: the mean of the product of the lanes' shares of ones, counted bit by bit here. */
static void rate_as_it_stands(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 5; seed++) {
        blm_filter *f = blocks_of(256, 6000, seed);
        size_t bytes;
        double rate = 0;
        add_run(f, 0, 6000);
        const uint8_t *cells = blm_cells(f, &bytes);
        for (size_t at = 0; at < bytes; at += BLOCK) {
            double product = 1.0 / 256;
            for (unsigned lane = 0; lane < LANES; lane++) {
                unsigned ones = 0;
                for (unsigned i = 0; i < 32; i++) ones += cells[at + lane * 4 + i / 8] >> i % 8 & 1;
                product *= ones / 32.0;
            }
            rate += product;
        }
        const double twins = 6000.0 / 256 * 255 / 0x1p40; /* 5e-9 beside 0.9 % */
        NEAR(blm_fpr(f, NULL).high, rate + (1 - rate) * twins, 1e-8);
        NEAR(blm_fpr(f, NULL).low, rate + (1 - rate) * twins, 1e-8);
        WITHIN((double)false_yes(f, 300000), 300000 * rate, 4 * sqrt(300000 * rate));
        blm_free(f);
    }
}

/* One block all ones and no other bit: the rate is that block's share of 2^32 numbers. Those of 10^5 blocks
 * are 42949 or 42950, which differ by 2.3e-5. */
static void uneven_blocks_are_weighed(void **state)
{
    const uint64_t blocks = 100000;
    uint8_t *cells = calloc(blocks, BLOCK);
    blm_filter *f = blocks_of(blocks, 10, 0);
    unsigned sorts[2] = {0, 0};
    (void)state;
    assert_non_null(cells);
    for (uint64_t i = 0; i < blocks; i += i < 8 ? 1 : 16661) {
        const uint64_t first = ((i << 32) + blocks - 1) / blocks,
                       end = (((i + 1) << 32) + blocks - 1) / blocks;
        memset(cells + i * BLOCK, 0xff, BLOCK);
        OK(blm_adopt(f, cells, blocks * BLOCK, &why));
        NEAR(blm_fpr(f, NULL).high, (double)(end - first) / 0x1p32, 1e-7);
        memset(cells + i * BLOCK, 0, BLOCK);
        assert_in_range(end - first, 42949, 42950);
        sorts[end - first - 42949]++;
    }
    assert_true(sorts[0] && sorts[1]);
    blm_free(f);
    free(cells);
}

/* Two keys of one block with the same low half are one: only these, so a key alone has a rate of 2^-32. */
static void twins_are_told(void **state)
{
    blm_filter *f = blocks_of(1, 1, 0);
    (void)state;
    add_hash(f, UINT64_C(0x0123456789abcdef));
    assert_true(blm_has_hash(f, (blm_hash){UINT64_C(0xfedcba9889abcdef), 0}));
    NEAR(blm_fpr(f, NULL).high, 0x1p-32, 1e-9);
    NEAR(blm_fpr(f, &(blm_case){.keys = 1}).high, 0x1p-32, 1e-9);
    blm_free(f);
}

/* ---- planning ---------------------------------------------------------------------------------------- */

/* The page's figures. */
static void planned_by_keys_and_rate(void **state)
{
    static const struct {
        double fpr, bits_a_key;
    } table[] = {{1e-2, 10.53}, {1e-3, 16.89}, {1e-4, 26.34}, {1e-6, 64.68}};
    (void)state;
    for (size_t i = 0; i < COUNT(table); i++) {
        blm_filter *f =
            made_new(BLM_CONFIG(.kind = "split-block", .keys = 1000000, .fpr = table[i].fpr));
        const double bits = (double)info_of(f).bits / 1e6;
        assert_true(bits > table[i].bits_a_key - 0.01 && bits < table[i].bits_a_key * 1.004 + 0.01);
        const double rate = blm_fpr(f, &(blm_case){.keys = 1000000}).high;
        assert_true(rate <= table[i].fpr && rate > 0.98 * table[i].fpr);
        assert_true(info_of(f).bits == field(f, "blocks") * 256 && info_of(f).hashes == 8);
        blm_free(f);
    }
    /* 8 * 10^6 keys of 10.5 bits are 328125 blocks */
    ORACLE_NEAR("1.A9", "rate at 10.5 bits a key", 1.01285e-2, 1e-4,
                blm_rate_split(328125, 8000000));
}

static void planned_to_fold(void **state)
{
    blm_filter *f = made("split-block keys=1e7 fpr=1%"), *out = NULL;
    uint64_t min;
    (void)state;
    const uint64_t blocks = field(f, "blocks");
    assert_true(blm_size_split(10000000, 0.01, &min));
    assert_int_equal(blocks, (min + 1023) / 1024 * 1024);
    OK(blm_fold(&out, f, 10, &why));
    assert_int_equal(field(out, "blocks"), blocks >> 10);
    blm_free(out);
    blm_free(f);
    bool odd = false; /* of four sizes some are odd multiples of the step */
    for (uint64_t n = 50000000; n < 54000000; n += 1000000) {
        blm_offer o;
        size_t count = 1;
        assert_true(blm_size_split(n, 0.01, &min));
        const blm_config *wish = BLM_CONFIG(.kind = "split-block", .keys = n, .fpr = 0.01);
        OK(blm_plan(wish, 0, &o, &count, &why));
        assert_true(o.bytes == (min + 1023) / 1024 * 1024 * BLOCK);
        odd = odd || (min + 1023) / 1024 % 2;
    }
    assert_true(odd);
}

static void planned_by_memory(void **state)
{
    blm_filter *f = made("split-block bits=767b keys=20 hashes=8");
    (void)state;
    assert_true(field(f, "blocks") == 2 && field(f, "hashes") == 8);
    blm_free(f);
    REFUSED(blm_make(&f, "split-block bits=255b", &why), BLM_E_ARG, "bits 255");
    SAYS("256");
    blm_offer o;
    size_t n = 1;
    OK(blm_plan(BLM_CONFIG(.kind = "split-block", .bits = UINT64_C(1) << 39), 0, &o, &n, &why));
    assert_true(o.bytes == UINT64_C(1) << 36); /* 64 GiB, the last size that there is */
    REFUSED(blm_make(&f, "split-block bits=65GiB keys=9", &why), BLM_E_ARG, "bits 558345748480");
    SAYS("2^31");
    REFUSED(blm_make(&f, "split-block keys=1e6 hashes=7", &why), BLM_E_ARG, "hashes 7");
    SAYS("always uses 8");
    REFUSED(blm_make(&f, "split-block bits=1KiB hashes=9", &why), BLM_E_ARG, "hashes 9");
    REFUSED(blm_make(&f, "split-block keys=6e10 fpr=1%", &why), BLM_E_ARG, "6e+10 keys");
    SAYS("2^31");
    REFUSED(blm_make(&f, "split-block keys=1e6 fpr=1e-14", &why), BLM_E_ARG, "1e-14");
}

static void adopts_only_its_own_size(void **state)
{
    uint8_t cells[64];
    blm_filter *f = blocks_of(2, 20, 1);
    (void)state;
    memset(cells, 0x11, sizeof cells);
    REFUSED(blm_adopt(f, cells, 63, &why), BLM_E_ARG, "63 bytes");
    SAYS("64");
    assert_int_equal(field(f, "ones"), 0);
    OK(blm_adopt(f, cells, 64, &why));
    assert_int_equal(field(f, "ones"), 128);
    assert_true(info_of(f).fill == 0.25);
    NEAR(blm_fpr(f, NULL).high, pow(0.25, 8), 2e-4); /* and twins */
    blm_free(f);
}

/* Every number of ones tells more keys than the one before; all of them, no less than. */
static void size_at_its_ends(void **state)
{
    uint8_t cells[2 * BLOCK] = {0};
    blm_filter *f = blocks_of(2, 20, 1);
    double last = -1;
    (void)state;
    for (unsigned ones = 0; ones <= 512; ones++) {
        blm_estimate n;
        if (ones) cells[(ones - 1) / 8] |= (uint8_t)(1u << (ones - 1) % 8);
        OK(blm_adopt(f, cells, sizeof cells, &why));
        assert_int_equal(blm_cardinality(f, &n), BLM_OK);
        const double seen = ones < 512 ? ones : 511; /* of 512 bits, each hit once in 64 keys */
        NEAR(n.value, log1p(-seen / 512) / log1p(-1 / 64.0), 1e-9);
        assert_true(n.bound == (ones == 512) && (n.bound ? n.value >= last : n.value > last));
        assert_true(n.low >= 0 && n.low <= n.value && n.value <= n.high);
        last = n.value;
    }
    blm_free(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(filter_of_parquet_mr),
        cmocka_unit_test(filter_inside_a_parquet_file),
        cmocka_unit_test(block_of_duckdb),
        cmocka_unit_test(places_of_known_hashes),
        cmocka_unit_test(blocks_share_the_numbers),
        cmocka_unit_test(an_add_sets_one_bit_in_each_lane),
        cmocka_unit_test(every_lane_is_asked),
        cmocka_unit_test(rates_of_the_table),
        cmocka_unit_test(rate_as_it_stands),
        cmocka_unit_test(uneven_blocks_are_weighed),
        cmocka_unit_test(twins_are_told),
        cmocka_unit_test(size_at_its_ends),
        cmocka_unit_test(planned_by_keys_and_rate),
        cmocka_unit_test(planned_to_fold),
        cmocka_unit_test(planned_by_memory),
        cmocka_unit_test(adopts_only_its_own_size),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
