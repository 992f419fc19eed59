/* test_reader.c - reading that is stopped and goes on, as when a plan is full and lines are counted to the end:
 * no byte is lost, wherever it stopped. */
#define _DEFAULT_SOURCE /* usleep */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "input/organs.h"

/* The rest of the program: here nothing is printed, packed or sorted. */
bool out_pending(void) { return false; }
void out_flush(void) {}
char *block_keys(block *b) { return b->keys; }
void sorted_free(sorted *s) { s->shares = 0; }
size_t csv_cut(csv_state *st, char delimiter, const char *p, size_t from, size_t to)
{
    return st->at == delimiter && p ? to : from; /* no input here is CSV */
}
const char *csv_record_end(char delimiter, const char *p, const char *end, bool *open)
{
    *open = delimiter == *p;
    return end;
}
bool csv_column(char delimiter, const char *p, size_t n, const char *name, char *room,
                size_t *column, char why[WHY])
{
    return delimiter == *p && n && name && room && column && why;
}
void unpack_end(unpacking *u) { u->how = NULL; }
const char *text_bytes(char room[32], uint64_t bytes)
{
    snprintf(room, 32, "%llu bytes", (unsigned long long)bytes);
    return room;
}
const char *unpack_name(const unpacking *u) { return u->what; }
const packing *packing_of(const char *p, size_t n, bool *unsure)
{
    *unsure = !p || !n;
    return NULL;
}
bool unpack_start(unpacking *u, const packing *how, uint64_t ram, char why[WHY])
{
    return u->how == how && ram && why[0];
}
stepped unpack_step(unpacking *u, const char **in, size_t *in_left, bool last, char **out,
                    size_t *out_left)
{
    return u->how && *in && *in_left && last && *out && *out_left ? STEP_OK : STEP_DAMAGED;
}

typedef struct pipes {
    int in, wake[2]; /* in: we write, the reader reads */
    char path[32];
    const char *paths[1];
    format f;
    reader r;
    block b;
    bool got;
} pipes;

static void open_pipes(pipes *p)
{
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(pipe(p->wake), 0);
    snprintf(p->path, sizeof p->path, "/dev/fd/%d", ends[0]);
    p->paths[0] = p->path;
    p->in = ends[1];
    p->f = (format){.end = '\n'};
    p->r = (reader){.f = &p->f, .paths = p->paths, .npaths = 1, .longest = UINT64_MAX};
    p->b = (block){.bytes = NULL};
    assert_true(source_open(&p->r.src, p->path, p->b.why)); /* so that the first end can go */
    p->r.next = 1;
    p->r.first = true;
    p->r.src.wake = p->wake[0];
    p->r.src.halt = -1;
    close(ends[0]);
}

static void close_pipes(pipes *p)
{
    reader_close(&p->r);
    block_free(&p->b);
    close(p->wake[0]);
}

static void *next_block(void *arg)
{
    pipes *p = arg;
    p->got = reader_next(&p->r, &p->b);
    return NULL;
}

/* The reader waits for more, and nothing is left that it could have read. */
static void wait_until_read(const pipes *p)
{
    int left = 1;
    while (!ioctl(p->in, FIONREAD, &left) && left) usleep(1000);
    usleep(20000);
}

static void write_all(int fd, const char *p, size_t n)
{
    while (n) {
        const ssize_t went = write(fd, p, n);
        assert_true(went > 0);
        p += went;
        n -= (size_t)went;
    }
}

/* A record of which that many bytes came before the stop. */
static void stopped_inside(size_t before)
{
    pipes p;
    pthread_t thread;
    char *text = malloc(before + 5);
    assert_non_null(text);
    memset(text, 'x', before);
    memcpy(text + before, "end\n", 4);
    open_pipes(&p);
    assert_int_equal(pthread_create(&thread, NULL, next_block, &p), 0);
    write_all(p.in, text, before);
    wait_until_read(&p);
    close(p.wake[1]);
    pthread_join(thread, NULL);
    assert_false(p.got);
    p.r.src.wake = -1;
    write_all(p.in, text + before, 4);
    close(p.in);
    assert_true(reader_next(&p.r, &p.b));
    assert_int_equal(p.b.used, before + 4);
    assert_memory_equal(p.b.bytes, text, before + 4);
    assert_false(reader_next(&p.r, &p.b));
    close_pipes(&p);
    free(text);
}

static void a_begun_record_is_kept(void **state)
{
    (void)state;
    stopped_inside(1);
    stopped_inside(5000);
    stopped_inside(3 * BLOCK); /* its block has grown */
    stopped_inside(9 * BLOCK + 1);
}

/* Stopped between two reads of one block, the first of which brought a whole record. */
static void whole_records_go_out(void **state)
{
    pipes p;
    (void)state;
    open_pipes(&p);
    memcpy(p.r.src.raw, "one\ntw", 6); /* as if it had looked how the file is packed */
    p.r.src.used = 6;
    p.r.src.known = true;
    write_all(p.in, "o\n", 2);
    close(p.in);
    close(p.wake[1]);
    assert_true(reader_next(&p.r, &p.b));
    assert_int_equal(p.b.used, 4);
    assert_memory_equal(p.b.bytes, "one\n", 4);
    assert_false(reader_next(&p.r, &p.b)); /* stopped */
    p.r.src.wake = -1;
    assert_true(reader_next(&p.r, &p.b));
    assert_int_equal(p.b.used, 4);
    assert_memory_equal(p.b.bytes, "two\n", 4);
    assert_false(reader_next(&p.r, &p.b));
    close_pipes(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_begun_record_is_kept),
        cmocka_unit_test(whole_records_go_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
