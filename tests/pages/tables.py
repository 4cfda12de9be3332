"""The tables that the pages are shown with: samples, tables made from fixed seeds, and files."""

from __future__ import annotations

import string
from argparse import ArgumentTypeError
from collections.abc import Callable, Mapping
from functools import partial
from typing import Final

import numpy as np

from algorithms.catalogue import builtin
from algorithms.cli.sources import with_class
from algorithms.core.run_control import RunContext
from algorithms.data.dataset import DataOrigin, Dataset
from algorithms.data.schema import Schema, nominal, numeric
from algorithms.io.reading import read


def _sample(id: str) -> Dataset:
    return builtin().samples.get(id).make(None, 1, RunContext(seed=1))


def name_and_file(text: str) -> tuple[str, str]:
    """Both parts of ``NAME=FILE``; raises :class:`ArgumentTypeError` if one is missing."""
    name, _, path = text.partition("=")
    if not name or not path:
        raise ArgumentTypeError(f"{text!r} is not NAME=FILE.")
    return name, path


def table_of_file(path: str, class_name: str | None = None) -> Dataset:
    """The table of any file that the program opens, with this class; raises :class:`DataError`."""
    return with_class(read(path, RunContext(seed=1)), class_name)


def _numbers(name: str, names: list[str], classes: list[str], records: int, overlap: float, seed: int) -> Dataset:
    """Numeric attributes around a centre for each class; a larger ``overlap`` makes classes harder to tell apart."""
    random = np.random.default_rng(seed)
    codes = random.integers(0, len(classes), records)
    centres = random.normal(0, 1, (len(classes), len(names)))
    values = centres[codes] + random.normal(0, overlap, (records, len(names)))
    schema = Schema((*map(numeric, names), nominal("class", classes)), len(names))
    return Dataset(schema, [*values.T, codes], origin=DataOrigin(name))


def _letters() -> Dataset:
    return _numbers("letters", [f"edge {i}" for i in range(16)], list(string.ascii_uppercase), 2600, 1.2, 3)


def _long_names() -> Dataset:
    names = [f"Measurement {i:03} of the concentration in the left ventricle after {i % 9} hours" for i in range(300)]
    classes = ["diagnosis confirmed by a second reader", "diagnosis not confirmed", "sent away without a diagnosis"]
    return _numbers("long names", names, classes, 300, 3.0, 4)


def _many_records() -> Dataset:
    return _numbers("many records", [f"x{i}" for i in range(10)], ["no", "yes"], 200_000, 2.0, 5)


TABLES: Final[Mapping[str, Callable[[], Dataset]]] = {
    "iris": partial(_sample, "iris"),
    "breast-cancer": partial(_sample, "breast-cancer"),
    "letters": _letters,
    "long-names": _long_names,
    "many-records": _many_records,
}
