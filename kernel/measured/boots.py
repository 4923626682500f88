# SPDX-License-Identifier: GPL-2.0-only
"""Building kernels and booting them, one after the other.

Kernels take turns: each part is measured in all of them before the next part,
and all of it again in the next round, so that whatever else the host does does
not fall on one kernel alone.
"""

import os
import re
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
BUILT = os.path.join(ROOT, "build", "kernel")
LOGS = os.path.join(BUILT, "log")
INITRAMFS = os.path.join(BUILT, "guest", "initramfs.gz")
WIDTH = 40


class Bar:
    """How far the boots are: a line that is written over and over on a
    terminal, and a line for each boot elsewhere."""

    def __init__(self, boots):
        self.boots, self.done = boots, 0
        self.start = time.monotonic()
        self.terminal = sys.stderr.isatty()

    def elapsed(self):
        seconds = int(time.monotonic() - self.start)
        return f"{seconds // 60}:{seconds % 60:02d}"

    def show(self, text):
        if not self.terminal:
            return
        full = WIDTH * self.done // self.boots
        bar = "#" * full + "." * (WIDTH - full)
        line = f"{bar} {self.done}/{self.boots} {self.elapsed()} {text}"
        print(f"\r\033[K{line[:100]}", end="", file=sys.stderr, flush=True)

    def finish(self, text):
        self.done += 1
        if not self.terminal:
            print(f"{self.done}/{self.boots} {self.elapsed()} {text}",
                  file=sys.stderr, flush=True)
        elif self.done == self.boots:
            print("\r\033[K", end="", file=sys.stderr, flush=True)


# ---- Building ---------------------------------------------------------------

def build(kernel):
    """It shows a bar of its own; returns whether the image is there."""
    return subprocess.run([f"{ROOT}/kernel/build", kernel]).returncode == 0


def pack_guest():
    """Returns what the guest's make said, or None if all is well."""
    made = subprocess.run(["make", "-s", "-C", f"{ROOT}/kernel/guest"],
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True)
    return made.stdout if made.returncode else None


# ---- Booting ----------------------------------------------------------------

def command(kernel, part, log, instructions):
    """Without merged caches, each has a line of its own in slabinfo."""
    program = ",".join(["measure", *part.arguments])
    linux = " ".join(["slab_nomerge", *part.linux, f"wane={program}"])
    return [f"{ROOT}/kernel/boot", f"{BUILT}/image/{kernel}-base",
            INITRAMFS, "-m", str(part.memory), "-t", str(part.seconds),
            "-o", log, "-a", linux,
            *(["--instructions"] if instructions else [])]


def wrong_with(text, errors, status, log):
    """What the program said, else what kernel/boot did; None if nothing."""
    if status == 0:
        return None
    said = re.search(r"^measure: (.*)$", text, re.MULTILINE)
    lines = [line for line in errors.splitlines()
             if "KVM does not" not in line]
    why = said.group(1) if said else " ".join(lines[:2])
    return f"{why or f'it ended with {status}'} ({os.path.relpath(log, ROOT)})"


def boot(kernel, part, number, bar, instructions):
    """The console's text, and what was wrong with the boot or None."""
    log = os.path.join(LOGS, f"measure-{kernel}-{part.name}-{number}.log")
    errors = log.replace(".log", ".err")
    text = []
    with open(errors, "w+", encoding="utf-8") as heard, subprocess.Popen(
            command(kernel, part, log, instructions), stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=heard, text=True,
            errors="replace") as process:
        for line in process.stdout:
            text.append(line)
            if line.startswith("# "):
                bar.show(f"{kernel}: {line[2:].strip()}")
        process.wait()
        heard.seek(0)
        text = "".join(text)
        return text, wrong_with(text, heard.read(), process.returncode, log)


def measure(kernels, parts, rounds, values, instructions=False):
    """All boots; returns what went wrong, each as a line of text."""
    bar = Bar(len(kernels) * len(parts) * rounds)
    wrong = []
    for number in range(1, rounds + 1):
        for part in parts:
            for kernel in kernels:
                bar.show(f"{kernel} boots")
                text, fault = boot(kernel, part, number, bar,
                                   instructions)
                nr = values.take(kernel, part.name, text)
                if fault:
                    wrong.append(f"{kernel}, {part.what}, round {number}, "
                                 f"after {nr} values: {fault}")
                bar.finish(f"{kernel}: {part.what}: {nr} values")
    return wrong
