/* test.c - ribbon: sizes, rates, what happens when equations contradict each other, and the figures of the papers. */
#include "lanes.h"
#include "kinds/rates.h"
#include "oracles.h"

static const char *const all_forms[] = {"",
                                        "form=bumped",
                                        "form=bumped width=128",
                                        "form=standard",
                                        "form=standard width=128",
                                        "form=homogeneous",
                                        "form=homogeneous width=128"};

/* The integers from .. from+n-1, planned for `keys`. */
static blm_filter *built(uint64_t keys, double fpr, const char *with, uint64_t from, uint64_t n)
{
    blm_builder *b = NULL;
    blm_filter *f = NULL;
    OK(blm_builder_new(&b, BLM_CONFIG(.kind = "ribbon", .keys = keys, .fpr = fpr, .with = with),
                       &why));
    for (uint64_t i = from; i < from + n; i++)
        assert_int_equal(blm_builder_add(b, 0, &i, 8, BLM_NO_ARG), BLM_OK);
    OK(blm_build(&f, b, &why));
    return f;
}

/* One by one and in batches of odd sizes, which go other ways. */
static bool all_there(const blm_filter *f, uint64_t n)
{
    uint64_t key[300];
    uint8_t yes[300];
    for (uint64_t from = 0; from < n; from += COUNT(key)) {
        const size_t here = n - from < COUNT(key) ? (size_t)(n - from) : COUNT(key);
        for (size_t i = 0; i < here; i++) key[i] = from + i;
        blm_has_many_u64(f, key, here, yes);
        for (size_t i = 0; i < here; i++)
            if (!yes[i]) return false;
    }
    return has_run(f, 0, n);
}

/* Whichever of them this machine takes. */
static void each_way_of_asking(void **state)
{
    enum { KEYS = 3000, ASKED = 700 };
    static const size_t sizes[] = {0, 1, 7, 8, 9, 63, 64, 65, 128, 300, ASKED};
    static uint8_t yes[3][ASKED];
    blm_hash h[ASKED];
    (void)state;
    for (size_t i = 0; i < COUNT(all_forms); i++) {
        blm_filter *f = built(KEYS, 0.01, all_forms[i], 0, KEYS);
        const blm_ribbon *r = (const blm_ribbon *)f;
        for (uint64_t j = 0; j < ASKED; j++) h[j] = blm_hash_u64(f, KEYS - ASKED / 2 + j);
        for (size_t k = 0; k < COUNT(sizes); k++)
            for (size_t more = 0; more <= ASKED - sizes[k]; more += 33) {
                const size_t n = sizes[k];
                blm_ribbon_ask_plain(r, h, n, more, yes[0]);
                blm_ribbon_ask_counting(r, h, n, more, yes[1]);
                assert_memory_equal(yes[0], yes[1], n);
                for (size_t j = 0; j < n; j++) assert_int_equal(yes[0][j], blm_has_hash(f, h[j]));
                if (!blm_ribbon_avx512_fits(r)) continue;
                blm_ribbon_ask_avx512(r, h, n, more, yes[2]);
                assert_memory_equal(yes[0], yes[2], n);
            }
        blm_free(f);
    }
}

static double bits_per_key(const blm_filter *f, double keys)
{
    return 8 * (double)info_of(f).bytes / keys;
}

/* ---- the papers ------------------------------------------------------------------------------------ */

/* Does one seed work: n rows of w coefficients in n (1 + more) slots? A row that is redundant counts as a failure. The
 * starts come in order, which changes nothing but the time. */
static bool one_seed(unsigned w, uint64_t n, double more, uint64_t *state)
{
    const uint64_t m = (uint64_t)ceil((double)n * (1 + more)), starts = m - w + 1;
    blm_band b = {calloc(m, 8), w == 128 ? calloc(m, 8) : NULL, calloc(m, 4), m};
    uint32_t *count = calloc(starts, sizeof *count);
    bool works = true;
    assert_true(b.low && b.right && count);
    for (uint64_t i = 0; i < n; i++) count[blm_reduce(draw(state), starts)]++;
    for (uint64_t s = 0; s < starts; s++)
        for (uint32_t i = 0; i < count[s] && works; i++) {
            const uint64_t low = draw(state) | 1, high = w == 128 ? draw(state) : 0;
            const blm_band_row row = {w == 32 ? low & UINT32_MAX : low, high, s, 0};
            works = blm_band_put(&b, row) < m;
        }
    free(b.low);
    free(b.high);
    free(b.right);
    free(count);
    return works;
}

/* 99 % of the binomial, and 0.03 for the trials behind the figure itself, which is rounded, too. */
static void success_of_one_seed(void **state)
{
    static const struct {
        unsigned w;
        double n, more, success;
    } table[] = {{32, 1e3, .116, .93},  {32, 1e4, .182, .93},  {32, 1e5, .284, .97},
                 {32, 1e6, .284, .92},  {64, 1e3, .048, .97},  {64, 1e4, .060, .92},
                 {64, 1e5, .093, 1.0},  {64, 1e6, .146, 1.0},  {128, 1e3, .020, .94},
                 {128, 1e4, .024, .95}, {128, 1e5, .031, .93}, {128, 1e6, .048, .92}};
    char what[80];
    (void)state;
    for (size_t i = 0; i < COUNT(table); i++) {
        const double n = table[i].n, p = table[i].success, q = fmin(p, 0.98);
        const unsigned trials = n < 2e3 ? 400 : n < 2e4 ? 80 : n < 2e5 ? 16 : 4;
        const double off = 2.576 * sqrt(q * (1 - q) / trials) + 0.03;
        uint64_t seed = i + 1;
        unsigned works = 0;
        for (unsigned t = 0; t < trials; t++)
            works += one_seed(table[i].w, (uint64_t)n, table[i].more, &seed);
        snprintf(what, sizeof what, "w=%u n=%g: success of a seed with %g %% more slots",
                 table[i].w, n, table[i].more * 100);
        ORACLE_BETWEEN("3.B3", what, p, p - off, fmin(p + off, 1), (double)works / trials);
    }
}

/* rate 2^r of the homogeneous form at (4 + r/4)/w more slots, one shard. */
static void rate_of_homogeneous(void **state)
{
    static const struct {
        unsigned w, r;
        uint64_t n;
        double low, high;
    } table[] = {{128, 4, 10000, .93, 1.03},
                 {128, 8, 10000, .93, 1.03},
                 {128, 8, 200000, .93, 1.03},
                 {64, 4, 10000, .997, 1.03},
                 {64, 8, 100000, .997, 1.03}};
    char what[80], with[60];
    (void)state;
    for (size_t i = 0; i < COUNT(table); i++) {
        snprintf(with, sizeof with, "form=homogeneous shards=1 width=%u", table[i].w);
        snprintf(what, sizeof what, "homogeneous w=%u r=%u n=%u: rate x 2^r", table[i].w,
                 table[i].r, (unsigned)table[i].n);
        blm_filter *f = built(table[i].n, ldexp(1, -(int)table[i].r), with, 0, table[i].n);
        const uint64_t asked = 1000000;
        const double rate = (double)false_yes(f, asked) / (double)asked * ldexp(1, (int)table[i].r),
                     noise = 2.576 * sqrt(ldexp(1, (int)table[i].r) / (double)asked);
        ORACLE_BETWEEN("3.B3", what, 1, table[i].low - noise, table[i].high + noise, rate);
        blm_free(f);
    }
}

static void sizes(void **state)
{
    static const struct {
        const char *with, *what;
        double keys, fpr, most;
    } table[] = {
        {"", "2^-8: r + 3 %", 1e6, 0x1p-8, 8.24},
        {"", "1 %", 1e6, 0.01, 7.1},
        {"", "2^-8: r + 3 %", 1e7, 0x1p-8, 8.24},
        {"", "1 %", 1e7, 0.01, 7.1},
        {"shards=1", "2^-8 in one shard: well below 1 %", 1e5, 0x1p-8, 8.08},
        {"form=standard width=128", "0.953 %: not 7.05 but at most 7.2", 1e6, 0.00953, 7.2},
    };
    char what[100];
    (void)state;
    for (size_t i = 0; i < COUNT(table); i++) {
        blm_filter *f = made_new(BLM_CONFIG(.kind = "ribbon", .keys = (uint64_t)table[i].keys,
                                            .fpr = table[i].fpr, .with = table[i].with));
        snprintf(what, sizeof what, "bits per key, n=%g %s %s", table[i].keys, table[i].with,
                 table[i].what);
        ORACLE_AT_MOST("3.B3", what, table[i].most, bits_per_key(f, table[i].keys));
        blm_free(f);
    }
}

/* ---- rates ------------------------------------------------------------------------------------------ */

/* 99.99 % of the binomial. */
static void check_rate(blm_filter *f, uint64_t asked)
{
    const double p = blm_fpr(f, NULL).high, n = (double)asked;
    WITHIN((double)false_yes(f, asked), p * n, 3.9 * sqrt(p * (1 - p) * n));
}

static void rates_in_a_shard_and_across(void **state)
{
    static const char *const shards[] = {"shards=1", "shards=3", "shards=40"};
    (void)state;
    for (size_t i = 0; i < COUNT(all_forms); i++)
        for (size_t j = 0; j < COUNT(shards) && !(TEST_SLOW && j); j++) {
            char with[80];
            snprintf(with, sizeof with, "%s %s", all_forms[i], shards[j]);
            const uint64_t keys = j ? 30000 : 100000;
            blm_filter *f = built(keys, 0.01, with, 0, keys);
            assert_true(all_there(f, keys));
            assert_true(blm_fpr(f, NULL).high <= 0.01 &&
                        blm_fpr(f, NULL).high > (j ? 0.009 : 0.0098));
            check_rate(f, 100000);
            blm_free(f);
        }
}

/* Between two powers of two, too, the rate is the one that is asked for, and takes no bit more than it must. */
static void a_rate_is_no_power_of_two(void **state)
{
    static const double rates[] = {0.4, 0.26, 0.1, 0.03, 0.011, 0.0011};
    (void)state;
    for (size_t i = 0; i < COUNT(rates); i++) {
        blm_filter *f = built(20000, rates[i], "form=bumped", 0, 20000);
        const double p = blm_fpr(f, NULL).high;
        assert_true(p <= rates[i] && p > 0.98 * rates[i]);
        assert_true(bits_per_key(f, 20000) < (-log2(rates[i]) + 0.0861) * 1.015 + 0.03);
        assert_true(has_run(f, 0, 20000));
        check_rate(f, 200000);
        blm_free(f);
    }
}

/* Of a small set the second layer has one block, with its columns all or none narrow: bumped non-members, one in 16, have
 * another rate, and the theory says so (the two differ by 9 sigma). */
static void two_layers_of_two_rates(void **state)
{
    (void)state;
    blm_filter *f = built(1500, 0.4, "form=bumped", 0, 1500);
    const blm_ribbon *r = (const blm_ribbon *)f;
    assert_true(r->layer[1].narrow == 0 && r->layer[0].narrow > 0);
    assert_true(blm_fpr(f, NULL).high < 0.395 && all_there(f, 1500));
    check_rate(f, 200000);
    blm_free(f);
}

/* Free slots of zeros would say yes to all: the rate of few keys in much room is that of many. */
static void few_keys_in_much_room(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(all_forms); i++)
        for (uint64_t n = 1; n < 100; n *= 33) {
            blm_filter *f = built(3000, 0x1p-5, all_forms[i], 0, n);
            assert_true(has_run(f, 0, n));
            check_rate(f, 100000);
            blm_free(f);
        }
}

static void no_key_is_always_no(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(all_forms); i++) {
        blm_filter *f = built(100, 0.4, all_forms[i], 0, 0);
        assert_int_equal(false_yes(f, 2000), 0);
        for (uint64_t key = 0; key < 50; key++) assert_false(blm_has_u64(f, key));
        assert_true(blm_fpr(f, NULL).high <= 0 && field(f, "members") == 0);
        blm_free(f);
    }
}

static void every_small_number_of_keys(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(all_forms); i++)
        for (uint64_t n = 1; n < 300; n += 1 + (TEST_SLOW ? 40 : 0) + n / 40) {
            blm_filter *f = built(n, 0.1, all_forms[i], n, n);
            assert_true(has_run(f, n, n));
            blm_estimate keys;
            assert_true(!blm_cardinality(f, &keys) && keys.low >= (double)n &&
                        keys.high <= (double)n);
            blm_free(f);
        }
}

/* ---- when equations contradict each other ------------------------------------------------------------- */

enum { LOOSE = 600 };

/* A filter with other blocks than planned, and sorted random rows for one shard. */
static blm_ribbon *with_blocks(const char *with, uint64_t blocks, uint64_t spill,
                               uint64_t lo[LOOSE])
{
    blm_filter *f =
        made_new(BLM_CONFIG(.kind = "ribbon", .keys = 4000, .fpr = 0x1p-8, .with = with));
    blm_ribbon *r = (blm_ribbon *)f;
    uint64_t bytes = 0, state = 5;
    r->blocks = r->narrow = blocks;
    r->spill = spill;
    OK(f->kind->shape(f, &bytes, &why));
    assert_true(bytes <= f->bytes);
    for (unsigned i = 0; i < LOOSE; i++) lo[i] = draw(&state) >> 10 | (uint64_t)i << 54;
    return r;
}

/* With fewer slots than keys no seed works; widened a few times, one does; widening ends. */
static void no_seed_works(void **state)
{
    static const char *const forms[] = {"form=standard", "form=bumped", "form=standard width=128"};
    uint64_t lo[LOOSE], bytes;
    (void)state;
    for (size_t i = 0; i < COUNT(forms); i++) {
        blm_ribbon *r = with_blocks(forms[i], 8, i == 1, lo);
        const blm_kind *k = r->base.kind;
        const blm_rows rows = {lo, NULL, NULL, LOOSE};
        unsigned times = 0;
        REFUSED(k->build_part(&r->base, 0, &rows, &why), BLM_E_BUILD, "no seed of 8");
        while (k->build_part(&r->base, 0, &rows, NULL) == BLM_E_BUILD) {
            OK(k->widen(&r->base, &why));
            OK(k->shape(&r->base, &bytes, &why));
            times++;
        }
        assert_true(times > 0 && r->wider == times);
        OK(k->built(&r->base, LOOSE, &why));
        for (unsigned j = 0; j < LOOSE; j++) {
            const blm_hash h = {lo[j], 0};
            assert_true(k->has(&r->base, h, NULL));
        }
        while (r->wider < RIBBON_WIDER) OK(k->widen(&r->base, &why));
        REFUSED(k->widen(&r->base, &why), BLM_E_BUILD, "8 times more room");
        blm_free(&r->base);
    }
}

static unsigned tries_of(const blm_filter *f, uint64_t shard)
{
    const uint64_t seed = blm_le64(blm_ribbon_head((const blm_ribbon *)f, shard));
    unsigned t = 0;
    while (t < 8 && blm_mix(t * BLM_SALT_STEP) != seed) t++;
    assert_true(t < 8);
    return t + 1;
}

/* A seed that fails is followed by another one; the mean number of seeds is below 1.3. */
static void some_seeds_fail(void **state)
{
    enum { SETS = TEST_SLOW ? 40 : 200 };
    unsigned tries = 0, more = 0;
    (void)state;
    for (uint64_t set = 0; set < SETS; set++) {
        blm_filter *f = built(1000, 0.1, "form=standard width=128", set << 20, 1000);
        assert_true(has_run(f, set << 20, 1000) && field(f, "wider") == 0);
        tries += tries_of(f, 0);
        more += tries_of(f, 0) > 1;
        blm_free(f);
    }
    assert_true(more > 0 && tries < SETS * 1.3);
}

/* Of these keys some are redundant with the first seed: the rate would be 1.7 times what it should be. */
static void redundant_rows_mean_another_seed(void **state)
{
    (void)state;
    blm_filter *f = built(10000, 0x1p-4, "form=homogeneous", 0, 10000);
    assert_true(tries_of(f, 0) == 2 && has_run(f, 0, 10000));
    check_rate(f, 100000);
    blm_free(f);
}

/* Bumped keys are found in the second layer, and non-members that would be bumped are asked there. */
static void bumped_keys_are_members(void **state)
{
    (void)state;
    for (unsigned width = 64; width <= 128; width += 64) {
        char with[60];
        snprintf(with, sizeof with, "form=bumped width=%u shards=1", width);
        blm_filter *f = built(50000, 0x1p-6, with, 0, 50000);
        const blm_ribbon *r = (const blm_ribbon *)f;
        unsigned bumped = 0, codes[4] = {0};
        for (uint64_t i = 0; i < 50000; i++) {
            const blm_hash h = blm_hash_of(f, &i, 8);
            bumped += blm_ribbon_find(r, h.lo).layer;
            assert_true(f->kind->has(f, h, NULL));
        }
        for (uint64_t i = 0; i < blm_ribbon_buckets(r); i++)
            codes[f->cells[RIBBON_HEAD + i / 4] >> i % 4 * 2 & 3]++;
        assert_true(codes[0] && codes[1] && codes[2]);
        /* Slots of the first layer that stay empty: below 0.3 %. */
        const double over = 50000 - 64.0 * (double)r->blocks;
        assert_true(bumped >= over && bumped < over + 150);
        blm_free(f);
    }
}

/* ---- what it refuses -------------------------------------------------------------------------------- */

static void refusals(void **state)
{
    blm_filter *f = NULL, *g = built(1000, 0.01, "", 0, 1000), *h = built(1000, 0.01, "", 0, 999);
    const uint64_t key = 3;
    (void)state;
    REFUSED(blm_make(&f, "ribbon keys=1000 hashes=3", &why), BLM_E_ARG, "no hashes to choose");
    REFUSED(blm_make(&f, "ribbon keys=1000 fpr=1e-10", &why), BLM_E_ARG, "32 bits per key");
    REFUSED(blm_make(&f, "ribbon keys=1e15 fpr=1%", &why), BLM_E_ARG, "2^24 shards");
    REFUSED(blm_make(&f, "ribbon keys=1e10 fpr=1% shards=2", &why), BLM_E_ARG, "2^31 keys");
    REFUSED(blm_make(&f, "ribbon keys=1000 bits=900b", &why), BLM_E_ARG, "too few for 1000 keys");
    REFUSED(blm_make(&f, "ribbon keys=1000 width=32", &why), BLM_E_ARG, "width=32");
    REFUSED(blm_make(&f, "ribbon keys=1000 form=bump", &why), BLM_E_ARG, "bumped");
    REFUSED(blm_merge(g, h, &why), BLM_E_CANNOT, "equations");
    assert_int_equal(blm_add(g, &key, 8), BLM_E_CANNOT);
    assert_int_equal(blm_del(g, &key, 8), BLM_E_CANNOT);
    f = made("ribbon keys=10 shards=100"); /* no more shards than keys */
    assert_int_equal(field(f, "shards"), 10);
    blm_free(f);
    blm_free(g);
    blm_free(h);
}

/* Fields that no plan makes, and codes past the last bucket. */
static void impossible_fields(void **state)
{
    static const blm_ribbon bad[] = {
        {.form = 0, .width = 65, .columns = 1, .blocks = 4, .narrow = 4, .spill = 2},
        {.form = 0, .width = 128, .columns = 1, .blocks = 1, .narrow = 1, .spill = 2},
        {.form = 0, .width = 128, .columns = 1, .blocks = 2, .narrow = 1, .spill = 1},
        {.form = 0, .width = 64, .columns = 1, .blocks = 2, .narrow = 1, .spill = 0},
        {.form = 1, .width = 64, .columns = 1, .blocks = 2, .narrow = 1, .spill = 1},
        {.form = 2, .width = 64, .columns = 1, .blocks = 2, .narrow = 3, .spill = 0},
        {.form = 1, .width = 64, .columns = 32, .blocks = 2, .narrow = 1, .spill = 0}};
    blm_filter *f = built(3000, 0.1, "form=bumped", 0, 3000);
    uint64_t bytes = 0;
    (void)state;
    for (size_t i = 0; i < COUNT(bad); i++) {
        blm_ribbon r = bad[i];
        r.shards = 1;
        REFUSED(f->kind->shape(&r.base, &bytes, &why), BLM_E_IMAGE, "no ribbon");
    }
    OK(f->kind->check(f, &why));
    f->cells[((const blm_ribbon *)f)->head - 1] |= 0x80;
    REFUSED(f->kind->check(f, &why), BLM_E_IMAGE, "after the last bucket");
    blm_free(f);
}

/* Bits are memory: no more are taken, and nearly all of them. */
static void bits_are_memory(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(all_forms); i++)
        for (uint64_t bits = 150000; bits < 2000000; bits += 77777) {
            blm_filter *f = made_new(
                BLM_CONFIG(.kind = "ribbon", .keys = 50000, .bits = bits, .with = all_forms[i]));
            const double used = 8 * (double)info_of(f).bytes;
            assert_true(used <= (double)bits + 63);
            assert_true(used > 0.998 * (double)bits || field(f, "columns") == 32);
            blm_free(f);
        }
    blm_filter *f = made("ribbon bits=1MiB fpr=1%"); /* how many keys? */
    WITHIN((double)info_of(f).capacity, 8388608 / 6.85, 8388608 * 0.001);
    blm_free(f);
}

/* A query reads the seed, a word of codes, and the columns of its blocks. */
static void what_a_query_reads(void **state)
{
    static const unsigned blocks[] = {2, 2, 3, 2, 3, 2, 3};
    (void)state;
    for (size_t i = 0; i < COUNT(all_forms); i++) {
        blm_filter *f = built(9000, 0x1p-7, all_forms[i], 0, 9000);
        const unsigned codes = field(f, "form") == 0;
        uint64_t full = 0;
        for (uint64_t key = 0; key < 200; key++) {
            blm_touch t[BLM_TOUCH_MAX];
            const blm_item it = {blm_hash_of(f, &key, 8), &key, 8, BLM_NO_ARG};
            const size_t n = blm_touched(f, &it, t, COUNT(t));
            assert_true(n == 1 + codes + 7 * blocks[i] || n == 1 + codes + 7 * (blocks[i] - 1));
            full += n == 1 + codes + 7 * blocks[i];
            check_touched(f, &it, t, COUNT(t), n);
        }
        assert_true(full > 180);
        blm_free(f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_way_of_asking),
        cmocka_unit_test(success_of_one_seed),
        cmocka_unit_test(rate_of_homogeneous),
        cmocka_unit_test(sizes),
        cmocka_unit_test(rates_in_a_shard_and_across),
        cmocka_unit_test(a_rate_is_no_power_of_two),
        cmocka_unit_test(two_layers_of_two_rates),
        cmocka_unit_test(few_keys_in_much_room),
        cmocka_unit_test(no_key_is_always_no),
        cmocka_unit_test(every_small_number_of_keys),
        cmocka_unit_test(no_seed_works),
        cmocka_unit_test(some_seeds_fail),
        cmocka_unit_test(redundant_rows_mean_another_seed),
        cmocka_unit_test(bumped_keys_are_members),
        cmocka_unit_test(refusals),
        cmocka_unit_test(impossible_fields),
        cmocka_unit_test(bits_are_memory),
        cmocka_unit_test(what_a_query_reads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
