/* first.c - ten lines: make, add, ask, free. */
#include <bloomery/bloomery.h>
#include <stdio.h>

int main(void)
{
    blm_filter *f;
    if (blm_make(&f, "blocked keys=1e6 fpr=0.1%", NULL)) return 1;
    if (blm_add(f, "plum", 4)) return 1;
    printf("plum: %s\n", blm_has(f, "plum", 4) ? "maybe" : "no");
    printf("pear: %s\n", blm_has(f, "pear", 4) ? "maybe" : "no");
    blm_free(f);
    return 0;
}
