/* form.h - retouched: planned as standard is; bits are cleared later. */
#ifndef BLM_FORM_RETOUCHED_H
#define BLM_FORM_RETOUCHED_H
#include "theory/forms/cells.h"

/* 200 wishes yield at least this many offers. */
#define FORM_RETOUCHED "retouched", check_standard, 4 * WISHES
#endif
