// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * dense63.c - as dense.c, with 63 shrinkers a unit: it fills 512 bytes exactly
 */
#ifdef WANE_TINY
#define SHRINKER_UNIT_BITS 3
#else
#define SHRINKER_UNIT_BITS (BITS_PER_LONG - 1)
#endif
#define UNITS_UP_FRONT
#include "arrays.h"

#ifndef WANE_TINY
_Static_assert(sizeof(struct shrinker_info_unit) == 512,
	       "a unit fills its size class");
#endif
