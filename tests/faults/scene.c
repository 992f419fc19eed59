/* scene.c - a folder of its own, an older image and a newer one. */
#define _GNU_SOURCE 1
#include <dirent.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "faults/faults.h"

char scene[64], scene_path[96];
blm_filter *scene_old, *scene_new;

const before befores[BEFORES] = {{"replace an older file", true, BLM_WRITE_REPLACE, false},
                                 {"replace, nothing there", false, BLM_WRITE_REPLACE, false},
                                 {"new file", false, BLM_WRITE_NEW, false},
                                 {"update an older file", true, BLM_WRITE_REPLACE, true}};

/* 100 KB: two chunks, several writes. The seed tells the two apart. */
static blm_filter *make_filter(uint64_t seed)
{
    blm_filter *f = NULL;
    if (blm_new(&f, BLM_CONFIG(.kind = "standard", .bits = 800000, .keys = 60000, .seed = seed),
                NULL))
        abort();
    for (uint64_t i = 0; i < 1000; i++)
        if (blm_add_u64(f, i)) abort();
    return f;
}

void scene_begin(void)
{
    umask(0);
    strcpy(scene, "faults.XXXXXX");
    if (!mkdtemp(scene)) abort();
    snprintf(scene_path, sizeof scene_path, "%s/keys.blm", scene);
    scene_old = make_filter(1);
    scene_new = make_filter(2);
}

static DIR *open_scene(void)
{
    DIR *d = opendir(scene);
    if (!d) abort();
    return d;
}

static bool is_temp(const char *name)
{
    return strcmp(name, ".") != 0 && strcmp(name, "..") != 0 && strcmp(name, "keys.blm") != 0;
}

unsigned scene_temps(void)
{
    unsigned n = 0;
    DIR *d = open_scene();
    for (const struct dirent *e; (e = readdir(d)) != NULL;) n += is_temp(e->d_name);
    closedir(d);
    return n;
}

void scene_drop_temps(void)
{
    DIR *d = open_scene();
    for (const struct dirent *e; (e = readdir(d)) != NULL;)
        if (is_temp(e->d_name)) unlinkat(dirfd(d), e->d_name, 0);
    closedir(d);
}

void scene_end(void)
{
    scene_drop_temps();
    unlink(scene_path);
    rmdir(scene);
    blm_free(scene_old);
    blm_free(scene_new);
}

void scene_set(const before *b)
{
    fault_now = (fault){.at = 0};
    unlink(scene_path);
    if (b->has_old && blm_write(scene_old, scene_path, BLM_WRITE_NEW, NULL)) abort();
    if (b->has_old && chmod(scene_path, SCENE_MODE)) abort();
}

blm_err scene_write(const before *b, blm_report *why)
{
    blm_update *u = NULL;
    blm_filter *f = NULL;
    if (!b->update) return blm_write(scene_new, scene_path, b->how, why);
    blm_err err = blm_update_begin(&u, &f, scene_path, NULL, why);
    if (!err) {
        CHECK(blm_equal(f, scene_old));
        err = blm_update_end(u, scene_new, why);
        blm_free(f);
    } else
        CHECK(!u && !f);
    return err;
}

unsigned scene_mode(void)
{
    struct stat st;
    return stat(scene_path, &st) == 0 ? st.st_mode & 07777 : 0;
}

content scene_content(void)
{
    blm_filter *f = NULL;
    if (access(scene_path, F_OK) != 0) return NOTHING;
    if (blm_read(&f, scene_path, NULL, NULL)) return BROKEN;
    const content c = blm_equal(f, scene_old)   ? THE_OLD
                      : blm_equal(f, scene_new) ? THE_NEW
                                                : BROKEN;
    blm_free(f);
    return c;
}

unsigned open_files(void)
{
    unsigned n = 0;
    DIR *d = opendir("/proc/self/fd");
    if (!d) abort();
    while (readdir(d)) n++;
    closedir(d);
    return n;
}

void scene_in_child(void (*what)(void))
{
    int status = 0;
    fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
        faults_broken = 0;
        what();
        fflush(stdout);
        _exit(faults_broken != 0);
    }
    CHECK(child > 0 && waitpid(child, &status, 0) == child);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}
