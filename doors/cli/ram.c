/* ram.c - how much memory a verb may take for what grows with its input, and where the rest goes. */
#define _POSIX_C_SOURCE 200809L
#include <inttypes.h>
#include <stdlib.h>
#include <unistd.h>

#include "cli.h"

#define LEAST           (UINT64_C(1) << 20)
#define UNKNOWN_MACHINE (UINT64_C(1) << 30)

static uint64_t half_of_the_machine(void)
{
    const long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    return pages > 0 && page > 0 ? (uint64_t)pages * (uint64_t)page / 2 : UNKNOWN_MACHINE;
}

uint64_t ram_bytes(const settings *s, const char *what)
{
    const uint64_t bytes = s->ram ? s->ram / 8 : half_of_the_machine();
    if (bytes > SIZE_MAX / 4) return SIZE_MAX / 4; /* a machine of 32 bits with much memory */
    if (bytes >= LEAST) return bytes;
    complain("--ram: %s needs 1MiB or more, and this is %" PRIu64 " bytes", what, s->ram / 8);
    return 0;
}

const char *spool_folder(void)
{
    const char *folder = getenv("TMPDIR");
    return folder && *folder ? folder : "/tmp";
}
