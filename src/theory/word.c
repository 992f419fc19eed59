/* word.c - rate, spread and size of a filter whose keys read one to four machine words.
 *
 * A key has `reads` words, drawn one by one, and throws k / reads bits into each; words may coincide. Given the cells
 * the rate is a product, one factor per read. Its mean over filters is not: the words share the keys, and in a small
 * filter the words of a non-member are often one. So the mean goes over the ways in which its words coincide, and for
 * each over the loads of its r words: they get Bin(reads n, r / words) shares of a key in all, dealt evenly among the
 * r. That is exact when reads divides k. Otherwise a share throws one bit more with the chance that a share does, which
 * is off by a part of reads / n often (1 - often) / 2 at most: above, but for filters that are nearly full. That part
 * is added.
 */
#include <bloomery/theory/adaptive.h>
#include <bloomery/theory/overlap.h>
#include <bloomery/theory/words.h>
#include "theory_internal.h"
#include <string.h>

/* Up to WORDS_SUMMED words all is summed. With more, loads of two words are taken to be joined by their covariance
 * alone, -1/words of their variance: what is left out is (k / reads)^4 / (reads n)^2, below 1e-4. */
enum { WORDS_SUMMED = 100, LOADS_SUMMED = 1000, WAYS_MAX = 15 };

typedef struct way { /* r words of a non-member, and how many bits of each it asks for */
    unsigned r, probes[BLM_THEORY_READS];
} way;

typedef struct words {
    uint64_t width, words, n;
    unsigned reads, k;
    bool known[BLM_THEORY_HASHES + 1]; /* by probes: one word alone */
    blm_theory_mix alone[BLM_THEORY_HASHES + 1];
    way seen[WAYS_MAX];
    double rate[WAYS_MAX]; /* of the ways that were seen */
    unsigned ways;
} words;

static words words_of(uint64_t width, uint64_t count, unsigned reads, unsigned k, uint64_t n)
{
    return (words){.width = width, .words = count, .n = n, .reads = reads, .k = k};
}

static void curve_of(const words *w, unsigned probes, blm_theory_block *curve)
{
    const double extra = (double)(w->k % w->reads) / w->reads;
    blm_theory_block_init(curve, w->width, probes, w->k / w->reads, extra);
}

static const blm_theory_mix *word_alone(words *w, unsigned probes)
{
    if (!w->known[probes]) {
        blm_theory_block block;
        curve_of(w, probes, &block);
        const blm_theory_curve c = {blm_theory_block_rate, &block, block.full};
        w->alone[probes] = blm_theory_mix_loads(&c, (double)w->words, w->reads * w->n);
        w->known[probes] = true;
    }
    return &w->alone[probes];
}

/* ---- r different words ------------------------------------------------------------------------ */

static double words_apart(words *w, const way *y)
{
    const double shares = (double)w->reads * (double)w->n;
    double product = 1, pairs = 0;
    for (unsigned i = 0; i < y->r; i++) {
        const blm_theory_mix *a = word_alone(w, y->probes[i]);
        for (unsigned j = 0; j < i; j++) {
            const blm_theory_mix *b = word_alone(w, y->probes[j]);
            if (a->mean > 0 && b->mean > 0)
                pairs += a->covariance / a->mean * (b->covariance / b->mean) / shares;
        }
        product *= a->mean;
    }
    return product * (pairs < 1 ? 1 - pairs : 0);
}

typedef struct table { /* rate by the load of all r words */
    double rate[LOADS_SUMMED];
    unsigned used; /* loads above have no rate yet        */
    unsigned top;  /* loads above are too rare to matter  */
} table;

static double table_rate(void *self, uint64_t load)
{
    const table *t = self;
    return t->rate[load < t->top ? load : t->top];
}

/* weight[x] = mean^x / x!, and a factor that keeps the largest and the smallest within a double. */
static void poisson(double mean, unsigned top, double *weight)
{
    weight[0] = exp(-mean / 2);
    for (unsigned x = 0; x < top; x++) weight[x + 1] = weight[x] * (mean / (x + 1));
}

/* One word more. s shares dealt evenly among r words have the loads x, y, ... with the chance of Poisson's loads whose
 * sum is s: so each word has its rates by load, weighted, and a sum of loads is a product of such series. */
static void join_word(table *t, const double *weight, blm_theory_block *block)
{
    double joined[LOADS_SUMMED] = {0};
    for (unsigned x = 0; x <= t->top; x++) {
        const double alone = weight[x] * blm_theory_block_rate(block, x);
        for (unsigned s = 0; s <= t->used && x + s <= t->top; s++)
            joined[x + s] += alone * t->rate[s];
    }
    t->used = t->top;
    memcpy(t->rate, joined, (t->top + 1) * sizeof *joined);
}

static double words_together(words *w, const way *y)
{
    const double shares = (double)w->reads * (double)w->n, blocks = (double)w->words / y->r;
    const double mean = shares / blocks, top = fmin(shares, mean + 16 * sqrt(mean) + 60);
    if (y->r == 1) return word_alone(w, y->probes[0])->mean;
    if (w->words > WORDS_SUMMED || top >= LOADS_SUMMED) return words_apart(w, y);
    table t = {.rate = {1}, .top = (unsigned)top};
    double weight[LOADS_SUMMED] = {0};
    blm_theory_block block;
    poisson(mean / y->r, t.top, weight);
    for (unsigned i = 0; i < y->r; i++) {
        curve_of(w, y->probes[i], &block);
        join_word(&t, weight, &block);
    }
    poisson(mean, t.top, weight);
    for (unsigned s = 0; s <= t.top; s++) t.rate[s] /= weight[s];
    const blm_theory_curve c = {table_rate, &t, UINT64_MAX};
    return blm_theory_mix_loads(&c, blocks, w->reads * w->n).mean;
}

/* ---- the ways to coincide -------------------------------------------------------------------- */

/* The same numbers of bits in another order are the same way. */
static double rate_of_way(words *w, way y)
{
    for (unsigned i = 1; i < y.r; i++)
        for (unsigned j = i; j > 0 && y.probes[j] > y.probes[j - 1]; j--) {
            const unsigned swap = y.probes[j];
            y.probes[j] = y.probes[j - 1];
            y.probes[j - 1] = swap;
        }
    for (unsigned i = 0; i < w->ways; i++) {
        bool same = w->seen[i].r == y.r;
        for (unsigned j = 0; same && j < y.r; j++) same = w->seen[i].probes[j] == y.probes[j];
        if (same) return w->rate[i];
    }
    w->seen[w->ways] = y;
    return w->rate[w->ways++] = words_together(w, &y);
}

/* Read number `read` goes to one of the words that are there, or to a new one; chance: of what is there. */
static double over_ways(words *w, way y, unsigned read, double chance)
{
    if (read == w->reads) return chance * rate_of_way(w, y);
    const unsigned bits = w->k / w->reads + (read < w->k % w->reads);
    const double each = chance / (double)w->words;
    double sum = 0;
    if (w->words > y.r) {
        way more = y;
        more.probes[more.r++] = bits;
        sum = over_ways(w, more, read + 1, chance * (1 - (double)y.r / (double)w->words));
    }
    for (unsigned i = 0; i < y.r && each > 1e-17 * sum; i++) {
        way more = y;
        more.probes[i] += bits;
        sum += over_ways(w, more, read + 1, each);
    }
    return sum;
}

static double words_rate(uint64_t width, uint64_t count, unsigned reads, unsigned k, uint64_t n)
{
    words w = words_of(width, count, reads, k, n);
    if (reads == 1) return blm_rate_blocked(width, count, k, n);
    const double often = (double)(k % reads) / reads;
    const double off = reads * often * (1 - often) / 2 / (double)n;
    return fmin(over_ways(&w, (way){.r = 0}, 0, 1) * (1 + off), 1);
}

static bool words_shape(uint64_t width, uint64_t count, unsigned reads, unsigned k)
{
    return width <= BLM_THEORY_HASHES && blm_theory_block_shape(width, count, k) && reads > 0 &&
           reads <= BLM_THEORY_READS && reads <= k && k <= BLM_THEORY_HASHES;
}

double blm_rate_word(uint64_t width, uint64_t count, unsigned reads, unsigned k, uint64_t n)
{
    if (!words_shape(width, count, reads, k)) return NAN;
    return n == 0 ? 0 : words_rate(width, count, reads, k, n);
}

/* The rate is a product of `reads` means over the words, which move together. */
double blm_rate_word_sd(uint64_t width, uint64_t count, unsigned reads, unsigned k, uint64_t n)
{
    if (!words_shape(width, count, reads, k)) return NAN;
    if (reads == 1) return blm_rate_blocked_sd(width, count, k, n);
    if (n == 0) return 0;
    words w = words_of(width, count, reads, k, n);
    const unsigned bits = (k + reads - 1) / reads;
    const double square = word_alone(&w, 2 * bits)->mean;
    return reads * blm_theory_mix_sd(word_alone(&w, bits), square, count, reads * n);
}

/* ---- sizing ------------------------------------------------------------------------------------ */

static unsigned max_hashes(uint64_t width, unsigned reads)
{
    const unsigned half = (unsigned)(width / 2) * reads;
    return half < BLM_THEORY_HASHES ? half : BLM_THEORY_HASHES / reads * reads;
}

unsigned blm_best_hashes_word(uint64_t width, uint64_t count, unsigned reads, uint64_t n)
{
    if (!words_shape(width, count, reads, reads) || n == 0) return 0;
    unsigned k = reads;
    double now = words_rate(width, count, reads, k, n), next;
    for (; k + reads <= max_hashes(width, reads) &&
           (next = words_rate(width, count, reads, k + reads, n)) < now;
         k += reads)
        now = next;
    return k;
}

typedef struct word_search {
    uint64_t width, n;
    unsigned reads, k;
} word_search;

static double rate_of_words(void *self, uint64_t count)
{
    const word_search *s = self;
    return words_rate(s->width, count, s->reads, s->k, s->n);
}

/* While one step more, or one less, of hashes keeps p with fewer words: that one. */
static uint64_t fewer_words(word_search *s, double p, uint64_t found)
{
    for (int up = 1; up >= 0; up--)
        while (found > 1 &&
               (up ? s->k + s->reads <= max_hashes(s->width, s->reads) : s->k > s->reads)) {
            word_search other = *s;
            other.k = up ? s->k + s->reads : s->k - s->reads;
            if (rate_of_words(&other, found - 1) > p) break;
            *s = other;
            found = blm_theory_fewest(rate_of_words, s, p, found - 1, found - 1);
        }
    while (s->k > s->reads && words_rate(s->width, found, s->reads, s->k - s->reads, s->n) <= p)
        s->k -= s->reads;
    return found;
}

bool blm_size_word(uint64_t n, double p, uint64_t width, unsigned reads, unsigned hashes,
                   uint64_t *count, unsigned *k)
{
    if (n == 0 || !(p > 0 && p < 1) || !words_shape(width, 1, reads, hashes ? hashes : reads))
        return false;
    const uint64_t limit = (UINT64_C(1) << BLM_THEORY_BITS) / width;
    const double ideal = -log2(p), bits = 1.6 * (double)n * ideal;
    const double guess = fmin(bits / (double)width + 1, (double)limit);
    word_search s = {.width = width, .n = n, .reads = reads, .k = hashes};
    if (!hashes)
        s.k = (unsigned)fmin(fmax(floor(0.7 * ideal / reads), 1) * reads, max_hashes(width, reads));
    uint64_t found = blm_theory_fewest(rate_of_words, &s, p, (uint64_t)guess, limit);
    if (!found && !hashes) { /* this k cannot, the best one may */
        s.k = blm_best_hashes_word(width, limit, reads, n);
        found = blm_theory_fewest(rate_of_words, &s, p, limit, limit);
    }
    if (!found) return false;
    *count = hashes ? found : fewer_words(&s, p, found);
    *k = s.k;
    return true;
}

/* ---- estimates --------------------------------------------------------------------------------- */

/* Reads are drawn one by one, so their logs add up. A read of one bit knows no words: in the form of the others
 * two bits of one word are as any two. */
static blm_theory_spread spread_of_words(uint64_t width, uint64_t count, unsigned reads, unsigned k)
{
    const double size = (double)width;
    blm_theory_spread all = {.m = size * (double)count, .others = size * (double)count - 1};
    if (count > 1 && k > reads) all.mates = size - 1, all.others -= all.mates;
    for (unsigned i = 0; i < reads; i++) {
        const unsigned bits = k / reads + (i < k % reads);
        const blm_theory_spread one = blm_theory_spread_blocked(width, count, bits);
        all.leave += one.leave;
        all.apart += one.apart;
        all.same += count > 1 && bits == 1 ? one.apart : one.same;
        all.drift += one.drift;
    }
    return all;
}

static blm_theory_spread spread_if_words(uint64_t width, uint64_t count, unsigned reads, unsigned k)
{
    return words_shape(width, count, reads, k) ? spread_of_words(width, count, reads, k)
                                               : BLM_THEORY_NO_FILTER;
}

double blm_keys_from_fill_word(uint64_t ones, uint64_t width, uint64_t count, unsigned reads,
                               unsigned k)
{
    return blm_theory_keys_of(spread_if_words(width, count, reads, k), ones);
}

double blm_keys_sd_word(uint64_t width, uint64_t count, unsigned reads, unsigned k, uint64_t n)
{
    return blm_theory_keys_sd(spread_if_words(width, count, reads, k), n);
}

double blm_keys_common_sd_word(uint64_t width, uint64_t count, unsigned reads, unsigned k,
                               uint64_t a, uint64_t b, uint64_t common)
{
    return blm_theory_common_sd(spread_if_words(width, count, reads, k), a, b, common);
}

double blm_jaccard_sd_word(uint64_t width, uint64_t count, unsigned reads, unsigned k, uint64_t a,
                           uint64_t b, uint64_t common)
{
    return blm_theory_jaccard_sd(spread_if_words(width, count, reads, k), a, b, common);
}

double blm_contained_sd_word(uint64_t width, uint64_t count, unsigned reads, unsigned k, uint64_t a,
                             uint64_t b, uint64_t common)
{
    return blm_theory_contained_sd(spread_if_words(width, count, reads, k), a, b, common);
}

/* All groups together are one array of groups m bits, in which a bit has further partners: in each other group `width`
 * bits of its own word, which are thrown at by the same keys but apart from that on their own, and m - width bits of
 * other words, as in its own group. A read hits a bit of its word with the chance p = 1 - (1 - 1/width)^bits, any bit
 * with p / count; two bits of one word in two groups it leaves alone with 1 - 2 p / count + p^2 / count. The logs of reads
 * add up to `twins`, and
 *     excess of all groups = excess of one + (groups - 1) (width expm1(twins n) + (m - width) expm1(apart n)).
 * What the groups share, the number of keys of each word, is as uncertain with many of them as with one; what they do
 * not share is averaged out. With reads of one bit each the words matter only here. One instance, 1000 keys in 192 words of
 * 62 bits by 6 hashes: 8.49 keys with one group, 5.92 with four (4.24 if groups shared nothing), 5.38 with eight. */
double blm_keys_sd_groups(uint64_t width, uint64_t count, unsigned reads, unsigned k,
                          unsigned groups, uint64_t n)
{
    const double size = (double)width, number = (double)count, keys = (double)n;
    double twins = 0;
    if (!blm_theory_block_shape(width, count, k) || !reads || reads > k || !groups) return NAN;
    const blm_theory_spread s = spread_of_words(width, count, reads, k);
    if (n == 0) return 0;
    if (s.m < 2) return INFINITY;
    for (unsigned i = 0; i < reads; i++) {
        const unsigned bits = k / reads + (i < k % reads);
        const double p = -expm1(bits * log1p(-1 / size)), hit = p / number, rest = 1 - hit;
        twins += log1p((p * p / number - hit * hit) / (rest * rest));
    }
    const double others = size * expm1(twins * keys) + (s.m - size) * expm1(s.apart * keys);
    const double excess = blm_theory_excess(&s, keys) + (groups - 1) * fmax(0, others);
    return sqrt(excess / (groups * s.m)) / s.leave;
}
