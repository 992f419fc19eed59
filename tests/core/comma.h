/* comma.h - a locale in which numbers have a comma. */
#ifndef BLM_TESTS_COMMA_H
#define BLM_TESTS_COMMA_H
#include <locale.h>
#include "core/unit.h"

/* The test is skipped where the machine has none. Set "C" again afterwards. */
static inline void set_comma_locale(void)
{
    static const char *const names[] = {"de_DE.UTF-8", "de_DE.utf8", "de_DE", "fr_FR.UTF-8",
                                        "fr_FR.utf8"};
    const char *set = NULL;
    for (size_t i = 0; i < COUNT(names) && !set; i++) set = setlocale(LC_ALL, names[i]);
    if (!set) skip();
}
#endif
