/* lookup.c - keys, one after the other, to a verb that has an answer for each. */
#include <stdlib.h>
#include <string.h>

#include "describe.h"
#include "image/lookup.h"

static ending look_up(lookup *l, const line *key)
{
    blm_item it;
    blm_report why = {BLM_OK, ""};
    if (!key->key) return END_YES;
    if (!key_item(&l->im, key->key, key->key_length, &it)) return l->answer(l, key, NULL);
    const blm_err err = l->careful ? blm_check_item(l->im.f, &it, &why) : BLM_OK;
    return err ? complain_why(l->path, err, &why) : l->answer(l, key, &it);
}

static ending look_up_words(lookup *l)
{
    ending end = END_YES;
    for (size_t i = 1; i < l->s->operands && !end && !out_failed(); i++) {
        line one;
        char *room = malloc(strlen(l->s->operand[i]) + 1);
        if (!room) return trouble("no memory");
        end = key_of_word(l->s, l->s->operand[i], room, &one) ? look_up(l, &one) : END_TROUBLE;
        free(room);
    }
    return end;
}

static ending look_up_lines(lookup *l)
{
    line lines[BATCH];
    size_t n;
    ending end = END_YES;
    input *in = input_open(l->s, NULL, 0);
    if (!in) return END_TROUBLE;
    while (!end && !out_failed() && (n = input_lines(in, lines)) > 0)
        for (size_t i = 0; i < n && !end; i++) end = look_up(l, &lines[i]);
    if (!end && input_failed(in)) end = END_TROUBLE;
    if (!end) end = input_had_keys(in);
    input_close(in);
    return end;
}

ending lookup_run(settings *s, blm_can_t needs, const char *does, lookup_answer answer,
                  const void *own)
{
    lookup l = {.s = s, .path = s->operand[0], .answer = answer, .own = own};
    if (s->operands == 1 && strcmp(l.path, "-") == 0)
        return trouble("-: the image comes by standard input, so give the KEYs as words");
    const bool small = image_is_small(l.path);
    ending end = image_open(&l.im, s, l.path, small ? BLM_CHECK_ALL : BLM_CHECK_NONE, false);
    if (end) return end;
    l.careful = !small;
    if (!blm_can(l.im.f, needs))
        end = cannot(l.path, l.im.info.kind, needs, does);
    else
        end = form_apply(s, l.im.f, l.path);
    if (!end) end = s->operands > 1 ? look_up_words(&l) : look_up_lines(&l);
    image_close(&l.im);
    return end ? end : l.any_no ? END_NO : END_YES;
}

void lookup_show(const lookup *l, const line *key, const char *text)
{
    key_show(l->s, key);
    out_text("\t%s", text);
    out_bytes(l->s->read.zero ? "" : "\n", 1);
}

void lookup_json(const line *key)
{
    json_open(NULL, '{');
    json_bytes("key", key->key, key->key_length);
}
