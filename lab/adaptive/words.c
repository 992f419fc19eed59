/* words.c - one word, two non-members: the sequence of section III, and the two of them in turn. */
#include <math.h>
#include <stdio.h>

#include "adaptive.h"

/* x1 gets a yes in the first group alone, x2 in the second alone, and both have the same word. */
typedef struct pair {
    blm_item x1, x2;
} pair;

static uint64_t word_of(const blm_filter *f, const blm_item *it)
{
    blm_touch at = {0};
    return blm_touched(f, it, &at, 1) ? at.byte : UINT64_MAX;
}

static blm_item stranger_of(const blm_filter *f, uint64_t i)
{
    const blm_hash h = blm_hash_u64(f, lab_member(UINT64_C(1) << 32 | i));
    return (blm_item){.h = h, .arg = BLM_NO_ARG};
}

/* Tried on a copy: yes, then no when that was denied; then the other way round. */
static bool is_pair(const blm_filter *f, const pair *p)
{
    blm_filter *g = NULL;
    if (blm_has_item(f, &p->x2) || blm_copy(&g, f, NULL)) return false;
    const bool good = !blm_deny_item(g, &p->x1) && !blm_has_item(g, &p->x1) &&
                      blm_has_item(g, &p->x2) && !blm_deny_item(g, &p->x2) &&
                      !blm_has_item(g, &p->x2) && blm_has_item(g, &p->x1);
    blm_free(g);
    return good;
}

/* The first of 50 x 20000; false: there is none, as when deny does nothing. */
static bool find_pair(const blm_filter *f, pair *p)
{
    unsigned tried = 0;
    for (uint64_t i = 0; i < 20000 && tried < 50; i++) {
        p->x1 = stranger_of(f, i);
        if (!blm_has_item(f, &p->x1)) continue;
        tried++;
        for (uint64_t j = 0; j < 20000; j++) {
            p->x2 = stranger_of(f, j);
            if (word_of(f, &p->x2) == word_of(f, &p->x1) && is_pair(f, p)) return true;
        }
    }
    return false;
}

/* 1 and 2 are x1 and x2. Each yes is denied, unless the filter shall stay as it is. */
static unsigned positives(const blm_filter *f, const pair *p, const char *sequence, bool adapt)
{
    blm_filter *g = NULL;
    unsigned yes = 0;
    if (blm_copy(&g, f, NULL)) return UINT32_MAX;
    for (; *sequence; sequence++) {
        const blm_item *x = *sequence == '1' ? &p->x1 : &p->x2;
        if (!blm_has_item(g, x)) continue;
        yes++;
        if (adapt) (void)blm_deny_item(g, x);
    }
    blm_free(g);
    return yes;
}

void adaptive_sequence(lab_sheet *s, size_t i)
{
    const bool check = i == 0;
    const char *how = check ? "check" : "no check";
    char turns[101], what[64];
    pair p;
    blm_filter *f = adaptive_make(s, (adaptive_form){2, check, 1}, 4, 1);
    if (!lab_add(s, f, 0, UINT64_C(8) * ADAPTIVE_WORDS)) return;
    for (unsigned j = 0; j < 100; j++) turns[j] = j % 2 ? '2' : '1';
    turns[100] = '\0';
    if (find_pair(f, &p)) {
        snprintf(what, sizeof what, "x1 x1 x1 x1 x2 x1 x1 x1 x1 x1 x1, %s, never adapted", how);
        lab_say(s, what, &(lab_claim){.expected = 10}, NAN,
                lab_exactly(positives(f, &p, "11112111111", false)));
        snprintf(what, sizeof what, "the same, adapted, %s", how);
        lab_say(s, what, &(lab_claim){.expected = 3}, NAN,
                lab_exactly(positives(f, &p, "11112111111", true)));
        snprintf(what, sizeof what, "x1 x2 x1 x2 ..., 100 questions, %s", how);
        lab_say(s, what, &(lab_claim){.expected = 100}, NAN,
                lab_exactly(positives(f, &p, turns, true)));
    } else
        lab_stuck(s, how, "no two non-members of one word, each bad in only one group");
    blm_free(f);
}
