/* rights.c - who may read and write a file that is replaced: not one user more than before. */
#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include "faults/faults.h"

enum { NOBODY = 65534 };

typedef struct rights {
    unsigned mode; /* before */
    unsigned kept; /* after, by whoever may give files away */
    unsigned without_owner,
        without_both; /* after, where the owner, or the group too, cannot be kept */
} rights;
static const rights cases[] = {{0644, 0644, 0644, 0604},  {0640, 0640, 0640, 0600},
                               {0666, 0666, 0664, 0604},  {0444, 0444, 0444, 0404},
                               {04755, 0755, 0755, 0705}, {06777, 0777, 0775, 0705}};

static struct stat look(void)
{
    struct stat st = {0};
    CHECK(stat(scene_path, &st) == 0);
    return st;
}

/* The temporary file is the writer's alone until it has the old file's owner, group and mode. */
static void replace_as(const rights *r, bool strange, bool no_tmpfile, unsigned refuse)
{
    const before *b = &befores[0];
    blm_report why = {BLM_OK, ""};
    scene_set(b);
    if (strange) CHECK(chown(scene_path, NOBODY, NOBODY) == 0);
    CHECK(chmod(scene_path, r->mode) == 0);
    const struct stat old = look();
    fault_now = (fault){.no_tmpfile = no_tmpfile, .refuse_chown = refuse};
    CHECK(scene_write(b, &why) == BLM_OK && scene_content() == THE_NEW);
    CHECK((fault_now.born & ~0600u) == 0);
    const bool refused = strange && refuse;
    fault_now = (fault){.at = 0};
    const struct stat now = look();
    const unsigned mode = now.st_mode & 07777;
    CHECK(mode == (!refused ? r->kept : refuse == 1 ? r->without_owner : r->without_both));
    CHECK((now.st_uid == old.st_uid) == !refused);
    CHECK((now.st_gid == old.st_gid) == !(refused && refuse == 2));
    CHECK(refused ? strstr(why.text, "cannot keep") && why.code == BLM_OK : !why.text[0]);
    CHECK(scene_temps() == 0);
}

void test_rights(void)
{
    const bool root = geteuid() == 0;
    for (unsigned i = 0; i < 2 * sizeof cases / sizeof *cases; i++) {
        replace_as(&cases[i / 2], false, i % 2, 0);
        for (unsigned refuse = 0; root && refuse <= 2; refuse++)
            replace_as(&cases[i / 2], true, i % 2, refuse);
    }
    printf("rights: files of one's own%s\n",
           root ? " and of others" : "; those of others need root, left out");
    scene_set(&befores[0]);
    fault_now = (fault){.at = 0};
    CHECK(scene_write(&befores[2], NULL) == BLM_E_IO); /* new: refused, the file is as it was */
    CHECK(scene_mode() == SCENE_MODE && scene_content() == THE_OLD);
}
