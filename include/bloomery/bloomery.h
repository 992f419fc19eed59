/* bloomery/bloomery.h - all public headers. */
#ifndef BLOOMERY_BLOOMERY_H
#define BLOOMERY_BLOOMERY_H
#include <bloomery/core.h>
#include <bloomery/image.h>
#include <bloomery/build.h>
#include <bloomery/count.h>
#include <bloomery/map.h>
#include <bloomery/time.h>
#include <bloomery/trace.h>
#include <bloomery/text.h>
#include <bloomery/theory.h>
#include <bloomery/plan.h>
#endif
