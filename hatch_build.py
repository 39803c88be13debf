"""Make the links and pictures of the README absolute, where the package is built."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface

SITE = "https://pdkappa.readthedocs.io/en/latest/"
FILES = "https://github.com/pdkappa/pdkappa/blob/main/"
PICTURES = "https://raw.githubusercontent.com/pdkappa/pdkappa/main/"


def absolute(text: str) -> str:
    """Lead from anywhere: to the built documentation, to a picture, or to a file."""
    text = re.sub(r"\]\(docs/([\w-]+)\.md", rf"]({SITE}\1.html", text)
    text = re.sub(r'src="(?!https?:)', f'src="{PICTURES}', text)
    return re.sub(r"\]\((?!https?:|#|mailto:)", f"]({FILES}", text)


class ReadmeHook(MetadataHookInterface):
    """The README as PyPI shows it."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Put in the text."""
        text = Path(self.root, "README.md").read_text(encoding="utf-8")
        metadata["readme"] = {"content-type": "text/markdown", "text": absolute(text)}
