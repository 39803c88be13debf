"""Attribute agreement analysis: within, against the standard, between, all against the standard."""

import warnings

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import pdkappa
from conftest import each, raising, without_each
from elsewhere import designs
from pdkappa.methods.agreement.trials import clopper_pearson

COLUMNS = {"item": "item", "rater": "rater", "trial": "trial", "rating": "rating"}
WITH_TRUTH = COLUMNS | {"truth": "truth"}


def made(n=40, seed=0, n_raters=3, n_trials=2, k=3):
    """Return ratings of some raters who are right in three cases of four."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(1, k + 1, n)
    item, rater, trial = (x.ravel() for x in np.indices((n, n_raters, n_trials)))
    guess = rng.integers(1, k + 1, len(item))
    rating = np.where(rng.random(len(item)) < 0.75, truth[item], guess)
    columns = {"item": item, "rater": rater, "trial": trial, "rating": rating}
    return pd.DataFrame(columns).assign(truth=truth[item])


def trials(frame, **options):
    return frame.kappa.trials(**WITH_TRUTH, **options)


def test_outside_values():
    held = list(designs.trials())
    assert [one for one in held if not one.holds] == []
    assert len(held) == 85


def test_clopper_pearson_is_that_of_scipy():
    for hits, n in [(0, 7), (3, 7), (7, 7)]:
        found = stats.binomtest(hits, n).proportion_ci(0.9, "exact")
        assert clopper_pearson(hits, n, 0.9) == pytest.approx((found.low, found.high))


def test_one_trial_of_one_rater_is_their_agreement_with_the_standard():
    frame = made(n_raters=1, n_trials=1)
    found = trials(frame)
    assert found.index.get_level_values("comparison").unique().tolist() == ["vs_truth"]
    same = frame.kappa.agreement(["rating", "truth"], coefficients=["fleiss"]).loc["fleiss"]
    for column in ("estimate", "se", "ci_low", "ci_high", "p_value", "remark"):
        assert found.loc[("vs_truth", 0, "kappa"), column] == same[column]


def test_trials_of_unequal_number_count_alike_for_each_rater():
    frame = made(n_raters=2)
    fewer = frame[(frame["rater"] == 0) | (frame["trial"] == 0)]
    found = trials(fewer)
    kappas = found.xs("kappa", level="figure")["estimate"]
    assert kappas["all_vs_truth"].item() == pytest.approx(kappas["vs_truth"].mean())
    assert ("within", 1, "kappa") not in found.index
    assert found["n_trials"].xs("matched", level="figure").tolist() == [2, 2, 1, 2, 2]


def test_holes_leave_out_items_that_cannot_be_compared():
    frame = made(n_raters=2)
    lost = frame.assign(rating=frame["rating"].where((frame["item"] > 9) | (frame["trial"] == 0)))
    found = trials(lost)["n_items"].xs("matched", level="figure")
    assert found["within"].tolist() == [30, 30]
    assert found["vs_truth"].tolist() == [40, 40]
    taus = trials(lost)["n_items"].xs("kendall", level="figure")
    assert (taus["within"].tolist(), taus["vs_truth"].tolist()) == ([30, 30], [40, 40])
    gone = frame.assign(rating=frame["rating"].where((frame["item"] > 9) | (frame["rater"] == 0)))
    found = trials(gone)["n_items"].xs("matched", level="figure")
    assert (found["between"].item(), found["all_vs_truth"].item()) == (30, 40)


def test_kendalls_w_is_that_of_the_items_that_were_rated_in_all_trials():
    frame = made(n_trials=3)
    lost = frame.assign(rating=frame["rating"].where((frame["item"] > 9) | (frame["trial"] == 0)))
    lost.loc[lost["item"] == 20, "rating"] = lost["rating"].where(lost["trial"] < 2)
    found = trials(lost)
    columns = ["n_items", "estimate", "p_value"]
    for rater, own in lost.groupby("rater"):
        wide = own.pivot_table(index="item", columns="trial", values="rating")
        told = wide.kappa.scores.kendall_w()[columns].iloc[0]
        assert told["n_items"] == 29
        ours = found.loc[("within", rater, "kendall"), columns].astype(float)
        np.testing.assert_allclose(ours.to_numpy(), told.to_numpy())


def test_items_without_a_standard_count_among_the_raters_alone():
    frame = made(n_raters=2)
    found = trials(frame.assign(truth=frame["truth"].where(frame["item"] > 9)))
    n_items = found["n_items"].xs("matched", level="figure")
    assert n_items["within"].tolist() == [40, 40]
    assert n_items["vs_truth"].tolist() == [30, 30]
    same = trials(frame[frame["item"] > 9])["estimate"]
    np.testing.assert_allclose(found["estimate"]["vs_truth"], same["vs_truth"])


@each("holes", [0.0, 0.5])
def test_the_error_of_a_mean_kappa_is_that_of_the_jackknife(holes):
    frame = made(n=150)
    lost = (frame["item"] < 150 * holes) & (frame["trial"] == 1)
    frame = frame.assign(rating=frame["rating"].where(~lost))
    found = trials(frame).loc[("all_vs_truth", slice(None), "kappa"), :].iloc[0]
    every = without_each(frame, frame["item"])[lambda part: part["left"] % 3 == 0]
    parts = every.kappa.agreement(
        ["rating", "truth"], coefficients=["fleiss"], by=["left", "rater", "trial"]
    )
    means = parts["estimate"].groupby("left").mean()
    assert found["se"] == pytest.approx(np.std(means) * np.sqrt(150), rel=0.2)


def test_rates_count_ratings_and_their_errors_count_items():
    frame = made(n=60, k=2)
    found = trials(frame, conforming=1).xs(("vs_truth", 0), level=["comparison", "rater"])
    own = frame[frame["rater"] == 0]
    bad, good = own[own["truth"] != 1], own[own["truth"] == 1]
    assert found.loc["miss_rate", "estimate"] == (bad["rating"] == 1).mean()
    assert found.loc["false_alarm_rate", "estimate"] == (good["rating"] != 1).mean()
    mixed = own.groupby("item")["rating"].agg(lambda x: x.min() < x.max())
    assert found.loc["mixed_rate", "estimate"] == mixed.mean()
    of_items = bad.groupby("item")["rating"].agg(lambda x: (x == 1).mean())  # as many trials of all
    assert found.loc["miss_rate", "se"] == pytest.approx(of_items.sem())


@each(
    ("change", "reason"),
    [({"rating": 1, "truth": 1}, "constant_ratings"), ({"truth": np.nan}, "no_joint_items")],
)
def test_a_figure_that_is_undefined_has_its_reason(change, reason):
    with pytest.warns(pdkappa.errors.UndefinedKappaWarning, match="estimate"):
        found = trials(made().assign(**change))
    undefined = found[found["estimate"].isna()]
    assert len(undefined) > 0
    assert set(undefined["reason"]) == {reason}
    assert (found["reason"][found["estimate"].notna()] == "").all()


@each(("n_joint", "reason"), [(0, "no_joint_items"), (2, "few_items"), (3, "")])
def test_a_trial_with_few_standards_leaves_no_mean_of_its_ranks(n_joint, reason):
    """Tau of two items is 1 or -1 whatever they are; nothing is constant here."""
    frame = made(n=30, n_raters=1)
    second, rows = frame["trial"] == 1, np.arange(3) + 1
    few = frame[~second | (frame["item"] < 3)].assign(truth=frame["item"] % 3 + 1)
    few.loc[few["trial"] == 1, "rating"] = rows
    few = few.assign(item=few["item"] + 100 * (few["trial"].eq(1) & (few["rating"] > n_joint)))
    few.loc[few["item"] > 99, "truth"] = np.nan
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", pdkappa.errors.UndefinedKappaWarning)
        found = trials(few).loc[("vs_truth", 0, "kendall")]
    assert found["reason"] == reason
    assert np.isnan(found["estimate"]) == (reason != "")


def test_the_rater_who_is_wrong_is_named_first():
    frame = made(n=60, k=2)
    frame.loc[frame["rater"] == 1, "rating"] = 3 - frame["truth"]  # always the other grade
    found = trials(frame, conforming=1)
    headline, *others = found.findings.top
    assert headline.startswith("All trials of all raters match the standard on 0.00 [0.00, ")
    assert others[0].startswith("- All trials of a rater match the standard on 0.00 (1) to ")
    assert others[1].endswith(" to 1.00 (1) of the cases.")
    assert repr(found).startswith(headline[:60])
    grouped = trials(frame.assign(day=frame["item"] % 2), by="day")
    assert grouped.findings.headline.endswith(" match the standard on 0.00 of the items.")


@pytest.mark.needs("jinja2")
def test_a_page_says_rows_in_plain_words():
    found = trials(made(n=20, k=2), conforming=1)
    page = found.to_html()
    assert "false alarm rate" in page
    assert "vs_truth" not in page[page.index("Figures") : page.index("Everything else")]


def test_a_result_is_of_the_items_raters_and_categories_that_were_read():
    frame = made(n_raters=2).assign(day=lambda df: df["item"] % 2)
    names = frame.assign(rater=frame["rater"].map(["ann", "bob"].__getitem__))
    lost = names.assign(rating=names["rating"].where((names["item"] > 9) | (names["trial"] == 0)))
    found = trials(lost, by="day")
    assert repr(found).endswith("95% CI\n40 items in 2 groups")
    assert "40 items in 2 groups were rated by ann, bob." in found.methods()
    assert found.options["categories"] == [1, 2, 3]


def test_groups_may_be_tuples():
    frame = made().assign(day=lambda df: df["item"] % 2)
    found = trials(frame.assign(day=[(one, "am") for one in frame["day"]]), by="day")
    plain = trials(frame, by="day")
    assert found.index.names == plain.index.names
    assert [*found.index.get_level_values("day").unique()] == [(0, "am"), (1, "am")]
    np.testing.assert_array_equal(found["estimate"], plain["estimate"])


@pytest.mark.parametrize(("n", "told"), [(1, "is 1 level"), (2, "are 2 levels")])
@pytest.mark.filterwarnings("ignore::pdkappa.errors.UndefinedKappaWarning")
def test_more_raters_than_items_look_swapped(n, told):
    swapped = rf"^There {told} of 'item' and 3 of 'rater': are items and raters swapped\?$"
    with pytest.warns(pdkappa.errors.LookalikeLabelsWarning, match=swapped):
        trials(made(n=n, seed=3))


TWICE = pd.concat([made(), made().iloc[:1]])
CALLS = {
    "rated twice": lambda: trials(TWICE),
    "no ratings": lambda: trials(made().assign(rating=np.nan)),
    "two standards": lambda: trials(made().assign(truth=lambda df: df["trial"])),
    "no such category": lambda: trials(made(), conforming=9),
    "no column at all": lambda: made().kappa.trials(**COLUMNS | {"item": None}),
    "several categories": lambda: trials(made(), conforming=np.array([1, 2])),
    "conforming to nothing": lambda: made().kappa.trials(**COLUMNS, conforming=1),
    "nothing to draw": lambda: made(n_trials=1).kappa.plot.trials(**COLUMNS),
    "nothing to compare": lambda: made(n_raters=1, n_trials=1).kappa.trials(**COLUMNS),
    "no rater": lambda: trials(made().assign(rater=[None, *made()["rater"][1:]])),
    "no such column": lambda: made().rename(columns={"trial": "try"}).kappa.trials(**COLUMNS),
    "not in a frame": lambda: pdkappa.from_long(
        made(n_trials=1), item="item", rater="rater", rating="rating"
    ).trials(**COLUMNS),
}


@raising("trials", CALLS)
def test_errors(call, refused):
    with refused():
        call()
