"""The publications that sentences cite, and the software."""

from __future__ import annotations

import platform
import re
from functools import cache

from pdkappa.present.text_markup import ITALIC, ROMAN

SOFTWARE = "The pdkappa developers, 2026"
VERSION = "Version that runs"
EN_DASH = "\N{EN DASH}"
EDPSY = "*Educational and Psychological Measurement*"
BULLETIN = "*Psychological Bulletin*"
JASA = "*Journal of the American Statistical Association*"


def cited_in(text: str) -> tuple[str, ...]:
    """Return the references of all citations in a text, in order of the authors."""
    found = [key for key in REFERENCES if _citation(key).search(text)]
    found.sort(key=lambda key: key.removeprefix("The ").casefold())
    every = [REFERENCES[key].replace(VERSION, f"Version {version_of('pdkappa')}") for key in found]
    return tuple(re.sub(r"\*(.*?)\*", rf"{ITALIC}\1{ROMAN}", text) for text in every)


def _citation(key: str) -> re.Pattern[str]:
    """Find the author and year in a text, where other years may stand between.

    >>> bool(_citation("Cohen, 1968").search("(Cohen, 1960, 1968)"))
    True
    """
    author, year = key.rsplit(", ", 1)
    return re.compile(rf"{re.escape(author)}, (?:\d{{4}}, )*{year}")


def _article(start: str, journal: str, volume: str, pages: str, doi: str = "") -> str:
    """Write the reference of an article; the volume stands with its issue in parentheses."""
    number, issue = volume.split("(") if "(" in volume else (volume, "")
    where = f"{journal}, *{number}*{issue and f'({issue}'}, {pages.replace('-', EN_DASH)}."
    return f"{start} {where}" + (f" https://doi.org/{doi}" if doi else "")


REFERENCES: dict[str, str] = {
    "Agresti & Hitchcock, 2005": _article(
        "Agresti, A., & Hitchcock, D. B. (2005). Bayesian inference for categorical data analysis.",
        "*Statistical Methods & Applications*",
        "14(3)",
        "297-330",
        "10.1007/s10260-005-0121-y",
    ),
    "Bell & McCaffrey, 2002": _article(
        "Bell, R. M., & McCaffrey, D. F. (2002). Bias reduction in standard errors for linear "
        "regression with multi-stage samples.",
        "*Survey Methodology*",
        "28(2)",
        "169-181",
    ),
    "Brennan & Prediger, 1981": _article(
        "Brennan, R. L., & Prediger, D. J. (1981). Coefficient kappa: Some uses, misuses, and "
        "alternatives.",
        EDPSY,
        "41(3)",
        "687-699",
        "10.1177/001316448104100307",
    ),
    "Cicchetti & Allison, 1971": _article(
        "Cicchetti, D. V., & Allison, T. (1971). A new procedure for assessing reliability of "
        "scoring EEG sleep recordings.",
        "*American Journal of EEG Technology*",
        "11(3)",
        "101-110",
        "10.1080/00029238.1971.11080840",
    ),
    "Clopper & Pearson, 1934": _article(
        "Clopper, C. J., & Pearson, E. S. (1934). The use of confidence or fiducial limits "
        "illustrated in the case of the binomial.",
        "*Biometrika*",
        "26(4)",
        "404-413",
        "10.1093/biomet/26.4.404",
    ),
    "Cochran, 1954": _article(
        "Cochran, W. G. (1954). The combination of estimates from different experiments.",
        "*Biometrics*",
        "10(1)",
        "101-129",
        "10.2307/3001666",
    ),
    "Cohen, 1960": _article(
        "Cohen, J. (1960). A coefficient of agreement for nominal scales.",
        EDPSY,
        "20(1)",
        "37-46",
        "10.1177/001316446002000104",
    ),
    "Cohen, 1968": _article(
        "Cohen, J. (1968). Weighted kappa: Nominal scale agreement provision for scaled "
        "disagreement or partial credit.",
        BULLETIN,
        "70(4)",
        "213-220",
        "10.1037/h0026256",
    ),
    "Conger, 1980": _article(
        "Conger, A. J. (1980). Integration and generalization of kappas for multiple raters.",
        BULLETIN,
        "88(2)",
        "322-328",
        "10.1037/0033-2909.88.2.322",
    ),
    "Donner & Eliasziw, 1992": _article(
        "Donner, A., & Eliasziw, M. (1992). A goodness-of-fit approach to inference procedures for "
        "the kappa statistic.",
        "*Statistics in Medicine*",
        "11(11)",
        "1511-1519",
        "10.1002/sim.4780111109",
    ),
    "Efron, 1987": _article(
        "Efron, B. (1987). Better bootstrap confidence intervals.",
        JASA,
        "82(397)",
        "171-185",
        "10.1080/01621459.1987.10478410",
    ),
    "Fay & Feuer, 1997": _article(
        "Fay, M. P., & Feuer, E. J. (1997). Confidence intervals for directly standardized rates: "
        "A method based on the gamma distribution.",
        "*Statistics in Medicine*",
        "16(7)",
        "791-801",
        "10.1002/(SICI)1097-0258(19970415)16:7%3C791::AID-SIM500%3E3.0.CO;2-%23",
    ),
    "Fleiss, 1971": _article(
        "Fleiss, J. L. (1971). Measuring nominal scale agreement among many raters.",
        BULLETIN,
        "76(5)",
        "378-382",
        "10.1037/h0031619",
    ),
    "Fleiss & Cohen, 1973": _article(
        "Fleiss, J. L., & Cohen, J. (1973). The equivalence of weighted kappa and the intraclass "
        "correlation coefficient as measures of reliability.",
        EDPSY,
        "33(3)",
        "613-619",
        "10.1177/001316447303300309",
    ),
    "Fleiss et al., 1969": _article(
        "Fleiss, J. L., Cohen, J., & Everitt, B. S. (1969). Large sample standard errors of kappa "
        "and weighted kappa.",
        BULLETIN,
        "72(5)",
        "323-327",
        "10.1037/h0028106",
    ),
    "Gwet, 2008": _article(
        "Gwet, K. L. (2008). Computing inter-rater reliability and its variance in the presence of "
        "high agreement.",
        "*British Journal of Mathematical and Statistical Psychology*",
        "61(1)",
        "29-48",
        "10.1348/000711006X126600",
    ),
    "Gwet, 2014": "Gwet, K. L. (2014). *Handbook of inter-rater reliability* (4th ed.). "
    "Advanced Analytics.",
    "Hartung & Knapp, 2001": _article(
        "Hartung, J., & Knapp, G. (2001). On tests of the overall treatment effect in "
        "meta-analysis with normally distributed responses.",
        "*Statistics in Medicine*",
        "20(12)",
        "1771-1782",
        "10.1002/sim.791",
    ),
    "Higgins & Thompson, 2002": _article(
        "Higgins, J. P. T., & Thompson, S. G. (2002). Quantifying heterogeneity in a "
        "meta-analysis.",
        "*Statistics in Medicine*",
        "21(11)",
        "1539-1558",
        "10.1002/sim.1186",
    ),
    "Henderson, 1953": _article(
        "Henderson, C. R. (1953). Estimation of variance and covariance components.",
        "*Biometrics*",
        "9(2)",
        "226-252",
        "10.2307/3001853",
    ),
    "Jaccard, 1912": _article(
        "Jaccard, P. (1912). The distribution of the flora in the alpine zone.",
        "*New Phytologist*",
        "11(2)",
        "37-50",
        "10.1111/j.1469-8137.1912.tb05611.x",
    ),
    "Kottner et al., 2011": _article(
        "Kottner, J., Audigé, L., Brorson, S., Donner, A., Gajewski, B. J., Hróbjartsson, A., "
        "Roberts, C., Shoukri, M., & Streiner, D. L. (2011). Guidelines for reporting reliability "
        "and agreement studies (GRRAS) were proposed.",
        "*Journal of Clinical Epidemiology*",
        "64(1)",
        "96-106",
        "10.1016/j.jclinepi.2010.03.002",
    ),
    "King & Chinchilli, 2001": _article(
        "King, T. S., & Chinchilli, V. M. (2001). A generalized concordance correlation "
        "coefficient for continuous and categorical data.",
        "*Statistics in Medicine*",
        "20(14)",
        "2131-2147",
        "10.1002/sim.845",
    ),
    "Kish, 1965": "Kish, L. (1965). *Survey sampling*. Wiley.",
    "Krippendorff, 1970": _article(
        "Krippendorff, K. (1970). Estimating the reliability, systematic error and random error of "
        "interval data.",
        EDPSY,
        "30(1)",
        "61-70",
        "10.1177/001316447003000105",
    ),
    "Krippendorff, 2004": "Krippendorff, K. (2004). *Content analysis: An introduction to its "
    "methodology* (2nd ed.). Sage.",
    "Light, 1971": _article(
        "Light, R. J. (1971). Measures of response agreement for qualitative data: Some "
        "generalizations and alternatives.",
        BULLETIN,
        "76(5)",
        "365-377",
        "10.1037/h0031643",
    ),
    "Lin, 1989": _article(
        "Lin, L. I.-K. (1989). A concordance correlation coefficient to evaluate reproducibility.",
        "*Biometrics*",
        "45(1)",
        "255-268",
        "10.2307/2532051",
    ),
    "Lin et al., 2002": _article(
        "Lin, L., Hedayat, A. S., Sinha, B., & Yang, M. (2002). Statistical methods in assessing "
        "agreement: Models, issues, and tools.",
        JASA,
        "97(457)",
        "257-270",
        "10.1198/016214502753479392",
    ),
    "Passonneau, 2006": "Passonneau, R. (2006). Measuring agreement on set-valued items (MASI) for "
    "semantic and pragmatic annotation. In *Proceedings of the Fifth International Conference on "
    "Language Resources and Evaluation* (pp. 831\N{EN DASH}836). European Language Resources "
    "Association.",
    "Patterson & Thompson, 1971": _article(
        "Patterson, H. D., & Thompson, R. (1971). Recovery of inter-block information when block "
        "sizes are unequal.",
        "*Biometrika*",
        "58(3)",
        "545-554",
        "10.1093/biomet/58.3.545",
    ),
    "Paule & Mandel, 1982": _article(
        "Paule, R. C., & Mandel, J. (1982). Consensus values and weighting factors.",
        "*Journal of Research of the National Bureau of Standards*",
        "87(5)",
        "377-385",
        "10.6028/jres.087.022",
    ),
    "Perks, 1947": _article(
        "Perks, W. (1947). Some observations on inverse probability including a new indifference "
        "rule.",
        "*Journal of the Institute of Actuaries*",
        "73(2)",
        "285-334",
    ),
    "Scott, 1955": _article(
        "Scott, W. A. (1955). Reliability of content analysis: The case of nominal scale coding.",
        "*Public Opinion Quarterly*",
        "19(3)",
        "321-325",
        "10.1086/266577",
    ),
    SOFTWARE: "The pdkappa developers. (2026). *pdkappa: Inter-rater agreement for pandas* "
    f"({VERSION}) [Computer software]. https://pdkappa.readthedocs.io",
    "Wilson, 1927": _article(
        "Wilson, E. B. (1927). Probable inference, the law of succession, and statistical "
        "inference.",
        JASA,
        "22(158)",
        "209-212",
        "10.1080/01621459.1927.10502953",
    ),
    "Zou & Donner, 2008": _article(
        "Zou, G. Y., & Donner, A. (2008). Construction of confidence limits about effect measures: "
        "a general approach.",
        "*Statistics in Medicine*",
        "27(10)",
        "1693-1702",
        "10.1002/sim.3095",
    ),
}


@cache
def version_of(package: str) -> str:
    """Return the version of a package, which takes milliseconds to find out."""
    from importlib.metadata import version

    return version(package)


def software() -> str:
    """Cite the software, with the versions it ran on."""
    others = " and ".join(f"{name} {version_of(name)}" for name in ("NumPy", "pandas"))
    return (
        f"The analysis was made with pdkappa {version_of('pdkappa')} ({SOFTWARE}) in Python "
        f"{platform.python_version()} with {others}."
    )
