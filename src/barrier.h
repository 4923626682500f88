/* SPDX-License-Identifier: MIT */
/*
 * barrier.h - a full barrier that one side pays for both
 *
 *	often			seldom
 *	write mine		write mine
 *	barrier_light()		barrier_heavy()
 *	read yours		read yours
 *
 * At least one of the two sees what the other wrote, as with a full barrier on
 * each side.  The light one only keeps the compiler from moving things; the
 * heavy one has the kernel run a barrier on every processor that runs one of
 * our threads (membarrier()), and takes some microseconds.  Where the kernel
 * has no such call, the light one is a full barrier.
 */
#ifndef WANE_BARRIER_H
#define WANE_BARRIER_H

#include "port.h"

/* The kernel runs the barrier for both; fixed after the start. */
extern bool barrier_have_heavy;

static inline void barrier_light(void)
{
#ifndef WANE_TSAN
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	if (unlikely(!barrier_have_heavy))
#endif
		barrier_full();
}

void barrier_heavy(void);

#endif /* WANE_BARRIER_H */
