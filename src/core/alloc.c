/* alloc.c - the usual allocator.
 *
 * Below 2 MiB: the C library, aligned to 64. From 2 MiB on: fresh pages at a multiple of 2 MiB that
 * ask for huge pages, so that a random cell costs one address translation less (1.1-1.4 times the
 * speed at 16-256 MiB, twice above 1 GiB). Fresh pages are zero already.
 */
#if !defined(_DEFAULT_SOURCE)
#define _DEFAULT_SOURCE 1
#endif
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "core/core_internal.h"

#define HUGE ((size_t)2 << 20)

static void *get_large(size_t bytes)
{
    const size_t whole = (bytes + HUGE - 1) / HUGE * HUGE;
    char *p = mmap(NULL, whole + HUGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == (char *)MAP_FAILED) return NULL;
    const size_t skip = (HUGE - (uintptr_t)p % HUGE) % HUGE;
    if (skip) munmap(p, skip);
    if (skip < HUGE) munmap(p + skip + whole, HUGE - skip);
    madvise(p + skip, whole,
            MADV_HUGEPAGE); /* a wish: without it the filter is slower, not wrong */
    return p + skip;
}

static void *get_usual(void *ctx, size_t bytes)
{
    (void)ctx;
    if (bytes >= HUGE) return get_large(bytes);
    const size_t whole = (bytes + 63) / 64 * 64;
    void *p = aligned_alloc(64, whole ? whole : 64);
    return p ? memset(p, 0, whole ? whole : 64) : NULL;
}

static void put_usual(void *ctx, void *p, size_t bytes)
{
    (void)ctx;
    if (bytes >= HUGE)
        munmap(p, (bytes + HUGE - 1) / HUGE * HUGE);
    else
        free(p);
}

const blm_alloc blm_alloc_usual = {get_usual, put_usual, NULL};
