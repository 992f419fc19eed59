/* test_planner.c - 200 random wishes against the closed forms, computed here on their own.
 *
 * Standard and counting, of m cells: the rate is (1 - e^(-kn/m))^k, so k hashes want
 * m = -kn / ln(1 - p^(1/k)) and hold n = -m ln(1 - p^(1/k)) / k. What the planner may differ by, and why:
 *  - the exact rate is above that formula, because the fill varies: by a part k(k-1)/2 Var(fill)/fill^2, and
 *    Var(fill) < fill/m; we allow k(k+2) / (m fill), twice that and a little. In keys or cells it is a part
 *    (k+2) / (m fill), since the rate goes with the k-th power of the load at most;
 *  - standard rounds its bits up to a multiple of a power of two, by less than 1/256, to be foldable;
 *  - an array is whole words of 64 bits.
 * Blocked: the mean over the loads of a block (binomial), each by the occupancy of 512 bits, throw by throw.
 * Word: reads words a key; the mean over the loads of a word, of shares of a key, once a read, multiplied.
 * Split: the same with (1 - (31/32)^i)^8, and 2^-32 - 2^-40 for each of the i keys (twins).
 * Partitioned: (1 - (1 - 1/s)^n)^k, slices of s whole bits.
 * Memory-optimized: 1 - (1 - 1/m)^(jn), where j is 1, or k when any place counts.
 * Two-choice: the share of zeros falls by the mean of the smaller of two binomials a key, by small steps.
 */
#include <stdio.h>
#include <stdlib.h>
#include <bloomery/bloomery.h>
#include "near.h"

enum { WISHES = 200, WORD = 64, BLOCK = 512, SPLIT = 256 };

typedef enum form { N_P, N_P_K, M_P, M_P_K, N_M, N_M_K, FORMS } form;

static double uniform(uint64_t *state) { return (double)(draw(state) >> 11) * 0x1p-53; }

/* Keys 30 to 10^9, rates 0.3 to 10^-10, bits 3 to 40 a key, hashes half to twice the best of the rate, all
 * evenly by their logarithm. */
static blm_config random_wish(uint64_t *state, form *f)
{
    blm_config c;
    blm_config_init(&c);
    *f = (form)draw_below(state, FORMS);
    const double n = floor(30 * pow(1e9 / 30, uniform(state)));
    const double p = 0.3 * pow(1e-10 / 0.3, uniform(state));
    const double m = floor(n * 3 * pow(40 / 3.0, uniform(state)));
    const unsigned k = (unsigned)ceil(-log2(p) * pow(2, 2 * uniform(state) - 1));
    if (*f == N_P || *f == N_P_K || *f == N_M || *f == N_M_K) c.keys = (uint64_t)n;
    if (*f == N_P || *f == N_P_K || *f == M_P || *f == M_P_K) c.fpr = p;
    if (*f == M_P || *f == M_P_K || *f == N_M || *f == N_M_K) c.bits = (uint64_t)m + BLOCK;
    if (*f == N_P_K || *f == M_P_K || *f == N_M_K) c.hashes = k;
    return c;
}

/* ---- closed forms -------------------------------------------------------------------------------- */

static double closed_rate(double m, double k, double n) { return pow(-expm1(-k * n / m), k); }
static double closed_load(unsigned k, double p) { return -log1p(-pow(p, 1.0 / k)) / k; } /* n/m */

/* The most keys a cell with any k, or with this one. */
static double best_load(unsigned hashes, double p)
{
    double best = 0;
    for (unsigned k = hashes ? hashes : 1; k <= (hashes ? hashes : 64); k++)
        best = fmax(best, closed_load(k, p));
    return best;
}

/* Rates of a block of so many cells with 0, 1, 2, ... keys, weighted by how often a block has so many. */
static double blocked_rate(unsigned size, uint64_t blocks, unsigned k, uint64_t keys)
{
    double ones[BLOCK + 1] = {1}, sum = 0, power[BLOCK + 1];
    const double b = (double)blocks, n = (double)keys, spread = 40 * sqrt(n / b) + 40;
    double weight = exp(n * log1p(-1 / b));
    for (unsigned i = 0; i <= size; i++) power[i] = pow(i / (double)size, k);
    for (double load = 1; load <= n && load < n / b + spread; load++) {
        for (unsigned t = 0; t < k; t++)
            for (unsigned i = size + 1; i-- > 0;)
                ones[i] = (ones[i] * i + (i ? ones[i - 1] * (size - i + 1) : 0)) / size;
        weight *= (n - load + 1) / load / (b - 1);
        double rate = 0;
        for (unsigned i = 0; i <= size; i++) rate += ones[i] * power[i];
        sum += weight * rate;
    }
    return sum;
}

static double split_rate(uint64_t blocks, uint64_t keys)
{
    const double b = (double)blocks, n = (double)keys, spread = 40 * sqrt(n / b) + 40;
    double weight = exp(n * log1p(-1 / b)), sum = 0;
    for (double load = 1; load <= n && load < n / b + spread; load++) {
        weight *= (n - load + 1) / load / (b - 1);
        sum += weight * (pow(1 - pow(31 / 32.0, load), 8) + load * (0x1p-32 - 0x1p-40));
    }
    return sum;
}

/* ---- one offer ------------------------------------------------------------------------------------- */

/* Sizes and keys: arrays of m cells, each of `width` bits; slack: what rounding may add to them. */
static void check_cells(const blm_offer *o, const blm_config *c, unsigned width, double slack)
{
    const double m = (double)o->bytes * 8 / width, n = (double)o->capacity, k = o->hashes;
    const double words = WORD / (double)width; /* cells of one word */
    const double cells = c->bits ? (double)(c->bits / width) : m - words + 1; /* or up to m */
    const double fill = -expm1(-k * n / cells), closer = (k + 2) / (cells * fill);
    if (c->bits)
        assert_true(m >= cells && m < cells + words);
    else {
        const double least = n / best_load(c->hashes, c->fpr);
        assert_true(m >= least);
        assert_true(m <= (least + 1) * (1 + closer) * (1 + slack) + words);
    }
    if (!c->keys) {
        const double most = cells * best_load(c->hashes, c->fpr);
        assert_true(n <= most);
        assert_true(n >= most * (1 - closer) - 1);
    }
    assert_true(o->rate >= closed_rate(m, o->hashes, n) * (1 - 1e-12));
    assert_true(o->rate <= closed_rate(cells, o->hashes, n) * (1 + k * closer));
    /* The best k is round((m/n) ln 2), but for the integer next to it that wins by the exact rate. */
    if (!c->hashes) WITHIN(k, fmin(fmax(cells / n * log(2), 1), 64), 1.5);
    /* A stranger reads on while bits are one: 1 + fill + fill^2 + ... of k. */
    NEAR(o->lines, (1 - pow(fill, k)) / (1 - fill), closer + words / cells);
}

/* A block is a cache line, of bits or of counters; slack: what folding may add. */
static void check_blocked(const blm_offer *o, const blm_config *c, unsigned width, double slack)
{
    const uint64_t blocks = o->bytes / (BLOCK / 8), n = o->capacity;
    const unsigned size = BLOCK / width, k = o->hashes;
    assert_int_equal(o->bytes % (BLOCK / 8), 0);
    assert_true(o->lines == 1);
    if (blocks > 1) NEAR(o->rate, blocked_rate(size, blocks, k, n), 1e-6);
    if (c->bits) assert_int_equal(blocks, c->bits / BLOCK);
    if (c->fpr > 0) assert_true(o->rate <= c->fpr);
    const uint64_t fewer = (uint64_t)((double)blocks * (1 - slack));
    if (!c->bits && fewer > 3) /* no larger than the rate wants and folding */
        assert_true(blocked_rate(size, fewer - 1, k, n) > c->fpr);
    if (!c->keys &&
        blocks > 1) /* and as many keys as go in: one in 1000 more, and the promise breaks */
        assert_true(blocked_rate(size, blocks, k, n + n / 1000 + 1) > c->fpr);
}

static void check_split(const blm_offer *o, const blm_config *c)
{
    const uint64_t blocks = o->bytes / (SPLIT / 8), n = o->capacity;
    const double even = blocks > 1 ? split_rate(blocks, n) : o->rate;
    assert_int_equal(o->bytes % (SPLIT / 8), 0);
    assert_true(o->lines == 1 && o->hashes == 8 && blocks < UINT64_C(1) << 31);
    if (blocks < 150000000) assert_true(o->rate > even * (1 - 1e-6) && o->rate < even * 1.01);
    if (c->bits) assert_int_equal(blocks, c->bits / SPLIT);
    if (c->fpr > 0) assert_true(o->rate <= c->fpr);
    const uint64_t fewer = blocks * 255 / 256;
    if (!c->bits && fewer > 3 && blocks < 150000000)
        assert_true(split_rate(fewer - 1, n) * 1.01 > c->fpr);
    if (!c->keys && blocks > 1 && blocks < 150000000)
        assert_true(split_rate(blocks, n + n / 1000 + 1) * 1.01 > c->fpr);
}

/* One bit more with this chance. */
static void throw_into(double *ones, unsigned size, double often)
{
    for (unsigned i = size + 1; i-- > 0;)
        ones[i] = ones[i] * (1 - often) +
                  often * (ones[i] * i + (i ? ones[i - 1] * (size - i + 1) : 0)) / size;
}

/* Two reads meet once in so many words: then one word has the bits of both. */
static double word_rate(uint64_t words, unsigned reads, unsigned k, uint64_t keys)
{
    double ones[WORD + 1] = {1}, mean[4] = {0}, product = 1, met = 0;
    const double b = (double)words, n = (double)keys * reads, pairs = reads * (reads - 1.0) / 2 / b,
                 spread = 40 * sqrt(n / b) + 40;
    double weight = exp(n * log1p(-1 / b)), power[2][WORD + 1];
    for (unsigned i = 0; i <= WORD; i++) {
        power[0][i] = pow(i / (double)WORD, k / reads);
        power[1][i] = power[0][i] * i / WORD;
    }
    for (double load = 1; load <= n && load < n / b + spread; load++) {
        for (unsigned t = 0; t < k / reads; t++) throw_into(ones, WORD, 1);
        throw_into(ones, WORD, (double)(k % reads) / reads);
        weight *= (n - load + 1) / load / (b - 1);
        for (unsigned i = 0; i <= WORD; i++) met += weight * ones[i] * power[0][i] * power[0][i];
        for (unsigned r = 0; r < reads; r++)
            for (unsigned i = 0; i <= WORD; i++)
                mean[r] += weight * ones[i] * power[r < k % reads][i];
    }
    for (unsigned r = 0; r < reads; r++) product *= mean[r];
    return product * (1 - pairs + pairs * met / mean[reads - 1] / mean[reads - 1]);
}

/* In few words more than two reads meet, and their loads are not independent: not this formula; see test_word.c. k is a multiple of reads if it is free; slack: what folding may add, and the 2000 words. */
static void check_word(const blm_offer *o, const blm_config *c)
{
    const char *with = strstr(o->with, "reads=");
    const unsigned reads = with ? (unsigned)with[6] - '0' : 1, k = o->hashes;
    const uint64_t words = o->bytes / (WORD / 8), n = o->capacity, fewer = words * 255 / 256 - 1;
    const double slack = reads > 1 ? 5e-3 : 1e-6;
    assert_true(k >= reads && k <= 32 * reads && (c->hashes || k % reads == 0));
    assert_true(o->lines >= 1 && o->lines <= reads);
    if (c->bits) assert_int_equal(words, c->bits / WORD);
    if (c->fpr > 0) assert_true(o->rate <= c->fpr);
    if (words < 2000 || words > UINT64_C(1) << 32) return;
    NEAR(o->rate, word_rate(words, reads, k, n), slack);
    if (!c->bits) assert_true(word_rate(fewer, reads, k, n) * (1 + slack) > c->fpr);
    if (!c->keys) assert_true(word_rate(words, reads, k, n + n / 1000 + 1) * (1 + slack) > c->fpr);
}

/* Bits of one piece, where they are not given: from `least` on, to be foldable up to 1 in 256 more, and words. */
static void check_size(const blm_offer *o, const blm_config *c, double least, double more)
{
    const double m = (double)o->bytes * 8;
    if (c->bits) assert_true(m < (double)c->bits + WORD);
    if (!c->bits)
        assert_true(m >= least * (1 - 1e-9) && m <= (least + more) * (1 + 1 / 256.0) + WORD);
    if (c->fpr > 0) assert_true(o->rate <= c->fpr * (1 + 1e-9));
}

static double sliced_rate(double slice, double k, double n)
{
    return pow(-expm1(n * log1p(-1 / slice)), k);
}

static void check_sliced(const blm_offer *o, const blm_config *c)
{
    const double n = (double)o->capacity, k = o->hashes, words = (double)o->bytes * 8;
    double least = INFINITY, most = 0;
    for (double h = c->hashes ? k : 1; h <= (c->hashes ? k : 64); h++) {
        const double slice = ceil(-1 / expm1(log1p(-pow(c->fpr, 1 / h)) / n) * (1 - 1e-9));
        least = fmin(least, h * slice);
        if (c->bits)
            most = fmax(most, log1p(-pow(c->fpr, 1 / h)) / log1p(-1 / floor((double)c->bits / h)));
    }
    check_size(o, c, least, 2 * k);
    const double slice = c->bits ? floor((double)c->bits / k) : floor(words / k);
    const double fewer = c->bits ? slice : floor((words - WORD + 1) / k);
    assert_true(o->rate >= sliced_rate(slice, k, n) * (1 - 1e-9));
    assert_true(o->rate <= sliced_rate(fewer, k, n) * (1 + 1e-9));
    if (!c->keys) WITHIN(n, most, 1 + 1e-9 * most);
    if (!c->hashes && n > 1000) WITHIN(k, fmin(fmax(words / n * log(2), 1), 64), 1.5);
    const double fill = sliced_rate(slice, 1, n);
    NEAR(o->lines, (1 - pow(fill, k)) / (1 - fill), 1e-9 + (c->bits ? 0 : WORD / words * k));
}

static void check_one_place(const blm_offer *o, const blm_config *c)
{
    const bool any = strstr(o->with, "query=any") != NULL;
    const double n = (double)o->capacity, k = o->hashes, reads = any ? k : 1;
    const double m = c->bits ? (double)c->bits : (double)o->bytes * 8,
                 closer = any ? (k + 1) * (k + 1) / m : 0;
    check_size(o, c, -reads * n / log1p(-c->fpr) * (1 - closer), reads + 1);
    if (!c->bits && m < 100000) return; /* words show */
    NEAR(o->rate, -expm1(reads * n * log1p(-1 / m)), 1e-9 + (c->bits ? 0 : WORD / m) + closer);
    if (!c->keys) NEAR(n, log1p(-c->fpr) / reads / log1p(-1 / m), 1 / n + closer);
    if (!any) assert_true(o->lines == 1);
    if (any && !c->hashes) assert_true(k == 1);
}

/* One rate of two groups. The smaller of two binomials of k hashes is at least d when both are. */
static double chosen_rate(double m, unsigned k, double n)
{
    double z = 1;
    const double step = n / m / 1000;
    for (unsigned i = 0; i < 1000; i++) {
        double at = z;
        for (unsigned half = 0; half < 2; half++) { /* the slope in the middle of the step */
            double chance = pow(1 - at, k), tail = 1 - chance, sum = 0;
            for (unsigned d = 1; d <= k && at < 1; d++) {
                sum += tail * tail;
                chance *= (k - d + 1) * at / (d * (1 - at));
                tail -= chance;
            }
            if (!(at < 1)) sum = k;
            at = z - sum * step / (half ? 1 : 2);
        }
        z = at;
    }
    const double group = pow(1 - z, k);
    return group * (2 - group);
}

static void check_choice(const blm_offer *o, const blm_config *c)
{
    const double n = (double)o->capacity, m = c->bits ? (double)c->bits : (double)o->bytes * 8;
    const unsigned k = o->hashes;
    const double closer = (k + 2) * (1 / n + (c->bits ? 0 : WORD / m)) + 1e-3;
    if (n < 200) return; /* far from the limit: test_choice.c */
    NEAR(o->rate, chosen_rate(m, k, n), closer);
    if (c->fpr > 0) assert_true(o->rate <= c->fpr * (1 + 1e-9));
    if (!c->bits) assert_true(chosen_rate(m * 0.99 - WORD, k, n) * (1 + closer) > c->fpr);
    if (!c->keys) assert_true(chosen_rate(m, k, n * 1.01 + 1) * (1 + closer) > c->fpr);
    if (!c->hashes) WITHIN(k, fmin(fmax(m / n * log(2) + 1, 1), 64), 2.5);
}

/* Kinds of bits of one piece that have a form of their own. */
static bool check_flat(const blm_offer *o, const blm_config *c)
{
    if (strcmp(o->kind, "partitioned") == 0)
        check_sliced(o, c);
    else if (strcmp(o->kind, "memory-optimized") == 0)
        check_one_place(o, c);
    else if (strcmp(o->kind, "two-choice") == 0)
        check_choice(o, c);
    else
        return false;
    return true;
}

/* What was offered is what is made. */
static bool check_made(const blm_offer *o)
{
    blm_filter *f = NULL;
    blm_info i;
    blm_report why = {BLM_OK, ""};
    if (o->bytes > 1 << 20) return false;
    if (blm_make(&f, o->spec, &why)) fail_msg("%s: %s", o->spec, why.text);
    blm_info_of(f, &i);
    const blm_case full = {.keys = i.capacity, .arg = BLM_NO_ARG};
    assert_string_equal(i.kind, o->kind);
    assert_int_equal(i.bytes, o->bytes);
    assert_int_equal(i.capacity, o->capacity);
    assert_int_equal(i.hashes, o->hashes);
    assert_int_equal(i.can, o->can);
    assert_true(i.fpr_target == o->fpr);
    assert_true(blm_fpr(f, &full).high == o->rate);
    blm_free(f);
    return true;
}

static void offers_agree_with_the_closed_forms(void **nothing)
{
    uint64_t state = 1;
<<<<<<< HEAD
    unsigned made = 0, seen[5] = {0}, words = 0;
=======
    unsigned made = 0, flat = 0, seen[5] = {0};
>>>>>>> 4515432 (memory-optimized: one bit a key, ranked behind all that do as much; the planner's test knows the new forms)
    (void)nothing;
    for (unsigned w = 0; w < WISHES; w++) {
        form f;
        const blm_config c = random_wish(&state, &f);
<<<<<<< HEAD
        blm_offer offer[40];
=======
        blm_offer offer[32];
>>>>>>> 4515432 (memory-optimized: one bit a key, ranked behind all that do as much; the planner's test knows the new forms)
        blm_report why = {BLM_OK, ""};
        size_t n = COUNT(offer);
        if (blm_plan(&c, 0, offer, &n, &why)) fail_msg("wish %u: %s", w, why.text);
        for (size_t i = 0; i < n; i++) {
            const blm_offer *o = &offer[i];
            NEAR(o->bits_per_key, 8.0 * (double)o->bytes / (double)o->capacity, 1e-15);
            if (c.keys) assert_int_equal(o->capacity, c.keys);
            if (c.hashes) assert_int_equal(o->hashes, c.hashes);
            if (check_flat(o, &c)) {
                flat++;
                made += check_made(o);
                continue;
            }
            const bool blocked = strcmp(o->kind, "blocked") == 0;
            const bool counting = strcmp(o->kind, "counting") == 0;
            const bool split = strcmp(o->kind, "split-block") == 0;
            const bool line = strstr(o->with, "layout=line") != NULL;
            if (strcmp(o->kind, "word") == 0) {
                check_word(o, &c);
                words++;
                made += check_made(o);
                continue;
            }
            if (blocked || line)
                check_blocked(o, &c, counting ? 4 : 1, counting ? 0 : 1 / 256.0);
            else if (split)
                check_split(o, &c);
            else
                check_cells(o, &c, counting ? 4 : 1, counting ? 0 : 1 / 256.0);
            seen[blocked + 2 * counting + 3 * split + 2 * line]++;
            made += check_made(o);
        }
    }
    assert_true(seen[0] == WISHES && seen[1] > 180 &&
                seen[2] > 180); /* others: 64 hashes do not do */
    assert_true(seen[3] > 60 &&
                seen[3] < 140); /* half of the wishes have another number of hashes */
    assert_true(seen[4] > 120); /* a line of 128 counters: the lowest rates are out of reach */
<<<<<<< HEAD
    assert_true(words > 600);   /* four settings; others: more bits a read than half a word */
    assert_true(made > 150);
=======
    assert_true(made > 150 && flat > 600);
>>>>>>> 4515432 (memory-optimized: one bit a key, ranked behind all that do as much; the planner's test knows the new forms)
}

static const char *first_of_the_usual(uint64_t keys, double fpr)
{
    static blm_offer offer[40];
    size_t n = COUNT(offer), i = 0;
    assert_int_equal(blm_plan(BLM_CONFIG(.keys = keys, .fpr = fpr), 0, offer, &n, NULL), BLM_OK);
    while (strcmp(offer[i].kind, "standard") != 0 && strcmp(offer[i].kind, "blocked") != 0) i++;
    return offer[i].kind;
}

/* Of the two kinds for who names none, the better one is taken. At 1e-4 itself rounding decides. */
static void usual_kind_is_the_best(void **nothing)
{
    static const double rates[] = {0.2, 1e-2, 1e-3, 3e-4, 5e-5, 1e-6, 1e-9};
    (void)nothing;
    for (uint64_t keys = 5000; keys < 1000000000; keys *= 37)
        for (size_t i = 0; i < COUNT(rates); i++) {
            const char *usual = blm_usual_kind(keys, rates[i], 0, 0);
            assert_string_equal(usual, first_of_the_usual(keys, rates[i]));
            assert_string_equal(usual, rates[i] < 1e-4 ? "standard" : "blocked");
        }
    assert_string_equal(blm_usual_kind(0, 0, 0, 0), "blocked");
    assert_string_equal(blm_usual_kind(1000, 0, 10000, 0), "blocked");  /* 0.8 % */
    assert_string_equal(blm_usual_kind(1000, 0, 30000, 0), "standard"); /* 5e-7 */
    assert_string_equal(blm_usual_kind(1000, 0, 30000, 1), "blocked");  /* 3 % with one hash */
    assert_string_equal(blm_usual_kind(1000, 1e-6, 10000, 0), "standard");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(usual_kind_is_the_best),
        cmocka_unit_test(offers_agree_with_the_closed_forms),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
