/* jobs.c - laws and other checks, each in a process of its own. */
#define _DEFAULT_SOURCE 1
#include <sys/wait.h>
#include <unistd.h>

#include "laws/runner.h"

void jobs_add(joblist *l, const job *j, const char *setting)
{
    job *more = realloc(l->at, (l->n + 1) * sizeof *more);
    law_need(more != NULL, "no memory", NULL);
    l->at = more;
    more[l->n] = *j;
    snprintf(more[l->n++].setting, NAME_ROOM, "%s", setting);
}

int job_run_here(const job *j)
{
    char kind[NAME_ROOM];
    const char *comma = strchr(j->setting, ',');
    bare_kind(j->setting, kind);
    law_test(kind, comma ? comma + 1 : "");
    broken_hook(kind);
    law_small = j->small;
    law_catches = j->catches;
    return j->run(kind);
}

static void start(job *j, bool quiet)
{
    fflush(stdout);
    j->pid = fork();
    law_need(j->pid >= 0, "no process", NULL);
    if (j->pid) return;
    if (quiet && !freopen("/dev/null", "w", stderr)) _exit(3);
    const int status = job_run_here(j);
    fflush(stdout);
    fflush(stderr);
    _exit(status ? 1 : 0);
}

static void finish_one(job *jobs, size_t n)
{
    int status = 0;
    const pid_t pid = wait(&status);
    for (size_t i = 0; i < n; i++)
        if (jobs[i].pid == pid) {
            jobs[i].failed = status != 0;
            jobs[i].pid = 0;
        }
}

void jobs_run(joblist *l, size_t width, bool quiet)
{
    const long cores = sysconf(_SC_NPROCESSORS_ONLN);
    if (!width) width = cores > 1 ? (size_t)cores : 1;
    for (size_t i = 0; i < l->n; i++) {
        if (i >= width) finish_one(l->at, i);
        start(&l->at[i], quiet);
    }
    for (size_t i = 0; i < l->n && i < width; i++) finish_one(l->at, l->n);
}
