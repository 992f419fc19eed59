/* folder.h - a folder of its own for each test of image files. */
#ifndef BLM_TESTS_FOLDER_H
#define BLM_TESTS_FOLDER_H
#if !defined(_GNU_SOURCE)
#define _GNU_SOURCE 1
#endif
#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>
#include "core/forge.h"

static char folder[256]; /* of the current test, empty at its start */

static inline const char *in_folder(const char *name)
{
    static char path[4][600];
    static unsigned turn;
    char *p = path[turn++ % COUNT(path)];
    snprintf(p, sizeof path[0], "%s/%s", folder, name);
    return p;
}

static inline int make_folder(void **state)
{
    const char *tmp = getenv("TMPDIR");
    (void)state;
    snprintf(folder, sizeof folder, "%.200s/bloomery-XXXXXX", tmp && *tmp ? tmp : P_tmpdir);
    return mkdtemp(folder) ? 0 : -1;
}

/* Files in the folder, hidden ones too. */
static inline unsigned files_there(void)
{
    unsigned n = 0;
    DIR *d = opendir(folder);
    assert_non_null(d);
    for (const struct dirent *e; (e = readdir(d));)
        n += strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0;
    closedir(d);
    return n;
}

static inline int drop_folder(void **state)
{
    DIR *d = opendir(folder);
    (void)state;
    if (!d) return -1;
    for (const struct dirent *e; (e = readdir(d));)
        if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0)
            if (unlink(in_folder(e->d_name)) != 0) rmdir(in_folder(e->d_name));
    closedir(d);
    return rmdir(folder);
}

static inline blm_filter *some(uint64_t n)
{
    blm_filter *f = made("standard keys=500 fpr=1%");
    add_run(f, 0, n);
    return f;
}

static inline mode_t mode_of(const char *path)
{
    struct stat st;
    assert_int_equal(stat(path, &st), 0);
    return st.st_mode & 07777;
}

static inline void put_file(const char *path, const void *p, size_t n)
{
    FILE *out = fopen(path, "wb");
    assert_non_null(out);
    assert_int_equal(fwrite(p, 1, n, out), n);
    assert_int_equal(fclose(out), 0);
}

static inline void check_holds(const char *path, const blm_filter *want)
{
    blm_filter *f = NULL;
    OK(blm_read(&f, path, NULL, &why));
    assert_true(blm_equal(f, want));
    blm_free(f);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, make_folder, drop_folder)
#endif
