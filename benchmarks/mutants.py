"""Change a sign, a bound or a number of the arithmetic, one at a time, and see what tests notice.

    python benchmarks/mutants.py --jobs 2                 # as many as 9 minutes allow
    python benchmarks/mutants.py --jobs 2 --minutes 60 --most-mutants 300
    python benchmarks/mutants.py --seed 7                 # another sample

The places are drawn from a seed among `coefficients/` and those functions of `methods/` that know
numbers alone. Not drawn is what changes no number: annotations, another shape, which NumPy refuses,
and statements that name the size of a block or where one way becomes faster than another; `<` for
`<=` where one side is a tolerance such as 1e-12, which no number is equal to; and the sign of
`axis=-1`, of which the figure is drawn: the last axis of a matrix is 1, and where there are three,
-2 is as wrong as 1.

Each change is planted in a copy of the tree, as faults are by `planted_faults.py`, where the tests
that execute its line run until one fails: first those of `tests/test_numbers.py`, which are quick
and of all methods. The rate is printed, survivors are listed: some change nothing that can be seen
(`>` for `>=` where no two are equal, where a search starts), the others want a test. Below 75 % the
exit status is 1.
"""

from __future__ import annotations

import argparse
import ast
import re
import sys
import tempfile
import time
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from executing_tests import Tests, measure, seconds_file
from planted_faults import (
    NO_END,
    Fault,
    copy_of_tree,
    place_at,
    plant_all,
    prepare,
    sources_of_package,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from executing_tests import Place
    from planted_faults import Outcome

SEED = 20261126
LEAST = 0.75  # of those that are planted
NET = "tests/test_numbers.py"  # runs first: quick, and of all methods
TESTS = (
    NET,
    *("tests/coefficients", "tests/methods", "tests/test_laws.py", "tests/test_errors.py"),
    *("tests/test_validation.py", "tests/test_published.py"),
    *("tests/test_range.py", "tests/test_golden.py"),
    *("tests/test_limits.py", "tests/test_invariance.py", "tests/ratings"),
)
OF_NUMBERS = re.compile(r"\b(?:Float|Int|Bool|Count|Object)Array\b|\b(?:RatingRows|PairCounts)\b")
OF_FRAMES = re.compile(r"\bpd\.|Frame|Series|Labelled|Answers|Cells")
OF_WORK = re.compile(
    r"\b(?:BLOCK|BYTES|FEW_(?:JOINT|RATERS)|LARGEST_(?:PRODUCT|TABLE|MATRIX)|MOST_(?:BINS|CELLS|JOINT)"
    r"|PACKED|PRODUCTS_OF_JOINT)\b"
)
OPERATORS: dict[type, str] = {
    ast.Add: "-",
    ast.Sub: "+",
    ast.Mult: "/",
    ast.Div: "*",
    ast.Pow: "*",
    ast.FloorDiv: "/",
    ast.Lt: "<=",
    ast.LtE: "<",
    ast.Gt: ">=",
    ast.GtE: ">",
    ast.Eq: "!=",
    ast.NotEq: "==",
    ast.And: "or",
    ast.Or: "and",
    ast.BitAnd: "|",
    ast.BitOr: "&",
}
NAMES = {"minimum": "maximum", "maximum": "minimum", "any": "all", "all": "any", "floor": "ceil"}
NAMES |= {"min": "max", "max": "min", "argmin": "argmax", "sqrt": "abs", "cumsum": "asarray"}
TINY = 1e-5


class NetFirst(Tests):
    """Tests of a place, those first that hold the numbers of calls which take it."""

    def of(self, place: Place) -> list[str]:
        seeing = self.execute(place)
        return sorted(
            super().of(place), key=lambda one: not (one in seeing and one.startswith(NET))
        )


class Mutant(NamedTuple):
    """A change: where it is, what stands there, and what instead."""

    file: str
    line: int
    start: int
    end: int
    old: str
    new: str


def mutants_of(file: str, text: str) -> Iterator[Mutant]:
    """Find all changes of a module."""
    lines = [0]
    for line in text.splitlines(keepends=True):
        lines.append(lines[-1] + len(line.encode()))

    def at(line: int, column: int) -> int:
        return lines[line - 1] + column

    for function in _functions(file, ast.parse(text)):
        for node in _running(function):
            for first, last, new in _changes(node):
                start, end = at(*first), at(*last)
                old = text.encode()[start:end].decode()
                if "\n" not in old and old.strip() != new.strip():
                    yield Mutant(file, first[0], start, end, old, new)


def _running(node: ast.AST) -> Iterator[ast.AST]:
    """Return what runs in a function, and changes a number.

    Annotations do not run; another shape is refused by NumPy, or is the same; and numbers that say
    how much is done at a time, or by which of two ways, say nothing of what comes out.
    """
    yield node
    is_shape = isinstance(node, ast.Call) and ast.unparse(node.func).endswith("reshape")
    if isinstance(node, ast.keyword) and node.arg == "axis" and isinstance(node.value, ast.UnaryOp):
        node = node.value
    for name, held in ast.iter_fields(node):
        if name in ("annotation", "returns") or (is_shape and name == "args"):
            continue
        for one in held if isinstance(held, list) else [held]:
            if isinstance(one, ast.stmt) and not hasattr(one, "body"):
                if not OF_WORK.search(ast.unparse(one)):
                    yield from _running(one)
            elif isinstance(one, ast.AST):
                yield from _running(one)


def _functions(file: str, tree: ast.Module) -> Iterator[ast.AST]:
    """Return the functions that know numbers alone."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            given = " ".join(
                ast.unparse(one.annotation)
                for one in (*node.args.args, *node.args.kwonlyargs)
                if one.annotation
            )
            result = ast.unparse(node.returns) if node.returns else ""
            of_numbers = OF_NUMBERS.search(given) and not OF_FRAMES.search(f"{given} {result}")
            if "/coefficients/" in file or of_numbers:
                yield node


def _changes(node: Any) -> Iterator[tuple[tuple[int, int], tuple[int, int], str]]:
    """Return the changes of a node: from where to where, and what stands there then."""
    if isinstance(node, ast.BinOp) and type(node.op) in OPERATORS:
        yield _between(node.left, node.right, OPERATORS[type(node.op)])
    elif isinstance(node, ast.Compare) and len(node.ops) == 1 and type(node.ops[0]) in OPERATORS:
        if not any(map(_is_tiny, ast.walk(node))):
            yield _between(node.left, node.comparators[0], OPERATORS[type(node.ops[0])])
    elif isinstance(node, ast.BoolOp):
        yield _between(node.values[0], node.values[1], OPERATORS[type(node.op)])
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub | ast.Not | ast.Invert):
        yield (node.lineno, node.col_offset), (node.operand.lineno, node.operand.col_offset), " "
    elif isinstance(node, ast.Constant) and type(node.value) in (int, float):
        here = (node.lineno, node.col_offset), (node.end_lineno or 0, node.end_col_offset or 0)
        yield *here, repr(node.value + 1)
    elif isinstance(node, ast.Attribute) and node.attr in NAMES:
        end = (node.end_lineno or 0, node.end_col_offset or 0)
        yield (end[0], end[1] - len(node.attr)), end, NAMES[node.attr]


def _is_tiny(node: ast.AST) -> bool:
    """Tell whether a node is a tolerance, a number or its name, which nothing is equal to."""
    if isinstance(node, ast.Name):
        return node.id in _tolerances()
    return isinstance(node, ast.Constant) and type(node.value) is float and 0 < node.value < TINY


@cache
def _tolerances() -> set[str]:
    """Return the names of all constants of the package that are numbers as small."""
    text = "\n".join(sources_of_package().values())
    found = re.findall(r"^([A-Z_]+) = (\S+)", text, re.MULTILINE)
    tiny = {one for one in found if re.fullmatch(r"[\d.]+e-\d+", one[1]) and float(one[1]) < TINY}
    return {name for name, _ in tiny} - {name for name, _ in {*found} - tiny}


def _between(left: Any, right: Any, sign: str) -> tuple[tuple[int, int], tuple[int, int], str]:
    """Replace what stands between two operands, where that is a sign alone."""
    first = (left.end_lineno, left.end_col_offset)
    return first, (right.lineno, right.col_offset), f" {sign} "


def drawn(sources: dict[str, str], n: int, seed: int) -> list[Mutant]:
    """Draw changes that leave a module that can be parsed, each of another place."""
    every = [
        mutant
        for file, text in sources.items()
        if "/coefficients/" in file or "/methods/" in file
        for mutant in mutants_of(file, text)
    ]
    every = sorted({(one.file, one.start): one for one in every}.values())
    order = np.random.default_rng(seed).permutation(len(every))
    print(f"{len(every)} places", flush=True)
    kept: list[Mutant] = []
    tree_of = cache(lambda file: ast.dump(ast.parse(sources[file])))
    for place in order:
        if len(kept) == n:
            break
        one = every[place]
        try:
            same = ast.dump(ast.parse(changed(one, sources))) == tree_of(one.file)
        except SyntaxError:  # brackets stood between the operands
            continue
        kept += [] if same else [one]
    return kept


def changed(mutant: Mutant, sources: dict[str, str]) -> str:
    """Return the module with its change."""
    text = sources[mutant.file].encode()
    return (text[: mutant.start] + mutant.new.encode() + text[mutant.end :]).decode()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--jobs", type=int, default=1, help="changes at a time")
    parser.add_argument("--minutes", type=float, default=9.0, help="for planting them")
    parser.add_argument("--most-mutants", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=SEED, help="of the sample")
    parser.add_argument("--most", type=int, default=150, help="tests of a change")
    parser.add_argument("--seconds", type=float, default=30.0, help="of the processor, of a change")
    parser.add_argument("--coverage", type=Path, help="file of what is known of the tests")
    options = parser.parse_args()
    prepare()
    sources = sources_of_package()
    sample = {
        f"m{at}": one for at, one in enumerate(drawn(sources, options.most_mutants, options.seed))
    }
    faults = [
        Fault("arithmetic", name, sources[one.file], changed(one, sources))
        for name, one in sample.items()
    ]
    places = {
        name: place_at(one.file, sources[one.file], one.line, one.line)
        for name, one in sample.items()
    }
    with tempfile.TemporaryDirectory(prefix="mutants-") as folder:
        pristine = copy_of_tree(Path(folder) / "tree")
        file = options.coverage or Path(folder) / "coverage.sqlite"
        if not seconds_file(file).exists():
            print("Running the tests once ...", flush=True)
            measure(pristine, file, options.jobs, TESTS)
        tests = NetFirst(file, sources, pristine)
        until = time.monotonic() + 60 * options.minutes
        found = plant_all(faults, places, tests, pristine, options, until=until)
    unseen = {name for name, one in places.items() if not tests.execute(one)}
    return report(sample, found, unseen)


def report(sample: dict[str, Mutant], found: dict[str, Outcome], unseen: set[str]) -> int:
    """Print the rate and the survivors; return the exit status.

    What no test executes survives. Tests that do not end, or end the process, notice a change.
    """
    killers = {name: one.test for name, one in found.items() if one.test is not None}
    for name, one in sample.items():
        if name in found.keys() - killers.keys():
            told = " (no test executes it)" if name in unseen else f" ({found[name].n_tests} tests)"
            what = f"{one.old.strip()!r} -> {one.new.strip()!r}"
            print(f"survives: {one.file}:{one.line}: {what}{told}")
    n_ended = sum(test == NO_END for test in killers.values())
    n_imports = sum("::" not in test for test in killers.values()) - n_ended
    rate = len(killers) / max(len(found), 1)
    print(
        f"{len(killers)} of {len(found)} changes are noticed: {rate:.0%}; {n_imports} of them when "
        f"the package is imported, {n_ended} by tests without an end"
    )
    return int(rate < LEAST)


if __name__ == "__main__":
    sys.exit(main())
