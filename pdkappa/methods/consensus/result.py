"""The result of `consensus`: a frame of labels that knows what they say of the raters."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np
import pandas as pd

from pdkappa.errors import TooLargeError
from pdkappa.methods.estimates.pair_frames import whole
from pdkappa.present.text_tables import Result, result
from pdkappa.ratings.coded import Counted, check_identity
from pdkappa.ratings.items import index_of

if TYPE_CHECKING:
    from typing import Self

    from pdkappa.methods.consensus.core.methods import Found
    from pdkappa.methods.consensus.core.votes import Votes
    from pdkappa.methods.estimates.study import Study

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
    pdkappa.consensus : Compute it.
    """

    _metadata: ClassVar[list[str]] = ["_fit"]
    _fit: Fit

    @classmethod
    def of(cls, frame: pd.DataFrame, index: pd.Index, fit: Fit) -> Self:
        """Label the rows of a frame and keep what it was made of."""
        made = cls(frame.set_axis(index))
        made.attrs["raters"] = result(frame, fit.study.named_raters).attrs["raters"]
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
        from pdkappa.methods.consensus.core.votes import RaterFigures, figures_of_raters

        study, raters = self._fit.study, self._named()
        shape = (study.n_groups, len(raters))
        columns = {name: np.full(shape, np.nan) for name in RaterFigures._fields}
        columns["n_ratings"][:] = 0
        for group, (votes, found) in self._fit.groups.items():
            figures = figures_of_raters(votes, found.truth)._asdict()
            for name, values in figures.items():
                columns[name][group] = values
        frame = pd.DataFrame({name: values.reshape(-1) for name, values in columns.items()})
        frame["reason"] = np.where(frame["agreement"].isna(), "no_joint_items", "")
        frame.loc[frame["n_ratings"] == 0, "reason"] = "no_items"
        frame["n_ratings"] = whole(frame["n_ratings"].to_numpy())
        frame.index = study.groups.each(raters)
        return result(frame, raters)

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
        from pdkappa.methods.consensus.core.votes import confusion

        study, raters = self._fit.study, self._named()
        categories = study.coded.categories.index()
        shape = (study.n_groups, len(raters), len(categories), len(categories))
        if math.prod(shape) > LARGEST_CONFUSION:
            message = (
                f"The confusion of {len(raters)} raters has {math.prod(shape)} cells of "
                f"{len(categories)} categories; the limit is {LARGEST_CONFUSION}. Pass fewer "
                "raters, or merge categories."
            )
            raise TooLargeError(message)
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
