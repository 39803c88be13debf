"""`KappaCuts` keeps the conventions of scikit-learn, and the numbers of `cutpoints`."""

import inspect
import pickle
import sys

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.linear_model import LinearRegression, Ridge
from sklearn.metrics import make_scorer
from sklearn.model_selection import GridSearchCV, StratifiedKFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeRegressor

import pdkappa
from pdkappa.methods.predictions import kappa_cuts as estimators
from pdkappa.methods.predictions.cutpoints import cutpoints


def sample(n=240):
    """Classes from 1 to 4, and scores that follow them."""
    rng = np.random.default_rng(1)
    truth = rng.integers(1, 5, n)
    return truth / 2 + rng.normal(size=n), truth


@pytest.mark.parametrize("method", ["auto", "exact", "isotonic", "fixed_point"])
def test_it_is_the_function(method):
    score, truth = sample()
    weight = np.arange(240) % 3
    estimator = pdkappa.KappaCuts(method=method, weights="linear", rng=0)
    assert estimator.fit(score[:, None], truth, sample_weight=weight) is estimator
    found = cutpoints(truth, score, sample_weight=weight, method=method, weights="linear", rng=0)
    assert_array_equal(estimator.cuts_, found.cuts)
    assert estimator.cutpoints_.cv_estimate == found.cv_estimate
    assert_array_equal(estimator.classes_, [1, 2, 3, 4])
    predicted = estimator.predict(score[:, None])
    assert isinstance(predicted, np.ndarray)
    assert_array_equal(predicted, found.predict(score))
    assert_array_equal(estimator.predict(score), predicted)
    frame = pd.DataFrame({"score": score}, index=np.arange(240)[::-1])
    assert_array_equal(estimator.predict(frame), predicted)
    kappa = pdkappa.qwk(truth, predicted, weights="linear", sample_weight=weight)
    assert_allclose(estimator.score(score, truth, weight), kappa, rtol=1e-12)


def test_parameters():
    estimator = pdkappa.KappaCuts(weights=None, n_folds=3)
    function = inspect.signature(cutpoints).parameters
    defaults = pdkappa.KappaCuts(weights=None).get_params()
    assert defaults.pop("estimator") is None
    assert defaults.pop("weights") is None
    assert defaults == {name: function[name].default for name in defaults}
    others = {"truth", "predictions", "sample_weight", "weights"}
    assert set(function) - set(defaults) == others
    copy = clone(estimator)
    assert copy is not estimator
    assert copy.get_params() == estimator.get_params()
    assert estimator.set_params(method="exact") is estimator
    assert estimator.get_params()["method"] == "exact"
    assert repr(estimator) == "KappaCuts(method='exact', n_folds=3, weights=None)"
    with pytest.raises(ValueError, match="Invalid parameter 'metod'"):
        estimator.set_params(metod="exact")


@pytest.mark.parametrize("kind", ["array", "frame"])
def test_cross_validation(kind):
    """By its own score and by qwk, which are the same."""
    score, truth = sample()
    scores, y = score[:, None], truth
    if kind == "frame":
        index = np.random.default_rng(2).permutation(240)
        scores, y = pd.DataFrame({"score": score}, index=index), pd.Series(truth, index=index)
    estimator, folds = pdkappa.KappaCuts(method="exact", weights="quadratic"), StratifiedKFold(5)
    own = cross_val_score(estimator, scores, y, cv=folds)
    by_qwk = cross_val_score(estimator, scores, y, cv=folds, scoring=make_scorer(pdkappa.qwk))
    assert_allclose(own, by_qwk, rtol=1e-12)
    expected = []
    for known, fresh in folds.split(score[:, None], truth):
        cuts = cutpoints(truth[known], score[known], method="exact", weights="quadratic")
        expected.append(pdkappa.qwk(truth[fresh], cuts.predict(score[fresh])))
    assert_allclose(own, expected)


@pytest.mark.parametrize("named", [True, False])
def test_labels_with_an_order(named):
    score, truth = sample()
    labels = ["poor", "fair", "good", "excellent"]
    words = pd.Series(np.array(labels)[truth - 1])
    if not named:
        words = words.astype(pd.CategoricalDtype(labels, ordered=True))
    estimator = pdkappa.KappaCuts(
        categories=labels if named else None, method="exact", weights="quadratic"
    )
    kappas = cross_val_score(estimator, score[:, None], words, error_score="raise")
    plain = cross_val_score(
        pdkappa.KappaCuts(method="exact", weights="quadratic"), score[:, None], truth
    )
    assert_allclose(kappas, plain)
    assert_array_equal(estimator.fit(score, words).classes_, labels)


def test_the_score_has_the_costs_of_the_fit():
    """Also where the items to be scored lack a class, which changes these weights."""
    score, truth = sample()
    some = (truth < 4) & (score < 1)
    asymmetric = np.triu(np.ones((4, 4)), 1) + 2 * np.tri(4, k=-1)
    for weights in ("circular", "bipolar", asymmetric):
        estimator = pdkappa.KappaCuts(weights=weights, method="exact").fit(score, truth)
        assert_allclose(estimator.score(score, truth), estimator.cutpoints_.estimate)
    estimator = pdkappa.KappaCuts(weights="circular", method="exact").fit(score, truth)
    predicted = estimator.predict(score[some])
    expected = pdkappa.qwk(truth[some], predicted, labels=[1, 2, 3, 4], weights="circular")
    assert_allclose(estimator.score(score[some], truth[some]), expected)
    ranks = {label**2: label for label in range(1, 5)}
    ranked = pdkappa.KappaCuts(categories=ranks, method="exact", weights="quadratic").fit(
        score, truth**2
    )
    assert_allclose(ranked.score(score, truth**2), ranked.cutpoints_.estimate)


def test_classes_that_the_fit_did_not_know(refuses):
    score, truth = sample()
    known = truth > 1
    estimator = pdkappa.KappaCuts(method="exact", weights="quadratic").fit(
        score[known], truth[known]
    )
    expected = pdkappa.qwk(truth, estimator.predict(score))
    assert_allclose(estimator.score(score, truth), expected)
    ranked = pdkappa.KappaCuts(weights="ordinal", method="exact").fit(score[known], truth[known])
    with refuses():
        ranked.score(score, truth)


def test_a_single_feature(refuses):
    with refuses():
        pdkappa.KappaCuts(weights=None).fit(np.ones((4, 2)), [1, 2, 1, 2])


def test_without_scikit_learn(monkeypatch, refuses):
    monkeypatch.delitem(vars(pdkappa), "KappaCuts", raising=False)
    monkeypatch.setattr(estimators, "_with_sklearn", estimators._with_sklearn.__wrapped__)
    monkeypatch.setitem(sys.modules, "sklearn.base", None)
    with refuses():
        pdkappa.KappaCuts  # noqa: B018
    monkeypatch.undo()
    assert pdkappa.KappaCuts is pdkappa.KappaCuts


def features():
    """Three features of essays, and their classes."""
    df = pdkappa.datasets.load_essays().query("essay_set == 3")
    return df[["human_2", "machine"]], df["human_1"]


def test_a_regressor_is_fitted_cut_and_predicts_classes():
    x, truth = features()
    model = pdkappa.KappaCuts(LinearRegression(), weights="quadratic").fit(x, truth)
    score = model.estimator_.predict(x)
    assert_allclose(score, LinearRegression().fit(x, truth).predict(x))
    assert_array_equal(model.predict(x), model.cutpoints_.predict(score))
    assert model.n_features_in_ == 2
    assert model.score(x, truth) == pytest.approx(pdkappa.qwk(truth, model.predict(x)))
    assert model.cutpoints_.cv_estimate == pytest.approx(model.score(x, truth), abs=0.05)


def test_a_regressor_that_learns_by_heart_does_not_spoil_the_cuts():
    """Its predictions for what it has seen are the truth; the cuts are those of new items."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=(300, 3))
    truth = np.clip(np.rint(2 + x[:, 0] + rng.normal(size=300)), 0, 4).astype(int)
    tree = DecisionTreeRegressor(random_state=0)
    honest = pdkappa.KappaCuts(tree, weights="quadratic").fit(x, truth)
    by_heart = pdkappa.KappaCuts(tree, n_folds=0, method="exact", weights="quadratic").fit(x, truth)
    assert by_heart.cutpoints_.estimate == 1
    assert honest.cutpoints_.estimate < 0.7
    new = rng.normal(size=(300, 3))
    assert set(honest.predict(new)) <= set(truth)


def test_it_stands_in_a_pipeline_and_is_searched_over():
    x, truth = features()
    model = make_pipeline(StandardScaler(), pdkappa.KappaCuts(Ridge(), weights="quadratic"))
    assert cross_val_score(model, x, truth, cv=3).mean() > 0.5
    grid = {"kappacuts__estimator__alpha": [0.1, 10.0], "kappacuts__weights": ["linear"]}
    search = GridSearchCV(model, grid, cv=3).fit(x, truth)
    assert search.best_params_["kappacuts__weights"] == "linear"
    again = clone(search.best_estimator_)
    assert again[-1].estimator.alpha == search.best_estimator_[-1].estimator.alpha
    assert pickle.loads(pickle.dumps(search)).score(x, truth) == search.score(x, truth)  # noqa: S301


def test_weights_of_items_reach_the_regressor_and_the_cuts():
    x, truth = features()
    twice = np.repeat(np.arange(len(x)), 2)
    given = {"weights": "quadratic", "n_folds": 0, "method": "exact"}
    found = pdkappa.KappaCuts(Ridge(), **given).fit(x, truth, sample_weight=[2] * len(x))
    expected = pdkappa.KappaCuts(Ridge(), **given).fit(x.iloc[twice], truth.iloc[twice])
    assert_allclose(found.estimator_.coef_, expected.estimator_.coef_)
    assert_array_equal(found.predict(x), expected.predict(x))


def test_classes_in_words_have_their_scores():
    x, truth = features()
    words = dict(enumerate(["none", "low", "mid", "high"]))
    named = pd.Series(pd.Categorical(truth.map(words), words.values(), ordered=True), truth.index)
    found = pdkappa.KappaCuts(Ridge(), weights="quadratic", rng=0).fit(x, named).predict(x)
    expected = pdkappa.KappaCuts(Ridge(), weights="quadratic", rng=0).fit(x, truth).predict(x)
    assert_array_equal(found, pd.Series(expected).map(words))
    missing = named.mask(truth == 1)
    message = "y must hold a class for each item. Leave out those without one."
    with pytest.raises(pdkappa.errors.RatingsError, match=f"^{message}$"):
        pdkappa.KappaCuts(Ridge(), weights="quadratic", rng=0).fit(x, missing)


def test_features_and_classes_have_as_many_rows(refuses):
    """scikit-learn's own check of estimators: a regressor would take the first rows of X."""
    model = pdkappa.KappaCuts(LinearRegression(), weights="quadratic")
    with refuses():
        model.fit(np.arange(12.0).reshape(6, 2), [0, 1, 1, 0, 2])


def test_a_score_for_every_class(refuses):
    score, truth = sample()
    estimator = pdkappa.KappaCuts(method="exact", weights="quadratic").fit(score, truth)
    with refuses():
        estimator.score(score[:9], truth)


@pytest.mark.parametrize(
    ("module", "message"),
    [
        (pdkappa, "module 'pdkappa' has no attribute 'nothing'"),
        (estimators, "module 'pdkappa.methods.predictions.kappa_cuts' has no attribute 'nothing'"),
    ],
)
def test_the_name_is_found_and_others_are_not(module, message):
    assert "KappaCuts" in dir(pdkappa)
    with pytest.raises(AttributeError) as caught:
        module.nothing  # noqa: B018
    assert str(caught.value) == message
