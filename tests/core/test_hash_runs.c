/* test_hash_runs.c - a builder that may not keep all its hashes in memory: the same filter, byte for byte, and
 * what a disk that fails does to it. Batches and freshness too. */
#define _GNU_SOURCE 1
#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/unit.h"
#include "core/core_internal.h"
#include "core/build/hash_runs.h"

#define MIB (UINT64_C(1) << 20)

static char folder[64];
static const char *const kinds[] = {"standard", "blocked", "split-block", "counting"};

static blm_builder *builder(const blm_config *c, uint64_t ram)
{
    blm_builder *b = NULL;
    OK(blm_builder_new(&b, c, &why));
    if (ram) OK(blm_builder_ram(b, ram, folder, &why));
    return b;
}

/* Adds the keys first .. first + n - 1 in batches of odd sizes; counts the new ones if fresh is not NULL. */
static blm_err add_batches(blm_builder *b, uint64_t first, uint64_t n, uint64_t *fresh)
{
    static blm_hash h[1500];
    static uint8_t is_new[1500];
    const blm_filter *f = blm_builder_hasher(b);
    for (uint64_t at = 0, size = 1; at < n; at += size) {
        size = (size * 7 + 1) % COUNT(h) + 1;
        if (size > n - at) size = n - at;
        for (uint64_t i = 0; i < size; i++) h[i] = blm_hash_u64(f, first + at + i);
        const blm_err err = blm_builder_add_many(b, h, (size_t)size, fresh ? is_new : NULL);
        if (err) return err;
        for (uint64_t i = 0; fresh && i < size; i++) *fresh += is_new[i];
    }
    return BLM_OK;
}

static blm_filter *built(blm_builder *b)
{
    blm_filter *f = NULL;
    OK(blm_build(&f, b, &why));
    return f;
}

static unsigned files_in_folder(void)
{
    unsigned n = 0;
    DIR *d = opendir(folder);
    assert_non_null(d);
    for (struct dirent *e; (e = readdir(d));) n += e->d_name[0] != '.';
    closedir(d);
    return n;
}

/* ---- batches ------------------------------------------------------------------------------------ */

static void batches_are_like_single_keys(void **state)
{
    (void)state;
    for (size_t k = 0; k < COUNT(kinds); k++) {
        blm_builder *one = builder(BLM_CONFIG(.kind = kinds[k], .seed = 9), 0);
        blm_builder *many = builder(BLM_CONFIG(.kind = kinds[k], .seed = 9), 0);
        uint64_t fresh = 0;
        for (unsigned t = 0; t < 3; t++) {
            for (uint64_t i = 0; i < 30000; i++) {
                uint8_t key[8];
                for (unsigned j = 0; j < 8; j++) key[j] = (uint8_t)(i >> 8 * j);
                assert_int_equal(blm_builder_add(one, 0, key, 8, BLM_NO_ARG), BLM_OK);
            }
            assert_int_equal(add_batches(many, 0, 30000, &fresh), BLM_OK);
            assert_int_equal(fresh, 30000); /* the second and third time nothing is */
        }
        assert_int_equal(blm_builder_keys(many), 30000);
        blm_filter *a = built(one), *b = built(many);
        assert_true(blm_equal(a, b));
        assert_int_equal(info_of(b).adds, 90000);
        blm_free(a);
        blm_free(b);
    }
}

/* A hash that comes twice in one batch is fresh once. */
static void twins_in_a_batch(void **state)
{
    uint8_t fresh[6];
    (void)state;
    blm_builder *b = builder(BLM_CONFIG(.kind = "blocked"), 0);
    const blm_hash h[6] = {{1, 0}, {2, 0}, {1, 0}, {0, 0}, {0, 0}, {UINT64_C(7) << 56, 0}};
    assert_int_equal(blm_builder_add_many(b, h, 6, fresh), BLM_OK);
    assert_memory_equal(fresh, ((const uint8_t[]){1, 1, 0, 1, 0, 1}), 6);
    assert_int_equal(blm_builder_keys(b), 4);
    uint64_t n = 0;
    OK(blm_builder_distinct(b, &n, &why));
    assert_int_equal(n, 4);
    blm_builder_free(b);
}

static void straight_ones_say_what_was_fresh(void **state)
{
    uint64_t fresh = 0, n = 0;
    (void)state;
    blm_builder *b = builder(BLM_CONFIG(.kind = "standard", .keys = 1000, .fpr = 1e-9), 2 * MIB);
    assert_int_equal(add_batches(b, 0, 1000, &fresh), BLM_OK);
    assert_int_equal(add_batches(b, 0, 1000, &fresh), BLM_OK);
    assert_int_equal(fresh, 1000); /* a false one has a chance of 10^-6 in all */
    REFUSED(blm_builder_distinct(b, &n, &why), BLM_E_CANNOT, "standard");
    assert_int_equal(add_batches(b, 0, 100000, NULL), BLM_E_FULL);
    blm_builder_free(b);
    /* What may go to a file is not known to be new. */
    b = builder(BLM_CONFIG(.kind = "standard"), 2 * MIB);
    assert_int_equal(add_batches(b, 0, 10, &fresh), BLM_E_CANNOT);
    assert_int_equal(blm_builder_keys(b), 0);
    blm_builder_free(b);
}

static void hasher_has_an_information(void **state)
{
    (void)state;
    blm_builder *b = builder(BLM_CONFIG(.kind = "counting", .seed = 5), 0);
    const blm_info i = info_of(blm_builder_hasher(b));
    assert_string_equal(i.kind, "counting");
    assert_true(i.seed == 5 && i.fill < 0 && i.bytes == 0);
    blm_builder_free(b);
}

/* ---- spooling ------------------------------------------------------------------------------------- */

/* 300,000 hashes are 3 MB, 4.6 with counts: three runs and more of 1 MiB, each with keys of the others. */
static void spooled_is_the_same_filter(void **state)
{
    (void)state;
    for (size_t k = 0; k < COUNT(kinds); k++) {
        const blm_config *c = BLM_CONFIG(.kind = kinds[k], .fpr = 0.01, .seed = 11);
        blm_builder *whole = builder(c, 0), *small = builder(c, MIB);
        for (unsigned t = 0; t < 2; t++) {
            assert_int_equal(add_batches(whole, 0, 200000, NULL), BLM_OK);
            assert_int_equal(add_batches(small, 0, 200000, NULL), BLM_OK);
            assert_int_equal(add_batches(whole, 100000, 200000, NULL), BLM_OK);
            assert_int_equal(add_batches(small, 100000, 200000, NULL), BLM_OK);
            assert_true(blm_builder_memory(small) < MIB + 80000); /* the buffer of the file */
        }
        assert_int_equal(blm_builder_keys(small), 800000); /* adds: it does not know yet */
        uint64_t n = 0;
        OK(blm_builder_distinct(small, &n, &why));
        assert_int_equal(n, 300000);
        assert_int_equal(files_in_folder(), 0); /* it has no name */
        blm_filter *a = built(whole), *b = built(small);
        assert_true(blm_equal(a, b));
        assert_int_equal(info_of(b).capacity, 300000);
        assert_int_equal(info_of(b).adds, 800000);
        blm_free(a);
        blm_free(b);
    }
}

/* At no moment, of growth or of counting, is more held than was allowed, apart from 48 KiB for the buffer of
 * the file and 2 KiB for each of its runs. A block of 16 that was not counted while it grew would be 8 %. */
static void memory_stays_within(void **state)
{
    (void)state;
    for (uint64_t ram = MIB; ram <= 8 * MIB; ram *= 2) {
        purse p = {.refuse_at = 0};
        const blm_alloc a = {purse_get, purse_put, &p};
        blm_builder *b = builder(BLM_CONFIG(.kind = "standard", .fpr = 0.5, .alloc = &a), ram);
        assert_int_equal(add_batches(b, 0, 1000000, NULL), BLM_OK);
        blm_free(built(b)); /* 180 KB */
        if (p.max > ram + 110000) fail_msg("%" PRIu64 " of %" PRIu64, p.max, ram);
        assert_true(p.max > ram - ram / 5); /* and what was allowed is used */
    }
}

/* Counting goes on after a count; below the limit nothing is spooled. */
static void distinct_on_the_way(void **state)
{
    uint64_t n = 0;
    (void)state;
    blm_builder *b = builder(BLM_CONFIG(.kind = "blocked"), MIB);
    OK(blm_builder_distinct(b, &n, &why));
    assert_int_equal(n, 0);
    for (uint64_t i = 1; i <= 4; i++) {
        assert_int_equal(add_batches(b, i * 1000000, 60000, NULL), BLM_OK);
        OK(blm_builder_distinct(b, &n, &why));
        assert_int_equal(n, i * 60000);
        OK(blm_builder_distinct(b, &n, &why));
        assert_int_equal(n, i * 60000);
    }
    blm_free(built(b));
}

/* So little memory that a slice of 1/256 is counted in 64 passes. */
static void slices_in_passes(void **state)
{
    blm_hash_runs *p = NULL;
    uint64_t n = 0, all = 0;
    (void)state;
    OK(blm_hash_runs_new(&p, &blm_alloc_default, folder, false, &why));
    blm_hashset *s = blm_hashset_new(&blm_alloc_default, false);
    assert_non_null(s);
    for (uint64_t r = 0; r < 3; r++) { /* runs 0..39999, 20000..59999, 40000..79999 */
        for (uint64_t i = 0; i < 40000; i++) {
            uint64_t seed = r * 20000 + i;
            assert_int_equal(blm_hashset_add(s, draw(&seed)), BLM_OK);
        }
        OK(blm_hash_runs_put(p, s, &why));
        blm_hashset_empty(s);
    }
    OK(blm_hash_runs_count(p, UINT64_MAX, &all, &why));
    OK(blm_hash_runs_count(p, 200, &n, &why));
    assert_int_equal(all, 80000);
    assert_int_equal(n, 80000);
    blm_hashset_free(s);
    blm_hash_runs_free(p);
}

static void bad_limits_are_refused(void **state)
{
    (void)state;
    blm_builder *b = builder(BLM_CONFIG(.kind = "blocked"), 0);
    REFUSED(blm_builder_ram(b, MIB - 1, folder, &why), BLM_E_ARG, "1048575");
    REFUSED(blm_builder_ram(b, MIB, NULL, &why), BLM_E_ARG, "folder");
    REFUSED(blm_builder_ram(b, MIB, "", &why), BLM_E_ARG, "folder");
    OK(blm_builder_ram(b, MIB, folder, &why));
    REFUSED(blm_builder_ram(b, MIB, folder, &why), BLM_E_ARG, "once");
    blm_builder_free(b);
}

/* ---- what fails ------------------------------------------------------------------------------------- */

/* Keys that need a spool, with this folder: the code, and this word in the sentence. */
static void cannot_spool(const char *where, const char *word)
{
    blm_builder *b = builder(BLM_CONFIG(.kind = "blocked"), 0);
    OK(blm_builder_ram(b, MIB, where, &why));
    assert_string_equal(blm_builder_trouble(b), "");
    assert_int_equal(add_batches(b, 0, 300000, NULL), BLM_E_IO);
    if (!strstr(blm_builder_trouble(b), word)) fail_msg("%s", blm_builder_trouble(b));
    blm_builder_free(b);
}

static void no_such_folder(void **state)
{
    char file[96];
    (void)state;
    cannot_spool("nowhere/at/all", "nowhere/at/all");
    snprintf(file, sizeof file, "%s/.file", folder);
    close(open(file, O_CREAT | O_WRONLY | O_CLOEXEC, 0600));
    cannot_spool(file, "Not a directory");
    unlink(file);
}

/* The file may not pass 100 KB: the add fails, nothing is lost, and with room it goes on. */
static void the_disk_is_full(void **state)
{
    const struct rlimit small = {100000, RLIM_INFINITY}, none = {RLIM_INFINITY, RLIM_INFINITY};
    uint64_t n = 0;
    (void)state;
    signal(SIGXFSZ, SIG_IGN);
    blm_builder *b = builder(BLM_CONFIG(.kind = "counting"), MIB);
    assert_int_equal(add_batches(b, 0, 20000, NULL), BLM_OK);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    assert_int_equal(add_batches(b, 20000, 100000, NULL), BLM_E_IO);
    assert_non_null(strstr(blm_builder_trouble(b), "File too large"));
    assert_non_null(strstr(blm_builder_trouble(b), folder));
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &none), 0);
    assert_int_equal(add_batches(b, 20000, 100000, NULL), BLM_OK);
    OK(blm_builder_distinct(b, &n, &why));
    assert_int_equal(n, 120000);
    blm_free(built(b));

    b = builder(BLM_CONFIG(.kind = "blocked"), MIB);
    assert_int_equal(add_batches(b, 0, 300000, NULL), BLM_OK);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    blm_filter *f = NULL; /* what is still in memory goes to the file when the filter is built */
    REFUSED(blm_build(&f, b, &why), BLM_E_IO, "File too large");
    assert_null(f);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &none), 0);
}

/* The nameless file, found among the open ones, loses its end. */
static void cut_the_spool(void)
{
    for (int fd = 3; fd < 64; fd++) {
        struct stat st;
        if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_nlink == 0 && st.st_size > 100000)
            assert_int_equal(ftruncate(fd, st.st_size / 2), 0);
    }
}

static void the_file_is_cut(void **state)
{
    blm_hash_runs *p = NULL;
    uint64_t n = 0;
    (void)state;
    OK(blm_hash_runs_new(&p, &blm_alloc_default, folder, true, &why));
    blm_hashset *s = blm_hashset_new(&blm_alloc_default, true);
    assert_non_null(s);
    for (uint64_t i = 0; i < 40000; i++) {
        uint64_t seed = i;
        assert_int_equal(blm_hashset_add(s, draw(&seed)), BLM_OK);
    }
    OK(blm_hash_runs_put(p, s, &why));
    cut_the_spool();
    REFUSED(blm_hash_runs_count(p, MIB, &n, &why), BLM_E_IO, "truncated at byte 240000");
    assert_int_equal(n, 0); /* unwritten */
    blm_hashset_free(s);
    blm_hash_runs_free(p);
    blm_builder *b = builder(BLM_CONFIG(.kind = "blocked"), MIB);
    assert_int_equal(add_batches(b, 0, 300000, NULL), BLM_OK);
    OK(blm_builder_distinct(b, &n, &why));
    cut_the_spool();
    blm_filter *f = NULL; /* counted, then poured: the second reading fails */
    REFUSED(blm_build(&f, b, &why), BLM_E_IO, "truncated at byte");
    assert_null(f);
}

/* Each call of the allocator fails in turn: a clean code, and nothing is kept. */
static void memory_runs_out(void **state)
{
    bool whole = false;
    (void)state;
    for (uint64_t refuse = 1; !whole; refuse += refuse < 20 ? 1 : refuse / 3) {
        purse p = {.refuse_at = refuse};
        const blm_alloc a = {purse_get, purse_put, &p};
        blm_builder *b = NULL;
        blm_filter *f = NULL;
        blm_err err = blm_builder_new(&b, BLM_CONFIG(.kind = "counting", .alloc = &a), &why);
        if (b) err = blm_builder_ram(b, MIB, folder, &why);
        if (b && !err) err = add_batches(b, 0, 150000, NULL);
        if (b && !err)
            err = blm_build(&f, b, &why);
        else
            blm_builder_free(b);
        assert_true(err == BLM_OK || err == BLM_E_NOMEM);
        assert_int_equal(f != NULL, err == BLM_OK);
        if (f) assert_int_equal(info_of(f).capacity, 150000);
        blm_free(f);
        assert_int_equal(p.held, 0);
        whole = p.calls < refuse;
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(batches_are_like_single_keys),
        cmocka_unit_test(twins_in_a_batch),
        cmocka_unit_test(straight_ones_say_what_was_fresh),
        cmocka_unit_test(hasher_has_an_information),
        cmocka_unit_test(spooled_is_the_same_filter),
        cmocka_unit_test(memory_stays_within),
        cmocka_unit_test(distinct_on_the_way),
        cmocka_unit_test(slices_in_passes),
        cmocka_unit_test(bad_limits_are_refused),
        cmocka_unit_test(no_such_folder),
        cmocka_unit_test(the_disk_is_full),
        cmocka_unit_test(the_file_is_cut),
        cmocka_unit_test(memory_runs_out),
    };
    snprintf(folder, sizeof folder, "/tmp/bloomery-spool-test.XXXXXX");
    if (!mkdtemp(folder)) return 2;
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    rmdir(folder);
    return failed;
}
