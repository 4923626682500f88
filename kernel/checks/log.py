# SPDX-License-Identifier: GPL-2.0-only
"""log - what the log of a boot says about tests

Two languages are spoken there.  The guest's programs print TAP, at the beginning
of a line.  KUnit prints KTAP through the kernel's log: with a time before it,
nested by two blanks or four, in the name of suites that have cases.
"""
import re

TAP = re.compile(r"^(ok|not ok) (\d+)(?: - | )?(.*)$")
PLAN = re.compile(r"^1\.\.(\d+)$")
BAIL = re.compile(r"^Bail out!\s*(.*)$")
TIME = re.compile(r"^\[ *\d+\.\d+\]\S* ?")
SKIP = "# SKIP"

# kernel/boot's exit statuses.
MEANING = {
    120: "the guest ended before its program did",
    121: "QEMU did not start",
    124: "it was not done in time",
    125: "Linux reported a fault: its log must have none",
    130: "interrupted",
}


class Results:
    """Names of the checks that passed and failed, and what is to be told."""

    def __init__(self, passed=(), failed=(), notes=()):
        self.passed = list(passed)
        self.failed = list(failed)
        self.notes = list(notes)
        self.seconds = 0

    def judge_status(self, status, has_program):
        """kernel/boot's word on the log and the guest's end."""
        if status in MEANING:
            self.failed.append(MEANING[status])
        elif has_program and status > 1:
            self.failed.append(f"the guest's program ended with {status}")
        else:
            self.passed.append("Linux reported no fault")


def read(path):
    with open(path, encoding="utf-8", errors="replace") as file:
        return [line.rstrip("\r\n") for line in file]


# ---- TAP --------------------------------------------------------------------

def tap(lines):
    """Results of a program; one more failed if it ended early."""
    results = Results()
    plan = None
    for line in lines:
        check, end, bail = TAP.match(line), PLAN.match(line), BAIL.match(line)
        if check and SKIP not in line:
            name = check.group(3).strip()
            passed = check.group(1) == "ok"
            (results.passed if passed else results.failed).append(name)
        elif end:
            plan = int(end.group(1))
        elif bail:
            results.failed.append(f"it gave up: {bail.group(1)}")
        elif line.startswith("# ") and not line.startswith("# qemu-system"):
            results.notes.append(line)
    return results, plan


def all_pass(lines):
    results, plan = tap(lines)
    count = len(results.passed) + len(results.failed)
    if plan is None:
        results.failed.append("it ended early: there is no line 1..N")
    elif plan != count:
        results.failed.append(f"{plan} checks were run, {count} lines read")
    return results


FAULTS = {
    "late": "stock clears the bit of a shrinker that is not registered yet",
    "again": "stock gives a new shrinker what an old one left",
    "offline": "stock loses deferred work, or has it twice",
}


def faults_are_found(lines):
    """On stock: the test finds each of the three, and nothing else."""
    found = all_pass(lines)
    results = Results(notes=found.notes)
    for fault, meaning in FAULTS.items():
        seen = any(name.startswith(fault + ":") for name in found.failed)
        (results.passed if seen else results.failed).append(
            meaning if seen else f"{meaning}: the test does not see it")
    others = tuple(fault + ":" for fault in FAULTS)
    results.failed += [name for name in found.failed
                       if not name.startswith(others)]
    return results


# ---- KTAP -------------------------------------------------------------------

def kunit(lines):
    """The cases of all suites: lines "ok" that are nested."""
    results = Results()
    suite = ""
    planned = read = 0
    for line in lines:
        text = TIME.sub("", line)
        plan = re.match(r"\s+1\.\.(\d+)$", text)
        planned += int(plan.group(1)) if plan else 0
        named = re.match(r"\s+# Subtest: (\S+)", text)
        case = re.match(r"\s+(ok|not ok) \d+ (\S+)(.*)", text)
        read += bool(case)
        if named:
            suite = named.group(1)
        elif case and SKIP not in text:
            passed = case.group(1) == "ok"
            (results.passed if passed else results.failed).append(
                f"{suite}: {case.group(2)}")
        elif not case and re.match(r"\s+# .*(EXPECTATION|ASSERTION) FAILED",
                                   text):
            results.notes.append(text.strip())
    if not read:
        results.failed.append("KUnit ran no case: is the suite built in?")
    elif planned != read:
        results.failed.append(f"{planned} cases were to be run, {read} were")
    return results
