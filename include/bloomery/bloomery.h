/* bloomery/bloomery.h - all public headers.
 *
 *     #include <bloomery/bloomery.h>
 *
 * It leaves out bloomery/inline.h (queries compiled into the caller, which asks for them by name)
 * and bloomery/theory/ (formulas of single families, which may change in any release).
 */
#ifndef BLOOMERY_BLOOMERY_H
#define BLOOMERY_BLOOMERY_H
#include <bloomery/core.h>    /* filters: make, add, ask, merge, describe       */
#include <bloomery/image.h>   /* files: write, read, map, update                */
#include <bloomery/wire.h>    /* packed for the network, deltas               */
#include <bloomery/interop.h> /* filters in the formats of other programs     */
#include <bloomery/build.h>   /* build from keys whose number is not known      */
#include <bloomery/count.h>   /* delete and count                               */
#include <bloomery/value.h>   /* values, sets and numbers of keys               */
#include <bloomery/time.h>    /* keys that expire                               */
#include <bloomery/trace.h>   /* the order in which keys were added             */
#include <bloomery/text.h>    /* parts of keys                                  */
#include <bloomery/theory.h>  /* rates, sizes and intervals from numbers alone  */
#include <bloomery/plan.h>    /* which kind, how large                          */
#endif
