/* form.h - popularity: planned as standard is; the lists come later. */
#ifndef BLM_FORM_POPULARITY_H
#define BLM_FORM_POPULARITY_H
#include "theory/forms/cells.h"

/* 200 wishes yield at least this many offers. */
#define FORM_POPULARITY "popularity", check_standard, WISHES
#endif
