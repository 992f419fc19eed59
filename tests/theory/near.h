/* near.h - what the tests of theory share: comparing numbers, and the slow, plain model of a
 * filter that they check the library against. */
#ifndef BLM_TESTS_NEAR_H
#define BLM_TESTS_NEAR_H
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>
#include <math.h>
#include <bloomery/theory.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* got = want to a relative error; want 0: exactly. */
#define NEAR(got, want, error)                                                                     \
    do {                                                                                           \
        double got_ = (got), want_ = (want);                                                       \
        if (!(fabs(got_ - want_) <= (error)*fabs(want_)))                                          \
            fail_msg("%s = %.17g, expected %.17g", #got, got_, want_);                             \
    } while (0)

/* got = want to an absolute error. */
#define WITHIN(got, want, error)                                                                   \
    do {                                                                                           \
        double got_ = (got), want_ = (want);                                                       \
        if (!(fabs(got_ - want_) <= (error)))                                                      \
            fail_msg("%s = %.17g, expected %.17g", #got, got_, want_);                             \
    } while (0)

/* ones[i] = P(i ones) after that many throws into m cells, m < 512, throw by throw. */
static inline void occupancy(unsigned m, unsigned throws, double *ones)
{
    for (unsigned i = 0; i <= m; i++) ones[i] = i == 0;
    for (unsigned t = 0; t < throws; t++) {
        for (unsigned i = m; i > 0; i--) ones[i] = (ones[i] * i + ones[i - 1] * (m - i + 1)) / m;
        ones[0] = 0;
    }
}

/* E[(ones/m)^power] */
static inline double occupancy_moment(unsigned m, unsigned throws, unsigned power)
{
    double ones[512], sum = 0;
    occupancy(m, throws, ones);
    for (unsigned i = 0; i <= m; i++) sum += ones[i] * pow((double)i / m, power);
    return sum;
}

/* splitmix64: positions for simulated filters */
static inline uint64_t draw(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static inline unsigned draw_below(uint64_t *state, unsigned limit)
{
    return (unsigned)(((draw(state) >> 32) * limit) >> 32);
}

#endif
