"""Who can panic: panics.py IMAGE prints `function -> panic function` for each call (needs llvm-objdump)."""

import bisect
import re
import subprocess
import sys

PANICS = re.compile(r"core::panicking|panic_fmt|unwrap_failed|expect_failed|_fail\b")


def output(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def main(image):
    symbols = []
    for line in output("nm", "-C", "--defined-only", image).splitlines():
        address, kind, name = line.split(" ", 2)
        if kind in "tT":
            symbols.append((int(address, 16) & ~1, name))
    symbols.sort()
    places = [address for address, _ in symbols]
    panics = {address: name for address, name in symbols if PANICS.search(name)}
    for line in output("llvm-objdump", "-d", "--no-show-raw-insn", "--triple=thumbv7em", image).splitlines():
        call = re.match(r"\s*([0-9a-f]+):\s+b\S*\s+0x([0-9a-f]+)", line)
        if call and int(call[2], 16) in panics:
            caller = symbols[bisect.bisect_right(places, int(call[1], 16)) - 1][1]
            print(f"{caller} -> {panics[int(call[2], 16)]}", file=sys.stderr)


if __name__ == "__main__":
    main(sys.argv[1])
