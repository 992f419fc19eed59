/* test_update.c - read, change, write of one path: written, dropped, refused. Who waits for whom is in
 * tests/faults. */
#include "core/folder.h"

static void updates_are_written_or_dropped(void **state)
{
    blm_filter *f = some(100), *more = some(150), *g = NULL;
    blm_update *u = NULL;
    char path[300];
    (void)state;
    snprintf(path, sizeof path, "%s", in_folder("f.blm"));
    OK(blm_write(f, path, BLM_WRITE_NEW, &why));
    assert_int_equal(chmod(path, 0640), 0);
    OK(blm_update_begin(&u, &g, path, NULL, &why));
    assert_true(blm_equal(f, g) && !info_of(g).mapped);
    add_run(g, 100, 50);
    blm_update_drop(u);
    blm_free(g);
    check_holds(path, f); /* dropped: nothing happened */
    OK(blm_update_begin(&u, &g, path, NULL, &why));
    add_run(g, 100, 50);
    OK(blm_update_end(u, g, &why));
    assert_true(blm_equal(g, more)); /* still ours */
    blm_free(g);
    check_holds(path, more);
    assert_int_equal(mode_of(path), 0640);
    assert_int_equal(files_there(), 1);
    assert_int_equal(symlink("f.blm", in_folder("link.blm")), 0);
    OK(blm_update_begin(&u, &g, in_folder("link.blm"), BLM_OPEN(.check = BLM_CHECK_ALL), &why));
    OK(blm_update_end(u, f, &why)); /* any filter may take its place */
    blm_free(g);
    check_holds(path, f);
    blm_update_drop(NULL);
    blm_free(f);
    blm_free(more);
}

static void check_no_update(const char *path, const blm_open_options *how, blm_err code,
                            const char *word)
{
    blm_update *u = NULL;
    blm_filter *g = NULL;
    REFUSED(blm_update_begin(&u, &g, path, how, &why), code, word);
    assert_true(!u && !g);
}

/* The second of a pair of bits that differ is swapped with the first: as many ones as before. */
static void swap_two_bits(uint8_t *cells)
{
    size_t i = 0;
    while ((cells[i] & 1) == (cells[i] >> 1 & 1)) i++;
    cells[i] ^= 3;
}

static void updates_that_are_refused(void **state)
{
    blm_filter *f = some(100), *g = NULL;
    blm_update *u = NULL;
    blob b = image_of(f);
    (void)state;
    check_no_update(in_folder("none.blm"), NULL, BLM_E_IO, "no such file");
    SAYS("none.blm");
    check_no_update(in_folder("no/f.blm"), NULL, BLM_E_IO, "cannot open its folder");
    check_no_update(folder, NULL, BLM_E_IO, "not a regular file");
    put_file(in_folder("text"), "plum", 4);
    check_no_update(in_folder("text"), NULL, BLM_E_IMAGE, "not a Bloomery filter");
    size_t n;
    const void *cells = blm_cells(f, &n);
    uint8_t *at = b.p;
    while (memcmp(at, cells, n) != 0) at++;
    swap_two_bits(at);
    put_file(in_folder("hurt.blm"), b.p, b.n);
    check_no_update(in_folder("hurt.blm"), NULL, BLM_E_IMAGE, "checksum 1 of 1 differs");
    check_no_update(in_folder("hurt.blm"), BLM_OPEN(.check = BLM_CHECK_ALL), BLM_E_IMAGE,
                    "checksum");
    OK(blm_update_begin(&u, &g, in_folder("hurt.blm"), BLM_OPEN(.check = BLM_CHECK_NONE), &why));
    blm_update_drop(u); /* unasked, the cells are taken as they are */
    blm_free(g);
    u = NULL;
    g = NULL;
    at[0] ^= 0x80; /* one more or one less than the field says */
    put_file(in_folder("hurt.blm"), b.p, b.n);
    check_no_update(in_folder("hurt.blm"), BLM_OPEN(.check = BLM_CHECK_NONE), BLM_E_IMAGE,
                    "number of ones");
    free(b.p);
    blm_free(f);
}

typedef struct miser { /* an allocator that fails at its nth call */
    unsigned left, out;
} miser;
static void *miser_get(void *ctx, size_t bytes)
{
    miser *m = ctx;
    if (!m->left) return NULL;
    m->left--;
    void *p = aligned_alloc(64, (bytes + 63) / 64 * 64);
    if (p) memset(p, 0, bytes), m->out++;
    return p;
}
static void miser_put(void *ctx, void *p, size_t bytes)
{
    (void)bytes;
    ((miser *)ctx)->out--;
    free(p);
}

static void updates_without_memory(void **state)
{
    blm_filter *f = some(100);
    const char *path = in_folder("f.blm");
    unsigned n = 0;
    (void)state;
    OK(blm_write(f, path, BLM_WRITE_NEW, &why));
    for (;; n++) {
        miser m = {.left = n};
        const blm_alloc alloc = {miser_get, miser_put, &m};
        blm_filter *g = NULL;
        blm_update *u = NULL;
        const blm_err err = blm_update_begin(&u, &g, path, BLM_OPEN(.alloc = &alloc), &why);
        if (err) {
            assert_int_equal(err, BLM_E_NOMEM);
            assert_true(!u && !g && !m.out);
            continue;
        }
        OK(blm_update_end(u, g, &why));
        blm_free(g);
        assert_int_equal(m.out, 0);
        break;
    }
    assert_true(n >= 4); /* the view, its backing, the copy, its cells, the update */
    check_holds(path, f);
    blm_free(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(updates_are_written_or_dropped),
        TEST(updates_that_are_refused),
        TEST(updates_without_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
