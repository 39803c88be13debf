"""Under ``python -O``, which drops every assert, bad input is refused all the same."""

from __future__ import annotations

import subprocess
import sys

import pdkappa

SCRIPT = """
import sys
import numpy as np, pandas as pd, pdkappa

def two(a, b):
    return pd.DataFrame({"a": a, "b": b})

good = two([1, 2, 3, 1], [1, 3, 3, 2])
text = two(["low", "mid"], ["mid", "low"])
group = good.assign(g=["x", "x", "y", "y"], w=[1, 2, 3, 4])
table = pd.DataFrame([[1, 2], [3, 4]], index=["x", "y"], columns=["x", "z"])
calls = {
    "RatingTypeError": [
        lambda: pdkappa.pairs([1, 2, 3]),
        lambda: pdkappa.pairs(two([1, 2], ["1", "2"])),
        lambda: pdkappa.pairs(two([[1], [2]], [1, 2])),
        lambda: pdkappa.pairs(two([1j, 2], [1, 2])),
        lambda: pdkappa.pairs(two([True, False], [1, 2])),
        lambda: pdkappa.qwk("12", "21"),
    ],
    "RatingsError": [
        lambda: pdkappa.pairs(good, ["a"]),
        lambda: pdkappa.pairs(good.replace(3, np.nan), missing="raise"),
        lambda: pdkappa.qwk([1, 2, 3], [1, 2]),
        lambda: pdkappa.qwk(pd.Series([1, 2]), pd.Series([1, 2], index=[5, 6])),
        lambda: pdkappa.from_table(table),
        lambda: pdkappa.from_table([1, 2]),
    ],
    "CategoryError": [
        lambda: pdkappa.pairs(text, weights="linear"),
        lambda: pdkappa.pairs(good, categories={1, 2, 3}),
        lambda: pdkappa.pairs(good, categories=[1, 2]),
        lambda: pdkappa.pairs(good, categories=[1, 2, 3, 1]),
        lambda: pdkappa.pairs(good, categories=[2, 1, 3]),
        lambda: pdkappa.pairs(two([1, np.inf], [1, 2]), weights="linear"),
    ],
    "WeightsError": [
        lambda: pdkappa.pairs(good, weights=np.triu(np.ones((3, 3)))),
        lambda: pdkappa.pairs(good, weights=np.eye(2)),
        lambda: pdkappa.pairs(good, weights=np.zeros((3, 3))),
        lambda: pdkappa.pairs(good - 2, weights="ratio"),
        lambda: pdkappa.pairs(good, sample_weight=[1, 1, 1, -1]),
        lambda: pdkappa.pairs(good, sample_weight=["1", "1", "1", "1"]),
        lambda: pdkappa.grouped(group, "a", "b", by="g", group_weights="w"),
        lambda: pdkappa.fisher_mean([0.5, 0.8], [1]),
        lambda: pdkappa.fisher_mean([0.5, 0.8], [0, 0]),
        lambda: pdkappa.from_table([[1, -1], [2, 3]]),
    ],
    "OptionError": [
        lambda: pdkappa.pairs(good, "ab"),
        lambda: pdkappa.pairs(good, by=[]),
        lambda: pdkappa.pairs(good, weights="squared"),
        lambda: pdkappa.pairs(good, coefficient="kappa"),
        lambda: pdkappa.pairs(good, missing="drop"),
        lambda: pdkappa.pairs(good, ci="exact"),
        lambda: pdkappa.pairs(good, confidence_level=95),
        lambda: pdkappa.pairwise(good, stat="kappa"),
        lambda: pdkappa.confusion(good, "a", "b", normalize="rows"),
        lambda: pdkappa.fisher_mean([2.0]),
        lambda: pdkappa.fisher_mean([0.5], clip=1),
    ],
    "DuplicateRatingError": [
        lambda: pdkappa.pairs(good, ["a", "a"]),
        lambda: pdkappa.pairs(good.set_axis(["a", "a"], axis=1)),
    ],
    "ColumnNotFoundError": [
        lambda: pdkappa.pairs(good, ["a", "c"]),
        lambda: pdkappa.pairs(good, by="c"),
        lambda: good.kappa.pairs(sample_weight="c"),
    ],
    "TooLargeError": [
        lambda: pdkappa.pairs(two(range(3000), range(3000)), weights="radical"),
        lambda: pdkappa.confusion(two(range(9000), range(9000)), "a", "b"),
    ],
    "ExportError": [lambda: pdkappa.report(good, crosscheck=False).to_excel("report.txt")],
}
if __debug__:
    sys.exit("asserts are alive")
for name, bad in calls.items():
    for number, call in enumerate(bad):
        try:
            result = call()
        except pdkappa.KappaError as error:
            if type(error) is not getattr(pdkappa, name):
                sys.exit(f"{name} {number}: {error!r}")
        else:
            sys.exit(f"{name} {number}: {result!r}")
print(sum(map(len, calls.values())), pdkappa.pairs(good, weights="quadratic")["estimate"].item())
"""


def test_bad_input_is_refused_without_asserts(tmp_path):
    run = subprocess.run(
        [sys.executable, "-OO", "-W", "error", "-c", SCRIPT],
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
    )
    assert run.returncode == 0, run.stderr
    good = pdkappa.qwk([1, 2, 3, 1], [1, 3, 3, 2])
    assert run.stdout.split() == ["47", str(good)]
    assert not list(tmp_path.iterdir())
