/* open.c - ten lines: open a filter's file, ask for a key, close.
 *
 *     open FILE KEY       prints maybe (exit 0) or no (exit 1)
 */
#include <bloomery/bloomery.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv)
{
    blm_filter *f;
    blm_report why = {BLM_E_ARG, "open FILE KEY"};
    if (argc != 3 || blm_map(&f, argv[1], NULL, &why)) return fprintf(stderr, "%s\n", why.text), 2;
    const bool maybe = blm_has(f, argv[2], strlen(argv[2]));
    puts(maybe ? "maybe" : "no");
    blm_free(f);
    return !maybe;
}
