"""Which label each item gets, of the ratings that it has."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pdkappa.methods.estimates.options import gate
from pdkappa.methods.estimates.study import read
from pdkappa.ratings.options import Reading

if TYPE_CHECKING:
    import pandas as pd

    from pdkappa._typing import By, Categories, ItemWeights, Missing, Raters
    from pdkappa.methods.consensus.result import Consensus
    from pdkappa.ratings.coded import Counted
    from pdkappa.ratings.long_ratings import Listed


@gate
def consensus(
    data: pd.DataFrame | Counted | Listed,
    raters: Raters | None = None,
    *,
    method: str = "majority",
    by: By | None = None,
    categories: Categories | None = None,
    missing: Missing = "pairwise",
    sample_weight: ItemWeights | None = None,
    max_iter: int = 1000,
    tol: float = 1e-7,
    sep: str | None = None,
) -> Consensus:
    r"""Give each item its most probable label, given all ratings.

    Which labels are kept, which of them are doubtful, and who is right how often?

    Parameters
    ----------
    data : DataFrame, shape (N, ...)
        One row for each item, one column for each rater. Never changed.
    raters : list of column labels, optional
        Two or more. Default: all columns that can be ratings. See `pairs`.
    method : {"majority", "weighted", "dawid_skene"}
        ``"majority"``: the label that most raters gave. ``"weighted"``: each vote is weighted by
        the share of the rater's votes that agree with the majority. ``"dawid_skene"``: the most
        probable label if each rater has individual error rates.
    by : column label or list of column labels, optional
        Groups of items with separate error rates, such as criteria. See `pairs`.
    categories : list or dict, optional
        The categories in order, or their scores ``{category: score}``. See `pairs`.
    missing : {"pairwise", "listwise", "raise"}
        Use all ratings, use only the items that all raters rated, or raise an error.
    sample_weight : column label or array of shape (N,), optional
        Frequency weights: 2 counts an item twice in what is known of the raters.
    max_iter : int, default 1000
        The most steps of the algorithm of Dawid and Skene.
    tol : float, default 1e-7
        It stops if a step increases the log-likelihood by no more than this proportion.
    sep : str, optional
        Ratings are sets of labels, written as text with this between them: "a|b" with "|".

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
    KappaError
        If an option is not known, or the ratings cannot be read. See `pdkappa.errors`.

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
    .. [1] Dawid, A. P., & Skene, A. M. (1979). Maximum likelihood estimation of observer
           error-rates using the EM algorithm. Applied Statistics, 28(1), 20-28.
           https://doi.org/10.2307/2346806

    Examples
    --------
    >>> df = pd.DataFrame(
    ...     {
    ...         "ann": ["cat", "dog", "dog", "cat", None],
    ...         "bob": ["cat", "dog", "cat", "dog", None],
    ...         "eve": ["cat", "cat", "dog", None, None],
    ...     }
    ... )
    >>> found = pdkappa.consensus(df)
    >>> pd.DataFrame(found).round(3)
      label  probability  n_ratings  margin   tied
    0   cat        1.000          3   1.000  False
    1   dog        0.667          3   0.333  False
    2   dog        0.667          3   0.333  False
    3   cat        0.500          2   0.000   True
    4   NaN          NaN          0     NaN  False
    >>> found.raters["accuracy"].round(3).to_dict()
    {'ann': 1.0, 'bob': 0.5, 'eve': 0.667}
    """
    from pdkappa.methods.consensus.fitting import check_method, fitted, steps_of

    check_method(method)
    steps = steps_of(max_iter, tol)
    reading = Reading(by, None, categories, "value", missing, sample_weight, sep=sep)
    needs_identity = method != "majority"
    study = read(data, raters, reading, needs_identity=needs_identity, by_list=True)
    return fitted(study, method, steps)
