"""RSMTool: a whole evaluation (``tests/data/scoring``), and results that its own tests hold."""

import json
from collections.abc import Callable, Iterator
from functools import cache, partial
from typing import Any

import numpy as np
import pandas as pd

from elsewhere import DATA, Held

FOLDER = DATA / "scoring" / "eval_with_h2"
SYSTEM = "RSMTool 12"
ITS_TESTS = "RSMTool 6-7 (its tests)"
ORIGINS = {
    "rsmtool": "200 made-up responses and a whole evaluation of them, in the tests of RSMTool 12",
    "rsmtool_eval_with_h2": "the same responses, unrounded, in the tests of RSMTool 6 and 7",
    "prmse_johnson": "10,000 simulated responses with four human scores, in the tests of RSMTool",
}
# what RSMTool calls otherwise; its agreement is in per cent
BOTH = {"corr": "correlation", "wtkappa": "qwk", "kappa": "cohen", "SMD": "smd"}
BOTH |= {"exact_agr": "exact_agreement", "adj_agr": "adjacent_agreement", "DSM": "dsm"}
BOTH |= {"N": "n_items", "R2": "r2", "RMSE": "rmse"}
OF_MACHINE = BOTH | {"h_mean": "mean_a", "h_sd": "sd_a"}
OF_MACHINE |= {"sys_mean": "mean_b", "sys_sd": "sd_b", "sys_min": "min_b"}
OF_MACHINE |= {"sys_max": "max_b", "h_min": "min_a", "h_max": "max_a"}
OF_HUMANS = BOTH | {"h1_mean": "mean_a", "h1_sd": "sd_a"}
OF_HUMANS |= {"h2_mean": "mean_b", "h2_sd": "sd_b", "h2_min": "min_b"}
OF_HUMANS |= {"h2_max": "max_b", "h1_min": "min_a", "h1_max": "max_a"}
OF_PRMSE = {"N": "n_items", "N raters": "n_raters", "Variance of errors": "error_variance"}
OF_PRMSE |= {"True score var": "true_variance", "MSE true": "mse", "PRMSE true": "estimate"}
OF_PRMSE |= {"N single": "once", "N multiple": "twice"}
PER_CENT = ("exact_agr", "adj_agr")
ALL = "All data"
SCALE = range(1, 7)
FEW = {"n_resamples": 40}  # the limits of PRMSE are not compared
JOHNSON = {  # to the digits that its tests have
    "error_variance": 0.509375,
    "true_variance": 0.7765515,
    "mse": 0.3564625,
    "estimate": 0.5409673,
}


@cache
def read(name: str) -> pd.DataFrame:
    """Read one of RSMTool's tables."""
    table = pd.read_csv(FOLDER / f"{name}.csv", index_col=0)
    return table.rename(columns=lambda column: str(column).strip())


@cache
def responses() -> pd.DataFrame:
    """Return two humans, all versions of the machine's scores, and the groups."""
    humans = read("test_human_scores").rename(columns={"sc1": "h1", "sc2": "h2"})
    return humans.join(read("pred_processed").drop(columns="sc1")).join(read("test_metadata"))


@cache
def evaluated(machine: str, **options: Any) -> pd.DataFrame:
    """Evaluate a version of the machine's scores beside two humans, on the scale of RSMTool."""
    return responses().kappa.machine.evaluate(["h1", "h2"], machine, categories=SCALE, **options)


@cache
def grouped_by(by: str, machine: str) -> pd.DataFrame:
    """Evaluate each group, and all responses as if they were one more."""
    parts = [responses(), responses().assign(**{by: ALL})]
    return pd.concat(
        part.kappa.machine.evaluate(["h1", "h2"], machine, categories=SCALE, by=by)
        for part in parts
    )


def record(table: str, where: str, value: Any, ours: Any, **more: Any) -> Held:
    """Return a record of one of the tables."""
    return Held("rsmtool", f"{table}; {where}", SYSTEM, value, ours, 1e-10, **more)


def rows(table: str, where: str, found: pd.Series, theirs: pd.Series, names: dict) -> Iterator:
    """Give each figure of a row of RSMTool beside ours."""
    for name, value in theirs.items():
        ours = found[names[name]] * (100 if name in PER_CENT else 1)
        yield record(table, f"{where}; {name}", value, ours)


def versions(table: str, found: Callable[..., pd.Series]) -> Iterator[Held]:
    """Give rows such as `scale_trim`; agreement of `scale` is without rounding."""
    for version, row in read(table).iterrows():
        shares = [name for name in row.index if name in PER_CENT]
        unrounded = found(version, rounded=version == "scale_trim_round")
        yield from rows(table, version, found(version), row.drop(shares), OF_MACHINE)
        yield from rows(table, version, unrounded, row[shares], OF_MACHINE)


def row_of(name: str, version: str, **options: Any) -> pd.Series:
    """Return a row of `evaluate` of a version of the machine's scores."""
    return evaluated(version, **options).loc[name]


def whole() -> Iterator[Held]:
    """Give the tables about all responses."""
    yield from versions("eval", partial(row_of, "evaluation"))
    yield from versions("degradation", partial(row_of, "difference"))
    for name, value in read("eval_short").iloc[0].items():
        figure, _, version = name.partition(".")
        version = version or "scale_trim"
        found = row_of("evaluation", version)
        yield from rows("eval_short", version, found, pd.Series({figure: value}), OF_MACHINE)
    found, row = row_of("consistency", "scale"), read("consistency").iloc[0]
    yield from rows("consistency", "humans", found, row, OF_HUMANS)
    table = responses().kappa.confusion("h1", "scale_trim_round", categories=range(1, 6))
    yield record("confMatrix", "all cells", read("confMatrix").to_numpy(), table.to_numpy())


def grouped() -> Iterator[Held]:
    """Give the tables about languages and questions."""
    for by in ("L1", "QUESTION"):
        table = f"eval_by_{by}"
        for group, row in read(table).iterrows():
            for name, value in row.items():
                figure, _, version = name.partition(".")
                found = grouped_by(by, version or "scale_trim").loc[(group, "evaluation")]
                one = pd.Series({figure: value})
                yield from rows(table, f"{group} {version}".strip(), found, one, OF_MACHINE)
    found = grouped_by("L1", "scale")
    for group, row in read("consistency_by_L1").iterrows():
        yield from rows(
            "consistency_by_L1", group, found.loc[(group, "consistency")], row, OF_HUMANS
        )


def disattenuated() -> Iterator[Held]:
    """Give the correlations without the errors of the humans."""

    def four(table: str, where: str, found: pd.DataFrame, row: pd.Series) -> Iterator[Held]:
        of_humans, of_machine = found.loc["consistency"], found.loc["evaluation"]
        ours = {
            "corr_HM": of_machine["correlation"],
            "corr_HH": of_humans["correlation"],
            "sqrt_HH": of_humans["correlation"] ** 0.5,
            "corr_disattenuated": of_machine["disattenuated"],
        }
        for name, value in ours.items():
            yield record(table, f"{where}; {name}", row[name], value)

    for version, row in read("disattenuated_correlations").iterrows():
        yield from four("disattenuated_correlations", version, evaluated(version), row)
    by_language = grouped_by("L1", "scale")
    for language, row in read("disattenuated_correlations_by_L1").iterrows():
        yield from four(
            "disattenuated_correlations_by_L1", language, by_language.loc[language], row
        )


def fair() -> Iterator[Held]:
    """Give the tests of fairness, and the estimates behind them."""
    frame = read("pred_processed").join(read("test_metadata"))
    for by in ("L1", "QUESTION"):
        table = f"fairness_metrics_by_{by}"
        tests = frame.kappa.machine.fairness("sc1", "scale", by=by, errors="equal").tests
        theirs = read(table).drop(columns="base_category").astype(float)
        for i, name in enumerate(theirs):
            yield record(table, f"{name}; R2", theirs.loc["R2", name], tests["r2"].iloc[i])
            yield record(table, f"{name}; sig", theirs.loc["sig", name], tests["p_value"].iloc[i])
    groups = frame.kappa.machine.fairness("sc1", "scale", by="L1", errors="equal").groups
    columns = ["estimate", "p_value", "ci_low", "ci_high"]
    for test in ("osa", "osd", "csd"):
        table = f"estimates_{test}_by_L1"
        theirs = read(table).rename(index={"Intercept (Vulcan)": "Vulcan"})
        found = groups.xs(test, level="test").loc[theirs.index, columns]
        for group, row in theirs.iterrows():
            yield record(table, group, row.to_numpy(dtype=float), found.loc[group].to_numpy(float))


def prmse() -> Iterator[Held]:
    """Give PRMSE of each version of the machine's scores, and of Johnson's responses."""
    frame = responses().rename(columns={"h1": "sc1", "h2": "sc2"})
    for machine, row in read("true_score_eval").iterrows():
        found = frame.kappa(**FEW).machine.prmse(["sc1", "sc2"], machine).iloc[0]
        twice = row_of("consistency", machine)["n_items"]
        found = pd.concat([found, pd.Series({"once": found["n_items"] - twice, "twice": twice})])
        yield from rows("true_score_eval", machine, found, row, OF_PRMSE)
    johnson = pd.read_csv(DATA / "scoring" / "prmse_johnson.csv.gz")
    found = johnson.kappa(**FEW).machine.prmse(["h1", "h2", "h3", "h4"], "system").iloc[0]
    for name, value in JOHNSON.items():
        yield Held(
            "prmse_johnson", f"PRMSE; {name}", "RSMTool (its tests)", value, found[name], 5e-8
        )


def of_its_tests() -> Iterator[Held]:
    """Give the figures of the made-up responses that the tests of RSMTool 6 and 7 hold."""
    file = DATA / "evaluation" / "rsmtool_eval_with_h2.json"
    given = json.loads(file.read_text(encoding="utf-8"))
    frame = pd.DataFrame(given["rows"], columns=given["columns"])

    def figures(where: str, found: pd.Series, theirs: dict[str, float]) -> Iterator[Held]:
        for name, value in theirs.items():
            ours = found["cohen" if name == "kappa" else name.removeprefix("sample_")]
            yield Held(given["name"], f"{where}; {name}", ITS_TESTS, value, ours, 1e-12)

    for where, theirs in given["expected"].items():
        comparison, _, unrounded = where.partition("_")
        options = {"rounded": False} if unrounded else {}
        found = frame.kappa.machine.evaluate(["h1", "h2"], "machine", categories=SCALE, **options)
        yield from figures(
            where, found.loc[comparison.replace("degradation", "difference")], theirs
        )
    found = frame.kappa.machine.evaluate(["h1", "h2"], "machine", by="question")
    found = found.xs("consistency", level="comparison")
    for name, value in given["question"].items():
        ours = found["cohen" if name == "kappa" else name.removeprefix("sample_")].to_numpy()
        theirs, figure = np.full(len(ours), value), f"every question; {name}"
        yield Held(given["name"], figure, ITS_TESTS, theirs, ours, 1e-12)


def held() -> Iterator[Held]:
    """Give every figure of RSMTool that is compared."""
    for tables in (whole, grouped, disattenuated, fair, prmse, of_its_tests):
        yield from tables()
