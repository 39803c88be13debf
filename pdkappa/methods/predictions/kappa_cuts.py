"""`KappaCuts`: cut-points as an estimator of scikit-learn, which is imported when it is used."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from pdkappa.errors import CategoryError, RatingsError, listing, needed_for
from pdkappa.methods.predictions.cutpoints import OfCuts, cutpoints
from pdkappa.methods.predictions.scorecard import qwk
from pdkappa.ratings.categories import recode, unite
from pdkappa.ratings.columns import code_column
from pdkappa.ratings.items import sequence

if TYPE_CHECKING:
    from typing import Self

    import numpy.typing as npt

    from pdkappa._typing import FloatArray, GivenCategories, GivenWeights, Seed
    from pdkappa.methods.predictions.cutpoints import Rule

MATRIX = 2
FEWEST_FOLDS = 2
ON_A_LINE = (None, "linear", "quadratic")  # weights that need not know all classes


class _KappaCuts:
    """Cut a score into the classes that maximise kappa, as an estimator of scikit-learn.

    Give it a regressor, and it fits that, cuts its predictions, and predicts classes. Or give
    it none: it is then the last step of a pipeline whose other steps give one real-valued
    score, or the calibration of predictions. scikit-learn's conventions hold: it can be
    cloned, searched over and cross-validated.

    Parameters
    ----------
    estimator : regressor of scikit-learn, optional
        Predicts the score from the features. The cuts are those of predictions for items
        that were left out of its fit, in `n_folds` parts, so that a regressor that learns its
        items by heart does not spoil them; with ``n_folds=0`` of all items. Default: the only
        feature is the score.
    weights : str, array, DataFrame, callable or None
        How much each disagreement counts; None counts all equally.
    categories : list or dict, optional
        The categories in order, or their scores ``{category: score}``. See `cutpoints`.
    method : {"auto", "exact", "isotonic", "fixed_point"}
        The rule that puts the cuts. See `cutpoints`.
    n_folds : int, default 5
        Number of folds; 0 for no cross-validation.
    rng : int, Generator or None, default None
        Where folds and bootstrap samples are drawn from; a number makes them repeatable.

    Attributes
    ----------
    cutpoints_ : Cutpoints
        The result of `cutpoints`, with ``estimate``, ``cv_estimate`` and ``plot()``.
    cuts_ : ndarray of float, shape (K - 1,)
        Where each class but the lowest begins.
    classes_ : ndarray, shape (K,)
        The classes in ascending order.
    estimator_ : regressor or None
        The regressor, fitted to all items.
    n_features_in_ : int
        Number of features; 1 without a regressor.

    See Also
    --------
    cutpoints : The same of columns of a frame.

    Examples
    --------
    >>> from sklearn.linear_model import LinearRegression
    >>> df = pdkappa.datasets.load_essays().query("essay_set == 7")
    >>> features, truth = df[["human_2", "machine"]], df["human_1"]
    >>> score = LinearRegression().fit(features, truth).predict(features)
    >>> estimator = pdkappa.KappaCuts(weights="quadratic", rng=0).fit(score, truth)
    >>> round(estimator.score(score, truth), 3), round(estimator.cutpoints_.cv_estimate, 3)
    (0.81, 0.8)

    The same with the regressor inside, which is told how good it is by folds of its own:

    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import StandardScaler
    >>> cuts = pdkappa.KappaCuts(LinearRegression(), weights="quadratic", rng=0)
    >>> model = make_pipeline(StandardScaler(), cuts)
    >>> round(model.fit(features, truth).score(features, truth), 2)
    0.8

    Rounding the scores instead gives away some of it:

    >>> round(pdkappa.qwk(truth, score.round()), 3)
    0.787
    """

    def __init__(
        self,
        estimator: Any = None,
        *,
        weights: GivenWeights | None,
        categories: GivenCategories | None = None,
        method: Rule = "auto",
        n_folds: int = 5,
        rng: Seed = None,
    ) -> None:
        """Keep the options; they are checked by `fit`."""
        self.estimator = estimator
        self.weights = weights
        self.categories = categories
        self.method = method
        self.n_folds = n_folds
        self.rng = rng

    def fit(
        self,
        X: npt.ArrayLike,  # noqa: N803
        y: npt.ArrayLike,
        sample_weight: npt.ArrayLike | None = None,
    ) -> Self:
        """Find the cuts.

        Parameters
        ----------
        X : array-like, shape (N, features), (N, 1) or (N,)
            Features of the regressor, or scores.
        y : array-like, shape (N,)
            True classes.
        sample_weight : array-like, shape (N,), optional
            Frequency weights.

        Returns
        -------
        KappaCuts
            The estimator itself.
        """
        truth = _classes(y)
        _check_rows(X, truth)
        if self.estimator is None:
            self.estimator_, score = None, _column(X)
        else:
            self.estimator_, score = self._fitted(X, truth, sample_weight)
        self.cutpoints_ = cutpoints(
            truth,
            score,
            weights=self.weights,
            categories=self.categories,
            method=self.method,
            sample_weight=sample_weight,
            n_folds=self.n_folds,
            rng=self.rng,
        )
        self.cuts_ = self.cutpoints_.cuts
        self.classes_ = self.cutpoints_.scale.index().to_numpy()
        self.n_features_in_ = getattr(self.estimator_, "n_features_in_", 1)
        return self

    def _fitted(
        self,
        X: Any,  # noqa: N803
        truth: Any,
        sample_weight: npt.ArrayLike | None,
    ) -> tuple[Any, FloatArray]:
        """Fit the regressor to all items, and predict each by a fit without its part of them."""
        from sklearn.base import clone
        from sklearn.model_selection import KFold
        from sklearn.utils import _safe_indexing, indexable

        [X] = indexable(X)  # noqa: N806
        OfCuts(weights=self.weights, method=self.method, n_folds=self.n_folds, rng=self.rng)
        target = _scores(truth, self.categories)
        weight = None if sample_weight is None else np.asarray(sample_weight)

        def fit(items: Any) -> Any:
            given = {} if weight is None else {"sample_weight": weight[items]}
            return clone(self.estimator).fit(_safe_indexing(X, items), target[items], **given)

        n = len(target)
        whole = fit(np.arange(n))
        if min(self.n_folds, n) < FEWEST_FOLDS:
            return whole, _column(whole.predict(X))
        folds = KFold(min(self.n_folds, n), shuffle=True, random_state=_seed(self.rng))
        score = np.empty(n)
        for train, test in folds.split(target):
            score[test] = _column(fit(train).predict(_safe_indexing(X, test)))
        return whole, score

    def predict(self, X: npt.ArrayLike) -> npt.NDArray[Any]:  # noqa: N803
        """Give each score its class.

        Parameters
        ----------
        X : array-like, shape (N, features), (N, 1) or (N,)
            Features of the regressor, or scores.

        Returns
        -------
        ndarray, shape (N,)
            Labels of the classes; NaN where the score is missing.
        """
        from sklearn.utils.validation import check_is_fitted

        check_is_fitted(self)
        return np.asarray(self.cutpoints_.predict(self._score_of(X)))

    def __sklearn_tags__(self) -> Any:
        """Take sparse features where the regressor does."""
        tags = super().__sklearn_tags__()  # type: ignore[misc]
        if self.estimator is not None:
            tags.input_tags.sparse = self.estimator.__sklearn_tags__().input_tags.sparse
        return tags

    def _score_of(self, X: Any) -> npt.NDArray[Any]:  # noqa: N803
        """Return what is cut: what the regressor predicts, or the only feature."""
        return _column(X if self.estimator_ is None else self.estimator_.predict(X))

    def score(
        self,
        X: npt.ArrayLike,  # noqa: N803
        y: npt.ArrayLike,
        sample_weight: npt.ArrayLike | None = None,
    ) -> float:
        """Compare predictions with the truth by kappa, with the costs of the fit.

        Parameters
        ----------
        X : array-like, shape (N, features), (N, 1) or (N,)
            Features of the regressor, or scores.
        y : array-like, shape (N,)
            True classes.
        sample_weight : array-like, shape (N,), optional
            Frequency weights.

        Returns
        -------
        float
            At most 1; NaN where it is undefined.

        Raises
        ------
        CategoryError
            If a class was not there in the fit, and nothing says what its place on the scale
            is: name all classes by `categories`.
        """
        predicted, found, truth = self.predict(X), self.cutpoints_, _classes(y)
        column = code_column(sequence(truth, "y", "classes"), "y")
        unseen = [label for label in column.labels if label not in found.categories]
        if not unseen:
            codes = recode([column], found.scale)[0]
            return found.kappa_of(codes, self._score_of(X), sample_weight)
        named: Any = self.weights if isinstance(self.weights, str | None) else "custom"
        if not (found.scale.numeric and named in ON_A_LINE):
            raise CategoryError(
                f"y holds {listing(unseen)}, which was no class in the fit. "
                "Name all classes with categories=[...]."
            )
        given = pd.Series(predicted, index=y.index) if isinstance(y, pd.Series) else predicted
        return qwk(truth, given, weights=named, sample_weight=sample_weight)


def _classes(y: Any) -> Any:
    """Return true classes as they are, a list as an array."""
    return y if isinstance(y, pd.Series | pd.Categorical) else np.asarray(y)


def _check_rows(X: Any, truth: Any) -> None:  # noqa: N803
    """Make sure that there is a row of features for each class."""
    n_rows = X.shape[0] if hasattr(X, "shape") else len(np.atleast_1d(X))
    if np.ndim(truth) and n_rows != len(truth):
        raise RatingsError(
            f"X has {n_rows} rows, but y {len(truth)} classes. Pass one row for each."
        )


def _scores(truth: Any, categories: GivenCategories | None) -> FloatArray:
    """Return what a regressor is to predict: the scores of the classes."""
    column = code_column(sequence(truth, "y", "classes"), "y")
    found = unite([column], categories, "a regressor")
    [codes] = recode([column], found)
    if found.scores is None or (codes < 0).any():
        raise RatingsError("y must hold a class for each item. Leave out those without one.")
    return found.scores[codes]


def _seed(rng: Any) -> Any:
    """Return what scikit-learn draws folds from."""
    return int(rng.integers(2**31)) if isinstance(rng, np.random.Generator) else rng


def _column(X: Any) -> npt.NDArray[Any]:  # noqa: N803
    """Return a single feature, shape (N,)."""
    values = np.asarray(X)
    if values.ndim == MATRIX and values.shape[1] == 1:
        values = values[:, 0]
    if values.ndim != 1:
        raise RatingsError(
            f"X must have a single feature, the score, got shape {values.shape}. Pass one column."
        )
    return values


@functools.cache
def _with_sklearn() -> type:
    """Make the estimator, which inherits from classes of scikit-learn."""
    with needed_for("KappaCuts", "scikit-learn", "'pdkappa[crosscheck]'"):
        from sklearn.base import BaseEstimator, ClassifierMixin
    known = {"__doc__": _KappaCuts.__doc__, "__module__": __name__}
    return type("KappaCuts", (_KappaCuts, ClassifierMixin, BaseEstimator), known)


def __getattr__(name: str) -> Any:
    """Make `KappaCuts` when it is first asked for."""
    if name == "KappaCuts":
        return _with_sklearn()
    raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
