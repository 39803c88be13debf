"""Trials, measurement studies and spans: values of other systems, and of books."""

import json
from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd

import pdkappa
from elsewhere import DATA, Held

FOLDER = DATA / "designs"
JASP = "R jaspQualityControl, with irr and tau-b"
R, LME4 = "R, by projections", "R lme4"
DKPRO = "dkpro-statistics"
ORIGINS = {
    "trials_jasp_binary": "15 parts, three appraisers, three trials; test data of JASP",
    "trials_jasp_ordinal": "30 parts, four appraisers; test data of JASP",
    "g_brennan4": "Brennan (2001), synthetic data set no. 4: persons x (raters : tasks)",
    "g_brennan4_fixed": "the same, tasks fixed",
    "g_brennan_unbalanced": "Brennan (2001), ch. 7: persons x (items : h), unbalanced",
    "g_brennan_missing": "Brennan (2001), ch. 7: persons x items with missing cells",
    "gauge_houf": "Houf & Berman (1988), as printed by SAS: ten parts, three operators",
    "gauge_aiag": "AIAG manual: ten parts, three appraisers",
    "gauge_nested": "parts nested in operators; test data of JASP",
    "spans_krippendorff2004": "Krippendorff (2004), p. 254",
    "spans_krippendorff1995A": "Krippendorff (1995), p. 57, example A",
    "spans_krippendorff1995C": "Krippendorff (1995), p. 57, example C",
}
STUDIES = ("g_brennan4", "g_brennan4_fixed", "g_brennan_unbalanced", "g_brennan_missing")
GAUGES = ("gauge_houf", "gauge_aiag", "gauge_nested")
SPANS = ("spans_krippendorff2004", "spans_krippendorff1995A", "spans_krippendorff1995C")
TRIALS = ("trials_jasp_binary", "trials_jasp_ordinal")
EXACT, BY_REML, OF_LIMITS = 1e-6, 1e-3, 0.03
ROWS = {"repeatability": "repeatability", "part": "part", "total_gauge": "total_gauge"}
ROWS |= {"operator": "operator", "part x operator": "interaction"}


def read(name: str) -> tuple[pd.DataFrame, dict[str, Any]]:
    """Return a data set, as a frame, and all that is known of it."""
    known = json.loads(FOLDER.joinpath(f"{name}.json").read_text(encoding="utf-8"))
    return pd.DataFrame(known["rows"], columns=known["columns"]), known


def trials() -> Iterator[Held]:
    """Give the figures of attribute agreement analyses."""
    for name in TRIALS:
        frame, known = read(name)
        columns = {one: one for one in ("item", "rater", "trial", "rating", "truth")}
        found = frame.kappa.trials(**columns, conforming=known["positive"])
        ours = {
            (comparison, who if isinstance(who, str) else None, figure): row
            for (comparison, who, figure), row in found.iterrows()
        }
        for row in known["out"]["rows"]:
            for figure in [one for one in row if one not in ("comparison", "rater")]:
                told = row[figure] if isinstance(row[figure], dict) else {"estimate": row[figure]}
                place = row["comparison"], row.get("rater"), figure
                for column in [one for one in told if one != "n_matched"]:
                    what = "; ".join(filter(None, [*place, column]))
                    yield Held(name, what, JASP, told[column], float(ours[place][column]), EXACT)


def studies() -> Iterator[Held]:
    """Give components, coefficients and projections of generalizability studies."""
    for name in STUDIES:
        frame, known = read(name)
        for method, (system, near) in {"anova": (R, EXACT), "reml": (LME4, BY_REML)}.items():
            if method not in known:
                continue
            study = frame.kappa.generalizability(**known["call"], method=method)
            for table in ("components", "coefficients"):
                ours = getattr(study, table)["estimate"]
                for row, value in known[method][table].items():
                    yield Held(name, f"{method}; {row}", system, value, ours[row], near)
        study = frame.kappa.generalizability(**known["call"], method="anova")
        for one in known.get("project", []):
            found = study.project(one["sizes"]).iloc[0]
            for row in [row for row in one if row != "sizes"]:
                sizes = ", ".join(f"{n} {facet}" for facet, n in one["sizes"].items())
                yield Held(name, f"{sizes}; {row}", R, one[row], float(found[row]), EXACT)


def gauges() -> Iterator[Held]:
    """Give variances, shares of the study and limits of gauges."""
    for name in GAUGES:
        frame, known = read(name)
        study = frame.kappa.generalizability(**known["call"], method="anova")
        pools = {"unpooled": None, "pooled": 1e-9 if name == "gauge_houf" else 0.05}
        for kind in [kind for kind in pools if kind in known]:
            gauge = study.gauge(pool=pools[kind])
            for column, told in (("estimate", "variance"), ("share_of_study", "share_of_study")):
                for row, value in known[kind][told].items():
                    what = f"{kind}; {row}; {column}"
                    yield Held(name, what, R, value, gauge.loc[row, column], EXACT)
            value = known[kind]["distinct_categories"]
            ours = study.distinct_categories(pool=pools[kind])
            yield Held(name, f"{kind}; distinct categories", R, value, ours, EXACT)
        gauge = study.gauge()
        for row, told in ROWS.items():
            if told in known.get("limits", ()):
                value = np.array(known["limits"][told])
                ours = gauge.loc[row, ["ci_low", "ci_high"]].to_numpy(dtype=float)
                # a share of each value, below 1, too
                ratio = np.divide(ours, value, out=np.ones(2), where=value > OF_LIMITS / 100)
                what = f"{row}; limits in units of those by 10^6 draws"
                yield Held(name, what, R, np.ones(2), ratio, OF_LIMITS)


def spans() -> Iterator[Held]:
    """Give alphas for units, matches, and kappas per character."""
    columns = {one: one for one in ("item", "rater", "start", "end", "label")}
    names = {"observed": "observed_disagreement", "expected": "expected_disagreement"}
    for name in SPANS:
        frame, known = read(name)
        found = pdkappa.from_spans(frame, **columns, length=pd.Series(known["lengths"]))
        alphas = pd.concat([found.categories(), found.agreement().set_axis(["all"])])
        for label, told in known["alpha_u"].items():
            for there, here in (names | {"alpha": "estimate"}).items():
                ours = alphas.loc[label, here]
                yield Held(name, f"{label}; {there}", DKPRO, told[there], ours, EXACT)
        for match, there in {"exact": "pairs_exact", 0.5: "pairs_half"}.items():
            [told] = known[there].values()
            ours = found.pairs(match=match).iloc[0]
            for key, here in {"n_matched": "n_matched", "f1": "estimate"}.items():
                yield Held(name, f"{match}; {key}", "by hand", told[key], float(ours[here]), EXACT)
        for label, told in known["units"].items():
            agreement = found.units(label).kappa.agreement(
                found.rater_labels, coefficients=[*told], sample_weight="length"
            )
            for key, value in told.items():
                ours = agreement.loc[key, "estimate"]
                yield Held(name, f"{label}; {key} per character", "R irrCAC", value, ours, EXACT)


def held() -> Iterator[Held]:
    """Give all of them."""
    for some in (trials, studies, gauges, spans):
        yield from some()
