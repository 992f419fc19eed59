/* test_row_runs.c - hashes in runs on a disk: counted, merged, cut into parts, and a disk or a memory that ends. */
#define _GNU_SOURCE 1
#include <signal.h>
#include <sys/resource.h>

#include "core/build/row_runs.h"
#include "core/folder.h"
#include "core/mul128.h"

enum { RUNS = 9, EACH = 4000, STEP = 3000 };

/* Run r has the mixed numbers from r * STEP on: a quarter of each run is in the next one as well. */
static blm_row_runs *runs_of(const blm_alloc *a, blm_err *err)
{
    blm_row_runs *p = NULL;
    *err = blm_row_runs_new(&p, a, folder, 1 << 20, &why);
    for (uint64_t r = 0; r < RUNS && !*err; r++) {
        blm_rowlist l = {0};
        for (uint64_t i = 0; i < EACH; i++)
            OK(blm_rows_add(&l, &blm_alloc_default, (blm_hash){blm_mix(r * STEP + i), 0}, 0));
        OK(blm_rows_sort(&l, &blm_alloc_default, 1));
        const blm_rows rows = blm_rows_view(&l);
        *err = blm_row_runs_put(p, &rows, &why);
        blm_rows_drop(&l, &blm_alloc_default);
    }
    return p;
}

static const uint64_t distinct = (RUNS - 1) * STEP + EACH;

/* All parts, one after the other: every hash once, in order, in its part. */
static blm_err read_all(blm_row_runs *p, const blm_alloc *a, uint64_t parts, uint64_t likely)
{
    uint64_t seen = 0, last = 0, sum = 0, want = 0;
    blm_err err = blm_row_runs_begin(p, &why);
    for (uint64_t i = 0; i < parts && !err; i++) {
        uint64_t *lo = NULL, n = 0, room = 0;
        err = blm_row_runs_part(p, i, parts, likely, &lo, &n, &room, &why);
        assert_true(n <= room);
        for (uint64_t j = 0; j < n && !err; j++, seen++) {
            assert_int_equal(blm_reduce(lo[j], parts), i);
            assert_true(!seen || lo[j] > last);
            last = lo[j];
            sum += blm_mix(last);
        }
        a->put(a->ctx, lo, (size_t)(room * sizeof *lo));
    }
    blm_row_runs_end(p);
    if (err) return err;
    for (uint64_t i = 0; i < distinct; i++) want += blm_mix(blm_mix(i));
    assert_true(seen == distinct && sum == want);
    return BLM_OK;
}

static void merged_and_cut(void **state)
{
    static const uint64_t parts[] = {1, 2, 7, 1000};
    blm_err err;
    (void)state;
    blm_row_runs *p = runs_of(&blm_alloc_default, &err);
    OK(err);
    for (unsigned turn = 0; turn < 2; turn++) {
        uint64_t n = 0;
        OK(blm_row_runs_count(p, &n, &why));
        assert_int_equal(n, distinct);
        for (size_t i = 0; i < COUNT(parts); i++)
            OK(read_all(p, &blm_alloc_default, parts[i], turn ? 0 : distinct / parts[i]));
    }
    assert_int_equal(files_there(), 0); /* the file has no name */
    blm_row_runs_free(p);
    blm_row_runs_free(NULL);
}

static void no_run_at_all(void **state)
{
    blm_row_runs *p = NULL;
    uint64_t n = 5, room = 5, *lo = NULL;
    (void)state;
    OK(blm_row_runs_new(&p, &blm_alloc_default, folder, 1 << 20, &why));
    OK(blm_row_runs_count(p, &n, &why));
    assert_int_equal(n, 0);
    OK(blm_row_runs_begin(p, &why));
    OK(blm_row_runs_part(p, 0, 1, 10, &lo, &n, &room, &why));
    assert_true(!lo && !n && !room);
    blm_row_runs_free(p); /* while it is being read */
    REFUSED(blm_row_runs_new(&p, &blm_alloc_default, "/there/is/no/such/folder", 1 << 20, &why),
            BLM_E_IO, "cannot create a spool there");
}

static void runs_without_memory(void **state)
{
    bool whole = false;
    (void)state;
    for (uint64_t refuse = 1; !whole; refuse++) {
        purse held = {.refuse_at = refuse};
        const blm_alloc a = {purse_get, purse_put, &held};
        blm_err err;
        blm_row_runs *p = runs_of(&a, &err);
        if (!err) err = read_all(p, &a, 3, 10);
        if (!err) assert_true(blm_row_runs_bytes(p) == held.held);
        assert_true(err == BLM_OK || err == BLM_E_NOMEM);
        if (err) assert_non_null(strstr(why.text, "no memory"));
        blm_row_runs_free(p);
        assert_int_equal(held.held, 0);
        whole = held.calls < refuse;
    }
}

/* A disk with room for a hundred hashes: the run that did not fit is not there, and the others are whole. */
static void a_disk_that_is_full(void **state)
{
    struct rlimit old, small;
    blm_row_runs *p = NULL;
    uint64_t lo[400], n = 0;
    (void)state;
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
    OK(blm_row_runs_new(&p, &blm_alloc_default, folder, 1 << 20, &why));
    for (uint64_t i = 0; i < COUNT(lo); i++) lo[i] = i;
    OK(blm_row_runs_put(p, &(const blm_rows){lo, NULL, NULL, 100}, &why));
    small = old;
    small.rlim_cur = 200 * sizeof *lo;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    const blm_err err = blm_row_runs_put(p, &(const blm_rows){lo, NULL, NULL, 400}, &why);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
    assert_int_equal(err, BLM_E_IO);
    assert_non_null(strstr(why.text, "bytes of a spool"));
    OK(blm_row_runs_put(p, &(const blm_rows){lo + 100, NULL, NULL, 100}, &why));
    OK(blm_row_runs_count(p, &n, &why));
    assert_int_equal(n, 200);
    blm_row_runs_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(merged_and_cut, make_folder, drop_folder),
        cmocka_unit_test_setup_teardown(no_run_at_all, make_folder, drop_folder),
        cmocka_unit_test_setup_teardown(runs_without_memory, make_folder, drop_folder),
        cmocka_unit_test_setup_teardown(a_disk_that_is_full, make_folder, drop_folder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
