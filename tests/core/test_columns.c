/* test_columns.c - many sets side by side, against as many arrays of bits that lie apart. */
#include "core/unit.h"
#include "parts/columns.h"

enum { CELLS = 997, HASHES = 5, KEYS = 60 };

/* Every width up to 57, and those whose cells are words. */
static unsigned sets_of(unsigned i) { return i < 64 ? i + 1 : 0; }

/* The same sets, each with its own array. */
typedef struct apart {
    uint8_t bit[BLM_COLUMNS][CELLS];
} apart;

typedef struct pair {
    blm_columns c;
    apart *a;
} pair;

static pair pair_of(unsigned sets, unsigned hashes)
{
    pair p = {blm_columns_of(NULL, CELLS, hashes, sets), calloc(1, sizeof(apart))};
    p.c.cells = calloc(1, (size_t)p.c.bytes);
    assert_true(p.c.cells && p.a);
    return p;
}

static void pair_free(pair *p)
{
    free(p->c.cells);
    free(p->a);
}

static blm_hash hash_of(uint64_t i) { return (blm_hash){draw(&(uint64_t){i}), 0}; }

static unsigned add_apart(pair *p, uint64_t key, unsigned column)
{
    unsigned set = 0;
    for (unsigned j = 0; j < p->c.hashes; j++) {
        uint8_t *bit = &p->a->bit[column][blm_place(hash_of(key), j, CELLS)];
        set += !*bit;
        *bit = 1;
    }
    return set;
}

static uint64_t mask_apart(const pair *p, uint64_t key)
{
    uint64_t mask = 0;
    for (unsigned s = 0; s < p->c.sets; s++) {
        bool all = true;
        for (unsigned j = 0; j < p->c.hashes; j++)
            all = all && p->a->bit[s][blm_place(hash_of(key), j, CELLS)];
        mask |= (uint64_t)all << s;
    }
    return mask;
}

/* Bit by bit: cell i is bits i * width on, set s its bit s; and no other bit of the region is one. */
static void check_pair(const pair *p)
{
    uint64_t ones[BLM_COLUMNS], sum = 0, all = 0;
    blm_columns_ones(&p->c, ones);
    for (unsigned s = 0; s < p->c.sets; s++) {
        uint64_t own = 0;
        for (uint64_t i = 0; i < CELLS; i++) {
            const uint64_t at = i * p->c.width + s;
            assert_int_equal(p->c.cells[at / 8] >> at % 8 & 1, p->a->bit[s][i]);
            own += p->a->bit[s][i];
        }
        assert_int_equal(ones[s], own);
        sum += own;
    }
    for (unsigned s = p->c.sets; s < BLM_COLUMNS; s++) assert_int_equal(ones[s], 0);
    for (uint64_t i = 0; i < p->c.bytes; i++) all += blm_ones_of(p->c.cells[i]);
    assert_int_equal(all, sum);
}

static void fill_pair(pair *p, uint64_t seed)
{
    for (uint64_t i = 0; i < KEYS * p->c.sets; i++) {
        const unsigned column = (unsigned)blm_reduce(draw(&seed), p->c.sets);
        assert_int_equal(blm_columns_set(&p->c, hash_of(i), column), add_apart(p, i, column));
    }
}

static void a_cell_has_a_bit_per_set(void **state)
{
    (void)state;
    assert_int_equal(blm_columns_width(57), 57);
    for (unsigned sets = 58; sets <= 64; sets++) assert_int_equal(blm_columns_width(sets), 64);
    assert_true(blm_columns_all(1) == 1 && blm_columns_all(64) == UINT64_MAX);
    for (unsigned i = 0; sets_of(i); i++) {
        pair p = pair_of(sets_of(i), HASHES);
        fill_pair(&p, i);
        check_pair(&p);
        for (uint64_t key = 0; key < 500; key++) {
            const uint64_t all = blm_columns_all(p.c.sets), want = mask_apart(&p, key);
            assert_true(blm_columns_mask(&p.c, hash_of(key), all) == want);
            assert_true(blm_columns_mask(&p.c, hash_of(key), all / 3) == (want & (all / 3)));
        }
        pair_free(&p);
    }
}

static void clearing_takes_one_set(void **state)
{
    (void)state;
    for (unsigned i = 0; sets_of(i); i++) {
        pair p = pair_of(sets_of(i), HASHES);
        fill_pair(&p, i);
        for (unsigned column = 0; column < p.c.sets; column += 1 + i / 4) {
            uint64_t had = 0;
            for (unsigned j = 0; j < CELLS; j++) had += p.a->bit[column][j];
            memset(p.a->bit[column], 0, CELLS);
            assert_int_equal(blm_columns_clear(&p.c, column), had);
            check_pair(&p);
            assert_int_equal(blm_columns_clear(&p.c, column), 0);
        }
        pair_free(&p);
    }
}

/* Every third set at once, and all of them. */
static void wiping_takes_a_mask_of_sets(void **state)
{
    (void)state;
    for (unsigned i = 0; sets_of(i); i++) {
        pair p = pair_of(sets_of(i), HASHES);
        fill_pair(&p, i);
        blm_columns_wipe(&p.c, 0);
        check_pair(&p);
        blm_columns_wipe(&p.c, UINT64_C(0x9249249249249249) & blm_columns_all(p.c.sets));
        for (unsigned column = 0; column < p.c.sets; column += 3)
            memset(p.a->bit[column], 0, CELLS);
        check_pair(&p);
        blm_columns_wipe(&p.c, blm_columns_all(p.c.sets));
        for (uint64_t b = 0; b < p.c.bytes; b++) assert_int_equal(p.c.cells[b], 0);
        pair_free(&p);
    }
}

/* Upward, downward and in place; from another array, and from the same one into another column. */
static void sets_are_copied_across(void **state)
{
    uint64_t seed = 7;
    (void)state;
    for (unsigned i = 0; sets_of(i); i++) {
        pair p = pair_of(sets_of(i), HASHES), q = pair_of(sets_of(i), HASHES);
        fill_pair(&p, i);
        fill_pair(&q, i + 100);
        for (unsigned round = 0; round < 6; round++) {
            const unsigned last = p.c.sets - 1,
                           to = round < 2 ? last * (round & 1)
                                          : (unsigned)blm_reduce(draw(&seed), p.c.sets),
                           from = round < 2 ? last * !(round & 1)
                                            : (unsigned)blm_reduce(draw(&seed), p.c.sets);
            const pair *other = round % 3 ? &q : &p;
            uint64_t came = 0;
            for (unsigned j = 0; j < CELLS; j++) {
                came += other->a->bit[from][j] && !p.a->bit[to][j];
                p.a->bit[to][j] |= other->a->bit[from][j];
            }
            assert_int_equal(blm_columns_or(&p.c, to, &other->c, from), came);
            check_pair(&p);
            check_pair(&q);
        }
        pair_free(&p);
        pair_free(&q);
    }
}

/* As a batch of a kind comes: in pieces, with hashes behind the piece; from none to all of the keys are in a set. */
static void check_batches(const pair *p, uint64_t first, size_t n, size_t more)
{
    enum { MOST = 400 };
    blm_hash *h = malloc((n + more ? n + more : 1) * sizeof *h);
    uint64_t mask[MOST + 1];
    uint8_t yes[MOST + 1];
    const uint64_t all = blm_columns_all(p->c.sets), asked = all & UINT64_C(0x9e3779b97f4a7c15);
    assert_true(n + more <= MOST && h);
    for (size_t i = 0; i < n + more; i++) h[i] = hash_of(first + i);
    mask[n] = 77, yes[n] = 77;
    blm_columns_prefetch_many(&p->c, h, n);
    blm_columns_mask_many(&p->c, all, h, n, more, mask);
    for (size_t i = 0; i < n; i++) assert_true(mask[i] == mask_apart(p, first + i));
    blm_columns_has_many(&p->c, asked, h, n, more, yes);
    for (size_t i = 0; i < n; i++) assert_int_equal(yes[i], (mask[i] & asked) != 0);
    blm_columns_own_has_many(&p->c, h, n, more, yes);
    for (size_t i = 0; i < n; i++)
        assert_int_equal(yes[i], mask[i] >> blm_columns_own(&p->c, h[i]) & 1);
    assert_true(mask[n] == 77 && yes[n] == 77);
    free(h);
}

static void many_keys_are_as_one_by_one(void **state)
{
    static const size_t sizes[] = {0, 1, 31, 32, 33, 64, 97, 256};
    (void)state;
    for (unsigned i = 0; sets_of(i); i += 1 + i / 9)
        for (unsigned hashes = 1; hashes <= 64; hashes += hashes < 8 ? 3 : 28) {
            pair p = pair_of(sets_of(i), hashes);
            fill_pair(&p, i);
            for (size_t j = 0; j < COUNT(sizes); j++)
                check_batches(&p, KEYS * p.c.sets - sizes[j] / 2, sizes[j], 20 * (j % 3));
            check_batches(&p, 0, 300, 64);
            pair_free(&p);
        }
}

typedef struct turns {
    const blm_columns *c;
    unsigned next;
} turns;

static bool put_in_turn(void *into, const blm_staged_group *g, size_t i)
{
    turns *t = into;
    const uint64_t all = blm_columns_all(t->c->sets), before = blm_columns_mask_at(t->c, g, i, all);
    const unsigned column = t->next++ % t->c->sets;
    return blm_columns_set_at(t->c, g, i, column) > 0 && !(before >> column & 1);
}

static void many_adds_are_as_one_by_one(void **state)
{
    enum { ADDED = 331 };
    blm_hash h[ADDED];
    uint8_t fresh[ADDED];
    (void)state;
    for (unsigned i = 0; sets_of(i); i += 1 + i / 9) {
        pair p = pair_of(sets_of(i), HASHES), own = pair_of(sets_of(i), HASHES);
        turns t = {&p.c, 0};
        uint64_t ones = 0;
        for (size_t j = 0; j < ADDED; j++) h[j] = hash_of(j / 2 * 3);
        blm_columns_add_each(&p.c, h, ADDED, put_in_turn, &t, fresh);
        for (size_t j = 0; j < ADDED; j++)
            assert_int_equal(fresh[j], add_apart(&p, j / 2 * 3, (unsigned)(j % p.c.sets)) > 0);
        check_pair(&p);
        const uint64_t set = blm_columns_own_add_many(&own.c, h, ADDED, 0, i % 2 ? fresh : NULL);
        for (size_t j = 0; j < ADDED; j++) {
            const unsigned n = add_apart(&own, j / 2 * 3, blm_columns_own(&own.c, h[j]));
            ones += n;
            if (i % 2) assert_int_equal(fresh[j], n > 0);
        }
        assert_int_equal(set, ones);
        check_pair(&own);
        pair_free(&p);
        pair_free(&own);
    }
}

/* Chi-square of the own sets of 64,000 keys whose first cell is in the first half, 63 degrees: 4 sigma are 63 +- 45. The
 * word that chose the cell would choose the first half of the sets. */
static void own_sets_are_even(void **state)
{
    uint64_t n[64] = {0}, all = 0;
    double sum = 0;
    const blm_columns c = blm_columns_of(NULL, CELLS, HASHES, 64);
    (void)state;
    for (uint64_t i = 0; all < 64000; i++) {
        if (blm_columns_find(&c, hash_of(i), 0) >= CELLS / 2 * 64) continue;
        n[blm_columns_own(&c, hash_of(i))]++;
        all++;
    }
    for (unsigned i = 0; i < 64; i++) sum += ((double)n[i] - 1000) * ((double)n[i] - 1000) / 1000;
    WITHIN(sum, 63, 45);
}

/* More words than a counter of eight bits can count. */
static void many_ones_are_counted(void **state)
{
    static const unsigned sets[] = {1, 8, 15, 57, 64};
    (void)state;
    for (size_t i = 0; i < COUNT(sets); i++) {
        uint64_t ones[BLM_COLUMNS];
        blm_columns c = blm_columns_of(NULL, 64 * 64 * 600 / sets[i], HASHES, sets[i]);
        c.cells = calloc(1, (size_t)c.bytes);
        assert_non_null(c.cells);
        for (uint64_t b = 0; b < c.count * sets[i]; b++) blm_bit_set(c.cells, b);
        blm_columns_ones(&c, ones);
        for (unsigned s = 0; s < sets[i]; s++) assert_int_equal(ones[s], c.count);
        assert_int_equal(blm_columns_clear(&c, sets[i] / 2), c.count);
        free(c.cells);
    }
}

/* Any bytes, in a region that ends where the next byte would be another allocation's (ASan sees a step past it). */
static void random_cells_stay_inside(void **state)
{
    uint64_t seed = 3;
    (void)state;
    for (unsigned i = 0; sets_of(i); i++)
        for (uint64_t count = 1; count < 70; count += 1 + count / 9) {
            uint64_t ones[BLM_COLUMNS], mask[40];
            uint8_t yes[40];
            blm_hash h[40];
            blm_columns c = blm_columns_of(NULL, count, 7, sets_of(i));
            c.cells = malloc((size_t)c.bytes);
            for (uint64_t b = 0; b < c.bytes; b++) c.cells[b] = (uint8_t)draw(&seed);
            for (size_t j = 0; j < 40; j++) h[j] = (blm_hash){draw(&seed), 0};
            blm_columns_mask_many(&c, UINT64_MAX, h, 30, 10, mask);
            blm_columns_own_has_many(&c, h, 30, 10, yes);
            blm_columns_ones(&c, ones);
            blm_columns_or(&c, c.sets - 1, &c, 0);
            blm_columns_or(&c, 0, &c, c.sets - 1);
            blm_columns_clear(&c, c.sets / 2);
            blm_columns_wipe(&c, UINT64_MAX / 5);
            blm_columns_own_add_many(&c, h, 40, 0, yes);
            free(c.cells);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_cell_has_a_bit_per_set),
        cmocka_unit_test(clearing_takes_one_set),
        cmocka_unit_test(wiping_takes_a_mask_of_sets),
        cmocka_unit_test(sets_are_copied_across),
        cmocka_unit_test(many_keys_are_as_one_by_one),
        cmocka_unit_test(many_adds_are_as_one_by_one),
        cmocka_unit_test(own_sets_are_even),
        cmocka_unit_test(many_ones_are_counted),
        cmocka_unit_test(random_cells_stay_inside),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
