/* kill.c - the process dies at every system call of a write: on the way in, before the kernel did
 * anything, one system call after the other. The path then holds the whole old image or the whole new one.
 *
 * A nameless temp dies with the process. It has a name, and so can be left behind, only between link
 * and rename; where the file system has no nameless files, from its creation on. A leftover is in
 * nobody's way: the next write succeeds.
 */
#define _GNU_SOURCE 1
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include "faults/faults.h"

typedef enum ending { DIED, FINISHED, UNTRACED } ending;

static void write_traced(const before *b, bool no_tmpfile)
{
    fault_now = (fault){.no_tmpfile = no_tmpfile};
    if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) != 0) _exit(99);
    raise(SIGSTOP);
    _exit(scene_write(b, NULL) != BLM_OK);
}

/* A child that writes, killed when it enters its `at`-th system call. */
static ending write_and_die(const before *b, bool no_tmpfile, unsigned at)
{
    int status = 0;
    const pid_t child = fork();
    if (child == 0) write_traced(b, no_tmpfile);
    if (child < 0 || waitpid(child, &status, 0) != child) abort();
    if (WIFEXITED(status)) return UNTRACED;
    for (unsigned stops = 0;;) { /* a stop on the way in, one on the way out, and so on */
        ptrace(PTRACE_SYSCALL, child, NULL, NULL);
        if (waitpid(child, &status, 0) != child) abort();
        if (WIFEXITED(status)) return CHECK(WEXITSTATUS(status) == 0), FINISHED;
        if (++stops == 2 * at - 1) break;
    }
    kill(child, SIGKILL);
    if (waitpid(child, &status, 0) != child) abort();
    return DIED;
}

/* Returns how many system calls there were, 0 when processes may not be traced here. */
static unsigned kill_everywhere(const before *b, bool no_tmpfile)
{
    unsigned old = 0, fresh = 0, left = 0, at = 1;
    for (;; at++) {
        scene_set(b);
        const ending e = write_and_die(b, no_tmpfile, at);
        if (e == UNTRACED) return 0;
        const content c = scene_content();
        if (e == FINISHED) {
            CHECK(c == THE_NEW && !scene_temps());
            break;
        }
        if (!CHECK(c == THE_NEW || c == (b->has_old ? THE_OLD : NOTHING)))
            printf("  killed at system call %u: %s%s\n", at, b->name,
                   no_tmpfile ? ", named temp" : "");
        *(c == THE_NEW ? &fresh : &old) += 1;
        left += scene_temps();
        CHECK(blm_write(scene_new, scene_path, BLM_WRITE_REPLACE, NULL) == BLM_OK);
        CHECK(scene_content() == THE_NEW);
        scene_drop_temps();
    }
    CHECK(old > 0 && fresh > 0); /* both sides of the rename were met */
    /* An update allocates, by a system call or not, so that its moments may move by one. */
    const unsigned max = b->how == BLM_WRITE_REPLACE ? 1 : 0;
    if (!no_tmpfile) CHECK(left == max || (b->update && left < max));
    printf("kill: %s%s: %u times the state before, %u times the new file, %u temps left\n", b->name,
           no_tmpfile ? ", named temp" : "", old, fresh, left);
    return at;
}

void test_kill(void)
{
    for (unsigned i = 0; i < 2 * BEFORES; i++)
        if (!kill_everywhere(&befores[i / 2], i % 2)) {
            printf("kill: skipped: this process may not trace its children\n");
            return;
        }
}
