/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * What the files of core/ stand on: the kernel's headers and the few functions
 * that follow; or, in a program, a header that has the kernel's names.
 */
#ifndef _SHRINKER_INFO_SHIM_H
#define _SHRINKER_INFO_SHIM_H

#ifdef __KERNEL__

#include <linux/atomic.h>
#include <linux/bitops.h>
#include <linux/bug.h>
#include <linux/completion.h>
#include <linux/container_of.h>
#include <linux/errno.h>
#include <linux/find.h>
#include <linux/gfp.h>
#include <linux/idr.h>
#include <linux/list.h>
#include <linux/log2.h>
#include <linux/minmax.h>
#include <linux/mutex.h>
#include <linux/nodemask.h>
#include <linux/rcupdate.h>
#include <linux/refcount.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/topology.h>
#include <linux/types.h>
#include <linux/xarray.h>

#define rcu_container(head, type, member) container_of(head, type, member)

/*
 * Arrays of any size, zeroed.  Who may not sleep may hold a lock under which
 * vmalloc() would take its own with interrupts off: there it is kmalloc() or
 * nothing.
 */
static inline void *info_alloc(size_t size, gfp_t gfp)
{
	if (!gfpflags_allow_blocking(gfp))
		return kzalloc(size, gfp | __GFP_NOWARN);
	return kvzalloc(size, gfp);
}

/* Anywhere but in an NMI. */
static inline void info_free(void *memory, size_t size)
{
	kvfree_atomic(memory);
}

/*
 * Put @new where @old is (NULL: nothing).  Interrupts may be off around it.
 * Return: 0; -EBUSY: something else is there; -ENOMEM, not when there is an
 * @old.
 */
static inline int info_xa_replace(struct xarray *xa, unsigned long index,
				  void *old, void *new, gfp_t gfp)
{
	XA_STATE(xas, xa, index);
	unsigned long flags;
	void *found;

	do {
		xas_lock_irqsave(&xas, flags);
		found = xas_load(&xas);
		if (found == old)
			xas_store(&xas, new);
		xas_unlock_irqrestore(&xas, flags);
	} while (xas_nomem(&xas, gfp));
	if (xas_error(&xas))
		return xas_error(&xas);
	return found == old ? 0 : -EBUSY;
}

#else
#include "shrinker_info_user.h"
#endif

#endif /* _SHRINKER_INFO_SHIM_H */
