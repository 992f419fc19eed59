/* stream.c - a stream of new keys, and questions for those that came lately.
 *
 * Keys are drawn from 2^64, so that all of a stream are new: what comes again is asked for, not added. A question for a key
 * of age a is one for the key that came a arrivals before the last one.
 */
#include <math.h>
#include <stdlib.h>

#include "streams.h"

#define BATCH 256

/* Key i comes in step i / step: a step begins before its first key. */
static bool in_steps(stream *t, uint64_t n)
{
    while (n) {
        const uint64_t left = t->step - t->arrived % t->step, turn = n < left ? n : left;
        const blm_err err = blm_tick(t->f, t->arrived / t->step);
        if (err) return lab_stuck(t->s, "a step of time", blm_strerror(err)), false;
        if (!lab_add(t->s, t->f, t->arrived, turn)) return false;
        t->arrived += turn;
        n -= turn;
    }
    return true;
}

bool stream_arrive(stream *t, uint64_t n)
{
    if (t->step) return in_steps(t, n);
    const bool added = lab_add(t->s, t->f, t->arrived, n);
    t->arrived += n;
    return added;
}

/* How old the key is that came `age` arrivals before the last one, in units of the filter's clock. */
static uint64_t gap_of(const stream *t, uint64_t age)
{
    const uint64_t last = t->arrived - 1;
    return t->step ? last / t->step - (last - age) / t->step : age;
}

static void ask_strangers(stream *t, uint64_t n, answers *out)
{
    uint64_t key[BATCH];
    uint8_t yes[BATCH];
    out->yes.trials += n;
    for (uint64_t done = 0; done < n;) {
        const size_t turn = n - done < BATCH ? (size_t)(n - done) : BATCH;
        for (size_t i = 0; i < turn; i++) key[i] = lab_stranger(t->asked++);
        blm_has_many_u64(t->f, key, turn, yes);
        for (size_t i = 0; i < turn; i++) out->yes.hits += yes[i];
        done += turn;
    }
}

/* What is surely forgotten answers yes as any non-member does. */
static void expect_miss(const blm_filter *f, uint64_t keys, uint64_t gap, blm_rate fpr,
                        blm_rate *sum)
{
    const blm_case c = {.keys = keys, .gap = gap, .arg = BLM_NO_ARG};
    const blm_rate miss = gap ? blm_fnr(f, &c) : (blm_rate){0, 0, 0};
    sum->low += miss.low >= 1 ? 1 - fpr.high : miss.low;
    sum->high += miss.high >= 1 ? 1 - fpr.low : miss.high;
    sum->spread +=
        miss.high * miss.spread * miss.high * miss.spread; /* a variance, until the end */
}

static void ask_members(stream *t, const questions *q, uint64_t keys, blm_rate fpr, answers *out)
{
    uint64_t key[BATCH];
    uint8_t yes[BATCH];
    out->missed.trials += q->members;
    for (uint64_t done = 0; done < q->members;) {
        const size_t turn = q->members - done < BATCH ? (size_t)(q->members - done) : BATCH;
        for (size_t i = 0; i < turn; i++) {
            const uint64_t age =
                q->youngest + lab_random(&t->random) % (q->oldest - q->youngest + 1);
            key[i] = lab_member(t->arrived - 1 - age);
            expect_miss(t->f, keys, gap_of(t, age), fpr, &out->fnr);
        }
        blm_has_many_u64(t->f, key, turn, yes);
        for (size_t i = 0; i < turn; i++) out->missed.hits += !yes[i];
        done += turn;
    }
}

bool stream_ask(stream *t, const questions *q, answers *out)
{
    blm_info info;
    blm_rate *fpr = &out->fpr, *fnr = &out->fnr;
    *out = (answers){.fnr = {0, 0, 0}};
    if (!t->f) return false;
    blm_info_of(t->f, &info);
    for (uint64_t i = 0; i < q->moments; i++) {
        if (!stream_arrive(t, q->every)) return false;
        const blm_rate now = blm_fpr(t->f, NULL);
        fpr->low += now.low;
        fpr->high += now.high;
        fpr->spread += now.spread;
        ask_strangers(t, q->strangers, out);
        ask_members(t, q, info.capacity, now, out);
    }
    const double moments = (double)q->moments, asked = moments * (double)q->members;
    *fpr = (blm_rate){fpr->low / moments, fpr->high / moments, fpr->spread / moments};
    *fnr = (blm_rate){fnr->low / asked, fnr->high / asked,
                      fnr->high > 0 ? sqrt(fnr->spread) / fnr->high : 0};
    return true;
}

static double apart(double a, double b) { return a * a + b * b; }

lab_number stream_sum(lab_number a, lab_number b)
{
    const double v = a.value + b.value;
    return (lab_number){v, v - sqrt(apart(a.value - a.low, b.value - b.low)),
                        v + sqrt(apart(a.high - a.value, b.high - b.value)),
                        v - sqrt(apart(a.value - a.lowest, b.value - b.lowest)),
                        v + sqrt(apart(a.highest - a.value, b.highest - b.value))};
}
