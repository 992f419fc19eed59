/* form.h - standard: an array of m bits; the closed form is that of cells of one bit. */
#ifndef BLM_FORM_STANDARD_H
#define BLM_FORM_STANDARD_H
#include "theory/forms/cells.h"

/* 200 wishes yield at least this many offers. */
#define FORM_STANDARD "standard", check_standard, WISHES
#endif
