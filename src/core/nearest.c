/* nearest.c - the word that was meant. */
#include <limits.h>
#include <string.h>

#include "core/core_internal.h"

enum { WORD_MAX = 32, EDITS_MAX = 2 }; /* letters; longer words are near to none */

/* Edits from a to b: insert, drop, change, or swap two neighbours, each for one. */
static unsigned distance(const char *a, const char *b)
{
    unsigned d[WORD_MAX + 1][WORD_MAX + 1];
    const size_t na = strlen(a), nb = strlen(b);
    if (na > WORD_MAX || nb > WORD_MAX) return UINT_MAX;
    for (size_t i = 0; i <= na; i++) {
        for (size_t j = 0; j <= nb; j++) {
            if (!i || !j) {
                d[i][j] = (unsigned)(i + j);
                continue;
            }
            unsigned min = d[i - 1][j - 1] + (a[i - 1] != b[j - 1]);
            if (d[i - 1][j] + 1 < min) min = d[i - 1][j] + 1;
            if (d[i][j - 1] + 1 < min) min = d[i][j - 1] + 1;
            const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
            if (swapped && d[i - 2][j - 2] + 1 < min) min = d[i - 2][j - 2] + 1;
            d[i][j] = min;
        }
    }
    return d[na][nb];
}

const char *blm_nearest(const char *word, const char *const *among, size_t n)
{
    const char *best = NULL;
    size_t min = strlen(word) / 3 + 2; /* further is no slip of the finger */
    if (min > EDITS_MAX + 1) min = EDITS_MAX + 1;
    for (size_t i = 0; i < n; i++) {
        const unsigned away = distance(word, among[i]);
        if (away < min) min = away, best = among[i];
    }
    return best;
}
