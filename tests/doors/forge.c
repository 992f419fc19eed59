/* forge.c - images that the program itself would not write, with right checksums.
 *
 *     forge newer IN OUT          the same image, but of format 2
 *     forge sparse IN OUT BYTES   IN, an empty image of kind standard, with BYTES bytes of zero cells
 *                                 that take no room on the disk
 *     forge form IN OUT TEXT      the form of IN's keys, the last tag of its header, is TEXT: as long as before
 *
 * Written from the description of the format, not from the library's code.
 */
#define _POSIX_C_SOURCE 200809L
#define XXH_INLINE_ALL
#include <xxhash.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CHUNK 65536u

static uint64_t get(const unsigned char *p, unsigned width)
{
    uint64_t v = 0;
    for (unsigned i = width; i-- > 0;) v = v << 8 | p[i];
    return v;
}

static void put(unsigned char *p, unsigned width, uint64_t v)
{
    for (unsigned i = 0; i < width; i++) p[i] = (unsigned char)(v >> 8 * i);
}

static int fail(const char *what)
{
    perror(what);
    return 1;
}

/* The header's checksum is taken with its own word, at byte 24, zero. */
static void repair(unsigned char *p, size_t head)
{
    put(p + 24, 8, 0);
    put(p + 24, 8, XXH3_64bits_withSeed(p, head, 0));
}

static int write_sums(int fd, uint64_t cells_at, uint64_t bytes)
{
    static const unsigned char zeros[CHUNK];
    const uint64_t n = bytes / CHUNK;
    unsigned char *sums = malloc((size_t)n * 8);
    if (!sums) return -1;
    for (uint64_t i = 0; i < n; i++) put(sums + i * 8, 8, XXH3_64bits_withSeed(zeros, CHUNK, i));
    const ssize_t went = pwrite(fd, sums, (size_t)n * 8, (off_t)(cells_at + bytes));
    free(sums);
    return went == (ssize_t)(n * 8) ? 0 : -1;
}

/* kind, version 2, hash, then seed 8, key check 8, adds 8, capacity 8, rate 8, lost 4, then the
 * fields of standard: cells 8, hashes 1, ones 8. Cells of a page and more begin at a page. */
static int sparse(unsigned char *p, size_t head, const char *out, uint64_t bytes)
{
    const size_t kind = 32, hash = kind + 1 + p[kind] + 2, numbers = hash + 1 + p[hash];
    const size_t fields = numbers + 5 * 8 + 4;
    const uint64_t cells_at = (head + 4095) / 4096 * 4096;
    if (p[kind] != 8 || memcmp(p + kind + 1, "standard", 8) != 0 || bytes % CHUNK ||
        get(p + fields + 9, 8) != 0) {
        fputs("sparse wants an empty image of kind standard, and whole chunks\n", stderr);
        return 1;
    }
    put(p + fields, 8, bytes * 8);
    put(p + 16, 8, cells_at + bytes + bytes / CHUNK * 8);
    repair(p, head);
    const int fd = open(out, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    if (fd < 0 || pwrite(fd, p, head, 0) != (ssize_t)head || write_sums(fd, cells_at, bytes))
        return fail(out);
    return close(fd) ? fail(out) : 0;
}

int main(int argc, char **argv)
{
    static unsigned char image[1 << 20];
    FILE *in = argc > 3 ? fopen(argv[2], "rb") : NULL;
    const size_t n = in ? fread(image, 1, sizeof image, in) : 0;
    if (n < 32 || n == sizeof image) return fail("forge newer|sparse|form IN OUT [BYTES|TEXT]: IN");
    const size_t head = 32 + (size_t)get(image + 12, 4);
    if (strcmp(argv[1], "sparse") == 0)
        return argc > 4 ? sparse(image, head, argv[3], strtoull(argv[4], NULL, 10)) : 1;
    if (strcmp(argv[1], "form") == 0 && argc > 4)
        memcpy(image + head - strlen(argv[4]), argv[4], strlen(argv[4]));
    else
        put(image + 8, 2, 2);
    repair(image, head);
    FILE *out = fopen(argv[3], "wb");
    return out && fwrite(image, 1, n, out) == n && fclose(out) == 0 ? 0 : fail(argv[3]);
}
