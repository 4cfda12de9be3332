"""Sample data: tables of the textbook, four public data sets, and generators of a number of records by a seed."""

from __future__ import annotations

import csv
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from importlib.resources import files
from typing import Final

import numpy as np
from numpy.typing import NDArray

from algorithms.core.errors import ParameterError
from algorithms.core.registry import Sample
from algorithms.core.run_control import RunContext
from algorithms.data.columns import Column, FloatArray, smallest_code_dtype
from algorithms.data.dataset import DataOrigin, Dataset
from algorithms.data.schema import Attribute, AttributeKind, Schema, nominal, numeric
from algorithms.io.column_meaning import sorted_naturally

Codes = NDArray[np.int8]
BestRule = Callable[[FloatArray], Codes]

SIDE: Final = 20.0
"""Side of the square that contains the two-dimensional examples."""


def gaussian_in_noise(size: int, seed: int, context: RunContext) -> Dataset:
    """Example 3.5 of Tan et al.: a Gaussian cloud of one class in uniform noise of the other, on [0, 20]².

    Of 10,800 records 5,400 are of class o and uniform; 5,000 are of class + from N((10, 10), I), and 400 of class + are
    uniform. Other sizes keep these proportions.
    """
    random = _random(size, seed)
    n_o = _share(size, 1, 2)
    n_noise = _share(size - n_o, 400, 5400)
    cloud = random.normal(SIDE / 2, 1.0, (size - n_o - n_noise, 2))
    uniform = random.uniform(0.0, SIDE, (n_o + n_noise, 2))
    points = np.concatenate([cloud, uniform])
    codes = np.zeros(size, dtype=np.int8)
    codes[len(points) - n_o :] = 1
    return _shuffled(random, points, codes, ("+", "o"), "Gaussian in noise", context)


def xor(size: int, seed: int, context: RunContext, irrelevant: int = 0, noise: float = 0.25) -> Dataset:
    """Example 3.7 of Tan et al.: class + in two opposite quadrants around (10, 10), class o in the other two.

    Points are uniform in their quadrant of [0, 20]². Then normal noise with the given standard deviation moves them, so
    that a few change the quadrant. ``irrelevant`` further attributes are uniform on [0, 20].
    """
    random = _random(size, seed)
    n_plus = _share(size, 1, 2)
    codes = (np.arange(size) >= n_plus).astype(np.int8)
    right = random.integers(0, 2, size)
    upper = np.where(codes == 0, right, 1 - right)
    half = SIDE / 2
    points = np.empty((size, 2 + irrelevant))
    points[:, :2] = random.uniform(0.0, half, (size, 2)) + half * np.stack([right, upper], axis=1)
    points[:, :2] += random.normal(0.0, noise, (size, 2))
    for index in range(irrelevant):
        context.checkpoint()
        points[:, 2 + index] = random.uniform(0.0, SIDE, size)
    name = "XOR with bystanders" if irrelevant else "XOR"
    return _shuffled(random, points, codes, ("+", "o"), name, context)


def skewed_gaussians(size: int, seed: int, context: RunContext) -> Dataset:
    """Figure 3.21 of Tan et al.: two elongated Gaussians around (8, 8) and (12, 12), best separated by x + y = 20.

    Both have standard deviation 3 along that line and 1.2 across it.
    """
    random = _random(size, seed)
    n_plus = _share(size, 1, 2)
    codes = (np.arange(size) >= n_plus).astype(np.int8)
    along, across = random.normal(0.0, 3.0, size), random.normal(0.0, 1.2, size)
    centre = np.where(codes == 0, 8.0, 12.0)
    points = np.stack([centre + (across + along) / np.sqrt(2), centre + (across - along) / np.sqrt(2)], axis=1)
    return _shuffled(random, points, codes, ("+", "o"), "Two skewed Gaussians", context)


def circle(size: int, seed: int, context: RunContext) -> Dataset:
    """Equation 5.54 of Tan et al.: y = +1 if farther than 0.2 from (0.5, 0.5), else -1; uniform on [0, 1]²."""
    random = _random(size, seed)
    points = random.uniform(0.0, 1.0, (size, 2))
    codes = (np.hypot(points[:, 0] - 0.5, points[:, 1] - 0.5) > 0.2).astype(np.int8)
    context.checkpoint()
    attributes = (numeric("x1"), numeric("x2"), nominal("y", ("-1", "+1")))
    return _dataset_of(attributes, [*points.T, codes], "Circle")


def waveform(size: int, seed: int, context: RunContext) -> Dataset:
    """Breiman et al. (1984), section 2.6.2: 21 points on a random mix of two of three triangles, with N(0, 1) noise.

    The triangles are 6 high and 12 wide, with peaks at 7, 11 and 15; each class mixes a different pair.
    """
    random = _random(size, seed)
    places = np.arange(1, 22)
    middle = np.maximum(6 - np.abs(places - 11), 0)
    late, early = np.maximum(6 - np.abs(places - 15), 0), np.maximum(6 - np.abs(places - 7), 0)
    first, second = np.stack([middle, middle, late]), np.stack([late, early, early])
    codes = random.integers(0, 3, size).astype(np.int8)
    share = random.uniform(0.0, 1.0, size)
    columns: list[Column] = []
    for index in range(len(places)):
        context.checkpoint()
        mixed = share * first[codes, index] + (1.0 - share) * second[codes, index]
        columns.append(mixed + random.normal(0.0, 1.0, size))
    attributes = (*(numeric(f"x{i}") for i in places), nominal("Class", ("wave 1", "wave 2", "wave 3")))
    return _dataset_of(attributes, [*columns, codes], "Waveform")


SEGMENTS: Final = ("Top", "Upper Left", "Upper Right", "Middle", "Lower Left", "Lower Right", "Bottom")
LIT: Final = (
    "1110111",
    "0010010",
    "1011101",
    "1011011",
    "0111010",
    "1101011",
    "1101111",
    "1010010",
    "1111111",
    "1111011",
)
"""The seven segments of each digit 0 to 9, 1 if lit."""


def led_7(size: int, seed: int, context: RunContext, fault: float = 0.1) -> Dataset:
    """Breiman et al. (1984), section 2.6.1: the seven segments of a digit, each wrong with probability ``fault``."""
    random = _random(size, seed)
    lit = np.array([[segment == "1" for segment in digit] for digit in LIT], dtype=np.int8)
    digits = random.integers(0, 10, size).astype(np.int8)
    columns: list[Column] = []
    for segment in range(len(SEGMENTS)):
        context.checkpoint()
        columns.append(lit[digits, segment] ^ (random.uniform(0.0, 1.0, size) < fault))
    attributes = (*(nominal(name, ("off", "on")) for name in SEGMENTS), nominal("Digit", map(str, range(10))))
    return _dataset_of(attributes, [*columns, digits], "LED display")


MOST_WRONG: Final = 0.1
"""Largest error rate of an optimal rule on its own data; a larger one shows that the columns were changed."""


def best_rule(data: Dataset) -> BestRule | None:
    """The optimal (Bayes) rule of generated data: maps points (n, 2) in the plane of x1 and x2 to class codes.

    None if the data does not come from a generator here, or has no such plane. That is decided by its names and by the
    error rate of the rule.
    """
    rule = _BEST.get(data.origin.name) if data.origin.path is None else None
    names = tuple(attribute.name for attribute in data.schema.attributes)
    if rule is None or names[:2] != ("x1", "x2") or data.schema.class_index != len(names) - 1:
        return None
    codes = data.class_codes
    if len(data.schema.classes) != 2 or not (codes >= 0).any():
        return None
    decided = rule(np.stack([np.asarray(data.column(index), dtype=np.float64) for index in (0, 1)], axis=1))
    is_wrong = decided[codes >= 0] != codes[codes >= 0]
    return rule if is_wrong.mean() <= MOST_WRONG else None


def _inside_the_cloud(places: FloatArray) -> Codes:
    """Codes of points (n, 2): 0 where the cloud, 5,000 N((10, 10), I), is denser than the noise, 5,000 / 400."""
    squared = ((places - SIDE / 2) ** 2).sum(axis=1)
    return np.asarray(squared >= -2 * np.log(2 * np.pi / SIDE**2), dtype=np.int8)


_BEST: Final[Mapping[str, BestRule]] = {
    "Gaussian in noise": _inside_the_cloud,
    "XOR": lambda places: np.asarray((places > SIDE / 2).sum(axis=1) == 1, dtype=np.int8),
    "XOR with bystanders": lambda places: np.asarray((places > SIDE / 2).sum(axis=1) == 1, dtype=np.int8),
    "Two skewed Gaussians": lambda places: np.asarray(places.sum(axis=1) > SIDE, dtype=np.int8),
    "Circle": lambda places: np.asarray(np.hypot(*(places.T - 0.5)) > 0.2, dtype=np.int8),
}


def _random(size: int, seed: int) -> np.random.Generator:
    if size < 1:
        raise ParameterError("A generated data set needs at least one record.", place="size")
    return np.random.default_rng(seed)


def _share(size: int, part: int, whole: int) -> int:
    return round(size * part / whole)


def _shuffled(
    random: np.random.Generator,
    points: FloatArray,
    codes: Codes,
    labels: Sequence[str],
    name: str,
    context: RunContext,
) -> Dataset:
    order = random.permutation(len(points))
    columns: list[Column] = []
    for column in points.T:
        context.checkpoint()
        columns.append(column[order])
    attributes = (*(numeric(f"x{i + 1}") for i in range(len(columns))), nominal("Class", labels))
    return _dataset_of(attributes, [*columns, codes[order]], name)


def _dataset_of(attributes: Sequence[Attribute], columns: Sequence[Column], name: str) -> Dataset:
    return Dataset(Schema(tuple(attributes), len(attributes) - 1), columns, origin=DataOrigin(name))


SHIRT_SIZES: Final = ("Small", "Medium", "Large", "Extra Large")

_Generator = Callable[[int, int, RunContext], Dataset]


def samples() -> tuple[Sample, ...]:
    """All sample data sets; those of the welcome page come first, in its order."""
    return (
        *(replace(sample, on_welcome=True) for sample in _welcoming()),
        *(_table(*described) for described in _TABLES),
        *_made(),
    )


_TABLES: Final = (
    ("wine", "Wine", "Which grape made this wine?", "13 chemical measurements of wines", 178, 3),
    (
        "vertebrates-2",
        "Vertebrates (2nd edition)",
        "Which animal is it?",
        "skin, legs, births, water; with the shark and the turtle",
        15,
        5,
    ),
    (
        "loan-1",
        "Loan (1st edition)",
        "Will the borrower default?",
        "home, marital status, income; borrower 6 is married",
        10,
        2,
    ),
    ("customers", "Customers", "Which group of customers?", "gender, car, and shirt sizes, which have an order", 20, 2),
    ("stumps", "Stumps", "Plus or minus?", "one number that takes two cuts", 10, 2),
    ("eight-points", "Eight points", "Which side of the line?", "two numbers, a clear line", 8, 2),
    ("majority-of-three", "Majority of three", "Do two of three agree?", "a full truth table", 8, 2),
    ("xor-truth-table", "XOR truth table", "Are the two different?", "a full truth table", 4, 2),
)
_KINDS: Final = {
    "ID": AttributeKind.IDENTIFIER,
    "Customer ID": AttributeKind.IDENTIFIER,
    "Name": AttributeKind.IDENTIFIER,
    "Shirt Size": AttributeKind.ORDINAL,
}
"""Kinds of columns of shipped tables that are neither numeric nor nominal."""


def _welcoming() -> tuple[Sample, ...]:
    return (
        _table("loan", "Loan", "Will the borrower default?", "ten borrowers: watch a tree grow step by step", 10, 2),
        _table("vertebrates", "Vertebrates", "Which class of animal is it?", "skin, legs, births, water", 15, 5),
        _table(
            "breast-cancer",
            "Breast cancer (Wisconsin)",
            "Malignant or benign?",
            "30 measurements of cell nuclei",
            569,
            2,
        ),
        _table("iris", "Iris", "Which species is this iris?", "four lengths of petals and sepals", 150, 3),
        _generated(
            "gaussian-in-noise",
            "Gaussian in noise",
            "Is a point from the cloud or from the noise?",
            "two numbers; shows overfitting",
            10800,
            2,
            gaussian_in_noise,
        ),
        _generated(
            "xor-with-bystanders",
            "XOR with bystanders",
            "Which of two classes is it?",
            "two attributes tell it together, 100 do not",
            1000,
            2,
            partial(xor, irrelevant=100),
        ),
        _table("digits", "Digits", "Which digit was written?", "handwritten: 64 grey values", 1797, 10),
    )


def _made() -> tuple[Sample, ...]:
    return (
        _generated("xor", "XOR", "Which quadrant?", "two numbers that tell only together", 1000, 2, xor),
        _generated(
            "skewed-gaussians",
            "Two skewed Gaussians",
            "Which side of a slanted line?",
            "two numbers, an oblique boundary",
            1000,
            2,
            skewed_gaussians,
        ),
        _generated("circle", "Circle", "Inside or outside?", "two numbers, a round boundary", 1000, 2, circle),
        _generated("waveform", "Waveform", "Which of three waves?", "21 noisy points on a curve", 5000, 3, waveform),
        _generated("led-7", "LED display", "Which digit is shown?", "seven unreliable lights", 3200, 10, led_7),
    )


def _table(id: str, name: str, question: str, sentence: str, n_records: int, n_classes: int) -> Sample:
    def make(size: int | None, seed: int, context: RunContext) -> Dataset:
        return _read_table(id, name, context)

    return Sample(id, name, question, sentence, n_records, n_classes, make)


def _generated(
    id: str, name: str, question: str, sentence: str, n_records: int, n_classes: int, generator: _Generator
) -> Sample:
    def make(size: int | None, seed: int, context: RunContext) -> Dataset:
        return generator(n_records if size is None else size, seed, context)

    return Sample(id, name, question, sentence, n_records, n_classes, make, generated=True)


def _read_table(id: str, name: str, context: RunContext) -> Dataset:
    """A shipped table without missing values, the class last; columns of numbers are numeric."""
    text = files("resources").joinpath("datasets", f"{id}.csv").read_text(encoding="utf-8")
    header, *rows = csv.reader(text.splitlines())
    attributes, columns = [], []
    for column_name, cells in zip(header, zip(*rows, strict=True), strict=True):
        context.checkpoint()
        attribute, column = _column(column_name, cells, is_class=column_name == header[-1])
        attributes.append(attribute)
        columns.append(column)
    return Dataset(Schema(tuple(attributes), len(attributes) - 1), columns, origin=DataOrigin(name))


def _column(name: str, cells: tuple[str, ...], is_class: bool) -> tuple[Attribute, Column]:
    kind = AttributeKind.NOMINAL if is_class else _KINDS.get(name)
    if kind is AttributeKind.IDENTIFIER:
        return Attribute(name, kind), np.array(cells, dtype=object)
    if kind is None:
        with suppress(ValueError):
            return numeric(name), np.array(cells, dtype=np.float64)
    values = SHIRT_SIZES if kind is AttributeKind.ORDINAL else sorted_naturally(set(cells))
    attribute = nominal(name, values, ordinal=kind is AttributeKind.ORDINAL)
    code_of = {value: code for code, value in enumerate(values)}
    return attribute, np.array([code_of[cell] for cell in cells], dtype=smallest_code_dtype(len(values)))
