/* forms.h - what the closed forms of the kinds share; each is computed on its own, out of the papers. */
#ifndef BLM_FORMS_H
#define BLM_FORMS_H
#include <stdio.h>
#include <stdlib.h>
#include <bloomery/bloomery.h>
#include "theory/near.h"

enum { WORD = 64, BLOCK = 512, SPLIT = 256 };
#endif
