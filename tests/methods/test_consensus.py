"""`consensus`: values of crowd-kit, laws, ties, items that nobody rated, groups, entry points."""

import json
import pickle
from pathlib import Path
from unittest.mock import patch

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from pandas.testing import assert_frame_equal

import pdkappa
from conftest import exactly, raising
from pdkappa.methods import consensus as fitting
from pdkappa.methods import consensus as results
from pdkappa.methods.consensus import METHODS, Steps, Votes, confusion

FOLDER = Path(__file__).parents[1] / "data" / "consensus"
DATA = {path.stem: json.loads(path.read_text(encoding="utf-8")) for path in FOLDER.glob("*.json")}
stops_early = pytest.mark.filterwarnings("ignore::pdkappa.errors.NotConvergedWarning")


def long_of(name):
    """Return the ratings of a file, one below the other."""
    return pd.DataFrame(DATA[name]["ratings"], columns=["task", "worker", "label"])


def listed(frame):
    """Return them as ratings."""
    return pdkappa.from_long(frame, item="task", rater="worker", rating="label")


def wide_of(frame):
    """Return them as a wide frame."""
    return frame.pivot_table(index="task", columns="worker", values="label", aggfunc="first")


@stops_early
@pytest.mark.parametrize("name", sorted(DATA))
def test_outside_values(name):
    """Of a wide frame; those of a list ``elsewhere/studies.py`` compares, but for the labels."""
    data, frame = DATA[name], long_of(name)
    labels = data["categories"]
    for method in METHODS:
        steps = {"max_iter": data["expected"]["steps"], "tol": 0}
        options = {"method": method, **(steps if method == "dawid_skene" else {})}
        found = wide_of(frame).kappa.consensus(**options)
        expected = np.array(data["expected"][method])
        top = np.sort(expected, axis=1)
        assert_allclose(found["probability"], top[:, -1], atol=1e-8)
        assert_array_equal(found["label"], listed(frame).consensus(**options)["label"])
        place = [labels.index(label) for label in found["label"]]
        assert_allclose(expected[np.arange(len(place)), place], top[:, -1], atol=1e-8)
        assert found["tied"].tolist() == (top[:, -1] - top[:, -2] < 1e-9).tolist()
        assert found["n_ratings"].tolist() == frame.groupby("task").size().tolist()
        assert found.index.equals(pd.Index(sorted(frame["task"].unique()), name="task"))


def test_the_data_of_dawid_and_skene_with_repeated_ratings():
    """Of whom the first anaesthetist rated three times."""
    frame, expected = long_of("anaesthesia"), DATA["anaesthesia"]["pooled"]
    votes = Votes(
        item=frame["task"].to_numpy() - 1,
        rater=frame["worker"].str[0].astype(int).to_numpy() - 1,
        category=frame["label"].to_numpy() - 1,
        n_items=45,
        n_raters=5,
        n_categories=4,
        weights=np.ones(45),
    )
    found = METHODS["dawid_skene"](votes, Steps(expected["steps"], 0.0))
    errors = confusion(votes, found.truth)
    for rater, truth, label, value in expected["errors"]:
        assert abs(errors[int(rater) - 1, truth - 1, label - 1] - value) < 1e-8
    assert_allclose(found.truth.toarray().mean(axis=0), expected["priors"], atol=1e-8)
    assert np.round(expected["priors"], 2).tolist() == [0.4, 0.42, 0.11, 0.07]


@st.composite
def crowds(draw):
    """Draw a frame of two to five raters, with missing ratings."""
    n_items, n_raters = draw(st.integers(1, 12)), draw(st.integers(2, 5))
    rating = st.sampled_from(["a", "b", "c", None])
    rows = st.lists(rating, min_size=n_raters, max_size=n_raters)
    table = draw(st.lists(rows, min_size=n_items, max_size=n_items))
    return pd.DataFrame(table, columns=[f"r{i}" for i in range(n_raters)], dtype=object)


@stops_early
@pytest.mark.filterwarnings("ignore::pdkappa.errors.LookalikeLabelsWarning")
@settings(max_examples=15)
@given(crowds(), st.randoms(use_true_random=False))
def test_laws(frame, random):
    raters, rated = list(frame.columns), frame.notna().any(axis=1).to_numpy()
    order = random.sample(raters, len(raters))
    rows = random.sample(range(len(frame)), len(frame))
    twice = pd.concat([frame, frame], ignore_index=True)
    long = frame.melt(ignore_index=False).dropna().reset_index(names="task")
    for method in METHODS:
        steps = {"max_iter": 20} if method == "dawid_skene" else {}
        options = {"method": method, **steps}
        found = frame.kappa.consensus(raters, **options)
        path = found.log_likelihood.to_numpy()
        assert (np.diff(path) >= -1e-10 * np.abs(path[1:]) - 1e-14).all()
        assert (len(path) > 0) == (method == "dawid_skene" and rated.any())
        assert found["label"].notna().tolist() == rated.tolist()
        assert found["probability"].dropna().between(1 / 3 - 1e-12, 1).all()
        assert found["margin"].dropna().between(0, 1).all()
        assert (found["margin"] == 0).tolist() == found["tied"].tolist()
        figures = found.raters
        assert (
            figures[["accuracy", "agreement"]].melt()["value"].dropna().between(0, 1 + 1e-12).all()
        )
        assert (
            np.isclose(figures["share_of_agreement"].sum(), 1)
            or (figures["share_of_agreement"].isna() | (figures["agreement"] == 0)).all()
        )
        sums = found.confusion.sum(axis=1, skipna=False).dropna()
        assert_allclose(sums, 1, rtol=1e-12)

        turned = frame.iloc[rows].kappa.consensus(order, **options)
        assert_frame_equal(pd.DataFrame(turned.loc[frame.index]), pd.DataFrame(found), rtol=1e-6)
        doubled = frame.kappa.consensus(raters, **options, sample_weight=np.full(len(frame), 2))
        assert_frame_equal(pd.DataFrame(doubled), pd.DataFrame(found), rtol=1e-6)
        repeated = twice.kappa.consensus(raters, **options)[: len(frame)]
        assert_frame_equal(repeated, pd.DataFrame(found), rtol=1e-6)
        if rated.any() and len(set(long["variable"])) > 1:
            ratings = pdkappa.from_long(long, item="task", rater="variable", rating="value")
            same = ratings.consensus(**options)
            expected = pd.DataFrame(found)[rated].rename_axis("task")
            assert_frame_equal(pd.DataFrame(same), expected, rtol=1e-6)


def test_a_group_is_what_it_is_alone():
    frame = wide_of(long_of("sparse_crowd")).reset_index(drop=True)
    frame["site"] = np.where(np.arange(len(frame)) % 3 == 0, "x", "y")
    raters = [name for name in frame.columns if name != "site"]
    frame.loc[5, raters] = None
    for method in METHODS:
        found = frame.kappa.consensus(raters, method=method, by="site")
        assert found.index.names == ["site", None]
        for site, part in frame.groupby("site"):
            alone = part.kappa.consensus(raters, method=method, categories=["x", "y", "z"])
            own = found.loc[site]
            assert_frame_equal(own, pd.DataFrame(alone))
            for name in ("raters", "confusion"):
                one, other = (getattr(one, name) for one in (found, alone))
                assert_frame_equal(one.loc[site], pd.DataFrame(other))
            assert len(found.log_likelihood) == 0 or (
                found.log_likelihood[site].tolist() == alone.log_likelihood.tolist()
            )


def test_of_equal_labels_the_first_in_the_order_of_the_categories():
    frame = pd.DataFrame({"a": ["x", "y", None], "b": ["y", "y", None], "c": ["z", "x", None]})
    found = frame.kappa.consensus()
    assert found["label"].tolist()[:2] == ["x", "y"]
    assert pd.isna(found["label"][2])
    assert found["tied"].tolist() == [True, False, False]
    assert found["n_ratings"].tolist() == [3, 3, 0]
    assert found["probability"].isna().tolist() == found["margin"].isna().tolist()
    assert found["margin"].isna().tolist() == [False, False, True]
    assert frame.kappa.consensus(categories=["z", "y", "x"])["label"][0] == "z"


def test_it_is_a_frame_that_can_be_kept():
    frame = wide_of(long_of("sparse_crowd"))
    found = frame.kappa.consensus(method="dawid_skene")
    assert isinstance(found, pdkappa.results.Consensus)
    columns = ["label", "probability", "n_ratings", "margin", "tied", "reason", "remark"]
    assert [*found.columns] == columns
    of_raters = ["n_ratings", "accuracy", "agreement", "share_of_agreement", "reason", "remark"]
    assert [*found.raters.columns] == of_raters
    again = pickle.loads(pickle.dumps(found))  # noqa: S301
    assert_frame_equal(again, found)
    assert_frame_equal(again.raters, found.raters)
    assert type(found[found["margin"] > 0.5]) is pd.DataFrame
    assert "Raters: w0" in repr(found)
    assert found.raters.index.tolist() == found.attrs["raters"]


def test_counts_of_categories_have_a_majority_and_no_raters(refuses):
    counts = pd.DataFrame({"x": [2, 0, 1], "y": [1, 3, 1]}, index=["i", "j", "k"])
    found = pdkappa.from_counts(counts).consensus()
    assert found["label"].tolist() == ["x", "y", "x"]
    assert found.index.tolist() == ["i", "j", "k"]
    assert found["tied"].tolist() == [False, False, True]
    for wrong in (
        lambda: found.raters,
        lambda: found.confusion,
        lambda: pdkappa.from_counts(counts).consensus(method="dawid_skene"),
    ):
        with refuses():
            wrong()


def test_no_wide_frame_is_made_of_a_crowd():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"task": np.arange(600) // 2, "worker": rng.permutation(600) % 200})
    frame = frame.drop_duplicates(["task", "worker"]).assign(label=1)
    with patch("pdkappa.ratings.long_ratings.LARGEST_FRAME", 1000):
        assert len(listed(frame).consensus()) == 300


REFUSED = {
    "another name": {"method": "vote"},
    "no such name": {"method": "majorty"},
    "no step": {"max_iter": 0},
    "part of a step": {"max_iter": 1.5},
    "negative": {"tol": -1.0},
    "text": {"tol": "no"},
}


@raising("consensus", REFUSED)
def test_options_that_are_refused(call, refused):
    with refused():
        wide_of(long_of("sparse_crowd")).kappa.consensus(**call)


def test_models_that_are_too_large(refuses):
    frame = wide_of(long_of("sparse_crowd"))
    with patch.object(fitting, "LARGEST_MODEL", 100), refuses():
        frame.kappa.consensus(method="dawid_skene")
    found = frame.kappa.consensus()
    with patch.object(results, "LARGEST_CONFUSION", 80), refuses(1):
        found.confusion  # noqa: B018


def test_steps_that_do_not_come_to_an_end():
    frame = wide_of(long_of("sparse_crowd")).reset_index(drop=True)
    frame["site"] = np.arange(len(frame)) % 3
    raters = [name for name in frame.columns if name != "site"]
    message = (
        "The probabilities still change in step 2. Pass a larger max_iter, or a larger tol "
        "if that is precise enough."
    )
    with pytest.warns(pdkappa.errors.NotConvergedWarning, match=exactly(message)):
        frame.kappa.consensus(raters, method="dawid_skene", max_iter=2)
    message = message.replace("step 2.", "step 2 at site=0 and 2 more.")
    with pytest.warns(pdkappa.errors.NotConvergedWarning, match=exactly(message)):
        frame.kappa.consensus(raters, method="dawid_skene", max_iter=2, by="site")


def test_an_item_without_ratings_has_a_reason():
    found = pd.DataFrame({"ann": [1, None, 2], "bob": [1, None, 1]}).kappa.consensus()
    assert found["reason"].tolist() == ["", "no_items", ""]
    assert found["tied"].tolist() == [False, False, True]
    assert found["label"].isna().tolist() == [False, True, False]
