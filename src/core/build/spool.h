/* spool.h - a file without a name for what does not fit into memory. */
#ifndef BLM_SPOOL_H
#define BLM_SPOOL_H
#include "core/core_internal.h"

/* The file, made in this folder; -1 and errno. */
int blm_spool_open(const char *folder);
/* All n bytes from place `at` on; IO and the sentence. */
blm_err blm_spool_write(int fd, const char *folder, const void *p, size_t n, uint64_t at,
                        blm_report *why);
blm_err blm_spool_read(int fd, const char *folder, void *p, size_t n, uint64_t at, blm_report *why);
#endif
