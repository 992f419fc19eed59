/* deny.c - bloomery deny: reports keys that were false positives. */
#include <inttypes.h>
#include <stdio.h>

#include "image/change.h"
#include "image/clock.h"

typedef struct deny_settings {
    settings base;
    uint64_t asked;
} deny_settings;

static const deny_settings *own(const settings *s) { return (const deny_settings *)s; }

typedef struct denying {
    change c;
    uint64_t denied, gone, absent; /* gone: of the denied, those that are answered no from now on */
    char first[ESCAPED_NAME];      /* the first key that was answered no already */
} denying;

static ending deny_key(void *ctx, const line *l, const blm_item *it)
{
    denying *d = ctx;
    const blm_err err = blm_deny_item(d->c.im.f, it);
    if (err == BLM_OK) {
        d->denied++;
        d->gone += !blm_has_item(d->c.im.f, it);
    } else if (err != BLM_E_ABSENT)
        return complain_why(d->c.path, err, NULL);
    else if (d->absent++ == 0)
        host_escape(d->first, sizeof d->first, l->key, l->key_length);
    return END_YES;
}

/* `asked` queries for non-members in all: those that were not denied got their no. */
static ending count_asked(denying *d, uint64_t asked)
{
    if (!asked) return END_YES;
    if (asked < d->denied)
        return trouble("--asked %" PRIu64 ": must not be fewer than the %" PRIu64 " denied keys",
                       asked, d->denied);
    const blm_err err = blm_report_queries(d->c.im.f, 0, asked - d->denied);
    return err ? complain_why(d->c.path, err, NULL) : END_YES;
}

static void report(const denying *d)
{
    char head[160];
    snprintf(head, sizeof head, "%" PRIu64 " key%s denied, %" PRIu64 " of them now answered no",
             d->denied, plural(d->denied), d->gone);
    if (d->absent)
        complain("%" PRIu64 " key%s already answered no, the first: %s", d->absent,
                 d->absent == 1 ? " was" : "s were", d->first);
    if (d->c.s->json) {
        json_open(NULL, '{');
        json_text("file", d->c.path);
        json_count("denied", d->denied);
        json_count("gone", d->gone);
        json_count("absent", d->absent);
    }
    change_report(&d->c, head);
}

static ending run_deny(settings *s)
{
    denying d = {.denied = 0};
    ending end = change_begin(&d.c, s, 0, "");
    if (!end) end = change_each(&d.c, deny_key, &d);
    if (!end) end = count_asked(&d, own(s)->asked);
    /* A file that did not change is not written. */
    if (!end && (d.denied || own(s)->asked || s->save.note || !d.c.held)) end = change_write(&d.c);
    if (!end) report(&d);
    change_close(&d.c);
    return end ? end : d.absent ? END_NO : END_YES;
}

static const option deny_options[] = {
    {0, "asked", "N", "the false positives occurred in N queries for non-members", TAKE_COUNT,
     offsetof(deny_settings, asked), 1, UINT64_C(9007199254740992)},
    OPTION_INPUTS,
    OPTION_NOTE,
    OPTION_KEY,
    OPTION_FORCE_CHANGE,
    OPTION_WAIT,
    OPTION_TRUST,
    OPTIONS_INPUT,
    OPTION_NOW,
    OPTION_JSON,
    OPTION_END,
};

const verb verb_deny = {
    .name = "deny",
    .about = "report false positives to a filter",
    .usage = "deny [-i] FILE [KEY... | INPUT...] [--asked N]",
    .text = "KEYs are arguments. With -i, the arguments after FILE are INPUTs, and each of their "
            "lines is a key.\n"
            "With no argument after FILE, each line of standard input is a key. A KEY that is also "
            "the name of\n"
            "a file is rejected; put it after -- if you mean the key.\n"
            "Every kind counts the denied keys; with --asked, info shows the rate that users saw. "
            "Kinds with the\n"
            "ability deny (see bloomery kinds) also adapt: they answer no from then on, as far as "
            "they can. The\n"
            "page of a kind says whether this can cost members. A key that FILE already answers no "
            "for is\n"
            "reported but not counted.\n"
            "Never deny a member. bloomery grep --confirm LIST --deny does all this for you.",
    .options = deny_options,
    .examples = {"bloomery deny hosts.blm innocent.example.org",
                 "bloomery deny --asked 120000 hosts.blm < complaints.txt"},
    .endings = "0 all were false positives, 1 some key already got a no, 2 usage or I/O, 3 not a "
               "sound image",
    .min_operands = 1,
    .size = sizeof(deny_settings),
    .run = run_deny,
};
