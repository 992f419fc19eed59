/* test_ends.c - where lines end: the vector rows against a loop over bytes, at every length and place. */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "input/organs.h"

/* A newline and the byte values after it, `values` of them in all: one byte in `values` is an end. */
static void scatter(char *p, size_t n, unsigned values)
{
    uint32_t x = 2463534242;
    for (size_t i = 0; i < n; i++) {
        x ^= x << 13, x ^= x >> 17, x ^= x << 5;
        p[i] = (char)('\n' + x % values);
    }
}

static void rows_are_alike(void **state)
{
    static char text[4096];
    (void)state;
    for (unsigned values = 1; values <= 256; values *= 2) {
        scatter(text, sizeof text, values);
        for (size_t at = 0; at + 64 <= sizeof text; at++) {
            for (unsigned end = 0; end < 256; end += 51) /* 0, and bytes of either sign */
                assert_true(ends_best(text + at, (char)end) == ends_scalar(text + at, (char)end));
            assert_true(ends_best(text + at, '\n') == ends_scalar(text + at, '\n'));
        }
    }
    memset(text, '\n', 64);
    assert_true(ends_scalar(text, '\n') == UINT64_MAX);
    text[63] = 'x';
    assert_true(ends_scalar(text, '\n') == UINT64_MAX >> 1);
    assert_true(ends_best(text, 'x') == UINT64_C(1) << 63);
}

/* All ends of p[0..n), by as many calls as it takes; the memory ends with the text. */
static void check_all(const char *p, size_t n)
{
    uint32_t at[ENDS_MAX];
    size_t from = 0, next = 0;
    while (from < n) {
        size_t seen = 0;
        const size_t count = line_ends(p + from, n - from, '\n', at, &seen);
        assert_true(seen > 0 && seen <= n - from && count <= ENDS_MAX);
        for (size_t i = 0; i < count; i++) {
            while (p[next] != '\n') next++;
            assert_true(from + at[i] == next);
            next++;
        }
        from += seen;
        assert_true(next <= from);
        assert_true(!memchr(p + next, '\n', from - next)); /* none was left out */
    }
}

static void every_end_is_found(void **state)
{
    (void)state;
    for (size_t n = 1; n < 400; n++)
        for (unsigned values = 1; values <= 64; values *= 4) {
            char *text = malloc(n);
            assert_non_null(text);
            scatter(text, n, values);
            check_all(text, n);
            free(text);
        }
    static char large[300000];
    for (unsigned values = 1; values <= 256; values *= 2) {
        scatter(large, sizeof large, values);
        check_all(large, sizeof large);
    }
}

/* A line of more than 4 GiB: places have 32 bits, so that it is looked through in pieces. */
static void beyond_32_bits(void **state)
{
    const uint64_t far = (UINT64_C(1) << 32) + 70, n = far + 200;
    uint32_t at[ENDS_MAX];
    size_t seen = 0;
    (void)state;
    if (n > SIZE_MAX / 2) skip(); /* no such line on this machine */
    char *p = mmap(NULL, (size_t)n, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p == MAP_FAILED) skip();
    p[far] = '\n';
    assert_int_equal(line_ends(p, (size_t)n, '\n', at, &seen), 0);
    assert_true(seen > 0 && seen <= UINT32_MAX);
    const size_t from = seen;
    assert_int_equal(line_ends(p + from, (size_t)n - from, '\n', at, &seen), 1);
    assert_true(from + at[0] == far);
    munmap(p, (size_t)n);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_alike),
        cmocka_unit_test(every_end_is_found),
        cmocka_unit_test(beyond_32_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
