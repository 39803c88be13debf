"""Raters who share few items: kappas of pairs are biased, and their means mean nothing."""

import warnings
from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from scipy import stats

import pdkappa
from conftest import each, without_each
from pdkappa.errors import BiasedKappaWarning
from pdkappa.methods.drilldown import raters as module

BIASED = (
    "^Pairs of raters share fewer than 30 items on average. Kappas of so few are biased, and so is "
    "their mean, Light's kappa. Pass coefficient='conger', which adds up all pairs before it "
    r"divides\.$"
)

pytestmark = pytest.mark.filterwarnings("ignore::pdkappa.errors.UndefinedKappaWarning")


def crowd(seed=0, n=600, n_raters=30, noise=0.25):
    """Draw three labels for each item by a crowd who all err alike, one below the other."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 3, n)
    who = rng.random((n, n_raters)).argsort(axis=1)[:, :3]
    said = np.where(rng.random(who.shape) < noise, rng.integers(0, 3, who.shape), truth[:, None])
    item = np.arange(n).repeat(3)
    data = {"item": item, "rater": [f"w{one:02}" for one in who.ravel()], "label": said.ravel()}
    return pd.DataFrame(data).assign(half=item % 2)


def asked(data, **study):
    """Read a crowd."""
    found = pdkappa.from_long(data, item="item", rater="rater", rating="label")
    return found(**study) if study else found


def by_loop(data, weights):
    """Compare each rater with the others from the pairs of ratings of each item."""
    share = pd.crosstab(data["rater"], data["label"], normalize="index")
    k = np.arange(3)
    apart = (k[:, None] != k).astype(float) if weights is None else (k[:, None] - k) ** 2.0
    observed, expected = {}, {}
    for _, part in data.groupby("item"):
        rows = part[["rater", "label"]].to_numpy().tolist()
        for (a, x), (b, y) in combinations(sorted(rows), 2):
            observed[a, b] = observed.get((a, b), 0) + apart[x, y]
            by_chance = share.loc[a].to_numpy() @ apart @ share.loc[b].to_numpy()
            expected[a, b] = expected.get((a, b), 0) + by_chance
    rows = []
    for rater in share.index:
        of = [sum(v for pair, v in one.items() if rater in pair) for one in (observed, expected)]
        rest = [sum(one.values()) - own for one, own in zip((observed, expected), of, strict=True)]
        rows.append([1 - of[0] / of[1], 1 - rest[0] / rest[1], of[1] / (of[1] + rest[1])])
    return np.array(rows)


@each("weights", [None, "quadratic"])
@each("wide", [True, False])
def test_all_joint_ratings_are_compared_against_a_loop(weights, wide):
    data = crowd(n=120, n_raters=15)
    study = data.pivot_table(index="item", columns="rater", values="label") if wide else None
    kappa = asked(data) if study is None else study.kappa
    found = kappa.raters(weights=weights)
    mean, without, part = by_loop(data, weights).T
    assert_allclose(found["estimate"], mean, rtol=1e-12)
    assert_allclose(found["kappa_with_others"], mean, rtol=1e-12)
    assert_allclose(found["light_without"], without, rtol=1e-12)
    assert_allclose(found["effect"], part * (mean - without), atol=1e-14)
    assert repr(found).count("Kappa of all joint ratings") == 1


def test_groups_are_compared_each_by_itself_and_weights_count_items():
    data = crowd(n=240, n_raters=12)
    each_half = asked(data, by="half").raters()
    for half, own in data.groupby("half"):
        alone = asked(own).raters()
        assert_allclose(
            each_half.loc[half].to_numpy()[:, :10].astype(float),
            alone.to_numpy()[:, :10].astype(float),
            rtol=1e-9,
        )
    wide = data.pivot_table(index="item", columns="rater", values="label")
    raters = list(wide.columns)
    twice = pd.concat([wide, wide], ignore_index=True).kappa.raters()
    weighed = wide.assign(n=2).kappa.raters(raters=raters, sample_weight="n")
    assert_allclose(weighed["effect"], twice["effect"], rtol=1e-9)
    assert_allclose(weighed["se_effect"], twice["se_effect"], rtol=1e-9)


def test_where_all_rated_all_the_figures_are_those_of_the_pairs_as_one():
    """Chance has the same shares then, and the rater's own influence is that of the ratio."""
    rng = np.random.default_rng(3)
    truth = rng.integers(0, 3, 80)
    codes = [np.where(rng.random(80) < 0.3, rng.integers(0, 3, 80), truth) for _ in range(4)]
    frame = pd.DataFrame(dict(zip("abcd", codes, strict=True)))
    study = module.read(frame, None, module.OfRaters().reading)
    rows = study.ratings.compressed
    pooled, pairs = (f(rows, study.scale) for f in (module._pooled, module._mean_of_pairs))
    assert_allclose(pooled.with_others, pairs.with_others, rtol=1e-12)
    for rater, influence in enumerate(pooled.of_mean()):
        assert_allclose((influence * rows.count).sum(), 0, atol=1e-9)
        moved = frame.iloc[np.repeat(np.arange(80), 50)]
        for row in (0, 7):  # one item more, of 4,000
            more = pd.concat([moved, frame.iloc[[row]]])
            change = [one.kappa.raters()["kappa_with_others"].iloc[rater] for one in (moved, more)]
            same = (rows.codes == frame.iloc[row].to_numpy()[:, None]).all(axis=0)
            assert_allclose((change[1] - change[0]) * 4001, influence[same][0], rtol=2e-3)


def test_errors_are_those_of_items_left_out_one_by_one():
    data = crowd(n=300, n_raters=20, noise=0.4)
    full = asked(data).raters()
    copies = without_each(data, data["item"])
    copies["item"] += 300 * copies["left"]
    without = asked(copies, by="left").raters()["effect"]
    jackknife = np.sqrt(without.groupby(level=-1).var(ddof=0) * 299)
    assert_allclose(np.median(full["se_effect"] / jackknife), 1, atol=0.05)


def test_a_test_of_raters_who_are_alike_names_nobody():
    """Those of the kappas of pairs had p-values down to 1e-139."""
    p = np.concatenate(
        [asked(crowd(seed, noise=0.1 + 0.02 * seed)).raters()["p_value"] for seed in range(12)]
    )
    assert 0.01 < (p < 0.05).mean() < 0.1
    assert p.min() > 1e-5


def test_a_report_begins_with_a_coefficient_of_all_raters_and_names_the_spammer():
    data = crowd(n=2000, n_raters=100)
    clean = asked(data).report()
    assert clean.findings.headline.startswith("100 raters agree at Conger's kappa 0.57")
    assert not [one for one in clean.findings.findings if one.name]
    spam = data["rater"] == "w05"
    rng = np.random.default_rng(1)
    data.loc[spam, "label"] = rng.integers(0, 3, spam.sum())
    told = asked(data).report()
    assert "without w05 at 0.57" in told.findings.headline
    assert told.tables["raters"].loc["w05", "estimate"] == pytest.approx(0, abs=0.2)
    assert "Kappa of all joint ratings" in repr(told.tables["raters"])
    grouped = asked(data).report(by="half")
    assert "Not valid as it stands" in str(grouped)
    assert "coefficients='conger'" in str(grouped)
    machine = asked(pd.concat([data, data.drop_duplicates("item").assign(rater="gpt")]))
    assert "machine.alt_test compares" in machine.report(machine="gpt").cautions[0]


@pytest.mark.needs("jinja2")
def test_two_spammers_are_named_and_stand_first_on_the_page():
    data = crowd(n=2000, n_raters=40)
    rng = np.random.default_rng(1)
    for name in ("w05", "w17"):
        spam = data["rater"] == name
        data.loc[spam, "label"] = rng.integers(0, 3, spam.sum())
    report = asked(data).report()
    [one] = [one for one in report.findings.findings if one.name]
    effect = report.tables["raters"]["z"]
    first, second = effect.sort_values().index[:2]
    assert {first, second} == {"w05", "w17"}
    figure = report.tables["raters"].loc[second, "estimate"]
    assert one.name == first
    assert one.sentence.endswith(f"; {second} ({figure:.2f}) lowers agreement, too.")
    assert {label for _, label in one.rows} == {"w05", "w17"}
    assert "6,000 ratings" in report.findings.basis
    assert "worst_pair" not in report.tables  # of a handful of items
    page = report.to_html()
    who = page[page.index("Who pulls agreement down?") : page.index("Discuss these first")]
    assert who.count('class="apart"') == 2
    assert "The 24 lowest of 40." in who
    assert "All raters" in who
    assert "columns are in the order of the rows" in page[page.index("Everything else") :]


def test_the_highest_pair_of_a_crowd_is_no_main_figure():
    """It was one of two items, with a kappa of 1."""
    assert [*asked(crowd()).report().tables["summary"]["result"].unique()] == [
        "All raters: Conger's kappa"
    ]


def test_light_is_remarked_and_warned_of_and_no_default():
    data = crowd()
    agreement = asked(data).agreement()
    assert "fewer than 30 items a pair" in agreement.loc["light", "remark"]
    assert not agreement.drop(index="light")["remark"].any()
    for method in ("items", "categories"):
        with pytest.warns(BiasedKappaWarning, match=BIASED):
            getattr(asked(data), method)()
        with warnings.catch_warnings():
            warnings.simplefilter("error", BiasedKappaWarning)
            getattr(asked(data), method)(coefficient="conger")
    found = asked(data).compare_groups(by="half")
    assert found.options["coefficient"] == "conger"


def test_pairs_of_batches_share_enough():
    """Each batch of items has raters of its own: most pairs share nothing, and the others all."""
    batch = pd.DataFrame({"a": [0, 1] * 40, "b": [1, 1, 0, 0] * 20, "c": [0, 1, 1, 1] * 20})
    apart = pd.concat([batch, batch.set_axis(["d", "e", "f"], axis=1)], ignore_index=True)
    assert "Light's kappa" in str(apart.kappa.report())
    assert not apart.kappa.agreement().loc["light", "remark"].startswith("fewer than 30")


def test_what_one_of_a_crowd_takes_for_what_is_told():
    """Few of the crowd rated an item: it counts as one item all the same."""
    data = crowd(n=1500, n_raters=40).replace({"label": {0: "cat", 1: "dog", 2: "fox"}})
    rng = np.random.default_rng(1)
    confused = (data["rater"] == "w05") & (data["label"] == "fox") & (rng.random(len(data)) < 0.97)
    data.loc[confused, "label"] = "dog"
    told = [one.sentence for one in asked(data).report().findings.findings if one.name]
    assert len(told) == 1
    assert "where they say fox, w05 says dog" in told[0]


def test_few_items_of_a_rater_are_few_degrees_of_freedom():
    """Annotators of a handful of items had p-values of 1e-9, and one of a single item 1e-250."""
    small = 0
    for seed in range(5):
        found = asked(crowd(seed, n=600, n_raters=300)).raters()
        tested = found["p_value"].notna()
        assert (found.loc[found["n_ratings"] == 1, "reason"] == "n_lt_2").all()
        assert (tested == (found["n_ratings"] > 1)).all()
        assert (found["effect_low"].notna() == tested).all()
        n = found.loc[tested, "n_ratings"].to_numpy(int)
        expected = 2 * stats.t.sf(found.loc[tested, "z"].abs(), n - 1)
        assert_allclose(found.loc[tested, "p_value"], expected, rtol=1e-6)
        small += (found["p_value"] < 1e-5).sum()
    assert small < 5  # of 1,500


def test_clusters_of_a_rater_are_counted():
    data = crowd(n_raters=60)
    data["author"] = data["item"] // 3
    found = asked(data, cluster="author").raters()
    n = data.groupby("rater")["author"].nunique()[found.index].to_numpy()
    assert_allclose(found["p_value"], 2 * stats.t.sf(found["z"].abs(), n - 1), rtol=1e-6)
    own = data["item"].isin(data.loc[data["rater"] == "w07", "item"])
    data["author"] = data["author"].mask(own, -1)
    found = asked(data, cluster="author").raters().loc["w07"]
    assert found["n_ratings"] > 1
    assert (np.isnan(found["p_value"]), found["reason"]) == (True, "n_lt_2")


def test_the_range_of_a_crowd_leaves_out_those_who_rated_little():
    data = crowd(n=600, n_raters=300)
    n = data.groupby("rater")["item"].transform("size")
    one = asked(data[n < 6]).report().findings.findings[0]
    assert one.sentence == (
        f"No rater is shown to lower agreement; that leaves out {data['rater'][n < 6].nunique()} "
        "with too few ratings to tell."
    )
    report = asked(data).report()
    known = report.tables["raters"]
    few = known["remark"].str.endswith("unreliable")
    ends = " to ".join(f"{one:.2f}" for one in known["estimate"][~few].agg(["min", "max"]))
    [told] = [one.sentence for one in report.findings.findings if one.kind == "rater"]
    assert told == (
        f"No rater is shown to lower agreement: {ends}; that leaves out {few.sum()} with too few "
        "ratings to tell."
    )
    assert known["estimate"].min() < 0 < known["estimate"][~few].min()


def test_who_makes_no_difference_to_very_many_is_named_by_the_own_figure():
    data = crowd(n=3000, n_raters=300)
    rng = np.random.default_rng(1)
    spam = data["rater"] == "w05"
    data.loc[spam, "label"] = (data.loc[spam, "label"] + rng.integers(1, 3, spam.sum())) % 3
    report = asked(data).report()
    own = report.tables["raters"].loc["w05", "estimate"]
    told = f"; w05 agrees with the others at \N{MINUS SIGN}{-own:.2f}."
    assert report.findings.headline.endswith(told)


def test_influence_goes_with_what_an_item_left_out_changes():
    """Six raters who hardly agree, with shares of their own: the terms of chance are large.

    They are linearised, in part: the correlations are .92 and .91, and .89 or .90 with a term off.
    """
    rng = np.random.default_rng(1)
    truth, shares = rng.choice(3, 120, p=[0.6, 0.3, 0.1]), rng.dirichlet(np.ones(3), 6)
    frame = pd.DataFrame(np.nan, index=range(120), columns=list("abcdef"))
    for item, who in enumerate(rng.random((120, 6)).argsort(axis=1)[:, :3]):
        for rater in who:
            guess = rng.choice(3, p=shares[rater])
            frame.iloc[item, rater] = truth[item] if rng.random() < 0.1 else guess

    def pooled(data):
        study = module.read(data, None, module.OfRaters().reading)
        return module._pooled(study.ratings, study.scale)

    full, left = pooled(frame), [pooled(frame.drop(index=item)) for item in frame.index]
    means = np.array([[one.mean[:, 0], (one.mean - one.without)[:, 0]] for one in left])
    for found, change in zip(
        (full.of_mean, full.of_difference), -means.swapaxes(0, 1), strict=True
    ):
        influence = np.stack([*found()])
        each = [np.corrcoef(*both)[0, 1] for both in zip(influence, change.T, strict=True)]
        assert np.mean(each) > 0.906
