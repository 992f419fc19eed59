/* batch.c - batches against one by one, and against the machine itself. */
#define _DEFAULT_SOURCE 1
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "rows.h"

enum { ASKED_MAX = 1 << 21, EXTRA_ROUNDS = 6, MIB = 1 << 20 };

static const char *const line_kinds[] = {"split-block", "blocked", "standard"};

static uint64_t capacity_of(const blm_filter *f)
{
    blm_info info;
    blm_info_of(f, &info);
    return info.capacity;
}

/* ---- one by one --------------------------------------------------------------------------------- */

/* In bytes. The kernel is asked first: sysconf was seen to say 320 MiB on a virtual machine with 32. */
static uint64_t last_cache(void)
{
    uint64_t kib = 0;
    FILE *in = fopen("/sys/devices/system/cpu/cpu0/cache/index3/size", "r");
    if (in) {
        char text[32] = "";
        if (fgets(text, sizeof text, in)) kib = strtoull(text, NULL, 10); /* "32768K" */
        fclose(in);
    }
    if (kib) return kib << 10;
#ifdef _SC_LEVEL3_CACHE_SIZE
    const long told = sysconf(_SC_LEVEL3_CACHE_SIZE);
    if (told > 0) return (uint64_t)told;
#endif
    return (uint64_t)32 * MIB;
}

static void singly_of(const char *kind, uint64_t bytes, const uint64_t *member,
                      const uint64_t *stranger)
{
    char what[80];
    blm_filter *f = filter_of("%s bits=%" PRIu64 "B fpr=1%%", kind, bytes);
    const uint64_t keys = capacity_of(f);
    versus_progress("%s: adding %" PRIu64 "M keys", kind, keys / 1000000);
    fill_filter(f, keys);
    const double line = bench_floor(cells_of(f), true, VERSUS_ROUNDS);
    probe miss = {f, stranger, NULL, ASKED_MAX, 1}, hit = {f, member, NULL, ASKED_MAX, 1};
    versus v = {.what = what, .work = ASKED_MAX, .wanted = 2, .floor = line};
    snprintf(what, sizeof what, "%s miss, batch against singly, %" PRIu64 " MiB", kind,
             cells_of(f) / MIB);
    v.ours = strangers_side(ask_keys, &miss, keys);
    v.theirs = strangers_side(ask_singly, &miss, keys);
    versus_row(&v);
    snprintf(what, sizeof what, "%s hit, batch against singly, %" PRIu64 " MiB", kind,
             cells_of(f) / MIB);
    v.ours = members_side(ask_keys, &hit);
    v.theirs = members_side(ask_singly, &hit);
    versus_row(&v);
    blm_free(f);
}

void rows_singly(void)
{
    const uint64_t cache = last_cache();
    uint64_t *member = draw_numbers(MEMBERS, ASKED_MAX);
    uint64_t *stranger = draw_numbers(STRANGERS, ASKED_MAX);
    for (size_t i = 0; i < sizeof line_kinds / sizeof *line_kinds; i++)
        if (kind_there(line_kinds[i], NULL))
            singly_of(line_kinds[i], 4 * cache + cache / 4, member, stranger);
    free(member);
    free(stranger);
}

/* ---- the floor -------------------------------------------------------------------------------------- */

typedef struct lines {
    bench_lines *l;
    unsigned passes;
} lines;

static double read_lines(void *self, uint64_t *hits)
{
    const lines *l = self;
    *hits = 0;
    return bench_lines_read(l->l, l->passes);
}

/* As many questions as there are lines, twice over, up to 2^21: both sides then miss the same caches, and
 * what is read in order (8 or 16 bytes a question, 4 a line) is small beside the filter. */
static size_t asked_in(uint64_t bytes)
{
    const uint64_t twice = 2 * bytes / 64;
    return twice < ASKED_MAX ? (size_t)twice : ASKED_MAX;
}

static void floor_of(const char *kind, uint64_t mib, double wanted)
{
    char what[80];
    blm_filter *f = filter_of("%s bits=%" PRIu64 "MiB fpr=1%%", kind, mib);
    const uint64_t keys = capacity_of(f), bytes = cells_of(f);
    const size_t asked = asked_in(bytes);
    if (mib > 64) versus_progress("%s: adding %" PRIu64 "M keys", kind, keys / 1000000);
    fill_filter(f, keys);
    uint64_t *key = draw_numbers(STRANGERS, asked);
    blm_hash *hash = draw_hashes(f, STRANGERS, asked);
    probe p = {f, key, hash, asked, (unsigned)(ASKED_MAX / asked)};
    lines l = {bench_lines_open(bytes, true, asked), p.passes};
    if (!l.l) versus_stop(2, "no memory for %" PRIu64 " MiB of lines", mib);
    versus v = {.what = what,
                .work = asked * p.passes,
                .wanted = wanted,
                .at_most = true,
                .extra = EXTRA_ROUNDS,
                .theirs = {read_lines, &l, 0, 0}};
    snprintf(what, sizeof what, "%s, batch of hashes, against lines, %" PRIu64 " MiB", kind, mib);
    v.ours = strangers_side(ask_hashes, &p, keys);
    versus_row(&v);
    snprintf(what, sizeof what, "%s, batch of u64, against lines, %" PRIu64 " MiB", kind, mib);
    v.ours = strangers_side(ask_keys, &p, keys);
    versus_row(&v);
    bench_lines_close(l.l);
    free(key);
    free(hash);
    blm_free(f);
}

void rows_floor(void)
{
    static const struct {
        uint64_t mib;
        double wanted;
    } sizes[] = {{1, 1.5}, {4, 1.5}, {16, 1.25}, {64, 1.25}, {256, 1.25}};
    for (size_t i = 0; i < 2; i++) /* those of one line a question */
        for (size_t j = 0; kind_there(line_kinds[i], NULL) && j < sizeof sizes / sizeof *sizes; j++)
            floor_of(line_kinds[i], sizes[j].mib, sizes[j].wanted);
}
