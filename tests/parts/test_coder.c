/* test_coder.c - cells in fewer bytes and back: exact, near the entropy, and safe with any bytes.
 *
 * Buffers end where malloc's do, so that a sanitizer sees a step outside.
 */
#include "core/unit.h"
#include "parts/coder.h"

enum { MILLION_TEN = 10000000, SMALL_MAX = 40 };

static uint64_t random_state;

static uint64_t next_random(void)
{
    uint64_t z = random_state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

/* Each bit is one with probability p. */
static uint8_t *random_cells(size_t bytes, double p, uint64_t seed)
{
    uint8_t *cells = calloc(1, bytes ? bytes : 1);
    assert_non_null(cells);
    random_state = seed;
    for (size_t i = 0; i < bytes * 8; i++)
        if ((double)(next_random() >> 11) * 0x1p-53 < p) cells[i / 8] |= (uint8_t)(1u << i % 8);
    return cells;
}

typedef enum way { GAPS, BYTES, WAYS } way;

static size_t encode(way w, const uint8_t *cells, size_t bytes, uint8_t *out, size_t room)
{
    return w == GAPS ? blm_gaps_encode(cells, bytes, blm_ones_in(cells, bytes), out, room)
                     : blm_bytes_encode(cells, bytes, out, room);
}

static bool decode(way w, const uint8_t *in, size_t n, uint8_t *cells, size_t bytes)
{
    return w == GAPS ? blm_gaps_decode(in, n, cells, bytes) : blm_bytes_decode(in, n, cells, bytes);
}

/* Coded and decoded again, from a buffer of the code's length. Returns the bytes of the code. */
static size_t round_trip(way w, const uint8_t *cells, size_t bytes)
{
    const size_t room = 2 * bytes + 2048;
    uint8_t *out = malloc(room), *back = calloc(1, bytes ? bytes : 1);
    assert_true(out && back);
    const size_t n = encode(w, cells, bytes, out, room);
    assert_int_not_equal(n, 0);
    uint8_t *code = malloc(n);
    assert_non_null(code);
    memcpy(code, out, n);
    assert_true(decode(w, code, n, back, bytes));
    assert_memory_equal(cells, back, bytes);
    free(code);
    free(back);
    free(out);
    return n;
}

/* ---- numbers ------------------------------------------------------------------------------------------- */

static void varints_have_one_form(void **state)
{
    (void)state;
    const uint64_t some[] = {0, 1, 127, 128, 16383, 16384, UINT64_MAX >> 1, UINT64_MAX};
    const size_t lengths[] = {1, 1, 1, 2, 2, 3, 9, 10};
    uint8_t p[BLM_VARINT_MAX];
    uint64_t v;
    for (size_t i = 0; i < COUNT(some); i++) {
        assert_int_equal(blm_varint_put(p, some[i]), lengths[i]);
        assert_int_equal(blm_varint_get(p, sizeof p, &v), lengths[i]);
        assert_true(v == some[i]);
        assert_int_equal(blm_varint_get(p, lengths[i] - 1, &v), 0);
    }
    assert_int_equal(blm_varint_get((const uint8_t[]){0x81, 0}, 2, &v), 0); /* 1, in two bytes */
    memset(p, 0xff, sizeof p);
    p[9] = 2; /* 2^64 */
    assert_int_equal(blm_varint_get(p, sizeof p, &v), 0);
}

/* The two worked instances of bitio.h, low bit first: 0 0 1 | 0 1 and 0 0 1 | 1 1 | 1. */
static void golomb_is_as_drawn(void **state)
{
    (void)state;
    uint8_t p[16] = {0};
    const blm_golomb five = blm_golomb_of(5);
    blm_bit_writer w = {.p = p, .room = 2};
    blm_golomb_put(&w, &five, 12);
    blm_golomb_put(&w, &five, 14);
    assert_int_equal(blm_bits_end(&w), 2);
    assert_int_equal(p[0] | p[1] << 8, 1 << 2 | 2 << 3 | 1 << 7 | 3 << 8 | 1 << 10);
}

static void golomb_takes_any_number(void **state)
{
    (void)state;
    const uint64_t ms[] = {
        1, 2, 3, 5, 7, 8, 14, 69, 1000, 65536, UINT64_C(1) << 40, BLM_GOLOMB_MAX};
    uint8_t *p = malloc(1 << 16);
    assert_non_null(p);
    for (size_t i = 0; i < COUNT(ms); i++) {
        const blm_golomb g = blm_golomb_of(ms[i]);
        const uint64_t top = ms[i] > 1000 ? ms[i] * 70 : 7000;
        blm_bit_writer w = {.p = p, .room = 1 << 16};
        uint64_t bits = 0;
        random_state = 1;
        for (int j = 0; j < 200; j++) {
            const uint64_t v = j < 100 ? (uint64_t)j : next_random() % top;
            if (bits / 8 > (1 << 16) - 2000) break;
            bits += blm_golomb_bits(&g, v);
            blm_golomb_put(&w, &g, v);
        }
        const size_t n = blm_bits_end(&w);
        assert_false(w.over);
        assert_int_equal(n, (bits + 7) / 8);
        blm_bit_reader r = {.p = p, .n = n};
        random_state = 1;
        bits = 0;
        for (int j = 0; j < 200; j++) {
            const uint64_t v = j < 100 ? (uint64_t)j : next_random() % top;
            if (bits / 8 > (1 << 16) - 2000) break;
            bits += blm_golomb_bits(&g, v);
            assert_true(blm_golomb_get(&r, &g, UINT64_MAX >> 1) == v && !r.over);
        }
        assert_true(blm_bits_ended(&r));
    }
    free(p);
}

/* The best parameter by Gallager and van Voorhis, searched from 1 on. */
static void golomb_parameter_is_the_best(void **state)
{
    (void)state;
    const uint64_t m = 100000000;
    for (uint64_t ones = 1000; ones <= m * 2 / 5; ones += ones / 7) {
        const double q = 1 - (double)ones / (double)m;
        const uint64_t got = blm_golomb_best(ones, m);
        const double near = log(1 + q) / -log(q);
        if (fabs(near - round(near)) < 0.02) continue; /* two are equally good */
        if (fabs((double)got - ceil(near)) > 0.002 * near)
            fail_msg("%llu ones: %llu, expected %.4f up", (unsigned long long)ones,
                     (unsigned long long)got, near);
    }
    assert_true(blm_golomb_best(0, m) == BLM_GOLOMB_MAX && blm_golomb_best(m, m) == 1);
}

/* ---- codes as papers write them --------------------------------------------------------------------------- */

/* The worked instances of bitio.h, high bit first: 1 1 1 1 0 | 0 1 0 and 0 | 1 1 1 1, then 21 zeros: m = 2^20. */
static void codes_are_as_drawn(void **state)
{
    (void)state;
    uint8_t p[16];
    const blm_code ten = blm_code_of(10), rice = blm_code_of(UINT64_C(1) << 20);
    blm_code_writer w = {.p = p, .words = 1};
    blm_code_put(&w, &ten, 42);
    blm_code_put(&w, &ten, 9);
    assert_int_equal(blm_code_place(&w), 13);
    blm_code_put(&w, &rice, 0);
    assert_int_equal(blm_code_place(&w), 34);
    blm_code_end(&w);
    assert_memory_equal(p, ((const uint8_t[]){0xf2, 0x78, 0, 0, 0, 0, 0, 0}), 8);
    assert_false(w.over);
    blm_code_put(&w, &ten, 0);
    assert_false(w.over); /* not before it is written */
    blm_code_end(&w);
    assert_true(w.over);
}

/* Numbers of all sizes for this m: number j of them. */
static uint64_t some_number(uint64_t m, int j)
{
    const uint64_t next = next_random();
    if (j < 100) return (uint64_t)j;
    if (j < 150) return m * ((uint64_t)j % 3) + m / 2;
    return j < 190 ? next % (m * 3) : next % (m * 300);
}

enum { CODES = 200, CODE_WORDS = 4096 };

/* From any bit on, both readers say what was written, and end where the next code begins. */
static void codes_take_any_number(void **state)
{
    (void)state;
    const uint64_t ms[] = {1,
                           2,
                           3,
                           5,
                           7,
                           8,
                           10,
                           14,
                           177,
                           784931,
                           UINT64_C(1) << 40,
                           BLM_GOLOMB_MAX - 1,
                           BLM_GOLOMB_MAX};
    uint8_t *p = calloc(1, CODE_WORDS * 8 + BLM_CODE_SLACK);
    uint64_t starts[CODES + 1];
    assert_non_null(p);
    for (size_t i = 0; i < COUNT(ms); i++) {
        const blm_code c = blm_code_of(ms[i]);
        const blm_golomb same = blm_golomb_of(ms[i]);
        blm_code_writer w = {.p = p, .words = CODE_WORDS};
        random_state = 1;
        for (int j = 0; j < CODES; j++) {
            const uint64_t v = some_number(ms[i], j);
            starts[j] = blm_code_place(&w);
            blm_code_put(&w, &c, v);
            assert_true(blm_code_place(&w) - starts[j] == blm_golomb_bits(&same, v));
        }
        starts[CODES] = blm_code_place(&w);
        blm_code_end(&w);
        assert_false(w.over);
        random_state = 1;
        for (int j = 0; j < CODES; j++) {
            const uint64_t v = some_number(ms[i], j), end = starts[j + 1], most = v / ms[i];
            uint64_t at = starts[j];
            const uint64_t got = blm_code_get(p, &at, &c);
            const bool fits = most + 2 + c.low <= BLM_CODE_WINDOW;
            assert_true(fits ? got == v && at == end : got == UINT64_MAX && at == starts[j]);
            assert_true(blm_code_get_long(p, &at, at, &c, most) == UINT64_MAX);
            at = starts[j];
            assert_true(blm_code_get_long(p, &at, end - 1, &c, most) == UINT64_MAX);
            assert_true(!most || blm_code_get_long(p, &at, end, &c, most - 1) == UINT64_MAX);
            assert_int_equal(at, starts[j]);
            assert_true(blm_code_get_long(p, &at, end, &c, most) == v && at == end);
        }
    }
    free(p);
}

/* A row of ones is no code, and neither reader leaves it. */
static void codes_that_do_not_end(void **state)
{
    (void)state;
    enum { ROW = 100 };
    uint8_t *p = malloc(ROW + BLM_CODE_SLACK);
    assert_non_null(p);
    memset(p, 0xff, ROW + BLM_CODE_SLACK);
    for (uint64_t m = 1; m < BLM_GOLOMB_MAX; m = m * 3 + 1) {
        const blm_code c = blm_code_of(m);
        for (uint64_t bit = 0; bit < UINT64_C(8) * ROW; bit++) {
            uint64_t at = bit;
            assert_true(blm_code_get(p, &at, &c) == UINT64_MAX);
            assert_true(blm_code_get_long(p, &at, UINT64_C(8) * ROW, &c, UINT64_MAX) == UINT64_MAX);
            assert_int_equal(at, bit);
        }
    }
    free(p);
}

/* ---- cells ---------------------------------------------------------------------------------------------- */

static void any_cells_come_back(void **state)
{
    (void)state;
    const double fills[] = {0, 0.0005, 0.02, 0.3, 0.9, 1};
    const size_t sizes[] = {1, 2, 3, 7, 8, 9, 63, 64, 65, 511, 4099, 70001};
    for (size_t i = 0; i < COUNT(fills); i++)
        for (size_t j = 0; j < COUNT(sizes); j++) {
            uint8_t *cells = random_cells(sizes[j], fills[i], i + j + 1);
            for (way w = GAPS; w < WAYS; w++) round_trip(w, cells, sizes[j]);
            free(cells);
        }
}

/* Bytes whose frequencies are as uneven as they can be: one alone, each twice as frequent as the next, 255 that come once. */
static void uneven_bytes_come_back(void **state)
{
    (void)state;
    enum { SIZE = 1 << 17 };
    uint8_t *cells = malloc(SIZE);
    assert_non_null(cells);
    memset(cells, 0xa5, SIZE);
    assert_true(round_trip(BYTES, cells, SIZE) <
                80); /* it costs nothing but the table and the states */
    for (size_t i = 0; i < 256; i++) cells[i * 500] = (uint8_t)i;
    round_trip(BYTES, cells, SIZE);
    for (size_t i = 0; i < SIZE; i++) cells[i] = (uint8_t)__builtin_ctzll(i + 1);
    assert_true(round_trip(BYTES, cells, SIZE) < SIZE / 4 + 200); /* its entropy is 2 bits */
    for (size_t i = 0; i < 511; i++) cells[i] = (uint8_t)(i < 256 ? i : 7);
    round_trip(BYTES, cells, 511); /* the smallest scale: 2^9 places for 256 bytes */
    free(cells);
}

/* The better way is within half a percent of what the fill allows: m H(fill). */
static void near_the_entropy(void **state)
{
    (void)state;
    const double fills[] = {0.01, 0.05, 0.1, 0.3};
    for (size_t i = 0; i < COUNT(fills); i++) {
        const size_t bytes = MILLION_TEN / 8;
        uint8_t *cells = random_cells(bytes, fills[i], 1);
        const double p = (double)blm_ones_in(cells, bytes) / MILLION_TEN;
        const double least = -(p * log2(p) + (1 - p) * log2(1 - p)) * MILLION_TEN / 8;
        const double gaps = (double)round_trip(GAPS, cells, bytes) / least,
                     by_bytes = (double)round_trip(BYTES, cells, bytes) / least;
        print_message("fill %4.1f %%: gaps %.4f, bytes %.4f of m H\n", 100 * p, gaps, by_bytes);
        /* below 1 by chance alone: the cells have their own ones, not the mean's */
        assert_true(fmin(gaps, by_bytes) < 1.005 && fmin(gaps, by_bytes) > 0.999);
        assert_true(by_bytes < 1.004 && gaps < 1.009);
        free(cells);
    }
}

/* ---- room, and bytes that are no code --------------------------------------------------------------------- */

/* Enough room gives the same code; less gives none, and never a byte past it. */
static void stays_within_room(void **state)
{
    (void)state;
    uint8_t *cells = random_cells(300, 0.04, 1), all[2000];
    for (way w = GAPS; w < WAYS; w++) {
        const size_t n = encode(w, cells, 300, all, sizeof all);
        for (size_t room = 0; room < n + 20; room++) {
            uint8_t *out = malloc(room ? room : 1);
            assert_non_null(out);
            const size_t got = encode(w, cells, 300, out, room);
            assert_true(got == 0 || got == n);
            assert_true(got == n || room < n + 16); /* bytes: up to 16 are asked for besides */
            assert_true(got == 0 || room >= n);
            if (got) assert_memory_equal(out, all, n);
            free(out);
        }
    }
    free(cells);
}

/* A code that is cut or longer is refused; one with another byte is refused, or gives other cells. */
static void refuses_other_bytes(void **state)
{
    (void)state;
    enum { SIZE = 97 };
    uint8_t *cells = random_cells(SIZE, 0.1, 3), code[2000], back[SIZE];
    size_t wrong = 0;
    for (way w = GAPS; w < WAYS; w++) {
        const size_t n = encode(w, cells, SIZE, code, sizeof code);
        for (size_t cut = 0; cut <= n + 1; cut++) {
            uint8_t *own = calloc(1, cut ? cut : 1);
            assert_non_null(own);
            memcpy(own, code, cut < n ? cut : n);
            memset(back, 0, sizeof back);
            assert_true(decode(w, own, cut, back, SIZE) == (cut == n));
            free(own);
        }
        for (size_t bit = 0; bit < n * 8; bit++) {
            code[bit / 8] ^= (uint8_t)(1u << bit % 8);
            memset(back, 0, sizeof back);
            if (decode(w, code, n, back, SIZE)) {
                assert_memory_not_equal(back, cells, SIZE);
                wrong++;
            }
            code[bit / 8] ^= (uint8_t)(1u << bit % 8);
        }
        assert_false(decode(w, code, n, back, SIZE - 1));
    }
    assert_true(wrong > 0); /* checksums are another layer's */
    free(cells);
}

/* Random bytes: the decoders end, inside both buffers. */
static void takes_any_bytes(void **state)
{
    (void)state;
    for (uint64_t round = 0; round < 20000; round++) {
        random_state = round;
        const size_t n = next_random() % 400, bytes = next_random() % SMALL_MAX;
        uint8_t *in = malloc(n ? n : 1), *cells = calloc(1, bytes ? bytes : 1);
        assert_true(in && cells);
        for (size_t i = 0; i < n; i++) in[i] = (uint8_t)(next_random() % 3 ? next_random() : 0xff);
        if (n > 2) in[0] = (uint8_t)(9 + in[0] % 8);
        for (way w = GAPS; w < WAYS; w++) decode(w, in, n, cells, bytes);
        free(in);
        free(cells);
    }
}

/* The bytes of a code, by hand and for ever: streams of every machine have the same ones. */
static void the_same_code_everywhere(void **state)
{
    (void)state;
    uint8_t cells[40] = {0}, out[600];
    cells[0] = 1, cells[2] = 0x80, cells[39] = 0x40;
    /* 3 ones among 320: m = ceil(73.94 - 0.85) = 74. Gaps 0, 22, 294: 0 is 1 and six zeros; 22 likewise, 1 and 22 in six bits
     * (below 2^7 - 74 = 54); 294 is 3 * 74 + 72: 0001 and 72 + 54 = 126 in seven bits, 63 first and then 0. */
    const uint8_t gaps[] = {74, 3, 0x81, 0x16, 0xfe, 0x00};
    const size_t n = blm_gaps_encode(cells, sizeof cells, 3, out, sizeof out);
    assert_int_equal(n, sizeof gaps);
    assert_memory_equal(out, gaps, n);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(varints_have_one_form),   cmocka_unit_test(golomb_is_as_drawn),
        cmocka_unit_test(golomb_takes_any_number), cmocka_unit_test(golomb_parameter_is_the_best),
        cmocka_unit_test(codes_are_as_drawn),      cmocka_unit_test(codes_take_any_number),
        cmocka_unit_test(codes_that_do_not_end),   cmocka_unit_test(any_cells_come_back),
        cmocka_unit_test(uneven_bytes_come_back),  cmocka_unit_test(near_the_entropy),
        cmocka_unit_test(stays_within_room),       cmocka_unit_test(refuses_other_bytes),
        cmocka_unit_test(takes_any_bytes),         cmocka_unit_test(the_same_code_everywhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
