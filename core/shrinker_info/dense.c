// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * dense.c - Linux 7.3 as it is: all units up front, for every group and node
 *
 * A unit of 64 shrinkers has 520 bytes, which the size classes round up to
 * 1,024.
 */
#ifdef WANE_TINY
#define SHRINKER_UNIT_BITS 4
#else
#define SHRINKER_UNIT_BITS BITS_PER_LONG
#endif
#define UNITS_UP_FRONT
#include "arrays.h"
