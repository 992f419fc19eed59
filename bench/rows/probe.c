/* probe.c - the loops that are timed: seconds. */
#include <bloomery/bloomery.h>

#include "rows.h"

enum { BATCH = 4096 };

static size_t part(size_t n, size_t from) { return n - from < BATCH ? n - from : BATCH; }

static uint64_t count(const uint8_t *yes, size_t n)
{
    uint64_t hits = 0;
    for (size_t i = 0; i < n; i++) hits += yes[i];
    return hits;
}

double ask_keys(void *self, uint64_t *hits)
{
    static uint8_t yes[BATCH];
    const probe *p = self;
    uint64_t sum = 0;
    const double start = bench_now();
    for (unsigned pass = 0; pass < p->passes; pass++)
        for (size_t i = 0; i < p->n; i += BATCH) {
            blm_has_many_u64(p->f, p->key + i, part(p->n, i), yes);
            sum += count(yes, part(p->n, i));
        }
    const double spent = bench_now() - start;
    *hits = sum;
    return spent;
}

double ask_hashes(void *self, uint64_t *hits)
{
    static uint8_t yes[BATCH];
    const probe *p = self;
    uint64_t sum = 0;
    const double start = bench_now();
    for (unsigned pass = 0; pass < p->passes; pass++)
        for (size_t i = 0; i < p->n; i += BATCH) {
            blm_has_many(p->f, p->hash + i, NULL, part(p->n, i), yes);
            sum += count(yes, part(p->n, i));
        }
    const double spent = bench_now() - start;
    *hits = sum;
    return spent;
}

double ask_singly(void *self, uint64_t *hits)
{
    const probe *p = self;
    uint64_t sum = 0;
    const double start = bench_now();
    for (unsigned pass = 0; pass < p->passes; pass++)
        for (size_t i = 0; i < p->n; i++) sum += blm_has_u64(p->f, p->key[i]);
    const double spent = bench_now() - start;
    *hits = sum;
    return spent;
}

double add_hashes(void *self, uint64_t *hits)
{
    const probe *p = self;
    blm_err err = blm_clear(p->f);
    const double start = bench_now();
    for (size_t i = 0; i < p->n && !err; i += BATCH)
        err = blm_add_many(p->f, p->hash + i, NULL, part(p->n, i), NULL, NULL);
    const double spent = bench_now() - start;
    *hits = err ? 0 : p->n;
    return spent;
}

double add_keys(void *self, uint64_t *hits)
{
    const probe *p = self;
    blm_err err = p->again ? BLM_OK : blm_clear(p->f);
    const double start = bench_now();
    for (size_t i = 0; i < p->n && !err; i += BATCH)
        err = blm_add_many_u64(p->f, p->key + i, part(p->n, i), NULL, NULL);
    const double spent = bench_now() - start;
    *hits = err ? 0 : p->n;
    return spent;
}

double add_singly(void *self, uint64_t *hits)
{
    const probe *p = self;
    blm_err err = blm_clear(p->f);
    const double start = bench_now();
    for (size_t i = 0; i < p->n && !err; i++) err = blm_add_u64(p->f, p->key[i]);
    const double spent = bench_now() - start;
    *hits = err ? 0 : p->n;
    return spent;
}

double ask_strings(void *self, uint64_t *hits)
{
    static uint8_t yes[BATCH];
    const probe *p = self;
    uint64_t sum = 0;
    const double start = bench_now();
    for (unsigned pass = 0; pass < p->passes; pass++)
        for (size_t i = 0; i < p->n; i += BATCH) {
            blm_has_many_keys(p->f, p->text + i, part(p->n, i), yes);
            sum += count(yes, part(p->n, i));
        }
    const double spent = bench_now() - start;
    *hits = sum;
    return spent;
}

double ask_strings_singly(void *self, uint64_t *hits)
{
    const probe *p = self;
    uint64_t sum = 0;
    const double start = bench_now();
    for (unsigned pass = 0; pass < p->passes; pass++)
        for (size_t i = 0; i < p->n; i++) sum += blm_has(p->f, p->text[i].key, p->text[i].len);
    const double spent = bench_now() - start;
    *hits = sum;
    return spent;
}

uint64_t capacity_of(const blm_filter *f)
{
    blm_info info;
    blm_info_of(f, &info);
    return info.capacity;
}

uint64_t cells_of(const blm_filter *f)
{
    blm_info info;
    blm_info_of(f, &info);
    return info.bytes;
}

versus_side members_side(double (*run)(void *, uint64_t *), probe *p)
{
    return (versus_side){run, p, p->n * p->passes, p->n * p->passes};
}

versus_side strangers_side(double (*run)(void *, uint64_t *), probe *p, uint64_t inside)
{
    const blm_case full = {.keys = inside, .arg = BLM_NO_ARG};
    versus_side s = {run, p, 0, 0};
    hits_expected(blm_fpr(p->f, &full), p->n, &s.low, &s.high);
    s.low *= p->passes, s.high *= p->passes;
    return s;
}
