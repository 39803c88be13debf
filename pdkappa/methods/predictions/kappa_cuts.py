"""`KappaCuts`: cut-points as an estimator of scikit-learn, which is imported when it is used."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from pdkappa.errors import CategoryError, MissingDependencyError, RatingsError, listing
from pdkappa.methods.predictions.cutpoints import cutpoints
from pdkappa.methods.predictions.qwk import qwk
from pdkappa.ratings.categories import recode
from pdkappa.ratings.columns import code_column
from pdkappa.ratings.items import sequence

if TYPE_CHECKING:
    from typing import Self

    import numpy.typing as npt

    from pdkappa._typing import Categories, Distance, Seed, Weights

MATRIX = 2
ON_A_LINE = (None, "linear", "quadratic")  # weights that need not know all classes


class _KappaCuts:
    """Cut a score into the classes that maximise kappa, as an estimator of scikit-learn.

    It is the last step of a pipeline whose other steps give one real-valued score, or the
    calibration of a regressor's predictions. scikit-learn's conventions hold: it can be
    cloned, searched over and cross-validated.

    Parameters
    ----------
    weights, categories, distance, method, n_folds, rng
        As in `pdkappa.cutpoints`.

    Attributes
    ----------
    cutpoints_ : Cutpoints
        The result of `pdkappa.cutpoints`, with ``estimate``, ``cv_estimate`` and ``plot()``.
    cuts_ : ndarray of float, shape (K - 1,)
        Where each class but the lowest begins.
    classes_ : ndarray, shape (K,)
        The classes in ascending order.
    n_features_in_ : int
        1.

    See Also
    --------
    pdkappa.cutpoints : The same as a function.

    Examples
    --------
    >>> from sklearn.linear_model import LinearRegression
    >>> df = pdkappa.datasets.load_essays().query("essay_set == 7")
    >>> features, truth = df[["human_2", "machine"]], df["human_1"]
    >>> score = LinearRegression().fit(features, truth).predict(features)
    >>> estimator = pdkappa.KappaCuts().fit(score, truth)
    >>> round(estimator.score(score, truth), 3), round(estimator.cutpoints_.cv_estimate, 3)
    (0.81, 0.8)

    Rounding the scores instead gives away some of it:

    >>> round(pdkappa.qwk(truth, score.round()), 3)
    0.787
    """

    def __init__(
        self,
        *,
        weights: Weights | None = "quadratic",
        categories: Categories | None = None,
        distance: Distance = "value",
        method: str = "auto",
        n_folds: int = 5,
        rng: Seed = 0,
    ) -> None:
        """Keep the options; they are checked by `fit`."""
        self.weights = weights
        self.categories = categories
        self.distance = distance
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
        X : array-like, shape (N, 1) or (N,)
            Scores.
        y : array-like, shape (N,)
            True classes.
        sample_weight : array-like, shape (N,), optional
            Frequency weights.

        Returns
        -------
        KappaCuts
            The estimator itself.
        """
        self.cutpoints_ = cutpoints(
            _classes(y),
            _column(X),
            weights=self.weights,
            categories=self.categories,
            distance=self.distance,
            method=self.method,
            sample_weight=sample_weight,
            n_folds=self.n_folds,
            rng=self.rng,
        )
        self.cuts_ = self.cutpoints_.cuts
        self.classes_ = self.cutpoints_.classes.index().to_numpy()
        self.n_features_in_ = 1
        return self

    def predict(self, X: npt.ArrayLike) -> npt.NDArray[Any]:  # noqa: N803
        """Give each score its class.

        Parameters
        ----------
        X : array-like, shape (N, 1) or (N,)
            Scores.

        Returns
        -------
        ndarray, shape (N,)
            Labels of the classes; NaN where the score is missing.
        """
        from sklearn.utils.validation import check_is_fitted

        check_is_fitted(self)
        return np.asarray(self.cutpoints_.predict(_column(X)))

    def score(
        self,
        X: npt.ArrayLike,  # noqa: N803
        y: npt.ArrayLike,
        sample_weight: npt.ArrayLike | None = None,
    ) -> float:
        """Compare predictions with the truth by kappa, with the costs of the fit.

        Parameters
        ----------
        X : array-like, shape (N, 1) or (N,)
            Scores.
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
            codes = recode([column], found.classes)[0]
            return found.kappa_of(codes, _column(X), sample_weight)
        named = self.weights if isinstance(self.weights, str | None) else "custom"
        if not (found.classes.numeric and self.distance == "value" and named in ON_A_LINE):
            message = (
                f"y holds {listing(unseen)}, which was no class in the fit. "
                "Name all classes with categories=[...]."
            )
            raise CategoryError(message)
        given = pd.Series(predicted, index=y.index) if isinstance(y, pd.Series) else predicted
        return qwk(truth, given, weights=named, sample_weight=sample_weight)


def _classes(y: Any) -> Any:
    """Return true classes as they are, a list as an array."""
    return y if isinstance(y, pd.Series | pd.Categorical) else np.asarray(y)


def _column(X: Any) -> npt.NDArray[Any]:  # noqa: N803
    """Return a single feature, shape (N,)."""
    values = np.asarray(X)
    if values.ndim == MATRIX and values.shape[1] == 1:
        values = values[:, 0]
    if values.ndim != 1:
        message = (
            f"X must have a single feature, the score, got shape {values.shape}. Pass one column."
        )
        raise RatingsError(message)
    return values


@functools.cache
def _with_sklearn() -> type:
    """Make the estimator, which inherits from classes of scikit-learn."""
    try:
        from sklearn.base import BaseEstimator, ClassifierMixin
    except ImportError as error:
        message = (
            "KappaCuts needs scikit-learn, which is not installed. "
            "Run: pip install 'pdkappa[crosscheck]'"
        )
        raise MissingDependencyError(message) from error
    known = {"__doc__": _KappaCuts.__doc__, "__module__": __name__}
    return type("KappaCuts", (_KappaCuts, ClassifierMixin, BaseEstimator), known)


def __getattr__(name: str) -> Any:
    """Make `KappaCuts` when it is first asked for."""
    if name == "KappaCuts":
        return _with_sklearn()
    message = f"module {__name__!r} has no attribute {name!r}"
    raise AttributeError(message)
