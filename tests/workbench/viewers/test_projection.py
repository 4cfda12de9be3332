"""Linear models in the window: coefficients, records on the discriminants, and the shape of each class."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QApplication, QComboBox, QLabel, QLineEdit, QPushButton

from algorithms.core.learner import Learner
from algorithms.core.run_control import RunContext
from algorithms.evaluation.methods.methods import Holdout
from algorithms.learners.linear.discriminant_analysis import LinearDiscriminant, QuadraticDiscriminant, axis_words
from algorithms.learners.linear.logistic_regression import LogisticRegression
from algorithms.structures.hyperplanes import Gaussians
from tests.algorithms.learners.rules.hand_made import sample
from tests.expected_texts import viewers as wording
from workbench.app.main_window import MainWindow
from workbench.session.selection import SelectionMode
from workbench.viewers.linear import CoefficientsView, GaussiansView, ProjectionView

Wait = Callable[..., None]
VISUALIZE = 3


def run_of(window: MainWindow, wait_until: Wait, learner: Learner) -> None:
    window.session.start_run(learner, Holdout(), 1)
    run = window.session.current_run
    assert run is not None
    wait_until(lambda: not run.is_running and not window.session.jobs.running, 120)


def seen(window: MainWindow, kind: type, name: str) -> list:  # type: ignore[type-arg]
    return [found for found in window.findChildren(kind, name) if found.isVisible()]


def test_records_lie_on_the_discriminants_and_are_selected_there(window: MainWindow, wait_until: Wait) -> None:
    window.open_sample("iris")
    wait_until(lambda: window.session.summary is not None, 60)
    run_of(window, wait_until, LinearDiscriminant())
    window.show_tab(VISUALIZE)
    wait_until(lambda: bool(seen(window, QPushButton, "visualize.projection.switch")), 60)
    switch = seen(window, QPushButton, "visualize.projection.switch")[0]
    QTest.mouseClick(switch, Qt.MouseButton.LeftButton)
    view = seen(window, ProjectionView, "visualize.projection")[0]
    assert not seen(window, QAbstractButton, "visualize.coefficients.save")
    wait_until(lambda: view.scatter.points is not None and len(view.scatter.points) == 150, 60)
    assert wording.DISCRIMINANT_1 in view.findChild(QLabel, "visualize.projection.words").text()
    points = view.scatter.points
    assert (points.across.attribute.name, points.up.attribute.name) == ("Discriminant 1", "Discriminant 2")
    setosa = points.x[points.starts[1] : points.starts[2]]
    others = points.x[points.starts[2] :]
    assert setosa.max() < others.min() or setosa.min() > others.max()
    view.scatter.selected.emit(np.array([3, 4]), SelectionMode.REPLACE, "")
    assert window.session.selection.rows_of(window.session.current_run.data).tolist() == [3, 4]
    box = view.findChild(QComboBox, "visualize.projection.up")
    box.setFocus()
    QTest.keyClick(box, Qt.Key.Key_Up)
    wait_until(lambda: view.scatter.points.up.attribute.name == "Discriminant 1", 30)
    run_of(window, wait_until, LogisticRegression())
    wait_until(lambda: not seen(window, QPushButton, "visualize.projection.switch"), 60)
    assert not view.isVisible()
    coefficients = seen(window, CoefficientsView, "")[0]
    for code in (0, 2):
        window.session.set_class_of_interest(code)
        wait_until(lambda code=code: coefficients.codes[0] == code, 30)  # type: ignore[misc]
    run_of(window, wait_until, QuadraticDiscriminant())
    wait_until(lambda: bool(seen(window, GaussiansView, "")), 60)
    assert seen(window, QPushButton, "visualize.projection.switch")


def test_the_shape_of_each_class_is_a_table(qapp: QApplication) -> None:
    view = GaussiansView()
    view.controls.setParent(view)
    held = QuadraticDiscriminant().fit(sample("iris"), RunContext()).structure()
    assert isinstance(held, Gaussians)
    view.set_structure(held)
    view.resize(800, 400)
    view.show()
    rows = view.table_rows()
    assert rows[0] == ["Term", "setosa", "versicolor", "virginica"]
    assert rows[1] == [wording.SHARE_OF_ALL, "33.3%", "33.3%", "33.3%"]
    assert ["Petal Length", "1.462 ± 0.174"] in [row[:2] for row in rows[2:4]]
    QTest.keyClicks(view.findChild(QLineEdit, "visualize.clouds.find"), "width")
    assert [row[0] for row in view.table_rows()[1:]] == ["Petal Width", "Sepal Width"]
    view.export.copy_picture()
    assert not qapp.clipboard().image().isNull()
    view.hide()
    view.deleteLater()


def test_an_axis_is_said_by_what_it_is_made_of() -> None:
    planes = LinearDiscriminant().fit(sample("iris"), RunContext()).structure()
    assert not isinstance(planes, Gaussians)
    words = axis_words(planes.terms, planes.axes, 0)  # type: ignore[union-attr]
    assert words == (wording.DISCRIMINANT_1_IN_FULL)
