/* main.c - what the library promises of itself; `make bench` runs it after the table of all kinds.
 *   bloomery_rows [floor|singly|adds|bits|counting|deletes|fingerprints|adaptive|columns|window|growth|fixed|wire|threads]...      all, when none is named */
#include <stdio.h>
#include <string.h>

#include "rows.h"

static const struct {
    const char *name;
    void (*run)(void);
} groups[] = {{"floor", rows_floor},
              {"singly", rows_singly},
              {"adds", rows_adds},
              {"bits", rows_bits},
              {"counting", rows_counting},
              {"deletes", rows_deletes},
              {"fingerprints", rows_fingerprints},
              {"adaptive", rows_adaptive},
              {"columns", rows_columns},
              {"window", rows_window},
              {"growth", rows_growth},
              {"fixed", rows_fixed},
              {"wire", rows_wire},
              {"threads", rows_threads}};
enum { GROUPS = sizeof groups / sizeof *groups };

static size_t group_named(const char *name)
{
    size_t i = 0;
    while (i < GROUPS && strcmp(groups[i].name, name) != 0) i++;
    if (i == GROUPS)
        versus_stop(
            2,
            "%s: no such group; must be one of floor, singly, adds, bits, counting, deletes, fingerprints, adaptive, columns, window, growth, fixed, wire, threads",
            name);
    return i;
}

int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) group_named(argv[i]);
    printf("bloomery %s against itself and the machine: time per key\n", blm_version());
    versus_head();
    for (int i = 1; i < argc; i++) groups[group_named(argv[i])].run();
    for (size_t i = 0; argc < 2 && i < GROUPS; i++) groups[i].run();
    versus_end();
    return 0;
}
