"""Sums an `icount` profile by function: profile.py PROFILE < `nm -C IMAGE`."""

import bisect
import collections
import sys


def main(path):
    symbols = []
    for line in sys.stdin:
        address, kind, name = line.rstrip("\n").split(" ", 2)
        if kind in "tT" and not name.startswith("$"):
            symbols.append((int(address, 16) & ~1, name))
    symbols.sort()
    places = [place for place, _ in symbols]
    sums = collections.Counter()
    with open(path) as lines:
        for address, count in map(str.split, lines):
            at = bisect.bisect_right(places, int(address, 16)) - 1
            sums[symbols[at][1] if at >= 0 else "?"] += int(count)
    total = sum(sums.values())
    for name, count in sums.most_common():
        print(f"{count:>10} {100 * count / total:5.1f} %  {name}", file=sys.stderr)


if __name__ == "__main__":
    main(sys.argv[1])
