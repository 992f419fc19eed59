/* faults.h - writes of images that are made to fail, are killed, or meet each other. */
#ifndef BLM_TESTS_FAULTS_H
#define BLM_TESTS_FAULTS_H
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <bloomery/bloomery.h>

/* ---- checks: a broken one is counted and said, the rest still runs ------------------------------ */
extern unsigned faults_checks, faults_broken;
#define CHECK(what) faults_check((what), #what, __FILE__, __LINE__)
bool faults_check(bool held, const char *what, const char *file, int line);

/* ---- the scene: a folder of its own with one path in it ----------------------------------------- */
extern char scene[64];      /* the folder                                             */
extern char scene_path[96]; /* the image in it                                        */
extern blm_filter *scene_old, *scene_new; /* two filters that differ                      */
void scene_begin(void);
void scene_end(void);

typedef struct before {
    const char *name;
    bool has_old; /* an older image lies at the path */
    blm_write_how how;
    bool update; /* read under the lock first */
} before;
#define BEFORES 4u
extern const before befores[BEFORES];
void scene_set(const before *b);
blm_err scene_write(const before *b, blm_report *why); /* the new image to the path */

#define SCENE_MODE 0640u   /* of the older image; umask is 0 */
unsigned scene_mode(void); /* of what is at the path         */

typedef enum content { NOTHING, THE_OLD, THE_NEW, BROKEN } content;
content scene_content(void); /* what a reader finds at the path */
unsigned scene_temps(void);  /* other files in the folder       */
void scene_drop_temps(void);
void scene_in_child(void (*what)(void)); /* in a process of its own; its broken checks count here */
unsigned open_files(void);               /* descriptors of this process     */

/* ---- wrap.c: the calls of the library, each of which can be made to fail ------------------------ */
typedef struct fault {
    unsigned at;     /* the call that fails, from 1; 0: none                               */
    int error;       /* its errno; 0: read and write move one byte only                    */
    bool nothing;    /* with error 0: no byte at all                                       */
    bool no_tmpfile; /* the folder is on a file system without nameless files              */
    unsigned
        refuse_chown; /* this many first calls of fchown are not permitted                    */
    unsigned born;    /* out: the mode that the last new file was made with                   */
    unsigned zero_at; /* before this call descriptor 0 is closed, so that it may get it     */
    unsigned calls;   /* out: how many there were                                           */
    const char *hit;  /* out: the name of the call that failed; NULL: none was met          */
} fault;
extern fault fault_now;

/* ---- the tests ----------------------------------------------------------------------------------- */
void test_fail(void);     /* every call fails in turn                      */
void test_read(void);     /* the same while reading                        */
void test_zero(void);     /* every file that is opened gets number 0       */
void test_kill(void);     /* the process dies at every system call         */
void test_together(void); /* readers and writers of one path               */
void test_full(void);     /* a disk, or a limit, that is full              */
void test_rights(void);   /* owner, group and mode of what is replaced     */
#endif
