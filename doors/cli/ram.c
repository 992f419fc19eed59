/* ram.c - how much memory a verb may take for what grows with its input, and where the rest goes. */
#define _POSIX_C_SOURCE 200809L
#include <inttypes.h>
#include <stdlib.h>
#include <unistd.h>

#include "cli.h"

#define MIN             (UINT64_C(1) << 20)
#define UNKNOWN_MACHINE (UINT64_C(1) << 30)
#define RECORD_MIN      (UINT64_C(64) << 10)
#define DEFAULT_RECORD  (UINT64_C(64) << 20)

static uint64_t half_of_the_machine(void)
{
    const long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    return pages > 0 && page > 0 ? (uint64_t)pages * (uint64_t)page / 2 : UNKNOWN_MACHINE;
}

uint64_t ram_bytes(const settings *s, const char *what)
{
    const uint64_t bytes = s->limits.ram ? s->limits.ram / 8 : half_of_the_machine();
    if (bytes > SIZE_MAX / 4) return SIZE_MAX / 4; /* a machine of 32 bits with much memory */
    if (bytes >= MIN) return bytes;
    complain("--ram: %s needs at least 1MiB, but this is %" PRIu64 " bytes", what,
             s->limits.ram / 8);
    return 0;
}

uint64_t input_ram(const settings *s)
{
    settings own = *s;
    if (s->limits.ram_default) own.limits.ram = 0;
    return ram_bytes(&own, "an input");
}

uint64_t longest_record(const settings *s)
{
    char given[32], max[32];
    const uint64_t ram = input_ram(s), quarter = ram / 4, wanted = s->limits.max_record / 8;
    if (!ram) return 0;
    if (!s->limits.max_record) return quarter < DEFAULT_RECORD ? quarter : DEFAULT_RECORD;
    if (wanted >= RECORD_MIN && wanted <= quarter) return wanted;
    complain("--max-record %s: must be from 64 KiB to a quarter of --ram, which is %s",
             text_bytes(given, wanted), text_bytes(max, quarter));
    return 0;
}

const char *spool_folder(void)
{
    const char *folder = getenv("TMPDIR");
    return folder && *folder ? folder : "/tmp";
}
