/* test_image_file.c - images as files: written whole or not at all, read, mapped, refused by a sentence. */
#include "core/folder.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sys/mman.h>
#include "parts/probe.h"

/* ---- writing ----------------------------------------------------------------------------------------------- */

static void written_is_read_and_mapped(void **state)
{
    blm_filter *f = some(100), *r = NULL, *m = NULL;
    const char *path = in_folder("f.blm");
    (void)state;
    OK(blm_write(f, path, BLM_WRITE_NEW, &why));
    assert_int_equal(files_there(), 1);
    OK(blm_read(&r, path, NULL, &why));
    OK(blm_map(&m, path, NULL, &why));
    assert_true(blm_equal(f, r) && blm_equal(f, m) && has_run(m, 0, 100));
    assert_true(info_of(m).mapped && !info_of(r).mapped);
    struct stat st;
    assert_int_equal(stat(path, &st), 0);
    assert_int_equal((uint64_t)st.st_size, blm_saved_size(f));
    assert_int_equal(blm_add(r, "x", 1), BLM_OK); /* a copy may grow, the map may not */
    assert_int_equal(blm_add(m, "x", 1), BLM_E_READONLY);
    blm_free(f);
    blm_free(r);
    assert_int_equal(unlink(path), 0); /* the mapping outlives the name */
    assert_true(has_run(m, 0, 100));
    blm_free(m);
}

/* What was mapped is given back: its pages are nobody's afterwards. */
static void mappings_end_with_the_filter(void **state)
{
    blm_filter *f = made("standard keys=50000 fpr=1%"), *m = NULL;
    size_t bytes = 0;
    (void)state;
    OK(blm_write(f, in_folder("f.blm"), BLM_WRITE_NEW, &why));
    OK(blm_map(&m, in_folder("f.blm"), NULL, &why));
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    const uintptr_t cells = (uintptr_t)blm_cells(m, &bytes);
    void *p = (void *)(cells / page * page);
    assert_int_equal(msync(p, page, MS_ASYNC), 0);
    blm_free(m);
    assert_int_equal(msync(p, page, MS_ASYNC), -1);
    assert_int_equal(errno, ENOMEM);
    blm_free(f);
}

static void mapped_filters_are_read_only(void **state)
{
    static const char *const specs[] = {"standard bits=512b hashes=3 keys=9",
                                        "counting bits=512b hashes=3 keys=9"};
    (void)state;
    for (size_t i = 0; i < COUNT(specs); i++) {
        blm_filter *f = made(specs[i]), *m = NULL, *copy = NULL;
        const char *path = in_folder(i ? "b.blm" : "a.blm");
        blm_hash h = {1, 2};
        size_t done = 7, n;
        assert_int_equal(blm_add(f, "x", 1), BLM_OK);
        OK(blm_write(f, path, BLM_WRITE_NEW, &why));
        OK(blm_map(&m, path, NULL, &why));
        assert_int_equal(blm_add(m, "x", 1), BLM_E_READONLY);
        assert_int_equal(blm_add_many(m, &h, NULL, 1, NULL, &done), BLM_E_READONLY);
        assert_int_equal(done, 0);
        if (i) assert_int_equal(blm_del(m, "x", 1), BLM_E_READONLY);
        assert_int_equal(blm_clear(m), BLM_E_READONLY);
        REFUSED(blm_merge(m, f, &why), BLM_E_READONLY, "read-only");
        REFUSED(blm_set_note(m, "n", &why), BLM_E_READONLY, "read-only");
        REFUSED(blm_adopt(m, blm_cells(f, &n), 64, &why), BLM_E_READONLY, "read-only");
        OK(blm_merge(f, m, &why)); /* from it, though */
        OK(blm_copy(&copy, m, &why));
        assert_false(info_of(copy).mapped);
        blm_free(m);
        assert_int_equal(blm_add(copy, "y", 1), BLM_OK);
        blm_free(copy);
        blm_free(f);
    }
}

static void existing_paths_are_refused(void **state)
{
    blm_filter *f = some(100), *g = some(200);
    const char *path = in_folder("f.blm");
    (void)state;
    OK(blm_write(f, path, BLM_WRITE_NEW, &why));
    REFUSED(blm_write(g, path, BLM_WRITE_NEW, &why), BLM_E_IO, "file exists");
    SAYS(path);
    check_holds(path, f);
    OK(blm_write(g, path, BLM_WRITE_REPLACE, &why));
    check_holds(path, g);
    OK(blm_write(f, in_folder("other.blm"), BLM_WRITE_REPLACE, &why)); /* nothing to replace: new */
    check_holds(in_folder("other.blm"), f);
    assert_int_equal(files_there(), 2);
    blm_free(f);
    blm_free(g);
}

static void modes_are_kept(void **state)
{
    static const mode_t modes[] = {0600, 0640, 0444, 0755, 0666};
    blm_filter *f = some(100), *g = some(200);
    const char *path = in_folder("f.blm");
    const mode_t mask = umask(022);
    (void)state;
    OK(blm_write(f, path, BLM_WRITE_NEW, &why));
    assert_int_equal(mode_of(path), 0644); /* 0666 without the mask */
    for (size_t i = 0; i < COUNT(modes); i++) {
        assert_int_equal(chmod(path, modes[i]), 0);
        OK(blm_write(i % 2 ? f : g, path, BLM_WRITE_REPLACE, &why));
        assert_int_equal(mode_of(path), modes[i]);
    }
    umask(mask);
    blm_free(f);
    blm_free(g);
}

static void the_target_of_a_link_is_replaced(void **state)
{
    blm_filter *f = some(100), *g = some(200);
    struct stat st;
    char where[400];
    (void)state;
    OK(blm_write(f, in_folder("real.blm"), BLM_WRITE_NEW, &why));
    assert_int_equal(symlink("real.blm", in_folder("link.blm")), 0);
    REFUSED(blm_write(g, in_folder("link.blm"), BLM_WRITE_NEW, &why), BLM_E_IO, "file exists");
    OK(blm_write(g, in_folder("link.blm"), BLM_WRITE_REPLACE, &why));
    assert_int_equal(lstat(in_folder("link.blm"), &st), 0);
    assert_true(S_ISLNK(st.st_mode));
    const ssize_t n = readlink(in_folder("link.blm"), where, sizeof where);
    assert_int_equal(n, 8);
    check_holds(in_folder("real.blm"), g);
    check_holds(in_folder("link.blm"), g);
    assert_int_equal(unlink(in_folder("real.blm")), 0); /* now it leads nowhere */
    REFUSED(blm_write(g, in_folder("link.blm"), BLM_WRITE_REPLACE, &why), BLM_E_IO,
            "cannot follow the link");
    assert_int_equal(files_there(), 1);
    blm_free(f);
    blm_free(g);
}

/* Hidden names that a killed process of the same number left: they are stepped over, and stay. */
static void taken_names_are_stepped_over(void **state)
{
    blm_filter *f = some(100), *g = some(200);
    const char *path = in_folder("f.blm");
    char name[64], target[300];
    (void)state;
    snprintf(target, sizeof target, "%s", path);
    OK(blm_write(f, target, BLM_WRITE_NEW, &why));
    for (unsigned i = 0; i < 1000; i++) {
        if (i == 3) OK(blm_write(g, target, BLM_WRITE_REPLACE, &why)); /* three are taken */
        snprintf(name, sizeof name, ".f.blm.%ld-%u.tmp", (long)getpid(), i);
        put_file(in_folder(name), "x", 1);
        assert_int_equal(files_there(), i + 2);
    }
    check_holds(target, g);
    REFUSED(blm_write(f, target, BLM_WRITE_REPLACE, &why), BLM_E_IO, "cannot "); /* all are */
    check_holds(target, g);
    assert_int_equal(files_there(), 1001);
    blm_free(f);
    blm_free(g);
}

/* A path without a folder is one of the working folder. */
static void bare_names_work(void **state)
{
    blm_filter *f = some(10);
    char back[PATH_MAX];
    (void)state;
    assert_non_null(getcwd(back, sizeof back));
    assert_int_equal(chdir(folder), 0);
    const blm_err written = blm_write(f, "bare.blm", BLM_WRITE_NEW, &why),
                  again = blm_write(f, "bare.blm", BLM_WRITE_REPLACE, &why);
    assert_int_equal(chdir(back), 0);
    assert_true(written == BLM_OK && again == BLM_OK);
    check_holds(in_folder("bare.blm"), f);
    blm_free(f);
}

static void places_where_no_file_can_be(void **state)
{
    blm_filter *f = some(10);
    char far[PATH_MAX + 100];
    (void)state;
    for (int how = BLM_WRITE_NEW; how <= BLM_WRITE_REPLACE; how++) {
        REFUSED(blm_write(f, in_folder("no/f.blm"), (blm_write_how)how, &why), BLM_E_IO,
                "cannot open its folder");
        SAYS("no/f.blm");
        REFUSED(blm_write(f, in_folder("sub/"), (blm_write_how)how, &why), BLM_E_IO, "sub/");
        memset(far, 'x', sizeof far - 1);
        far[sizeof far - 1] = 0;
        REFUSED(blm_write(f, far, (blm_write_how)how, &why), BLM_E_IO, "xxx");
        far[PATH_MAX] = 0; /* one letter more than a path has room for */
        REFUSED(blm_write(f, far, (blm_write_how)how, &why), BLM_E_IO, "the path is too long");
        far[300] = 0; /* a name of 300 letters: the folder is there, the name cannot be */
        REFUSED(blm_write(f, far, (blm_write_how)how, &why), BLM_E_IO, "xxx");
        assert_int_equal(blm_write(f, in_folder("no/f.blm"), (blm_write_how)how, NULL), BLM_E_IO);
    }
    put_file(in_folder("file"), "x", 1);
    REFUSED(blm_write(f, in_folder("file/f.blm"), BLM_WRITE_NEW, &why), BLM_E_IO,
            "cannot open its folder");
    assert_int_equal(unlink(in_folder("file")), 0);
    assert_int_equal(mkdir(in_folder("sub"), 0700), 0);
    REFUSED(blm_write(f, in_folder("sub"), BLM_WRITE_REPLACE, &why), BLM_E_IO,
            "not a regular file");
    REFUSED(blm_write(f, in_folder("sub"), BLM_WRITE_NEW, &why), BLM_E_IO, "file exists");
    REFUSED(blm_write(f, in_folder("sub/"), BLM_WRITE_NEW, &why), BLM_E_IO, "a folder, not a file");
    assert_int_equal(mkfifo(in_folder("fifo"), 0600), 0);
    REFUSED(blm_write(f, in_folder("fifo"), BLM_WRITE_REPLACE, &why), BLM_E_IO,
            "not a regular file");
    REFUSED(blm_write(f, in_folder("fifo"), BLM_WRITE_NEW, &why), BLM_E_IO, "file exists");
    assert_int_equal(files_there(), 2);
    blm_free(f);
}

/* ---- reading ------------------------------------------------------------------------------------------------- */

static void check_both_refuse(const char *path, blm_err code, const char *word)
{
    blm_filter *f = NULL;
    REFUSED(blm_read(&f, path, NULL, &why), code, word);
    REFUSED(blm_map(&f, path, NULL, &why), code, word);
    assert_null(f);
}

static void files_that_are_no_images(void **state)
{
    static const uint8_t garbage[5000] = "not an image";
    (void)state;
    check_both_refuse(in_folder("none.blm"), BLM_E_IO, "cannot open it");
    SAYS("none.blm");
    check_both_refuse(folder, BLM_E_IO, "a folder, not an image");
    assert_int_equal(mkfifo(in_folder("fifo"), 0600), 0);
    check_both_refuse(in_folder("fifo"), BLM_E_IO, "not a regular file");
    put_file(in_folder("empty"), "", 0);
    check_both_refuse(in_folder("empty"), BLM_E_IMAGE, "an empty file is not an image");
    put_file(in_folder("short"), garbage, 31);
    check_both_refuse(in_folder("short"), BLM_E_IMAGE, "not a Bloomery filter");
    put_file(in_folder("long"), garbage, sizeof garbage);
    check_both_refuse(in_folder("long"), BLM_E_IMAGE, "not a Bloomery filter");
    if (geteuid() != 0) { /* the superuser may read everything */
        put_file(in_folder("secret"), garbage, 100);
        assert_int_equal(chmod(in_folder("secret"), 0), 0);
        check_both_refuse(in_folder("secret"), BLM_E_IO, "cannot open it");
    }
}

static void cut_and_lengthened_files(void **state)
{
    blm_filter *f = some(100);
    blob b = image_of(f);
    static const size_t cuts[] = {1, 8, 600};
    (void)state;
    for (size_t i = 0; i < COUNT(cuts); i++) {
        put_file(in_folder("cut"), b.p, b.n - cuts[i]);
        check_both_refuse(in_folder("cut"), BLM_E_IMAGE, "(truncated)");
    }
    put_file(in_folder("cut"), b.p, 60);
    check_both_refuse(in_folder("cut"), BLM_E_IMAGE, "ends inside its header");
    FILE *out = fopen(in_folder("more"), "wb");
    assert_non_null(out);
    assert_int_equal(fwrite(b.p, 1, b.n, out) + fwrite("x", 1, 1, out), b.n + 1);
    assert_int_equal(fclose(out), 0);
    check_both_refuse(in_folder("more"), BLM_E_IMAGE, "something was appended");
    free(b.p);
    blm_free(f);
}

/* A header longer than the first 4 KiB that are read: then the rest of it is read too. */
static void long_headers_are_read_whole(void **state)
{
    static forge w;
    static uint8_t cells[64] = {1}, tag[60000];
    static const size_t sizes[] = {3900, 3960, 3961, 3962, 4100, 20000, 60000};
    (void)state;
    for (size_t i = 0; i < COUNT(sizes); i++) {
        blm_filter *f = NULL;
        begin_standard(&w, cells, 1);
        say_tag(&w, 9, 1, tag, sizes[i]);
        const blob b = finish(&w);
        put_file(in_folder("long"), b.p, b.n);
        OK(blm_map(&f, in_folder("long"), BLM_OPEN(.check = BLM_CHECK_ALL), &why));
        blm_free(f);
        OK(blm_read(&f, in_folder("long"), NULL, &why));
        blm_free(f);
        put_file(in_folder("long"), b.p, 5000 < w.n ? 5000 : w.n - 1);
        check_both_refuse(in_folder("long"), BLM_E_IMAGE, "ends inside its header");
        free(b.p);
    }
}

/* A prelude that speaks of 4 GiB of header, before enough bytes to follow it past any room for it. */
static void headers_without_end_are_refused(void **state)
{
    static uint8_t bytes[200000];
    static forge w;
    static uint8_t cells[64] = {1};
    (void)state;
    begin_standard(&w, cells, 1);
    const blob b = finish(&w);
    memcpy(bytes, b.p, b.n);
    write_le(bytes + 12, 4, UINT32_MAX);
    put_file(in_folder("endless"), bytes, sizeof bytes);
    check_both_refuse(in_folder("endless"), BLM_E_IMAGE, "");
    free(b.p);
}

/* ---- chunks that are damaged --------------------------------------------------------------------------------- */

/* 200,000 bytes of cells are four chunks; one byte of the third one is wrong. A query that reads it reports
 * the damage, a query elsewhere gets its answer. */
static void damage_is_found_where_it_is_touched(void **state)
{
    blm_filter *f = made_new(BLM_CONFIG(.kind = "blocked", .bits = 1600000 / 512 * 512, .hashes = 4,
                                        .keys = 1000)),
               *m = NULL;
    unsigned sound = 0, damaged = 0, members = 0;
    (void)state;
    add_run(f, 0, 1000);
    blob b = image_of(f);
    b.p[4096 + 2 * 65536 + 1000] ^= 0x10; /* cells start at the second page */
    put_file(in_folder("hurt.blm"), b.p, b.n);
    REFUSED(blm_map(&m, in_folder("hurt.blm"), BLM_OPEN(.check = BLM_CHECK_ALL), &why), BLM_E_IMAGE,
            "checksum 3 of 4 differs");
    REFUSED(blm_read(&m, in_folder("hurt.blm"), NULL, &why), BLM_E_IMAGE,
            "checksum 3 of 4 differs");
    OK(blm_map(&m, in_folder("hurt.blm"), BLM_OPEN(.check = BLM_CHECK_TOUCHED), &why));
    for (uint64_t key = 0; key < 4000; key++) {
        const blm_item it = blm_item_u64(m, key, BLM_NO_ARG);
        blm_touch t[4];
        assert_int_equal(blm_touched(m, &it, t, 4), 4);
        bool hurt = false; /* a cell may have 8 bytes, and end in the next chunk */
        for (unsigned i = 0; i < 4; i++)
            hurt = hurt || t[i].byte >> 16 == 2 || (t[i].byte + 7) >> 16 == 2;
        if (hurt) {
            REFUSED(blm_check_item(m, &it, &why), BLM_E_IMAGE, "checksum 3 of 4 differs");
            assert_true(blm_has_item(m, &it) && blm_has_u64(m, key)); /* in doubt: maybe */
            damaged++;
        } else {
            assert_int_equal(blm_check_item(m, &it, &why), BLM_OK);
            assert_int_equal(blm_has_item(m, &it), blm_has_u64(f, key));
            sound++, members += blm_has_u64(f, key);
        }
    }
    assert_true(damaged > 1000 && sound > 2000 && members < 1200);
    blm_hash h[64];
    uint8_t yes[64];
    for (uint64_t i = 0; i < 64; i++) h[i] = blm_hash_u64(m, i + 2000);
    blm_has_many(m, h, NULL, 64, yes); /* batches look as well */
    for (uint64_t i = 0; i < 64; i++) assert_int_equal(yes[i], blm_has_hash(m, h[i]));
    blm_free(m);
    OK(blm_map(&m, in_folder("hurt.blm"), BLM_OPEN(.check = BLM_CHECK_NONE), &why));
    assert_int_equal(blm_has_u64(m, 123456789),
                     blm_has_u64(f, 123456789)); /* as it stands, unasked */
    blm_filter *copy = NULL;
    REFUSED(blm_copy(&copy, m, &why), BLM_E_IMAGE,
            "number of ones"); /* nothing is made from it, though */
    REFUSED(blm_fold(&copy, m, 1, &why), BLM_E_IMAGE, "number of ones");
    REFUSED(blm_merge(f, m, &why), BLM_E_IMAGE, "number of ones");
    blm_free(m);
    free(b.p);
    blm_free(f);
}

/* One probe in two chunks, the second one damaged. A cell has up to 8 bytes, so the last 7 bytes of the first
 * chunk are in doubt as well, and not one more. */
static void doubt_begins_seven_bytes_before(void **state)
{
    static const uint64_t places[] = {0, 65527, 65528, 65529, 65535, 65536, 131071};
    blm_filter *f = made_new(
                   BLM_CONFIG(.kind = "standard", .bits = 131072 * 8, .hashes = 1, .keys = 9)),
               *v = NULL;
    blob b = image_of(f);
    (void)state;
    OK(blm_view(&v, b.p, b.n, BLM_OPEN(.check = BLM_CHECK_TOUCHED), &why));
    for (size_t i = 0; i < COUNT(places); i++) {
        blm_item it = {{0, 0}, NULL, 8, BLM_NO_ARG};
        b.p[4096 + 65536 + 5] =
            0; /* sound: nothing is in doubt, and nothing is read past the last sum */
        while (blm_place(it.h, 0, 131072 * 8) / 8 != places[i]) it.h.lo++; /* one in 131072 */
        const blm_err want = places[i] < 65529 ? BLM_OK : BLM_E_IMAGE;
        assert_int_equal(blm_check_item(v, &it, NULL), BLM_OK);
        b.p[4096 + 65536 + 5] = 1;
        assert_int_equal(blm_check_item(v, &it, NULL), want);
        assert_int_equal(blm_has_item(v, &it), want != BLM_OK);
    }
    blm_free(v);
    blm_free(f);
    free(b.p);
}

/* ---- limits -------------------------------------------------------------------------------------------------- */

static void limits_of_the_opener(void **state)
{
    blm_filter *f = made("standard bits=512b hashes=3 keys=60"), *g = NULL;
    (void)state;
    add_run(f, 0, 60);
    const blob b = image_of(f);
    const double fill = info_of(f).fill;
    put_file(in_folder("f.blm"), b.p, b.n);
    OK(blm_load(&g, b.p, b.n, BLM_OPEN(.max_bytes = b.n), &why));
    blm_free(g);
    REFUSED(blm_load(&g, b.p, b.n, BLM_OPEN(.max_bytes = b.n - 1), &why), BLM_E_ARG,
            "the limit is");
    REFUSED(blm_map(&g, in_folder("f.blm"), BLM_OPEN(.max_bytes = 100), &why), BLM_E_ARG,
            "the limit is 100");
    OK(blm_load(&g, b.p, b.n, BLM_OPEN(.max_fill = fill), &why));
    blm_free(g);
    REFUSED(blm_load(&g, b.p, b.n, BLM_OPEN(.max_fill = fill - 1e-9), &why), BLM_E_POLLUTED,
            "the limit is");
    REFUSED(blm_map(&g, in_folder("f.blm"), BLM_OPEN(.max_fill = 0.1), &why), BLM_E_POLLUTED,
            "the limit is 0.1");
    REFUSED(blm_load(&g, b.p, b.n, &(blm_open_options){.size = 1}, &why), BLM_E_ARG,
            "blm_open_options of 1 bytes");
    REFUSED(blm_load(&g, b.p, b.n, &(blm_open_options){.size = 4097}, &why), BLM_E_ARG,
            "blm_open_options of 4097 bytes");
    union {
        blm_open_options how;
        uint8_t room[4096];
    } newer = {.how = {.size = 4096}}; /* a caller of a later version */
    OK(blm_load(&g, b.p, b.n, &newer.how, &why));
    blm_free(g);
    blm_open_options older = {.size = offsetof(blm_open_options, without_secret),
                              .max_bytes = 1}; /* knows no limit yet */
    OK(blm_load(&g, b.p, b.n, &older, &why));
    blm_free(g);
    free(b.p);
    blm_free(f);
}

static void overfill_is_the_openers_wish(void **state)
{
    blm_filter *f = made("standard keys=50 fpr=1%");
    (void)state;
    add_run(f, 0, 50);
    const blob b = image_of(f);
    for (unsigned over = 0; over < 2; over++) {
        blm_filter *g = NULL;
        blm_err err = BLM_OK;
        OK(blm_load(&g, b.p, b.n, BLM_OPEN(.overfill = over), &why));
        assert_int_equal(info_of(g).overfill, over);
        for (uint64_t i = 0; i < 500 && !err; i++) err = blm_add_u64(g, i);
        assert_int_equal(err, over ? BLM_OK : BLM_E_FULL);
        blm_free(g);
    }
    free(b.p);
    blm_free(f);
}

/* At any address, to the byte. */
static void views_at_any_address(void **state)
{
    static const char *const specs[] = {"standard bits=1000b hashes=3 keys=9",
                                        "blocked bits=1024b hashes=3 keys=9",
                                        "counting bits=1001b hashes=3 keys=9 width=7"};
    (void)state;
    for (size_t i = 0; i < COUNT(specs); i++) {
        blm_filter *f = made(specs[i]);
        add_run(f, 0, 9);
        const blob b = image_of(f);
        for (size_t at = 0; at < 9; at++) {
            blm_filter *v = NULL;
            uint8_t *moved = malloc(at + b.n);
            assert_non_null(moved);
            memcpy(moved + at, b.p, b.n);
            OK(blm_view(&v, moved + at, b.n, BLM_OPEN(.check = BLM_CHECK_ALL), &why));
            assert_true(blm_equal(f, v) && has_run(v, 0, 9));
            blm_free(v);
            free(moved);
        }
        free(b.p);
        blm_free(f);
    }
}

/* A mapped filter above 64 MiB is not read through to say what it is: theory stands in. */
static void info_of_a_large_map_reads_no_cells(void **state)
{
    static forge w;
    const uint64_t size = UINT64_C(65) << 20;
    const char *path = in_folder("large.blm");
    blm_filter *m = NULL;
    (void)state;
    begin_standard(&w, NULL, 0);
    w.n -= 8 + 1 + 8 + 1;
    say(&w, 8, size * 8);
    say(&w, 1, 3);
    say(&w, 8,
        size * 2); /* a quarter of the bits, it says; the cells of the sparse file are zero */
    say(&w, 1, 16);
    const uint64_t whole = 4096 + size + size / 65536 * 8;
    write_le(w.head + 12, 4, w.n - 32);
    write_le(w.head + 16, 8, whole);
    seal(w.head);
    put_file(path, w.head, w.n);
    assert_int_equal(truncate(path, (off_t)whole), 0);
    OK(blm_map(&m, path, NULL, &why));
    const blm_info i = info_of(m);
    assert_true(i.fill == 0.25 && i.bits == size * 8);
    NEAR(i.fpr_now.high, pow(0.25, 3), 1e-5);
    assert_false(blm_has(m, "x", 1));
    blm_free(m);
    OK(blm_map(&m, path, BLM_OPEN(.check = BLM_CHECK_TOUCHED), &why));
    assert_true(blm_has(m, "x", 1)); /* its sums are zero: no chunk is sound */
    blm_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(written_is_read_and_mapped),
        TEST(mappings_end_with_the_filter),
        TEST(mapped_filters_are_read_only),
        TEST(existing_paths_are_refused),
        TEST(modes_are_kept),
        TEST(the_target_of_a_link_is_replaced),
        TEST(taken_names_are_stepped_over),
        TEST(bare_names_work),
        TEST(places_where_no_file_can_be),
        TEST(files_that_are_no_images),
        TEST(cut_and_lengthened_files),
        TEST(long_headers_are_read_whole),
        TEST(headers_without_end_are_refused),
        TEST(damage_is_found_where_it_is_touched),
        TEST(doubt_begins_seven_bytes_before),
        TEST(limits_of_the_opener),
        TEST(overfill_is_the_openers_wish),
        TEST(views_at_any_address),
        TEST(info_of_a_large_map_reads_no_cells),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
