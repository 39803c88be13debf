"""Calls for mypy and pyright, which are run on this file: they must report the wrong ones alone.

A wrong method, option or choice is found before anything runs. An ignore that nothing needs any
more is an error, too.
"""

import numpy as np
import pandas as pd

import pdkappa

df = pd.DataFrame({name: [1, 2] for name in "abcgmw"})
frame = pdkappa.KappaAccessor(df)
groups = pdkappa.typing.KappaGroupBy(df.groupby("g"))
ratings = pdkappa.from_table([[1, 2], [3, 4]])


def right_calls() -> None:
    """Call what is there; never run."""
    right: pd.DataFrame = ratings.pairs(weights="quadratic")
    team = ["a", "b"]
    frame.pairs(team, by="g").round(2)
    frame.pairs(("a", "b"), weights=np.eye(3), categories=range(3), sample_weight="w")
    frame.pairs(df.columns[:2], weights=lambda scores: scores, cluster=df["g"])
    frame.pairwise(["a", "b"], stat="p_value", null=0.2)
    frame.agreement(coefficients=["fleiss", "gwet"], vary="both")
    frame.agreement(coefficients="krippendorff", weights=[[0, 1], [1, 0]])
    frame.icc(["a", "b"], null=0.5)
    frame.grouped("a", "b", by="g", weights=None, group_weights="w").within
    frame.grouped(pairs=[("a", "b")], by="g").results
    frame.compare(("a", "b"), ("a", "c"), margin=0.1, ci="wald")
    frame.compare_groups(["a", "b", "c"], by="g", coefficient="fleiss")
    frame.categories(kind="cut", categories={"low": 0, "high": 1})
    frame.consensus(method="dawid_skene", max_iter=50)
    frame.confusion("a", "b", normalize="index")
    frame.plot.heatmap(["a", "b"])
    frame.scores.within(tolerance=1, together=True)
    frame.machine.evaluate("a", "m", by="g").round(2)
    frame.machine.ceiling(["a", "b"], "m", margin=0.1)
    frame.predictions.scorecard("a", "m")
    frame(weights="quadratic", by="g").pairs(["a", "b"])
    frame(weights="quadratic").machine.ceiling(["a", "b"], "m")
    ratings(missing="listwise").pairs()
    frame(rng=1, n_resamples=500, progress=True).pairs(ci="bca")
    frame(weight_type="probability", population={"x": 9}, min_items=2).pairs(sample_weight="w")
    groups(rng=1).grouped("a", "b", ci="percentile").within
    frame(min_test_items=9).machine.audit(["a", "b"], "m")
    frame.report(["a", "b"], detail=["drilldown", "crosscheck"]).titled("Round 2")
    groups.pairs(["a", "b"])
    groups.grouped("a", "b").within
    groups.grouped(pairs=[("a", "b")]).results
    groups.compare_groups(["a", "b"], weights="linear")
    groups(weights="linear").agreement()
    frame.report(["a", "b"], by="g").to_html("out.html")
    frame.report(["a", "b"]).pairs.round(2)


def wrong_calls() -> None:
    """Call what is not there, or otherwise than it can be; never run."""
    frame.pears()  # type: ignore[attr-defined]
    frame.qwk()  # type: ignore[attr-defined]
    frame.evaluation("a", "m")  # type: ignore[attr-defined]
    frame.influence()  # type: ignore[attr-defined]
    ratings.pears()  # type: ignore[attr-defined]
    groups.pears()  # type: ignore[attr-defined]
    frame.scores.kappa()  # type: ignore[attr-defined]
    frame.machine.evaluation("a", "m")  # type: ignore[attr-defined]
    frame.predictions.score("a", "m")  # type: ignore[attr-defined]
    frame.plot.heat()  # type: ignore[attr-defined]
    frame.pairs(wieghts="quadratic")  # type: ignore[call-arg]
    frame.pairs(judges=["a", "b"])  # type: ignore[call-arg]
    frame.pairs(rater_a="a", rater_b="b")  # type: ignore[call-arg]
    frame.agreement(coefficient="fleiss")  # type: ignore[call-arg]
    frame.icc(weights="linear")  # type: ignore[call-arg]
    frame.usage(weights="linear")  # type: ignore[call-arg]
    frame.items(ci="wald")  # type: ignore[call-arg]
    frame.cells("a", "b", cluster="g")  # type: ignore[call-arg]
    frame.compare(("a", "b"), ("a", "c"), margins=0.1)  # type: ignore[call-arg]
    frame.homogeneity(group_by="g")  # type: ignore[call-arg]
    frame.report(weight="quadratic")  # type: ignore[call-arg]
    frame.to_excel("x.xlsx", overwite=True)  # type: ignore[call-arg]
    frame.scores.within(tolerence=1)  # type: ignore[call-arg]
    frame.scores.bland_altman("a", "b", level=0.9)  # type: ignore[call-arg]
    frame.machine.evaluate("a", "m", wieghts=None)  # type: ignore[call-arg]


def more_wrong_calls_1() -> None:
    """Go on; never run."""
    frame.machine.ceiling(["a", "b"], "m", margins=0.1)  # type: ignore[call-arg]
    frame.predictions.scorecard("a", "m", labels=[1, 2])  # type: ignore[call-arg]
    frame.predictions.cutpoints("a", "m", folds=5)  # type: ignore[call-arg]
    groups.pairs(wieghts=None)  # type: ignore[call-arg]
    groups.grouped("a", "b", wieghts=None)  # type: ignore[call-overload]
    ratings.pairs(wieghts="quadratic")  # type: ignore[call-arg]
    frame(wieghts="quadratic")  # type: ignore[call-arg]
    frame("quadratic")  # type: ignore[arg-type, call-arg]
    frame(ci="wald")  # type: ignore[call-arg]
    frame.pairs("a")  # type: ignore[arg-type]
    frame.pairs("ab", by="g")  # type: ignore[arg-type]
    frame.agreement("a")  # type: ignore[arg-type]
    frame(raters="ab")  # type: ignore[arg-type]
    frame.pairs(categories="abc")  # type: ignore[arg-type]
    frame.pairs(coefficient="cohens")  # type: ignore[arg-type]
    frame.pairs(coefficient="fleiss")  # type: ignore[arg-type]
    frame.agreement(coefficients="cohen")  # type: ignore[arg-type]
    frame.agreement(coefficients=["cohen"])  # type: ignore[list-item]
    frame.homogeneity(coefficient="light")  # type: ignore[arg-type]
    frame.items(coefficient="cohen")  # type: ignore[arg-type]
    frame.categories(coefficient="gwet")  # type: ignore[arg-type]
    frame.categories(kind="cuts")  # type: ignore[arg-type]
    frame.pairs(weights="squared")  # type: ignore[arg-type]
    frame.cells("a", "b", weights="auto")  # type: ignore[arg-type]
    frame(weights="squared")  # type: ignore[arg-type]


def more_wrong_calls_2() -> None:
    """Go on; never run."""
    frame.predictions.cutpoints("a", "m", weights="cubic")  # type: ignore[arg-type]
    frame.pairs(weights=2)  # type: ignore[arg-type]
    frame.pairs(missing="drop")  # type: ignore[arg-type]
    frame.scores.concordance(missing="em")  # type: ignore[arg-type]
    frame.pairs(ci="exact")  # type: ignore[arg-type]
    frame.icc(ci="score")  # type: ignore[arg-type]
    frame.scores.concordance(ci="bca")  # type: ignore[arg-type]
    frame.agreement(vary="judges")  # type: ignore[arg-type]
    frame.agreement(interpretation="landis")  # type: ignore[arg-type]
    frame.agreement(shares="margins")  # type: ignore[arg-type]
    frame(weight_type="counts").pairs()  # type: ignore[arg-type]
    frame.pairs(weight_type="frequency")  # type: ignore[call-arg]
    frame.pairs(p_adjust="fdr")  # type: ignore[arg-type]
    frame.pairs(confidence_level="95%")  # type: ignore[arg-type]
    frame(n_resamples=0.5).pairs()  # type: ignore[arg-type]
    frame(rng="seed").pairs()  # type: ignore[arg-type]
    frame(min_items="10").pairs()  # type: ignore[arg-type]
    frame.grouped("a", "b", by="g", rng=1)  # type: ignore[call-overload]
    groups.pairs(n_resamples=100)  # type: ignore[call-arg]
    frame.report(detail=["all"])  # type: ignore[list-item]
    frame.report(title="Round 2")  # type: ignore[call-arg]
    frame.pairwise(stat="kappa")  # type: ignore[arg-type]
    frame.confusion("a", "b", normalize="rows")  # type: ignore[arg-type]
    frame.confusion("a", "b", margins="no")  # type: ignore[arg-type]
    frame.consensus(method="em")  # type: ignore[arg-type]
    frame.predictions.cutpoints("a", "m", weights=None, method="fast")  # type: ignore[arg-type]
    frame.grouped("a", "b", by="g", tau2_method="reml")  # type: ignore[call-overload]
    frame.confusion("a")  # type: ignore[call-arg]
    frame.cells()  # type: ignore[call-arg]
    frame.compare(("a", "b"))  # type: ignore[call-arg]


def more_wrong_calls_3() -> None:
    """Go on; never run."""
    frame.compare("ab", "ac")  # type: ignore[arg-type]
    frame.compare(("a", "b", "c"), ("a", "d"))  # type: ignore[arg-type]
    frame.grouped("a", "b")  # type: ignore[call-overload]
    frame.grouped("a", by="g")  # type: ignore[call-overload]
    frame.grouped(pairs=["ab"], by="g")  # type: ignore[list-item]
    frame.compare_groups(["a", "b"])  # type: ignore[call-arg]
    frame.machine.fairness("a", "m")  # type: ignore[call-arg]
    frame.machine.fairness(["a", "b"], "m", by="g")  # type: ignore[arg-type]
    frame.compare(("a", "b"), ("a", "c"), ci="score")  # type: ignore[arg-type]
    frame.raters(ci="bca")  # type: ignore[arg-type]
    frame.categories(ci="fisher")  # type: ignore[arg-type]
    frame.to_excel("x.xlsx", columns=["g"])  # type: ignore[call-arg]
    frame.machine.evaluate("a")  # type: ignore[call-arg]
    frame.predictions.scorecard()  # type: ignore[call-arg]
    frame.to_html()  # type: ignore[call-arg]
    frame.grouped("a", "b", by="g").pooled_kappa  # type: ignore[attr-defined]
    number: int = frame.pairs()  # type: ignore[assignment]
    pdkappa.qwk([1, 2])  # type: ignore[call-arg]
    pdkappa.from_long(df, item="i", rater="r")  # type: ignore[call-arg]
    pdkappa.sample_size(0.5, method="exactly", null=0.4, margins=[0.5, 0.5])  # type: ignore[arg-type]
