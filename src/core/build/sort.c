/* sort.c - rows in the order of lo, hi, arg: by digits from the top, in place.
 *
 *      rows      | 3 | 0 | 2 | 0 | 1 | 3 | 0 |     count the digits: 3 1 1 2
 *      ranges    |0 . . |1 |2 |3 .  |              a row that is not in its range goes to the next place of
 *                                                  it, and the row that lay there goes on
 *
 * The rows of one digit are sorted by the next digit. Hashes are uniform: after the first byte and two digits of 8
 * bits, a range has one or two rows, and a pass of insertion puts them in order. Columns are looked at one after the
 * other, and of each only the bits that differ, so that no row goes through more than 24 digits.
 */
#include <limits.h>

#include "core/build/rows.h"

enum {
    FEW = 24,      /* rows that are sorted by insertion */
    DIGIT_MAX = 8, /* bits of a digit                   */
    RANGES = 1 << DIGIT_MAX
};

typedef struct span {
    uint64_t *column[BLM_ROW_COLUMNS];
    size_t n;
    unsigned which,
        left; /* the column whose digits come next, and its lower bits that may differ */
} span;

typedef struct row {
    uint64_t v[BLM_ROW_COLUMNS];
} row;

/* lone: there is the column lo alone. The compiler makes two functions of each that has it. */
#define INLINE static inline __attribute__((always_inline))

INLINE row row_at(const span *s, size_t i, bool lone)
{
    row r = {{s->column[BLM_ROW_LO][i]}};
    for (unsigned c = BLM_ROW_HI; !lone && c < BLM_ROW_COLUMNS; c++)
        if (s->column[c]) r.v[c] = s->column[c][i];
    return r;
}

INLINE void put_row(const span *s, size_t i, row r, bool lone)
{
    s->column[BLM_ROW_LO][i] = r.v[BLM_ROW_LO];
    for (unsigned c = BLM_ROW_HI; !lone && c < BLM_ROW_COLUMNS; c++)
        if (s->column[c]) s->column[c][i] = r.v[c];
}

INLINE bool comes_before(row a, row b, bool lone)
{
    if (lone || a.v[BLM_ROW_LO] != b.v[BLM_ROW_LO]) return a.v[BLM_ROW_LO] < b.v[BLM_ROW_LO];
    if (a.v[BLM_ROW_HI] != b.v[BLM_ROW_HI]) return a.v[BLM_ROW_HI] < b.v[BLM_ROW_HI];
    return a.v[BLM_ROW_ARG] < b.v[BLM_ROW_ARG];
}

INLINE void insert_rows(const span *s, bool lone)
{
    for (size_t i = 1; i < s->n; i++) {
        const row r = row_at(s, i, lone);
        size_t at = i;
        for (; at; at--) {
            const row other = row_at(s, at - 1, lone);
            if (!comes_before(r, other, lone)) break;
            put_row(s, at, other, lone);
        }
        if (at < i) put_row(s, at, r, lone);
    }
}

/* The next column that has bits that differ; false: the rows are all alike. */
static bool next_digits(span *s)
{
    while (!s->left) {
        if (++s->which == BLM_ROW_COLUMNS) return false;
        const uint64_t *v = s->column[s->which];
        uint64_t differ = 0;
        for (size_t i = 1; v && i < s->n; i++) differ |= v[i] ^ v[0];
        while (s->left < 64 && differ >> s->left) s->left++;
    }
    return true;
}

static unsigned digit_of(size_t n, unsigned left)
{
    const unsigned bits = n >= 2048 ? DIGIT_MAX : n >= 256 ? DIGIT_MAX - 2 : DIGIT_MAX - 4;
    return left < bits ? left : bits;
}

INLINE void permute(const span *s, unsigned shift, unsigned mask, size_t *to, const size_t *end,
                    bool lone)
{
    const uint64_t *by = s->column[s->which];
    for (unsigned d = 0; d <= mask; d++)
        while (to[d] < end[d]) {
            row r = row_at(s, to[d], lone);
            unsigned digit = (unsigned)(by[to[d]] >> shift) & mask;
            while (digit != d) {
                const size_t at = to[digit]++;
                const unsigned next = (unsigned)(by[at] >> shift) & mask;
                const row other = row_at(s, at, lone);
                put_row(s, at, r, lone);
                r = other;
                digit = next;
            }
            put_row(s, to[d]++, r, lone);
        }
}

static span part_of(const span *s, size_t begin, size_t end)
{
    span part = *s;
    for (unsigned c = 0; c < BLM_ROW_COLUMNS; c++)
        if (s->column[c]) part.column[c] = s->column[c] + begin;
    part.n = end - begin;
    return part;
}

INLINE void sort_span(span s, void (*again)(span), bool lone)
{
    if (s.n <= FEW) {
        insert_rows(&s, lone);
        return;
    }
    if (!next_digits(&s)) return;
    const unsigned bits = digit_of(s.n, s.left), shift = s.left - bits, mask = (1u << bits) - 1;
    size_t to[RANGES], end[RANGES] = {0}, most = 0;
    const uint64_t *by = s.column[s.which];
    for (size_t i = 0; i < s.n; i++) end[by[i] >> shift & mask]++;
    for (size_t d = 0, at = 0; d <= mask; d++) {
        most = end[d] > most ? end[d] : most;
        to[d] = at;
        end[d] = at += end[d];
    }
    permute(&s, shift, mask, to, end, lone);
    s.left = shift;
    if (most <= FEW) {
        insert_rows(&s, lone);
        return;
    }
    for (unsigned d = 0; d <= mask; d++) {
        const size_t begin = d ? end[d - 1] : 0;
        if (end[d] - begin > 1) again(part_of(&s, begin, end[d]));
    }
}

static void sort_lone(span s) { sort_span(s, sort_lone, true); }
static void sort_all(span s) { sort_span(s, sort_all, false); }

void blm_sort_rows(uint64_t *const column[BLM_ROW_COLUMNS], size_t n)
{
    span s = {.n = n, .which = UINT_MAX};
    for (unsigned c = 0; c < BLM_ROW_COLUMNS; c++) s.column[c] = column[c];
    (s.column[BLM_ROW_HI] || s.column[BLM_ROW_ARG] ? sort_all : sort_lone)(s);
}
