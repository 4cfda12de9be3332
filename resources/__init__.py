"""Files that the program shows or reads: icons, themes, help, small data sets."""

from __future__ import annotations

from pathlib import Path
from typing import Final

FOLDER: Final = Path(__file__).resolve().parent
"""Where they are, from whatever folder the program was started."""
