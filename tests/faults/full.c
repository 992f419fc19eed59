/* full.c - no room: a limit on the size of files, and a real file system that is full. */
#define _GNU_SOURCE 1
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/resource.h>

#include "faults/faults.h"

/* The write fails with `error`, whole, whatever was there before. */
static void refused(const before *b, int error)
{
    blm_report why = {BLM_OK, ""};
    CHECK(scene_write(b, &why) == BLM_E_IO);
    if (!CHECK(strstr(why.text, strerror(error)) && strstr(why.text, "keys.blm")))
        printf("  %s: %s\n", b->name, why.text);
    CHECK(scene_content() == (b->has_old ? THE_OLD : NOTHING));
    CHECK(!scene_temps());
}

static void under_a_limit(void)
{
    signal(SIGXFSZ, SIG_IGN);
    for (unsigned i = 0; i < BEFORES; i++) {
        scene_set(&befores[i]);
        const struct rlimit small = {4096, RLIM_INFINITY}, none = {RLIM_INFINITY, RLIM_INFINITY};
        CHECK(setrlimit(RLIMIT_FSIZE, &small) == 0);
        refused(&befores[i], EFBIG);
        CHECK(setrlimit(RLIMIT_FSIZE, &none) == 0);
    }
    printf("full: refused under a limit of 4096 bytes a file\n");
}

/* 160 KiB hold the old image of 100 KB but not a second one with it. */
static void on_a_small_disk(void)
{
    if (unshare(CLONE_NEWNS) != 0 || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0 ||
        mount("faults", scene, "tmpfs", 0, "size=160k") != 0) {
        printf("full: skipped on a real disk: this process may not mount (%s)\n", strerror(errno));
        return;
    }
    scene_set(&befores[0]);
    refused(&befores[0], ENOSPC);
    printf("full: refused on a disk of 160 KiB\n");
}

void test_full(void)
{
    scene_in_child(under_a_limit);
    scene_in_child(on_a_small_disk);
}
