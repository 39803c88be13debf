"""The public functions of logs of evaluations: `from_inspect` and others.

Each reads what judges said of each item, and what people said where a field of the log holds it.
What is none is left out, with one warning that counts it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from pdkappa.errors import check_choice
from pdkappa.methods.estimates.options import gate
from pdkappa.sources.eval_logs import (
    RATINGS,
    read_deepeval,
    read_inspect,
    read_lm_eval,
    read_promptfoo,
)
from pdkappa.sources.evaluations import Wanted
from pdkappa.sources.tools import ratings_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from pdkappa._typing import Categories, Fields, PathLike
    from pdkappa.accessor import Ratings


@gate
def from_inspect(
    path: PathLike | Mapping[str, PathLike],
    judges: str | Iterable[str] | None = None,
    *,
    humans: Fields | None = None,
    columns: Fields | None = None,
    relabel: Mapping[Any, Any] | None = None,
    categories: Categories | None = None,
) -> Ratings:
    """Read the scores that scorers gave to samples in logs of Inspect AI.

    Parameters
    ----------
    path : path or dict
        A log, ``.eval`` or ``.json``; or ``{name: path}`` of logs in which judges of these names
        scored the same samples.
    judges : str or list of str, optional
        Scorers to read; of one that gives several scores each is named as ``"rubric.tone"``.
        Default: all.
    humans : str, list of str or dict, optional
        Fields of a sample that contain human labels, such as ``"metadata.label"`` or
        ``"target"``, or ``{rater: field}``: a label, or a dict ``{rater: label}``.
    columns : str, list of str or dict, optional
        Fields of a sample to keep beside its ratings, such as ``"input"``, or
        ``{column: field}``; methods take them as `by`, `columns` and `cluster`.
    relabel : dict, optional
        Other names of labels, such as ``{"C": "good", "I": "bad"}``; None for a label that is
        none.
    categories : list or dict, optional
        The categories in order, or their scores, as in `pairs`.

    Returns
    -------
    Ratings
        An object with the methods of ``df.kappa``, as from `from_long`. Items are the ids of the
        samples, with epochs ``"id/epoch"``. Raters are the scorers, or the names of the logs,
        and people by the last part of the field. A label is the value of the score.

    Raises
    ------
    ColumnNotFoundError
        If there is no such scorer or field.
    DuplicateRatingError
        If two samples have one name.
    MissingDependencyError
        If a log is compressed by Zstandard, and there is no pyarrow.
    OptionError
        If an option has an invalid value.
    RatingsError
        If there is no score, or the file is no such log.

    Warns
    -----
    LeftOutWarning
        Once, if scores are left out: those of samples that failed, or that are NaN or lists.

    Notes
    -----
    Tested with logs that inspect-ai 0.3.285 wrote.

    Examples
    --------
    >>> said = [("C", "C", "good"), ("I", "C", "bad"), ("I", "I", "bad"), ("C", "C", "good")]
    >>> samples = [
    ...     {
    ...         "id": number,
    ...         "epoch": 1,
    ...         "metadata": {"ann": ann},
    ...         "scores": {"strict": {"value": strict}, "mild": {"value": mild}},
    ...     }
    ...     for number, (strict, mild, ann) in enumerate(said)
    ... ]
    >>> pd.Series({"samples": samples}).to_json("log.json")
    >>> names = {"C": "good", "I": "bad"}
    >>> ratings = pdkappa.from_inspect("log.json", humans="metadata.ann", relabel=names)
    >>> ratings.pairwise().round(3)
            ann  mild  strict
    ann     1.0   0.5     1.0
    mild    0.5   1.0     0.5
    strict  1.0   0.5     1.0
    """
    wanted = Wanted.of(judges, humans, columns, relabel)
    return ratings_of(read_inspect(path, wanted), categories)


@gate
def from_promptfoo(
    path: PathLike | Mapping[str, PathLike],
    judges: str | Iterable[str] | None = None,
    *,
    rating: Literal["pass", "score"] = "pass",
    humans: Fields | None = None,
    columns: Fields | None = None,
    relabel: Mapping[Any, Any] | None = None,
    categories: Categories | None = None,
) -> Ratings:
    """Read the verdicts of assertions on outputs in results of promptfoo.

    Parameters
    ----------
    path : path or dict
        Results in JSON or JSON lines, as from ``promptfoo eval -o``; or ``{name: path}`` of
        results in which judges of these names graded the same outputs.
    judges : str or list of str, optional
        Assertions to read, by their metric, or else their type. Default: all.
    rating : {"pass", "score"}
        Whether a label is that the output passed, or its score.
    humans : str, list of str or dict, optional
        Fields of a result that contain human labels, such as ``"vars.label"``, or ``{rater:
        field}``: a label, or a dict ``{rater: label}``. What was rated in the viewer is an
        assertion of the type ``"human"``, which is read without being named here.
    columns : str, list of str or dict, optional
        Fields of a result to keep beside its ratings, such as ``"response.output"``, or
        ``{column: field}``; methods take them as `by`, `columns` and `cluster`.
    relabel : dict, optional
        Other names of labels, such as ``{True: "good", False: "bad"}``; None for a label that is
        none.
    categories : list or dict, optional
        The categories in order, or their scores, as in `pairs`.

    Returns
    -------
    Ratings
        An object with the methods of ``df.kappa``, as from `from_long`. Items are the indices of
        the tests, with several prompts or providers ``"test/prompt"``. Raters are the
        assertions: with the provider that graded, as ``"correct (openai:gpt-5)"``, where one
        metric has several; numbered, as ``"llm-rubric #2"``, where a test has several of one
        name.

    Raises
    ------
    ColumnNotFoundError
        If there is no such assertion or field.
    DuplicateRatingError
        If two results have one name.
    OptionError
        If an option has an invalid value.
    RatingsError
        If there is no assertion, or the file is no such result.

    Warns
    -----
    LeftOutWarning
        Once, if labels are missing.

    Notes
    -----
    Tested with files that promptfoo 0.121.20 wrote.

    Examples
    --------
    >>> def result(number, *passed):
    ...     named = zip(("strict", "mild"), passed)
    ...     parts = [{"pass": one, "assertion": {"metric": name}} for name, one in named]
    ...     return {"testIdx": number, "gradingResult": {"componentResults": parts}}
    >>> said = [(True, True), (False, True), (False, False)]
    >>> results = [result(number, *one) for number, one in enumerate(said)]
    >>> pd.DataFrame(results).to_json("out.jsonl", orient="records", lines=True)
    >>> pdkappa.from_promptfoo("out.jsonl").pairs()["estimate"].round(3).item()
    0.4
    """
    check_choice("rating", rating, RATINGS)
    wanted = Wanted.of(judges, humans, columns, relabel)
    return ratings_of(read_promptfoo(path, rating, wanted), categories)


@gate
def from_deepeval(
    path: PathLike | Mapping[str, PathLike],
    judges: str | Iterable[str] | None = None,
    *,
    rating: Literal["pass", "score"] = "pass",
    humans: Fields | None = None,
    columns: Fields | None = None,
    relabel: Mapping[Any, Any] | None = None,
    categories: Categories | None = None,
) -> Ratings:
    """Read the verdicts of metrics on test cases in test runs of DeepEval.

    Parameters
    ----------
    path : path or dict
        A test run in JSON, as in the folder ``DEEPEVAL_RESULTS_FOLDER``; or ``{name: path}`` of
        runs in which judges of these names graded the same test cases.
    judges : str or list of str, optional
        Metrics to read. Default: all.
    rating : {"pass", "score"}
        Whether a label is that the test case passed, or its score.
    humans : str, list of str or dict, optional
        Fields of a test case that contain human labels, such as ``"metadata.label"``, or
        ``{rater: field}``: a label, or a dict ``{rater: label}``.
    columns : str, list of str or dict, optional
        Fields of a test case to keep beside its ratings, such as ``"actualOutput"``, or
        ``{column: field}``; methods take them as `by`, `columns` and `cluster`.
    relabel : dict, optional
        Other names of labels, such as ``{True: "good", False: "bad"}``; None for a label that is
        none.
    categories : list or dict, optional
        The categories in order, or their scores, as in `pairs`.

    Returns
    -------
    Ratings
        An object with the methods of ``df.kappa``, as from `from_long`. Items are the names of
        the test cases, with their numbers if a name occurs twice: ``"name/order"``. Raters are
        the metrics: with the model that graded, as ``"Polite (gpt-5)"``, where a metric has
        several.

    Raises
    ------
    ColumnNotFoundError
        If there is no such metric or field.
    DuplicateRatingError
        If two test cases have one name and number.
    OptionError
        If an option has an invalid value.
    RatingsError
        If there is no metric, or the file is no test run.

    Warns
    -----
    LeftOutWarning
        Once, if labels are missing, as those of metrics that failed.

    Notes
    -----
    Tested with files that deepeval 4.3.1 wrote.

    Examples
    --------
    >>> said = [(True, True), (False, True), (False, False)]
    >>> cases = [
    ...     {
    ...         "name": f"case {number}",
    ...         "metricsData": [
    ...             {"name": "Polite", "success": one, "evaluationModel": model}
    ...             for one, model in zip(pair, ("gpt-5", "claude"))
    ...         ],
    ...     }
    ...     for number, pair in enumerate(said)
    ... ]
    >>> pd.Series({"testCases": cases}).to_json("run.json")
    >>> ratings = pdkappa.from_deepeval("run.json")
    >>> ratings.pairs()[["rater_a", "rater_b", "estimate"]].round(3)
              rater_a         rater_b  estimate
    0  Polite (claude)  Polite (gpt-5)       0.4
    """
    check_choice("rating", rating, RATINGS)
    wanted = Wanted.of(judges, humans, columns, relabel)
    return ratings_of(read_deepeval(path, rating, wanted), categories)


@gate
def from_lm_eval(
    path: PathLike | Mapping[str, PathLike],
    *,
    rating: str | None = None,
    filter: str | None = None,  # noqa: A002
    humans: Fields | None = None,
    columns: Fields | None = None,
    relabel: Mapping[Any, Any] | None = None,
    categories: Categories | None = None,
) -> Ratings:
    """Read the answers of models in samples of lm-evaluation-harness.

    Parameters
    ----------
    path : path or dict
        The samples of a task, as from ``lm_eval --log_samples``; or ``{model: path}`` of models
        that answered the same documents.
    rating : str, optional
        A metric of each document to read, such as ``"acc"``. Default: the answer, which of
        several choices is the likeliest, and of text what the filter left of it.
    filter : str, optional
        The filter whose answers to read, where the samples are those of several.
    humans : str, list of str or dict, optional
        Fields of a sample that contain human labels, such as ``"target"`` or ``"doc.label"``,
        or ``{rater: field}``: a label, or a dict ``{rater: label}``.
    columns : str, list of str or dict, optional
        Fields of a sample to keep beside its ratings, such as ``"doc.text"``, or
        ``{column: field}``; methods take them as `by`, `columns` and `cluster`.
    relabel : dict, optional
        Other names of labels, such as ``{"[invalid]": None}`` for answers that the filter did not
        find.
    categories : list or dict, optional
        The categories in order, or their scores, as in `pairs`.

    Returns
    -------
    Ratings
        An object with the methods of ``df.kappa``, as from `from_long`. Items are the
        ``doc_id``, raters the models: that of a single file is named after its folder. Choices
        are named by their texts if these are the same for all documents, or else numbered from
        0, and so is a ``target`` that is the number of a choice.

    Raises
    ------
    ColumnNotFoundError
        If there is no such metric, filter or field.
    DuplicateRatingError
        If a document stands twice in a file.
    OptionError
        If an option has an invalid value, or a filter must be chosen.
    RatingsError
        If there is no answer, or the file holds no such samples.

    Warns
    -----
    LeftOutWarning
        Once, if labels are missing, as where a model gave several answers or none.

    Notes
    -----
    Tested with files that lm-eval 0.4.13 wrote.

    Examples
    --------
    >>> answers = {"a": ["good", "bad", "bad"], "b": ["good", "good", "bad"]}
    >>> for model, given in answers.items():
    ...     rows = [{"doc_id": at, "filtered_resps": [one]} for at, one in enumerate(given)]
    ...     pd.DataFrame(rows).to_json(f"{model}.jsonl", orient="records", lines=True)
    >>> ratings = pdkappa.from_lm_eval({"small": "a.jsonl", "large": "b.jsonl"})
    >>> ratings.pairs()["estimate"].round(3).item()
    0.4
    """
    wanted = Wanted.of(None, humans, columns, relabel)
    return ratings_of(read_lm_eval(path, rating, filter, wanted), categories)
