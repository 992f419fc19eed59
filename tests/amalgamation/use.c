/* use.c - every kind of the library, by its table: built, written, mapped, asked. C11 and C++17.
 *   use FOLDER      leaves FOLDER/KIND.blm, and prints how many kinds there were
 */
#include USE_HEADER
#ifndef BLOOMERY_INLINE_H /* of the two files, the header has it already */
#include <bloomery/inline.h>
#endif
#include <stdio.h>

#define MEMBERS 1000u

static void key_of(uint64_t n, unsigned char key[8])
{
    for (unsigned i = 0; i < 8; i++) key[i] = (unsigned char)(n >> 8 * i);
}

static blm_err build(const char *kind, const char *path, blm_report *why)
{
    blm_config wish;
    blm_builder *b = NULL;
    blm_filter *f = NULL;
    blm_config_init(&wish);
    wish.kind = kind;
    wish.fpr = 0.01;
    blm_err err = blm_builder_new(&b, &wish, why);
    for (uint64_t i = 0; !err && i < MEMBERS; i++) {
        unsigned char key[8];
        key_of(i, key);
        err = blm_builder_add(b, 0, key, sizeof key, BLM_NO_ARG);
    }
    if (err) return err;
    err = blm_build(&f, b, why);
    if (err) return err;
    err = blm_write(f, path, BLM_WRITE_REPLACE, why);
    blm_free(f);
    return err;
}

/* Members that answer no, by a call or by a lens; all of them when it cannot be opened. */
static unsigned missing(const char *path, blm_report *why)
{
    blm_filter *f = NULL;
    unsigned lost = 0;
    if (blm_map(&f, path, NULL, why)) return MEMBERS;
    for (uint64_t i = 0; i < MEMBERS; i++) lost += !blm_has_u64(f, i);
    blm_lens lens;
    const bool has_one = blm_lens_of(f, &lens);
    for (uint64_t i = 0; has_one && i < MEMBERS; i++) lost += !blm_lens_has_u64(&lens, i);
    blm_free(f);
    return lost;
}

int main(int argc, char **argv)
{
    blm_kind_info k;
    blm_report why = {BLM_OK, ""};
    size_t kinds = 0;
    for (; argc == 2 && blm_kind_at(kinds, &k); kinds++) {
        char path[512];
        snprintf(path, sizeof path, "%s/%s.blm", argv[1], k.name);
        const unsigned lost = build(k.name, path, &why) ? MEMBERS : missing(path, &why);
        if (lost && !k.misses) {
            fprintf(stderr, "%s: %u of %u are missing: %s\n", k.name, lost, MEMBERS, why.text);
            return 1;
        }
    }
    printf("%s %u kinds\n", blm_version(), (unsigned)kinds);
    return kinds == 0;
}
