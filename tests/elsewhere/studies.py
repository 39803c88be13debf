"""Planning, labels of crowds and judges: values of other systems for whole methods."""

import json
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd

import pdkappa
from elsewhere import DATA, Held

ORIGINS = {
    "planning": "numbers of items that a study takes, by options; there are no ratings",
    "anaesthesia": "Dawid & Skene (1979), Table 1: 45 patients, five anaesthetists",
    "sparse_crowd": "a simulated crowd, of whom a few rated each item",
    "wax": "word associations; Calderon, Reichart & Dror (2025), with the code of their test",
    "lgbteen": "questions about answers of language models; from the same",
    "cebab_stars": "stars of restaurant reviews; from the same",
    "lesion": "features of skin lesions in pictures; from the same",
}


PLANS = json.loads((DATA / "planning" / "sample_size.json").read_text(encoding="utf-8"))["expected"]
# With rates of .3 and .4, kappa is .783 at most: irr goes on with a negative cell. That its
# number comes from the same formula is shown in tests/methods/planning/test_power.py.
IMPOSSIBLE = {"sample_size#0001"}


def options_of(entry: dict[str, Any]) -> dict[str, Any]:
    """Translate the options of another system."""
    given = entry["options"]
    options = {"power": given["power"]} if "power" in given else {}
    if entry["coefficient"].startswith("n_items_two_raters"):
        binary = entry["coefficient"].endswith("binary")
        rates = [[rate, 1 - rate] for rate in (given.get("rate1", 0), given.get("rate2", 0))]
        return options | {
            "kappa": given["k1"],
            "null": given["k0"],
            "margins": rates if binary else given["mrg"],
            "method": "wald" if binary else "worst_case",
            "alternative": "one-sided",
        }
    options |= {
        "margins": [1 - given["props"], given["props"]],
        "n_raters": given["raters"],
        "method": "goodness_of_fit",
    }
    if entry["coefficient"] == "n_items_power_binary_common_kappa":
        return options | {"kappa": given["kappa1"], "null": given["kappa0"]}
    return options | {"kappa": given["kappa0"], "half_width": given["kappaU"] - given["kappa0"]}


def plans() -> Iterator[Held]:
    """Give the numbers of items that a study takes."""
    for entry in PLANS:
        if entry["id"] in IMPOSSIBLE:
            continue
        found = pdkappa.sample_size(**options_of(entry))
        ours = found.exact if isinstance(entry["value"], float) else found.n_items
        given = ", ".join(f"{name} {value}" for name, value in entry["options"].items())
        yield Held(
            data="planning",
            figure=f"number of items; {given}",
            system=entry["from"],
            value=entry["value"],
            ours=ours,
            tolerance=entry["tolerance"],
        )


def consensus() -> Iterator[Held]:
    """Give the probabilities of the labels, and the errors and skills of the raters.

    Crowd-kit adds 1e-10 to counts of zero, and has no errors where a rater is never right.
    """
    for path in sorted((DATA / "consensus").glob("*.json")):
        given = json.loads(path.read_text(encoding="utf-8"))
        frame = pd.DataFrame(given["ratings"], columns=["task", "worker", "label"])
        ratings = pdkappa.from_long(frame, item="task", rater="worker", rating="label")
        expected = given["expected"]
        steps = {"max_iter": expected["steps"], "tol": 0}
        system = given["from"]
        for method in ("majority", "weighted", "dawid_skene"):
            options = steps if method == "dawid_skene" else {}
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", pdkappa.errors.NotConvergedWarning)
                found = ratings.consensus(method=method, **options)
            top = np.sort(np.array(expected[method]), axis=1)
            name = f"{method}, {expected['steps']} steps; "
            best, margin = top[:, -1], top[:, -1] - top[:, -2]
            yield Held(
                path.stem,
                name + "probability of the label of each item",
                system,
                best,
                found["probability"].to_numpy(),
                1e-8,
            )
            ours = found["margin"].to_numpy()
            yield Held(path.stem, name + "its margin", system, margin, ours, 2e-8)
        ours = [found.confusion.loc[(a, b), c] for a, b, c, _ in expected["errors"]]
        theirs = np.array([value for *_, value in expected["errors"]])
        name = f"dawid_skene, {expected['steps']} steps; errors of the raters"
        yield Held(path.stem, name, system, theirs, np.array(ours, dtype=float), 1e-6)
        skills = ratings.consensus().raters["accuracy"]
        theirs = np.array([expected["skills"][rater] for rater in skills.index])
        name = "majority; skills of the raters"
        yield Held(path.stem, name, system, theirs, skills.to_numpy(), 1e-7)


JUDGES = pd.read_csv(DATA / "judges" / "expected.csv")
PAPER = "AltTest 18428b1 (Calderon, Reichart & Dror 2025)"


def published(name: str) -> tuple[pd.DataFrame, list[str]]:
    """Return ratings of the paper, with the names of the humans."""
    data = pd.read_csv(DATA / "judges" / f"{name}.csv", index_col="item")
    return data, [one for one in data if one.startswith("human_")]


def judges() -> Iterator[Held]:
    """Give winning rates and advantage probabilities."""
    for name, rows in JUDGES.groupby("dataset", sort=False):
        data, humans = published(name)
        theirs = rows.set_index("judge")
        score = theirs["score"].iloc[0].removeprefix("neg_")
        options = {"score": score, "epsilon": theirs["epsilon"].iloc[0]}
        found = data.kappa.machine.alt_test(humans, list(theirs.index), **options).machines
        for judge, row in theirs.iterrows():
            for column in ("winning_rate", "advantage_probability", "n_items"):
                ours = found.loc[judge, column]
                yield Held(name, f"{column} of {judge}", PAPER, row[column], ours, 1e-12)


def held() -> Iterator[Held]:
    """Give all of them."""
    yield from plans()
    yield from consensus()
    yield from judges()
