/* change.c - a filter that changes in its place. Nobody else writes the file from before it is read
 * until it is written, so that two adds at the same time lose nothing; readers never wait. */
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "image/change.h"
#include "image/clock.h"
#include "describe.h"

/* ---- before any reading -------------------------------------------------------------------------- */

static ending pipe_ready(const settings *s) { return one_pipe(s) ? END_TROUBLE : save_ready(s); }

ending change_allowed(const char *path, const char *way_out)
{
    struct stat st;
    if (stat(path, &st) != 0)
        return errno == ENOENT
                   ? trouble("%s: no such file (bloomery build -o %s makes a filter)", path, path)
                   : trouble("%s: %s", path, strerror(errno));
    const bool may = st.st_mode & 0222 && access(path, W_OK) == 0;
    return may || !way_out ? END_YES
                           : trouble("%s: file is read-only (mode %04o); %s", path,
                                     (unsigned)(st.st_mode & 07777), way_out);
}

static ending file_ready(const settings *s, const char *path, bool words)
{
    const char *same = words ? NULL : same_file(path, s->operand + 1, s->operands - 1);
    if (same)
        return trouble(
            "%s: FILE is also one of the inputs (%s), but a filter is not a list of keys", path,
            same);
    return change_allowed(path, s->save.force ? NULL : "use -F to change it anyway");
}

/* ---- the image -------------------------------------------------------------------------------------- */

static ending open_pipe(change *c, const blm_open_options *how)
{
    image view;
    blm_report why = {BLM_OK, ""};
    const ending end = image_open(&view, c->s, c->path, BLM_CHECK_ALL, false);
    if (end) return end;
    const blm_err err = blm_load(&c->im.f, view.bytes, view.length, how, &why);
    image_close(&view);
    return err ? image_refused(c->s, c->path, err, &why) : END_YES;
}

static ending open_held(change *c, const blm_open_options *how)
{
    blm_report why = {BLM_OK, ""};
    if (lock_wait(c->s, c->path)) return END_TROUBLE;
    const blm_err err = blm_update_begin(&c->held, &c->im.f, c->path, how, &why);
    return err ? image_refused(c->s, c->path, err, &why) : END_YES;
}

static ending open_image(change *c)
{
    const settings *s = c->s;
    secret key = {.given = false};
    ending end = secret_load(&key, s);
    if (end) return end;
    const blm_open_options *how =
        BLM_OPEN(.secret = key.given ? key.bytes : NULL, .overfill = s->open.overfill,
                 .check = s->open.trust ? BLM_CHECK_NONE : BLM_CHECK_ALL);
    end = strcmp(c->path, "-") == 0 ? open_pipe(c, how) : open_held(c, how);
    secret_wipe(&key);
    if (!end) image_describe(&c->im);
    return end;
}

/* Where keys expire by the clock, it is the time of the change; with --time each line brings its own. */
static ending take_time(change *c)
{
    settings *s = c->s;
    if (s->read.time && c->im.info.clock != BLM_CLOCK_MS)
        return clock_no_times(c->im.info.kind, c->im.info.clock);
    if (c->in && s->read.time) input_time_from(c->in, c->im.info.now);
    const ending end = s->read.time ? END_YES : clock_set(s, c->im.f, c->path);
    if (!end) image_describe(&c->im);
    return end;
}

ending change_begin_alone(change *c, settings *s, blm_ability needs, const char *does)
{
    *c = (change){.s = s, .path = s->operand[0]};
    s->save.out = c->path;
    ending end = strcmp(c->path, "-") == 0 ? save_ready(s) : file_ready(s, c->path, true);
    s->save.force = true; /* the old file is what is changed */
    if (!end) end = open_image(c);
    if (end) return end;
    return blm_can(c->im.f, needs) ? END_YES : cannot(c->path, c->im.info.kind, needs, does);
}

ending change_begin(change *c, settings *s, blm_ability needs, const char *does)
{
    const bool words = keys_are_words(s);
    const bool pipe = strcmp(s->operand[0], "-") == 0;
    *c = (change){.s = s, .path = s->operand[0]};
    s->save.out = c->path;
    ending end = clock_ready(s);
    if (!end && words && s->read.time)
        end = trouble("--time: KEYs have no time; give them as lines (-i, or standard input)");
    if (!end) end = pipe ? pipe_ready(s) : file_ready(s, c->path, words);
    s->save.force = true; /* the old file is what is changed */
    if (!end && !words && !(c->in = input_open(s, s->operand + 1, s->operands - 1)))
        end = END_TROUBLE;
    if (!end) end = open_image(c);
    if (end) return end;
    if (words && words_checked(s, true)) return END_TROUBLE;
    if (needs && !blm_can(c->im.f, needs)) return cannot(c->path, c->im.info.kind, needs, does);
    if (arg_taken(s, c->im.info.kind) || take_time(c)) return END_TROUBLE;
    end = needs == BLM_ADD ? form_extend(s, c->im.f, c->path) : form_apply(s, c->im.f, c->path);
    if (end) return end;
    if (c->in) input_reform(c->in, s);
    if (c->in && !c->im.looks_inside) input_hash_with(c->in, c->im.f, true);
    return END_YES;
}

blm_item change_item(const change *c, const line *l)
{
    blm_item it = {l->h, l->key, l->key_length, l->arg};
    const bool hashed = !c->im.looks_inside && !c->im.integers;
    if (!hashed) key_item(&c->im, l, &it); /* a number it is, by `strict` */
    return it;
}

/* ---- the keys, one by one ------------------------------------------------------------------------------ */

typedef struct turn {
    change *c;
    change_key each;
    void *ctx;
} turn;

static ending take_word(void *ctx, const line *key)
{
    const turn *t = ctx;
    blm_item it;
    if (!key_item(&t->c->im, key, &it))
        return trouble("%s: not a number; keys of this filter are whole numbers", key->text);
    t->c->words++;
    return t->each(t->ctx, key, &it);
}

static ending take_lines(change *c, change_key each, void *ctx)
{
    line lines[BATCH];
    size_t n;
    ending end = END_YES;
    while (!end && (n = input_lines(c->in, lines)) > 0)
        for (size_t i = 0; i < n && !end; i++) {
            const blm_item it = change_item(c, &lines[i]);
            if (lines[i].key) end = each(ctx, &lines[i], &it);
        }
    if (!end && input_failed(c->in)) end = END_TROUBLE;
    return end ? end : input_had_keys(c->in);
}

ending change_each(change *c, change_key each, void *ctx)
{
    turn t = {c, each, ctx};
    return c->in ? take_lines(c, each, ctx) : words_each(c->s, take_word, &t);
}

uint64_t change_keys(const change *c) { return c->in ? input_count(c->in) : c->words; }

/* ---- the end ------------------------------------------------------------------------------------------ */

ending change_write(change *c)
{
    blm_update *held = c->held;
    c->held = NULL;
    return held ? save_update(c->s, c->im.f, held) : save_image(c->s, c->im.f, NULL);
}

void change_report(const change *c, const char *head)
{
    blm_info now;
    char above[ABOVE_ROOM];
    blm_info_of(c->im.f, &now);
    if (c->s->json) {
        json_text("kind", now.kind);
        json_count("keys", now.adds);
        json_number("estimated_keys", now.keys.value);
        json_count("capacity", now.capacity);
        json_count("bytes", blm_saved_size(c->im.f));
        json_number("fpr_target", now.fpr_target);
        json_number("fpr_now", now.fpr_now.high);
        json_close('}');
        json_end_line();
    } else if (!c->s->quiet)
        complain("%s: %s; %s %.0f in the set, planned for %" PRIu64 ", rate %.3g (promised %.3g)%s",
                 strcmp(c->path, "-") != 0 ? c->path : "standard output", head,
                 now.keys.bound ? "more than" : "about", now.keys.value, now.capacity,
                 now.fpr_now.high, now.fpr_target, text_above(above, c->im.f, &now));
}

void change_close(change *c)
{
    if (c->in) input_close(c->in);
    blm_update_drop(c->held);
    image_close(&c->im);
    *c = (change){.s = NULL};
}
