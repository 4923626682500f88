/* SPDX-License-Identifier: MIT */
/*
 * start.h - what is set up before main(), in layer order
 */
#ifndef WANE_START_H
#define WANE_START_H

void node_start(void);
void barrier_start(void);
void rcu_start(void);
void thread_start(void);
int slab_size_start(void);
int shrinker_info_init(void);
void retire_start(void);

#endif /* WANE_START_H */
