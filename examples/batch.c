/* batch.c - many keys at once: which of these were not there before?
 *
 *     cc batch.c $(pkg-config --cflags --libs bloomery)
 */
#include <bloomery/bloomery.h>
#include <stdio.h>
#include <string.h>

int main(void)
{
    static const char *const words[] = {"plum", "pear", "plum", "fig", "pear", "quince"};
    enum { WORDS = sizeof words / sizeof *words, NUMBERS = 1000 };
    blm_filter *f;
    blm_report why;
    blm_key key[WORDS];
    uint8_t fresh[WORDS], yes[NUMBERS];
    uint64_t number[NUMBERS];
    size_t inside = 0;

    if (blm_make(&f, "split-block keys=1e6 fpr=1%", &why))
        return fprintf(stderr, "%s\n", why.text), 1;

    /* A test-and-add: twins in one batch are found, too. */
    for (size_t i = 0; i < WORDS; i++) key[i] = (blm_key){words[i], strlen(words[i])};
    if (blm_add_many_keys(f, key, WORDS, fresh, NULL)) return 1;
    for (size_t i = 0; i < WORDS; i++)
        if (fresh[i]) printf("%s\n", words[i]);

    /* Numbers are their 8 bytes, little-endian, on every machine. */
    for (size_t i = 0; i < NUMBERS; i++) number[i] = i * i;
    if (blm_add_many_u64(f, number, NUMBERS / 2, NULL, NULL)) return 1;
    blm_has_many_u64(f, number, NUMBERS, yes);
    for (size_t i = 0; i < NUMBERS / 2; i++) inside += yes[i];
    printf("%zu of %d squares are inside\n", inside, NUMBERS / 2);
    blm_free(f);
    return 0;
}
