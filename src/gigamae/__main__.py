"""``python -m gigamae`` is the command ``gigamae``."""

from __future__ import annotations

import sys

from gigamae.cli.main import run

if __name__ == "__main__":
    sys.exit(run())
