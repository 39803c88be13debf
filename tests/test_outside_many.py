"""Coefficients of many raters against values of independent systems, entry by entry.

``elsewhere/many.py`` compares them, and ``test_validation.py`` holds what is the same. Where we
mean to differ, the difference itself is tested: with missing ratings the share of items with two
ratings is not taken for fixed, and the small-sample factor makes the error of alpha smaller.
"""

from elsewhere.many import DATASETS, ENTRIES, LINEARIZED, NULL, SCHOUTEN, WITH_SE, held, smaller


def test_standard_errors_that_are_smaller():
    found = list(smaller())
    for entry, theirs, ours in found:
        alpha = entry["coefficient"] == "krippendorff_alpha"
        assert ours <= theirs + (0 if alpha else max(entry["tolerance"], 1e-10)), entry["id"]
    assert len(found) == 90


def test_every_entry_is_compared():
    assert len(DATASETS) == 12
    assert len(ENTRIES) == 301
    errors = [one for one in held() if one.figure.endswith("; se")]
    assert len(errors) + len(list(smaller())) == len(WITH_SE) == 207
    kinds = {e["options"].get("se") for _, e in ENTRIES} - {LINEARIZED, SCHOUTEN, NULL, None}
    assert not kinds
