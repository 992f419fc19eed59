/* count.c - a set that also shrinks: count, delete, and what happens at the ceiling. */
#include <bloomery/bloomery.h>
#include <stdio.h>

static void show(const blm_filter *f, const char *when)
{
    blm_estimate n;
    if (blm_count(f, "plum", 4, &n)) return;
    printf("%s: %s%.0f\n", when, n.bound ? "at least " : "", n.value);
}

int main(void)
{
    blm_filter *f;
    if (blm_make(&f, "counting keys=1000 fpr=1% width=4", NULL)) return 1;
    for (int i = 0; i < 3; i++)
        if (blm_add(f, "plum", 4)) return 1;
    show(f, "three times");
    blm_del(f, "plum", 4);
    show(f, "one less");
    if (blm_del(f, "pear", 4) == BLM_E_ABSENT)
        puts("pear: certainly not in the set, nothing changed");
    for (int i = 0; i < 20; i++)
        if (blm_add(f, "plum", 4)) return 1;
    show(f, "twenty more");
    blm_free(f);
    return 0;
}
