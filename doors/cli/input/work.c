/* work.c - work on the lines of one block: what input_run's threads do between reading and printing.
 *
 * To be judged in shares, the hashes of a block are sorted by share, in the order of the lines:
 *
 *      h     share 0: |lines 0 to 511 |lines 512 to 1023| ...      of    which line each one is of
 *            share 1: |lines 0 to 511| lines 512 to 1023  | ...
 *
 * Each share has room for all lines, for anything may come, and is judged BATCH lines at a time: so it sees
 * its hashes in the order of the input and in the same batches, however many shares there are, and a set of
 * hashes that is filled so is the same set.
 */
#include <stdlib.h>
#include <string.h>

#include "input/organs.h"

void sorted_free(sorted *s)
{
    free(s->h);
    free(s->of);
    free(s->from);
    *s = (sorted){.shares = 0};
}

static size_t batches(size_t lines) { return (lines + BATCH - 1) / BATCH; }

static bool room_for(sorted *s, size_t hashes, size_t parts)
{
    if (s->room < hashes || s->parts_room < parts) {
        sorted_free(s);
        s->h = malloc(hashes * sizeof *s->h);
        s->of = malloc(hashes * sizeof *s->of);
        s->from = malloc(parts * sizeof *s->from);
        s->room = hashes;
        s->parts_room = parts;
    }
    if (s->h && s->of && s->from) return true;
    sorted_free(s);
    return false;
}

/* Without memory for it the block is judged whole. hashes false: which lines is enough. */
static void sort_block(block *b, unsigned shares, bool hashes)
{
    sorted *s = &b->by_share;
    const size_t n = b->nlines, parts = (batches(n) + 1) * shares;
    size_t next[SHARES_MAX];
    if (n > UINT32_MAX / shares || !room_for(s, n * shares, parts)) return;
    s->shares = shares;
    for (unsigned share = 0; share < shares; share++) next[share] = share * n;
    for (size_t i = 0; i < n; i++) {
        const line *l = &b->lines[i];
        if (i % BATCH == 0) memcpy(s->from + i / BATCH * shares, next, shares * sizeof *next);
        if (!l->key) continue;
        const size_t to = next[(l->h.lo >> 32) * shares >> 32]++;
        if (hashes) s->h[to] = l->h;
        s->of[to] = (uint32_t)i;
    }
    memcpy(s->from + parts - shares, next, shares * sizeof *next);
}

void block_prepare(const format *f, const work *w, block *b, unsigned shares)
{
    block_pick(f, b);
    b->shares = b->next_share = b->shares_done = 0;
    b->end = END_YES;
    b->judged = b->nlines;
    b->by_share.shares = 0;
    if (!w || !b->nlines) return;
    memset(b->mark, 0, b->nlines);
    if (w->look) w->look(w->ctx, b->lines, b->nlines, b->mark);
    if ((w->judge_share || w->judge_lines) && shares > 1)
        sort_block(b, shares, w->judge_share);
    else
        sorted_free(&b->by_share);
}

bool block_begin(const work *w, block *b)
{
    const unsigned shares = b->by_share.shares;
    const bool may = !shares || w->judge_lines || w->shares(w->ctx, b->nlines) >= shares;
    b->shares = may && shares ? shares : 1;
    return may;
}

static ending judge_share(const work *w, block *b, unsigned share)
{
    const sorted *s = &b->by_share;
    const size_t count = batches(b->nlines);
    uint8_t mark[BATCH];
    ending end = END_YES;
    for (size_t i = 0; i < count && !end; i++) {
        const size_t *from = s->from + i * s->shares + share, n = from[s->shares] - from[0];
        if (w->judge_lines) {
            end = w->judge_lines(w->ctx, b->lines, s->of + from[0], n);
            continue;
        }
        end = w->judge_share(w->ctx, s->h + from[0], n, mark, share, s->shares);
        for (size_t k = 0; k < n && !end; k++) b->mark[s->of[from[0] + k]] = mark[k];
    }
    return end;
}

ending block_judge(const work *w, block *b, unsigned share, size_t *done)
{
    *done = b->nlines;
    if (!w->judge || !b->nlines) return END_YES;
    if (b->shares <= 1) return w->judge(w->ctx, b->lines, b->nlines, b->mark, done);
    const ending end = judge_share(w, b, share);
    if (end) *done = 0;
    return end;
}

void block_judged(block *b, ending end, size_t done)
{
    if (!end) return;
    b->end = end;
    if (done < b->judged) b->judged = done;
}

uint64_t out_lines(const line *lines, size_t n, const uint8_t *mark, char end)
{
    uint64_t count = 0;
    for (size_t i = 0; i < n; i++) {
        if (!mark[i]) continue;
        const char *from = lines[i].text, *to = from + lines[i].length;
        count++;
        while (i + 1 < n && mark[i + 1] && lines[i + 1].text == to + 1 && *to == end) {
            i++;
            count++;
            to = lines[i].text + lines[i].length;
        }
        out_bytes(from, (size_t)(to - from));
        out_bytes(&end, 1);
    }
    return count;
}
