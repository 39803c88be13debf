"""Put what a script has measured into README.md, between the two comments that name it."""

from __future__ import annotations

import re
from pathlib import Path

README = Path(__file__).with_name("README.md")


def put(name: str, lines: list[str]) -> None:
    """Replace what stands between ``<!-- name -->`` and ``<!-- end of name -->``."""
    start, stop = f"<!-- {name} -->", f"<!-- end of {name} -->"
    text = README.read_text(encoding="utf-8")
    held = re.compile(f"{re.escape(start)}\n.*?{re.escape(stop)}", re.DOTALL)
    assert len(held.findall(text)) == 1, f"README.md has no place named {name!r}"
    whole = "\n".join([start, "", *lines, "", stop])
    README.write_text(held.sub(lambda _: whole, text), encoding="utf-8")
