"""Names from data as they are shown in a line of limited length. No widgets."""

from __future__ import annotations

LONGEST = 60


def shortened(text: str, most: int = LONGEST) -> str:
    """A name as one line of at most ``most`` characters."""
    line = " ".join(text.split())
    return line if len(line) <= most else f"{line[: most - 1]}…"
