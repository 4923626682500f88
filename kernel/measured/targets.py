# SPDX-License-Identifier: GPL-2.0-only
"""What the series set out to reach, and whether it has.

A verdict is pass, miss, or not measured.  A row above stock's counts where the
two differ by more than noise.  Of memory that is 5 %, since it hardly varies.
Times of emulated machines on a busy host vary from boot to boot: that takes
three boots or more, and the best of ours above the worst of stock's.
"""

from measured import rows
from measured.tables import as_text, ratio, show

SLAB, MOUNTS, WALK = 20 * 1024, 1.1, 100
MEMORY_NOISE, ENOUGH = 1.05, 3


def at_most(label, value, unit, most):
    verdict = ("not measured" if value is None else
               "pass" if value <= most else "miss")
    return [label, show(value, unit), f"<= {show(most, unit)}", verdict]


def beside(label, value, unit):
    """What helps to read the line above: no target of its own."""
    return [label, show(value, unit), "", ""]


def no_objects(label, values, kernel, part, key):
    """None left in the caches of shrinkers; there must be such caches."""
    if not values.median(kernel, part, "shrinker_caches"):
        return [label, "no such cache", "<= 0", "not measured"]
    return at_most(label, values.median(kernel, part, key), "count", 0)


def of_shape(values, kernel, shape):
    def median(key):
        return values.median(kernel, shape, key)

    def objects(label, key):
        return no_objects(label, values, kernel, shape, key)

    return [
        [f"{rows.what(shape)}:", "", "", ""],
        at_most("  slab per empty cgroup", median("slab_per_cgroup"), "KB",
                SLAB),
        objects("  of it for shrinkers, objects", "shrinker_objects"),
        at_most("  640 mounts, alive over none",
                rows.alive_over_none(values, kernel, shape), "times", MOUNTS),
        beside("    the same with nokmem",
               rows.without_shrinkers(values, kernel, shape), "times"),
        at_most("  walk of an idle cgroup", median("walk_idle"), "ns", WALK),
        objects("  dying cgroups keep, objects", "dying_objects"),
    ]


# ---- No row worse than stock ------------------------------------------------

def beyond_noise(row, part, values, kernel, times):
    """True or False; None where there are too few boots to tell."""
    if row.unit == "KB":
        return times > MEMORY_NOISE
    ours = values.medians(kernel, part, row.name)
    stock = values.medians("stock", part, row.name)
    if min(len(ours), len(stock)) < ENOUGH:
        return None
    return min(ours) > max(stock)


def above_stock(tables, values, kernel):
    """[times stock's, part, row, beyond noise], the worst first."""
    found = []
    for table in tables:
        for row in table.rows:
            times = ratio(row.value(values, kernel, table.part),
                          row.value(values, "stock", table.part))
            if row.better and times is not None and times > 1:
                found.append((times, table.part, row, beyond_noise(
                    row, table.part, values, kernel, times)))
    return sorted(found, key=lambda one: -one[0])


NOISE = {True: "beyond it", False: "within it", None: "too few boots"}


def print_above(found, kernel):
    if not found:
        print(f"\nNo row of {kernel} is above stock's.")
        return
    print(f"\nRows of {kernel} above stock's "
          "(under emulation, ratios below 2 say little):\n")
    lines = [["row", "times stock's", "noise"]]
    lines += [[f"{part}: {row.label.strip()} [{row.name}]", f"{times:.2f}",
               NOISE[clear]]
              for times, part, row, clear in found]
    print(as_text(lines, ("row", "noise")))


def no_worse(tables, values, kernel):
    label = "rows above stock's, beyond noise"
    if "stock" not in values.boots or kernel not in values.boots:
        return [label, "-", "<= 0", "not measured"]
    above = [one[3] for one in above_stock(tables, values, kernel)]
    if None in above and True not in above:
        return [label, f"{len(above)} above", "<= 0",
                f"not measured: takes --rounds {ENOUGH}"]
    return at_most(label, above.count(True), "count", 0)


def print_targets(values, tables, shapes, kernel="pairs"):
    lines = [["target", kernel, "wanted", "verdict"]]
    for shape in shapes:
        lines += of_shape(values, kernel, shape)
    lines.append(no_worse(tables, values, kernel))
    print("\nTargets\n")
    print(as_text(lines, ("target", "wanted", "verdict")))


def print_worse(values, tables, kernels):
    for kernel in kernels:
        if kernel != "stock" and "stock" in values.boots:
            print_above(above_stock(tables, values, kernel), kernel)
