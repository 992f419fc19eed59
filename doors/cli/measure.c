/* measure.c - what a filter really does: the rate on strangers, and members that it denies. */
#include <math.h>
#include <string.h>

#include "cli.h"

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

ending measure_missed(const image *im, const settings *s, const char *const *paths, size_t n,
                      uint64_t *asked, uint64_t *missed)
{
    line lines[BATCH];
    uint8_t yes[BATCH];
    size_t got;
    input *in = input_open(s, paths, n);
    if (!in) return END_TROUBLE;
    const asker ask = ask_input(im, in);
    *missed = 0;
    while ((got = input_lines(in, lines)) > 0) {
        ask(im, lines, got, yes);
        for (size_t i = 0; i < got; i++) *missed += lines[i].key && !yes[i];
    }
    *asked = input_count(in);
    const ending end = input_failed(in) ? END_TROUBLE : END_YES;
    input_close(in);
    return end;
}
