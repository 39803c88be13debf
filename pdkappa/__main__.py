"""``python -m pdkappa``."""

from __future__ import annotations

import sys

from pdkappa.cli import main

sys.exit(main())
