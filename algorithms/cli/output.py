"""How every command says what it found."""

from __future__ import annotations

import json
from typing import Any


def say(found: Any, indent: int | None = None) -> None:
    """Print words as they are, anything else as one JSON value; raises ``ValueError`` at a number JSON cannot hold."""
    print(found if isinstance(found, str) else json.dumps(found, indent=indent, allow_nan=False))
