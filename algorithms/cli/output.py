"""How every command says what it found."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from algorithms.cli.arguments import WrongUseError
from algorithms.core.files import neutralised_csv, write_text


def say(found: Any, indent: int | None = None) -> None:
    """Print words as they are, anything else as one JSON value; raises ``ValueError`` at a number JSON cannot hold."""
    print(found if isinstance(found, str) else json.dumps(found, indent=indent, allow_nan=False))


def add_neutral(verb: argparse.ArgumentParser) -> None:
    """The option of a verb that writes CSV."""
    verb.add_argument(
        "--neutralise-formulas",
        dest="neutral",
        action="store_true",
        help="put an apostrophe before CSV text that a spreadsheet takes for a formula (= + - @ tab CR); numbers stay",
    )


def check_neutral(options: argparse.Namespace, out: str | None, option: str = "--out FILE.csv") -> None:
    """Raise :class:`WrongUseError` where formulas are to be neutralised and no CSV is written to ``out``."""
    if options.neutral and (out is None or Path(out).suffix.lower() == ".xlsx"):
        raise WrongUseError(f"--neutralise-formulas changes CSV only: write some with {option}.")


def write_csv_text(path: str | Path, text: str, neutral: bool) -> None:
    """Write a CSV text with commas, formulas neutralised where that is asked for."""
    write_text(path, neutralised_csv(text) if neutral else text)
