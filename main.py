"""Coppice: without arguments or with a file the window, with a verb the command line."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path


def main(argv: Sequence[str]) -> int:
    """Run with these arguments (without the program's name) and return the exit code."""
    if argv and _is_for_the_command_line(argv[0]):
        from algorithms.cli import main as command_line

        return command_line(argv)
    from workbench.app import run

    return run(list(argv))


def _is_for_the_command_line(word: str) -> bool:
    """A verb or an option, or a word that is neither a file nor looks like one."""
    return word.startswith("-") or (word.replace("-", "").isalpha() and not Path(word).exists())


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
