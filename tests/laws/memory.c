/* memory.c - allocators and pages that tell on who uses them. */
#define _DEFAULT_SOURCE 1
#include <signal.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <unistd.h>

#include "laws/laws.h"

/* ---- an allocator that counts -------------------------------------------------------------- */

/* The size stands in the 64 bytes before the block: who gives back another size is found out. */
static void *purse_get(void *ctx, size_t bytes)
{
    law_purse *p = ctx;
    p->calls++;
    if (bytes > p->largest) p->largest = bytes;
    if (p->left == 0 || (p->max && bytes > p->max)) return NULL;
    if (p->left > 0) p->left--;
    uint8_t *block = aligned_alloc(64, (bytes + 64 + 63) / 64 * 64);
    if (!block) return NULL;
    memset(block, 0, bytes + 64);
    memcpy(block, &bytes, sizeof bytes);
    p->out += bytes;
    if (p->out > p->peak) p->peak = p->out;
    return block + 64;
}

static void purse_put(void *ctx, void *at, size_t bytes)
{
    law_purse *p = ctx;
    uint8_t *block = (uint8_t *)at - 64;
    size_t taken;
    memcpy(&taken, block, sizeof taken);
    law_need(taken == bytes, "memory given back with another size than it was taken with", NULL);
    p->out -= bytes;
    free(block);
}

blm_alloc law_alloc(law_purse *p) { return (blm_alloc){purse_get, purse_put, p}; }

/* ---- pages ------------------------------------------------------------------------------------ */

law_fence law_fence_of(const void *p, size_t n)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE), whole = (n + page - 1) / page * page;
    law_fence f = {.length = whole + page, .n = n};
    f.map = mmap(NULL, f.length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    law_need(f.map != MAP_FAILED, "no memory for a fence", NULL);
    law_need(mprotect((uint8_t *)f.map + whole, page, PROT_NONE) == 0, "no guard page", NULL);
    f.p = (uint8_t *)f.map + whole - n;
    memcpy(f.p, p, n);
    return f;
}

void law_fence_lock(law_fence *f, bool writable)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    const int how = writable ? PROT_READ | PROT_WRITE : PROT_READ;
    law_need(mprotect(f->map, f->length - page, how) == 0, "cannot protect pages", NULL);
}

void law_fence_drop(law_fence *f) { munmap(f->map, f->length); }

/* ---- an end --------------------------------------------------------------------------------- */

/* The default action ends the process at once ("Virtual timer expired"); a handler would wait for
 * the end of the loop under a thread sanitizer. */
void law_limit(unsigned seconds)
{
    const struct itimerval t = {{0, 0}, {(time_t)seconds, 0}};
    signal(SIGVTALRM, SIG_DFL);
    setitimer(ITIMER_VIRTUAL, &t, NULL);
}

const char *law_path(void)
{
    static char path[512];
    const char *folder = getenv("TMPDIR");
    snprintf(path, sizeof path, "%.400s/bloomery-law-%ld.blm",
             folder && *folder ? folder : P_tmpdir, (long)getpid());
    return path;
}
