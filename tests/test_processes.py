"""What is said and written is the same in every process: hash seed, time zone, threads."""

import os
import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import pdkappa

TEXT = pd.DataFrame(
    {
        "ann": ["yes", "no", "No", "maybe", "yes", "no ", "no", "yes"],
        "bob": ["yes", "no", "no", "maybe", "maybe", "no", "No", "yes"],
        "eve": pd.Categorical(["no", "no", "no", "yes", "yes", "no", "maybe", "yes"]),
    }
)
SETS = pd.DataFrame({"a": [set("xyz"), {"q", "p"}], "b": [set("zyx"), {"w"}]})
MIXED = pd.Series([1, "x", b"y", 2.5, None, (1,), True, "x"], dtype=object)


def said():
    """Yield results as text, what is warned of, and what is refused."""
    grouped = TEXT.assign(group=[frozenset("x"), "y"] * 4)
    yield grouped.kappa.pairs(by="group").to_csv()
    yield TEXT.kappa.pairwise(coefficient="gwet").to_csv()
    yield TEXT.kappa.confusion("ann", "bob").to_csv()
    sets = TEXT[["ann", "bob"]].map(lambda x: frozenset([x]))
    yield sets.kappa.confusion("ann", "bob").to_csv()
    yield f"{SETS.kappa.confusion('a', 'b')} {SETS.kappa.consensus()}"
    yield from (frame.to_csv() for frame in TEXT.kappa.report().tables.values())
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        TEXT[["ann", "bob"]].kappa.pairs()
    yield from (str(one.message) for one in caught)
    for data, options in (
        (TEXT, {"categories": {"yes", "no", "maybe"}}),
        (TEXT, {"categories": ["yes"]}),
        (TEXT, {"weights": "linear"}),
        (TEXT, {"raters": {"ann", "bob"}}),
        (TEXT.assign(mixed=MIXED), {}),
    ):
        try:
            data.kappa.pairs(**options)
        except pdkappa.KappaError as error:
            yield str(error)


def write(folder):
    """Write what is said, a page, a workbook, and the figures of polars, to their last bit."""
    import polars as pl

    from pdkappa.present.excel_writer import write_workbook
    from pdkappa.present.findings import Findings
    from pdkappa.present.html_page import page

    data = pdkappa.datasets.load_anxiety()
    data = data.assign(site=["x", "y"] * 10, times=[1, 2, 1, 3] * 5, pair=np.arange(20) // 2)
    data.to_parquet(folder / "data.parquet")
    lazy = pdkappa.from_frame(pl.scan_parquet(folder / "data.parquet"))
    options = {"by": "site", "cluster": "pair", "sample_weight": "times"}
    found = lazy.pairs(["rater_1", "rater_2"], **options)
    bits = [one.hex() for one in found[["estimate", "se", "p_value"]].to_numpy().flat]
    (folder / "said.txt").write_text("\n".join([*said(), *bits]), "utf-8")
    report = data.kappa.report(
        ["rater_1", "rater_2", "rater_3"], by="site", weights="quadratic", detail="full"
    )
    text = page(list(report.sheets), Findings("A sentence."), "call")
    (folder / "page.html").write_text(text, "utf-8")
    write_workbook(folder / "book.xlsx", [one for one in report.sheets if one.kind != "text"])


@pytest.mark.needs("jinja2", "narwhals", "polars", "pyarrow")
@pytest.mark.filterwarnings("ignore::pdkappa.errors.KappaWarning")
def test_every_process_says_and_writes_the_same(tmp_path):
    """The process here has one seed, time zone and number of threads, the other another."""
    here, there = tmp_path / "here", tmp_path / "there"
    here.mkdir()
    there.mkdir()
    other = {"PYTHONHASHSEED": "1", "TZ": "Asia/Tokyo", "POLARS_MAX_THREADS": "1"}
    subprocess.run([sys.executable, __file__, there], check=True, env=os.environ | other)
    write(here)
    for name in ("said.txt", "page.html", "book.xlsx"):
        assert (here / name).read_bytes() == (there / name).read_bytes(), name
    assert (here / "said.txt").read_text("utf-8").count("\n") > 30


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    write(Path(sys.argv[1]))
