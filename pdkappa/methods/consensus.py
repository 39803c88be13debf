"""Which label each item gets, and how accurate each rater is."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple, Protocol, TypeAlias

import numpy as np
import pandas as pd
import scipy

from pdkappa.coefficients.pair_counts import count_categories, sums_at
from pdkappa.coefficients.score_limits import ROUNDING
from pdkappa.errors import NotConvergedWarning, TooLargeError, shown, warn
from pdkappa.methods.estimates import asked as has
from pdkappa.methods.estimates.asks import anew, asks, option
from pdkappa.methods.estimates.options import number_that, whole_from
from pdkappa.methods.estimates.pair_frames import framed
from pdkappa.methods.estimates.study import read
from pdkappa.present.text_tables import Result, result, tidy
from pdkappa.ratings.categories import index_of
from pdkappa.ratings.coded import Counted, check_identity
from pdkappa.ratings.long_ratings import CodedList

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Self

    from scipy.sparse import csr_array

    from pdkappa._typing import BoolArray, FloatArray, IntArray
    from pdkappa.methods.estimates.study import Study
    from pdkappa.ratings.categories import CategorySet
    from pdkappa.ratings.items import Groups
    from pdkappa.ratings.long_ratings import Listed


@dataclass(frozen=True)
class Votes:
    """M ratings of N items by R raters into K categories; those of a group lack no item."""

    # The ratings, sorted by item, (M,).
    item: IntArray
    rater: IntArray
    category: IntArray
    # N, R and K.
    n_items: int
    n_raters: int
    n_categories: int
    weights: FloatArray  # how much each item counts, more than zero, (N,)

    @cached_property
    def counts(self) -> csr_array:
        """How many raters put each item into each category, shape (N, K)."""
        return self.weighted(None)

    @cached_property
    def given(self) -> scipy.sparse.csr_array:
        """Who put which item into which category, shape (R * K, N)."""
        row = self.rater.astype(np.int64) * self.n_categories + self.category
        shape = (self.n_raters * self.n_categories, self.n_items)
        return scipy.sparse.csr_array((np.ones(len(row)), (row, self.item)), shape=shape)

    @cached_property
    def n_ratings(self) -> IntArray:
        """Number of ratings of each item, shape (N,)."""
        return np.bincount(self.item, minlength=self.n_items)

    def weighted(self, weights: FloatArray | None) -> scipy.sparse.csr_array:
        """Add up weights of the ratings, shape (M,), or ones, by item and category: (N, K)."""
        cells = count_categories(self.item, self.category, self.n_items, self.n_categories, weights)
        rows = np.append(0, np.cumsum(np.bincount(cells.subject, minlength=self.n_items)))
        shape = (self.n_items, self.n_categories)
        return scipy.sparse.csr_array((cells.count * 1.0, cells.category, rows), shape=shape)

    def at(self, cells: csr_array) -> FloatArray:
        """Look up the cell of the item and the category of each rating, shape (M,)."""
        k = self.n_categories
        row = np.repeat(np.arange(self.n_items), np.diff(cells.indptr))
        stored = np.append(row * k + cells.indices, self.n_items * k)
        asked = self.item * k + self.category
        place = np.searchsorted(stored, asked)
        return np.where(stored[place] == asked, np.append(cells.data, 0.0)[place], 0.0)

    def of_rater(self, values: FloatArray) -> FloatArray:
        """Add up a figure of each rating, shape (M,), by rater, items as they count, shape (R,)."""
        values = values * self.weights[self.item]
        return sums_at(self.rater, values, self.n_raters)


class Leading(NamedTuple):
    """The label of each item, every field of shape (N,)."""

    category: IntArray  # the most probable category, the first of several
    probability: FloatArray  # its probability
    margin: FloatArray  # how much more probable it is than any other, 0 where several are
    tied: BoolArray  # whether several are


class RaterFigures(NamedTuple):
    """What the labels say of R raters, every field of shape (R,); NaN where it is 0/0."""

    n_ratings: FloatArray  # number of ratings, or their total weight
    # Share of the ratings that are right, where each is with the probability of its label.
    accuracy: FloatArray
    agreement: FloatArray  # share of the other ratings of the same items that are the same
    # Part of all pairs of equal ratings, half a pair for each of the two.
    share_of_agreement: FloatArray


def shares(weights: scipy.sparse.csr_array) -> scipy.sparse.csr_array:
    """Divide each row by its sum."""
    row = np.repeat(np.arange(weights.shape[0]), np.diff(weights.indptr))
    totals = np.bincount(row, weights.data)[row]
    cells = (weights.data / totals, weights.indices, weights.indptr)
    return scipy.sparse.csr_array(cells, shape=weights.shape)


def leading(probability: csr_array) -> Leading:
    """Find the most probable category of each item; what differs by rounding is the same."""
    starts, value, place = probability.indptr[:-1], probability.data, probability.indices
    row = np.repeat(np.arange(len(starts)), np.diff(probability.indptr))
    top = np.maximum.reduceat(value, starts)
    first = np.flatnonzero(value >= (top - ROUNDING)[row])
    at = first[np.diff(row[first], prepend=-1) > 0]
    others = value.copy()
    others[at] = 0.0
    next_best = np.maximum.reduceat(others, starts)
    tied = next_best >= top - ROUNDING
    margin = np.where(tied, 0.0, value[at] - next_best)
    return Leading(place[at].astype(np.int64), np.minimum(value[at], 1.0), margin, tied)


def certain(labels: Leading, n_categories: int) -> scipy.sparse.csr_array:
    """Take the labels for the truth: the probability 1 of each, shape (N, K)."""
    n_items = len(labels.category)
    pointers = np.arange(n_items + 1)
    cells = (np.ones(n_items), labels.category, pointers)
    return scipy.sparse.csr_array(cells, shape=(n_items, n_categories))


def figures_of_raters(votes: Votes, truth: csr_array) -> RaterFigures:
    """Compare each rater with the truth, as far as it is known, and with the other raters.

    Parameters
    ----------
    votes : Votes
        The ratings.
    truth : sparse array, shape (N, K)
        Probability of each category of each item.
    """
    n_ratings = votes.of_rater(np.ones(len(votes.item)))
    right = votes.of_rater(votes.at(truth))
    same = votes.of_rater(votes.at(votes.counts) - 1)
    others = votes.of_rater((votes.n_ratings[votes.item] - 1).astype(np.float64))
    with np.errstate(invalid="ignore"):  # who rated nothing, or alone
        return RaterFigures(
            n_ratings=n_ratings,
            accuracy=right / n_ratings,
            agreement=same / others,
            share_of_agreement=np.where(others > 0, same / same.sum(), np.nan),
        )


def confusion(votes: Votes, truth: csr_array) -> FloatArray:
    """Estimate how often each rater calls one category another one.

    Returns
    -------
    ndarray of float, shape (R, K, K)
        Share of the ratings `l` of rater `r` among those of items of category `k`, at
        ``[r, k, l]``. NaN where the rater rated no such item.
    """
    expected = votes.given @ (scipy.sparse.diags_array(votes.weights) @ truth).toarray()
    k = votes.n_categories
    by_truth = expected.reshape(votes.n_raters, k, k).transpose(0, 2, 1)
    with np.errstate(invalid="ignore"):
        result: FloatArray = by_truth / by_truth.sum(axis=-1, keepdims=True)
    return result


class Steps(NamedTuple):
    """When the steps of an algorithm end: after so many, or when they hardly gain any more."""

    most: int  # the most steps
    tolerance: float  # the gain of the log-likelihood, as a part of it, that is none any more


class Found(NamedTuple):
    """What a method made of the votes."""

    # Probability of each category of each item, 0 where nothing is stored, (N, K).
    probability: csr_array
    # That of the votes at each step, empty where nothing is modelled, (steps,).
    log_likelihood: FloatArray = np.empty(0)
    converged: bool = True  # whether the steps came to an end

    @property
    def truth(self) -> csr_array:
        """The probabilities by which raters are judged: of labels 1, unless errors are modelled."""
        if len(self.log_likelihood):
            return self.probability
        return certain(leading(self.probability), self.probability.shape[1])


class Method(Protocol):
    """A way from votes to labels."""

    def __call__(self, votes: Votes, steps: Steps) -> Found:
        """Return the probability of each label."""
        ...


def majority(votes: Votes, steps: Steps) -> Found:  # noqa: ARG001
    """Take the label with the most votes; its probability is its share of them."""
    return Found(shares(votes.counts))


def weighted(votes: Votes, steps: Steps) -> Found:  # noqa: ARG001
    """Let each vote count by the share of the rater's votes that are with the majority.

    Where none of an item's votes counts anything, all count the same.
    """
    first = leading(shares(votes.counts)).category
    with_majority = votes.of_rater((first[votes.item] == votes.category).astype(np.float64))
    rated = votes.of_rater(np.ones(len(votes.item)))
    skill = with_majority / np.where(rated > 0, rated, 1.0)
    weight = skill[votes.rater]
    none_counts = np.bincount(votes.item, weight, minlength=votes.n_items) == 0
    return Found(shares(votes.weighted(np.where(none_counts[votes.item], 1.0, weight))))


def dawid_skene(votes: Votes, steps: Steps) -> Found:
    """Estimate errors of the raters and classes of the items by EM (Dawid & Skene, 1979).

    In the symbols of the source, T[i, j] is the probability that item i is of class j, p[j] the
    share of the class, and pi[k, j, l] the probability that rater k calls it l. The first T are
    the shares of the votes. Neither step lowers the likelihood of the votes.
    """
    given, by_item = votes.given, scipy.sparse.csr_array(votes.given.T)
    k, weights = votes.n_categories, votes.weights
    classes = shares(votes.counts).toarray()
    total, path = weights.sum(), [-np.inf]
    converged = False
    while not converged and len(path) <= steps.most:
        weighted_classes = classes * weights[:, None]
        p = weighted_classes.sum(axis=0) / total
        calls = (given @ weighted_classes).reshape(votes.n_raters, k, k)
        with np.errstate(divide="ignore", invalid="ignore"):  # classes that are none
            pi = calls / calls.sum(axis=1, keepdims=True)
            log_pi = np.log(np.where(calls > 0, pi, 0.0)).reshape(-1, k)
            joint = by_item @ log_pi + np.log(p)
        largest = joint.max(axis=1, keepdims=True)
        classes = np.exp(joint - largest)
        of_item = classes.sum(axis=1, keepdims=True)
        classes /= of_item
        path.append(float(weights @ (largest + np.log(of_item))[:, 0]))
        converged = path[-1] - path[-2] <= steps.tolerance * abs(path[-1])
    return Found(_dense(classes), np.array(path[1:]), converged)


def _dense(values: FloatArray) -> scipy.sparse.csr_array:
    """Store every value of a matrix, zeros too."""
    n_rows, n_columns = values.shape
    columns = np.tile(np.arange(n_columns), n_rows)
    pointers = np.arange(n_rows + 1) * n_columns
    return scipy.sparse.csr_array((values.reshape(-1), columns, pointers), shape=values.shape)


METHODS: dict[str, Method] = {
    "majority": majority,
    "weighted": weighted,
    "dawid_skene": dawid_skene,
}


def votes_of(study: Study) -> Votes:
    """List the ratings of all items by number."""
    coded = study.coded
    if isinstance(coded, CodedList):
        item, rater, category = coded.item, coded.rater, coded.codes[0]
    else:
        item, rater = np.nonzero(coded.codes.T >= 0)
        category = coded.codes[rater, item]
    n_items, weights = len(coded.items), coded.weights
    return Votes(
        item=item,
        rater=rater,
        category=category,
        n_items=n_items,
        n_raters=len(study.raters),
        n_categories=len(coded.categories),
        weights=np.ones(n_items) if weights is None else weights,
    )


def votes_by_group(every: Votes, study: Study) -> Iterator[tuple[int, IntArray, Votes]]:
    """Give each group that has ratings, its rated items, and the votes on them."""
    some = np.flatnonzero(every.n_ratings)
    of_items, of_rows = (_by_group(study.groups, one) for one in (some, every.item))
    number = np.empty(every.n_items, dtype=np.int64)
    for place, (own, rows) in enumerate(zip(of_items, of_rows, strict=True)):
        items = some[own]
        if not len(items):
            continue
        number[items] = np.arange(len(items))
        votes = replace(
            every,
            item=number[every.item[rows]],
            rater=every.rater[rows],
            category=every.category[rows],
            n_items=len(items),
            weights=every.weights[items],
        )
        yield place, items, votes


def _by_group(groups: Groups, items: IntArray) -> list[Any]:
    """Return the places of items of each group, in their order."""
    if groups.of_item is None or groups.n == 1:
        return [slice(len(items))]
    group = groups.of_item[items]
    order = np.argsort(group, kind="stable")
    return np.split(order, np.cumsum(np.bincount(group, minlength=groups.n))[:-1])


LARGEST_CONFUSION = 1 << 26  # cells


@dataclass(frozen=True)
class Fit:
    """What was made of the ratings: of each group that has any, the votes and the labels."""

    study: Study
    groups: dict[int, tuple[Votes, Found]]


class Consensus(Result):
    """The label that each item gets, one row for each, and what the labels say of the raters.

    It is a DataFrame with the columns ``label, probability, n_ratings, margin, tied``; anything
    computed from it, a copy too, is a plain DataFrame without the attributes below.

    See Also
    --------
    df.kappa.consensus : Compute it.
    """

    _metadata: ClassVar[list[str]] = ["_told", "_fit"]
    _fit: Fit

    @classmethod
    def of(cls, frame: pd.DataFrame, index: pd.Index, fit: Fit) -> Self:
        """Label the rows of a frame and keep what it was made of."""
        plain = result(frame.set_axis(index), fit.study.named_raters)
        made = cls(plain)
        made.attrs["raters"] = plain.attrs["raters"]
        made._fit = fit
        return made

    @property
    def raters(self) -> pd.DataFrame:
        """How well each rater agrees with the labels and with the other raters.

        Returns
        -------
        DataFrame
            One row for each rater (and group):

            - ``n_ratings``;
            - ``accuracy``: share of the ratings that are the label of their item, in [0, 1]; by
              Dawid and Skene the mean probability that a rating is right;
            - ``agreement``: share of the other raters' ratings of the same items that are the
              same, in [0, 1];
            - ``share_of_agreement``: part of all agreeing pairs of ratings, half of each pair;
              it adds up to one;
            - ``reason`` for NaN: ``no_items`` (who rated nothing), ``no_joint_items`` (who rated
              nothing that others did).
        """
        study, raters = self._fit.study, self._named()
        shape = (study.n_groups, len(raters))
        columns = {name: np.full(shape, np.nan) for name in RaterFigures._fields}
        columns["n_ratings"][:] = 0
        for group, (votes, found) in self._fit.groups.items():
            figures = figures_of_raters(votes, found.truth)._asdict()
            for name, values in figures.items():
                columns[name][group] = values
        flat = {name: values.reshape(-1) for name, values in columns.items()}
        frame = framed(flat, study.groups.each(raters))
        frame["reason"] = np.where(frame["agreement"].isna(), "no_joint_items", "")
        frame.loc[frame["n_ratings"] == 0, "reason"] = "no_items"
        return tidy(frame, raters)

    @property
    def confusion(self) -> pd.DataFrame:
        """How often each rater calls one label another one, the error rates of the rater.

        Returns
        -------
        DataFrame
            One row for each rater and label (and group), one column for each rating: shares of
            the rater's ratings of items with that label, in [0, 1], which add up to one in a
            row; by Dawid and Skene the estimated probabilities. NaN where the rater rated no item
            with that label.

        Raises
        ------
        TooLargeError
            If raters times the square of the categories are more than 2**26.
        """
        study, raters = self._fit.study, self._named()
        categories = study.coded.categories.index()
        shape = (study.n_groups, len(raters), len(categories), len(categories))
        if math.prod(shape) > LARGEST_CONFUSION:
            raise TooLargeError(
                f"The confusion of {len(raters)} raters has {math.prod(shape)} cells of "
                f"{len(categories)} categories; the limit is {LARGEST_CONFUSION}. Pass fewer "
                "raters, or merge categories."
            )
        shares = np.full(shape, np.nan)
        for group, (votes, found) in self._fit.groups.items():
            shares[group] = confusion(votes, found.truth)
        rows = pd.MultiIndex.from_product([raters, categories], names=["rater", "label"])
        frame = pd.DataFrame(
            shares.reshape(math.prod(shape[:-1]), len(categories)),
            index=study.groups.each(rows),
            columns=categories.rename("rating"),
        )
        return result(frame, raters)

    @property
    def log_likelihood(self) -> pd.Series:
        """The log-likelihood of the ratings at each step of the algorithm of Dawid and Skene.

        Returns
        -------
        Series
            The natural logarithm, never falling; empty for other methods.
        """
        paths = {group: found.log_likelihood for group, (_, found) in self._fit.groups.items()}
        group = np.repeat(np.array([*paths], dtype=np.int64), [*map(len, paths.values())])
        steps = [np.arange(1, len(path) + 1) for path in paths.values()]
        step = pd.Index(np.concatenate([np.empty(0, dtype=np.int64), *steps]), name="step")
        index = self._fit.study.groups.index(group, [step])
        values = np.concatenate([np.empty(0), *paths.values()])
        return pd.Series(values, index=index, name="log_likelihood")

    def _named(self) -> pd.Index:
        """Name the raters, if anybody knows them."""
        if isinstance(self._fit.study.data, Counted):
            check_identity(self._fit.study.data)
        return index_of(self._fit.study.raters, "rater")


MODELLED = "dawid_skene"
LARGEST_MODEL = 1 << 26  # cells
SYNONYMS = {
    "mv": "'majority'",
    "vote": "'majority'",
    "mode": "'majority'",
    "ds": "'dawid_skene'",
    "em": "'dawid_skene'",
    "dawid-skene": "'dawid_skene'",
    "wawa": "'weighted'",
}


def fitted(study: Study, method: str, steps: Steps) -> Consensus:
    """Find the labels of the items, group by group."""
    every, fit = votes_of(study), Fit(study, {})
    n_items = every.n_items
    code = np.full(n_items, -1)
    probability, margin = np.full((2, n_items), np.nan)
    tied = np.zeros(n_items, dtype=bool)
    for group, items, votes in votes_by_group(every, study):
        _check_size(votes, method)
        found = METHODS[method](votes, steps)
        fit.groups[group] = votes, found
        code[items], probability[items], margin[items], tied[items] = leading(found.probability)
    _warn_of_steps(fit, steps)
    columns = {
        "label": _labels(study.coded.categories, code),
        "probability": probability,
        "n_ratings": every.n_ratings,
        "margin": margin,
        "tied": tied,
        "reason": np.where(code < 0, "no_items", "") if (code < 0).any() else "",
        "remark": "",
    }
    return Consensus.of(pd.DataFrame(columns), study.groups.of_items(study.coded.items), fit)


def _labels(categories: CategorySet, code: IntArray) -> pd.Series | pd.Index:
    """Return the labels of codes, missing for -1."""
    if (code >= 0).all():
        return categories.index().take(code)
    labels = categories.index().to_series().reset_index(drop=True)
    return labels.reindex(code).reset_index(drop=True)


def _check_size(votes: Votes, method: str) -> None:
    """Refuse a model that is too large."""
    k = votes.n_categories
    n_cells = max(votes.n_items, votes.n_raters * k) * k
    if method == MODELLED and n_cells > LARGEST_MODEL:
        raise TooLargeError(
            f"method={shown(method)} would model {votes.n_raters} raters and {votes.n_items} items "
            f"of {k} categories in {n_cells} cells; the limit is {LARGEST_MODEL}. Use 'weighted', "
            "pass fewer raters, or merge categories."
        )


def _warn_of_steps(fit: Fit, steps: Steps) -> None:
    """Warn once if an algorithm was stopped."""
    stopped = [group for group, (_, found) in fit.groups.items() if not found.converged]
    if stopped:
        where = fit.study.groups.at(stopped[0])
        more = f" and {len(stopped) - 1} more" if len(stopped) > 1 else ""
        warn(
            f"The probabilities still change in step {steps.most}{where}{more}. Pass a "
            "larger max_iter, or a larger tol if that is precise enough.",
            NotConvergedWarning,
        )


Named: TypeAlias = Literal["majority", "weighted", "dawid_skene"]


class OfConsensus(has.Raters, has.By, has.Ratings, has.Sep):
    """Options of `consensus`."""

    method: Named = anew(
        has.Method,
        "method",
        also='"majority": the label that most raters gave. "weighted": each vote is weighted by '
        'the share of the rater\'s votes that agree with the majority. "dawid_skene": the most '
        "probable label if each rater has individual error rates.",
        choices=Named,
        default="majority",
        synonyms=SYNONYMS,
    )
    max_iter: int = option(
        "The most steps of the algorithm of Dawid and Skene.",
        "int",
        default=1000,
        check=whole_from(1),
    )
    tol: float = option(
        "It stops if a step increases the log-likelihood by no more than this proportion.",
        "float",
        default=1e-7,
        check=number_that(
            lambda value: 0 <= value < np.inf, "be a number from 0 upwards, such as 1e-7"
        ),
    )


@asks(
    OfConsensus,
    by="They have separate error rates.",
    missing='"pairwise" uses all ratings.',
    sample_weight="They count in what is known of the raters.",
)
def consensus(data: pd.DataFrame | Counted | Listed, asked: OfConsensus) -> Consensus:
    r"""Give each item its most probable label, given all ratings.

    Which labels are kept, which of them are doubtful, and who is right how often?

    Returns
    -------
    Consensus
        A DataFrame with one row for each item that counts, labelled as in `data`:

        - ``label``: the most probable label, the first in the order of the categories where
          several are; missing where nobody rated;
        - ``probability``: its share of the votes, or by Dawid and Skene its probability given
          all ratings, in [0, 1]; NaN where nobody rated;
        - ``n_ratings``: number of ratings of the item;
        - ``margin``: how much more probable the label is than the next one, in [0, 1]; NaN where
          nobody rated;
        - ``tied``: whether other labels are as probable, so that the order decided.

        Its attributes ``raters``, ``confusion`` and ``log_likelihood`` are frames of the raters,
        of their errors, and of the steps; see `Consensus`.

    Raises
    ------
    TooLargeError
        If the model of Dawid and Skene has more than 2**26 cells: items times categories, or
        raters times the square of the categories.

    Warns
    -----
    NotConvergedWarning
        Once, if `max_iter` steps do not come to an end.

    Notes
    -----
    Dawid and Skene take the class :math:`j` of an item to be hidden. With the shares :math:`p_j`
    of the classes and the probability :math:`\pi^{(k)}_{jl}` that rater :math:`k` calls class
    :math:`j` by the label :math:`l`, an item is of class :math:`j` with a probability in
    proportion to :math:`p_j \prod_k \pi^{(k)}_{jl_k}`. EM starts from the shares of the votes,
    and no step lowers the likelihood. Raters with few ratings have errors of great uncertainty,
    which the probabilities do not show: they come too close to 0 and 1.

    `weighted` is also known as Wawa, worker agreement with aggregate. Where none of an item's
    votes counts anything, all count the same.

    References
    ----------
    .. [1] Dawid & Skene, 1979

    Examples
    --------
    >>> df = pd.DataFrame(
    ...     {
    ...         "ann": ["cat", "dog", "dog", "cat", None],
    ...         "bob": ["cat", "dog", "cat", "dog", None],
    ...         "eve": ["cat", "cat", "dog", None, None],
    ...     }
    ... )
    >>> found = df.kappa.consensus()
    >>> pd.DataFrame(found).round(3)
      label  probability  n_ratings  margin   tied    reason remark
    0   cat        1.000          3   1.000  False
    1   dog        0.667          3   0.333  False
    2   dog        0.667          3   0.333  False
    3   cat        0.500          2   0.000   True
    4   NaN          NaN          0     NaN  False  no_items
    >>> found.raters["accuracy"].round(3).to_dict()
    {'ann': 1.0, 'bob': 0.5, 'eve': 0.667}
    """
    if asked.method != "dawid_skene":
        asked.refuse(
            "max_iter", "tol", because="there are no steps", instead="Pass method='dawid_skene'"
        )
    steps = Steps(int(asked.max_iter), float(asked.tol))
    needs_identity = asked.method != "majority"
    study = read(data, asked.raters, asked.reading, needs_identity=needs_identity, by_list=True)
    return fitted(study, asked.method, steps)
