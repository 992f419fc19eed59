/* test_many.c - batches of counting in small filters: probes that meet, neighbours in one byte, counters at their ceilings.
 *
 * A batch must leave the bytes of one key at a time, and give its answers. Keys have from 1 to 20 counters: up to 16 are kept from
 * the fetch to the use.
 */
#include "core/unit.h"
#include "core/kind.h"

enum { KEYS = 300, CELLS = 1280 };

typedef struct crowd {
    blm_hash h[KEYS];
    uint8_t one[KEYS], many[KEYS];
} crowd;

static blm_filter *small(unsigned width, unsigned hashes, const char *layout)
{
    char with[60];
    snprintf(with, sizeof with, "layout=%s width=%u", layout, width);
    return made_new(BLM_CONFIG(.kind = "counting", .bits = (uint64_t)CELLS * width,
                               .hashes = hashes, .keys = 100, .seed = 1, .with = with,
                               .overfill = true));
}

/* Keys of a few, so that some come again and again. */
static void draw_keys(crowd *c, const blm_filter *f, uint64_t *state, uint64_t from)
{
    for (size_t i = 0; i < KEYS; i++) c->h[i] = blm_hash_u64(f, draw(state) % from);
}

static void add_both(crowd *c, blm_filter *one, blm_filter *many, size_t n)
{
    size_t done = 0;
    for (size_t i = 0; i < n; i++) {
        bool fresh = false;
        OK(blm_add_item(one, &(const blm_item){c->h[i], NULL, 8, BLM_NO_ARG}, &fresh));
        c->one[i] = fresh;
    }
    OK(blm_add_many(many, c->h, NULL, n, c->many, &done));
    assert_int_equal(done, n);
    assert_memory_equal(c->one, c->many, n);
    assert_true(blm_equal(one, many));
}

static void delete_both(crowd *c, blm_filter *one, blm_filter *many, size_t n)
{
    size_t done = 0;
    for (size_t i = 0; i < n; i++) {
        const blm_err err = blm_del_item(one, &(const blm_item){c->h[i], NULL, 8, BLM_NO_ARG});
        assert_true(!err || err == BLM_E_ABSENT);
        c->one[i] = err == BLM_E_ABSENT;
    }
    OK(blm_del_many(many, c->h, NULL, n, c->many, &done));
    assert_int_equal(done, n);
    assert_memory_equal(c->one, c->many, n);
    assert_true(blm_equal(one, many));
}

static void ask_both(crowd *c, const blm_filter *f, size_t n)
{
    blm_estimate one, many[KEYS];
    blm_has_many(f, c->h, NULL, n, c->many);
    OK(blm_count_many(f, c->h, n, many));
    for (size_t i = 0; i < n; i++) {
        const blm_item it = {c->h[i], NULL, 8, BLM_NO_ARG};
        OK(blm_count_item(f, &it, &one));
        assert_int_equal(c->many[i], blm_has_item(f, &it));
        assert_true(one.value == many[i].value && one.bound == many[i].bound);
    }
}

static void as_one_by_one(unsigned width, unsigned hashes, const char *layout)
{
    static const size_t lengths[] = {0, 1, 15, 33, KEYS};
    static crowd c;
    blm_filter *one = small(width, hashes, layout), *many = small(width, hashes, layout);
    uint64_t state = width * 100 + hashes;
    for (unsigned round = 0; round < 12; round++)
        for (size_t i = 0; i < COUNT(lengths); i++) {
            draw_keys(&c, one, &state, round % 3 ? 40 : 400);
            add_both(&c, one, many, lengths[i]);
            if (round % 2) continue; /* they rise, up to the ceiling */
            ask_both(&c, many, lengths[i]);
            draw_keys(&c, one, &state, 300);
            delete_both(&c, one, many, lengths[i]);
            draw_keys(&c, one, &state, 1000);
            ask_both(&c, many, lengths[i]);
        }
    blm_info info;
    blm_info_of(one, &info);
    assert_true(width > 4 || !(info.promises & BLM_DEL_EXACT)); /* some were stuck */
    OK(many->kind->check(many, &why)); /* the census is that of the counters */
    blm_free(one);
    blm_free(many);
}

static const unsigned hashes[] = {1, 2, 3, 7, 10, 16, 17, 20};

static void spread_as_one_by_one(void **state)
{
    static const unsigned widths[] = {2, 3, 4, 5, 8, 16};
    (void)state;
    for (size_t i = 0; i < COUNT(widths); i++)
        for (size_t j = 0; j < COUNT(hashes); j++) as_one_by_one(widths[i], hashes[j], "spread");
}

static void lines_as_one_by_one(void **state)
{
    static const unsigned widths[] = {2, 4, 8, 16};
    (void)state;
    for (size_t i = 0; i < COUNT(widths); i++)
        for (size_t j = 0; j < COUNT(hashes); j++) as_one_by_one(widths[i], hashes[j], "line");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(spread_as_one_by_one),
        cmocka_unit_test(lines_as_one_by_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
