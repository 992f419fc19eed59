/* make.c - goldens out of their recipes: PATH.recipe -> PATH.blm and PATH.answers.
 *   make PATH...        refuses one whose image is there: goldens are added, never changed
 */
#include "golden/recipe.h"
#include <stdlib.h>

static int write_new(const char *golden, const char *suffix, const golden_text *t)
{
    char path[1024];
    snprintf(path, sizeof path, "%s%s", golden, suffix);
    FILE *file = fopen(path, "wbx");
    if (!file) return fprintf(stderr, "%s is there, or cannot be made\n", path), 1;
    const size_t wrote = fwrite(t->bytes, 1, t->length, file);
    return fclose(file) != 0 || wrote != t->length;
}

static int make(const char *name)
{
    golden_text recipe = {0}, image = {0}, answers = {0};
    blm_report why;
    if (!golden_read(&recipe, name, ".recipe")) return fprintf(stderr, "%s: no recipe\n", name), 1;
    blm_filter *f = golden_make(name, recipe.bytes);
    golden_answers(name, recipe.bytes, f, &answers);
    int failed = blm_save(f, golden_sink, &image, &why) != BLM_OK;
    if (!failed) failed = write_new(name, ".blm", &image);
    if (!failed) failed = write_new(name, ".answers", &answers);
    if (!failed) printf("%s: %zu bytes\n", name, image.length);
    blm_free(f);
    free(recipe.bytes), free(image.bytes), free(answers.bytes);
    return failed;
}

int main(int argc, char **argv)
{
    int failed = argc < 2;
    for (int i = 1; i < argc; i++) failed |= make(argv[i]);
    return failed;
}
