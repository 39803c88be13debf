"""What the README says of other packages is what they do, as far as they are installed."""

import inspect
import re
import warnings
from pathlib import Path

import krippendorff
import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import cohen_kappa_score
from statsmodels.stats import inter_rater

import pdkappa
from pdkappa.coefficients.chance import COEFFICIENTS

pytestmark = pytest.mark.oracle

README = Path(__file__).parents[1].joinpath("README.md").read_text(encoding="utf-8")
PEERS = ["pdkappa", "statsmodels", "scikit-learn", "krippendorff"]
ALPHABETICAL = {"high": 0, "low": 1, "mid": 2}
nan = float("nan")


def row(name):
    """Return the cells of a row of the table in the README, by package."""
    rows = [line.strip("| ").split(" | ") for line in README.splitlines() if line.startswith("| ")]
    cells = next(cells[1:] for cells in rows if cells[0] == name)
    return dict(zip(PEERS, cells, strict=True))


def ours(frame, weights=None, **options):
    """Return pdkappa's coefficient."""
    return frame.kappa.pairs(weights=weights, **options)["estimate"].item()


def of_statsmodels(frame, weights=None):
    """Return kappa of statsmodels, from the table that it makes of ratings."""
    table = inter_rater.to_table(frame.to_numpy())[0]
    return inter_rater.cohens_kappa(table, wt=weights, return_results=False)


def of_sklearn(frame, weights=None):
    """Return kappa of scikit-learn."""
    return cohen_kappa_score(frame.iloc[:, 0], frame.iloc[:, 1], weights=weights)


def alpha(frame, level):
    """Return alpha of krippendorff, which has raters in the rows."""
    return krippendorff.alpha(frame.to_numpy().T, level_of_measurement=level)


def test_the_table_names_these_packages():
    header = next(line for line in README.splitlines() if line.startswith("| | pdkappa"))
    assert re.findall(r"[a-z]+-?[a-z]+", header) == PEERS


def test_a_missing_rating():
    cells = row("a missing rating")
    frame = pd.DataFrame({"a": [1, 2, 3, 1, 2, 3, 1, 2], "b": [1, 2, 3, 1, 2, 2, nan, nan]})
    right = ours(frame.dropna())
    assert ours(frame) == right
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # newer versions of NumPy warn of the cast
        assert f"{of_statsmodels(frame):.2f} instead of {right:.2f}" in cells["statsmodels"]
        with pytest.raises(ValueError, match="NaN"):
            of_sklearn(frame)
    assert cells["scikit-learn"] == "an error"
    assert alpha(frame, "nominal") == pytest.approx(alpha(frame.dropna(), "nominal"))
    assert cells["krippendorff"].startswith("left out")


def test_a_gap_in_the_scale():
    cells = row("from score 1 to 4, if 2 and 3 are not used")
    frame = pd.DataFrame({"a": [1, 1, 4, 4, 5], "b": [1, 4, 4, 5, 5]})
    closed = frame.replace({4: 2, 5: 3})
    right, wrong = ours(frame, "quadratic"), ours(closed, "quadratic")
    for package, other in (("statsmodels", of_statsmodels), ("scikit-learn", of_sklearn)):
        assert other(frame, "quadratic") == pytest.approx(wrong)
        assert cells[package].startswith("**one step**")
    assert f"{wrong:.2f} instead of {right:.2f}" in cells["statsmodels"]
    assert alpha(frame, "interval") == pytest.approx(
        ours(frame, "quadratic", coefficient="krippendorff")
    )
    assert cells["krippendorff"] == cells["pdkappa"] == "three steps"


def test_the_order_of_categories():
    cells = row("an ordered Categorical: low, mid, high")
    order = pd.CategoricalDtype(["low", "mid", "high"], ordered=True)
    frame = pd.DataFrame(
        {"a": ["low", "mid", "high", "mid", "low"], "b": ["low", "high", "high", "mid", "mid"]}
    ).astype(order)
    codes = frame.apply(lambda column: column.cat.codes)
    alphabetical = frame.astype(str).apply(lambda column: column.map(ALPHABETICAL))
    right, wrong = ours(frame, "quadratic"), ours(alphabetical, "quadratic")
    assert right == ours(codes, "quadratic")
    for package, other in (("statsmodels", of_statsmodels), ("scikit-learn", of_sklearn)):
        assert other(frame, "quadratic") == pytest.approx(wrong)
        assert cells[package].startswith("**high, low, mid**")
    assert f"{wrong:.2f} instead of {right:.2f}" in cells["statsmodels"]
    with pytest.raises(ValueError, match=r"value.domain"):
        alpha(frame, "ordinal")
    assert cells["krippendorff"] == "an error"


def test_text_without_an_order():
    cells = row("text without an order, quadratic weights")
    text = pd.DataFrame({"a": ["low", "mid", "high", "low"], "b": ["low", "high", "high", "mid"]})
    alphabetical = text.apply(lambda column: column.map(ALPHABETICAL))
    with pytest.raises(pdkappa.errors.CategoryError):
        ours(text, "quadratic")
    for package, other in (("statsmodels", of_statsmodels), ("scikit-learn", of_sklearn)):
        assert other(text, "quadratic") == pytest.approx(ours(alphabetical, "quadratic"))
        assert cells[package] == "**alphabetical**"
    for values in (text.to_numpy().T, text.to_numpy(dtype="U").T):
        with pytest.raises(ValueError, match=r"value.domain"):
            krippendorff.alpha(values, level_of_measurement="ordinal")
    assert cells["krippendorff"] == "an error"


@pytest.mark.filterwarnings("ignore")
def test_ratings_that_are_all_the_same():
    cells = row("all ratings identical")
    frame = pd.DataFrame({"a": [1, 1, 1], "b": [1, 1, 1]})
    assert np.isnan([ours(frame), of_statsmodels(frame), of_sklearn(frame)]).all()
    assert [cells[name] for name in PEERS[1:3]] == ["NaN", "NaN"]
    assert frame.kappa.pairs()["reason"].item() == "constant_ratings"
    with pytest.raises(ValueError, match="more than one value"):
        alpha(frame, "nominal")
    assert cells["krippendorff"] == "an error"


def test_two_series_in_another_order():
    cells = row("two Series, one in another order")
    first = pd.Series([1, 2, 3, 1], index=list("abcd"))
    second = first[::-1]
    assert first.kappa.pair(second)["estimate"] == 1
    side_by_side = pd.DataFrame({"a": first.to_numpy(), "b": second.to_numpy()})
    assert cohen_kappa_score(first, second) == pytest.approx(ours(side_by_side))
    pair = np.array([first, second])
    assert alpha(pd.DataFrame(pair.T), "nominal") < 1
    assert krippendorff.alpha(pair) < 1
    table = inter_rater.to_table(np.column_stack([first, second]))[0]
    assert inter_rater.cohens_kappa(table).kappa < 1
    assert cells["scikit-learn"] == "**by position**"
    assert cells["statsmodels"] == cells["krippendorff"] == "takes an array"


def test_standard_errors():
    cells = row("standard error, interval")
    table = np.array([[10, 1], [0, 2]])
    found = inter_rater.cohens_kappa(table)
    high = pdkappa.from_table(table).pairs()["ci_high"].item()
    assert found.std_kappa > 0
    assert f"{found.kappa_upp:.2f}" in cells["statsmodels"]
    assert high <= 1
    assert np.ndim(inter_rater.fleiss_kappa(np.array([[2, 0], [1, 1]]))) == 0
    ratings = pd.DataFrame({"a": [1, 2, 1], "b": [1, 2, 2]})
    assert np.ndim(of_sklearn(ratings)) == np.ndim(alpha(ratings, "nominal")) == 0
    assert [cells[name] for name in PEERS[2:]] == ["no", "no"]


def test_coefficients():
    cells = row("coefficients")
    ratings = pd.DataFrame({"a": [1, 2, 1], "b": [1, 2, 2]})
    assert f"{'seven' * (len(ratings.kappa.agreement()) == 7)} for all raters" in cells["pdkappa"]
    assert f"{'six' * (len(COEFFICIENTS) == 6)} for pairs" in cells["pdkappa"]
    table = np.array([[2, 0], [0, 2], [1, 1]])
    assert inter_rater.fleiss_kappa(table, method="rand") == pytest.approx(1 / 3)
    own = [name for name, one in vars(inter_rater).items() if inspect.isfunction(one)]
    assert {"cohens_kappa", "fleiss_kappa"} <= set(own)
    assert not [name for name in own if re.search("alpha|gwet|scott|conger", name)]
    assert cells["statsmodels"] == "Cohen, Fleiss, Randolph"
    assert cells["scikit-learn"] == "Cohen"
    assert cells["krippendorff"] == "alpha"


def test_versions():
    """The figures above hold for all supported versions; the README names those it was seen on."""
    assert re.search(r"statsmodels 0\.\d+\.\d+, scikit-learn 1\.\d+\.\d+ and krippendorff", README)
