/* open.c - images for the verbs: mapped when they are files, read whole when they come by a pipe. */
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "image/image.h"

#define SMALL                                                                                      \
    ((uint64_t)64 << 20) /* checked whole before it is asked; larger ones where they are read */
#define ALMOST_FULL 0.9
#define HEAD        32 /* bytes that tell an image and its length */

static bool file_is_image(const char *path)
{
    struct stat st;
    char head[32];
    if (stat(path, &st) || !S_ISREG(st.st_mode)) return false;
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    const ssize_t n = fd < 0 ? -1 : read(fd, head, sizeof head);
    if (fd >= 0) close(fd);
    return n > 0 && is_image(head, (size_t)n);
}

bool image_is_small(const char *path)
{
    struct stat st;
    return stat(path, &st) || !S_ISREG(st.st_mode) || (uint64_t)st.st_size < SMALL;
}

bool one_pipe(const settings *s)
{
    const bool takes_words = strstr(s->verb->usage, "KEY");
    bool twice = s->operands == 1;
    if (strcmp(s->operand[0], "-") != 0) return false;
    for (size_t i = 1; i < s->operands && !(takes_words && keys_are_words(s)); i++)
        twice = twice || strcmp(s->operand[i], "-") == 0;
    if (twice)
        complain("-: the filter is read from standard input, so name %s",
                 takes_words ? "the KEYs, or INPUT files with -i" : "the INPUT files");
    return twice;
}

ending each_file(const settings *s, ending (*one)(const settings *s, const char *path))
{
    ending worst = END_YES;
    size_t pipes = 0;
    for (size_t i = 0; i < s->operands; i++) pipes += strcmp(s->operand[i], "-") == 0;
    if (pipes > 1)
        return trouble("-: given %zu times, but standard input can hold only one image", pipes);
    for (size_t i = 0; i < s->operands && !out_failed(); i++) {
        const ending end = one(s, s->operand[i]);
        if (end > worst) worst = end;
    }
    return worst;
}

/* ---- whole images in memory ----------------------------------------------------------------------- */

ssize_t image_bytes(int fd, void *to, size_t room)
{
    char *p = to;
    size_t used = 0;
    while (used < room) {
        const ssize_t n = read(fd, p + used, room - used);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return n;
        if (n == 0) break;
        used += (size_t)n;
    }
    return (ssize_t)used;
}

/* The head says how long the image is, and so much is read, and one byte to see whether there are more. What is no
 * image is not read at all: whoever checks the few bytes says why. */
static ending read_all(int fd, const char *path, uint64_t ram, void **bytes, size_t *length)
{
    char head[HEAD], needs[32], may[32];
    uint64_t size = 0;
    const ssize_t first = image_bytes(fd, head, HEAD);
    if (first < 0) return trouble("%s: %s", path, strerror(errno));
    if (blm_image_size(head, (size_t)first, &size, NULL) != BLM_OK || size < HEAD)
        size = (uint64_t)first;
    if (size > ram)
        return trouble("%s: the image has %s, but --ram leaves only %s for it; use a larger --ram, "
                       "or a file instead of a pipe",
                       path, text_bytes(needs, size), text_bytes(may, ram));
    char *p = malloc((size_t)size + 1);
    if (!p) return trouble("%s: no memory for its image of %s", path, text_bytes(needs, size));
    memcpy(p, head, (size_t)first);
    const ssize_t rest = size > (uint64_t)first
                             ? image_bytes(fd, p + first, (size_t)(size - (uint64_t)first) + 1)
                             : 0;
    if (rest < 0) {
        free(p);
        return trouble("%s: %s", path, strerror(errno));
    }
    *bytes = p;
    *length = (size_t)first + (size_t)rest;
    return END_YES;
}

static ending map_all(int fd, const char *path, uint64_t size, image *im)
{
    if (size > SIZE_MAX / 2) return trouble("%s: too large for this machine", path);
    void *p = mmap(NULL, (size_t)size, PROT_READ, MAP_SHARED, fd, 0);
    if (p == MAP_FAILED) return trouble("%s: %s", path, strerror(errno));
    im->bytes = p;
    im->length = (size_t)size;
    im->is_map = true;
    return END_YES;
}

/* The bytes of a file or of a pipe. `map`: a file may be mapped. */
static ending bytes_open(image *im, const settings *s, const char *path, bool map)
{
    struct stat st;
    const uint64_t ram = input_ram(s);
    const bool pipe = strcmp(path, "-") == 0;
    if (!ram) return END_TROUBLE;
    const int fd = pipe ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0 || fstat(fd, &st)) return trouble("%s: %s", path, strerror(errno));
    ending end;
    if (S_ISDIR(st.st_mode))
        end = trouble("%s: is a directory, not a filter", path);
    else if (isatty(fd))
        end = trouble("%s: a filter cannot be read from a terminal; pipe it in", path);
    else if (map && S_ISREG(st.st_mode) && st.st_size > 0 && !pipe)
        end = map_all(fd, path, (uint64_t)st.st_size, im);
    else
        end = read_all(fd, path, ram, &im->bytes, &im->length);
    if (!pipe) close(fd);
    im->file_bytes = im->length;
    return end;
}

/* ---- opening -------------------------------------------------------------------------------------- */

/* The word that is the image, where FILE is not; or NULL. */
static const char *misplaced(const settings *s, const char *path)
{
    const bool files_only = !strstr(s->verb->usage, "INPUT") && !strstr(s->verb->usage, "KEY");
    for (size_t i = s->files ? s->files : 1; i < s->operands && !files_only; i++)
        if (strcmp(s->operand[i], path) != 0 && file_is_image(s->operand[i])) return s->operand[i];
    return s->list && file_is_image(s->list) ? s->list : NULL;
}

/* The program that unpacks a file of this name, or NULL. */
static const char *unpacker(const char *path)
{
    static const struct {
        const char *suffix, *program;
    } known[] = {{".gz", "gzip"}, {".zst", "zstd"}, {".xz", "xz"}};
    const size_t n = strlen(path);
    for (size_t i = 0; i < COUNT_OF(known); i++) {
        const size_t tail = strlen(known[i].suffix);
        if (n > tail && strcmp(path + n - tail, known[i].suffix) == 0) return known[i].program;
    }
    return NULL;
}

/* The likeliest slip: FILE and INPUT in each other's place. Some verbs have images only. */
ending image_refused(const settings *s, const char *path, blm_err err, const blm_report *why)
{
    const ending end = complain_why(path, err, why);
    const char *usage = s->verb->usage;
    const bool reads_keys = strstr(usage, "INPUT") || strstr(usage, "KEY") || s->list;
    if (err == BLM_E_KEY && !s->secret.key)
        complain("%s: this filter needs its secret key: --key FILE", path);
    if (err == BLM_E_IMAGE && unpacker(path))
        complain("compressed filters are not unpacked: %s -dc %s | bloomery %s - ...",
                 unpacker(path), path, s->verb->name);
    if ((err != BLM_E_IMAGE && err != BLM_E_IO) || !reads_keys || file_is_image(path)) return end;
    const char *image_path = misplaced(s, path);
    if (image_path)
        complain("%s is a filter, and FILE must come first; did you swap the two?", image_path);
    return end;
}

ending image_seed(const image *im, const settings *s, const char *path)
{
    if (!s->hash.seeded || im->info.seed == s->hash.seed) return END_YES;
    complain("%s: seed differs: --seed %" PRIu64 " was given, but the filter has %" PRIu64
             "; members cannot be hashed again, so build it with that seed",
             path, s->hash.seed, im->info.seed);
    return END_UNLIKE;
}

void image_describe(image *im)
{
    blm_kind_info kind;
    blm_info_of(im->f, &im->info);
    if (blm_kind_named(im->info.kind, &kind)) {
        im->integers = kind.integers;
        im->looks_inside = kind.bytes;
    }
}

static bool comes_by_pipe(const char *path)
{
    struct stat st;
    return strcmp(path, "-") == 0 ||
           (stat(path, &st) == 0 && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode));
}

ending image_open(image *im, const settings *s, const char *path, blm_check check,
                  bool without_secret)
{
    secret key;
    blm_report why = {BLM_OK, ""};
    blm_err err;
    *im = (image){.f = NULL};
    ending end = secret_load(&key, s);
    if (end) return end;
    const uint8_t *bytes = key.given ? key.bytes : NULL;
    if (comes_by_pipe(path)) {
        end = bytes_open(im, s, path, false);
        if (end) return end;
        err = blm_view(
            &im->f, im->bytes, im->length,
            BLM_OPEN(.secret = bytes, .without_secret = without_secret, .check = BLM_CHECK_ALL),
            &why);
    } else {
        struct stat st;
        if (stat(path, &st) == 0) im->file_bytes = (uint64_t)st.st_size;
        err = blm_map(&im->f, path,
                      BLM_OPEN(.secret = bytes, .without_secret = without_secret, .check = check),
                      &why);
    }
    secret_wipe(&key);
    if (err) {
        stream in;
        blm_stream_info look;
        image_close(im);
        im->is_stream = err == BLM_E_IMAGE && s->open.streams && stream_peek(path, &in, &look);
        return im->is_stream ? END_UNSOUND : image_refused(s, path, err, &why);
    }
    image_describe(im);
    return END_YES;
}

ending image_verify(image *im, const settings *s, const char *path)
{
    secret key;
    blm_report why = {BLM_OK, ""};
    *im = (image){.f = NULL};
    ending end = secret_load(&key, s);
    if (!end) end = bytes_open(im, s, path, true);
    if (end) return end;
    blm_err err = blm_verify_image(im->bytes, im->length, &why);
    if (!err)
        err = blm_view(&im->f, im->bytes, im->length,
                       BLM_OPEN(.secret = key.given ? key.bytes : NULL), &why);
    secret_wipe(&key);
    if (err) {
        image_close(im);
        return image_refused(s, path, err, &why);
    }
    image_describe(im);
    return END_YES;
}

void image_close(image *im)
{
    blm_free(im->f);
    if (im->is_map)
        munmap(im->bytes, im->length);
    else
        free(im->bytes);
    *im = (image){.f = NULL};
}

/* ---- warnings --------------------------------------------------------------------------------------- */

void warn_full(const image *im, const char *path)
{
    if (im->info.fill >= ALMOST_FULL && im->info.fpr_now.high > 0.5)
        complain("%s: %.1f %% of its cells are set: it answers maybe to almost every key", path,
                 im->info.fill * 100);
}

void warn_capacity(const blm_info *plan, const blm_filter *now, double surely_inside, bool *warned)
{
    if (*warned || surely_inside <= (double)plan->capacity) return;
    if (plan->clock) return; /* most of them may have expired: its fill is what counts */
    if (blm_inner(now, plan->children)) return; /* it has taken more room by itself */
    blm_kind_info kind;
    const bool misses = !(plan->promises & BLM_NO_MISS) && blm_kind_named(plan->kind, &kind) &&
                        kind.misses; /* it forgets instead of filling */
    *warned = true;
    if (misses)
        complain("warning: past 100 %% of its capacity of %" PRIu64
                 " key%s; from now on, more of the older keys are missed than planned",
                 plan->capacity, plural(plan->capacity));
    else
        complain("warning: past 100 %% of its capacity of %" PRIu64
                 " key%s; from now on, the rate is above %.3g",
                 plan->capacity, plural(plan->capacity), plan->fpr_target);
}
