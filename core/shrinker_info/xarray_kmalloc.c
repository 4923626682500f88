// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * xarray_kmalloc.c - as xarray.c, with units from the size classes: what the
 * slab cache of their own alone brings is the difference to this.
 */
#define UNITS_FROM_SIZE_CLASSES
#include "xarray.c"
