/* runner.h - what the files of the runner share: settings of kinds, and jobs. */
#ifndef BLM_LAWS_RUNNER_H
#define BLM_LAWS_RUNNER_H
#include <sys/types.h>

#include "laws/laws.h"

/* ---- settings.c ------------------------------------------------------------------------------- */

enum { NAME_ROOM = 120 };

/* Setting 0 is the default one, "kind"; the others are "kind,knob=word". False past the last one. */
bool setting_at(const char *kind, size_t i, char name[NAME_ROOM]);
/* What this setting of the kind can do and promises: at most what the kind does. */
blm_kind_info settled(const blm_kind_info *k, const char *name);
/* "blocked" of "blocked,layout=line". */
void bare_kind(const char *setting, char kind[NAME_ROOM]);

/* ---- jobs.c ------------------------------------------------------------------------------------- */

/* A law, or another check, of one setting. It runs in a process of its own. */
typedef struct job {
    const law *law;               /* NULL: no law, see run */
    int (*run)(const char *kind); /* 0: kept               */
    char setting[NAME_ROOM];      /* KIND or KIND,KNOB=WORD */
    bool small, catches;          /* law_small, law_catches */
    pid_t pid;
    bool failed;
} job;
typedef struct joblist {
    job *at;
    size_t n;
} joblist;

void jobs_add(joblist *l, const job *j, const char *setting);
/* Runs all of them, `width` at a time; 0: as many as there are processors. quiet: without stderr. */
void jobs_run(joblist *l, size_t width, bool quiet);
int job_run_here(const job *j); /* in this process */
#endif
