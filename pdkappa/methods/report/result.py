"""Result objects: frames with the ways to show and export them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from pdkappa.methods.workbook.book import Exported
from pdkappa.present.text_markup import prose
from pdkappa.present.text_tables import ShownTables

if TYPE_CHECKING:
    import pandas as pd

    from pdkappa.methods.report.write_up import WriteUp
    from pdkappa.methods.workbook.book import Book
    from pdkappa.present.html_page import Handout, Headline
    from pdkappa.present.sheets import Sheet


@dataclass(frozen=True, eq=False, repr=False)
class Report(ShownTables, Exported):
    """Tables on the agreement of some raters, ready to be exported.

    Attributes
    ----------
    tables : dict of DataFrame
        The tables by name, in the order of the workbook.
    confidence_level : float or None
        That of the limits in the tables.
    headline : Headline
        The main figure with its interval, in numbers and in plain words.
    call : str
        The code that reproduces the report.
    book : Book
        What the workbook is made of.
    write_up : WriteUp
        What `methods` and `grras` write.

    See Also
    --------
    pdkappa.report : Compute it.
    """

    sheets: tuple[Sheet, ...] = field(repr=False)
    confidence_level: float | None = None
    headline: Headline = field(repr=False, kw_only=True)
    call: str = field(repr=False, kw_only=True)
    book: Book = field(repr=False, kw_only=True)
    write_up: WriteUp = field(repr=False, kw_only=True)

    def methods(self, format: Literal["text", "markdown", "latex"] = "text") -> str:  # noqa: A002
        r"""Write the methods and results of a paper in APA style.

        The raters, items and categories, missing ratings, the coefficient with its weights and
        intervals, how it was averaged, and the software; the main figures; and the publications
        that these sentences cite.

        Parameters
        ----------
        format : {"text", "markdown", "latex"}, default "text"
            Plain text, without line breaks in a paragraph; Markdown; or the body of a document
            in LaTeX that needs no package except one for the letters of the labels.

        Returns
        -------
        str
            Headings and paragraphs, with numbers in the style of the APA: none that cannot
            exceed 1 has a zero before the point.

        Raises
        ------
        OptionError
            If the format is not known.

        See Also
        --------
        grras : The checklist of a guideline.

        Examples
        --------
        >>> df = pd.DataFrame({"ann": [1, 2, 3, 4, 3], "bob": [2, 2, 4, 4, 5]})
        >>> text = df.kappa.report(weights="quadratic", detail="brief").methods()
        >>> print(text.split("\n\n")[1].replace(". ", ".\n"))
        Agreement was estimated between two raters (ann and bob), who gave 10 ratings of five items.
        The ratings used five categories (1, 2, 3, 4, 5).
        No rating was missing.
        """
        return prose(self.write_up.paper, format)

    def grras(self, format: Literal["text", "markdown", "latex"] = "text") -> str:  # noqa: A002
        r"""Fill in the Guidelines for Reporting Reliability and Agreement Studies.

        Items 10, 11, 13 and 15, and the numbers of item 6, are filled in from the analysis. The
        other ten and the rest of item 6, which only you know, are "[to be stated]".

        Parameters
        ----------
        format : {"text", "markdown", "latex"}, default "text"
            As for `methods`.

        Returns
        -------
        str
            The 15 items in order, and the publications that they cite.

        Raises
        ------
        OptionError
            If the format is not known.

        References
        ----------
        .. [1] Kottner, J., Audigé, L., Brorson, S., Donner, A., Gajewski, B. J., Hróbjartsson, A.,
               Roberts, C., Shoukri, M., & Streiner, D. L. (2011). Guidelines for reporting
               reliability and agreement studies (GRRAS) were proposed. Journal of Clinical
               Epidemiology, 64(1), 96-106. https://doi.org/10.1016/j.jclinepi.2010.03.002

        Examples
        --------
        >>> df = pd.DataFrame({"ann": [1, 2, 3, 4, 3], "bob": [2, 2, 4, 4, 5]})
        >>> items = df.kappa.report(detail="brief").grras().split("\n\n")
        >>> items[9], items[11]  # doctest: +ELLIPSIS
        ('9. Whether ratings were made independently: [to be stated]', '11. ... Two raters, ...')
        """
        return prose(self.write_up.checklist, format)

    @property
    def tables(self) -> dict[str, pd.DataFrame]:
        """Return the tables by name; a name that is taken is numbered."""
        found: dict[str, pd.DataFrame] = {}
        for sheet in self.sheets:
            name, number = sheet.name, 1
            while name in found:
                number += 1
                name = f"{sheet.name} ({number})"
            found[name] = sheet.frame
        return found

    def _sheets(self) -> list[Sheet]:
        """Return all tables."""
        return list(self.sheets)

    def _headline(self, sheets: list[Sheet]) -> Headline:  # noqa: ARG002
        """Return what the page says first."""
        return self.headline

    def _handouts(self) -> tuple[Handout, ...]:
        """Return what was done and found, in three formats, and the checklist."""
        from pdkappa.present.html_page import Handout

        return (
            Handout("Method and results", prose(self.write_up.paper[:-1], "text")),
            Handout("References", prose(self.write_up.paper[-1:], "text"), printed=True),
            Handout("In Markdown", self.methods("markdown")),
            Handout("In LaTeX", self.methods("latex")),
            Handout(
                "GRRAS: the 15 items, of which the analysis fills four and a part",
                self.grras(),
                printed=True,
            ),
        )

    def _call(self) -> str:
        """Return the code that makes the report again."""
        return self.call

    def _book(self) -> Book:
        """Return what the workbook is made of."""
        return self.book

    def _heading(self) -> str:
        """Return the title that was given."""
        return self.headline.title

    def _summary(self) -> str:
        """Say the main figure with its weights, and name the tables."""
        heading = self.headline.heading
        stop = "" if heading.endswith((".", "!", "?")) else "."
        return f"{heading}{stop} {self.headline.in_short}. {super()._summary()}"

    def _title(self, table: str) -> str:
        """Say in one line what a table shows."""
        return dict(zip(self.tables, self.sheets, strict=True))[table].title

    def _level(self) -> float | None:
        """Return the confidence level of the limits."""
        return self.confidence_level
