/* fail.c - every call of a write fails in turn. The path then holds the whole old image or the whole
 * new one, nothing else is left behind, and the sentence names the file and the reason. */
#include <errno.h>
#include <unistd.h>

#include "faults/faults.h"

/* Without these a write cannot be what it promises: their failure is the write's. */
static bool vital(const char *call)
{
    static const char *const names[] = {"write",   "fsync",    "fchmod", "fchown",
                                        "linkat",  "renameat", "flock",  "open64",
                                        "fstat64", "pread64",  "mmap64"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(call, names[i]) == 0) return true;
    return false;
}

static bool allowed(content c, const before *b, blm_err err)
{
    if (!err) return c == THE_NEW;
    return c == THE_NEW || c == (b->has_old ? THE_OLD : NOTHING);
}

/* One write with the call number `at` failing; false when it had no such call. */
static bool fail_once(const before *b, bool no_tmpfile, unsigned at, int error)
{
    blm_report why = {BLM_OK, ""};
    scene_set(b);
    const unsigned files = open_files();
    fault_now = (fault){.at = at, .error = error, .no_tmpfile = no_tmpfile};
    const blm_err err = scene_write(b, &why);
    const fault met = fault_now;
    fault_now = (fault){.at = 0};
    if (!met.hit) {
        CHECK(err == BLM_OK && scene_content() == THE_NEW);
        CHECK(scene_mode() == (b->has_old ? SCENE_MODE : 0666));
        return false;
    }
    const bool waits = strcmp(met.hit, "write") == 0 || strcmp(met.hit, "pread64") == 0 ||
                       strcmp(met.hit, "flock") == 0;
    const bool goes_on = !error || (error == EINTR && waits);
    bool held = CHECK(allowed(scene_content(), b, err));
    held &= CHECK(err == BLM_OK || (err == BLM_E_IO && why.code == BLM_E_IO));
    held &= CHECK(!err || strstr(why.text, "keys.blm"));
    held &= CHECK(!err || strstr(why.text, strerror(error)));
    /* What is in its place stays there, and the sentence says so. */
    const bool late = err && scene_content() == THE_NEW;
    held &= CHECK(late == (strstr(why.text, "may not survive a power failure") != NULL));
    held &= CHECK(!late || strcmp(met.hit, "fsync") == 0);
    held &= CHECK(!vital(met.hit) || goes_on || err == BLM_E_IO);
    held &= CHECK(!goes_on || err == BLM_OK);
    held &= CHECK(scene_temps() == (strcmp(met.hit, "unlinkat") == 0));
    held &= CHECK(open_files() == files);
    if (!held)
        printf("  when %s (call %u) failed with %s: %s%s: %s\n", met.hit, at,
               error ? strerror(error) : "a short write", b->name, no_tmpfile ? ", named temp" : "",
               why.text);
    scene_drop_temps();
    return true;
}

/* A count that is too short is a fault of write alone: elsewhere 0 would not be an error. */
static bool is_write(const before *b, bool no_tmpfile, unsigned at)
{
    scene_set(b);
    fault_now = (fault){.at = at, .error = EIO, .no_tmpfile = no_tmpfile};
    const blm_err err = scene_write(b, NULL);
    const bool hit = fault_now.hit && strcmp(fault_now.hit, "write") == 0;
    fault_now = (fault){.at = 0};
    scene_drop_temps();
    return CHECK(!hit || err) && hit;
}

/* A write of no byte at all is no progress: refused, not tried for ever. */
static void write_nothing(const before *b, bool no_tmpfile, unsigned at)
{
    blm_report why = {BLM_OK, ""};
    scene_set(b);
    fault_now = (fault){.at = at, .nothing = true, .no_tmpfile = no_tmpfile};
    CHECK(scene_write(b, &why) == BLM_E_IO);
    fault_now = (fault){.at = 0};
    CHECK(strstr(why.text, "keys.blm"));
    CHECK(scene_content() == (b->has_old ? THE_OLD : NOTHING) && !scene_temps());
}

void test_fail(void)
{
    static const int errors[] = {EIO, ENOSPC, EINTR};
    unsigned writes = 0;
    for (unsigned i = 0; i < 2 * BEFORES; i++) {
        const before *b = &befores[i / 2];
        unsigned calls = 0;
        for (size_t e = 0; e < sizeof errors / sizeof *errors; e++)
            for (unsigned at = 1; fail_once(b, i % 2, at, errors[e]); at++) calls = at;
        for (unsigned at = 1; at <= calls; at++)
            if (is_write(b, i % 2, at)) {
                fail_once(b, i % 2, at, 0);
                write_nothing(b, i % 2, at);
                writes++;
            }
        CHECK(calls >= 10);
        printf("fail: %s%s: each of %u calls\n", b->name, i % 2 ? ", named temp" : "", calls);
    }
    CHECK(writes >= 2 * BEFORES * 3); /* header, cells, sums at least */
}

/* ---- descriptor 0 is one as any other ---------------------------------------------------------- */

static void zero_everywhere(void)
{
    unsigned met = 0;
    for (unsigned i = 0; i < 2 * BEFORES; i++)
        for (unsigned at = 1, calls = 1; at <= calls; at++) {
            blm_filter *f = NULL;
            scene_set(&befores[i / 2]);
            if (!CHECK(dup2(2, 0) == 0)) return;
            const unsigned files = open_files();
            fault_now = (fault){.zero_at = at, .no_tmpfile = i % 2};
            CHECK(scene_write(&befores[i / 2], NULL) == BLM_OK);
            calls = fault_now.calls;
            CHECK(open_files() == files - 1); /* 0 itself is gone */
            fault_now = (fault){.at = 0};
            CHECK(scene_content() == THE_NEW && !scene_temps());
            CHECK(blm_map(&f, scene_path, NULL, NULL) == BLM_OK); /* its file is number 0 */
            blm_free(f);
            CHECK(open_files() == files - 1);
            met++;
        }
    printf("zero: %u writes and reads without a standard input\n", met);
}

void test_zero(void) { scene_in_child(zero_everywhere); }

/* ---- reading ------------------------------------------------------------------------------------- */

typedef blm_err (*opener)(blm_filter **out, const char *path, const blm_open_options *how,
                          blm_report *why);

/* One read with the call number `at` failing; false when it had no such call. */
static bool read_once(opener open_it, unsigned at, const fault *kind)
{
    blm_report why = {BLM_OK, ""};
    blm_filter *f = NULL;
    const unsigned files = open_files();
    fault_now = *kind;
    fault_now.at = at;
    const blm_err err = open_it(&f, scene_path, NULL, &why);
    const fault met = fault_now;
    fault_now = (fault){.at = 0};
    const bool preads = met.hit && strcmp(met.hit, "pread64") == 0;
    const bool goes_on =
        !met.hit || (preads && (met.error == EINTR || (!met.error && !met.nothing)));
    const bool closes = met.hit && strcmp(met.hit, "close") == 0;
    bool held = CHECK(!err == (f != NULL));
    held &= CHECK(goes_on || closes ? !err && blm_equal(f, scene_old)
                  : met.nothing     ? err == BLM_E_IMAGE /* the file became shorter: cut */
                                    : err == BLM_E_IO && strstr(why.text, strerror(met.error)));
    held &= CHECK(err != BLM_E_IO || strstr(why.text, "keys.blm"));
    held &= CHECK(open_files() == files);
    if (!held)
        printf("  when %s (call %u) failed: %s\n", met.hit ? met.hit : "nothing", at, why.text);
    blm_free(f);
    return met.hit && (met.error || preads);
}

void test_read(void)
{
    static const fault kinds[] = {{.error = EIO}, {.error = EINTR}};
    static const fault counts[] = {{.error = 0}, {.nothing = true}};
    static const opener openers[] = {blm_read, blm_map};
    scene_set(&befores[0]);
    for (size_t o = 0; o < 2; o++) {
        unsigned calls = 0;
        for (size_t k = 0; k < 2; k++)
            for (unsigned at = 1; read_once(openers[o], at, &kinds[k]); at++) calls = at;
        for (size_t k = 0; k < 2; k++) CHECK(read_once(openers[o], 3, &counts[k]));
        CHECK(calls >= 4);
        printf("read: %s: each of %u calls\n", o ? "map" : "read", calls);
    }
}
