"""Coppice from its own folder: without arguments or with a file the window, with a verb the command line."""

from __future__ import annotations

import sys

from workbench.app.start import run

if __name__ == "__main__":
    sys.exit(run(sys.argv[1:]))
