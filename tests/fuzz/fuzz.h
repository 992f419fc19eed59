/* fuzz.h - what the fuzz targets share. */
#ifndef BLM_TESTS_FUZZ_H
#define BLM_TESTS_FUZZ_H
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <bloomery/bloomery.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A broken promise ends the process, as a bad access does. */
#define MUST(promise) ((promise) ? (void)0 : broken(__FILE__, __LINE__, #promise))

static inline void broken(const char *file, int line, const char *promise)
{
    fprintf(stderr, "%s:%d: broken: %s\n", file, line, promise);
    abort();
}

/* The bytes of an input; zeros after its end. */
typedef struct input {
    const uint8_t *at;
    size_t left;
} input;

static inline unsigned next(input *in)
{
    if (!in->left) return 0;
    in->left--;
    return *in->at++;
}

/* Memory up to a limit, and how much was in use at the worst moment. */
typedef struct meter {
    size_t limit, now, max;
    unsigned fails_at; /* 1: every call from the next one on; 0: none */
    bool refused;      /* a call failed */
} meter;

static inline void *meter_get(void *ctx, size_t bytes)
{
    meter *m = ctx;
    const bool fails = m->fails_at == 1 || bytes > m->limit - m->now;
    m->refused = m->refused || fails;
    if (m->fails_at > 1) m->fails_at--;
    if (fails) return NULL;
    void *p = NULL; /* exactly as long: a step past the end is seen */
    if (posix_memalign(&p, 64, bytes ? bytes : 1)) return NULL;
    memset(p, 0, bytes);
    m->now += bytes;
    m->max = m->now > m->max ? m->now : m->max;
    return p;
}

static inline void meter_put(void *ctx, void *p, size_t bytes)
{
    meter *m = ctx;
    m->now -= bytes;
    free(p);
}

/* A sink that keeps what it gets; the caller frees at. */
typedef struct saved {
    uint8_t *at;
    size_t length, room;
} saved;

static inline blm_err keep(void *ctx, const void *p, size_t n)
{
    saved *s = ctx;
    if (n > s->room - s->length) return BLM_E_IO;
    memcpy(s->at + s->length, p, n);
    s->length += n;
    return BLM_OK;
}

/* The image of f, exactly as long as was announced. */
static inline saved image_of(const blm_filter *f)
{
    saved s = {NULL, 0, (size_t)blm_saved_size(f)};
    s.at = malloc(s.room);
    MUST(s.at);
    MUST(blm_save(f, keep, &s, NULL) == BLM_OK);
    MUST(s.length == s.room);
    return s;
}
#endif
