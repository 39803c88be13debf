"""Print every lowest version of pyproject.toml as the exact one, but for those of the tools."""

import re
import tomllib
from itertools import chain
from pathlib import Path

TOOLS = {"dev", "release"}
project = tomllib.loads(Path("pyproject.toml").read_text(encoding="utf-8"))["project"]
extras = project["optional-dependencies"]
lowest = [project["dependencies"], *(extras[name] for name in extras if name not in TOOLS)]
for one in chain(*lowest):
    name, version = re.fullmatch(r"([\w-]+)(?:\[.*\])?(?:>=([\d.]+))?", one).groups()
    if name != project["name"]:
        print(f"{name}=={version}")
