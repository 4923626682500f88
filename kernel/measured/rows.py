# SPDX-License-Identifier: GPL-2.0-only
"""What is measured: the parts, each of them a boot, and the rows of tables.

A row's name is the key under which the guest's program tells its values, or
that of a function here which computes it from others.
"""

import statistics
from dataclasses import dataclass, field

NODES = 4


@dataclass
class Part:
    """One boot, in which the guest runs its program with these arguments.

    memory: of the machine, in MB.  seconds: after which it is given up.
    linux: more for Linux's own command line.
    """
    name: str
    arguments: list
    what: str
    memory: int
    seconds: int
    linux: list = field(default_factory=list)


@dataclass
class Row:
    """One line of a table.  better: less is better than stock's, and the ratio
    tells how much; else the two cannot be compared."""
    name: str
    label: str
    unit: str
    better: bool = True

    def value(self, values, kernel, part):
        """None where it was not measured."""
        compute = COMPUTED.get(self.name)
        if compute:
            return compute(values, kernel, part)
        return values.median(kernel, part, self.name)


# ---- Parts ------------------------------------------------------------------

CONTROL = "_nokmem"
SHAPES = {"large": (8000, 1000, 4096), "small": (2000, 200, 2048)}
OWN, OWN_QUICK = 4000, 400


def what(shape):
    mounts, cgroups, _ = SHAPES[shape]
    return f"{mounts:,} mounts, {cgroups:,} cgroups"


def shape_part(shape):
    mounts, cgroups, memory = SHAPES[shape]
    return Part(shape, ["shape", str(mounts), str(cgroups)], what(shape),
                memory, 400)


def control_part(shape):
    """The same, where cgroups have nothing to do with shrinkers."""
    part = shape_part(shape)
    part.name += CONTROL
    part.what += ", nokmem"
    part.linux = ["cgroup.memory=nokmem"]
    return part


def own_part(cgroups):
    return Part("own", ["own", str(cgroups)],
                f"{cgroups:,} cgroups with a file system each", 4096, 300)


def parts(quick):
    """In the order of boots."""
    first = [shape_part("small"), control_part("small"),
             Part("walks", ["walks"], "walks of used caches", 2048, 200)]
    if quick:
        return first + [own_part(OWN_QUICK)]
    return first + [shape_part("large"), own_part(OWN)]


# ---- What is computed from others -------------------------------------------

def per_cgroup(key):
    def compute(values, kernel, part):
        nr = values.median(kernel, part, key)
        return None if nr is None else nr / SHAPES[part][1]
    return compute


def drop_share(values, kernel, part):
    """What cgroups add to drop_caches, in ns for each and each node."""
    none = values.median(kernel, part, "drop_none")
    idle = values.median(kernel, part, "drop_idle")
    if none is None or idle is None:
        return None
    return (idle - none) / (SHAPES[part][1] * NODES) * 1e9


def alive_over_none(values, kernel, part):
    """Boot by boot, of the medians: half of those without cgroups come before
    and half after, since the first mounts of a boot take longest."""
    def median(boot, key):
        return statistics.median(boot[key])

    times = [median(boot, "cross_alive") / median(boot, "cross_none")
             for boot in values.of_boots(kernel, part)
             if "cross_alive" in boot and "cross_none" in boot]
    return statistics.median(times) if times else None


def without_shrinkers(values, kernel, part):
    """The same ratio where no mount has to do with any cgroup."""
    return alive_over_none(values, kernel, part + CONTROL)


def beyond_lists(k):
    """Growth without what list_lru takes, which is the same everywhere."""
    def compute(values, kernel, part):
        grown = values.median(kernel, part, f"names_slab_{k}")
        lists = values.median(kernel, part, f"names_lists_{k}")
        return None if grown is None or lists is None else grown - lists
    return compute


COMPUTED = {
    "units": per_cgroup("kmalloc_1k_objects"),
    "drop_share": drop_share,
    "alive_over_none": alive_over_none,
    "without_shrinkers": without_shrinkers,
    "beyond_lists_2": beyond_lists(2),
    "beyond_lists_20": beyond_lists(20),
    "beyond_lists_100": beyond_lists(100),
}

# ---- Rows -------------------------------------------------------------------

IDLE = [
    Row("units", "kmalloc-1k objects added per cgroup", "each", False),
    Row("shrinker_objects", "objects of shrinker caches, in all", "count",
        False),
    Row("slab_per_cgroup", "unreclaimable slab per empty cgroup", "KB"),
    Row("percpu_per_cgroup", "percpu memory per empty cgroup", "KB"),
    Row("mkdir", "mkdir of all cgroups", "s"),
]
MOUNTS = [
    Row("cross_none", "640 mounts, new ids, no cgroups", "s"),
    Row("cross_alive", "640 mounts, new ids, cgroups alive", "s"),
    Row("alive_over_none", "  alive over none", "times", False),
    Row("without_shrinkers", "  the same with nokmem", "times", False),
    Row("reuse_none", "640 mounts, ids reused, no cgroups", "s"),
    Row("reuse_alive", "640 mounts, ids reused, cgroups alive", "s"),
]
PASSES = [
    Row("drop_none", "drop_caches 2, best of 8, no cgroups", "s"),
    Row("drop_idle", "drop_caches 2, best of 8, idle cgroups", "s"),
    Row("drop_share", "  of it, per cgroup and node", "ns", False),
    Row("walk_idle", "shrink walk of an idle cgroup and node", "ns"),
    Row("iterate", "mem_cgroup_iter(), a step", "ns"),
]
DYING = [
    Row("rmdir_calls", "rmdir of all, the system calls", "s"),
    Row("rmdir", "rmdir of all, pinned, until they are offline", "s"),
    Row("rmdir_idle", "rmdir of all, never used, until they are gone", "s"),
    Row("dying_slab", "slab per dying cgroup, pinned", "KB"),
    Row("dying_objects", "objects of shrinker caches, over the start",
        "count", False),
    Row("gone_objects", "  when they are gone", "count", False),
]


def names_rows():
    rows = []
    for k in (2, 20, 100):
        rows += [
            Row(f"names_objects_{k}",
                f"k = {k}: objects of shrinker caches per cgroup", "each",
                False),
            Row(f"names_slab_{k}", "  slab added per cgroup", "KB", False),
            Row(f"beyond_lists_{k}", "  of it, beyond the lists", "KB", False),
            Row(f"names_walk_{k}", "  walk when no bit is set", "ns"),
        ]
    return rows


def walks_rows():
    rows = []
    for layout in ("spread", "near"):
        for k in (0, 1, 2, 10, 100):
            rows.append(Row(f"walk_{layout}_{k}", f"k = {k}, {layout} ids",
                            "ns"))
        rows.append(Row(f"other_{layout}_10",
                        f"k = 10, {layout} ids, a node without objects", "ns"))
    return rows


def own_rows():
    return [Row("own_make", "mkdir, mount and a file, for all", "s")] + [
        Row(f"own_drop_{time}", f"drop_caches 2, time {time}", "s")
        for time in (1, 2, 3, 4)]


def slab_rows(values, part):
    """The caches that a cgroup's slab is in, the largest first."""
    def largest(key):
        return max(values.median(kernel, part, key) or 0
                   for kernel in values.boots)
    keys = sorted(values.keys(part, "part_"), key=largest, reverse=True)
    return [Row(key, key[len("part_"):], "KB", False) for key in keys]
