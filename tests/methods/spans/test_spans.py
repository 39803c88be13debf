"""Spans: F1 of pairs, Krippendorff's alpha for units, and pieces for kappa per character."""

import warnings
from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import pdkappa
from conftest import each, raising
from elsewhere import designs
from pdkappa.methods.spans import alpha_u

COLUMNS = {"item": "item", "rater": "rater", "start": "start", "end": "end"}


def spans(frame, length=40, **options):
    return pdkappa.from_spans(frame, **COLUMNS, label="label", length=length, **options)


def made(n=12, seed=0, n_raters=3):
    """Return spans that raters find in texts, more or less."""
    rng = np.random.default_rng(seed)
    rows = []
    for item in range(n):
        true = np.sort(rng.choice(40, 6, replace=False)).reshape(3, 2)
        for rater in range(n_raters):
            last = 0
            for k, (low, high) in enumerate(true):
                start, end = max(low - rng.integers(0, 3), last), high + rng.integers(0, 2)
                if rng.random() < 0.85 and end > start:
                    rows.append((item, "abc"[rater], start, min(end, 40), "XY"[k % 2]))
                    last = end
    return pd.DataFrame(rows, columns=[*COLUMNS, "label"])


@pytest.mark.filterwarnings("ignore::pdkappa.errors.KappaWarning")
def test_two_texts_have_limits_and_spans_in_one_of_them_no_error():
    for seed in range(20):
        found = spans(made(2, seed)).agreement().iloc[0]
        assert found["ci_low"] <= found["estimate"] <= found["ci_high"], seed
    alone = made(1)
    found = spans(alone, pd.Series(40, index=[0, 1])).agreement().iloc[0]
    assert np.isnan(found["se"])
    assert found["reason"] == "undefined_without"


def test_outside_values():
    held = list(designs.spans())
    assert [one for one in held if not one.holds] == []
    assert len(held) == 41


@pytest.mark.filterwarnings("ignore::pdkappa.errors.UndefinedKappaWarning")
def test_nothing_depends_on_the_order_of_spans_or_on_names():
    frame = made()
    usual, shuffled = spans(frame), spans(frame.sample(frac=1, random_state=1))
    renamed = spans(
        frame.assign(rater=frame["rater"].str.upper(), label=frame["label"].map({"X": 2, "Y": 1}))
    )
    pd.testing.assert_frame_equal(shuffled.pairs(), usual.pairs())
    pd.testing.assert_frame_equal(shuffled.units(), usual.units())
    pd.testing.assert_frame_equal(shuffled.agreement(), usual.agreement())
    figures = ["estimate", "se", "ci_low", "ci_high"]
    np.testing.assert_allclose(renamed.agreement()[figures], usual.agreement()[figures])
    np.testing.assert_allclose(renamed.pairs(0.3)[figures], usual.pairs(0.3)[figures])


def test_a_label_alone_is_the_spans_of_this_label():
    frame = made()
    own = spans(frame[frame["label"] == "X"], seen=frame)
    found = spans(frame)
    pd.testing.assert_series_equal(
        own.agreement().iloc[0], found.categories().loc["X"], check_names=False
    )
    pd.testing.assert_frame_equal(own.units(), found.units("X"))


def test_alpha_without_a_fold_is_that_of_the_other_texts():
    frame = made()
    marks = spans(frame).marks
    marks = marks.take(marks.label == 0)
    folds = np.arange(12) % 5
    found = alpha_u(marks, folds)
    for fold in range(5):
        kept = frame[folds[frame["item"]] != fold]
        told = spans(kept).categories()[["observed_disagreement", "expected_disagreement"]]
        np.testing.assert_allclose(found[fold + 1, :2], told.iloc[0])


@pytest.mark.filterwarnings("ignore::pdkappa.errors.KappaWarning")
def test_no_limit_is_below_alpha_of_spans_that_do_not_overlap():
    """Of two texts the t quantile is 12.7: limits would be in the millions."""
    held = []
    for seed in range(20):
        frame = made(2, seed)
        found = spans(frame, 3000)
        away = 1000 * frame["rater"].map({"a": 0, "b": 1, "c": 2})
        apart = spans(frame.assign(start=frame["start"] + away, end=frame["end"] + away), 3000)
        observed, _, most = alpha_u(found.marks, np.zeros(2, dtype=int))[0]
        assert observed <= most
        assert most == pytest.approx(alpha_u(apart.marks, np.zeros(2, dtype=int))[0, 0])
        one = found.agreement().iloc[0]
        worst = apart.agreement()["observed_disagreement"].item()
        least = 1 - worst / one["expected_disagreement"]
        assert one["ci_low"] >= least - 1e-9
        held.append(one["ci_low"] == pytest.approx(least))
    assert 0 < sum(held) < 20


def test_alpha_has_the_error_of_the_jackknife_and_limits_around_its_logarithm():
    frame = made()
    found = spans(frame).agreement().iloc[0]
    parts = [spans(frame[frame["item"] != k]).agreement()["estimate"].item() for k in range(12)]
    assert found["se"] == pytest.approx(np.std(parts) * np.sqrt(11))
    left, low, high = 1 - found[["estimate", "ci_low", "ci_high"]].astype(float)
    assert low / left == pytest.approx(left / high)
    assert np.log(low / left) == pytest.approx(stats.t.ppf(0.975, 11) * found["se"] / left)


@pytest.mark.filterwarnings("ignore::pdkappa.errors.UndefinedKappaWarning")
def test_nothing_depends_on_where_texts_begin():
    """Times since 1970 are large; keys of floats, of a text and a place in it, would lose spans."""
    frame = made(300)
    usual = spans(frame, None).pairs(0.5)
    for far in (1.7e9, 1.7e15):
        away = frame.assign(start=frame["start"] + far, end=frame["end"] + far)
        pd.testing.assert_frame_equal(spans(away, None).pairs(0.5), usual)


@pytest.mark.filterwarnings("ignore::pdkappa.errors.UndefinedKappaWarning")
def test_alpha_of_raters_who_agree_everywhere_has_no_limits():
    frame = made(60)
    same = pd.concat([frame[frame["rater"] == "a"].assign(rater=one) for one in "ab"])
    found = spans(same).agreement().iloc[0]
    assert (found["estimate"], found["se"], found["reason"]) == (1.0, 0.0, "no_variance")
    assert found[["ci_low", "ci_high"]].isna().all()
    assert found["remark"] == ""


def test_lengths_are_said_once_or_alike():
    frame = made(6).assign(size=40.0)
    usual = spans(frame).agreement()
    frame.loc[frame.index[1], "size"] = np.nan
    for length in ("size", pd.Series(40, [*range(6), 3])):
        pd.testing.assert_frame_equal(spans(frame, length).agreement(), usual)


@each("least", [0.01, 0.3, 0.5, 0.8, 1.0])
def test_matches_are_as_many_as_can_be(least):
    """Compare with the best of all ways to match."""

    def best(a, b):
        if not a:
            return 0
        found = best(a[1:], b)
        for k, (low, high, label) in enumerate(b):
            shared = min(a[0][1], high) - max(a[0][0], low)
            union = max(a[0][1], high) - min(a[0][0], low)
            if a[0][2] == label and shared > 0 and shared >= least * union:
                found = max(found, 1 + best(a[1:], b[:k] + b[k + 1 :]))
        return found

    frame = made(8, seed=4)
    told = []
    for rater, other in combinations("abc", 2):
        n = 0
        for _, own in frame.groupby("item"):
            sides = [
                [
                    *own.loc[own["rater"] == one, ["start", "end", "label"]].itertuples(
                        index=False, name=None
                    )
                ]
                for one in (rater, other)
            ]
            n += best(*sides)
        told.append(n)
    assert spans(frame).pairs(match=least)["n_matched"].tolist() == told


def test_exact_matches_are_equal_rows():
    frame = made(40)
    both = frame[frame["rater"] == "a"].merge(
        frame[frame["rater"] == "b"], on=["item", "start", "end", "label"]
    )
    assert spans(frame).pairs()["n_matched"].iloc[0] == len(both)


def test_the_error_of_f1_is_that_of_the_jackknife():
    frame = made(80)
    found = spans(frame).pairs(0.5).iloc[0]
    parts = [spans(frame[frame["item"] != k]).pairs(0.5)["estimate"].iloc[0] for k in range(80)]
    assert found["se"] == pytest.approx(np.std(parts) * np.sqrt(79), rel=0.05)


def test_f1_of_a_pair_is_that_of_the_texts_that_both_saw():
    frame = made()
    frame = frame[~((frame["rater"] == "a") & (frame["item"] < 3))]
    frame = frame[~((frame["rater"] == "b") & (frame["item"] > 7))]
    found = spans(frame, seen=frame).pairs(0.5)
    for (rater, other), row in zip(combinations("abc", 2), found.itertuples(), strict=True):
        by_item = frame[frame["rater"].isin([rater, other])].groupby("item")
        joint = by_item.filter(lambda own: own["rater"].nunique() == 2)
        assert row.n_items == joint["item"].nunique()
        assert row.estimate == pytest.approx(2 * row.n_matched / len(joint), rel=1e-12)
        alone = spans(joint).pairs(0.5).iloc[0]
        assert (row.estimate, row.se) == pytest.approx((alone["estimate"], alone["se"]), rel=1e-12)


def test_pieces_are_the_characters():
    frame = made(5)
    found = spans(frame)
    pieces = found.units("X")
    assert pieces["length"].sum() == 5 * 40
    cells = np.zeros((5, 40, 3), dtype=int)
    for one in frame[frame["label"] == "X"].itertuples():
        cells[one.item, one.start : one.end, "abc".index(one.rater)] = 1
    characters = pd.DataFrame(cells.reshape(-1, 3), columns=list("abc"))
    by_pieces = pieces.kappa.agreement(["a", "b", "c"], sample_weight="length")
    np.testing.assert_allclose(by_pieces["estimate"], characters.kappa.agreement()["estimate"])
    assert set(found.units()[["a", "b", "c"]].to_numpy().ravel()) >= {"", "X", "Y"}


def test_two_labels_in_one_place_are_joined():
    frame = pd.DataFrame(
        {"item": 1, "rater": ["a", "a", "b"], "start": [0, 2, 0], "end": [4, 6, 6]}
    ).assign(label=["Y", "X", "X"])
    assert spans(frame, 6).units()["a"].tolist() == ["Y", "X|Y", "X"]


def test_who_saw_a_text_and_marked_nothing_counts():
    frame = made(6)
    none = pd.DataFrame({"item": [6], "rater": ["a"], "start": [np.nan], "end": [np.nan]})
    found = spans(pd.concat([frame, none]))
    assert found.units()["item"].max() == 6
    assert (found.units().query("item == 6")[["a", "b", "c"]] == "").all(axis=None)
    some = spans(pd.concat([frame, none]), seen=frame)
    assert some.units().query("item == 6")[["b", "c"]].isna().all(axis=None)
    assert some.pairs()["n_items"].tolist() == [6, 6, 6]
    longer = spans(frame, pd.Series(40, range(8)))
    assert longer.agreement()["n_items"].item() == 8


def test_what_was_found_stands_first():
    pytest.importorskip("jinja2")
    frame = made(60)
    found = spans(frame)
    assert [*found.tables] == ["pairs", "categories", "agreement"]
    first, *others = (one.findings.headline for one in found.tables.values())
    assert first.startswith("F1 of spans is ")
    assert "Krippendorff's alpha for units of a label is " in others[0]
    assert found.findings.headline.startswith(
        f"a, b, c marked {len(frame)} spans of two labels in 60 texts; everybody saw"
    )
    for one in (found, *found.tables.values()):
        assert repr(one).startswith(one.findings.headline[:50])
        assert one.findings.headline in one.to_html().replace("&#39;", "'")
        assert one.options["confidence_level"] == 0.95
        assert "60 texts were rated by a, b, c" in one.methods()
    pieces = found.units("X")
    assert pieces.options["label"] == "X"
    assert repr(pieces).endswith("cut where a span begins or ends · 60 texts")
    assert [*spans(made(60), None).tables] == ["pairs"]


def test_tables_have_the_level_that_spans_were_read_with():
    frame = made(30)
    narrow, wide = spans(frame, confidence_level=0.8), spans(frame, confidence_level=0.99)
    for name, table in narrow.tables.items():
        assert table.options["confidence_level"] == 0.8
        assert "80% CI" in repr(table)
        assert (table["ci_low"] > wide.tables[name]["ci_low"]).all()
    assert narrow.pairs().options["confidence_level"] == 0.8
    with pytest.raises(pdkappa.errors.OptionError):
        spans(frame, confidence_level=95)


def test_limits_of_alpha_have_the_degrees_of_freedom_of_the_jackknife():
    """One text alone differs much: its square is a variance of little more than one freedom."""
    frame = made(12, n_raters=2)
    frame.loc[frame["item"] == 0, "label"] = np.where(frame["rater"] == "a", "X", "Y")[
        frame["item"] == 0
    ]
    found = spans(frame).agreement().iloc[0]
    parts = [spans(frame[frame["item"] != k]).agreement()["estimate"].item() for k in range(12)]
    apart = (np.array(parts) - np.mean(parts)) ** 2
    df = min(2 * 12 / (stats.kurtosis(parts, fisher=False) - 1), 11)
    assert df < 10
    assert apart.max() > 0
    left, low, _ = 1 - found[["estimate", "ci_low", "ci_high"]].astype(float)
    assert np.log(low / left) == pytest.approx(stats.t.ppf(0.975, df) * found["se"] / left)


def test_alpha_of_few_texts_is_remarked():
    assert spans(made(12)).agreement().remarks == ["fewer than 50 texts: limits are approximate"]
    assert spans(made(50)).agreement().remarks == []


@each(("frame", "reason"), [(made(1), "n_lt_2"), (made(3).assign(start=np.nan), "no_items")])
def test_a_figure_that_is_undefined_has_its_reason(frame, reason):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", pdkappa.errors.UndefinedKappaWarning)
        found = spans(frame)
        for table in (found.pairs(), found.agreement()):
            assert (table["reason"] == reason).all()
            assert table["se"].isna().all()


ONE = pd.DataFrame(
    {"item": [1, 1], "rater": ["a", "b"], "start": [0, 2], "end": [4, 6], "label": "X"}
)
CALLS = {
    "ends before": lambda: spans(ONE.assign(end=[0, 6])),
    "no end": lambda: spans(ONE.assign(end=[np.nan, 6])),
    "before the text": lambda: spans(ONE.assign(start=[-1, 2])),
    "after the text": lambda: spans(ONE, length=5),
    "no end at all": lambda: spans(ONE.assign(end=[4, np.inf]), length=None),
    "two lengths": lambda: spans(ONE.assign(size=[8, 9]), length="size"),
    "a length below 0": lambda: spans(ONE, length=pd.Series([9, -2], [1, 2])),
    "too far": lambda: spans(ONE, length=1e16).agreement(),
    "texts of another type": lambda: spans(ONE, seen=ONE.astype({"item": str})),
    "lengths of another type": lambda: spans(ONE, length=pd.Series([9, 9], ["1", "2"])),
    "labels of two types": lambda: spans(ONE.assign(label=[1, "1"])),
    "overlap": lambda: spans(ONE.assign(rater="a")),
    "of other machines": lambda: spans(ONE.assign(end=np.array([0, 6], dtype=">i4"))),
    "no number": lambda: spans(ONE.assign(start="0")),
    "a list of lengths": lambda: spans(ONE, length=[["a"]]),
    "no length column": lambda: spans(ONE, length="size"),
    "no length of a text": lambda: spans(ONE, length=pd.Series(9, [2])),
    "no lengths": lambda: spans(ONE, length=None).agreement(),
    "fractions": lambda: spans(ONE.assign(end=[4.5, 6])).agreement(),
    "no such match": lambda: spans(ONE).pairs(match="half"),
    "match of nothing": lambda: spans(ONE).pairs(match=0),
    "no such label": lambda: spans(ONE).units("Z"),
    "a rater called length": lambda: spans(ONE.assign(rater=["a", "length"])).units(),
    "no frame": lambda: spans([1, 2]),
    "no column at all": lambda: pdkappa.from_spans(ONE, **COLUMNS | {"start": None}),
    "no rater": lambda: spans(ONE.assign(rater=["a", None])),
}


@raising("spans", CALLS)
def test_errors(call, refused):
    with refused():
        call()


def test_the_error_of_f1_is_that_of_a_ratio_over_texts():
    """Two texts of four agree, with a span of each rater: sums of 1, 1, -1 and -1 over eight."""
    every = [(text, rater) for text in range(4) for rater in "ab"]
    starts = [(*one, 0 if one[0] < 2 or one[1] == "a" else 10) for one in every]
    spans = pd.DataFrame(starts, columns=["item", "rater", "start"])
    spans["end"] = spans["start"] + 3
    found = pdkappa.from_spans(spans, item="item", rater="rater", start="start", end="end").pairs()
    assert found["estimate"].item() == 0.5
    assert found["se"].item() == pytest.approx(np.sqrt(4 / 3 * 4) / 8)


@pytest.mark.filterwarnings("ignore::pdkappa.errors.UndefinedKappaWarning")
def test_a_frame_without_rows_has_no_figures():
    found = spans(ONE.head(0))
    assert "marked no spans of no labels in no texts" in repr(found)
    assert len(found.pairs()) == len(found.categories()) == len(found.units()) == 0
    assert found.agreement()["reason"].item() == "no_items"
