/* table.c - the lists "99:1" of a wish, and the table that becomes of them. */
#include "table.h"

#include <bloomery/theory.h>
#include <math.h>
#include <string.h>

#include "core/core_internal.h"

/* ---- lists of numbers ---------------------------------------------------------------------------------------- */

static const struct {
    const char *name, *rule, *example;
    double above, below; /* each number is at least `above`, and below `below` */
} lists[WEIGHTED_LISTS] = {
    [WEIGHTED_ASKED] = {"asked", "0 or more, and not all of them 0", "99:1", 0, INFINITY},
    [WEIGHTED_SIZE] = {"size", "above 0", "1:99", 0x1p-1022, INFINITY},
    [WEIGHTED_HELD] = {"held", "above 0 and below 1", "0.2:0.01", 0x1p-1022, 1},
};

static blm_err read_list(unsigned which, const char *text, double *value, size_t *n,
                         blm_report *why)
{
    const char *at = text, *end = text + strlen(text);
    double sum = 0;
    for (*n = 0;; at++) {
        const char *begin = at;
        if (*n == WEIGHTED_CLASSES)
            return blm_fail(why, BLM_E_ARG, "%s=%.60s: more than %u classes; at most %u numbers",
                            lists[which].name, text, WEIGHTED_CLASSES, WEIGHTED_CLASSES);
        const bool number = blm_number(&at, end, &value[*n]) && (at == end || *at == ':');
        if (!number || !(value[*n] >= lists[which].above && value[*n] < lists[which].below))
            return blm_fail(why, BLM_E_ARG,
                            "%s=%.60s: %.*s is no number %s; one for each class, such as %s",
                            lists[which].name, text, (int)strcspn(begin, ":"), begin,
                            lists[which].rule, lists[which].example);
        sum += value[(*n)++];
        if (at == end) break;
    }
    return sum > 0 && sum < INFINITY ? BLM_OK
                                     : blm_fail(why, BLM_E_ARG, "%s=%.60s: each number must be %s",
                                                lists[which].name, text, lists[which].rule);
}

/* Shares in 2^-32 that are above 0 where the number is. */
static void share(const double *x, size_t n, uint32_t *out)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += x[i];
    for (size_t i = 0; i < n; i++)
        out[i] = (uint32_t)fmax(floor(x[i] / sum * UINT32_MAX + 0.5), x[i] > 0);
}

blm_err blm_weighted_read(blm_weighted *w, const char *const text[WEIGHTED_LISTS], blm_report *why)
{
    double value[WEIGHTED_LISTS][WEIGHTED_CLASSES];
    size_t n = 1, many;
    for (unsigned l = 0, first = WEIGHTED_LISTS; l < WEIGHTED_LISTS; l++) {
        if (!text[l]) continue;
        const blm_err err = read_list(l, text[l], value[l], &many, why);
        if (err) return err;
        if (first < WEIGHTED_LISTS && many != n)
            return blm_fail(why, BLM_E_ARG,
                            "%s has %zu numbers and %s has %zu: both need one for each class",
                            lists[first].name, n, lists[l].name, many);
        if (first == WEIGHTED_LISTS) first = l, n = many;
    }
    double asked[WEIGHTED_CLASSES], held[WEIGHTED_CLASSES];
    for (size_t i = 0; i < n; i++) { /* alike where nothing is said */
        const double chance = text[WEIGHTED_HELD] ? value[WEIGHTED_HELD][i] : 0;
        const double size = text[WEIGHTED_SIZE] ? value[WEIGHTED_SIZE][i] : 1;
        asked[i] = (text[WEIGHTED_ASKED] ? value[WEIGHTED_ASKED][i] : size) * (1 - chance);
        held[i] = size * (chance > 0 ? chance : 1);
    }
    memset(w->asked, 0, sizeof w->asked);
    memset(w->held, 0, sizeof w->held);
    share(asked, n, w->asked);
    share(held, n, w->held);
    w->classes = (uint8_t)n;
    return BLM_OK;
}

/* ---- the table ------------------------------------------------------------------------------------------------- */

size_t blm_weighted_table(const blm_weighted *w, blm_class out[WEIGHTED_CLASSES])
{
    for (size_t i = 0; i < w->classes; i++)
        out[i] = (blm_class){.asked = w->asked[i], .held = w->held[i], .of = i, .k = w->k[i]};
    return w->classes;
}

bool blm_weighted_even(const blm_weighted *w)
{
    size_t i = 1;
    while (i < w->classes && w->k[i] == w->k[0]) i++;
    return i == w->classes;
}

/* The hashes of a mean member, half up. */
static uint8_t mean_of(const blm_weighted *w)
{
    uint64_t held = 0, hashes = 0;
    for (size_t i = 0; i < w->classes; i++) {
        held += w->held[i];
        hashes += (uint64_t)w->held[i] * w->k[i];
    }
    return (uint8_t)((hashes + held / 2) / held);
}

void blm_weighted_choose(blm_weighted *w, uint64_t cells, uint64_t keys, unsigned mean)
{
    blm_class c[WEIGHTED_CLASSES];
    const size_t n = blm_weighted_table(w, c);
    const unsigned even = mean ? mean : blm_best_hashes(cells, keys);
    blm_classes_solve(c, n, (blm_classes_room){blm_classes_per_key(cells, keys), mean, even});
    for (size_t i = 0; i < n; i++) w->k[i] = (uint8_t)c[i].k;
    w->flat.cells = cells;
    w->flat.hashes = mean_of(w);
}

void blm_weighted_flatten(blm_weighted *w, unsigned k)
{
    memset(w->k, 0, sizeof w->k);
    memset(w->k, (int)k, w->classes);
    w->flat.hashes = (uint8_t)k;
}

bool blm_weighted_sound(const blm_weighted *w)
{
    uint64_t held = 0, asked = 0;
    for (size_t i = 0; i < WEIGHTED_CLASSES; i++) {
        if (i < w->classes ? !w->k[i] : w->k[i] || w->asked[i] || w->held[i]) return false;
        held += w->held[i];
        asked += w->asked[i];
    }
    return held && asked && w->flat.hashes == mean_of(w);
}
