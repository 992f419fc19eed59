/* main.c - runs laws over kinds.
 *
 *   laws                 every law over every kind, each in a process of its own
 *   laws LAW KIND        one; 0: kept, 1: broken, and a sentence on stderr; KIND or KIND,KNOB=WORD
 *   laws --list          "law kind" a line
 *   laws --about         what each law says
 *   laws --large         theory at 10^7 keys, every kind
 *   laws --huge          10^8 keys and more than 2^32 bits
 *   laws --broken        each broken kind is caught by its own law, and by no other
 */
#define _DEFAULT_SOURCE 1
#include <sys/wait.h>
#include <unistd.h>

#include "laws/laws.h"

static const law *const groups[] = {laws_of_answers, laws_of_batches, laws_of_images,
                                    laws_of_hostile, laws_of_memory,  laws_of_pairs,
                                    laws_of_reading, laws_of_wishes,  laws_of_theory,
                                    laws_of_model,   laws_of_denials, NULL};

static const law *law_at(size_t i)
{
    for (const law *const *g = groups; *g; g++)
        for (const law *l = *g; l->name; l++)
            if (i-- == 0) return l;
    return NULL;
}

/* ---- settings: a kind as it usually is, and with each other word of its first knob of words --------- */

enum { NAME_ROOM = 120 };

static bool first_words(const char *kind, blm_knobdef *d)
{
    for (size_t i = 0; blm_knob_at(kind, i, d); i++)
        if (d->type == BLM_K_WORD) return true;
    return false;
}

/* Setting 0 is the usual one, "kind"; the others are "kind,knob=word". False past the last one. */
static bool setting_at(const char *kind, size_t i, char name[NAME_ROOM])
{
    blm_knobdef d;
    snprintf(name, NAME_ROOM, "%s", kind);
    if (i == 0) return true;
    if (!first_words(kind, &d)) return false;
    const char *word = d.words;
    for (size_t at = i - (i <= (size_t)d.usual); at > 0 && word; at--)
        if ((word = strchr(word, '|'))) word++;
    if (word) snprintf(name, NAME_ROOM, "%s,%s=%.*s", kind, d.name, (int)strcspn(word, "|"), word);
    return word != NULL;
}

/* What this setting of the kind can and promises: at most what the kind does. */
static blm_kind_info settled(const blm_kind_info *k, const char *name)
{
    blm_kind_info less = *k;
    const char *comma = strchr(name, ',');
    blm_filter *f = NULL;
    blm_info info;
    const blm_config c = {
        .size = sizeof c, .kind = k->name, .keys = 100, .with = comma ? comma + 1 : NULL};
    if (blm_new(&f, &c, NULL)) return less;
    blm_info_of(f, &info);
    less.can &= info.can;
    less.promises &= info.promises;
    blm_free(f);
    return less;
}

/* ---- jobs: two at a time, each in its own process ---------------------------------------------- */

typedef struct job {
    const law *law;       /* NULL: theory at 10^7 keys */
    char kind[NAME_ROOM]; /* with its setting    */
    pid_t pid;
    bool failed;
} job;

static int run_one(const law *l, const char *name)
{
    char kind[NAME_ROOM];
    snprintf(kind, sizeof kind, "%s", name);
    char *comma = strchr(kind, ',');
    if (comma) *comma = 0;
    law_test(kind, comma ? comma + 1 : "");
    broken_hook(kind);
    return l ? l->run(kind) : law_theory_large(kind);
}

static void start(job *j, bool quiet)
{
    fflush(stdout);
    j->pid = fork();
    law_need(j->pid >= 0, "no process", NULL);
    if (j->pid) return;
    if (quiet && !freopen("/dev/null", "w", stderr)) _exit(3);
    const int status = run_one(j->law, j->kind);
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

static void run_jobs(job *jobs, size_t n, bool quiet)
{
    const long cores = sysconf(_SC_NPROCESSORS_ONLN);
    const size_t width = cores > 1 ? (size_t)cores : 1;
    for (size_t i = 0; i < n; i++) {
        if (i >= width) finish_one(jobs, i);
        start(&jobs[i], quiet);
    }
    for (size_t i = 0; i < n && i < width; i++) finish_one(jobs, n);
}

static void one_more(job **jobs, size_t *n, const law *l, const char *kind)
{
    job *more = realloc(*jobs, (*n + 1) * sizeof **jobs);
    law_need(more != NULL, "no memory", NULL);
    more[*n] = (job){.law = l};
    snprintf(more[(*n)++].kind, NAME_ROOM, "%s", kind);
    *jobs = more;
}

/* All laws that apply to the kinds of a group ("broken"), or of all other groups. */
static job *jobs_of(bool broken, size_t *n)
{
    blm_kind_info k;
    job *jobs = NULL;
    char name[NAME_ROOM];
    *n = 0;
    for (size_t i = 0; blm_kind_at(i, &k); i++) {
        if ((strcmp(k.group, "broken") == 0) != broken) continue;
        for (size_t s = 0; setting_at(k.name, s, name); s++) {
            const blm_kind_info here = settled(&k, name);
            for (size_t j = 0; law_at(j); j++)
                if (law_at(j)->applies(&here)) one_more(&jobs, n, law_at(j), name);
        }
    }
    return jobs;
}

/* ---- the ways to run ----------------------------------------------------------------------------- */

static int list_all(void)
{
    size_t n;
    job *jobs = jobs_of(false, &n);
    for (size_t i = 0; i < n; i++) printf("%s %s\n", jobs[i].law->name, jobs[i].kind);
    free(jobs);
    return 0;
}

static int about(void)
{
    for (size_t i = 0; law_at(i); i++) printf("%-15s %s\n", law_at(i)->name, law_at(i)->about);
    return 0;
}

static int run_all(void)
{
    size_t n, failed = 0;
    job *jobs = jobs_of(false, &n);
    run_jobs(jobs, n, false);
    for (size_t i = 0; i < n; i++) {
        if (!jobs[i].failed) continue;
        printf("broken: %s %s\n", jobs[i].law->name, jobs[i].kind);
        failed++;
    }
    printf("%zu kept, %zu broken\n", n - failed, failed);
    free(jobs);
    return failed ? 1 : 0;
}

static int run_named(const char *name, const char *kind)
{
    blm_kind_info k;
    const law *l = NULL;
    char bare[NAME_ROOM] = "";
    for (size_t i = 0; (l = law_at(i)) && strcmp(l->name, name) != 0; i++) continue;
    memcpy(bare, kind, strcspn(kind, ",") % sizeof bare);
    if (!l || !blm_kind_named(bare, &k)) {
        fprintf(stderr, "%s %s: no such law or kind\n", name, kind);
        return 2;
    }
    law_small = strcmp(k.group, "broken") == 0;
    const blm_kind_info here = settled(&k, kind);
    return l->applies(&here) ? run_one(l, kind) : 0;
}

static int run_large(void)
{
    blm_kind_info k;
    job *jobs = NULL;
    size_t n = 0;
    int failed = 0;
    for (size_t i = 0; blm_kind_at(i, &k); i++) one_more(&jobs, &n, NULL, k.name);
    run_jobs(jobs, n, false);
    for (size_t i = 0; i < n; i++) {
        printf("%s: theory at 10^7 keys %s\n", jobs[i].kind,
               jobs[i].failed ? "is broken" : "holds");
        failed |= jobs[i].failed;
    }
    free(jobs);
    return failed;
}

/* "broken-any-order" is for the law any_order. */
static bool meant_for(const char *kind, const char *name)
{
    if (strncmp(kind, "broken-", 7) != 0 || strlen(kind + 7) != strlen(name)) return false;
    for (size_t i = 0; name[i]; i++)
        if (kind[7 + i] != (name[i] == '_' ? '-' : name[i])) return false;
    return true;
}

static int run_broken(void)
{
    size_t n, wrong = 0, caught = 0;
    law_small = true;
    job *jobs = jobs_of(true, &n);
    run_jobs(jobs, n, true);
    for (size_t i = 0; i < n; i++) {
        const bool meant = meant_for(jobs[i].kind, jobs[i].law->name);
        if (!meant && strcmp(jobs[i].law->name, "model") == 0)
            continue; /* in long use other faults show too */
        if (jobs[i].failed && !meant)
            printf("%s also breaks %s\n", jobs[i].kind, jobs[i].law->name);
        if (!jobs[i].failed && meant) printf("%s is not caught by its law\n", jobs[i].kind);
        wrong += jobs[i].failed != meant;
        caught += jobs[i].failed && meant;
    }
    for (size_t i = 0; law_at(i); i++) {
        size_t j = 0;
        while (j < n && (jobs[j].law != law_at(i) || !meant_for(jobs[j].kind, law_at(i)->name)))
            j++;
        if (j == n) printf("%s has no broken kind\n", law_at(i)->name), wrong++;
    }
    printf("%zu laws have caught their broken kind, %zu surprises\n", caught, wrong);
    free(jobs);
    return wrong ? 1 : 0;
}

int main(int argc, char **argv)
{
    if (argc == 1) return run_all();
    if (argc == 3) return run_named(argv[1], argv[2]);
    if (argc == 2 && strcmp(argv[1], "--list") == 0) return list_all();
    if (argc == 2 && strcmp(argv[1], "--about") == 0) return about();
    if (argc == 2 && strcmp(argv[1], "--large") == 0) return run_large();
    if (argc == 2 && strcmp(argv[1], "--huge") == 0) return law_theory_huge();
    if (argc == 2 && strcmp(argv[1], "--broken") == 0) return run_broken();
    fprintf(stderr, "laws [LAW KIND | --list | --about | --large | --huge | --broken]\n");
    return 2;
}
