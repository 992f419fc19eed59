/* fail.c - every call of a write fails in turn. The path then holds the whole old image or the whole
 * new one, nothing else is left behind, and the sentence names the file and the reason. */
#include <errno.h>

#include "faults/faults.h"

/* Without these a write cannot be what it promises: their failure is the write's. */
static bool vital(const char *call)
{
    static const char *const names[] = {"write",    "fsync", "fchmod", "linkat",
                                        "renameat", "flock", "open",   "fstat64"};
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
    const blm_err err = blm_write(scene_new, scene_path, b->how, &why);
    const fault met = fault_now;
    fault_now = (fault){.at = 0};
    if (!met.hit) {
        CHECK(err == BLM_OK && scene_content() == THE_NEW);
        return false;
    }
    const bool goes_on = !error || (error == EINTR && strcmp(met.hit, "write") == 0);
    bool held = CHECK(allowed(scene_content(), b, err));
    held &= CHECK(err == BLM_OK || (err == BLM_E_IO && why.code == BLM_E_IO));
    held &= CHECK(!err || strstr(why.text, "keys.blm"));
    held &= CHECK(!err || strstr(why.text, strerror(error)));
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

/* A short write is a fault of write alone: elsewhere 0 would not be an error. */
static bool is_write(const before *b, bool no_tmpfile, unsigned at)
{
    scene_set(b);
    fault_now = (fault){.at = at, .error = EIO, .no_tmpfile = no_tmpfile};
    const blm_err err = blm_write(scene_new, scene_path, b->how, NULL);
    const bool hit = fault_now.hit && strcmp(fault_now.hit, "write") == 0;
    fault_now = (fault){.at = 0};
    scene_drop_temps();
    return CHECK(!hit || err) && hit;
}

void test_fail(void)
{
    static const int errors[] = {EIO, ENOSPC, EINTR};
    unsigned writes = 0;
    for (unsigned i = 0; i < 6; i++) {
        const before *b = &befores[i / 2];
        unsigned calls = 0;
        for (size_t e = 0; e < sizeof errors / sizeof *errors; e++)
            for (unsigned at = 1; fail_once(b, i % 2, at, errors[e]); at++) calls = at;
        for (unsigned at = 1; at <= calls; at++)
            if (is_write(b, i % 2, at)) fail_once(b, i % 2, at, 0), writes++;
        CHECK(calls >= 10);
        printf("fail: %s%s: each of %u calls\n", b->name, i % 2 ? ", named temp" : "", calls);
    }
    CHECK(writes >= 6 * 3); /* header, cells, sums at least */
}
