"""`from_long`: ratings one below the other say the same as a wide frame."""

import warnings
from unittest.mock import PropertyMock, patch

import numpy as np
import pandas as pd
import pytest
from pandas.testing import assert_frame_equal

import pdkappa
from conftest import each, exactly, function_of, raising
from pdkappa.errors import (
    CategoryError,
    ColumnNotFoundError,
    DuplicateRatingError,
    KappaWarning,
    LeftOutWarning,
    LookalikeLabelsWarning,
    OptionError,
    RatingsError,
    RatingTypeError,
    UndefinedKappaWarning,
)
from pdkappa.ratings.long_ratings import Listed
from pdkappa.sources.scan_files import Files

nan = float("nan")
RATERS = ["ann", "bob", "eve", "ida"]
COLUMNS = {"item": "essay", "rater": "who", "rating": "score"}


def wide_frame(n_items=60, share=0.5):
    """Return ratings of all raters, of which a share is missing, with columns of the items."""
    rng = np.random.default_rng(20261120)
    truth = rng.integers(1, 5, n_items)
    frame = pd.DataFrame(
        {name: np.clip(truth + rng.integers(-1, 2, n_items), 1, 4) for name in RATERS}, dtype=float
    )
    frame = frame.mask(rng.random(frame.shape) < share).dropna(how="all")
    frame["site"] = rng.choice(["x", "y"], len(frame))
    frame["author"] = rng.integers(0, 20, len(frame))
    frame["times"] = rng.integers(1, 4, len(frame))
    return frame.rename_axis("essay")


def melted(frame):
    """Return the frame one below the other, shuffled, with a column that differs in items."""
    columns = ["essay", "site", "author", "times"]
    long = frame.reset_index().melt(columns, var_name="who", value_name="score")
    return long.assign(second=range(len(long))).sample(frac=1, random_state=1)


WIDE = wide_frame()
LONG = melted(WIDE)
RATINGS = pdkappa.from_long(LONG, **COLUMNS)


@pytest.fixture(params=[True, False], ids=["sparse", "wide"])
def ways(request):
    """Count the list itself, or the wide frame."""
    with patch.object(Listed, "is_sparse", new_callable=PropertyMock, return_value=request.param):
        yield


OPTIONS = {
    "plain": {},
    "weights": {"weights": "quadratic"},
    "some raters": {"raters": ["ida", "ann", "eve"]},
    "groups": {"by": "site", "weights": "linear"},
    "two columns": {"by": ["site"], "coefficient": "gwet"},
    "item weights": {"sample_weight": "times", "coefficient": "scott"},
    "an array of weights": {
        "sample_weight": WIDE["times"].to_numpy() / 2,
        "weight_type": "frequency",
    },
    "weights of a sample": {"sample_weight": "times", "weight_type": "probability"},
    "a Series of weights": {"sample_weight": WIDE["times"][::-1]},
    "all": {"raters": RATERS[:3], "by": "site", "sample_weight": "times", "ci": "wald"},
    "clusters": {"cluster": "author"},
    "listwise": {"missing": "listwise"},
    "resampled": {"ci": "bca", "rng": 1, "n_resamples": 200},
    "declared": {"categories": {1: 0, 2: 1, 3: 5, 4: 6}, "weights": "quadratic"},
}
OF_LIMITS = ("weight_type", "cluster", "ci", "n_resamples", "rng")


@pytest.mark.usefixtures("ways")
@pytest.mark.parametrize("options", OPTIONS.values(), ids=OPTIONS.keys())
@pytest.mark.filterwarnings("ignore::pdkappa.errors.FewClustersWarning")
def test_pairs_are_those_of_the_wide_frame(options):
    expected = function_of("pairs")(WIDE, **{"raters": RATERS} | options)
    assert_frame_equal(function_of("pairs")(RATINGS, **options), expected)
    for stat in ("estimate", "n_items", "ci_low", "reason"):
        unseen = OF_LIMITS if stat in ("estimate", "n_items") else ()
        given = {name: value for name, value in options.items() if name not in unseen}
        found = function_of("pairwise")(RATINGS, **given, stat=stat)
        given = {"raters": RATERS} | given
        assert_frame_equal(found, function_of("pairwise")(WIDE, **given, stat=stat))


@pytest.mark.parametrize(
    "call",
    [
        lambda own, raters: own.agreement(**raters),
        lambda own, raters: own.agreement(**raters, by="site", cluster="author"),
        lambda own, raters: own.items(**raters),
        lambda own, raters: own.raters(**raters),
        lambda own, raters: own.usage(**raters),
        lambda own, raters: own.categories(**raters, sample_weight="times"),
        lambda own, raters: own.homogeneity(**raters),
        lambda own, _: own.confusion("ann", "bob", by="site"),
        lambda own, _: own.grouped("ann", "bob", by="site").groups,
        lambda own, _: own.compare(("ann", "bob"), ("ann", "eve")),
        lambda own, raters: own.scores.concordance(**raters),
    ],
)
@pytest.mark.filterwarnings("ignore::pdkappa.errors.FewClustersWarning")
@pytest.mark.filterwarnings("ignore::pdkappa.errors.BiasedKappaWarning")
def test_every_other_method_is_that_of_the_wide_frame(call):
    found = call(RATINGS, {})
    assert_frame_equal(pd.DataFrame(found), pd.DataFrame(call(WIDE.kappa, {"raters": RATERS})))


@pytest.mark.usefixtures("ways")
@pytest.mark.parametrize("factor", [2.0**900, 2.0**-900])
def test_weights_may_be_very_large_or_small(factor):
    weighted = LONG.assign(times=LONG["times"] * factor)
    options = {"sample_weight": "times", "weight_type": "frequency"}
    found = pdkappa.from_long(weighted, **COLUMNS)(**options).pairs()
    wide = WIDE.assign(times=WIDE["times"] * factor)
    assert_frame_equal(found, wide.kappa(**options).pairs(RATERS))
    assert found["n_items"].iloc[0] / factor == RATINGS.pairs(sample_weight="times")["n_items"][0]


APART = pd.DataFrame(
    {
        "essay": [1, 1, 2, 2, 3, 3, 4, 5, 6],
        "who": ["bob", "ann", "ann", "bob", "bob", "ann", "eve", "eve", "ida"],
        "score": [1, 1, 2, 3, 3, 3, 1, 2, 4],
        "site": list("xxxxxxyyy"),
    }
)


@pytest.mark.usefixtures("ways")
def test_pairs_that_share_no_item_are_absent_and_nan_without_a_warning():
    ratings = pdkappa.from_long(APART, **COLUMNS)
    assert str(ratings) == "9 ratings of 6 items by 4 raters"
    frame = ratings.pairs(["ann", "bob", "eve"])
    assert frame[["rater_a", "rater_b", "n_items"]].to_numpy().tolist() == [["ann", "bob", 3]]
    square = ratings.pairwise(["ann", "bob", "eve"])
    apart = [[False, False, True], [False, False, True], [True, True, False]]
    assert square.isna().to_numpy().tolist() == apart
    reasons = ratings.pairwise(["ann", "bob", "eve"], stat="reason")
    assert ((reasons == "no_joint_items").to_numpy() == np.array(apart)).all()
    assert ratings.pairwise(stat="n_items").loc["eve"].tolist() == [0, 0, 2, 0]


@pytest.mark.filterwarnings("ignore::pdkappa.errors.UndefinedKappaWarning")
def test_a_pair_of_few_items_keeps_another_reason():
    data = pd.DataFrame(
        {"ann": [1, 1, 1, 2, 1], "bob": [1, 1, *[np.nan] * 3], "eve": [2, 1] * 2 + [2]}
    )
    reasons = data.kappa(min_items=3).pairwise(stat="reason").to_numpy().tolist()
    found = [reasons[0][1], reasons[0][2], reasons[1][2]]
    assert found == ["constant_ratings", "", "constant_rater"]
    for least, reason in [(5, ""), (6, "fewer_than_min_items")]:  # they share five
        reasons = data.kappa(min_items=least).pairwise(stat="reason")
        assert reasons.loc["ann", "eve"] == reason


def test_many_raters_need_no_wide_frame(refuses):
    rng = np.random.default_rng(1)
    n_items, n_raters = 40_000, 2_000
    who = rng.integers(0, n_raters - 1, n_items)
    data = pd.DataFrame(
        {
            "essay": np.repeat(np.arange(n_items), 2),
            "who": np.stack([who, rng.integers(who + 1, n_raters)], axis=1).reshape(-1),
            "score": rng.integers(0, 3, 2 * n_items),
        }
    )
    ratings = pdkappa.from_long(data, **COLUMNS)
    with pytest.warns(UndefinedKappaWarning):
        frame = ratings.pairs()
    assert frame["n_items"].sum() == n_items
    with pytest.warns(LeftOutWarning):
        assert set(ratings.agreement()["n_ratings"]) == {2 * n_items}
    assert ratings.confusion(5, 6).to_numpy().sum() == (ratings.pairs([5, 6])["n_items"].sum())
    with refuses():
        ratings.scores.concordance()
    with refuses():
        ratings.pairs(ci="bca")


SCORES = {
    "integers": [1, 2, 3, 3, 2, 2, 1, 1],
    "text": ["a", "b", "c", "c", "b", "b", "a", "a"],
    "booleans": [True, False, True, True, False, False, True, False],
    "ordered": pd.Categorical(list("abccbbaa"), categories=list("cbad"), ordered=True),
    "nullable": pd.array([1, 2, 3, 3, 2, None, 1, 1], dtype="Int64"),
    "dates": pd.to_datetime(["2020", "2021", "2022", "2022", "2021", "2021", "2020", "2020"]),
}


@pytest.mark.usefixtures("ways")
@pytest.mark.filterwarnings("ignore::pdkappa.errors.UndefinedKappaWarning")
@pytest.mark.parametrize("scores", SCORES.values(), ids=SCORES.keys())
def test_ratings_of_every_type(scores):
    data = pd.DataFrame({"essay": [1, 1, 2, 2, 3, 3, 4, 4], "who": ["bob", "ann"] * 4})
    data["score"] = scores
    parts = [data[data["who"] == name].set_index("essay")["score"] for name in ("ann", "bob")]
    wide = pd.DataFrame(dict(zip(("ann", "bob"), parts, strict=True)))
    ratings = pdkappa.from_long(data, **COLUMNS)
    assert_frame_equal(ratings.pairs(), wide.kappa.pairs())
    found = ratings.confusion("ann", "bob")
    assert_frame_equal(found, wide.kappa.confusion("ann", "bob"), check_index_type=False)


@pytest.mark.usefixtures("ways")
@pytest.mark.filterwarnings("ignore::pdkappa.errors.UndeclaredCategoriesWarning")
def test_every_group_has_its_own_scale():
    by = {"by": "site", "weights": "linear", "coefficient": "brennan_prediger"}
    own = LONG.assign(score=LONG["score"] + 10 * (LONG["site"] == "x"))
    wide = WIDE.copy()
    wide[RATERS] = wide[RATERS].add(10 * (wide["site"] == "x"), axis=0)
    ratings = pdkappa.from_long(own, **COLUMNS)
    assert_frame_equal(ratings.pairs(**by), wide.kappa.pairs(RATERS, **by))


@pytest.mark.usefixtures("ways")
def test_categories_are_those_of_the_raters_in_question():
    some = {"raters": ["ann", "bob"], "coefficient": "brennan_prediger"}
    data = pd.concat([APART, pd.DataFrame({"essay": [9], "who": "zoe", "score": [99]})])
    found = pdkappa.from_long(data, **COLUMNS).pairs(**some)["expected_agreement"].item()
    assert found == pytest.approx(1 / 3)


def test_declared_categories_hold_for_all_methods():
    data = APART.assign(score=APART["score"].map({1: "low", 2: "mid", 3: "high", 4: "top"}))
    ratings = pdkappa.from_long(data, **COLUMNS, categories=["low", "mid", "high", "top"])
    numbers = pdkappa.from_long(APART, **COLUMNS, categories=[1, 2, 3, 4])
    assert_frame_equal(ratings.pairs(weights="linear"), numbers.pairs(weights="linear"))
    assert ratings.confusion("ann", "bob").index.tolist() == ["low", "mid", "high", "top"]
    with pytest.raises(CategoryError, match=r"at index \(2, 'bob'\), \(3, 'ann'\), \(3, 'bob'\),"):
        ratings.pairs(categories=["low", "mid"])


def test_items_and_raters_are_sorted():
    data = pd.DataFrame({"essay": ["b", "b", "a", "a"], "who": [10, 9, 9, 10], "score": 1})
    data["who"] = data["who"].astype(object)
    ratings = pdkappa.from_long(data, **COLUMNS)
    assert ratings.wide.index.tolist() == ["a", "b"]
    assert ratings.wide.columns.tolist() == [9, 10]
    order = pd.Categorical(data["who"], categories=[11, 10, 9])
    ratings = pdkappa.from_long(data.assign(who=order), **COLUMNS)
    assert ratings.wide.columns.tolist() == [10, 9]
    data["who"] = [(1, 2), "x", "x", (1, 2)]  # which have no order
    assert pdkappa.from_long(data, **COLUMNS).wide.columns.tolist() == [(1, 2), "x"]


def test_rows_without_a_rating_are_left_out():
    data = pd.concat([APART, pd.DataFrame({"essay": [1, 99], "who": ["zoe", None], "score": nan})])
    ratings = pdkappa.from_long(data, **COLUMNS)
    assert str(ratings) == str(pdkappa.from_long(APART, **COLUMNS))


def test_a_column_that_differs_in_an_item_is_no_group(refuses):
    data = APART.assign(second=range(9), tags=[[]] * 9)
    data.insert(0, "twice", 1)
    data.insert(0, "twice", 1, allow_duplicates=True)
    ratings = pdkappa.from_long(data, **COLUMNS)
    with refuses():
        ratings.pairs(by="second")
    assert ratings.wide.columns.tolist() == ["ann", "bob", "eve", "ida", "site"]


TWICE = pd.concat([APART, APART.iloc[[2, 5]].assign(score=1)], ignore_index=True)


def read(data, **options):
    return lambda: pdkappa.from_long(data, **COLUMNS | options)


REFUSED = {
    "no frame": read([1, 2]),
    "no such column": read(APART, rater="rater"),
    "no column of items": read(APART, item=[]),
    "one column for two": read(APART, item="who"),
    "duplicates": read(TWICE),
    "no rater": read(APART.assign(who=APART["who"].where(APART["who"] != "eve"))),
    "no item": read(APART.assign(essay=APART["essay"].where(APART["essay"] > 1))),
    "no rating": read(APART.assign(score=nan)),
    "no categories": read(APART, categories=[]),
}


@raising("long", REFUSED)
def test_the_whole_message(call, refused):
    with refused():
        call()


@pytest.mark.usefixtures("ways")
def test_raters_are_checked():
    ratings = pdkappa.from_long(APART, **COLUMNS)
    with pytest.raises(ColumnNotFoundError, match=r"^No rater column 'anne'. Did you mean 'ann'\?"):
        ratings.pairs(["anne", "bob"])
    with pytest.raises(DuplicateRatingError, match=r"^raters names 'ann' more than once"):
        ratings.pairs(["ann", "ann"])
    with pytest.raises(OptionError, match=r"^raters must be a list of columns"):
        ratings.pairs("ann")
    with pytest.raises(ColumnNotFoundError, match=r"^No weight column 'times'\."):
        ratings.pairs(sample_weight="times")
    alone = pdkappa.from_long(APART[APART["who"] == "ann"], **COLUMNS)
    with pytest.raises(RatingsError, match=r"^Agreement needs two raters or more, got 1"):
        alone.pairs()


def test_more_cells_than_can_be_numbered(refuses):
    n = 60_000
    data = pd.DataFrame({"essay": np.arange(n) // 2, "who": np.arange(n), "score": np.arange(n)})
    with refuses():
        pdkappa.from_long(data, **COLUMNS).pairs()


@pytest.mark.parametrize("options", [{}, {"by": "site"}, {"ci": "jackknife"}])
@pytest.mark.filterwarnings("ignore::pdkappa.errors.KappaWarning")
@pytest.mark.usefixtures("ways")
def test_pairs_of_few_items_are_counted_and_not_kept(options):
    every = RATINGS.pairs(**options)
    least = float(every["n_items"].quantile(0.6))
    few = RATINGS(min_items=least).pairs(**options)
    expected = every[every["n_items"] >= least]
    if "by" not in options:
        expected = expected.reset_index(drop=True)
    assert_frame_equal(few, expected, check_exact=True)
    assert few.attrs["n_left_out"] == len(every) - len(few)
    assert few.attrs["n_left_out"] > 0


@pytest.mark.filterwarnings("ignore::pdkappa.errors.KappaWarning")
@pytest.mark.parametrize("share", [0.3, 0.9])
def test_items_rated_by_several_criteria(share):
    """In a group by criterion they are what they are alone; of few raters, and of a crowd."""
    parts = {name: wide_frame(80, share) for name in ("facts", "style")}
    parts["style"] = parts["style"].iloc[::-1].set_axis(parts["style"].index)
    parts = {
        name: part.rename_axis("essay").reset_index().melt("essay", RATERS, "who", "score")
        for name, part in parts.items()
    }
    data = pd.concat([part.assign(criterion=name) for name, part in parts.items()])
    data = data.sample(frac=1, random_state=1)
    ratings = pdkappa.from_long(data, **COLUMNS | {"item": ["essay", "criterion"]})
    options = {"categories": range(1, 5)}
    for name, part in parts.items():
        alone = pdkappa.from_long(part, **COLUMNS)
        for method in ("agreement", "pairs", "consensus", "items", "raters", "usage"):
            together = getattr(ratings, method)(by="criterion", **options)
            expected = pd.DataFrame(getattr(alone, method)(**options))
            found = together.loc[name].reset_index(drop=method == "pairs")
            expected = expected if method == "pairs" else expected.reset_index()
            assert_frame_equal(found, expected, obj=method)
    assert ratings.consensus().index.names == ["essay", "criterion"]
    assert ratings.consensus(by="criterion").index.names == ["criterion", "essay"]
    clustered = ratings.agreement(cluster="essay", coefficients="fleiss", **options)
    plain = ratings.agreement(coefficients="fleiss", **options)
    assert abs(clustered["estimate"].item() - plain["estimate"].item()) < 1e-12
    assert clustered["se"].item() != plain["se"].item()


def test_items_rated_once_by_each_criterion():
    """They are told apart by the groups, and by nothing else."""
    part = wide_frame().rename_axis("essay").reset_index().melt("essay", RATERS, "who", "score")
    data = pd.concat([part.assign(criterion="facts"), part.assign(criterion="style")])
    ratings = pdkappa.from_long(data, **COLUMNS)
    assert str(ratings) == f"{len(data)} ratings of items by several criteria, for methods with by="
    named = pdkappa.from_long(data, **COLUMNS | {"item": ["essay", "criterion"]})
    for by in ("criterion", ["criterion"]):
        found, expected = (one.pairs(by=by, weights="linear") for one in (ratings, named))
        assert_frame_equal(found, expected)
    with pytest.raises(DuplicateRatingError, match=r"name the column, too: item=\['essay', "):
        ratings.pairs()
    with pytest.raises(ColumnNotFoundError, match="No item column 'site'"):
        ratings.pairs(by="site")
    times = data.assign(criterion=range(len(data)))
    with pytest.raises(DuplicateRatingError):
        pdkappa.from_long(times, **COLUMNS)


@pytest.mark.parametrize("dtype", ["int8", "int64", "uint8", "object"])
def test_items_may_be_any_whole_numbers(dtype):
    """They are numbered without hashing, whatever they are held as."""
    moved = LONG.assign(essay=LONG["essay"].to_numpy() % 256 - (0 if dtype == "uint8" else 120))
    found = pdkappa.from_long(moved.astype({"essay": dtype}), **COLUMNS)
    assert found.item_labels.dtype == dtype
    assert_frame_equal(found.pairs(), RATINGS.pairs())


def test_categories_that_no_row_has_are_no_names():
    """As where rows were taken of a larger frame."""
    essay = pd.Categorical(["1", "b", "c"] * 2, categories=["1", 1, "b", "b ", "c"])
    data = pd.DataFrame({"essay": essay, "who": list("aaabbb"), "score": [1, 2, 1, 2, 1, 2]})
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert pdkappa.from_long(data, **COLUMNS).pairwise().shape == (2, 2)


def scanned(data, path):
    """Write ratings to a file that holds types, which is read in batches."""
    data.to_json(path, orient="records", lines=True)
    return pdkappa.scan_long(path, **COLUMNS)


ALIKE = {
    "a number and a text": (
        (7, "7"),
        "Column 'essay' holds 7, '7', which are not equal. Convert all to one type.",
    ),
    "a float and a text": (
        (7.5, "7.5"),
        "Column 'essay' holds 7.5, '7.5', which are not equal. Convert all to one type.",
    ),
    "a number and a text with a blank": (
        (7, " 7"),
        "Column 'essay' holds 7, ' 7', which are not equal. Convert all to one type.",
    ),
    "two texts": (
        ("7", "7 "),
        (
            "Column 'essay' holds names that look alike: ('7', '7 '). Make them one with "
            ".str.strip(), if they are. Nothing was changed."
        ),
    ),
}


@pytest.mark.parametrize("column", ["essay", "who"])
@each("name", ALIKE)
def test_names_of_items_or_raters_that_look_alike(name, column, tmp_path):
    alike, told = ALIKE[name]
    data = pd.DataFrame({"essay": list("xyxy"), "who": list("aabb"), "score": [1, 2, 1, 1]})
    names = dict(zip(data[column].unique(), alike, strict=True))
    data[column] = data[column].map(names).astype(object)
    message = exactly(told.replace("essay", column))
    expected = pytest.warns if name == "two texts" else pytest.raises
    kind = LookalikeLabelsWarning if name == "two texts" else RatingTypeError
    with expected(kind, match=message):
        pdkappa.from_long(data, **COLUMNS)
    with expected(kind, match=message):
        scanned(data, tmp_path / "r.jsonl").pairs()
    if kind is LookalikeLabelsWarning:  # and so says what is made of what was read
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", KappaWarning)
            varied = data.assign(score=[1, 2, 1, 2])
            ways = pdkappa.from_long(varied, **COLUMNS), scanned(varied, tmp_path / "r.jsonl")
            found = [way.report().findings.cautions for way in ways]
        assert all(
            told.replace("essay", column) in {one.text for one in cautions} for cautions in found
        )
        assert data.attrs == {}


@each("name", ALIKE)
def test_names_of_groups_or_clusters_that_look_alike(name):
    alike, told = ALIKE[name]
    data = pd.DataFrame({"a": [1, 2, 1, 1], "b": [1, 2, 2, 1], "essay": alike * 2})
    expected = pytest.warns if name == "two texts" else pytest.raises
    kind = LookalikeLabelsWarning if name == "two texts" else RatingTypeError
    by_column = {"Column 'essay'": {"by": "essay"}, "cluster": {"cluster": "essay"}}
    for where, asked in by_column.items():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", KappaWarning)
            with expected(kind, match=exactly(told.replace("Column 'essay'", where))):
                data.kappa.pairs(["a", "b"], **asked)


def test_long_files_are_read_once_for_all_methods(tmp_path):
    """To look for the labels, and to hold the ratings, by a study, too."""
    data = pd.DataFrame({"item": [1, 1, 2, 2], "who": list("abab"), "score": [1, 1, 2, 1]})
    data.to_csv(tmp_path / "r.csv", index=False)
    ratings = pdkappa.scan_long(tmp_path / "r.csv", item="item", rater="who", rating="score")
    total = Files.total
    with patch.object(Files, "total", autospec=True, side_effect=total) as read:
        ratings.agreement(coefficients="fleiss")
        ratings.pairs()
        ratings(min_items=2).pairs()
        ratings.usage()
    assert read.call_count == 2
