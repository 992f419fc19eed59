/* pages.h - the opening comment of every kind's file; the table is made by the build. */
#ifndef BLM_CLI_PAGES_H
#define BLM_CLI_PAGES_H
typedef struct blm_kind_page {
    const char *name, *text;
} blm_kind_page;
extern const blm_kind_page blm_kind_pages[]; /* ended by {0, 0} */
#endif
