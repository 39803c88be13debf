"""Public and private parts of a test set, as the user meets them."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from pandas.testing import assert_frame_equal

import pdkappa
from pdkappa import datasets, errors, shake, swaps
from pdkappa.coefficients.chance import COEFFICIENTS
from pdkappa.present import schema


@pytest.fixture(name="essays", scope="module")
def _essays():
    return datasets.load_essays()


@pytest.fixture(name="board")
def _board():
    """Return 240 items with a truth and the predictions of three submissions, some missing."""
    rng = np.random.default_rng(1)
    true = rng.integers(1, 6, 240)
    frame = pd.DataFrame({"true": true})
    for name, errors_made in (("a", 2), ("b", 2), ("c", 3)):
        frame[name] = np.clip(true + rng.integers(-errors_made, errors_made + 1, 240), 1, 5)
    frame["c"] = frame["c"].mask(rng.random(240) < 0.2)
    frame["half"] = np.repeat(["x", "y"], 120)
    frame["times"] = rng.integers(0, 4, 240)
    return frame


def kappas(counts, scores):
    """Quadratic weighted kappa of many counts (S, U) of kinds of items with scores (2, U)."""
    n = counts.sum(axis=1)
    x, y = scores
    mean_x, mean_y = counts @ x / n, counts @ y / n
    observed = counts @ (x - y) ** 2 / n
    return 1 - observed / (counts @ (x**2 + y**2) / n - 2 * mean_x * mean_y)


def random_splits(frame, columns, n_public, n_splits=40_000):
    """Return counts of the distinct rows in both parts of random splits, and the rows."""
    kinds = frame.groupby(columns).size()
    rng = np.random.default_rng(2)
    public = rng.multivariate_hypergeometric(kinds.to_numpy(), n_public, n_splits)
    return public, kinds.to_numpy() - public, kinds.index.to_frame().to_numpy(dtype=float).T


# --- Numerical truth ---------------------------------------------------------------------


def test_random_splits_of_one_test_set(essays):
    """All splits of the same 300 essays into 90 and 210."""
    data = essays[essays["essay_set"] == 1]
    columns = ["human_1", "human_2", "machine"]
    public, private, (true, first, second) = random_splits(data, columns, 90)
    values = {
        name: [kappas(part, (true, scores)) for part in (public, private)]
        for name, scores in (("human_2", first), ("machine", second))
    }
    found = shake(data, "human_1", ["human_2", "machine"]).set_index("submission")
    for name, (shown, hidden) in values.items():
        assert_allclose(found.loc[name, "sd_parts"], (shown - hidden).std(), rtol=0.03)
    between = [a - b for a, b in zip(values["human_2"], values["machine"], strict=True)]
    swap = swaps(data, "human_1", ["human_2", "machine"]).iloc[0]
    assert_allclose(swap["sd_parts"], (between[0] - between[1]).std(), rtol=0.03)
    assert_allclose(swap["p_swap"], (between[0] * between[1] < 0).mean(), atol=0.02)


def test_random_splits_where_predictions_are_missing(board):
    """An item without a prediction is in a part like any other."""
    frame = board.fillna({"c": 0})
    public, private, (true, a, c) = random_splits(frame, ["true", "a", "c"], 72)
    has = c > 0
    parts = [
        kappas(part[:, has], (true[has], c[has])) - kappas(part, (true, a))
        for part in (public, private)
    ]
    found = swaps(board, "true", ["c", "a"]).iloc[0]
    assert_allclose(found["sd_parts"], (parts[0] - parts[1]).std(), rtol=0.03)
    assert_allclose(found["p_swap"], (parts[0] * parts[1] < 0).mean(), atol=0.02)


# --- Laws --------------------------------------------------------------------------------


@pytest.mark.parametrize("coefficient", COEFFICIENTS)
def test_estimates_and_errors_are_those_of_compare(board, coefficient):
    options = {"coefficient": coefficient, "weights": "linear"}
    found = swaps(board, "true", ["a", "c"], **options).iloc[0]
    expected = pdkappa.compare(board, ("true", "a"), ("true", "c"), **options).iloc[0]
    for name in ("estimate_first", "estimate_second", "difference"):
        assert_allclose(found[name], expected[name])
    n, parts = 240, found[["n_public", "n_private"]].astype(float)
    assert_allclose(found["sd_parts"], expected["se"] * np.sqrt(n) * np.sqrt((1 / parts).sum()))
    one = shake(board, "true", "a", **options).iloc[0]
    assert_allclose(one["estimate"], expected["estimate_first"])


def test_two_equal_submissions_never_swap(board):
    board["twin"] = board["a"]
    found = swaps(board, "true", ["a", "twin"]).iloc[0]
    assert (found["difference"], found["sd_parts"], found["p_swap"]) == (0, 0, 0)
    assert found["reason"] == "no_variance"


def test_a_perfect_submission_does_not_shake(board):
    found = shake(board.assign(best=board["true"]), "true", "best").iloc[0]
    assert (found["estimate"], found["sd_parts"], found["reason"]) == (1, 0, "no_variance")


def test_the_order_of_submissions_changes_the_sign_alone(board):
    one = swaps(board, "true", ["a", "c"]).iloc[0]
    other = swaps(board, "true", ["c", "a"]).iloc[0]
    assert one["difference"] == -other["difference"]
    assert one["sd_parts"] == other["sd_parts"]
    assert one["p_swap"] == other["p_swap"]


def test_shares_and_numbers(board):
    by_share = shake(board, "true", ["a", "b"], public=0.25)
    by_number = shake(board, "true", ["a", "b"], public=60)
    assert_frame_equal(by_share, by_number)
    assert by_share["n_public"].tolist() == [60, 60]
    assert by_share["n_private"].tolist() == [180, 180]
    half, mirrored = (shake(board, "true", "a", public=n)["sd_parts"].item() for n in (20, 220))
    assert_allclose(half, mirrored)


def test_a_weight_counts_an_item_as_often(board):
    repeated = board.loc[board.index.repeat(board["times"])]
    for function in (shake, swaps):
        found = function(board, "true", ["a", "b", "c"], sample_weight="times", by="half")
        expected = function(repeated, "true", ["a", "b", "c"], by="half")
        assert_frame_equal(found, expected)


@pytest.mark.parametrize("function", [shake, swaps])
def test_groups_are_split_on_their_own(board, function):
    found = function(board, "true", ["a", "b", "c"], by="half")
    for half in ("x", "y"):
        alone = function(board[board["half"] == half], "true", ["a", "b", "c"])
        part = found.loc[[half]].reset_index(drop=True)
        assert_frame_equal(part, alone)
    bound = getattr(board.groupby("half").kappa, function.__name__)
    assert_frame_equal(bound("true", ["a", "b", "c"]), found)
    assert list(found) == [*(schema.SHAKE if function is shake else schema.SWAPS)]
    assert found.index.tolist() == ["x"] * 3 + ["y"] * 3


def test_items_of_a_submission_and_of_the_parts(board):
    found = shake(board, "true", ["a", "c"])
    n = int(board["c"].notna().sum())
    assert found["n_items"].tolist() == [240, n]
    assert (found["n_public"] + found["n_private"]).tolist() == [240, 240]
    listwise = shake(board, "true", ["a", "c"], missing="listwise")
    assert listwise["n_items"].tolist() == [n, n]
    assert (listwise["n_public"] + listwise["n_private"]).tolist() == [n, n]


def test_columns_that_are_tuples(board):
    data = board[["true", "a", "b"]].set_axis([("t", 1), ("m", 1), ("m", 2)], axis=1)
    data.columns = pd.Index(list(data.columns), tupleize_cols=False)
    found = shake(data, ("t", 1), ("m", 1))
    assert found["submission"].tolist() == [("m", 1)]
    assert swaps(board, "true", ("a", "b"))[["first", "second"]].to_numpy().tolist() == [["a", "b"]]


def test_a_table_of_counts(board):
    table = pd.crosstab(board["true"], board["a"])
    assert_frame_equal(pdkappa.from_table(table).shake("true", "a"), shake(board, "true", "a"))


# --- Reasons -----------------------------------------------------------------------------


def test_reasons_of_groups():
    data = pd.DataFrame(
        {
            "true": [1, 2, 1, 1, 1, 2, 1, 2, 1, 2, 1],
            "a": [1, 2, 1, 1, None, None, 2, 2, 1, 1, 1],
            "set": list("aabbccddeef"),
        }
    )
    with pytest.warns(errors.UndefinedKappaWarning) as caught:
        found = shake(data, "true", ["a"], by="set", public=1)
    assert found["reason"].tolist() == [
        "no_variance",
        "constant_ratings",
        "no_joint_items",
        "constant_rater",
        "constant_rater",
        "constant_ratings",
    ]
    assert found["sd_parts"].isna().tolist() == [False, True, True, True, True, True]
    assert "'a' at set=b (constant_ratings)" in str(caught[0].message)


@pytest.mark.parametrize("public", [0.001, 0.999, 240, 500])
def test_a_part_without_items(board, public):
    with pytest.warns(errors.UndefinedKappaWarning) as caught:
        found = swaps(board, "true", ["a", "b"], public=public)
    assert found["reason"].tolist() == ["empty_part"]
    assert found[["sd_parts", "p_swap"]].isna().all(axis=None)
    assert found["difference"].notna().all()
    assert (found["n_public"] + found["n_private"]).tolist() == [240]
    assert [str(one.message) for one in caught] == [
        (
            "1 of 1 comparison(s) are undefined (NaN): 'a' with 'b' (empty_part). "
            "The column 'reason' says why."
        )
    ]


def test_no_weight(board):
    with pytest.warns(errors.UndefinedKappaWarning):
        found = shake(board.assign(zero=0), "true", "a", sample_weight="zero")
    assert found["reason"].tolist() == ["zero_total_weight"]


@pytest.mark.filterwarnings("ignore::pdkappa.LeftOutWarning")
def test_no_groups(board):
    found = shake(board.assign(set=np.nan), "true", ["a", "b"], by="set")
    assert list(found) == [*schema.SHAKE]
    assert len(found) == 0


# --- Messages ----------------------------------------------------------------------------


@pytest.mark.parametrize("public", [0, 1.0, 1.5, -0.2, True, None, "0.3", np.nan])
def test_what_is_neither_a_share_nor_a_number(board, public):
    message = (
        f"public={public!r} must be a share between 0 and 1, or a whole number of items from 1 "
        "upwards."
    )
    with pytest.raises(errors.OptionError, match=f"^{re.escape(message)}$"):
        shake(board, "true", "a", public=public)


def test_the_truth_is_no_submission(board):
    message = "truth='true' is among the predictions too. Leave it out of them."
    with pytest.raises(errors.DuplicateRatingError, match=f"^{re.escape(message)}$"):
        shake(board, "true", ["a", "true"])


def test_one_submission_is_no_pair(board):
    message = (
        "swaps needs two submissions or more, got 1. For one, shake() tells how far its scores "
        "differ."
    )
    with pytest.raises(errors.RatingsError, match=f"^{re.escape(message)}$"):
        swaps(board, "true", ["a"])


def test_a_set_has_no_order(board):
    message = (
        "predictions must be a column or a list of columns, got {'a'}. Write "
        "predictions=('ann', 'bob')."
    )
    with pytest.raises(errors.OptionError, match=f"^{re.escape(message)}$"):
        swaps(board, "true", {"a"})


def test_other_options(board):
    with pytest.raises(errors.DuplicateRatingError, match=r"^predictions names 'a' more than once"):
        shake(board, "true", ["a", "b", "a"])
    with pytest.raises(errors.ColumnNotFoundError, match=r"^No rater column 'd'"):
        shake(board, "true", "d")
    with pytest.raises(errors.OptionError, match=r"^by='submission' is a column of the result"):
        shake(board.assign(submission=1), "true", "a", by="submission")
    with pytest.raises(errors.RatingTypeError):
        shake([1, 2], "true", "a")
