"""Prints the figures of a run as one JSON line, and compares them with the checked-in budget or writes them there.

    budget.py FIGURES BUDGET COMPILER [--check | --bless]

FIGURES has a `name value` a line. BUDGET has, a name: `measured` (where it stood), and perhaps `must` (never above)
and `aim`. A figure over `measured` by more than the tolerance fails the check, and so does one over `must`, unless it stood
over it before: then it is only named. Another compiler makes other code: for it only `must` holds.
"""

import json
import sys

TOLERANCE = 0.03
SLACK = 16  # bytes or the like: 3 % of a small figure is less than an instruction or two


def read_figures(path):
    with open(path) as lines:
        return {name: float(value) if "." in value else int(value) for name, value in map(str.split, lines)}


def problems(figures, budget, same_compiler):
    for name, value in figures.items():
        row = budget["figures"].get(name)
        if row is None:
            yield f"{name} is not in the budget: run with --bless"
            continue
        if "must" in row and value > row["must"]:
            if row.get("measured", 0) <= row["must"]:
                yield f"{name} is {value}, must be at most {row['must']}"
            else:
                print(f"still over: {name} is {value}, must be at most {row['must']}", file=sys.stderr)
        if not same_compiler or "measured" not in row:
            continue
        slack = SLACK if isinstance(value, int) and row["measured"] else 0
        if value > row["measured"] * (1 + TOLERANCE) + slack:
            yield f"{name} is {value}, was {row['measured']}"


def show(figures, budget):
    width = max(map(len, figures), default=0)
    print(f"{'':{width}}  {'measured':>9}  {'budget':>9}  {'must':>7}  {'aim':>7}", file=sys.stderr)
    for name, value in figures.items():
        row = budget["figures"].get(name, {})
        print(
            f"{name:{width}}  {value:>9}  {row.get('measured', '-'):>9}  {row.get('must', ''):>7}  {row.get('aim', ''):>7}",
            file=sys.stderr,
        )


def main(figures_path, budget_path, compiler, verdict=None):
    figures = read_figures(figures_path)
    with open(budget_path) as file:
        budget = json.load(file)
    show(figures, budget)
    print(json.dumps({"compiler": compiler, **figures}))
    if verdict == "--bless":
        budget["compiler"] = compiler
        for name, value in figures.items():
            budget["figures"].setdefault(name, {})["measured"] = value
        with open(budget_path, "w") as file:
            json.dump(budget, file, indent=2)
            file.write("\n")
    if verdict == "--check":
        found = list(problems(figures, budget, compiler == budget["compiler"]))
        for problem in found:
            print(f"over budget: {problem}", file=sys.stderr)
        return 1 if found else 0
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
