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
    """Lists of numbers, by kernel, part and key."""

    def __init__(self, lists=None):
        self.lists = lists or {}

    def take(self, kernel, part, text):
        """Adds the rows in a console's text; returns how many they were."""
        found = [LINE.match(line.strip()) for line in text.splitlines()]
        found = [row.groups() for row in found if row]
        into = self.lists.setdefault(kernel, {}).setdefault(part, {})
        for key, value in found:
            into.setdefault(key, []).append(float(value))
        return len(found)

    def all(self, kernel, part, key):
        return self.lists.get(kernel, {}).get(part, {}).get(key, [])

    def median(self, kernel, part, key):
        """None where nothing was measured."""
        numbers = self.all(kernel, part, key)
        return statistics.median(numbers) if numbers else None

    def keys(self, part, prefix):
        """All keys of a part that begin so, in any kernel."""
        return {key for parts in self.lists.values()
                for key in parts.get(part, {}) if key.startswith(prefix)}

    def save(self, path, about):
        with open(path, "w", encoding="utf-8") as file:
            json.dump({"about": about, "values": self.lists}, file, indent=1)
            file.write("\n")


def load(path):
    """The values, and what is said about them, that save() has written."""
    with open(path, encoding="utf-8") as file:
        read = json.load(file)
    return Values(read["values"]), read["about"]


def quarter(numbers, which):
    """The first or the third quartile; of one number that number."""
    if len(numbers) == 1:
        return numbers[0]
    return statistics.quantiles(numbers, n=4, method="inclusive")[which - 1]


def clearly_more(these, those):
    """Whether these are more than those beyond their noise: three in four of
    these are above the middle of those, and the other way round."""
    if not these or not those:
        return False
    return (quarter(these, 1) > statistics.median(those) and
            quarter(those, 3) < statistics.median(these))
