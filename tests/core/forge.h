/* forge.h - a second writer of images, by the words of the format alone, so that tests can say what no
 * filter would: other versions, tags, fields, paddings; all with sound checksums.
 */
#ifndef BLM_TESTS_FORGE_H
#define BLM_TESTS_FORGE_H
#include "core/unit.h"
#include "core/core_internal.h"

typedef struct forge {
    uint8_t head[70000]; /* prelude and header */
    size_t n;
    const uint8_t *cells;
    size_t ncells;
    unsigned chunk_log2;
} forge;

static inline void write_le(uint8_t *p, unsigned width, uint64_t v)
{
    for (unsigned i = 0; i < width; i++) p[i] = (uint8_t)(v >> 8 * i);
}

static inline uint64_t read_le(const uint8_t *p, unsigned width)
{
    uint64_t v = 0;
    for (unsigned i = 0; i < width; i++) v |= (uint64_t)p[i] << 8 * i;
    return v;
}

static inline void say(forge *w, unsigned width, uint64_t v)
{
    write_le(w->head + w->n, width, v);
    w->n += width;
}

static inline void say_bytes(forge *w, const void *p, size_t n)
{
    if (n) memcpy(w->head + w->n, p, n);
    w->n += n;
}

static inline void say_name(forge *w, const char *name)
{
    say(w, 1, strlen(name));
    say_bytes(w, name, strlen(name));
}

static inline void say_rate(forge *w, double rate)
{
    uint64_t v;
    memcpy(&v, &rate, sizeof v);
    say(w, 8, v);
}

static inline void say_tag(forge *w, unsigned type, unsigned flags, const void *p, size_t n)
{
    say(w, 2, type);
    say(w, 2, flags);
    say(w, 4, n);
    say_bytes(w, p, n);
}

/* Magic, format 1, and room for what is known at the end. */
static inline void begin(forge *w)
{
    static const uint8_t magic[8] = {0x89, 0x42, 0x4c, 0x4d, 0x0d, 0x0a, 0x1a, 0x0a};
    memset(w, 0, sizeof *w);
    say_bytes(w, magic, sizeof magic);
    say(w, 2, 1);
    w->n = 32;
    w->chunk_log2 = 16;
}

static inline void say_numbers(forge *w, uint64_t adds, uint64_t capacity, double rate,
                               uint32_t lost)
{
    say(w, 8, adds);
    say(w, 8, capacity);
    say_rate(w, rate);
    say(w, 4, lost);
}

/* A standard filter of 512 bits and 3 hashes that holds these cells, ready for tags. */
static inline void begin_standard(forge *w, const uint8_t cells[64], uint64_t ones)
{
    begin(w);
    say_name(w, "standard");
    say(w, 2, 1);
    say_name(w, "xxh3-64");
    say(w, 8, 0); /* seed      */
    say(w, 8, 0); /* no secret */
    say_numbers(w, 5, 20, 0.01, 0);
    say(w, 8, 512);
    say(w, 1, 3);
    say(w, 8, ones);
    say(w, 1, w->chunk_log2);
    w->cells = cells;
    w->ncells = 64;
}

static inline size_t round_up(size_t n, size_t to) { return (n + to - 1) / to * to; }

static inline void seal(uint8_t *image)
{
    write_le(image + 24, 8, 0);
    write_le(image + 24, 8, blm_checksum(image, 32 + (size_t)read_le(image + 12, 4), 0));
}

/* Header, zeros, cells at a multiple of 4096, 64 or 8, zeros, a sum a chunk. */
static inline blob finish(forge *w)
{
    const size_t chunk = (size_t)1 << w->chunk_log2, chunks = (w->ncells + chunk - 1) / chunk;
    const size_t at = round_up(w->n, w->ncells >= 4096 ? 4096 : w->ncells >= 64 ? 64 : 8);
    const size_t sums = round_up(at + w->ncells, 8);
    blob b = {calloc(1, sums + 8 * chunks), sums + 8 * chunks, sums + 8 * chunks};
    assert_non_null(b.p);
    memcpy(b.p, w->head, w->n);
    write_le(b.p + 12, 4, w->n - 32);
    write_le(b.p + 16, 8, b.n);
    if (w->ncells) memcpy(b.p + at, w->cells, w->ncells);
    for (size_t i = 0; i < chunks; i++) {
        const size_t size = w->ncells - i * chunk < chunk ? w->ncells - i * chunk : chunk;
        write_le(b.p + sums + 8 * i, 8, blm_checksum(w->cells + i * chunk, size, i));
    }
    seal(b.p);
    return b;
}

/* What load says of it; the image is spent. */
static inline blm_err loaded(forge *w, blm_filter **out)
{
    const blob b = finish(w);
    blank_why();
    const blm_err err = blm_load(out, b.p, b.n, NULL, &why);
    free(b.p);
    return err;
}
#endif
