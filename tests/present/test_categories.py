"""The picture of where on the scale raters disagree: dots, their areas, diamonds, text."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from matplotlib import pyplot as plt
from matplotlib.collections import PathCollection
from matplotlib.text import Annotation
from numpy.testing import assert_allclose

import pdkappa
from conftest import each
from pdkappa.present.plot_ratings import draw_categories

pytestmark = pytest.mark.filterwarnings("ignore::pdkappa.errors.UndefinedKappaWarning")
nan = np.nan


@pytest.fixture(autouse=True)
def _pyplot():
    """Draw without a screen, and leave no figure behind."""
    plt.switch_backend("agg")
    yield
    plt.close("all")


def marks(ax):
    """Return the dots and the diamonds."""
    return [one for one in ax.collections if isinstance(one, PathCollection)]


def labels(ax):
    return [label.get_text() for label in ax.get_yticklabels()]


def texts(ax):
    """Return the text at the right, row by row."""
    written = [one for one in ax.texts if isinstance(one, Annotation)]
    found = {}
    for one in sorted(written, key=lambda one: (one.xy[1], one.xyann[0])):
        found.setdefault(one.xy[1], []).append(one.get_text())
    return list(found.values())


FRAME = pd.DataFrame(
    {
        "prevalence": [0.5, 0.25, 0.25, 0.0],
        "bias": [0.1, -0.1, 0.0, 0.0],
        "estimate": [0.8, -0.2, 0.4, nan],
        "ci_low": [0.7, -0.3, nan, nan],
        "ci_high": [0.85, -0.1, nan, nan],
        "weight": [0.4, 0.1, 0.0, nan],
        "specific_agreement": [0.9, 0.3, 0.6, nan],
        "reason": ["", "", "", "constant_ratings"],
    },
    index=pd.Index(["a", "b", "c", "d"], name="category"),
)


def test_nothing_is_known():
    frame = FRAME.iloc[[3]].assign(bias=nan)
    ax = draw_categories(frame, coefficient="", level=0.95)
    assert [len(one.get_offsets()) for one in marks(ax)] == [0, 0]
    assert texts(ax)[1:] == [["undefined: constant ratings"]]
    empty = draw_categories(FRAME.iloc[:0], coefficient="", level=0.95)
    assert labels(empty) == []
    empty.figure.draw_without_rendering()


# --- df.kappa.plot.categories ------------------------------------------------------------------


@each(
    ("coefficient", "name"),
    [
        ("light", "Light's kappa"),
        ("fleiss", "Fleiss' kappa"),
        ("conger", "Conger's kappa"),
        ("krippendorff", "Krippendorff's alpha"),
    ],
)
@each("cuts", [False, True])
def test_the_figures_are_those_of_the_frame(coefficient, name, cuts):
    df = pdkappa.datasets.load_anxiety()
    kind = "cut" if cuts else "category"
    found = df.kappa.categories(kind=kind, coefficient=coefficient)
    ax = df.kappa.plot.categories(kind=kind, coefficient=coefficient)
    assert_allclose(marks(ax)[0].get_offsets()[:, 0], found["estimate"])
    assert_allclose(marks(ax)[1].get_offsets()[:, 0], found["specific_agreement"])
    of = "each cut, linear weights" if cuts else "each category against the rest"
    what = f"{name} of {of} (dots; line: whole scale)\nspecific agreement (diamonds)\n"
    assert ax.get_xlabel().startswith(what)
    assert labels(ax) == [f"up to {label}" if cuts else str(label) for label in found.index]


def test_the_kind_is_what_is_split():
    df = pdkappa.datasets.load_anxiety()
    cuts, plain = (df.kappa.plot.categories(kind=kind) for kind in ("cut", "category"))
    assert cuts.get_xlabel() != plain.get_xlabel()
    assert labels(plain) == [str(label) for label in df.kappa.categories().index]
    assert texts(df.kappa.plot.categories(confidence_level=0.9))[0][0] == "kappa [90 %]"
    found, agreement = df.kappa.categories(kind="cut"), df.kappa.agreement(weights="linear")
    mean = (found["estimate"] * found["weight"]).sum()
    assert_allclose(mean, agreement.loc["light", "estimate"])
