# SPDX-License-Identifier: GPL-2.0-only
"""What was measured: for each kernel, part and key all of its values.

A part is what is measured in one boot.  Its program prints "KEY<TAB>VALUE"
each time that it has measured something; the same key again, there or in
another boot of the same part, is one more value of the same thing.
"""

import json
import re
import statistics

LINE = re.compile(r"^([a-z][A-Za-z0-9_-]*)\t(-?[0-9.]+(?:e[-+]?[0-9]+)?)$")


class Values:
    """For each kernel and part its boots: lists of numbers by key."""

    def __init__(self, boots=None):
        self.boots = boots or {}

    def take(self, kernel, part, text):
        """Adds the rows in a boot's console; returns how many they were."""
        found = [LINE.match(line.strip()) for line in text.splitlines()]
        found = [row.groups() for row in found if row]
        boot = {}
        for key, value in found:
            boot.setdefault(key, []).append(float(value))
        self.boots.setdefault(kernel, {}).setdefault(part, []).append(boot)
        return len(found)

    def of_boots(self, kernel, part):
        return self.boots.get(kernel, {}).get(part, [])

    def medians(self, kernel, part, key):
        """One for each boot that has measured it."""
        return [statistics.median(boot[key])
                for boot in self.of_boots(kernel, part) if key in boot]

    def median(self, kernel, part, key):
        """Of all values in all boots; None where nothing was measured."""
        numbers = [number for boot in self.of_boots(kernel, part)
                   for number in boot.get(key, [])]
        return statistics.median(numbers) if numbers else None

    def keys(self, part, prefix):
        """All keys of a part that begin so, in any kernel."""
        return {key for kernel in self.boots
                for boot in self.of_boots(kernel, part)
                for key in boot if key.startswith(prefix)}

    def save(self, path, about):
        with open(path, "w", encoding="utf-8") as file:
            json.dump({"about": about, "boots": self.boots}, file, indent=1)
            file.write("\n")


def load(path):
    """The values, and what is said about them, that save() has written."""
    with open(path, encoding="utf-8") as file:
        read = json.load(file)
    return Values(read["boots"]), read["about"]
