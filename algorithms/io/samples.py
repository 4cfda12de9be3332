"""The data sets that come with the program: the book's tables, four public sets, and the generators."""

from __future__ import annotations

import csv
from collections.abc import Callable, Mapping
from functools import partial
from importlib.resources import files
from typing import Final

import numpy as np

from algorithms.core.columns import Column, smallest_code_dtype
from algorithms.core.context import RunContext
from algorithms.core.data import Dataset, Origin
from algorithms.core.registry import Sample
from algorithms.core.schema import Attribute, Kind, Schema, nominal
from algorithms.io import generators
from algorithms.io.values import sorted_naturally

SHIRT_SIZES: Final = ("Small", "Medium", "Large", "Extra Large")

_Generator = Callable[[int, int, RunContext], Dataset]


def samples() -> tuple[Sample, ...]:
    """All sample data sets; those for the welcome page come first, in its order."""
    return (*_welcoming(), *_tables(), *_made())


VERTEBRATE: Final = {"Name": Kind.IDENTIFIER}
LOAN: Final = {
    "ID": Kind.IDENTIFIER,
    "Home Owner": Kind.NOMINAL,
    "Marital Status": Kind.NOMINAL,
    "Defaulted": Kind.NOMINAL,
}


def _welcoming() -> tuple[Sample, ...]:
    return (
        _table(
            "loan",
            "Loan",
            "Will the borrower default?",
            "ten borrowers: watch a tree grow step by step",
            10,
            LOAN,
            True,
        ),
        _table(
            "vertebrates",
            "Vertebrates",
            "Which animal is it?",
            "skin, legs, births, water",
            15,
            VERTEBRATE,
            True,
            all_nominal=True,
        ),
        _table(
            "breast-cancer",
            "Breast cancer (Wisconsin)",
            "Malignant or benign?",
            "30 measurements of cell nuclei",
            569,
            {"Diagnosis": Kind.NOMINAL},
            True,
        ),
        _table(
            "iris", "Iris", "Which iris?", "four lengths of petals and sepals", 150, {"Species": Kind.NOMINAL}, True
        ),
        _generated(
            "gaussian-in-noise",
            "Gaussian in noise",
            "Can a cloud be told from noise?",
            "two numbers; shows learning by heart",
            10800,
            generators.gaussian_in_noise,
            on_welcome=True,
        ),
        _generated(
            "xor-with-bystanders",
            "XOR with bystanders",
            "Which two of 102 numbers matter?",
            "two that tell only together, 100 that do not",
            1000,
            partial(generators.xor, irrelevant=100),
            on_welcome=True,
        ),
        _table(
            "digits",
            "Digits",
            "Which digit is it?",
            "handwritten: 64 grey values",
            1797,
            {"Digit": Kind.NOMINAL},
            True,
        ),
    )


def _tables() -> tuple[Sample, ...]:
    return (
        _table("wine", "Wine", "Which grape?", "13 chemical measurements of wines", 178, {"Cultivar": Kind.NOMINAL}),
        _table(
            "vertebrates-2",
            "Vertebrates (2nd edition)",
            "Which animal is it?",
            "skin, legs, births, water; with the shark and the turtle",
            15,
            VERTEBRATE,
            all_nominal=True,
        ),
        _table(
            "loan-1",
            "Loan (1st edition)",
            "Will the borrower default?",
            "home, marital status, income; borrower 6 is married",
            10,
            LOAN,
        ),
        _table(
            "customers",
            "Customers",
            "Which kind of customer?",
            "gender, car, and shirt sizes, which have an order",
            20,
            {"Customer ID": Kind.IDENTIFIER, "Shirt Size": Kind.ORDINAL},
            all_nominal=True,
        ),
        _table("stumps", "Stumps", "Plus or minus?", "one number that takes two cuts", 10, {"y": Kind.NOMINAL}),
        _table(
            "eight-points",
            "Eight points",
            "Which side of the line?",
            "two numbers, a clear line",
            8,
            {"y": Kind.NOMINAL},
        ),
        _table(
            "majority-of-three",
            "Majority of three",
            "Do two of three agree?",
            "a full truth table",
            8,
            {"y": Kind.NOMINAL},
        ),
        _table(
            "xor-truth-table", "XOR truth table", "Are the two different?", "a full truth table", 4, {"y": Kind.NOMINAL}
        ),
    )


def _made() -> tuple[Sample, ...]:
    return (
        _generated("xor", "XOR", "Which quadrant?", "two numbers that tell only together", 1000, generators.xor),
        _generated(
            "skewed-gaussians",
            "Two skewed Gaussians",
            "Which side of a slanted line?",
            "two numbers, an oblique boundary",
            1000,
            generators.skewed_gaussians,
        ),
        _generated("circle", "Circle", "Inside or outside?", "two numbers, a round boundary", 1000, generators.circle),
        _generated("waveform", "Waveform", "Which wave?", "21 noisy points on a curve", 5000, generators.waveform),
        _generated("led-7", "LED display", "Which digit shines?", "seven unreliable lights", 3200, generators.led_7),
    )


def _table(
    id: str,
    name: str,
    question: str,
    sentence: str,
    n_records: int,
    kinds: Mapping[str, Kind],
    on_welcome: bool = False,
    *,
    all_nominal: bool = False,
) -> Sample:
    rest = Kind.NOMINAL if all_nominal else Kind.NUMERIC

    def make(size: int | None, seed: int, context: RunContext) -> Dataset:
        return _read_table(id, name, kinds, rest, context)

    return Sample(id, name, question, sentence, n_records, make, on_welcome=on_welcome)


def _generated(
    id: str, name: str, question: str, sentence: str, n_records: int, generator: _Generator, *, on_welcome: bool = False
) -> Sample:
    def make(size: int | None, seed: int, context: RunContext) -> Dataset:
        return generator(n_records if size is None else size, seed, context)

    return Sample(id, name, question, sentence, n_records, make, generated=True, on_welcome=on_welcome)


def _read_table(id: str, name: str, kinds: Mapping[str, Kind], rest: Kind, context: RunContext) -> Dataset:
    """A shipped table (complete, plain, the class last) with the kinds given by column name, else ``rest``."""
    text = files("resources").joinpath("datasets", f"{id}.csv").read_text(encoding="utf-8")
    header, *rows = csv.reader(text.splitlines())
    attributes, columns = [], []
    for column_name, cells in zip(header, zip(*rows, strict=True), strict=True):
        context.checkpoint()
        attribute, column = _column(column_name, kinds.get(column_name, rest), cells)
        attributes.append(attribute)
        columns.append(column)
    return Dataset(Schema(tuple(attributes), len(attributes) - 1), columns, origin=Origin(name))


def _column(name: str, kind: Kind, cells: tuple[str, ...]) -> tuple[Attribute, Column]:
    if kind is Kind.NUMERIC:
        return Attribute(name, kind), np.array(cells, dtype=np.float64)
    if kind is Kind.IDENTIFIER:
        return Attribute(name, kind), np.array(cells, dtype=object)
    values = SHIRT_SIZES if kind is Kind.ORDINAL else sorted_naturally(set(cells))
    attribute = nominal(name, values, ordinal=kind is Kind.ORDINAL)
    code_of = {value: code for code, value in enumerate(values)}
    return attribute, np.array([code_of[cell] for cell in cells], dtype=smallest_code_dtype(len(values)))
