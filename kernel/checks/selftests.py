# SPDX-License-Identifier: GPL-2.0-only
"""selftests - the kernel's own tests of cgroups, on stock and on ours

Not all of them pass on stock: some want a network, or a disk, or a machine that
is not emulated.  So it is not the number that counts: none that passes on stock
may fail on ours.  Some depend on time and luck; so one that seems to be worse is
tried again, on both.
"""
import os
import re
import subprocess
import sys

import log as logs

PROGRAMS = ("test_kmem", "test_memcontrol", "test_core")
TRIES = 3

RESULT = re.compile(r"^(ok|not ok) \d+ (# SKIP )?(\S+)")
DISK_SIZE = 1 << 30


def disk(built):
    """An ext4 to run them on (guest/ondisk.c): made once, and not written to."""
    path = os.path.join(built, "selftests", "disk.img")
    if not os.path.exists(path):
        with open(path + ".new", "wb") as file:
            file.truncate(DISK_SIZE)
        path_of_tools = os.environ["PATH"] + ":/usr/sbin:/sbin"
        subprocess.run(["mke2fs", "-q", "-F", "-t", "ext4", path + ".new"],
                       env={**os.environ, "PATH": path_of_tools}, check=True)
        os.rename(path + ".new", path)
    return path


def build(built):
    """Static programs, from the sources of the stock kernel."""
    tests = os.path.join(built, "stock", "tools", "testing", "selftests")
    out = os.path.join(built, "selftests")
    os.makedirs(out, exist_ok=True)
    paths = []
    for name in PROGRAMS:
        paths.append(os.path.join(out, name))
        words = ["gcc", "-O1", "-static", "-pthread", "-w",
                 "-I", tests, "-I", f"{tests}/cgroup/lib/include",
                 "-o", paths[-1], f"{tests}/cgroup/{name}.c",
                 f"{tests}/cgroup/lib/cgroup_util.c"]
        done = subprocess.run(words, capture_output=True, text=True,
                              check=False)
        if done.returncode:
            sys.exit(f"kernel/check: {name} does not build:\n{done.stderr}")
    return paths


def outcomes(lines):
    """Each test's name, and "passed", "failed" or "skipped"."""
    found = {}
    for line in lines:
        match = RESULT.match(line)
        if match:
            word = "passed" if match.group(1) == "ok" else "failed"
            found[match.group(3)] = "skipped" if match.group(2) else word
    return found


def worse(stock, ours):
    return [name for name, word in stock.items()
            if word == "passed" and ours.get(name) != "passed"]


def compare_one(name, variant, tried, results):
    """@tried(variant, name, again) boots it: (lines, status), or None."""
    stock, ours = {}, {}
    for again in range(TRIES):
        for variant_of, known in (("stock", stock), (variant, ours)):
            boot = tried(variant_of, name, again)
            if not boot:
                results.failed.append(f"{variant_of} does not build")
                return
            if boot[1] in logs.MEANING:
                results.failed.append(f"{name} on {variant_of}: "
                                      + logs.MEANING[boot[1]])
            # Luck: what passed once is able to pass.
            for test, word in outcomes(boot[0]).items():
                if known.get(test) != "passed":
                    known[test] = word
        if stock and not worse(stock, ours):
            break
    tell(name, variant, stock, ours, results)


def tell(name, variant, stock, ours, results):
    results.notes.append(f"{name:<48} {'stock':>8} {variant:>8}")
    for test, word in stock.items():
        results.notes.append(f"  {test:<46} {word:>8} "
                             f"{ours.get(test, 'missing'):>8}")
    bad = worse(stock, ours)
    results.failed += [f"{name}: {test} passes on stock, not on {variant}"
                       for test in bad]
    results.passed += [f"{name}: {test}" for test, word in stock.items()
                       if word == "passed" and test not in bad]
    if not stock:
        results.failed.append(f"{name} says nothing on stock")


def compare(variant, tried):
    results = logs.Results()
    for name in PROGRAMS:
        compare_one(name, variant, tried, results)
    return results
