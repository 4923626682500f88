/* SPDX-License-Identifier: MIT */
/*
 * charge.h - putting bytes on a group's bill
 */
#ifndef WANE_CHARGE_H
#define WANE_CHARGE_H

#include "types.h"

/* Uncharge from the tree itself, past any stock. */
void charge_undo(struct wane_group *group, size_t bytes);

#endif /* WANE_CHARGE_H */
