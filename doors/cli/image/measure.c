/* measure.c - what a filter really does: the rate on non-members, and members that it denies. */
#include <math.h>
#include <string.h>

#include "image/image.h"

#define CONFIDENCE 0.99

/* splitmix64 of a counter: no two probes are equal, and each run asks the same ones. */
static uint64_t scramble(uint64_t x)
{
    x += UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

/* 16 bytes: a list of words, names or addresses holds none of them. */
static blm_hash probe(const blm_filter *f, uint64_t i)
{
    const uint64_t half[2] = {scramble(2 * i), scramble(2 * i + 1)};
    unsigned char key[16];
    for (size_t j = 0; j < 16; j++) key[j] = (unsigned char)(half[j / 8] >> 8 * (j % 8));
    return blm_hash_of(f, key, sizeof key);
}

measured measure_rate(const blm_filter *f, uint64_t probes)
{
    measured m = {.probes = probes};
    for (uint64_t done = 0; done < probes;) {
        blm_hash h[BATCH];
        uint8_t yes[BATCH];
        const size_t n = probes - done < BATCH ? (size_t)(probes - done) : BATCH;
        for (size_t i = 0; i < n; i++) h[i] = probe(f, done + i);
        blm_has_many(f, h, NULL, n, yes);
        for (size_t i = 0; i < n; i++) m.hits += yes[i];
        done += n;
        progress_at(done);
    }
    progress_end();
    m.rate = probes ? (double)m.hits / (double)probes : NAN;
    m.low = blm_binomial_low(m.hits, probes, CONFIDENCE);
    m.high = blm_binomial_high(m.hits, probes, CONFIDENCE);
    return m;
}

typedef struct checking {
    const image *im;
    asker ask;
    uint64_t missed;
} checking;

static void ask_block(void *ctx, const line *lines, size_t n, uint8_t *mark)
{
    const checking *c = ctx;
    ask_all(c->ask, c->im, lines, n, mark);
}

static bool count_missed(void *ctx, const line *lines, size_t n, const uint8_t *mark)
{
    checking *c = ctx;
    for (size_t i = 0; i < n; i++) c->missed += lines[i].key && !mark[i];
    return true;
}

ending measure_missed(const image *im, const settings *s, const char *const *paths, size_t n,
                      uint64_t *asked, uint64_t *missed)
{
    checking c = {.im = im};
    const work w = {.ctx = &c, .look = ask_block, .finish = count_missed};
    input *in = input_open(s, paths, n);
    if (!in) return END_TROUBLE;
    c.ask = ask_input(im, in);
    ending end = input_run(in, &w);
    if (!end) end = input_had_keys(in);
    *missed = c.missed;
    *asked = input_count(in);
    input_close(in);
    return end;
}
