/* form.h - partitioned: slices of s whole bits. */
#ifndef BLM_FORM_PARTITIONED_H
#define BLM_FORM_PARTITIONED_H
#include "theory/forms/sliced.h"

/* 200 wishes yield at least this many offers. */
#define FORM_PARTITIONED "partitioned", check_sliced, 180
#endif
