/* form.h - weighted: of one class it is standard. */
#ifndef BLM_FORM_WEIGHTED_H
#define BLM_FORM_WEIGHTED_H
#include "theory/forms/cells.h"

/* 200 wishes yield at least this many offers. */
#define FORM_WEIGHTED "weighted", check_standard, WISHES
#endif
