"""Numbers with marks between their thousands are read to the last bit."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from algorithms.core.run_control import RunContext
from algorithms.data.schema import AttributeKind
from algorithms.io.reading import read

STYLES = {
    "comma": (",", ".", ";"),
    "point": (".", ",", ";"),
    "apostrophe": ("'", ".", ","),
}


def written(value: float, thousands: str, decimal: str) -> str:
    return f"{value:,.{8}f}".translate({ord(","): thousands, ord("."): decimal})


@pytest.mark.parametrize("quoted", [False, True])
@pytest.mark.parametrize("style", STYLES)
def test_numbers_with_thousands_and_all_beside_them_are_read_to_the_last_bit(
    style: str, quoted: bool, tmp_path: Path
) -> None:
    thousands, decimal, delimiter = STYLES[style]
    random = np.random.default_rng(1)
    large, small = random.uniform(-9e6, 9e6, 2000).round(8), random.normal(size=2000)
    spelled = [written(value, thousands, decimal) for value in large.tolist()]
    plain = [repr(value).replace(".", decimal) for value in small.tolist()]
    mark = '"' if quoted else ""
    lines = [
        f"{mark}{a}{mark}{delimiter}{b}{delimiter}{'ab'[i % 2]}"
        for i, (a, b) in enumerate(zip(spelled, plain, strict=True))
    ]
    path = tmp_path / "large.csv"
    path.write_text("\n".join([delimiter.join(("large", "small", "y")), *lines, ""]), encoding="utf-8")
    data = read(path, RunContext())
    assert [attribute.kind for attribute in data.schema.attributes] == [
        AttributeKind.NUMERIC,
        AttributeKind.NUMERIC,
        AttributeKind.NOMINAL,
    ]
    wanted = [float(written(value, "", ".")) for value in large.tolist()]
    assert data.column(0).tolist() == wanted
    assert data.column(1).tolist() == small.tolist()


def test_a_point_between_thousands_is_passed_over_only_between_thousands(tmp_path: Path) -> None:
    lines = [f"{i}.{100 + i % 900},5;x{i % 2}" for i in range(1, 400)]
    path = tmp_path / "groups.csv"
    path.write_text("\n".join(["price;y", *lines, "1.23;x0", ""]), encoding="utf-8")
    data = read(path, RunContext())
    column = data.schema.attributes[0]
    values = [data.column(0)[-1]] if not column.kind.is_coded else [column.values[data.column(0)[-1]]]
    assert 123.0 not in values


def test_missing_and_infinite_values_beside_thousands(tmp_path: Path) -> None:
    lines = [f"{1 + i % 9},{i % 900 + 100}.25;x{i % 2}" for i in range(300)]
    path = tmp_path / "gaps.csv"
    path.write_text("\n".join(["price;y", *lines, "NA;x0", ";x1", "1e999;x1", "7;x0", ""]), encoding="utf-8")
    data = read(path, RunContext())
    assert data.schema.attributes[0].kind is AttributeKind.NUMERIC
    tail = data.column(0)[-4:]
    assert np.isnan(tail[:3]).all() and tail[3] == 7.0
