"""Time intraclass correlations beside pingouin, whose environment must hold it; print the ratios.

    python benchmarks/intraclass.py

pingouin takes long data of which nothing is missing; where something is, it drops items, so that
only the time of pdkappa is told. Times are medians of five runs of the processor.
"""

from __future__ import annotations

import statistics
import time
import warnings

import numpy as np
import pandas as pd

import pdkappa

RUNS = 5


def scores(n_items, n_raters, holes=0.0):
    """Simulate scores with one decimal."""
    rng = np.random.default_rng(1)
    values = rng.normal(size=(n_items, 1)) + rng.normal(size=(n_items, n_raters))
    frame = pd.DataFrame(values.round(1), columns=[f"r{i}" for i in range(n_raters)])
    return frame.mask(rng.random(values.shape) < holes)


def seconds(run):
    """Time a call, after one that is not timed."""
    run()
    times = []
    for _ in range(RUNS):
        started = time.process_time()
        run()
        times.append(time.process_time() - started)
    return statistics.median(times)


def theirs(frame):
    """Compute the six forms with pingouin."""
    import pingouin

    long = frame.reset_index().melt("index")
    return pingouin.intraclass_corr(long, targets="index", raters="variable", ratings="value")


def main():
    for n_items, n_raters, holes in [(20_000, 3, 0), (60_000, 4, 0), (60_000, 4, 0.2)]:
        frame = scores(n_items, n_raters, holes)
        ours = seconds(frame.kappa.icc)
        line = f"{n_items} items, {n_raters} raters, {holes:.0%} missing: {ours:.3f} s"
        if not holes:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                found = theirs(frame)["ICC"].to_numpy()
                np.testing.assert_allclose(frame.kappa.icc()["estimate"], found, atol=1e-6)
                other = seconds(lambda frame=frame: theirs(frame))
            line += f"; pingouin {other:.2f} s, {other / ours:.0f} times as long"
        print(line)
    frame = scores(60_000, 4).assign(set=np.arange(60_000) // 20)
    grouped = seconds(lambda: frame.kappa.icc([f"r{i}" for i in range(4)], by="set"))
    print(f"3000 groups of 20 items: {grouped:.3f} s; pdkappa {pdkappa.__version__}")


if __name__ == "__main__":
    main()
