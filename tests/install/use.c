/* use.c - a user's program, C11 and C++17: a filter made, asked, saved and read back; prints the
 * version of the library that it runs with. */
#include <bloomery/bloomery.h>
#include <bloomery/inline.h>
#include <stdio.h>

static int fails(const char *what)
{
    printf("%s failed\n", what);
    return 1;
}

int main(void)
{
    blm_filter *f = NULL;
    blm_report why;
    if (blm_make(&f, "standard keys=1000 fpr=1%", &why)) return fails(why.text);
    if (blm_add(f, "plum", 4)) return fails("add");
    if (!blm_has(f, "plum", 4)) return fails("has");
    blm_lens lens;
    if (!blm_lens_of(f, &lens) || !blm_lens_has(&lens, "plum", 4)) return fails("lens");

    /* 1,000 non-members in a filter for 1,000 keys that holds one: 10^-18 hits are expected. */
    unsigned yes = 0;
    for (uint64_t i = 0; i < 1000; i++) yes += blm_has_u64(f, i);
    if (yes > 0) return fails("a filter with one key says yes to strangers: has");

    if (!blm_can(f, BLM_MERGE)) return fails("can");
    blm_free(f);
    printf("%s\n", blm_version());
    return 0;
}
