/* together.c - readers and writers of one path: readers see a whole image, old or new; writers exclude
 * each other. */
#define _GNU_SOURCE 1
#include <fcntl.h>
#include <poll.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>

#include "faults/faults.h"

#define ROUNDS 200

/* Each returns 0, or how often it went wrong; run in a process of its own. */
static int writer(void)
{
    int wrong = 0;
    for (int i = 0; i < ROUNDS; i++)
        wrong +=
            blm_write(i % 2 ? scene_old : scene_new, scene_path, BLM_WRITE_REPLACE, NULL) != BLM_OK;
    return wrong;
}

static int reader(void)
{
    int wrong = 0;
    for (int i = 0; i < 2 * ROUNDS; i++) {
        blm_filter *f = NULL;
        const blm_err err = i % 2 ? blm_read(&f, scene_path, NULL, NULL)
                                  : blm_map(&f, scene_path, BLM_OPEN(.check = BLM_CHECK_ALL), NULL);
        wrong += err || !(blm_equal(f, scene_old) || blm_equal(f, scene_new));
        blm_free(f);
    }
    return wrong;
}

static pid_t start(int (*what)(void))
{
    const pid_t child = fork();
    if (child == 0) _exit(what() != 0);
    if (child < 0) abort();
    return child;
}

static bool ended_well(pid_t child)
{
    int status = 0;
    return waitpid(child, &status, 0) == child && WIFEXITED(status) && !WEXITSTATUS(status);
}

static void readers_and_writers(void)
{
    scene_set(&befores[0]);
    const pid_t w1 = start(writer), w2 = start(writer), r1 = start(reader), r2 = start(reader);
    CHECK(ended_well(w1));
    CHECK(ended_well(w2));
    CHECK(ended_well(r1));
    CHECK(ended_well(r2));
    const content c = scene_content();
    CHECK(c == THE_OLD || c == THE_NEW);
    CHECK(!scene_temps());
    printf("together: 2 writers, %d writes each, 2 readers, %d reads each\n", ROUNDS, 2 * ROUNDS);
}

static int write_once(void)
{
    return blm_write(scene_new, scene_path, BLM_WRITE_REPLACE, NULL) != BLM_OK;
}

/* Whoever holds the lock keeps the writer waiting; then the writer is done at once. */
static void lock_excludes(void)
{
    scene_set(&befores[0]);
    const int fd = open(scene_path, O_RDONLY);
    CHECK(fd >= 0 && flock(fd, LOCK_EX) == 0);
    const pid_t child = start(write_once);
    poll(NULL, 0, 300); /* 300 ms: a write takes 1 */
    CHECK(waitpid(child, NULL, WNOHANG) == 0);
    CHECK(scene_content() == THE_OLD);
    flock(fd, LOCK_UN); /* the children have this file open as well: close alone would not do */
    close(fd);
    CHECK(ended_well(child));
    CHECK(scene_content() == THE_NEW);
}

/* Two writers wait for one lock. The second one gets the lock of a file that the first has already
 * replaced: it has to look again, or both would write at once. */
static void second_looks_again(void)
{
    scene_set(&befores[0]);
    const int fd = open(scene_path, O_RDONLY);
    CHECK(fd >= 0 && flock(fd, LOCK_EX) == 0);
    const pid_t one = start(write_once), two = start(write_once);
    poll(NULL, 0, 200);
    flock(fd, LOCK_UN); /* the children have this file open as well: close alone would not do */
    close(fd);
    CHECK(ended_well(one));
    CHECK(ended_well(two));
    CHECK(scene_content() == THE_NEW && !scene_temps());
}

#define STEPS 100u
#define STEP  10u

/* 1000 keys in steps of 10, each step an update of its own. */
static int add_from(uint64_t first)
{
    int wrong = 0;
    for (uint64_t i = 0; i < STEPS; i++) {
        blm_update *u = NULL;
        blm_filter *f = NULL;
        if (blm_update_begin(&u, &f, scene_path, NULL, NULL)) return 1;
        for (uint64_t j = 0; j < STEP; j++) wrong += blm_add_u64(f, first + i * STEP + j) != BLM_OK;
        wrong += blm_update_end(u, f, NULL) != BLM_OK;
        blm_free(f);
    }
    return wrong;
}
static int add_low(void) { return add_from(10000); }
static int add_high(void) { return add_from(20000); }

static void updates_lose_nothing(void)
{
    blm_filter *all = NULL, *f = NULL;
    scene_set(&befores[0]);
    const pid_t one = start(add_low), two = start(add_high);
    CHECK(ended_well(one));
    CHECK(ended_well(two));
    if (blm_copy(&all, scene_old, NULL)) abort();
    for (uint64_t i = 0; i < STEPS * STEP; i++)
        if (blm_add_u64(all, 10000 + i) || blm_add_u64(all, 20000 + i)) abort();
    CHECK(blm_read(&f, scene_path, NULL, NULL) == BLM_OK && blm_equal(f, all));
    CHECK(!scene_temps());
    printf("together: 2 processes, %u updates of %u keys each, none lost\n", STEPS, STEP);
    blm_free(f);
    blm_free(all);
}

/* A write waits from the begin of an update to its end, and readers do not. */
static void update_excludes(bool keep)
{
    blm_update *u = NULL;
    blm_filter *f = NULL;
    scene_set(&befores[0]);
    if (!CHECK(blm_update_begin(&u, &f, scene_path, NULL, NULL) == BLM_OK)) return;
    int ready[2];
    if (pipe(ready)) abort();
    const pid_t child = fork();
    if (child == 0) { /* the lock is the parent's: a copy of its descriptor would hold it as well */
        blm_update_drop(u);
        if (write(ready[1], "", 1) != 1) _exit(1);
        _exit(write_once());
    }
    char byte;
    CHECK(child > 0 && read(ready[0], &byte, 1) == 1);
    poll(NULL, 0, 300);
    CHECK(waitpid(child, NULL, WNOHANG) == 0);
    CHECK(scene_content() == THE_OLD);
    if (keep)
        CHECK(blm_update_end(u, f, NULL) == BLM_OK);
    else
        blm_update_drop(u);
    CHECK(ended_well(child));
    CHECK(scene_content() == THE_NEW && !scene_temps());
    blm_free(f);
    close(ready[0]);
    close(ready[1]);
}

void test_together(void)
{
    updates_lose_nothing();
    update_excludes(true);
    update_excludes(false);
    readers_and_writers();
    lock_excludes();
    second_looks_again();
}
