/* pair.c - two images, asked together. */
#include <string.h>

#include "pair.h"

ending with_pair(const settings *s,
                 ending (*use)(const settings *s, const image *a, const image *b))
{
    image a, b;
    const blm_check check = s->trust ? BLM_CHECK_NONE : BLM_CHECK_ALL;
    if (strcmp(s->operand[0], "-") == 0 && strcmp(s->operand[1], "-") == 0)
        return trouble("- and -: standard input brings one image, not two");
    ending end = image_open(&a, s, s->operand[0], check, true);
    if (end) return end;
    end = image_open(&b, s, s->operand[1], check, true);
    if (!end) {
        end = use(s, &a, &b);
        image_close(&b);
    }
    image_close(&a);
    return end;
}
