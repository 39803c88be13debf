"""Put what a script has measured into a page, between the two comments that name it."""

from __future__ import annotations

import re
from pathlib import Path

README, SIMULATIONS = (Path(__file__).with_name(f"{name}.md") for name in ("README", "simulations"))


def put(name: str, lines: list[str], page: Path = README) -> None:
    """Replace what stands between ``<!-- name -->`` and ``<!-- end of name -->``."""
    start, stop = f"<!-- {name} -->", f"<!-- end of {name} -->"
    text = page.read_text(encoding="utf-8")
    held = re.compile(f"{re.escape(start)}\n.*?{re.escape(stop)}", re.DOTALL)
    assert len(held.findall(text)) == 1, f"{page.name} has no place named {name!r}"
    whole = "\n".join([start, "", *lines, "", stop])
    page.write_text(held.sub(lambda _: whole, text), encoding="utf-8")
