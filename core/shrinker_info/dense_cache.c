// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * dense_cache.c - as dense.c, but that units come from a slab cache of their
 * own, whose objects are as large as a unit
 */
#define UNITS_FROM_CACHE
#include "dense.c"
