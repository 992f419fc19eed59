/* main.c - runs laws over kinds.
 *
 *   laws                   every law over every kind, each in a process of its own
 *   laws LAW KIND          one law; 0: kept, 1: broken, and a sentence on stderr; KIND or KIND,KNOB=WORD
 *   laws --list            one "law kind" per line; on stderr the words that no law can test (settings.c)
 *   laws --settings [KIND...]          the settings that laws run with, one per line
 *   laws --all-of [-LAW...] SETTING... all laws of these settings but those with a minus, in this one process, which
 *                          saves an emulator from translating the code again and again; "kept" or "broken" per line
 *   laws --about           what each law says
 *   laws --sharp [KIND...] theory at 10^6 keys with 20 filters, and at 10^5 keys and a rate of 1e-6; the intervals of
 *                          1000 filters; every setting, a quarter of the filters for other words of a knob
 *   laws --large [KIND...] theory at 10^7 keys
 *   laws --huge [KIND...]  theory at 10^8 keys, and more than 2^32 bits: standard, blocked, counting
 *   laws --long [KIND...]  the law `model` with 10^7 operations on 200,000 keys: every setting of the kinds that delete or
 *                          count, with the memory that was planned and the most that was taken
 *   laws --broken          each broken kind is caught by its own law, and by no other (TEST_SLOW: only the former)
 *
 * --sharp, --large, --huge and --long run two processes at a time, print one line per kind or setting, and exit
 * with 1 if a check fails. With names of kinds they check only these.
 */
#include "laws/runner.h"

static const law *const groups[] = {
    laws_of_answers, laws_of_batches, laws_of_images,   laws_of_hostile,
    laws_of_memory,  laws_of_pairs,   laws_of_reading,  laws_of_wishes,
    laws_of_theory,  laws_of_model,   laws_of_denials,  laws_of_touches,
    laws_of_keeping, laws_of_costs,   laws_of_order,    laws_of_sizes,
    laws_of_counts,  laws_of_lenses,  laws_of_building, laws_of_growth,
    laws_of_wire,    laws_of_lists,   laws_of_ages,     NULL};

static const law *law_at(size_t i)
{
    for (const law *const *g = groups; *g; g++)
        for (const law *l = *g; l->name; l++)
            if (i-- == 0) return l;
    return NULL;
}

/* ---- broken kinds ---------------------------------------------------------------------------------- */

static bool is_broken(const blm_kind_info *k) { return strcmp(k->group, "broken") == 0; }

/* "broken-any-order" starts with the name of the law any_order: 9 characters of it. No match: 0. */
static size_t matched(const char *kind, const law *l)
{
    const size_t n = strlen(l->name);
    if (strncmp(kind, "broken-", 7) != 0 || strlen(kind + 7) < n) return 0;
    for (size_t i = 0; i < n; i++)
        if (kind[7 + i] != (l->name[i] == '_' ? '-' : l->name[i])) return 0;
    return kind[7 + n] == 0 || kind[7 + n] == '-' ? n : 0;
}

/* The law that must catch a broken kind has the longest name that the kind's name starts with:
 * broken-batch-keys is for batch_keys and not for batch, broken-theory-fields is for theory. */
static bool meant_for(const char *kind, const law *l)
{
    const size_t n = matched(kind, l);
    for (size_t i = 0; law_at(i); i++)
        if (matched(kind, law_at(i)) > n) return false;
    return n > 0;
}

static job job_of(const law *l, const blm_kind_info *k)
{
    const bool broken = is_broken(k), meant = meant_for(k->name, l);
    return (job){.law = l, .run = l->run, .small = broken && !meant, .catches = broken && meant};
}

/* All laws that apply to the broken kinds, or to all others. Where processes are slow to begin and end, a broken kind meets
 * the law that must catch it alone: that no other law does is seen in the release build. */
static joblist jobs_of(bool broken)
{
    blm_kind_info k;
    joblist jobs = {NULL, 0};
    char name[NAME_ROOM];
    for (size_t i = 0; blm_kind_at(i, &k); i++) {
        if (is_broken(&k) != broken) continue;
        for (size_t s = 0; setting_at(k.name, s, name); s++) {
            const blm_kind_info here = settled(&k, name);
            const law *l = NULL;
            for (size_t j = 0; (l = law_at(j)); j++) {
                const job one = job_of(l, &k);
                if (TEST_SLOW && one.small) continue;
                if (l->applies(&here)) jobs_add(&jobs, &one, name);
            }
        }
    }
    return jobs;
}

/* ---- the ways to run ----------------------------------------------------------------------------- */

static int list_all(void)
{
    joblist jobs = jobs_of(false);
    for (size_t i = 0; i < jobs.n; i++) printf("%s %s\n", jobs.at[i].law->name, jobs.at[i].setting);
    free(jobs.at);
    return 0;
}

static int about(void)
{
    for (size_t i = 0; law_at(i); i++) printf("%-15s %s\n", law_at(i)->name, law_at(i)->about);
    return 0;
}

static int run_all(void)
{
    joblist jobs = jobs_of(false);
    size_t failed = 0;
    jobs_run(&jobs, 0, false);
    for (size_t i = 0; i < jobs.n; i++) {
        if (!jobs.at[i].failed) continue;
        printf("broken: %s %s\n", jobs.at[i].law->name, jobs.at[i].setting);
        failed++;
    }
    printf("%zu kept, %zu broken\n", jobs.n - failed, failed);
    free(jobs.at);
    return failed ? 1 : 0;
}

static int run_named(const char *name, const char *setting)
{
    blm_kind_info k;
    const law *l = NULL;
    char kind[NAME_ROOM];
    for (size_t i = 0; (l = law_at(i)) && strcmp(l->name, name) != 0; i++) continue;
    bare_kind(setting, kind);
    if (!l || !blm_kind_named(kind, &k)) {
        fprintf(stderr, "%s %s: no such law or kind\n", name, setting);
        return 2;
    }
    const blm_kind_info here = settled(&k, setting);
    job one = job_of(l, &k);
    snprintf(one.setting, NAME_ROOM, "%s", setting);
    return l->applies(&here) ? job_run_here(&one) : 0;
}

static int list_settings(char **named)
{
    blm_kind_info k;
    char name[NAME_ROOM];
    for (size_t i = 0; !*named && blm_kind_at(i, &k); i++)
        for (size_t s = 0; setting_at(k.name, s, name); s++) puts(name);
    for (; *named; named++)
        for (size_t s = 0; blm_kind_named(*named, &k) && setting_at(*named, s, name); s++)
            puts(name);
    return 0;
}

/* Whether "-LAW" is among the words before the first setting. */
static bool left_out(char *const *words, const law *l)
{
    for (; *words && **words == '-'; words++)
        if (strcmp(*words + 1, l->name) == 0) return true;
    return false;
}

static int run_all_of(char *const *words)
{
    char *const *without = words;
    joblist jobs = jobs_of(false);
    int failed = 0;
    size_t ran = 0;
    for (; *words; words++)
        for (size_t i = 0; **words != '-' && i < jobs.n; i++) {
            const job *j = &jobs.at[i];
            if (strcmp(j->setting, *words) != 0 || left_out(without, j->law)) continue;
            const int status = job_run_here(j);
            printf("%s %s %s\n", status ? "broken" : "kept", j->law->name, j->setting);
            fflush(stdout); /* should the next one crash */
            failed |= status;
            ran++;
        }
    free(jobs.at);
    if (!ran) fprintf(stderr, "no law ran: laws --settings has the names\n");
    return ran ? failed ? 1 : 0 : 2;
}

/* ---- depth checks: longer than `make test` can wait ----------------------------------------------- */

typedef struct depth {
    const char *option, *what;
    int (*run)(const char *kind);
    bool settings;            /* every setting of a kind, not only the default one   */
    const char *const *kinds; /* those that are checked if none is named; NULL: all  */
    const law *of;            /* a longer run of this law; NULL: it is for every kind */
} depth;
static int sharp(const char *kind) { return law_theory_sharp(kind) | law_intervals_sharp(kind); }
static const char *const huge_kinds[] = {"counting", "standard", "blocked", NULL};
static const depth depths[] = {
    {"--sharp", "theory at 10^6 keys and at 1e-6, and intervals", sharp, true, NULL, NULL},
    {"--large", "theory at 10^7 keys", law_theory_large, false, NULL, NULL},
    {"--huge", "theory at 10^8 keys", law_theory_huge, false, huge_kinds, NULL},
    {"--long", "10^7 operations against an exact multiset", law_model_long, true, NULL,
     laws_of_model},
};

/* Whether the check is for this setting. */
static bool takes(const depth *d, const char *setting)
{
    blm_kind_info k;
    char kind[NAME_ROOM];
    bare_kind(setting, kind);
    if (!d->of || !blm_kind_named(kind, &k)) return true;
    const blm_kind_info here = settled(&k, setting);
    return d->of->applies(&here);
}

/* The settings of a kind, or the one that is named: "blocked,layout=line". */
static void add_depth(joblist *jobs, const depth *d, const char *kind)
{
    char name[NAME_ROOM];
    const job one = {.run = d->run};
    const bool all = d->settings && !strchr(kind, ',');
    for (size_t s = 0; setting_at(kind, s, name) && (all || s == 0); s++)
        if (takes(d, name))
            jobs_add(jobs, &one, name);
        else
            printf("%s: not for %s\n", name, d->option);
}

/* Adds the kinds that are named; without names, those of the check. False: there is no such kind. */
static bool depth_jobs(joblist *jobs, const depth *d, char **named)
{
    blm_kind_info k;
    for (size_t i = 0; !*named && d->kinds && d->kinds[i]; i++) add_depth(jobs, d, d->kinds[i]);
    for (size_t i = 0; !*named && !d->kinds && blm_kind_at(i, &k); i++) add_depth(jobs, d, k.name);
    for (; *named; named++) {
        char kind[NAME_ROOM];
        bare_kind(*named, kind);
        if (!blm_kind_named(kind, &k)) {
            fprintf(stderr, "%s: no such kind\n", *named);
            return false;
        }
        add_depth(jobs, d, *named);
    }
    return true;
}

static int run_depth(const depth *d, char **named)
{
    joblist jobs = {NULL, 0};
    int failed = 0;
    if (!depth_jobs(&jobs, d, named)) return 2;
    jobs_run(&jobs, 2, false);
    for (size_t i = 0; i < jobs.n; i++) {
        const job *j = &jobs.at[i];
        printf("%s: %s %s\n", j->setting, d->what, j->failed ? "is broken" : "holds");
        failed |= j->failed;
    }
    free(jobs.at);
    return failed;
}

static int run_broken(void)
{
    joblist jobs = jobs_of(true);
    size_t wrong = 0, caught = 0;
    jobs_run(&jobs, 0, true);
    for (size_t i = 0; i < jobs.n; i++) {
        const job *j = &jobs.at[i];
        const bool meant = meant_for(j->setting, j->law);
        if (!meant && (strcmp(j->law->name, "model") == 0 || strcmp(j->law->name, "costs") == 0))
            continue; /* in long use, and with forged images, other faults show too */
        if (j->failed && !meant) printf("%s also breaks %s\n", j->setting, j->law->name);
        if (!j->failed && meant) printf("%s is not caught by its law\n", j->setting);
        wrong += j->failed != meant;
        caught += j->failed && meant;
    }
    for (size_t i = 0; law_at(i); i++) {
        size_t j = 0;
        while (j < jobs.n &&
               (jobs.at[j].law != law_at(i) || !meant_for(jobs.at[j].setting, law_at(i))))
            j++;
        if (j == jobs.n) printf("%s has no broken kind\n", law_at(i)->name), wrong++;
    }
    printf("%zu broken kinds were caught by their law, %zu surprises\n", caught, wrong);
    free(jobs.at);
    return wrong ? 1 : 0;
}

int main(int argc, char **argv)
{
    if (argc == 1) return run_all();
    for (size_t i = 0; i < sizeof depths / sizeof *depths; i++)
        if (strcmp(argv[1], depths[i].option) == 0) return run_depth(&depths[i], argv + 2);
    if (strcmp(argv[1], "--settings") == 0) return list_settings(argv + 2);
    if (strcmp(argv[1], "--all-of") == 0) return run_all_of(argv + 2);
    if (argc == 3) return run_named(argv[1], argv[2]);
    if (argc == 2 && strcmp(argv[1], "--list") == 0) return list_all();
    if (argc == 2 && strcmp(argv[1], "--about") == 0) return about();
    if (argc == 2 && strcmp(argv[1], "--broken") == 0) return run_broken();
    fprintf(stderr, "laws [LAW KIND | --list | --settings [KIND...] | --all-of [-LAW...] "
                    "SETTING... | --about | --sharp [KIND...] | --large [KIND...] | "
                    "--huge [KIND...] | --long [KIND...] | --broken]\n");
    return 2;
}
