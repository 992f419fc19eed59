/* costs.c - the law of cost: a forger cannot make a reader work much longer than a sound image does.
 *
 * CPU seconds of this thread, compared within one run: a slow machine is slow for both.
 */
#define _POSIX_C_SOURCE 200809L
#include <inttypes.h>
#include <time.h>

#include "core/core_internal.h"
#include "laws/laws.h"

#define TIMES_MAX 200
/* Below this a clock measures its own noise, and a user waits for nothing. */
#define SECONDS_MIN 2e-4

static bool always(const blm_kind_info *k) { return k->name != NULL; }

static double cpu_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* All that `info` and `verify` ask of a filter. */
static void look_at(const blm_filter *f)
{
    blm_info info;
    blm_info_of(f, &info);
    const blm_case cases[] = {{.keys = info.adds, .arg = BLM_NO_ARG},
                              {.keys = info.capacity, .arg = BLM_NO_ARG}};
    blm_fpr(f, NULL);
    blm_fnr(f, NULL);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        blm_fpr(f, &cases[i]);
        blm_fnr(f, &cases[i]);
    }
}

static double seconds_for(const law_image *im, bool queries)
{
    blm_filter *f = NULL;
    const double begin = cpu_seconds();
    if (blm_load(&f, im->p, im->n, NULL, NULL) == BLM_OK) {
        look_at(f);
        for (uint64_t i = 0; queries && i < 1000; i++) {
            law_key room;
            const blm_item it = law_item(f, i % 2 ? LAW_STRANGER : LAW_MEMBER, i / 2, &room);
            blm_has_item(f, &it);
        }
        blm_free(f);
    }
    const blm_err verified = blm_verify_image(im->p, im->n, NULL);
    (void)verified; /* sound or not: it is the time that counts */
    return cpu_seconds() - begin;
}

/* The first has everything cold: the longest of some. */
static double sound_seconds(const law_image *im, bool queries)
{
    double max = SECONDS_MIN;
    for (int i = 0; i < 3; i++) {
        const double now = seconds_for(im, queries);
        if (now > max) max = now;
    }
    return max;
}

static int costs_little(const law_image *im, unsigned round, double sound_cost, bool queries)
{
    const double cost = seconds_for(im, queries);
    DEMAND(cost <= TIMES_MAX * sound_cost,
           "forgery %u of an image of %zu bytes: %.3g s, a sound one takes %.3g s", round, im->n,
           cost, sound_cost);
    return 0;
}

static int forged(const law_image *sound, unsigned round, double sound_cost, bool queries)
{
    uint64_t state = round;
    law_image im = law_image_copy(sound, sound->n);
    if (round % 4 == 3) law_paint(&im, round / 4);
    for (unsigned i = 0; i < round % 4; i++) law_forge(&im, &state);
    law_repair(im.p, im.n);
    const int broken = costs_little(&im, round, sound_cost, queries);
    law_drop(&im);
    return broken;
}

/* A number of any length up to `most`, or that one. */
static uint64_t any_up_to(uint64_t max, uint64_t *state)
{
    const uint64_t how = law_random(state), r = law_random(state) >> (how % 64);
    return how / 64 % 3 == 0 ? max : max == UINT64_MAX ? r : r % (max + 1);
}

/* Fields and numbers of keys that no such filter has, for cells that are there: what loops over keys, over hashes or
 * over loads takes long. */
static int boasts(const law_image *sound, unsigned round, double sound_cost)
{
    uint64_t state = round;
    blm_filter *f = NULL;
    law_need(blm_load(&f, sound->p, sound->n, NULL, NULL) == BLM_OK, "no load", NULL);
    f->capacity = any_up_to(BLM_KEYS_MAX, &state);
    f->adds = any_up_to(BLM_ADDS_MAX, &state);
    for (size_t i = 0; i < f->kind->nfields; i++) {
        const blm_field *d = &f->kind->fields[i];
        if (law_random(&state) % 3 == 0)
            blm_field_set(f, d, d->min + any_up_to(d->max - d->min, &state));
    }
    law_image im = law_save(f);
    blm_free(f);
    const int broken = costs_little(&im, round, sound_cost, true);
    law_drop(&im);
    return broken;
}

/* A filter whose image has about that many bytes, with few keys: full tables come with the painted cells. */
static blm_filter *of_size(const char *kind, uint64_t bytes)
{
    char settings[64];
    blm_filter *f = law_make(kind, "keys=1000 fpr=1%");
    const double keys = 1000 * (double)bytes / (double)blm_saved_size(f);
    blm_free(f);
    snprintf(settings, sizeof settings, "keys=%.0f fpr=1%%", keys < 20 ? 20 : keys);
    f = law_make(kind, settings);
    law_need(!law_may_add(f) || law_add(f, 0, 15) == BLM_OK, "no add", NULL);
    return f;
}

/* 64 bytes of cells, where the kind takes a wish for bits: as many positions as cells are the dearest ones. */
static blm_filter *smallest(const char *kind)
{
    blm_filter *f = NULL;
    const blm_config c = {
        .size = sizeof c, .kind = kind, .keys = 3, .bits = 512, .with = law_with(kind)};
    return blm_new(&f, &c, NULL) == BLM_OK ? f : of_size(kind, 256);
}

static int size_costs(blm_filter *f, unsigned rounds, unsigned boasted, bool queries)
{
    law_image im = law_save(f);
    const double sound_cost = sound_seconds(&im, queries);
    for (unsigned round = 0; round < rounds; round++)
        if (forged(&im, round, sound_cost, queries)) return 1;
    for (unsigned round = 0; round < boasted; round++)
        if (boasts(&im, round, sound_cost)) return 1;
    law_drop(&im);
    blm_free(f);
    return 0;
}

static int law_costs(const char *kind)
{
    if (TEST_SLOW && !law_catches) return 0; /* sanitizers and emulators have other times */
    law_limit(law_catches ? 5 : 60);
    const bool few = law_with(kind)[0] || law_small;
    if (size_costs(smallest(kind), few ? 30 : 100, few ? 60 : 200, true)) return 1;
    if (law_small) return 0;
    if (size_costs(of_size(kind, 65536), few ? 4 : 16, few ? 4 : 16, true)) return 1;
    if (size_costs(of_size(kind, 4 << 20), few ? 2 : 4, 0, false)) return 1;
    law_limit(0);
    return 0;
}

const law laws_of_costs[] = {
    {"costs", "a forged image costs at most 200 times what a sound one costs", always, law_costs},
    {NULL, NULL, NULL, NULL},
};
