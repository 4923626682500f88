# SPDX-License-Identifier: GPL-2.0-only
"""Others' figures beside ours: {part: {row: (published, prototype)}}.

published   From the discussion on linux-mm in October 2026.  Where their shape
            is not ours it is another machine with more of everything:
            P1  8,000 mounts, 2,000 cgroups, 4 nodes, 48 CPUs
            P2  20,000 mounts, 2,000 cgroups, 1 node, 4 CPUs
            P3  50,000 mounts, 20,000 cgroups, 4 nodes, 48 CPUs
            P4  4,000 cgroups with a file system each, in 2018
            P6  stock 7.3.4 of Debian, emulated: 2,000 mounts, 200 cgroups
            "array" is units on demand in an array of pointers.
prototype   A throw-away one of the same two designs, emulated, in our shapes:
            stock / xarray / pairs.  Ids had gone on to 2,700 and 8,700.
"""

LARGE = {
    "units": ("P1: 505.8", "545 / 0 / 0"),
    "slab_per_cgroup": ("P1: 548, array 42 KB; P3: 1,600, array 65, xarray 34",
                        "570.4 / 19.1 / 19.4 KB"),
    "mkdir": ("", "3.26 / 0.92 / 0.86 s"),
    "cross_none": ("P3: 0.08, array 0.08, xarray 0.07 s",
                   "0.28 / 0.27 / 0.26 s"),
    "cross_alive": ("P3: 1.41, array 1.31, xarray 0.10 s",
                    "0.82 / 0.26 / 0.15 s"),
    "reuse_alive": ("", "0.20 / 0.23 / 0.12 s"),
    "drop_none": ("", "38.3 / 37.0 / 38.0 ms"),
    "drop_idle": ("P3: 23, array 11.3, xarray 1.3 s",
                  "159.6 / 46.0 / 35.4 ms"),
    "drop_share": ("P3: 22.8, array 10.7, xarray 0.5 us",
                   "30 / 2.3 / 0-0.8 us"),
    "walk_idle": ("P2: 1.6, array 1.6, xarray 0.2 us",
                  "4.94 / 0.36 / 0.07 us"),
    "iterate": ("", "0.3-1.0 / 0.3-0.6 / 0.3-0.6 us"),
    "rmdir": ("", "11.9 / 11.1 / 11.7 s, with a page each"),
    "dying_slab": ("", "634 / 41 / 27 KB, 6 of it mounts"),
    "names_objects_2": ("P1: array 8", "0 / 8 / 2"),
    "names_objects_20": ("", "0 / 80 / 20"),
    "names_objects_100": ("", "0 / 400 / 100"),
    "beyond_lists_2": ("P1: array 4 KB", "- / 2 / 4 KB"),
    "beyond_lists_20": ("", "0 / 40 / 4 KB"),
    "beyond_lists_100": ("", "20 / 228 / 32 KB"),
    "names_walk_2": ("", "3.1 / 5.2 / 0.9 us"),
    "names_walk_20": ("", "6.7 / 15.9 / 0.2 us"),
    "names_walk_100": ("P2: 1.9, array 1.7, xarray 0.9 us",
                       "3.1 / 43 / 0.5 us"),
}

SMALL = {
    "units": ("P6: 171, at 2,700 ids", ""),
    "slab_per_cgroup": ("P6: 199.5 KB, at 2,700 ids",
                        "189.5 / 19.5 / 18.6 KB"),
    "mkdir": ("", "0.31 / 0.15 / 0.13 s"),
    "cross_none": ("P6: 0.54 s", "0.19-0.31 s"),
    "cross_alive": ("P6: 1.50 s", "0.36 / 0.22 / 0.22 s"),
    "drop_idle": ("", "17.1 / 9.1 / 3.6 ms"),
    "walk_idle": ("", "1.55 / 0.41 / 0.12 us"),
    "dying_slab": ("", "269 / 83 / 54 KB, 30 of it mounts"),
}

WALKS = {
    "walk_spread_0": ("", "0.93 / 0.30 / 0.08 us"),
    "walk_spread_1": ("", "2.2 / 1.9 / 1.5 us"),
    "walk_spread_2": ("", "3.0 / 10.0 / 2.9 us"),
    "walk_spread_10": ("", "14.1 / 21.6 / 12.9 us"),
    "walk_spread_100": ("", "124 / 152 / 133 us"),
    "other_spread_10": ("", "0.93 / 8.5 / 0.18 us"),
}

OWN = {
    "own_drop_1": ("P4: 6.80 before SHRINK_EMPTY, 0.93 s after", ""),
    "own_drop_2": ("P4: 4.61, 0.00 s", ""),
    "own_drop_3": ("P4: 4.61, 0.00 s", ""),
    "own_drop_4": ("P4: 4.61, 0.00 s", ""),
}

FIGURES = {"large": LARGE, "small": SMALL, "walks": WALKS, "own": OWN}


def figures(part, name):
    return FIGURES.get(part, {}).get(name, ("", ""))
