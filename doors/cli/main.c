/* main.c - bloomery VERB ...: finds the verb and runs it. */
#define _POSIX_C_SOURCE 200809L
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"
#include "shell/help.h"

const verb *const verbs[] = {
    &verb_demo,       &verb_kinds,  &verb_plan,  &verb_build,     &verb_add,   &verb_rm,
    &verb_deny,       &verb_tick,   &verb_test,  &verb_grep,      &verb_uniq,  &verb_top,
    &verb_iceberg,    &verb_admit,  &verb_count, &verb_get,       &verb_which, &verb_info,
    &verb_explain,    &verb_verify, &verb_merge, &verb_intersect, &verb_fold,  &verb_overlap,
    &verb_pack,       &verb_unpack, &verb_delta, &verb_lab,       &verb_bench, &verb_help,
    &verb_completion, NULL};

static ending run_verb(const verb *v, const char *program, int argc, char **argv)
{
    ending end = END_TROUBLE;
    complain_as(v->name);
    settings *s = calloc(1, v->size ? v->size : sizeof *s);
    const char **operand = calloc((size_t)argc + 1, sizeof *operand);
    if (s && operand) {
        s->verb = v;
        s->program = program;
        s->operand = operand;
        if (options_parse(s, argc, argv, &end)) end = v->run(s);
    } else
        end = trouble("no memory");
    free(operand);
    free(s);
    return end;
}

static ending run(int argc, char **argv)
{
    if (argc < 2) return trouble("missing verb; try bloomery demo, or bloomery --help");
    const char *first = argv[1];
    if (strcmp(first, "--help") == 0 || strcmp(first, "-h") == 0) {
        help_all();
        return END_YES;
    }
    if (strcmp(first, "--version") == 0) {
        show_version();
        return END_YES;
    }
    if (first[0] == '-')
        return trouble("%s: the verb must come first (bloomery --help lists the verbs)", first);
    const verb *v = verb_named(first);
    return v ? run_verb(v, argv[0], argc - 2, argv + 2) : no_such_verb(first);
}

/* A standard file that the caller closed would be the next one that we open: answers would go into a
 * spool, complaints into an image. What takes its place fails at the first read or write. */
static bool hold_standard_files(void)
{
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
        const int wrong_way = fd == STDIN_FILENO ? O_WRONLY : O_RDONLY;
        if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", wrong_way) != fd) return false;
    }
    return true;
}

/* A mapped file has become shorter than it was. Nothing can be done but to say it, with calls that a handler may use. */
static void on_bus_error(int number)
{
    static const char words[] =
        "bloomery: a file was truncated while it was being read; pipe it in to read a copy\n";
    (void)number;
    if (write(STDERR_FILENO, words, sizeof words - 1) < 0) _exit(END_UNSOUND);
    _exit(END_UNSOUND);
}

int main(int argc, char **argv)
{
    if (!hold_standard_files()) return END_TROUBLE;
    signal(SIGBUS, on_bus_error);
    signal(SIGPIPE,
           SIG_DFL); /* a reader that left ends us silently, although a parent may ignore it */
    signal(SIGXFSZ, SIG_IGN); /* a file limit is a failed write: the temp file is cleared away */
    return (int)out_end(run(argc, argv));
}
