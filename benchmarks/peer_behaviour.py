"""Print what NLTK, irrCAC, pingouin and simpledorff make of ratings that ask for care.

    python benchmarks/peer_behaviour.py

It asks those that are installed. irrCAC needs an environment of its own, with SciPy 1.12 and
pandas below 3; pdkappa is not needed. What is right stands in `tests/test_peers.py`, which asks
statsmodels, scikit-learn and krippendorff about the same ratings.
"""

from __future__ import annotations

import warnings
from importlib.metadata import requires, version
from importlib.util import find_spec
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

if TYPE_CHECKING:
    from collections.abc import Callable

ORDER = pd.CategoricalDtype(["low", "mid", "high"], ordered=True)
FRAMES = {
    "missing": pd.DataFrame(
        {"a": [1, 2, 3, 1, 2, 3, 1, 2], "b": [1, 2, 3, 1, 2, 2, np.nan, np.nan]}
    ),
    "gap": pd.DataFrame({"a": [1, 1, 4, 4, 5], "b": [1, 4, 4, 5, 5]}),
    "ordered": pd.DataFrame(
        {"a": ["low", "mid", "high", "mid", "low"], "b": ["low", "high", "high", "mid", "mid"]}
    ).astype(ORDER),
    "alike": pd.DataFrame({"a": [1, 1, 1], "b": [1, 1, 1]}),
}


def show(name: str, call: Callable[[], object]) -> None:
    """Print what a call returns, or the error that it raises."""
    try:
        result = call()
    except Exception as error:  # noqa: BLE001, whatever it is
        result = f"{type(error).__name__}: {error}"
    print(f"  {name}: {result}")


def ask_nltk() -> None:
    """Kappa and alpha of triples (coder, item, label)."""
    from nltk.metrics import interval_distance
    from nltk.metrics.agreement import AnnotationTask

    def task(name, keep=lambda _: True, **options):
        columns = FRAMES[name].items()
        triples = [(c, i, v) for c, values in columns for i, v in values.items() if keep(v)]
        return AnnotationTask(triples, **options)

    show("missing, kappa with NaN", lambda: task("missing").kappa())
    show("missing, kappa without the triples", lambda: task("missing", pd.notna).kappa())
    show("missing, alpha without the triples", lambda: task("missing", pd.notna).alpha())
    show("gap, alpha", lambda: task("gap", distance=interval_distance).alpha())
    show("alike, kappa", lambda: task("alike").kappa())


def ask_irrcac() -> None:
    """Conger's kappa, which is Cohen's for two raters, and others."""
    from irrCAC.raw import CAC

    def coefficient(name, method, weights="identity"):
        found = getattr(CAC(FRAMES[name], weights=weights), method)()["est"]
        return {key: found[key] for key in ("coefficient_value", "se", "confidence_interval", "z")}

    print(f"  needs {', '.join(requires('irrCAC') or [])}")
    show("missing, Conger", lambda: coefficient("missing", "conger"))
    show("missing, alpha", lambda: coefficient("missing", "krippendorff"))
    show("gap, quadratic", lambda: coefficient("gap", "conger", "quadratic"))
    show("ordered, quadratic", lambda: coefficient("ordered", "conger", "quadratic"))
    for method in ("conger", "fleiss", "gwet"):
        show(f"alike, {method}", lambda method=method: coefficient("alike", method))


def ask_pingouin() -> None:
    """List what it has on agreement."""
    import pingouin

    words = ("kappa", "alpha", "agree", "intraclass")
    names = [name for name in dir(pingouin) if any(word in name.lower() for word in words)]
    print(f"  has {', '.join(names)}")


def ask_simpledorff() -> None:
    """Alpha of a frame with one rating in each row."""
    import simpledorff

    print(f"  has {', '.join(name for name in dir(simpledorff) if name.startswith('calc'))}")
    alpha = simpledorff.calculate_krippendorffs_alpha_for_df
    columns = {"experiment_col": "item", "annotator_col": "rater", "class_col": "rating"}
    for name in ("missing", "alike"):
        wide = FRAMES[name].rename_axis("item").reset_index()
        long = wide.melt("item", var_name="rater", value_name="rating")
        show(f"{name}, alpha with NaN", lambda long=long: alpha(long, **columns))
        show(f"{name}, alpha without", lambda long=long: alpha(long.dropna(), **columns))


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    asked = {
        "nltk": ask_nltk,
        "irrCAC": ask_irrcac,
        "pingouin": ask_pingouin,
        "simpledorff": ask_simpledorff,
    }
    for package, ask in asked.items():
        if find_spec(package):
            print(f"{package} {version(package)}, pandas {version('pandas')}")
            ask()
