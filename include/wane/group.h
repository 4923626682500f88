/* SPDX-License-Identifier: MIT */
/*
 * Groups: who pays for memory, up to which limits.
 *
 *   /                    usage 60M  max 64M      every byte below counts here
 *   |-- tenants          usage 58M
 *   |   |-- 41           usage 40M  high 32M     background reclaim works here
 *   |   `-- 42           usage 18M  min 16M      safe down to 16M
 *   `-- plans            usage  2M
 */
#ifndef WANE_GROUP_H
#define WANE_GROUP_H

#include <wane/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The limit of a group that has none. */
#define WANE_UNLIMITED SIZE_MAX

/* The longest name of a group, in bytes, without the terminating zero. */
#define WANE_NAME_MAX 255

/* wane_charge(): fail at once where it would otherwise reclaim. */
#define WANE_NOWAIT (1u << 0)

/**
 * wane_group_create() - Make a group below @parent.
 * @group: Receives the group, with one reference held for the caller.
 * @parent: The parent, or NULL for a new root.  The group keeps it alive.
 *          Below a retired parent: made below its nearest living ancestor.
 * @name: 1 to WANE_NAME_MAX bytes without '/', copied; unique among the
 *        living children of @parent.  NULL: the group's id in decimal.
 *
 * The new group is unlimited and unprotected.
 *
 * Context: Blocks.
 * Return: 0; -ENOMEM; -EINVAL when the name is empty, too long or has a '/';
 *         -EEXIST when a living sibling has it.
 */
WANE_CHECKED int wane_group_create(struct wane_group **group,
				   struct wane_group *parent, const char *name);

/**
 * wane_group_retire() - Take a group out of service.
 * @group: The group.  Retiring it twice is harmless.
 *
 * Its charges and listed items become its parent's; later charges and items
 * for it go to its parent.  Its name is free again, its limits are gone.  Its
 * lists and all that was kept per cache are freed, the group itself with the
 * last reference and the last byte charged to it.
 *
 * Context: Blocks; waits for no callback.
 * Return: 0; -EBUSY when a child is not retired; -EINVAL for a root or NULL.
 */
WANE_API int wane_group_retire(struct wane_group *group);

/**
 * wane_group_retired() - Whether a group was taken out of service.
 * @group: The group.
 *
 * Context: Any.
 * Return: true once wane_group_retire() has begun to succeed.
 */
WANE_API bool wane_group_retired(const struct wane_group *group);

/**
 * wane_group_get() - Take one more reference.
 * @group: A group the caller already holds.
 *
 * Context: Any.
 * Return: @group.
 */
WANE_API struct wane_group *wane_group_get(struct wane_group *group);

/**
 * wane_group_put() - Give a reference back.
 * @group: The group, or NULL.
 *
 * With the last reference and the last charged byte a group goes, after a
 * grace period; if it was not retired, it is retired on the way.  Bytes in a
 * thread's stock count, too: retire a group whose name is to be free at once.  Items of a
 * root must be off its lists by then, since no one inherits them.
 *
 * Context: Any.
 */
WANE_API void wane_group_put(struct wane_group *group);

/**
 * wane_group_find() - Look a group up by its path.
 * @root: Where to start; the caller holds it.
 * @path: Names below @root, each after a '/': "/tenants/42"; "/" is @root.
 *
 * Context: Any.
 * Return: The living group, with a reference for the caller, or NULL.
 */
WANE_CHECKED struct wane_group *wane_group_find(struct wane_group *root,
						const char *path);

/**
 * wane_group_find_id() - Look a group up by its id.
 * @id: What wane_group_id() returned.
 *
 * Context: Any.
 * Return: The group, retired or not, with a reference, or NULL when it went.
 */
WANE_CHECKED struct wane_group *wane_group_find_id(uint64_t id);

/**
 * wane_group_id() - A number that no other group has or will ever have.
 * @group: The group.
 *
 * Context: Any.
 * Return: The id, 1 or more.
 */
WANE_API uint64_t wane_group_id(const struct wane_group *group);

/**
 * wane_group_parent() - The group above.
 * @group: The group, which keeps its parent alive.
 *
 * Context: Any.
 * Return: The parent, without a reference of its own; NULL for a root.
 */
WANE_API struct wane_group *wane_group_parent(const struct wane_group *group);

/**
 * wane_group_name() - The name given to wane_group_create().
 * @group: The group, which owns the string.
 *
 * Context: Any.
 * Return: The name.
 */
WANE_API const char *wane_group_name(const struct wane_group *group);

/**
 * wane_group_path() - Write a group's path below its root, as snprintf() does.
 * @group: The group.
 * @buffer: Receives the path and a terminating zero, cut to @size bytes.
 * @size: Bytes of @buffer; with 0 nothing is written.
 *
 * Context: Any.
 * Return: The bytes of the whole path, without the terminating zero.
 */
WANE_API size_t wane_group_path(const struct wane_group *group, char *buffer,
				size_t size);

/* ---- Limits ------------------------------------------------------------ */

/**
 * enum wane_limit - The four lines drawn through a group's usage.
 * @WANE_MIN: Never reclaimed below this.
 * @WANE_LOW: Reclaimed below this only when nothing else is left.
 * @WANE_HIGH: Above this, background reclaim works; charges still succeed.
 * @WANE_MAX: Above this, a charge reclaims first and fails if it must.
 *
 * As in cgroup v2, a group's min and low hold only as far as its ancestors
 * grant them: where siblings ask for more than their parent has, each gets a
 * part in proportion to what it uses of its own.  The group that is itself
 * over a limit is not protected from its own reclaim, only its descendants
 * from each other.
 */
enum wane_limit {
	WANE_MIN,
	WANE_LOW,
	WANE_HIGH,
	WANE_MAX,
};

/**
 * wane_group_set_limit() - Set one of a group's limits.
 * @group: The group.
 * @which: Which of the four.
 * @bytes: The limit, or WANE_UNLIMITED.
 *
 * The limit is in force when the call returns, whatever it returns: growth
 * stops first, and only then is the excess reclaimed.
 *
 * Context: Reclaims.
 * Return: 0; -EBUSY when the group still holds more than @bytes of
 *         WANE_MAX; -EINVAL for an unknown limit or no group; -ESTALE when
 *         the group is retired and nothing was set.
 */
WANE_API int wane_group_set_limit(struct wane_group *group,
				  enum wane_limit which, size_t bytes);

/**
 * wane_group_limit() - One of a group's limits, as it was set.
 * @group: The group.
 * @which: Which of the four.
 *
 * Context: Any.
 * Return: Bytes, or WANE_UNLIMITED.
 */
WANE_API size_t wane_group_limit(const struct wane_group *group,
				 enum wane_limit which);

/**
 * wane_group_usage() - How many bytes a group and its descendants hold.
 * @group: The group.
 *
 * Threads charge ahead: each may hold up to WANE_STOCK_MAX bytes that are
 * counted here and in each ancestor but not used yet.  So usage is never less
 * than the bytes charged, and at most threads x WANE_STOCK_MAX more; and for
 * moments by charges under way that will be refused.  A charge that would
 * fail takes all stocks back first.
 *
 * Context: Any.
 * Return: The bytes; already stale when you read them.
 */
WANE_API size_t wane_group_usage(const struct wane_group *group);

/* What one thread may hold charged ahead, in bytes, over all groups. */
#define WANE_STOCK_MAX (64u * 1024)

/**
 * wane_group_peak() - The most that wane_group_usage() has ever been.
 * @group: The group.
 *
 * A charge that @group granted counts, also when an ancestor then refused it;
 * one that @group refused does not, so peak <= max while max is not lowered.
 *
 * Context: Any.
 * Return: The bytes.
 */
WANE_API size_t wane_group_peak(const struct wane_group *group);

/* ---- Charging ---------------------------------------------------------- */

/**
 * wane_charge() - Account bytes to a group before using them.
 * @group: The group to pay; retired: its nearest living ancestor pays.
 * @bytes: How many; 0 is allowed.
 * @flags: 0 or WANE_NOWAIT.
 *
 * When the group or an ancestor would pass its max, that one is reclaimed
 * and the charge tried again.  On failure nothing is charged anywhere.  The
 * charged bytes keep the group's struct alive, as a reference does.
 *
 * From a shrinker's callback it acts as with WANE_NOWAIT: reclaim never
 * enters itself.
 *
 * Context: Reclaims; with WANE_NOWAIT, or from a callback: Any.
 * Return: 0; -ENOMEM when reclaim found nothing more; -EAGAIN when
 *         WANE_NOWAIT or a callback kept it from reclaiming; -EINVAL when
 *         @group is NULL or @flags are unknown.
 */
WANE_CHECKED int wane_charge(struct wane_group *group, size_t bytes,
			     unsigned int flags);

/**
 * wane_uncharge() - Undo a charge.
 * @group: The group that was charged, retired or not.
 * @bytes: How many; a charge may be undone in parts.  More than is charged:
 *         an assertion in debug builds; else the usage stops at 0.
 *
 * Context: Any.
 */
WANE_API void wane_uncharge(struct wane_group *group, size_t bytes);

/* ---- Events ------------------------------------------------------------ */

/**
 * enum wane_event - What can happen to a group at its limits.
 * @WANE_EVENT_LOW: It was reclaimed although it was below its low.
 * @WANE_EVENT_HIGH: It was over its high, and reclaim was asked for.
 * @WANE_EVENT_MAX: A charge would have passed its max.
 * @WANE_EVENT_OOM: A charge failed, since reclaim found nothing more.
 * @WANE_NR_EVENTS: How many there are.
 */
enum wane_event {
	WANE_EVENT_LOW,
	WANE_EVENT_HIGH,
	WANE_EVENT_MAX,
	WANE_EVENT_OOM,
	WANE_NR_EVENTS,
};

/**
 * wane_group_events() - How often an event happened to a group itself.
 * @group: The group.
 * @event: Which.
 *
 * Context: Any.
 * Return: The number of times.
 */
WANE_API uint64_t wane_group_events(const struct wane_group *group,
				    enum wane_event event);

/**
 * typedef wane_event_fn - Told of an event as it happens.
 * @group: The group whose limit it was.
 * @event: What happened.
 * @arg: What was passed to wane_group_set_callback().
 *
 * Runs in the thread that met the event, with none of the library's locks
 * held, and may call functions of context Any.  A call for WANE_EVENT_OOM may
 * free memory and return true to have the charge tried once more; other
 * events ignore the answer.  To abort the offender is its business, too.
 */
typedef bool (*wane_event_fn)(struct wane_group *group, enum wane_event event,
			      void *arg);

/**
 * wane_group_set_callback() - Have a function told of a group's events.
 * @group: The group.
 * @callback: The function, or NULL for none.
 * @arg: Passed to @callback.
 *
 * When it returns, the callback set before may still run in another thread;
 * wane_barrier() waits for that.
 *
 * Context: Blocks.
 * Return: 0, or -ENOMEM and the callback is what it was.
 */
WANE_API int wane_group_set_callback(struct wane_group *group,
				     wane_event_fn callback, void *arg);

/* ---- The thread's current group ---------------------------------------- */

/**
 * wane_group_enter() - Make a group the calling thread's current one.
 * @group: The group, which the caller holds until it leaves, or NULL.
 *
 *	struct wane_group *before = wane_group_enter(tenant);
 *	... work for the tenant ...
 *	wane_group_leave(before);
 *
 * Context: Any.
 * Return: The group that was current; hand it to wane_group_leave().
 */
WANE_API struct wane_group *wane_group_enter(struct wane_group *group);

/**
 * wane_group_leave() - Go back to the group that was current before.
 * @before: What wane_group_enter() returned.
 *
 * Context: Any.
 */
WANE_API void wane_group_leave(struct wane_group *before);

/**
 * wane_group_current() - The calling thread's current group.
 *
 * Context: Any.
 * Return: The group, without a reference of its own, or NULL.
 */
WANE_API struct wane_group *wane_group_current(void);

#ifdef __cplusplus
}
#endif

#endif /* WANE_GROUP_H */
