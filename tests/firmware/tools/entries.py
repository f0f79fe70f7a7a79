"""Whether the probe calls every public function of the engine: names those that it does not.

    entries.py SOURCES PROBE

What is `pub` in the engine's sources is public (its lints deny the rest), and the probe calls a function where its name stands before a
parenthesis.
"""

import re
import sys
from pathlib import Path

# Not on a device.
ELSEWHERE = {"owned.rs", "build", "tests", "tests.rs"}
# By serde-json-core, which has branches that panic.
EXCEPT = {"serialize", "typed"}


def functions(sources):
    for path in sorted(sources.rglob("*.rs")):
        if ELSEWHERE.isdisjoint(path.relative_to(sources).parts):
            for name in re.findall(r"^\s*pub (?:const )?fn (\w+)", path.read_text(), re.M):
                yield name, path


def main(sources, probe):
    called = set()
    for path in Path(probe).glob("*.rs"):
        called.update(re.findall(r"(\w+)(?:::<[^>]*>)?\(", path.read_text()))
    missing = [(name, path) for name, path in functions(Path(sources)) if name not in called | EXCEPT]
    for name, path in missing:
        print(f"firmware: not called: {name} of {path}", file=sys.stderr)
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
