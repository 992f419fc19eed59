/* map.c - build from keys of unknown number, write, map, ask: ten lines on each side.
 *
 * The file is mapped, not read: 50 GB open in a millisecond, and many processes share one copy.
 */
#include <bloomery/bloomery.h>
#include <stdio.h>
#include <string.h>

static const char path[] = "example_map.blm";

static blm_err write_fruits(blm_report *why)
{
    static const char *const fruits[] = {"plum", "pear", "fig", "quince"};
    blm_builder *b;
    blm_filter *f;
    blm_err err = blm_builder_new(&b, BLM_CONFIG(.kind = "standard", .fpr = 1e-6), why);
    if (err) return err;
    for (size_t i = 0; i < sizeof fruits / sizeof *fruits && !err; i++)
        err = blm_builder_add(b, 0, fruits[i], strlen(fruits[i]), BLM_NO_ARG);
    if (err) return blm_builder_free(b), err;
    err = blm_build(&f, b, why);
    if (err) return err;
    err = blm_write(f, path, BLM_WRITE_REPLACE, why);
    blm_free(f);
    return err;
}

static blm_err ask(const char *fruit, blm_report *why)
{
    blm_filter *f;
    const blm_err err = blm_map(&f, path, BLM_OPEN(.check = BLM_CHECK_TOUCHED), why);
    if (err) return err;
    printf("%s: %s\n", fruit, blm_has(f, fruit, strlen(fruit)) ? "maybe" : "no");
    blm_free(f);
    return BLM_OK;
}

int main(void)
{
    blm_report why;
    if (write_fruits(&why) || ask("quince", &why) || ask("turnip", &why)) {
        fprintf(stderr, "%s\n", why.text);
        return 1;
    }
    return remove(path) != 0;
}
