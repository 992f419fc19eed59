/* form.h - partitioned: slices of s whole bits. */
#ifndef BLM_FORM_PARTITIONED_H
#define BLM_FORM_PARTITIONED_H
#include "theory/forms/sliced.h"

/* Of 200 wishes at least so many offers. */
#define FORM_PARTITIONED "partitioned", check_sliced, 180
#endif
