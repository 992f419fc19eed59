/* ram.c - how much memory a verb may take for what grows with its input, and where the rest goes. */
#define _POSIX_C_SOURCE 200809L
#include <stdlib.h>
#include <unistd.h>

#include "cli.h"

#define UNKNOWN_MACHINE (UINT64_C(1) << 30)

uint64_t ram_bytes(const settings *s)
{
    if (s->ram) return s->ram / 8;
#if defined(_SC_PHYS_PAGES) && defined(_SC_PAGESIZE)
    const long pages = sysconf(_SC_PHYS_PAGES), bytes = sysconf(_SC_PAGESIZE);
    if (pages > 0 && bytes > 0) return (uint64_t)pages * (uint64_t)bytes / 2;
#endif
    return UNKNOWN_MACHINE;
}

const char *spool_folder(void)
{
    const char *folder = getenv("TMPDIR");
    return folder && *folder ? folder : "/tmp";
}
