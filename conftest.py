"""What every test and doctest finds: names, a display width, Hypothesis profiles, `each`."""

from __future__ import annotations

import doctest
import gc
import inspect
import os
import re
import shutil
import subprocess
import sys
import time
import tomllib
from contextlib import contextmanager
from functools import cache, partial, wraps
from importlib.util import find_spec
from itertools import combinations
from operator import attrgetter
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, settings

import pdkappa
from pdkappa.accessor import NAMESPACES, KappaMethods
from pdkappa.coefficients.chance import COEFFICIENTS
from pdkappa.coefficients.influence import moments_of_pairs
from pdkappa.coefficients.rating_rows import RatingRows
from pdkappa.coefficients.weights import WEIGHTS, Scale, from_matrix
from pdkappa.methods.estimates.study import read
from pdkappa.ratings.options import Reading

# The values of other systems, `elsewhere`, of which `docs/validation.py` makes its page, too.
sys.path.insert(0, str(Path(__file__).parent / "tests"))

# Messages, one a line, of the tables of calls in several files.
MESSAGES = tomllib.loads(
    Path(__file__).parent.joinpath("tests", "messages.toml").read_text(encoding="utf-8")
)

# How fast a machine is must not decide whether a law holds.
settings.register_profile(
    "local",
    deadline=None,
    max_examples=20,
    suppress_health_check=[HealthCheck.too_slow],
    print_blob=True,
)
settings.register_profile("ci", settings.get_profile("local"), derandomize=True)
settings.load_profile("ci" if os.environ.get("CI") else "local")


def each(names, cases):
    """Run a test with every case, as `pytest.mark.parametrize` does, but as one test.

    The case that fails is named below its traceback. With Hypothesis it stands below `given`, so
    that every example meets every case.
    """
    keys = (names,) if isinstance(names, str) else names
    chosen = [
        dict(zip(keys, (case,) if isinstance(names, str) else case, strict=True)) for case in cases
    ]
    assert chosen, "There is no case."

    def decorate(test):
        signature = inspect.signature(test)
        others = [one for name, one in signature.parameters.items() if name not in keys]

        @wraps(test)
        def run(*args, **kwargs):
            given = run.__signature__.bind(*args, **kwargs).arguments
            for case in chosen:
                try:
                    test(**given, **case)
                except Exception as error:
                    error.add_note(f"With {case}.")
                    raise

        run.__signature__ = signature.replace(parameters=others)
        return run

    return decorate


@contextmanager
def refused(error, message):
    """Expect an error or a warning, called by the name of its class, with the whole message."""
    kind = getattr(pdkappa.errors, error)
    if issubclass(kind, Warning):
        with pytest.warns(kind, match=exactly(message)):
            yield
        return
    with pytest.raises(pdkappa.KappaError) as caught:
        yield
    assert type(caught.value).__name__ == error
    assert str(caught.value) == message


def exactly(message):
    """Return the pattern of a whole message."""
    return f"^{re.escape(message)}$"


def raising(topic, calls):
    """Run a test with every `call`, by name, and what `tests/messages.toml` says: `refused()`."""
    told = MESSAGES["methods"][topic]
    assert told.keys() == calls.keys()
    cases = [(calls[name], partial(refused, *one)) for name, one in told.items()]
    return pytest.mark.parametrize(("call", "refused"), cases, ids=told)


@pytest.fixture
def refuses(request):
    """Expect what `tests/messages.toml` lists under the name of the test, in order."""
    topic, name = (
        one.removeprefix("test_") for one in (request.path.stem, request.node.originalname)
    )
    return lambda place=0: refused(*MESSAGES["tests"][topic][name][place])


# What `datasets.load_ratings` reads, see docs/pictures.py.
RATINGS = Path(__file__).parent / "pdkappa" / "datasets" / "ratings.csv"

# Programs that pip does not install: the marker of the tests that run them, and their names.
PROGRAMS = {
    "office": ("soffice",),
    "paper": ("soffice", "pdftohtml"),
    "browser": ("chromium", "chromedriver"),
    "r": ("Rscript",),
}

# Documents that show what other packages say.
OF_DOCS = dict.fromkeys(("differences.md", "recipes.md"), ("sklearn", "krippendorff"))

# Packages that the package can do without, and without which the tests that need them are skipped:
# those that name them in the marker `needs`, all of a file that imports them, and documents.
EXTRAS = {
    *("dask", "distributed", "docutils", "duckdb", "formulas", "hatchling", "importlinter"),
    *("jinja2", "krippendorff", "matplotlib", "narwhals", "nbclient", "nbformat", "numpydoc"),
    *("openpyxl", "polars", "pyarrow", "selenium", "sklearn", "sphinx", "tqdm", "xdist", "yaml"),
}
ALL_PROGRAMS = bool(os.environ.get("PDKAPPA_ALL_PROGRAMS"))


@pytest.hookimpl(wrapper=True)
def pytest_collection():
    """Look for no garbage among the million objects of imports and tests, and seldom later."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.set_threshold(50_000, 20, 20)
        gc.enable()


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(collector: pytest.Collector):
    """Skip a file that imports a package of EXTRAS which is not installed."""
    report = yield
    lacks = re.search(r"ModuleNotFoundError: No module named '(\w+)", str(report.longrepr))
    if report.failed and lacks and lacks[1] in EXTRAS and not ALL_PROGRAMS:
        reason = f"Skipped: {_lacking([lacks[1]])}"
        report.outcome, report.longrepr = "skipped", (str(collector.path), None, reason)
    return report


def pytest_runtest_setup(item: pytest.Item) -> None:
    """See to it that the programs and the packages of a test are there."""
    for marker, programs in PROGRAMS.items():
        missing = [name for name in programs if shutil.which(name) is None]
        if missing and item.get_closest_marker(marker):
            _lack(_lacking(missing))
    needed = [name for marker in item.iter_markers("needs") for name in marker.args]
    needed += OF_DOCS.get(item.name, ())
    assert EXTRAS.issuperset(needed), needed
    if missing := [name for name in needed if find_spec(name) is None]:
        _lack(_lacking(missing))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call():
    """Skip the rest of a document as soon as it lacks a package: its examples bear no markers."""
    try:
        return (yield)
    except doctest.UnexpectedException as failed:
        if isinstance(failed.exc_info[1], ImportError):
            _lack(str(failed.exc_info[1]))
        raise


def _lacking(names: list[str]) -> str:
    return f"This needs {' and '.join(names)}, which is not installed."


def _lack(message: str) -> None:
    """Skip a test that lacks something, unless PDKAPPA_ALL_PROGRAMS asks for all that there is."""
    if ALL_PROGRAMS:
        pytest.fail(message, pytrace=False)
    pytest.skip(message)


TELL = """tell <- function(name, ...) {
    cat(name, sub("NA", "NaN", format(as.numeric(c(...)), digits = 17)), "\\n")
}
"""


@pytest.fixture
def run_r(tmp_path: Path):
    """Give a function that runs a script of R, with frames as its data, and returns its numbers.

    What the script hands to ``tell("name", numbers, ...)`` comes back as an array of that name.
    R takes a second to start and another one for some packages: ask all of a file in one script.
    """

    def run(script: str, **frames: pd.DataFrame) -> dict[str, np.ndarray]:
        for name, frame in frames.items():
            frame.to_csv(tmp_path / f"{name}.csv", index=False)
        reads = "".join(f"{name} <- read.csv('{name}.csv')\n" for name in frames)
        path = tmp_path / "script.R"
        path.write_text(TELL + reads + script, encoding="utf-8")
        ran = subprocess.run(
            ["Rscript", "--vanilla", path],  # noqa: S607
            cwd=tmp_path,
            env={**os.environ, "TZ": "UTC"},
            capture_output=True,
            text=True,
            check=False,
        )
        if "there is no package called" in ran.stderr:
            _lack(ran.stderr)
        assert ran.returncode == 0, ran.stderr
        lines = [line.split() for line in ran.stdout.splitlines()]
        return {line[0]: np.array(line[1:]).astype(float) for line in lines if line}

    return run


@pytest.fixture(scope="session", autouse=True)
def _display() -> None:
    """Print frames alike in every terminal."""
    pd.set_option("display.width", 100, "display.max_columns", 20)


@pytest.fixture(autouse=True)
def _doctest(request: pytest.FixtureRequest, doctest_namespace: dict[str, Any]) -> None:
    """Give doctests the usual names, and a folder to write into, with some ratings in it."""
    if isinstance(request.node, pytest.DoctestItem):
        doctest_namespace.update(np=np, pd=pd, pdkappa=pdkappa)
        folder: Path = request.getfixturevalue("tmp_path")
        shutil.copy(RATINGS, folder)
        request.getfixturevalue("monkeypatch").chdir(folder)


@cache
def methods():
    """Return the function of every method of ``df.kappa``, by the name with which it is called."""
    found = {}
    for of, owner in {"": KappaMethods, **NAMESPACES}.items():
        for name in vars(owner):
            one = getattr(owner, name)
            if inspect.isfunction(one) and not name.startswith("_"):
                found[f"{of}.{name}".lstrip(".")] = one.__wrapped__
    return found


def takes(name):
    """Return the parameters of a method of ``df.kappa``, with those that only a study has."""
    return vars(methods()[name])["call"].signature(every=True).parameters


def held(name):
    """Return the options that a method has of a study alone."""
    return takes(name).keys() - inspect.signature(methods()[name]).parameters.keys()


def kappa_of(data):
    """Return what has the methods of ratings, in a frame or not."""
    return data if isinstance(data, pdkappa.Ratings) else pdkappa.KappaAccessor(data)


def function_of(name):
    """Return a method as a function of the ratings: ``function_of("machine.audit")(df, ...)``.

    It has the options of the method, and those that only a study has.
    """

    @wraps(methods()[name])
    def function(*args, **options):
        data, *args = args or (options.pop("data", None),)
        of_study = {one: options.pop(one) for one in held(name) if one in options}
        return attrgetter(name)(kappa_of(data)(**of_study))(*args, **options)

    function.__signature__ = inspect.Signature(list(takes(name).values()))
    function.__annotations__ |= {one: of.annotation for one, of in takes(name).items()}
    return function


def two(a, b):
    """Return a frame of two raters."""
    return pd.DataFrame({"a": a, "b": b})


def without_each(data, items):
    """Return copies of the ratings, each without one of the items, which is in column "left"."""
    return pd.concat([data[items != one].assign(left=one) for one in np.unique(items)])


def estimate(data, **options):
    """Return the coefficient of the only pair."""
    return data.kappa.pairs(**options)["estimate"].item()


def scale_of(weights, scores, in_use=None):
    """Return a scale for a weighting, or for a matrix of disagreement; K are the scores 1 to K."""
    scores = range(1, scores + 1) if np.ndim(scores) == 0 else scores
    scores = np.atleast_2d(np.asarray(scores, dtype=float))
    in_use = np.ones(scores.shape, dtype=bool) if in_use is None else np.atleast_2d(in_use)
    if isinstance(weights, np.ndarray):
        return Scale(from_matrix(weights), np.arange(float(len(weights)))[None], in_use)
    if WEIGHTS[weights].ranks:
        scores = np.cumsum(in_use, axis=1, dtype=float)
    return Scale(WEIGHTS[weights], scores, in_use)


def rows_of(codes, count=None, group=None, n_groups=None, *, k=None, cluster=None):
    """Return rows of ratings, from codes of shape (R, N)."""
    codes = np.asarray(codes)
    n = codes.shape[1]
    group = np.zeros(n, dtype=np.int64) if group is None else np.asarray(group)
    count = np.ones(n) if count is None else np.asarray(count, dtype=float)
    n_groups = int(group.max(initial=0)) + 1 if n_groups is None else n_groups
    k = int(codes.max(initial=0)) + 1 if k is None else k
    return RatingRows(codes, count, group, n_groups, k, cluster)


def covariance(data, raters=None, **reading):
    """Return the covariances of the kappas of all pairs, in the order of `pairs`."""
    found = read(data, raters, Reading(**reading))
    rows, cohen = found.rows.compressed, COEFFICIENTS["cohen"]
    pairs = pd.MultiIndex.from_tuples(combinations(found.raters, 2), names=["rater_a", "rater_b"])
    [values] = moments_of_pairs(rows, found.scale, cohen).covariance
    return pd.DataFrame(values, index=pairs, columns=pairs)


PATIENCE = 120.0  # seconds, in which everything happens unless it is broken


def until(happened):
    """Wait until something has happened."""
    end = time.monotonic() + PATIENCE
    while not happened():
        assert time.monotonic() < end, "it never happened"
        time.sleep(0.02)


@pytest.fixture
def pyplot():
    """Draw without a screen, and leave no figure behind."""
    from matplotlib import pyplot as plt

    plt.switch_backend("agg")
    yield
    plt.close("all")


@pytest.fixture(scope="session")
def client():
    """Start two worker processes of Dask, of one thread each."""
    from distributed import Client, LocalCluster

    options = {"threads_per_worker": 1, "processes": True, "dashboard_address": ":0"}
    with (
        LocalCluster(n_workers=2, **options) as cluster,
        Client(cluster, set_as_default=False) as client,
    ):
        yield client
