"""R in the same run: kappas of two raters with errors and limits, and limits of agreement."""

import numpy as np
import pandas as pd
import pytest

import pdkappa

IN_R = """
suppressMessages({library(psych); library(vcd); library(epiR)})
table <- as.matrix(table)
dimnames(table) <- list(a = 1:4, b = 1:4)
k <- nrow(table)
for (weights in c("Equal-Spacing", "Fleiss-Cohen")) {
    found <- Kappa(as.table(table), weights = weights)
    limits <- confint(found)
    tell(paste0("vcd_", weights), found$Weighted, limits["Weighted", ])
    tell("vcd_None", found$Unweighted, limits["Unweighted", ])
}
apart <- outer(1:k, 1:k, "-")
for (power in 1:2) {
    found <- cohen.kappa(table, w = 1 - abs(apart / (k - 1))^power)
    tell(paste0("psych_", power), found$weighted.kappa)
}
tell("psych_None", found$kappa, sqrt(found$var.kappa), found$confid[1, c(1, 3)])
d <- scores$a - scores$b
z <- qnorm(.975)
n <- length(d)
of_limit <- sd(d) * qt(c(.025, .975), n - 1, z * sqrt(n)) / sqrt(n)
tell("bias", mean(d), t.test(d)$conf.int, t.test(d)$p.value)
tell("sd", sd(d), sd(d) * sqrt((n - 1) / qchisq(c(.975, .025), n - 1)), NaN)
tell("lower_limit", mean(d) - z * sd(d), mean(d) - rev(of_limit), NaN)
tell("upper_limit", mean(d) + z * sd(d), mean(d) + of_limit, NaN)
line <- lm(d ~ I((scores$a + scores$b) / 2))
tell("slope", coef(line)[2], confint(line)[2, ], summary(line)$coefficients[2, 4])
tell("epi", unlist(epi.kappa(table, method = "cohen")$kappa))
"""
NAMES = {None: "None", "linear": "Equal-Spacing", "quadratic": "Fleiss-Cohen"}


@pytest.mark.r
def test_two_raters(run_r):
    table = pd.DataFrame([[20, 4, 1, 0], [3, 15, 6, 1], [1, 5, 18, 4], [0, 2, 3, 17]])
    rng = np.random.default_rng(0)
    scores = pd.DataFrame({"a": rng.normal(size=12), "b": rng.normal(0.5, 2, size=12)})
    theirs = run_r(IN_R, table=table, scores=scores)
    found = scores.kappa.scores.bland_altman("a", "b")[["estimate", "ci_low", "ci_high", "p_value"]]
    for name, ours in found.iterrows():
        np.testing.assert_allclose(ours, theirs[name], atol=1e-8, err_msg=name)
    for weights, name in NAMES.items():
        row = pdkappa.from_table(table).pairs(weights=weights, ci="wald").iloc[0]
        ours = row[["estimate", "se", "ci_low", "ci_high"]].to_numpy(dtype=float)
        np.testing.assert_allclose(ours, theirs[f"vcd_{name}"], atol=1e-8)
        if weights is None:
            np.testing.assert_allclose(ours, theirs["psych_None"], atol=1e-8)
            # epiR takes the agreement by chance for known.
            observed, rest = row["observed_agreement"], 1 - row["expected_agreement"]
            simple = np.sqrt(observed * (1 - observed) / row["n_items"]) / rest
            limits = ours[0] + 1.959963984540054 * simple * np.array([-1, 1])
            np.testing.assert_allclose(theirs["epi"], [ours[0], simple, *limits], atol=1e-8)
    # The weighted errors of psych are an approximation of their own.
    for power, weights in enumerate(("linear", "quadratic"), start=1):
        weighted = pdkappa.from_table(table).pairs(weights=weights)["estimate"].item()
        assert weighted == pytest.approx(theirs[f"psych_{power}"].item(), abs=1e-8)
