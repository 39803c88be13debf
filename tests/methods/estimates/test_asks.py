"""Options that are declared once: signature, docstring, check, record; and those that are held."""

import inspect
import json

import numpy as np
import pandas as pd
import pytest

import pdkappa
from pdkappa.methods.estimates import asked as has
from pdkappa.methods.estimates.asks import asks, option

DATA = pd.DataFrame(
    {"a": [1, 2, 3, 1, 2, 3], "b": [1, 2, 2, 1, 3, 3], "c": [1, 3, 3, 1, 2, 1], "g": [*"xxxyyy"]}
)


class OfDemo(has.Raters, has.Weights, has.Resamples):
    """Options of a method that is none."""

    shade: float = option("How dark.", "float", default=0.5)


@asks(OfDemo, shade="Only here.")
def demo(data: pd.DataFrame, asked: OfDemo) -> OfDemo:
    """Return what is asked.

    Returns
    -------
    OfDemo
        The record.
    """
    asked.refuse("rng", because=f"{len(data)} rows are not resampled", instead="Pass ci='bca'")
    return asked


def test_signature_docstring_and_record_are_of_the_same_fields():
    names = ["data", "raters", "weights", "shade"]
    parameters = inspect.signature(demo).parameters
    assert list(parameters) == names
    assert [*demo.__annotations__] == ["return", *names]
    assert parameters["raters"].kind is inspect.Parameter.POSITIONAL_OR_KEYWORD
    assert parameters["shade"].kind is inspect.Parameter.KEYWORD_ONLY
    assert "\nshade : float, default 0.5\n    How dark. Only here.\n\nReturns\n" in demo.__doc__
    asked = demo(data=DATA, raters=["a", "b"], shade=0.25)
    assert asked.given == {"raters": ["a", "b"], "shade": 0.25}
    assert "further options: `n_resamples`, `rng`, `progress`." in demo.__doc__
    assert demo(DATA, progress=True).given == {"progress": True}  # as a study hands it over


def test_what_is_missing_or_too_much_is_told_in_the_name_of_the_function():
    with pytest.raises(
        TypeError, match=r"^demo\(\) missing 1 required positional argument: 'data'"
    ):
        demo()
    with pytest.raises(pdkappa.errors.UnknownOptionError) as caught:
        demo(DATA, ["a", "b"], raters=["a", "b"])
    assert str(caught.value) == "demo got an option twice, by its place and by its name."
    told = (
        r"^confusion needs rater_a and rater_b\. Pass rater_a=\.\.\., the first rater; "
        r"rater_b=\.\.\., the second rater\.$"
    )
    with pytest.raises(pdkappa.errors.UnknownOptionError, match=told):
        DATA.kappa.confusion()
    with pytest.raises(pdkappa.errors.UnknownOptionError) as caught:
        demo(DATA, ["a", "b"], "linear")
    assert str(caught.value) == (
        "demo takes all options but raters by name. Write demo(raters, weights='linear')."
    )
    with pytest.raises(pdkappa.errors.UnknownOptionError) as caught:
        demo(DATA, "a", "b")
    assert str(caught.value) == "demo takes raters as one list. Write demo(['a', 'b'])."
    with pytest.raises(TypeError, match=r"^demo has no option \['colour'\]\.$"):
        asks(OfDemo, colour="No option.")(demo.__wrapped__)


def test_an_option_that_changes_nothing_can_be_refused(refuses):
    with refuses():
        demo(DATA, rng=1)
    assert demo(DATA, rng=None).given == {}


def test_options_can_be_written_as_json():
    found = demo(DATA, weights=np.eye(3), shade=np.float64(0.1)).resolved(raters=["a", "b"])
    assert json.loads(json.dumps(found)) == {
        "raters": ["a", "b"],
        "weights": "ndarray",
        "n_resamples": 2000,
        "rng": None,
        "progress": False,
        "shade": 0.1,
    }
