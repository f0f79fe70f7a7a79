"""Where the bytes of an image go, by function of the engine as it is written, however it was inlined.

    weigh.py IMAGE          (built with debug information; needs llvm-symbolizer)

`own` adds up all copies of a function's own code, without what was inlined into it; `all` with it. A small helper with
a large `own` is one that was copied into many callers.
"""

import collections
import subprocess
import sys


def functions(image):
    """Address, size and name of each symbol in the code."""
    listing = subprocess.run(["nm", "-CS", "--defined-only", image], capture_output=True, text=True, check=True).stdout
    for line in listing.splitlines():
        parts = line.split(" ", 3)
        if len(parts) == 4 and parts[2] in "tT":
            yield int(parts[0], 16) & ~1, int(parts[1], 16), parts[3]


def frames(image, addresses):
    """For each address the functions it was inlined through, innermost first, as (name, file)."""
    command = ["llvm-symbolizer", f"--obj={image}", "--inlines", "--demangle", "--output-style=LLVM"]
    query = "\n".join(map(hex, addresses))
    answer = subprocess.run(command, input=query, capture_output=True, text=True, check=True).stdout
    for block in answer.strip().split("\n\n"):
        lines = block.splitlines()
        yield list(zip(lines[::2], lines[1::2]))


def main(image):
    places = [(address, name) for start, size, name in functions(image) for address in range(start, start + size, 2)]
    own, everything, files = collections.Counter(), collections.Counter(), collections.Counter()
    for (_, symbol), stack in zip(places, frames(image, [address for address, _ in places])):
        engine = [frame for frame in stack if "/core/src/" in frame[1] and "/rustlib/" not in frame[1]]
        name, file = engine[0] if engine else (symbol, "/core/src/(not the engine)")
        own[name] += 2
        files[file.split("/core/src/", 1)[1].split(":")[0]] += 2
        for outer in {frame[0] for frame in engine}:
            everything[outer] += 2
    print("  bytes  file")
    for file, count in files.most_common():
        print(f"{count:>7}  {file}")
    print("    own      all  function")
    for name, count in own.most_common(80):
        print(f"{count:>7}  {everything[name]:>7}  {name}")


if __name__ == "__main__":
    main(sys.argv[1])
