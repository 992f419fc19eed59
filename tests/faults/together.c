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

void test_together(void)
{
    readers_and_writers();
    lock_excludes();
    second_looks_again();
}
