"""How two classes overlap in one number: the Bayes error of two densities, seen and said."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QPushButton, QSlider

from algorithms.core.run_control import RunContext
from algorithms.data.dataset import Dataset
from algorithms.data.schema import Schema, nominal, numeric
from algorithms.learners.bayes.evidence import densities
from algorithms.learners.bayes.naive_bayes import NaiveBayes
from algorithms.structures.bayes_network import Conditionals
from tests.expected_texts import viewers as wording
from tests.workbench.window_helpers import choose_entry
from workbench.style.theme import current_theme
from workbench.viewers.nomogram_view import NomogramView


def reptiles(**values: object) -> Conditionals:
    """Example 5.3: crocodiles of N(15, 2) and alligators of N(12, 2) feet."""
    schema = Schema((numeric("length"), nominal("class", ("alligator", "crocodile"))), 1)
    data = Dataset(schema, [[10.0, 14.0, 13.0, 17.0], [0, 0, 1, 1]])
    found = (
        NaiveBayes(**{"numbers": "gaussian", "variance": "population", **values}).fit(data, RunContext()).structure()
    )  # type: ignore[arg-type]
    assert isinstance(found, Conditionals)
    return found


@pytest.fixture
def view(qapp: QApplication) -> Iterator[NomogramView]:
    made = NomogramView()
    made.controls.setParent(made)
    made.resize(900, 500)
    made.set_structure(reptiles())
    made.show()
    yield made
    made.hide()
    made.deleteLater()


def text(view: NomogramView, name: str) -> str:
    found = view.findChild(QLabel, name)
    assert isinstance(found, QLabel)
    return found.text()


def test_the_bayes_error_of_the_example_is_the_books() -> None:
    found = densities(reptiles(), 0, (1, 0))
    assert found is not None
    even = found.overlap(0.5)
    assert even.boundaries.tolist() == pytest.approx([13.5])
    assert even.likelier == (1, 0)
    assert even.bayes_error == pytest.approx(0.2266, abs=2e-4)
    assert even.wrong[0] == pytest.approx(even.wrong[1], abs=1e-5)
    rare = found.overlap(0.1)
    assert rare.boundaries[0] == pytest.approx(13.5 + 4 / 3 * np.log(9))
    assert rare.bayes_error < 0.1


def test_unequal_spreads_and_kernels_have_the_error_of_a_fine_sum() -> None:
    random = np.random.default_rng(0)
    schema = Schema((numeric("x"), nominal("class", ("p", "q"))), 1)
    data = Dataset(schema, [np.concatenate([random.normal(0, 1, 40), random.normal(0.5, 4, 40)]), [0] * 40 + [1] * 40])
    for numbers in ("gaussian", "kernel-density"):
        held = NaiveBayes(numbers=numbers).fit(data, RunContext()).structure()
        assert isinstance(held, Conditionals)
        found = densities(held, 0, (0, 1))
        assert found is not None
        overlap = found.overlap(0.3)
        fine = np.linspace(found.values[0], found.values[-1], 40_001)
        from algorithms.learners.bayes.distributions import Likelihoods

        both = np.exp(Likelihoods(held).of(0, fine)) * [0.3, 0.7]
        assert overlap.bayes_error == pytest.approx(np.trapezoid(both.min(axis=1), fine), abs=1e-3)
        assert len(overlap.likelier) == len(overlap.boundaries) + 1


def test_the_shares_are_dragged_and_the_boundary_and_the_errors_follow(view: NomogramView) -> None:
    button = view.controls.findChild(QAction, "visualize.nomogram.overlap")
    assert button is not None
    button.trigger()
    assert view.overlap.isVisible()
    said = text(view, "visualize.overlap.words")
    assert wording.BAYES_ERROR in said
    assert "below 13.5" in said
    slider = view.findChild(QSlider, "visualize.overlap.share")
    assert slider is not None
    for _ in range(4):
        QTest.keyClick(slider, Qt.Key.Key_PageUp)
    assert slider.value() == 900
    overlap = view.overlap.plot.overlap
    assert overlap is not None
    assert overlap.bayes_error < 0.1
    assert f"{overlap.boundaries[0]:.5g}" in text(view, "visualize.overlap.words")
    assert text(view, "visualize.overlap.share-words") == "90.0% : 10.0%"
    own = view.findChild(QPushButton, "visualize.overlap.own")
    assert own is not None
    QTest.mouseClick(own, Qt.MouseButton.LeftButton)
    assert slider.value() == 500


def test_each_class_has_the_colour_that_it_has_everywhere(view: NomogramView) -> None:
    button = view.controls.findChild(QAction, "visualize.nomogram.overlap")
    assert button is not None
    button.trigger()
    plot = view.overlap.plot
    assert plot.overlap is not None and plot.names == ("crocodile", "alligator")
    classes = reptiles().schema.classes
    for which, name in enumerate(plot.names):
        assert plot.color(which) == current_theme().class_color(classes.index(name))


def test_classes_changed_while_nobody_looks_have_their_own_curves_later(view: NomogramView) -> None:
    button = view.controls.findChild(QAction, "visualize.nomogram.overlap")
    assert button is not None
    button.trigger()
    before = view.overlap.plot.overlap
    view.hide()
    view.set_interest(1 - view.canvas.code)
    view.show()
    after = view.overlap.plot.overlap
    assert before is not None and after is not None
    assert after.likelier == before.likelier[::-1]


def test_its_table_and_its_picture_can_be_taken_away(view: NomogramView) -> None:
    button = view.controls.findChild(QAction, "visualize.nomogram.overlap")
    button.trigger()
    assert not view.overlap.plot.grab().isNull()
    choose_entry(view, "visualize.overlap.as-table")
    model = view.overlap.table.model()
    assert model.rowCount() > 400
    exported = view.overlap.export.exported.table()
    assert exported is not None
    assert exported(",").startswith("length,")


def test_where_no_density_was_learned_the_button_says_so(view: NomogramView) -> None:
    view.set_structure(reptiles(numbers="equal-width"))
    button = view.controls.findChild(QAction, "visualize.nomogram.overlap")
    assert button is not None
    assert not button.isEnabled()
    assert wording.NO_NUMBER_WITH_DENSITY in button.toolTip()
