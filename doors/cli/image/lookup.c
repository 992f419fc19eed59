/* lookup.c - keys, one after the other, to a verb that has an answer for each. */
#include <string.h>

#include "describe.h"
#include "image/clock.h"
#include "image/lookup.h"

static ending look_up(lookup *l, const line *key)
{
    blm_item it;
    blm_report why = {BLM_OK, ""};
    if (!key->key) return END_YES;
    if (!key_item(&l->im, key, &it)) return l->answer(l, key, NULL);
    const blm_err err = l->careful ? blm_check_item(l->im.f, &it, &why) : BLM_OK;
    return err ? complain_why(l->path, err, &why) : l->answer(l, key, &it);
}

static ending look_up_word(void *ctx, const line *key) { return look_up(ctx, key); }

/* Where a chunk fails its check, the lines before it are answered first, as they are one by one. */
static ending look_up_hashes(lookup *l, const line *lines, size_t n)
{
    blm_report why = {BLM_OK, ""};
    blm_err err = BLM_OK;
    size_t sound = l->careful ? 0 : n;
    for (; sound < n; sound++) {
        const line *key = &lines[sound];
        const blm_item it = {key->h, key->key, key->key_length, BLM_NO_ARG};
        if (key->key && (err = blm_check_item(l->im.f, &it, &why))) break;
    }
    const ending end = l->answers(l, lines, sound);
    return end || !err ? end : complain_why(l->path, err, &why);
}

static ending look_up_each(lookup *l, const line *lines, size_t n)
{
    ending end = END_YES;
    for (size_t i = 0; i < n && !end; i++) end = look_up(l, &lines[i]);
    return end;
}

static ending look_up_lines(lookup *l)
{
    line lines[BATCH];
    size_t n;
    ending end = END_YES;
    input *in = input_open(l->s, l->s->operand + 1, l->s->operands - 1);
    if (!in) return END_TROUBLE;
    /* Numbers of keys are looked up one by one. */
    const bool hashed = l->answers && !l->im.looks_inside && !l->im.integers && !l->s->read.arg;
    if (hashed) input_hash_with(in, l->im.f, false);
    while (!end && !out_failed() && (n = input_lines(in, lines)) > 0)
        end = (hashed ? look_up_hashes : look_up_each)(l, lines, n);
    if (!end && input_failed(in)) end = END_TROUBLE;
    if (!end) end = input_had_keys(in);
    input_close(in);
    return end;
}

ending lookup_run(settings *s, blm_ability needs, const char *does, lookup_answer answer,
                  lookup_answers answers, const void *own)
{
    lookup l = {.s = s, .path = s->operand[0], .answer = answer, .answers = answers, .own = own};
    if (one_pipe(s)) return END_TROUBLE;
    const bool small = image_is_small(l.path);
    ending end = image_open_now(&l.im, s, l.path, small ? BLM_CHECK_ALL : BLM_CHECK_NONE);
    if (end) return end;
    l.careful = !small && l.im.info.mapped;
    if (needs == BLM_COUNT && !blm_can(l.im.f, needs) && blm_can(l.im.f, BLM_COUNT_ALL))
        end = trouble("%s: kind %s counts all keys of a list together: use --all, with the list of "
                      "the keys that were added",
                      l.path, l.im.info.kind);
    else if (!blm_can(l.im.f, needs))
        end = cannot(l.path, l.im.info.kind, needs, does);
    else
        end = form_apply(s, l.im.f, l.path);
    if (!end) end = arg_taken(s, l.im.info.kind);
    const bool words = keys_are_words(s);
    if (!end && words) end = words_checked(s, false);
    if (!end) end = words ? words_each(s, look_up_word, &l) : look_up_lines(&l);
    image_close(&l.im);
    return end ? end : l.any_no ? END_NO : END_YES;
}

void lookup_show(const lookup *l, const line *key, const char *text)
{
    key_show(l->s, key);
    out_bytes("\t", 1);
    out_bytes(text, strlen(text));
    out_bytes(l->s->read.zero ? "" : "\n", 1);
}

void lookup_json(const line *key)
{
    json_open(NULL, '{');
    json_bytes("key", key->key, key->key_length);
}
