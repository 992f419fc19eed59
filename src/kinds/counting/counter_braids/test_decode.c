/* test_decode.c - bounds of unknown numbers, turn by turn, against the truth and against the paper's rules in plain loops. */
#include "decode.h"
#include "core/core_internal.h"
#include "core/unit.h"

enum { ROWS = 2000, ARITY = 3, EDGES = ROWS * ARITY };

/* Unknown numbers and counters: `cells` of them in three rows. */
typedef struct puzzle {
    uint64_t cells, truth[ROWS], place[EDGES], sum[2 * EDGES];
} puzzle;

static void puzzle_draw(puzzle *p, double beta, double share, uint64_t least, uint64_t seed)
{
    const uint64_t columns = (uint64_t)(beta * ROWS / ARITY);
    p->cells = columns * ARITY;
    memset(p->sum, 0, sizeof p->sum);
    for (uint64_t r = 0; r < ROWS; r++) {
        const bool more = (double)(draw(&seed) >> 11) * 0x1p-53 < share;
        p->truth[r] = least + (more ? 1 + draw(&seed) % 1000 : 0);
        for (unsigned j = 0; j < ARITY; j++) {
            p->place[r * ARITY + j] = j * columns + draw(&seed) % columns;
            p->sum[p->place[r * ARITY + j]] += p->truth[r];
        }
    }
}

/* Each counter is known to lie within `off` of its sum. */
static blm_braid braid_of(const puzzle *p, uint64_t least, uint64_t off, const blm_alloc *a)
{
    blm_braid b;
    assert_int_equal(blm_braid_new(&b, a, ROWS, ARITY, p->cells, least), BLM_OK);
    memcpy(b.place, p->place, sizeof p->place);
    for (uint64_t i = 0; i < p->cells; i++) {
        b.cell[i].bound[BRAID_LOW] = p->sum[i] > off ? p->sum[i] - off : 0;
        b.cell[i].bound[BRAID_HIGH] = p->sum[i] + off;
    }
    blm_braid_tie(&b);
    return b;
}

static void check_truth(const blm_braid *b, const puzzle *p)
{
    for (uint64_t r = 0; r < ROWS; r++)
        assert_true(b->bound[BRAID_LOW][r] <= p->truth[r] &&
                    p->truth[r] <= b->bound[BRAID_HIGH][r]);
}

static void bounds_hold_the_truth_at_every_turn(void **state)
{
    static const struct {
        double beta, share;
        uint64_t least, off;
        bool all;
    } table[] = {{1.4, 1, 0, 0, true},   {1.4, 1, 1, 0, true},    {1.15, 1, 0, 0, false},
                 {0.9, 0.2, 1, 0, true}, {0.4, 0.2, 1, 0, false}, {1.4, 1, 0, 3, false},
                 {1.0, 0.5, 5, 0, true}};
    static puzzle p;
    (void)state;
    for (size_t i = 0; i < COUNT(table); i++)
        for (uint64_t seed = 1; seed <= 3; seed++) {
            puzzle_draw(&p, table[i].beta, table[i].share, table[i].least, seed);
            blm_braid b = braid_of(&p, table[i].least, table[i].off, &blm_alloc_default);
            unsigned quiet = 0;
            while (b.left && b.turns < BRAID_TURNS && quiet < 2) {
                quiet = blm_braid_turn(&b) ? 0 : quiet + 1;
                check_truth(&b, &p);
                assert_false(b.torn);
            }
            assert_true((b.left == 0) == table[i].all);
            assert_true(blm_braid_decode(&b)); /* nothing to do but to look at the sums */
            check_truth(&b, &p);
            blm_braid_free(&b, &blm_alloc_default);
        }
}

/* ---- the rules of the paper, in plain loops ---------------------------------------------------- */

typedef struct plain {
    uint64_t nu[EDGES], bound[2][ROWS];
} plain;

/* mu of an edge: the counter less what its other edges have told it. */
static uint64_t mu_of(const puzzle *p, const plain *q, const uint64_t *told, uint64_t e,
                      uint64_t least)
{
    const uint64_t c = p->place[e], others = told[c] - q->nu[e];
    const uint64_t rest = p->sum[c] > others ? p->sum[c] - others : 0;
    return rest > least ? rest : least;
}

static uint64_t best_of(const uint64_t mu[ARITY], unsigned but, bool high)
{
    uint64_t best = high ? UINT64_MAX : 0;
    for (unsigned j = 0; j < ARITY; j++)
        if (j != but && (high ? mu[j] < best : mu[j] > best)) best = mu[j];
    return best;
}

static void plain_turn(const puzzle *p, plain *q, bool high, uint64_t least)
{
    static uint64_t told[2 * EDGES];
    memset(told, 0, sizeof told);
    for (uint64_t e = 0; e < EDGES; e++) told[p->place[e]] += q->nu[e];
    for (uint64_t r = 0; r < ROWS; r++) {
        uint64_t mu[ARITY];
        for (unsigned j = 0; j < ARITY; j++) mu[j] = mu_of(p, q, told, r * ARITY + j, least);
        q->bound[high][r] = best_of(mu, ARITY, high);
        for (unsigned j = 0; j < ARITY; j++) q->nu[r * ARITY + j] = best_of(mu, j, high);
    }
}

/* Rows that are taken off can only bring bounds nearer, and in the end all are the same. */
static void turns_are_those_of_the_paper(void **state)
{
    static const double betas[] = {1.4, 1.15};
    static puzzle p;
    static plain q;
    (void)state;
    for (size_t i = 0; i < COUNT(betas); i++) {
        puzzle_draw(&p, betas[i], 1, 1, 7);
        blm_braid b = braid_of(&p, 1, 0, &blm_alloc_default);
        for (uint64_t e = 0; e < EDGES; e++) q.nu[e] = 1;
        for (unsigned t = 1; t <= BRAID_TURNS; t++) {
            plain_turn(&p, &q, t % 2, 1);
            if (b.left) blm_braid_turn(&b);
            for (uint64_t r = 0; r < ROWS; r++) {
                const uint64_t own = b.bound[t % 2][r], paper = q.bound[t % 2][r];
                assert_true(t > 2 || own == paper);
                assert_true(t % 2 ? own <= paper : own >= paper);
            }
        }
        for (uint64_t r = 0; r < ROWS; r++)
            assert_true(b.bound[0][r] == q.bound[0][r] && b.bound[1][r] == q.bound[1][r]);
        assert_true((b.left == 0) == (i == 0));
        blm_braid_free(&b, &blm_alloc_default);
    }
}

/* ---- sums that no numbers have ------------------------------------------------------------------- */

static void impossible_sums_are_seen(void **state)
{
    static puzzle p;
    (void)state;
    for (uint64_t at = 0; at < 40; at++)
        for (int up = 0; up < 2; up++) {
            puzzle_draw(&p, 1.4, 1, 0, 1);
            uint64_t *sum = &p.sum[p.place[at * ARITY]];
            *sum = up ? *sum + 1 : *sum - (*sum > 0);
            blm_braid b = braid_of(&p, 0, 0, &blm_alloc_default);
            assert_false(blm_braid_decode(&b));
            blm_braid_free(&b, &blm_alloc_default);
        }
}

/* Rows that stay open do not hide it: what a counter without rows has came from a key that nobody asks for. */
static void counters_that_no_row_has(void **state)
{
    static puzzle p;
    (void)state;
    for (unsigned endless = 0; endless < 2; endless++) {
        uint64_t at = 0;
        puzzle_draw(&p, 1.1, 1, 0, 1);
        while (p.sum[at]) at++;
        assert_true(at < p.cells);
        blm_braid b = braid_of(&p, 0, 0, &blm_alloc_default);
        b.cell[at].bound[BRAID_LOW] = 1;
        b.cell[at].bound[BRAID_HIGH] = endless ? BRAID_ANY : 1;
        assert_false(blm_braid_decode(&b));
        assert_true(b.left > 0 && !b.torn);
        blm_braid_free(&b, &blm_alloc_default);
    }
}

/* Any counters: it ends, and its sums stay below 2^64. */
static void any_counters_end(void **state)
{
    static puzzle p;
    uint64_t random = 3;
    (void)state;
    for (unsigned turn = 0; turn < 40; turn++) {
        puzzle_draw(&p, 0.3 + 0.05 * turn, 1, 0, turn + 1);
        blm_braid b = braid_of(&p, turn % 3 ? 0 : UINT32_MAX, 0, &blm_alloc_default);
        for (uint64_t i = 0; i < p.cells; i++) {
            const unsigned shift = (unsigned)draw(&random) % 64;
            b.cell[i] = (blm_braid_cell){.bound = {draw(&random) >> shift, draw(&random) >> shift}};
        }
        blm_braid_tie(&b);
        blm_braid_decode(&b);
        assert_true(b.turns <= BRAID_TURNS);
        blm_braid_free(&b, &blm_alloc_default);
    }
}

/* A counter at its ceiling tells no upper bound: others may be enough. */
static void endless_counters_tell_lower_bounds(void **state)
{
    static puzzle p;
    uint64_t open = 0;
    (void)state;
    puzzle_draw(&p, 2.5, 1, 0, 1);
    blm_braid b = braid_of(&p, 0, 0, &blm_alloc_default);
    for (uint64_t i = 0; i < p.cells; i++) {
        b.cell[i] = (blm_braid_cell){.bound = {p.sum[i], p.sum[i]}};
        if (i % 50 == 0) b.cell[i] = (blm_braid_cell){.bound = {p.sum[i] / 2, BRAID_ANY}};
    }
    blm_braid_tie(&b);
    assert_true(blm_braid_decode(&b));
    check_truth(&b, &p);
    for (uint64_t r = 0; r < ROWS; r++) open += b.bound[BRAID_LOW][r] < b.bound[BRAID_HIGH][r];
    assert_true(open < ROWS / 100);
    blm_braid_free(&b, &blm_alloc_default);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bounds_hold_the_truth_at_every_turn),
        cmocka_unit_test(turns_are_those_of_the_paper),
        cmocka_unit_test(impossible_sums_are_seen),
        cmocka_unit_test(counters_that_no_row_has),
        cmocka_unit_test(any_counters_end),
        cmocka_unit_test(endless_counters_tell_lower_bounds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
