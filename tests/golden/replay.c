/* replay.c - goldens on this machine: read, asked, written again and made again.
 *   replay PATH...      without suffix; a line a golden, and "N passed, N failed"; 1 when one failed
 *
 * Links nothing but the library, so that it runs wherever that does.
 */
#include "golden/recipe.h"
#include <stdlib.h>
#include <string.h>

static int failed_because(const char *name, const char *what)
{
    printf("not ok - %s: %s\n", name, what);
    return 1;
}

static bool saves_as(const blm_filter *f, const golden_text *image)
{
    golden_text again = {0};
    const bool same = blm_save(f, golden_sink, &again, NULL) == BLM_OK &&
                      blm_saved_size(f) == image->length && again.length == image->length &&
                      memcmp(again.bytes, image->bytes, image->length) == 0;
    free(again.bytes);
    return same;
}

static bool answers_as(const char *name, const char *recipe, const blm_filter *f,
                       const golden_text *expected)
{
    golden_text now = {0};
    golden_answers(name, recipe, f, &now);
    const bool same = now.length == expected->length && strcmp(now.bytes, expected->bytes) == 0;
    free(now.bytes);
    return same;
}

/* Loaded (a copy) and viewed in place, at an odd address: each must answer and save alike. */
static int read_back(const char *name, const char *recipe, const golden_text *image,
                     const golden_text *answers)
{
    uint8_t room[16];
    blm_report why = {BLM_OK, ""};
    const uint8_t *secret = golden_secret(recipe, room);
    char *odd = malloc(image->length + 1);
    if (!odd) return failed_because(name, "no memory");
    memcpy(odd + 1, image->bytes, image->length);
    int failed = 0;
    for (int view = 0; view < 2 && !failed; view++) {
        blm_filter *f = NULL;
        const blm_open_options *how = BLM_OPEN(.secret = secret, .check = BLM_CHECK_ALL);
        if (view ? blm_view(&f, odd + 1, image->length, how, &why)
                 : blm_load(&f, image->bytes, image->length, how, &why))
            failed = failed_because(name, why.text);
        else if (!answers_as(name, recipe, f, answers))
            failed = failed_because(name, "it answers otherwise");
        else if (!saves_as(f, image))
            failed = failed_because(name, "written again, its bytes differ");
        blm_free(f);
    }
    free(odd);
    return failed;
}

/* The bytes come out again; or, where an older release made them, the newer golden's bytes do. */
static int make_again(const char *name, const char *recipe, const golden_text *image)
{
    char newer[200], path[1024];
    const char *base = strrchr(name, '/');
    golden_text now = {0};
    const bool older = golden_newer(recipe, newer);
    int failed = 0;
    if (older) /* in the folder of this one */
        snprintf(path, sizeof path, "%.*s%s", base ? (int)(base + 1 - name) : 0, name, newer);
    if (older && !golden_read(&now, path, ".blm"))
        failed = failed_because(name, "there is no newer golden of the name that it gives");
    if (!failed) {
        blm_filter *f = golden_make(name, recipe);
        if (older && saves_as(f, image))
            failed = failed_because(name, "made by older, but its bytes come out today");
        else if (!saves_as(f, older ? &now : image))
            failed = failed_because(name, "made again, its bytes differ");
        blm_free(f);
    }
    free(now.bytes);
    return failed;
}

static int replay(const char *name)
{
    golden_text recipe = {0}, image = {0}, answers = {0};
    int failed = 0;
    if (!golden_read(&recipe, name, ".recipe") || !golden_read(&image, name, ".blm") ||
        !golden_read(&answers, name, ".answers"))
        failed = failed_because(name, "its recipe, image or answers cannot be read");
    if (!failed) failed = read_back(name, recipe.bytes, &image, &answers);
    if (!failed) failed = make_again(name, recipe.bytes, &image);
    if (!failed) printf("ok - %s\n", name);
    free(recipe.bytes), free(image.bytes), free(answers.bytes);
    return failed;
}

int main(int argc, char **argv)
{
    int failed = 0;
    for (int i = 1; i < argc; i++) failed += replay(argv[i]);
    printf("%d passed, %d failed\n", argc - 1 - failed, failed);
    return failed || argc < 2;
}
