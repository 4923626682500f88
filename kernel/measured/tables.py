# SPDX-License-Identifier: GPL-2.0-only
"""Tables: which rows go into which, and how they look.

Beside the kernels that were booted stand their ratios to stock, and what
others have published or a prototype had (published.py).
"""

from dataclasses import dataclass

from measured import rows
from measured.published import figures


@dataclass
class Table:
    """Rows that come from one part, under one heading."""
    heading: str
    part: str
    rows: list


def shape_tables(shape):
    over = rows.what(shape)
    return [
        Table(f"Idle cgroups: {over}", shape, rows.IDLE),
        Table(f"Mounts beside cgroups: {over}", shape, rows.MOUNTS),
        Table(f"Passes over idle cgroups: {over}", shape, rows.PASSES),
        Table(f"Cgroups that used two file systems, and die: {over}", shape,
              rows.DYING),
    ]


def other_tables(values, shape, own):
    scaled = "" if own == rows.OWN else f" (scaled from {rows.OWN:,})"
    return [
        Table(f"Slab per empty cgroup by cache: {rows.what(shape)}", shape,
              rows.slab_rows(values, shape)),
        Table("Cgroups that looked up names on k file systems spread over "
              f"{rows.SHAPES[shape][0]:,}", shape, rows.names_rows()),
        Table("Shrink walk of a cgroup that uses k caches, among 1,800 ids; "
              "priority 12, objects on one node", "walks", rows.walks_rows()),
        Table(f"{own:,} cgroups with a file system and a file each{scaled}",
              "own", rows.own_rows()),
    ]


def tables(values, quick):
    """All of them, in the order in which they are printed."""
    if quick:
        return shape_tables("small") + other_tables(values, "small",
                                                    rows.OWN_QUICK)
    return (shape_tables("large") + shape_tables("small") +
            other_tables(values, "large", rows.OWN))


# ---- Numbers ----------------------------------------------------------------

def in_steps(value, steps):
    """Three digits, in the largest unit with one before the point."""
    for scale, unit in steps:
        if abs(value) >= scale:
            break
    value /= scale
    digits = 0 if abs(value) >= 100 else 1 if abs(value) >= 10 else 2
    return f"{value:.{digits}f} {unit}"


FORMATS = {
    "s": lambda v: in_steps(v, ((1, "s"), (1e-3, "ms"), (1e-6, "us"))),
    "ns": lambda v: in_steps(v, ((1e6, "ms"), (1e3, "us"), (1, "ns"))),
    "KB": lambda v: f"{v / 1024:.1f} KB",
    "count": lambda v: f"{v:,.0f}",
    "each": lambda v: f"{v:,.1f}",
    "times": lambda v: f"{v:.2f} x",
}


def show(value, unit):
    return "-" if value is None else FORMATS[unit](value)


def ratio(ours, stock):
    """How many times stock's; None where that says nothing."""
    if ours is None or ours < 0 or not stock or stock < 0:
        return None
    return ours / stock


# ---- Text -------------------------------------------------------------------

def as_text(lines, left):
    """Aligned columns; those whose head is in @left at their left side."""
    widths = [max(map(len, column)) for column in zip(*lines)]
    text = []
    for line in lines:
        cells = [cell.ljust(width) if head in left else cell.rjust(width)
                 for cell, width, head in zip(line, widths, lines[0])]
        text.append("  ".join(cells).rstrip())
    text.insert(1, "  ".join("-" * width for width in widths))
    return "\n".join(text)


def drop_empty(lines):
    """Without the columns in which no line has anything."""
    full = [at for at in range(len(lines[0]))
            if at == 0 or any(line[at] for line in lines[1:])]
    return [[line[at] for at in full] for line in lines]


def heads(kernels):
    ratios = [f"{kernel}/stock" for kernel in kernels if kernel != "stock"]
    return ["", *kernels, *(ratios if "stock" in kernels else []),
            "published", "prototype"]


def line_of(row, table, values, kernels):
    """None where none of the kernels has a value."""
    numbers = {kernel: row.value(values, kernel, table.part)
               for kernel in kernels}
    if not any(number is not None for number in numbers.values()):
        return None
    cells = [row.label, *(show(numbers[k], row.unit) for k in kernels)]
    if "stock" in kernels:
        times = [ratio(numbers[kernel], numbers["stock"]) if row.better
                 else None for kernel in kernels if kernel != "stock"]
        cells += ["" if t is None else f"{t:.2f}" for t in times]
    return cells + list(figures(table.part, row.name))


def print_table(table, values, kernels):
    print(f"\n{table.heading}\n")
    lines = [line_of(row, table, values, kernels) for row in table.rows]
    lines = [heads(kernels)] + [line for line in lines if line]
    if len(lines) == 1:
        print("not measured")
    else:
        print(as_text(drop_empty(lines), ("", "published", "prototype")))
