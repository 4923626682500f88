// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * array.c - units on demand, in an array of pointers for all of them
 *
 * What a group does not use costs it 8 bytes per 63 shrinkers and node, and
 * growth still visits every group.
 */
#ifdef WANE_TINY
#define SHRINKER_UNIT_BITS 4
#else
#define SHRINKER_UNIT_BITS (BITS_PER_LONG - 1)
#endif
#include "arrays.h"
