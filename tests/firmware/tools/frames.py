"""The stack frame of each function of an image, largest first: frames.py IMAGE (needs llvm-objdump)."""

import bisect
import collections
import re
import subprocess
import sys

PROLOGUE = 24  # bytes of code in which a frame is set up


def output(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def main(image):
    symbols = []
    for line in output("nm", "-C", "--defined-only", image).splitlines():
        address, kind, name = line.split(" ", 2)
        if kind in "tT" and not name.startswith("$"):
            symbols.append((int(address, 16) & ~1, name))
    symbols.sort()
    places = [address for address, _ in symbols]
    frames = collections.Counter()
    for line in output("llvm-objdump", "-d", "--no-show-raw-insn", "--triple=thumbv7em", image).splitlines():
        code = re.match(r"\s*([0-9a-f]+):\s+(.*)", line)
        at = bisect.bisect_right(places, int(code[1], 16)) - 1 if code else -1
        if at < 0 or int(code[1], 16) - places[at] > PROLOGUE:
            continue
        if pushed := re.match(r"push\S*\s+\{(.*?)\}", code[2]):
            frames[symbols[at][1]] += 4 * len(pushed[1].split(","))
        elif reserved := re.match(r"sub\S*\s+sp,(?: sp,)? #(\d+)", code[2]):
            frames[symbols[at][1]] += int(reserved[1])
    for name, bytes_ in frames.most_common(80):
        print(f"{bytes_:>6}  {name}")


if __name__ == "__main__":
    main(sys.argv[1])
