"""Every result is shown as its golden file says, see `describe`."""

import pytest

for package in ("matplotlib", "openpyxl", "xlsxwriter", "jinja2", "statsmodels"):
    pytest.importorskip(package)

from matplotlib import pyplot as plt  # noqa: E402

from describe import GOLDEN, results, shown  # noqa: E402

RESULTS = results()


@pytest.mark.parametrize("name", RESULTS)
def test_a_result_is_shown_as_before(name):
    """Run `python tests/describe.py --write` where the difference is meant, and read it."""
    plt.switch_backend("agg")
    assert shown(RESULTS[name]) == (GOLDEN / f"{name}.txt").read_text("utf-8")


def test_every_golden_file_has_its_result():
    assert {file.stem for file in GOLDEN.iterdir()} == {*RESULTS}
