/* test.c - golomb: its codes and sizes, rates in one shard and in several, one bucket per query, cells that lie. */
#include <bloomery/theory/golomb.h>

#include "lanes.h"
#include "kinds/rates.h"
#include "oracles.h"

enum { HUNDRED = 100000, MILLION = 1000000 };

static blm_builder *builder(const blm_config *c)
{
    blm_builder *b = NULL;
    OK(blm_builder_new(&b, c, &why));
    return b;
}

#define BUILDER(...) builder(BLM_CONFIG(.kind = "golomb", __VA_ARGS__))

/* The integers 0 .. n - 1. */
static blm_filter *built(blm_builder *b, uint64_t n)
{
    blm_filter *f = NULL;
    for (uint64_t i = 0; i < n; i++) OK(blm_builder_add(b, 0, &i, sizeof i, BLM_NO_ARG));
    OK(blm_build(&f, b, &why));
    assert_int_equal(field(f, "members"), n);
    return f;
}

/* Members whose hashes are spread * i. */
static blm_err built_of_hashes(blm_filter **f, blm_builder *b, uint64_t n, uint64_t spread)
{
    for (uint64_t i = 0; i < n; i++)
        OK(blm_builder_add_many(b, &(blm_hash){i * spread, 0}, 1, NULL));
    return blm_build(f, b, &why);
}

/* ---- codes ------------------------------------------------------------------------------------------ */

/* The code of v with parameter m, as zeros and ones. */
static const char *code(uint64_t v, uint64_t m)
{
    static char text[65];
    uint8_t p[8] = {0};
    const blm_code c = blm_code_of(m);
    blm_code_writer w = {.p = p, .words = 1};
    blm_code_put(&w, &c, v);
    const unsigned n = (unsigned)blm_code_place(&w);
    blm_code_end(&w);
    for (unsigned i = 0; i < n; i++) text[i] = (char)('0' + (p[i / 8] >> (7 - i % 8) & 1));
    text[n] = 0;
    return text;
}

static void codes_of_the_papers(void **state)
{
    (void)state;
    ORACLE_HOLDS("3.B4", "Golomb(42, M=10) is 11110 010", strcmp(code(42, 10), "11110010") == 0);
    ORACLE_HOLDS("3.B4", "Golomb(0, M=10) is 0 000", strcmp(code(0, 10), "0000") == 0);
    ORACLE_HOLDS("3.B4", "Golomb(9, M=10) is 0 1111", strcmp(code(9, 10), "01111") == 0);
    ORACLE_HOLDS("3.B4", "Golomb(7, M=3) is 110 10", strcmp(code(7, 3), "11010") == 0);
    ORACLE_HOLDS("3.B4", "Golomb(5, M=1) is 111110", strcmp(code(5, 1), "111110") == 0);
    ORACLE_HOLDS("3.B4", "Rice(13, P=3) is 10 101", strcmp(code(13, 8), "10101") == 0);
}

static uint64_t turn(uint64_t x, unsigned by) { return x << by | x >> (64 - by); }

static void sip_rounds(uint64_t v[4], int n)
{
    for (; n; n--) {
        v[0] += v[1], v[2] += v[3];
        v[1] = turn(v[1], 13) ^ v[0], v[3] = turn(v[3], 16) ^ v[2];
        v[0] = turn(v[0], 32);
        v[2] += v[1], v[0] += v[3];
        v[1] = turn(v[1], 17) ^ v[2], v[3] = turn(v[3], 21) ^ v[0];
        v[2] = turn(v[2], 32);
    }
}

/* SipHash-2-4 of up to 255 bytes (Aumasson and Bernstein 2012). */
static uint64_t sip(const uint8_t key[16], const uint8_t *p, size_t n)
{
    const uint64_t k0 = blm_le64(key), k1 = blm_le64(key + 8);
    uint64_t v[4] = {k0 ^ UINT64_C(0x736f6d6570736575), k1 ^ UINT64_C(0x646f72616e646f6d),
                     k0 ^ UINT64_C(0x6c7967656e657261), k1 ^ UINT64_C(0x7465646279746573)};
    uint8_t last[8] = {0};
    for (size_t i = 0; i <= n / 8; i++) {
        if (i == n / 8) {
            memcpy(last, p + i * 8, n % 8);
            last[7] = (uint8_t)n;
        }
        const uint64_t word = blm_le64(i < n / 8 ? p + i * 8 : last);
        v[3] ^= word;
        sip_rounds(v, 2);
        v[0] ^= word;
    }
    v[2] ^= 0xff;
    sip_rounds(v, 4);
    return v[0] ^ v[1] ^ v[2] ^ v[3];
}

static size_t from_hex(const char *hex, uint8_t *out)
{
    size_t n = 0;
    for (; *hex; hex += 2) {
        const char digits[3] = {hex[0], hex[1], 0};
        out[n++] = (uint8_t)strtoul(digits, NULL, 16);
    }
    return n;
}

/* The filter of the first block of Bitcoin's test network: one key. */
static void first_block_of_bip_158(void **state)
{
    (void)state;
    uint8_t key[16], message[15], script[67], bytes[9] = {1}; /* how many, by a varint */
    for (uint8_t i = 0; i < 16; i++) key[i] = i;
    for (uint8_t i = 0; i < 15; i++) message[i] = i;
    assert_true(sip(key, message, 15) == UINT64_C(0xa129ca6149be45e5));
    assert_int_equal(from_hex("43497fd7f826957108f4a30fd9cec3ae", key), 16);
    assert_int_equal(from_hex("4104678afdb0fe5548271967f1a67130b7105cd6a828e03909a67962e0ea1f61deb6"
                              "49f6bc3f4cef38c4f35504e51ec112de5c384df7ba0b8d578a4c702b6bf11d5fac",
                              script),
                     67);
    const uint64_t v = blm_reduce(sip(key, script, 67), 784931);
    ORACLE_NEAR("3.B4", "BIP 158, block 0: the value", 769941, 0, (double)v);
    const blm_code c = blm_code_of(1 << 19);
    blm_code_writer w = {.p = bytes + 1, .words = 1};
    blm_code_put(&w, &c, v);
    assert_int_equal(blm_code_place(&w), 21);
    blm_code_end(&w);
    ORACLE_HOLDS("3.B4", "BIP 158, block 0: the filter is 019dfca8",
                 memcmp(bytes, "\x01\x9d\xfc\xa8\0", 5) == 0);
}

/* ---- theory ----------------------------------------------------------------------------------------- */

static void bits_of_the_papers(void **state)
{
    (void)state;
    ORACLE_BETWEEN("3.B4", "bits per key at M=784931, P=19", 21.05, 21.045, 21.055,
                   blm_gap_bits(784931, 1 << 19));
    ORACLE_BETWEEN("3.B4", "bits per key at M=1024, P=10", 11.58, 11.53, 11.63,
                   blm_gap_bits(1024, 1 << 10));
    const double p = 1 << 19, best = 1.497137;
    ORACLE_NEAR("3.B4", "Rice, M=1.497137 2^P: bits above log2 M", 1.4702, 5e-5,
                blm_gap_bits(best * p, 1 << 19) - log2(best * p));
    assert_true(blm_gap_bits(1.48 * p, 1 << 19) - log2(1.48 * p) > 1.4702);
    assert_true(blm_gap_bits(1.51 * p, 1 << 19) - log2(1.51 * p) > 1.4702);
}

/* Sums over all gaps, and over all m. */
static void bits_are_the_sums(void **state)
{
    static const double gaps[] = {1.05, 1.5, 2, 2.6, 2.7, 3, 7.3, 40, 100.5};
    (void)state;
    for (size_t i = 0; i < COUNT(gaps); i++) {
        double fewest = 1e9;
        uint64_t best = 0;
        for (uint64_t m = 1; m < 200; m++) {
            const blm_golomb same = blm_golomb_of(m);
            double chance = 1 / gaps[i], mean = 0, square = 0;
            for (uint64_t g = 0; g < 6000; g++, chance *= 1 - 1 / gaps[i]) {
                const double bits = (double)blm_golomb_bits(&same, g);
                mean += chance * bits, square += chance * bits * bits;
            }
            NEAR(blm_gap_bits(gaps[i], m), mean, 1e-9);
            WITHIN(blm_gap_bits_variance(gaps[i], m), square - mean * mean, 1e-6 * square);
            if (mean < fewest * (1 - 1e-12)) fewest = mean, best = m;
        }
        assert_int_equal(blm_gap_best(gaps[i]), best);
    }
    assert_true(isnan(blm_gap_bits(0.5, 1)) && isnan(blm_gap_bits(2, 0)));
    assert_true(isnan(blm_gap_bits(NAN, 1)) && isnan(blm_gap_bits_variance(2, BLM_GOLOMB_MAX + 1)));
    assert_true(blm_gap_best(0.9) == 0 && blm_gap_best(NAN) == 0 && blm_gap_best(1) == 1);
    assert_true(blm_gap_bits(1, 1) == 1 && blm_gap_bits(1, 8) == 4); /* every number is there */
    assert_true(blm_gap_best(0x1p60) == BLM_GOLOMB_MAX);
}

/* ---- sizes and rates -------------------------------------------------------------------------------- */

/* log2(1/p) + 1.7 bits per key with the index, in one shard and in several. */
static void bits_per_key(void **state)
{
    static const struct {
        double fpr;
        const char *with, *what;
    } table[] = {{0x1p-8, "", "10^6 keys at 2^-8: bits per key"},
                 {0.01, "", "10^6 keys at 1 %: bits per key"}};
    (void)state;
    for (size_t i = 0; i < COUNT(table); i++) {
        blm_filter *f = built(BUILDER(.fpr = table[i].fpr), MILLION);
        assert_true(has_run(f, 0, MILLION) && field(f, "widened") == 0);
        const double bits = 8.0 * (double)info_of(f).bytes / MILLION, p = blm_fpr(f, NULL).high;
        NEAR(p, table[i].fpr, 0.001);
        ORACLE_AT_MOST("3.B4", table[i].what, log2(1 / p) + 1.7, bits);
        blm_free(f);
    }
    for (double p = 0.3; p > 1e-12; p /= 3) { /* what the planner offers for 10^7 keys */
        blm_filter *f = NULL;
        OK(blm_new(&f, BLM_CONFIG(.kind = "golomb", .keys = 10000000, .fpr = p), &why));
        const double bits = 8.0 * (double)info_of(f).bytes / 1e7;
        assert_int_equal(field(f, "shards"), 5);
        assert_true(bits < log2(1 / p) + 1.75 + 0.05 * log2(1 / p) / 8);
        blm_free(f);
    }
}

static void rates(void **state)
{
    static const struct {
        const char *with;
        double fpr;
        uint64_t shards;
    } table[] = {{"", 0.01, 1},
                 {"shards=3", 0.01, 3},
                 {"shards=7", 0.3, 7},
                 {"shards=1000", 0.05, 1000},
                 {"range=100", 0, 1}};
    (void)state;
    for (size_t i = 0; i < COUNT(table); i++) {
        blm_filter *f =
            built(BUILDER(.fpr = table[i].fpr, .with = table[i].with, .seed = i + 1), HUNDRED);
        const double p = blm_fpr(f, NULL).high, probes = MILLION;
        assert_true(field(f, "shards") == table[i].shards && has_run(f, 0, HUNDRED));
        NEAR(p, table[i].fpr > 0 ? table[i].fpr : 0.01, 0.01);
        const blm_rate shape = blm_fpr(f, &(blm_case){.keys = HUNDRED});
        WITHIN(p, shape.high, 4 * shape.spread * shape.high);
        WITHIN((double)false_yes(f, MILLION), p * probes, 4 * sqrt(probes * p * (1 - p)));
        blm_free(f);
    }
}

/* Batches of every length answer as single queries do, at the edges of groups and lanes. */
static void batches_answer_as_single_queries(void **state)
{
    static const char *const withs[] = {"", "shards=3", "range=1", "range=1e12"};
    enum { ASKED = 700 };
    blm_hash h[ASKED];
    uint8_t yes[ASKED + 1];
    (void)state;
    for (size_t i = 0; i < COUNT(withs); i++) {
        blm_filter *f = built(BUILDER(.with = withs[i]), 2000);
        for (uint64_t j = 0; j < ASKED; j++) h[j] = blm_hash_u64(f, j * 5);
        for (size_t n = 0; n <= ASKED; n += n < 140 ? 1 : 35) {
            memset(yes, 7, sizeof yes);
            blm_has_many(f, h, NULL, n, yes);
            for (size_t j = 0; j < n; j++) assert_int_equal(yes[j], blm_has_hash(f, h[j]));
            assert_int_equal(yes[n], 7);
        }
        blm_free(f);
    }
}

/* Both ways to decode a group, whichever this machine takes; range=1e10 has remainders of more than 31 bits. */
static void each_way_of_decoding(void **state)
{
    static const char *const withs[] = {"",           "range=1",    "range=3",
                                        "range=1000", "range=1e6",  "range=1e9",
                                        "range=1e10", "range=1e15", "shards=3"};
    golomb_place p[BLM_AHEAD];
    uint8_t plain[BLM_AHEAD], eight[BLM_AHEAD];
    (void)state;
    for (size_t i = 0; i < COUNT(withs); i++) {
        blm_filter *f = built(BUILDER(.with = withs[i]), 3000);
        const blm_golomb_set *s = (const blm_golomb_set *)f;
        for (uint64_t from = 0; from < 6000; from += 97)
            for (size_t n = 1; n <= BLM_AHEAD; n += n < 20 ? 1 : 11) {
                for (size_t j = 0; j < n; j++) p[j] = golomb_find(s, blm_hash_u64(f, from + j).lo);
                blm_golomb_ask(s, p, n, plain);
                for (size_t j = 0; j < n; j++) assert_int_equal(plain[j], blm_has_u64(f, from + j));
                if (!blm_golomb_avx512_fits(s)) continue;
                blm_golomb_ask_avx512(s, p, n, eight);
                assert_memory_equal(plain, eight, n);
            }
        blm_free(f);
    }
}

/* A value that several keys have is kept once, and the rate as it stands counts values, not keys. */
static void equal_values_are_kept_once(void **state)
{
    (void)state;
    blm_filter *f = built(BUILDER(.with = "range=1"), 10000);
    const double range = (double)(field(f, "buckets") * field(f, "width")),
                 values = (double)field(f, "values");
    NEAR(values, range * (1 - exp(-10000 / range)), 0.03);
    NEAR(blm_fpr(f, NULL).high, values / range, 1e-12);
    assert_true(has_run(f, 0, 10000));
    blm_estimate n;
    OK(blm_cardinality(f, &n));
    assert_true(n.value == 10000 && n.low == 10000 && n.high == 10000);
    blm_free(f);
    f = NULL;
    OK(built_of_hashes(&f, BUILDER(.keys = 1000, .with = "range=16"), 1000,
                       1)); /* all of value 0 */
    assert_true(field(f, "members") == 1000 && field(f, "values") == 1);
    assert_true(blm_has_hash(f, (blm_hash){999, 0}) && !blm_has_hash(f, (blm_hash){UINT64_MAX, 0}));
    blm_free(f);
}

/* ---- one bucket ------------------------------------------------------------------------------------- */

/* A query tells of the index and of the words of one bucket: those of some 64 keys, wherever it is. */
static void a_query_reads_one_bucket(void **state)
{
    blm_touch t[BLM_TOUCH_MAX];
    (void)state;
    blm_filter *f = built(BUILDER(.fpr = 0.01, .with = "shards=3"), HUNDRED);
    const blm_golomb_set *s = (const blm_golomb_set *)f;
    double words = 0;
    for (uint64_t i = 0; i < 1000; i++) {
        const blm_hash h = blm_hash_u64(f, i * 97);
        const blm_item it = blm_item_u64(f, i * 97, BLM_NO_ARG);
        const size_t n = blm_touched(f, &it, t, BLM_TOUCH_MAX);
        assert_true(n > 4 && n < 4 + 20);
        const uint64_t bucket = blm_reduce(h.lo, s->shards * s->buckets),
                       shard = bucket / s->buckets;
        for (size_t j = 0; j < n; j++) {
            assert_int_equal(t[j].cell, bucket);
            assert_true(t[j].byte >= shard * s->stride && t[j].byte + 8 <= (shard + 1) * s->stride);
            assert_true(j < 5 || t[j].byte == t[j - 1].byte + 8);
        }
        words += (double)(n - 4) / 1000;
    }
    WITHIN(words, (61 * 8.08 + 3.5) / 64 + 0.5, 0.2); /* 8.08 bits per key: its own and 60 others */
    blm_free(f);
}

/* ---- bad input -------------------------------------------------------------------------------------- */

static void refusals(void **state)
{
    blm_filter *f = NULL;
    (void)state;
    REFUSED(blm_make(&f, "golomb keys=1e9 range=1e11", &why), BLM_E_ARG, "n M must be below 2^64");
    REFUSED(blm_make(&f, "golomb keys=1e15 fpr=1e-9", &why), BLM_E_ARG,
            "fewer keys or a higher rate");
    REFUSED(blm_make(&f, "golomb keys=100 fpr=1% hashes=3", &why), BLM_E_ARG, "one value per key");
    REFUSED(blm_make(&f, "golomb keys=100 shards=1.5", &why), BLM_E_ARG, "whole number");
    REFUSED(blm_make(&f, "golomb keys=100 bits=1KiB range=9", &why), BLM_E_ARG, "omit bits");
    REFUSED(blm_make(&f, "golomb keys=100 range=0.5", &why), BLM_E_ARG, "range=0.5");
    assert_null(f);
    f = made("golomb keys=2 shards=9");
    assert_int_equal(field(f, "shards"), 2);
    assert_int_equal(blm_add_u64(f, 1), BLM_E_CANNOT);
    assert_int_equal(blm_del(f, "x", 1), BLM_E_CANNOT);
    blm_filter *g = made("golomb keys=2 shards=9");
    REFUSED(blm_merge(f, g, &why), BLM_E_CANNOT, "from all keys");
    blm_free(g);
    blm_free(f);
}

/* The most values that there can be: below 2^64, and found again. */
static void largest_range(void **state)
{
    (void)state;
    blm_filter *f = built(BUILDER(.with = "range=9e18"), 2);
    assert_true(has_run(f, 0, 2) && !blm_has_u64(f, 2));
    blm_free(f);
    f = built(BUILDER(.with = "range=1.8e16,shards=3"), 1000);
    assert_true(has_run(f, 0, 1000) && !has_run(f, 1000, 1) && field(f, "values") == 1000);
    blm_free(f);
}

static void no_keys_at_all(void **state)
{
    (void)state;
    blm_filter *f = built(BUILDER(.fpr = 0.5), 0);
    for (uint64_t i = 0; i < 1000; i++) assert_false(blm_has_u64(f, i));
    assert_int_equal(false_yes(f, 1000), 0);
    assert_true(blm_fpr(f, NULL).high <= 0);
    blm_free(f);
    f = built(BUILDER(.keys = 100000, .fpr = 0.5), 10); /* room for more than come */
    assert_true(has_run(f, 0, 10));
    blm_free(f);
}

/* Hashes that crowd into some buckets: the room grows until they fit, or the sentence says why they do not. */
static void uneven_hashes(void **state)
{
    blm_filter *f = NULL;
    (void)state;
    OK(built_of_hashes(&f, BUILDER(.keys = 100000, .fpr = 0.001), 100000, UINT64_C(1) << 45));
    assert_true(field(f, "widened") > 0 && field(f, "values") > 95000);
    for (uint64_t i = 0; i < 100000; i++) assert_true(blm_has_hash(f, (blm_hash){i << 45, 0}));
    OK(f->kind->check(f, &why));
    blm_free(f);
    f = NULL;
    REFUSED(
        built_of_hashes(&f, BUILDER(.keys = 10000, .with = "shards=40"), 10000, UINT64_C(1) << 43),
        BLM_E_BUILD, "uneven");
    SAYS("8 times");
    assert_null(f);
}

/* ---- cells that lie --------------------------------------------------------------------------------- */

/* A filter whose cells may be written to, and its only section. */
static blm_golomb_set *liar(void)
{
    blm_filter *f = built(BUILDER(.fpr = 0.01), 5000);
    blm_golomb_set *s = (blm_golomb_set *)f;
    assert_true(s->shards == 1 && s->buckets == 83);
    OK(f->kind->check(f, &why));
    return s;
}

/* It is found out; and unchecked, every answer ends within the cells. */
static void found_out(blm_golomb_set *s)
{
    static blm_hash h[2000];
    static uint8_t yes[2000];
    blm_filter *f = &s->base;
    uint64_t sum = 0;
    uint8_t *cells = malloc(f->bytes), *own = f->cells; /* ends where the allocator's does */
    assert_non_null(cells);
    memcpy(cells, own, f->bytes);
    f->cells = cells;
    REFUSED(f->kind->check(f, &why), BLM_E_IMAGE, "damaged");
    for (uint64_t i = 0; i < 2000; i++) {
        h[i] = blm_hash_u64(f, i);
        sum += blm_has_hash(f, h[i]);
    }
    blm_has_many(f, h, NULL, 2000, yes);
    for (uint64_t i = 0; i < 2000; i++) assert_int_equal(yes[i], blm_has_hash(f, h[i]));
    assert_true(sum + false_yes(f, 2000) <= 4000);
    f->cells = own;
    free(cells);
    blm_free(f);
}

static void codes_that_never_end(void **state)
{
    (void)state;
    blm_golomb_set *s = liar();
    memset(s->base.cells + s->codes, 0xff, s->stride - s->codes);
    found_out(s);
    s = liar();
    memset(s->base.cells + s->codes, 0, s->stride - s->codes); /* all values follow each other */
    found_out(s);
}

static void an_index_out_of_order(void **state)
{
    static const uint64_t supers[][3] = {
        {40000, 20000, 0}, {0, UINT64_MAX, 5}, {UINT64_MAX, 0, UINT64_MAX},
        {0, 0, 0},         {1, 2, 3},          {0, UINT64_C(1) << 63, 0}};
    (void)state;
    for (size_t i = 0; i < COUNT(supers); i++) {
        blm_golomb_set *s = liar();
        for (size_t j = 0; j < 3; j++) blm_put64(s->base.cells + s->supers + j * 8, supers[i][j]);
        found_out(s);
    }
    for (unsigned byte = 0; byte < 256; byte += 51) {
        blm_golomb_set *s = liar();
        memset(s->base.cells + s->entries, (int)byte, s->codes - s->entries);
        found_out(s);
    }
}

/* Any one bit that is changed is found out in the number of values, in the supers, after the last entry and after the last
 * code. An entry moves the border between two buckets: where it comes to lie between two codes, both may be buckets of other
 * values. So may a bucket with another remainder. */
static void one_bit_that_is_wrong(void **state)
{
    uint64_t passed = 0;
    (void)state;
    blm_golomb_set *s = liar();
    blm_filter *f = &s->base;
    const uint64_t end = golomb_first(s, f->cells, s->buckets);
    const uint64_t entries = (s->buckets + 1) * s->entry;
    for (uint64_t bit = 0; bit < f->bytes * 8; bit++) {
        const bool in_entries = bit >= s->entries * 8 && bit < s->entries * 8 + entries,
                   in_codes = bit / 8 >= s->codes && bit / 8 <= s->codes + end / 8;
        if (in_codes) continue;
        f->cells[bit / 8] ^= (uint8_t)(1u << bit % 8);
        const blm_err err = f->kind->check(f, &why);
        f->cells[bit / 8] ^= (uint8_t)(1u << bit % 8);
        assert_true(err == BLM_E_IMAGE || in_entries);
        passed += !err;
    }
    assert_true(passed < entries / 20);
    f->cells[s->codes + end / 8] ^=
        (uint8_t)(1u << (7 - end % 8)); /* the bit after the last code */
    REFUSED(f->kind->check(f, &why), BLM_E_IMAGE, "damaged: shard 0");
    f->cells[s->codes + end / 8] ^= (uint8_t)(1u << (7 - end % 8));
    s->values--;
    REFUSED(f->kind->check(f, &why), BLM_E_IMAGE, "5000 keys");
    s->values++;
    s->members = s->values - 1;
    REFUSED(f->kind->check(f, &why), BLM_E_IMAGE, "recorded");
    blm_free(f);
}

/* The highest value of all buckets. */
static uint64_t highest_value(const blm_golomb_set *s)
{
    const uint8_t *section = s->base.cells;
    uint64_t max = 0;
    for (uint64_t b = 0; b < s->buckets; b++) {
        uint64_t at = golomb_first(s, section, b), next = 0;
        for (const uint64_t end = golomb_first(s, section, b + 1); at < end;)
            next += blm_code_get_long(section + s->codes, &at, end, &s->code, s->most) + 1;
        if (next > max + 1) max = next - 1;
    }
    return max;
}

static void values_past_their_bucket(void **state)
{
    (void)state;
    blm_golomb_set *s = liar();
    s->width = highest_value(s) + 1;
    OK(s->base.kind->check(&s->base, &why));
    s->width--;
    REFUSED(s->base.kind->check(&s->base, &why), BLM_E_IMAGE, "damaged");
    blm_free(&s->base);
}

/* After two buckets the next super is 32 times their bits away: one more moves no line, but is not what they make. */
static void a_super_that_moves_no_line(void **state)
{
    (void)state;
    blm_filter *f = built(BUILDER(.fpr = 0.01), 120);
    blm_golomb_set *s = (blm_golomb_set *)f;
    uint8_t *super = f->cells + s->supers + 8;
    assert_int_equal(s->buckets, 2);
    assert_int_equal(blm_le64(super), 32 * golomb_first(s, f->cells, 2));
    blm_put64(super, blm_le64(super) + 1);
    REFUSED(f->kind->check(f, &why), BLM_E_IMAGE, "damaged");
    blm_free(f);
}

/* Fields of an image that contradict each other, or ask for more than 2^64 values. */
static void fields_that_are_too_large(void **state)
{
    uint64_t bytes = 0;
    (void)state;
    blm_golomb_set *s = liar();
    const blm_golomb_set kept = *s;
    blm_filter *f = &s->base;
    s->width = UINT64_MAX / s->buckets + 1;
    REFUSED(f->kind->shape(f, &bytes, &why), BLM_E_ARG, "below 2^64");
    *s = kept;
    s->shards = UINT64_C(1) << 32;
    s->buckets = UINT64_C(1) << 33;
    REFUSED(f->kind->shape(f, &bytes, &why), BLM_E_ARG, "below 2^64");
    *s = kept;
    s->shards = 1 << 10;
    s->room = UINT64_C(1) << 54;
    OK(f->kind->shape(f, &bytes, &why));
    assert_true(bytes == UINT64_MAX || bytes > UINT64_C(1) << 60);
    *s = kept;
    blm_free(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(codes_of_the_papers),
        cmocka_unit_test(first_block_of_bip_158),
        cmocka_unit_test(bits_of_the_papers),
        cmocka_unit_test(bits_are_the_sums),
        cmocka_unit_test(bits_per_key),
        cmocka_unit_test(rates),
        cmocka_unit_test(batches_answer_as_single_queries),
        cmocka_unit_test(each_way_of_decoding),
        cmocka_unit_test(equal_values_are_kept_once),
        cmocka_unit_test(a_query_reads_one_bucket),
        cmocka_unit_test(refusals),
        cmocka_unit_test(largest_range),
        cmocka_unit_test(no_keys_at_all),
        cmocka_unit_test(uneven_hashes),
        cmocka_unit_test(codes_that_never_end),
        cmocka_unit_test(an_index_out_of_order),
        cmocka_unit_test(one_bit_that_is_wrong),
        cmocka_unit_test(values_past_their_bucket),
        cmocka_unit_test(a_super_that_moves_no_line),
        cmocka_unit_test(fields_that_are_too_large),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
