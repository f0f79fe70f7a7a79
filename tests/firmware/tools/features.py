"""Compares what core/Cargo.toml says of the cost of each feature with what was measured, or writes it there.

    features.py FIGURES CARGO_TOML [--check | --bless]

The comment above a feature that costs flash ends with `Costs N KB.`
"""

import re
import sys

TOLERANCE = 0.1

# The figure of a feature; of two, their difference.
FIGURES = {
    "compile": ["flash.compile_adds"],
    "fold": ["flash.fold_adds"],
    "regex": ["flash.regex_adds"],
    "formats": ["flash.formats_adds"],
    "messages": ["flash.load_and_messages", "flash.load"],
    "unicode": ["flash.unicode_adds"],
    "idn": ["flash.idn_adds"],
    "meta-schemas": ["flash.meta_schemas_adds"],
    "mcp": ["flash.mcp_adds"],
}


def measured(figures, names):
    value, *less = (figures[name] for name in names)
    return (value - sum(less)) / 1000


def main(figures_path, manifest_path, verdict=None):
    with open(figures_path) as lines:
        figures = {name: float(value) for name, value in map(str.split, lines)}
    with open(manifest_path) as file:
        manifest = file.read()
    found = []
    for feature, names in FIGURES.items():
        cost = measured(figures, names)
        stated = re.search(rf"Costs ([\d.]+) KB\.(?=\n{feature} = )", manifest)
        if stated is None:
            found.append(f"{manifest_path} has no `Costs … KB.` above {feature}, which costs {cost:.1f} KB")
        elif verdict == "--bless":
            manifest = f"{manifest[: stated.start(1)]}{cost:.1f}{manifest[stated.end(1) :]}"
        elif abs(float(stated[1]) - cost) > TOLERANCE * cost:
            found.append(f"{manifest_path} says that {feature} costs {stated[1]} KB, and it costs {cost:.1f} KB: run with --bless")
    if verdict == "--bless":
        with open(manifest_path, "w") as file:
            file.write(manifest)
    for problem in found:
        print(f"firmware: {problem}", file=sys.stderr)
    return 1 if found and verdict else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
