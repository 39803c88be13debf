"""What scripts share: their options, and pages that they put figures into, between two comments."""

from __future__ import annotations

import argparse
import re
from pathlib import Path

README, SIMULATIONS = (Path(__file__).with_name(f"{name}.md") for name in ("README", "simulations"))


def asked(doc: str) -> argparse.Namespace:
    """Read the options of a script that makes short runs, or writes its page."""
    kept = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=doc, formatter_class=kept)
    parser.add_argument("--quick", action="store_true", help="fewer designs or samples")
    parser.add_argument("--write", action="store_true", help="put the tables into the page")
    return parser.parse_args()


def put(name: str, lines: list[str], page: Path = README) -> None:
    """Replace what stands between ``<!-- name -->`` and ``<!-- end of name -->``."""
    start, stop = f"<!-- {name} -->", f"<!-- end of {name} -->"
    text = page.read_text(encoding="utf-8")
    held = re.compile(f"{re.escape(start)}\n.*?{re.escape(stop)}", re.DOTALL)
    assert len(held.findall(text)) == 1, f"{page.name} has no place named {name!r}"
    whole = "\n".join([start, "", *lines, "", stop])
    page.write_text(held.sub(lambda _: whole, text), encoding="utf-8")
