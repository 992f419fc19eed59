/* test_prints.c - tables of fingerprints: batches answer and write as the calls of one key do.
 *
 * Shapes of buckets with one load and with many, of whole bytes and not; full tables, and cells that no add has made. The region
 * ends where malloc's does, so that a sanitizer sees a load that leaves it.
 */
#include "core/unit.h"
#include "core/core_internal.h"
#include "parts/prints.h"

enum { KEYS = 700 };

typedef struct table {
    blm_prints p;
    blm_filter f;
    uint64_t range;
} table;

static uint64_t random_state = 1;

/* payload: its bits; 0: none. */
static table table_new(unsigned tables, unsigned slots, unsigned low, unsigned payload,
                       unsigned width, uint64_t across)
{
    table t = {.p = blm_prints_with(tables, across, slots, low, payload, width),
               .range = across << low};
    t.f.bytes = blm_packed_bytes(blm_prints_cells(&t.p), t.p.bits);
    t.f.cells = calloc(1, (size_t)t.f.bytes);
    assert_non_null(t.f.cells);
    return t;
}

static table table_copy(const table *from)
{
    table t = *from;
    t.f.cells = malloc((size_t)t.f.bytes);
    assert_non_null(t.f.cells);
    memcpy(t.f.cells, from->f.cells, (size_t)t.f.bytes);
    return t;
}

static void equal_cells(const table *a, const table *b)
{
    assert_memory_equal(a->f.cells, b->f.cells, (size_t)a->f.bytes);
}

static blm_hash keys[KEYS];
static uint64_t print_of(const table *t, size_t i) { return blm_reduce(keys[i].lo, t->range); }

/* A kind's own way: payloads of keys that share a cell are xored. */
static const blm_prints *of_again;
static blm_err again(blm_filter *f, uint64_t print, uint64_t payload, blm_census *change)
{
    const blm_prints *p = of_again;
    uint64_t cell;
    const blm_err err = blm_prints_enter(p, f, print, 1, payload, change, &cell);
    if (err || change->used) return err;
    const uint64_t v = blm_prints_cell(p, f, cell);
    blm_packed_set(f->cells, f->bytes, p->bits, cell, v ^ payload << p->width);
    return BLM_OK;
}

/* Of key i; tables without payloads have none. */
static uint64_t payload_at(const table *t, size_t i)
{
    const unsigned bits = t->p.tail - t->p.width;
    return bits ? (i + 1) * UINT64_C(0x9e3779b97f4a7c15) >> (64 - bits) : 0;
}

/* One by one: the specification. */
static size_t add_each(table *t, size_t n, uint8_t *fresh, blm_census *sum)
{
    size_t i = 0;
    of_again = &t->p;
    for (; i < n; i++) {
        blm_census change = {0, 0};
        if (again(&t->f, print_of(t, i), payload_at(t, i), &change)) break;
        *sum = blm_census_plus(*sum, change);
        fresh[i] = change.used > 0;
    }
    return i;
}

static void adds_are_the_same(table *t, const blm_prints_row *row, const blm_prints_batch *b)
{
    table other = table_copy(t);
    uint8_t one[KEYS] = {0}, many[KEYS] = {0};
    blm_census sum = {0, 0}, all = {0, 0};
    uint64_t payload[KEYS];
    size_t done = 0;
    const size_t went = add_each(&other, b->n, one, &sum);
    const blm_prints_own own = {payload, again};
    for (size_t i = 0; i < b->n; i++) payload[i] = payload_at(t, i);
    of_again = &t->p;
    const blm_err err =
        row->add(&t->p, &t->f, b, t->p.tail > t->p.width ? &own : NULL, many, &done, &all);
    assert_int_equal(err, went < b->n ? BLM_E_FULL : BLM_OK);
    assert_int_equal(done, went);
    assert_true(sum.used == all.used && sum.stuck == all.stuck);
    assert_memory_equal(one, many, went);
    equal_cells(t, &other);
    free(other.f.cells);
}

static void answers_are_the_same(const table *t, const blm_prints_row *row,
                                 const blm_prints_batch *b)
{
    uint8_t yes[KEYS];
    blm_estimate times[KEYS];
    row->has(&t->p, &t->f, b, yes);
    row->count(&t->p, &t->f, b, times);
    for (size_t i = 0; i < b->n; i++) {
        const uint64_t cell = blm_prints_seek(&t->p, &t->f, print_of(t, i));
        const uint64_t n = cell == BLM_PRINTS_NONE ? 0 : blm_prints_counter(&t->p, &t->f, cell);
        assert_int_equal(yes[i], cell != BLM_PRINTS_NONE);
        assert_true(times[i].value == (double)n &&
                    times[i].bound == (n == blm_packed_top(t->p.width)));
    }
}

static void deletes_are_the_same(table *t, const blm_prints_row *row, const blm_prints_batch *b)
{
    table other = table_copy(t);
    uint8_t absent[KEYS];
    uint64_t gone = 0;
    const uint64_t said = row->del(&t->p, &t->f, b, absent);
    for (size_t i = 0; i < b->n; i++) {
        const uint64_t cell = blm_prints_seek(&other.p, &other.f, print_of(t, i));
        assert_int_equal(absent[i], cell == BLM_PRINTS_NONE);
        if (cell != BLM_PRINTS_NONE) gone += blm_prints_lower(&other.p, &other.f, cell);
    }
    assert_int_equal(said, gone);
    equal_cells(t, &other);
    free(other.f.cells);
}

/* Keys of which a quarter comes again. */
static void draw_keys(void)
{
    for (size_t i = 0; i < KEYS; i++)
        keys[i] = (blm_hash){i % 4 == 3 ? keys[i / 2].lo : draw(&random_state), 0};
}

static void same_by(const blm_prints_row *row, const table *like)
{
    static const size_t lengths[] = {0, 1, 31, 32, 33, 64, 100, KEYS};
    table t = table_copy(like);
    for (unsigned painted = 0; painted < 2; painted++)
        for (size_t i = 0; i < COUNT(lengths); i++) {
            const size_t n = lengths[i], more = n + 40 < KEYS ? 40 : 0;
            const blm_prints_batch b = {keys, n, more, t.range};
            draw_keys();
            for (size_t j = 0; painted && j < t.f.bytes; j++)
                t.f.cells[j] = (uint8_t)(draw(&random_state) & draw(&random_state));
            adds_are_the_same(&t, row, &b);
            answers_are_the_same(&t, row, &b);
            deletes_are_the_same(&t, row, &b);
            draw_keys();
            answers_are_the_same(&t, row, &b);
            deletes_are_the_same(&t, row, &b);
        }
    free(t.f.cells);
}

/* 3, 12, 25: nearly all keys find it full, most do, few do. */
static void batches_are_as_one_by_one(void **state)
{
    static const uint64_t across[] = {3, 12, 25};
    unsigned whole = 0, by_vector = 0;
    (void)state;
    for (unsigned tables = 3; tables <= 5; tables++)
        for (unsigned slots = 4; slots <= 16; slots += slots < 8 ? 1 : 8)
            for (unsigned low = 1; low <= 55; low += low < 20 ? 1 : 7)
                for (unsigned width = 2; width <= 4 && low + width <= 57; width += 2) {
                    /* a payload beside every other remainder: 0, 2, 0, 4, 0, 6, ... bits */
                    const unsigned payload = low % 2 || low + width > 50 ? 0 : low % 7 + 1;
                    table t = table_new(tables, slots, low, payload, width, across[low % 3]);
                    whole += t.p.whole.n > 0;
                    same_by(&blm_prints_plain, &t);
                    if (blm_prints_avx2_fits(&t.p)) by_vector++, same_by(&blm_prints_avx2, &t);
                    free(t.f.cells);
                }
    assert_true(whole > 100); /* not all of them on the long way */
    const table usual = table_new(4, 8, 12, 0, 2, 10);
    assert_true(blm_prints_best(&usual.p) == (by_vector ? &blm_prints_avx2 : &blm_prints_plain));
    free(usual.f.cells);
}

/* No load of a bucket leaves it, every cell is in one, and is counted once. */
static void loads_of_a_bucket(void **state)
{
    (void)state;
    for (unsigned slots = 1; slots <= 32; slots++)
        for (unsigned bits = 3; bits <= 57; bits++) {
            const blm_prints p = blm_prints_of(4, 10, slots, bits - 2, 2);
            const blm_prints_loads *w = &p.whole;
            uint64_t counted = 0;
            if (!w->n) continue;
            assert_true(w->bytes * 8 == slots * bits && w->n <= BLM_PRINTS_LOADS);
            for (unsigned j = 0; j < w->n; j++) {
                assert_true(w->at[j].byte + 8 <= w->bytes);
                assert_true(w->at[j].shift + w->cells * bits <= 64);
                for (unsigned i = 0; i < w->cells; i++) {
                    const unsigned bit = w->at[j].byte * 8 + w->at[j].shift + i * bits;
                    const uint64_t cell = UINT64_C(1) << bit / bits;
                    assert_int_equal(bit % bits, 0);
                    if (!(w->at[j].own >> (i * bits + bits - 1) & 1)) continue;
                    assert_false(counted & cell);
                    counted |= cell;
                }
            }
            assert_int_equal(counted, blm_packed_top(slots));
        }
    const blm_prints usual = blm_prints_of(4, 10, 8, 12, 2), rare = blm_prints_of(4, 10, 8, 15, 2);
    assert_true(usual.whole.n == 2 && rare.whole.n == 3); /* 1 % and 0.1 % */
}

/* The payload of a fingerprint's cell is a number that follows from the fingerprint. */
static uint64_t payload_of(uint64_t print, unsigned bits)
{
    return print * UINT64_C(0x9e3779b97f4a7c15) >> (64 - bits);
}

static void payloads_are_right(const blm_prints *p, const blm_filter *f, unsigned bits, uint64_t n)
{
    uint64_t used = 0;
    for (uint64_t c = 0; c < blm_prints_cells(p); c++) {
        const uint64_t v = blm_prints_cell(p, f, c), print = blm_prints_back(p, f, c);
        if (!v) continue;
        used++;
        assert_int_equal(v >> p->width & ((UINT64_C(1) << bits) - 1), payload_of(print, bits));
        assert_int_equal(blm_prints_seek(p, f, print), c);
    }
    assert_int_equal(used, n);
}

/* All searches find a cell whatever its payload is; counters rise and fall next to it, and a move takes it along. */
static void payloads_stay_with_their_fingerprints(void **state)
{
    (void)state;
    for (unsigned low = 2; low <= 32; low += 5)
        for (unsigned bits = 1; bits <= 21; bits += 4) {
            table t = table_new(4, 8, low, bits, 2, 12);
            blm_census sum = {0, 0}, moved = {0, 0};
            uint8_t yes[KEYS];
            size_t n = 0;
            t.f.alloc = blm_alloc_default;
            draw_keys();
            for (; n < 250; n++) {
                blm_census change = {0, 0};
                uint64_t cell, own = payload_of(print_of(&t, n), bits);
                if (blm_prints_enter(&t.p, &t.f, print_of(&t, n), 1, own, &change, &cell)) break;
                sum = blm_census_plus(sum, change);
            }
            for (size_t i = 0; i < n / 2; i++) {
                const uint64_t cell = blm_prints_seek(&t.p, &t.f, print_of(&t, i));
                if (cell != BLM_PRINTS_NONE) sum.used -= blm_prints_lower(&t.p, &t.f, cell);
            }
            payloads_are_right(&t.p, &t.f, bits, sum.used);
            assert_int_equal(blm_prints_check(&t.p, &t.f, sum, NULL), BLM_OK);
            const blm_prints to = blm_prints_with(4, 24, 8, low - 1, bits, 2);
            assert_int_equal(blm_prints_move(&t.f, &t.p, &to, NULL, NULL, &moved, NULL), BLM_OK);
            assert_true(moved.used == sum.used && moved.stuck == sum.stuck);
            payloads_are_right(&to, &t.f, bits, sum.used);
            to.many->has(&to, &t.f, &(blm_prints_batch){keys, n, 0, t.range}, yes);
            for (size_t i = n / 2; i < n; i++) assert_true(yes[i]);
            t.f.alloc.put(t.f.alloc.ctx, t.f.cells, (size_t)t.f.bytes);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(batches_are_as_one_by_one),
        cmocka_unit_test(loads_of_a_bucket),
        cmocka_unit_test(payloads_stay_with_their_fingerprints),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
