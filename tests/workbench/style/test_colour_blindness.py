"""The classes' colours stay apart for people who see two kinds of colour only.

What they see is simulated after Machado, Oliveira and Fernandes 2009 (severity 1.0) in linear light; differences are
CIE 1976 (ΔE of L*a*b*, D65).
"""

from __future__ import annotations

from itertools import combinations, pairwise

import numpy as np
import pytest
from numpy.typing import NDArray
from PySide6.QtGui import QColor

from workbench.style.structure_colors import StructureColors
from workbench.style.theme import DARK, LIGHT, Theme

Array = NDArray[np.float64]
XYZ = np.array([[0.4124564, 0.3575761, 0.180437], [0.2126729, 0.7151522, 0.072175], [0.0193339, 0.119192, 0.950304]])
SIGHTS = {
    "usual": np.eye(3),
    "protanopia": np.array(
        [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]]
    ),
    "deuteranopia": np.array(
        [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]]
    ),
    "tritanopia": np.array(
        [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]]
    ),
}
APART = 11.0
"""The least difference of two of the first colours: some ten just noticeable ones."""
FIRST = 6
"""So many classes are told apart by colour alone; from there on, and before, symbols and patterns help."""


def linear(color: QColor) -> Array:
    values = np.array([color.redF(), color.greenF(), color.blueF()])
    return np.where(values <= 0.04045, values / 12.92, ((values + 0.055) / 1.055) ** 2.4)


def seen(color: QColor, sight: str) -> Array:
    """The colour as it looks with this sight, linear (3,)."""
    return np.clip(SIGHTS[sight] @ linear(color), 0.0, 1.0)


def lab(light: Array) -> Array:
    ratio = (XYZ @ light) / (XYZ @ np.ones(3))
    f = np.where(ratio > (6 / 29) ** 3, np.cbrt(ratio), ratio / (3 * (6 / 29) ** 2) + 4 / 29)
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


def difference(one: QColor, other: QColor, sight: str) -> float:
    return float(np.linalg.norm(lab(seen(one, sight)) - lab(seen(other, sight))))


def test_simulation_confuses_what_such_people_confuse() -> None:
    """Greys stay grey; red and green draw together without one of the red and green cones, not without the blue."""
    for matrix in SIGHTS.values():
        assert matrix.sum(axis=1) == pytest.approx(np.ones(3), abs=1e-5)
    red, green = QColor("#b05050"), QColor("#707030")
    usual = difference(red, green, "usual")
    assert difference(red, green, "deuteranopia") < 0.5 * usual
    assert difference(red, green, "tritanopia") > 0.5 * usual
    assert lab(np.ones(3)) == pytest.approx([100, 0, 0], abs=1e-6)


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=lambda theme: theme.name)
@pytest.mark.parametrize("sight", SIGHTS)
def test_first_classes_are_told_apart_by_colour_alone(theme: Theme, sight: str) -> None:
    colors = [theme.class_color(code) for code in range(FIRST)]
    near = {
        (a, b): round(difference(colors[a], colors[b], sight), 1)
        for a, b in combinations(range(FIRST), 2)
        if difference(colors[a], colors[b], sight) < APART
    }
    assert near == {}


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=lambda theme: theme.name)
@pytest.mark.parametrize("sight", SIGHTS)
def test_right_and_wrong_and_warnings_are_told_apart(theme: Theme, sight: str) -> None:
    """A matrix's right and wrong cells, and the tones of messages, each on their ground."""
    assert difference(theme.class_color(0), theme.class_color(1), sight) > 25
    for token in ("accent", "good", "warning", "bad"):
        assert difference(theme.color(token), theme.color("pane"), sight) > 25


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=lambda theme: theme.name)
def test_classes_are_never_told_apart_by_colour_alone(theme: Theme) -> None:
    """Beside its colour every class has a pattern or a symbol that its neighbours in the list have not."""
    look = StructureColors(theme)
    patterns = [look.pattern(code) for code in range(FIRST)]
    styles = [None if pattern is None else pattern.style() for pattern in patterns]
    assert all(one != other for one, other in pairwise(styles))
