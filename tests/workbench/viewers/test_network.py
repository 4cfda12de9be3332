"""The graph of a Bayesian network, driven by mouse and keys."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QAction, QGuiApplication, QImage, QPainter
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QComboBox, QLabel, QLineEdit, QPushButton

from algorithms.evaluation.methods.methods import CrossValidation, Holdout
from algorithms.learners.bayes.bayesian_network import BayesianNetwork, posteriors
from algorithms.learners.bayes.directed_graph import read_names
from algorithms.learners.bayes.network_files import read_bif
from algorithms.structures.bayes_network import BayesNetwork
from algorithms.text.sentences import likeliest
from tests.algorithms.learners.bayes.networks import network_of, random_network
from tests.expected_texts import viewers as wording
from tests.textbook.test_belief_networks import NAMES, two
from tests.workbench.window_helpers import choose_entry, press_link
from workbench.app.main_window import MainWindow
from workbench.layout.graph_layout import layered
from workbench.session.runs import Run
from workbench.session.selection import SelectionMode
from workbench.session.session import Session
from workbench.style.theme import themes
from workbench.tabs.classify.tab import ClassifyTab
from workbench.viewers.network_canvas import NetworkCanvas, arrow_path
from workbench.viewers.network_view import NetworkView

Wait = Callable[..., None]
VISUALIZE = 3
E, D, HD, HB, CP, BP = range(6)


@pytest.fixture
def view(qapp: QApplication) -> Iterator[NetworkView]:
    """The heart disease network of the book."""
    parents = [[], [], [0, 1], [1], [2, 3], [2]]
    tables = [two(0.7), two(0.25), two(0.25, 0.45, 0.55, 0.75), two(0.2, 0.85), two(0.8, 0.6, 0.4, 0.1),
              two(0.85, 0.2)]  # fmt: skip
    made = NetworkView()
    made.controls.setParent(made)
    made.resize(1000, 640)
    made.show()
    made.set_structure(network_of(NAMES, [2] * 6, parents, tables, HD))
    yield made
    made.hide()
    made.deleteLater()


def text_of(view: NetworkView, name: str) -> str:
    found = view.findChild(QLabel, f"visualize.network.{name}")
    assert isinstance(found, QLabel)
    return found.text()


def click(canvas: NetworkCanvas, node: int, state: int = -1) -> None:
    where: QPoint = canvas.point(node, state).toPoint()
    QTest.mouseClick(canvas, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, where)


def press(view: NetworkView, name: str) -> None:
    QTest.mouseClick(view.findChild(QPushButton, f"visualize.network.{name}"), Qt.MouseButton.LeftButton)


def test_at_first_nothing_is_known(view: NetworkView) -> None:
    assert text_of(view, "words").startswith(wording.NOTHING_KNOWN_IN_NETWORK)
    assert likeliest(("a", "b", "c"), [1 / 3, 1 / 3 + 1e-12, 1 / 3], 3).startswith("a ")
    assert view.facts() == wording.NETWORK_FACTS


def test_a_click_on_a_value_says_it_is_known_and_every_posterior_follows(view: NetworkView) -> None:
    canvas = view.canvas
    click(canvas, BP, 0)
    assert canvas.known == {BP: 0}
    assert canvas.shares[HD][0] == pytest.approx(0.8033, abs=5e-5)
    click(canvas, D, 0)
    click(canvas, E, 0)
    assert canvas.shares[HD][0] == pytest.approx(0.5862, abs=5e-5)
    assert text_of(view, "words") == wording.POSTERIOR_WITH_WHAT_IS_KNOWN
    click(canvas, E, 0)
    assert E not in canvas.known
    choose_entry(view, "visualize.network.forget")
    assert canvas.known == {} and not view.findChild(QAction, "visualize.network.forget").isEnabled()
    assert canvas.shares[HD][0] == pytest.approx(0.49)


def test_a_click_on_a_name_opens_its_table(view: NetworkView) -> None:
    click(view.canvas, HD)
    assert view.node_table.isVisible()
    assert text_of(view, "table-of") == wording.HD_GIVEN_PARENTS
    model = view.node_table.model()
    shown = [[model.index(row, column).data() for column in range(4)] for row in range(4)]
    assert shown == [["0", "0", "25.0%", "75.0%"], ["0", "1", "45.0%", "55.0%"], ["1", "0", "55.0%", "45.0%"],
                     ["1", "1", "75.0%", "25.0%"]]  # fmt: skip
    press(view, "close-table")
    assert not view.node_table.isVisible()


def test_keys_choose_nodes_and_states(view: NetworkView) -> None:
    canvas = view.canvas
    canvas.setFocus()
    for _ in range(6):
        QTest.keyClick(canvas, Qt.Key.Key_Right)
        if canvas.node == BP:
            break
    assert canvas.node == BP
    QTest.keyClick(canvas, Qt.Key.Key_Down)
    QTest.keyClick(canvas, Qt.Key.Key_Space)
    assert canvas.known == {BP: 0}
    assert wording.BP_KNOWN in canvas.accessibleDescription()
    QTest.keyClick(canvas, Qt.Key.Key_Delete)
    assert canvas.known == {}
    before = canvas.scale
    QTest.keyClick(canvas, Qt.Key.Key_Plus)
    assert canvas.scale > before


def test_independence_is_asked_and_its_paths_are_lit(view: NetworkView) -> None:
    choose_entry(view, "visualize.network.independent")
    for name, node in (("one", E), ("other", D)):
        box = view.findChild(QComboBox, f"visualize.network.{name}")
        box.setCurrentIndex(node)
    assert text_of(view, "answer") == wording.INDEPENDENT
    assert wording.BLOCKED_AT_HD in text_of(view, "paths")
    assert view.canvas.lit[(E, HD)] is False
    click(view.canvas, BP, 0)
    assert text_of(view, "answer") == wording.NOT_INDEPENDENT_ONCE_KNOWN
    assert view.canvas.lit[(E, HD)] is True
    choose_entry(view, "visualize.network.independent")
    assert view.canvas.lit == {}


def test_the_table_has_every_probability_and_can_be_copied_and_saved(view: NetworkView, tmp_path: Path) -> None:
    click(view.canvas, BP, 0)
    choose_entry(view, "visualize.network.as-table")
    rows = view.table_rows()
    assert ["HD", "0", "0.8033", "0.4900", "", "E, D"] in rows
    assert ["BP", "0", "1.0000", "0.5185", "yes", "HD"] in rows
    view.table.setFocus()
    QTest.keyClick(view.table, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert QGuiApplication.clipboard().text().splitlines()[0] == "\t".join(rows[0])
    view.export.save_picture(str(tmp_path / "n.png"))
    assert QImage(str(tmp_path / "n.png")).width() > 500
    view.export.save_picture(str(tmp_path / "n.svg"))
    assert "HD" in (tmp_path / "n.svg").read_text(encoding="utf-8")
    view.export.save_csv(str(tmp_path / "n.csv"))
    assert (tmp_path / "n.csv").read_text(encoding="utf-8").startswith("Attribute,Value,Now,")
    next(action for action in view.export.menu.actions() if action.text() == "Copy network (BIF)").trigger()
    assert [each.parents for each in read_bif(QGuiApplication.clipboard().text())][HD] == ("E", "D")


def test_the_key_explains_the_marks_that_are_drawn_and_no_others(view: NetworkView) -> None:
    """Nothing named the line in every bar, and the foot explained paths that were not drawn."""
    assert text_of(view, "key") == wording.thick_arrows_at("HD")
    QTest.keyClick(view.canvas, Qt.Key.Key_Right)
    moved_to = NAMES[view.canvas.node]
    assert moved_to != "HD" and text_of(view, "key") == wording.thick_arrows_at(moved_to)
    click(view.canvas, BP, 0)
    assert text_of(view, "key").startswith(wording.thick_arrows_at("BP"))
    assert text_of(view, "key").endswith(wording.LINES_ACROSS)
    choose_entry(view, "visualize.network.independent")
    choose_both(view, E, D)
    assert text_of(view, "key").endswith(f"{wording.LINES_ACROSS} {wording.OPEN_ARE_BLUE}")
    choose_both(view, BP, D)
    assert text_of(view, "answer") == wording.BP_IS_KNOWN and not view.canvas.lit, "that is no independence"
    assert text_of(view, "key").endswith(wording.LINES_ACROSS)


def choose_both(view: NetworkView, one: int, other: int) -> None:
    for name, node in (("one", one), ("other", other)):
        view.findChild(QComboBox, f"visualize.network.{name}").setCurrentIndex(node)


def test_values_that_cannot_be_together_are_said_to(view: NetworkView) -> None:
    tables = [np.array([0.4, 0.6]), np.array([[1.0, 0.0], [1.0, 0.0]])]
    view.set_structure(network_of(["y", "x"], [2, 2], [[], [0]], tables))
    click(view.canvas, 1, 1)
    assert text_of(view, "words").startswith(wording.CANNOT_BE_TOGETHER)


def test_many_attributes_many_values_and_long_names(view: NetworkView) -> None:
    """A class on which 300 attributes hang, each with a long name, and one of 5,000 values."""
    names = [f"{'a very long name of an attribute that nobody would type ' * 2}{i}" for i in range(300)]
    sizes = [5000, 26, *[3] * 298]
    tables = [np.full((26, 5000), 1 / 5000), np.full(26, 1 / 26), *[np.full((26, 3), 1 / 3)] * 298]
    view.set_structure(network_of(names, sizes, [[1], [], *[[1]] * 298], tables, 1))
    canvas = view.canvas
    assert len(canvas.rows_of(0)) == 5
    assert canvas.hidden(0) == 4995
    click(canvas, 0)
    model = view.node_table.model()
    assert model.rowCount() == 1001
    assert model.index(1000, 0).data() == wording.MORE_ROWS
    assert names[0] in canvas.tip_at(canvas.point(0))
    choose_entry(view, "visualize.network.independent")
    assert text_of(view, "answer").startswith(wording.NOT_INDEPENDENT)
    choose_entry(view, "visualize.network.fit")
    assert canvas.width() <= view.width()
    assert not view.grab().isNull()


def test_arrows_lead_to_the_right_and_boxes_do_not_touch() -> None:
    parents = random_network(40, 5).parents
    layout = layered(parents, [(100.0, 50.0 + 5 * (node % 4)) for node in range(40)], 20.0, 40.0)
    for node, own in enumerate(parents):
        assert all(layout.boxes[p].x + layout.boxes[p].width < layout.boxes[node].x for p in own)
    for column in layout.columns:
        for one, other in pairwise(column):
            assert layout.boxes[one].y + layout.boxes[one].height < layout.boxes[other].y
    assert sorted(node for column in layout.columns for node in column) == list(range(40))
    assert all(box.y >= 0 and box.y + box.height <= layout.height for box in layout.boxes)


def test_arrows_run_behind_no_box_and_each_ends_at_a_place_of_its_own() -> None:
    parents = random_network(40, 5).parents
    layout = layered(parents, [(100.0 + node % 3, 50.0 + 5 * (node % 4)) for node in range(40)], 20.0, 40.0)
    assert set(layout.routes) == {(parent, node) for node, own in enumerate(parents) for parent in own}
    for (parent, node), route in layout.routes.items():
        path = arrow_path(route)
        for share in np.linspace(0.001, 0.999, 200).tolist():
            place = path.pointAtPercent(share)
            crossed = [box for box in layout.boxes if box.holds(place.x(), place.y())]
            assert all(box in (layout.boxes[parent], layout.boxes[node]) for box in crossed)
    ends = [route[-1] for route in layout.routes.values()]
    assert len(set(ends)) == len(ends)


def test_a_network_begins_at_a_readable_scale_and_says_what_thick_arrows_are(view: NetworkView) -> None:
    assert view.canvas.scale >= 1.0
    usual, network = view.canvas.whole.width(), view.canvas.network
    assert network is not None
    try:
        themes.set_scale(1.5)
        view.set_structure(network)
        view.resize(round(0.85 * view.canvas.whole.width()), 640)
        QApplication.processEvents()
        assert 1 / 1.5 <= view.canvas.scale < 1.0 and view.canvas.width() <= view.width(), "all fits, and is legible"
        view.resize(round(0.6 * view.canvas.whole.width()), 640)
        QApplication.processEvents()
        assert view.canvas.whole.width() > usual and view.canvas.scale == 1.0, "its text is as large as other text"
        corner = view.canvas.point(network.class_node).toPoint()
        assert view.canvas.visibleRegion().contains(corner), "what has no room is scrolled to"
    finally:
        themes.set_scale(1.0)
    assert text_of(view, "key") == wording.thick_arrows_at("HD")
    choose_entry(view, "visualize.network.independent")
    assert text_of(view, "key").startswith(wording.thick_arrows_at("HD"))


def test_the_window_shows_the_network_and_the_selected_record(window: MainWindow, wait_until: Wait) -> None:
    window.open_sample("iris")
    wait_until(lambda: window.session.summary is not None, 60)
    window.session.start_run(BayesianNetwork(), Holdout(), 1)
    run = window.session.current_run
    assert run is not None
    wait_until(lambda: not run.is_running and not window.session.jobs.running, 120)
    window.show_tab(VISUALIZE)
    wait_until(lambda: any(found.isVisible() for found in window.findChildren(NetworkView)), 60)
    view = next(found for found in window.findChildren(NetworkView) if found.isVisible())
    window.session.selection.select(run.data, np.array([70]), SelectionMode.REPLACE, "a record")
    wait_until(lambda: text_of(view, "words").startswith("Record 71: "), 60)
    network = view.canvas.network
    assert network is not None
    assert len(view.canvas.known) == 4
    assert network.class_node not in view.canvas.known
    found = posteriors(network, view.canvas.known)
    assert found is not None
    assert run.trained is not None
    assert found[network.class_node] == pytest.approx(run.trained.model.predict_proba(run.data.take([70]))[0])
    click(view.canvas, next(iter(view.canvas.known)), view.canvas.known[next(iter(view.canvas.known))])
    wait_until(lambda: text_of(view, "words").startswith(wording.WITH_WHAT_IS_KNOWN), 60)
    window.session.selection.select(run.data, np.array([71]), SelectionMode.REPLACE, "another record")
    wait_until(lambda: text_of(view, "words").startswith("Record 72: "), 60)
    window.session.selection.clear()
    wait_until(lambda: text_of(view, "words").startswith(wording.NOTHING_KNOWN), 60)
    assert not view.canvas.known, "no value is known of no record"


def test_arrows_and_tables_are_edited_in_the_window_and_each_change_can_be_undone(
    window: MainWindow, wait_until: Wait
) -> None:
    """By drag, by keys, from menus; what closes a circle is refused in a sentence; values known stay known."""
    session = window.session
    window.open_sample("iris")
    wait_until(lambda: session.summary is not None, 60)
    session.start_run(BayesianNetwork(structure="naive"), CrossValidation(folds=3), 1)
    plain = judged(session, wait_until)
    window.show_tab(VISUALIZE)
    wait_until(lambda: any(found.isVisible() for found in window.findChildren(NetworkView)), 60)
    view = next(found for found in window.findChildren(NetworkView) if found.isVisible())
    canvas, base = view.canvas, view.canvas.network
    assert base is not None
    length, width, species = 2, 3, 4
    click(canvas, length, 0)
    assert press_in(window, "visualize.network-edit")
    known = dict(canvas.known)
    click(canvas, width)
    assert canvas.known == known and view.open_node == width, "a click stays a click while arrows are edited"

    drag(canvas, length, width)
    assert arrows(shown(session, view, base, wait_until)) == {*arrows(base), (length, width)}
    assert canvas.known == known
    assert session.undo_stack.undoText() == wording.UNDO_DRAW_ARROW
    drawn, held = session.current_run, canvas.network
    drag(canvas, width, length)
    assert session.current_run is drawn
    assert said_of(window) == (
        wording.ARROW_CLOSES_CIRCLE
    )  # fmt: skip

    canvas.setFocus()
    for end in (0, 1):
        while canvas.node != end:
            QTest.keyClick(canvas, Qt.Key.Key_Right)
        QTest.keyClick(canvas, Qt.Key.Key_A)
    before = shown(session, view, held, wait_until)
    assert (0, 1) in arrows(before)

    middle = arrow_path(canvas.layout_of.routes[0, 1]).pointAtPercent(0.5)
    margin = canvas.point(0).x() / canvas.scale - canvas.to_drawing(canvas.point(0)).x()
    at = QPoint(round((middle.x() + margin) * canvas.scale), round((middle.y() + margin) * canvas.scale))
    QTest.mouseClick(canvas, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, at)
    assert canvas.hand.chosen == (0, 1)
    assert press_in(window, "visualize.network-edit.turn")
    assert (1, 0) in arrows(shown(session, view, before, wait_until))
    turned = canvas.network
    QTest.keyClick(canvas, Qt.Key.Key_Left)
    choice(window, "from", 1)
    choice(window, "to", 0)
    canvas.setFocus()
    QTest.keyClick(canvas, Qt.Key.Key_Delete)
    assert arrows(shown(session, view, turned, wait_until)) == {*arrows(base), (length, width)}
    assert session.undo_stack.undoText() == wording.UNDO_REMOVE_ARROW

    click(canvas, species)
    table = view.node_table
    table.setCurrentIndex(table.model().index(0, 1))
    table.setFocus()
    held = canvas.network
    QTest.keyClick(table, Qt.Key.Key_F2)
    field = table.findChild(QLineEdit)
    QTest.keyClicks(field, "90")
    QTest.keyClick(field, Qt.Key.Key_Return)
    written = shown(session, view, held, wait_until)
    assert written.table_of(species) == pytest.approx([0.05, 0.9, 0.05])

    run = judged(session, wait_until)
    outcome = window.findChild(QLabel, "visualize.network-edit.outcome")
    wait_until(lambda: outcome.isVisible() and outcome.text().startswith(wording.FIVE_CHANGES_BY_HAND), 30)
    assert session.runs == (plain, run)
    session.undo_stack.undo()
    wait_until(lambda: canvas.network is not None and canvas.network.table_of(species)[1] < 0.5, 30)
    press_link(outcome)
    wait_until(lambda: session.current_run is plain and canvas.network is base, 30)


def test_an_order_of_causes_and_effects_is_suggested_where_it_is_typed(window: MainWindow, wait_until: Wait) -> None:
    session = window.session
    window.open_sample("iris")
    wait_until(lambda: session.summary is not None, 60)
    window.show_tab(1)
    tab = window.findChild(ClassifyTab)
    tab.learners.choose(BayesianNetwork)
    structure = window.findChild(QComboBox, "classify.option.structure")
    structure.setFocus()
    while structure.currentData() != "k2":
        QTest.keyClick(structure, Qt.Key.Key_Down)
    wait_until(lambda: press_in(window, "classify.option.order.suggest"), 30)
    line = window.findChild(QLineEdit, "classify.option.order")
    wait_until(lambda: bool(line.text()), 60)
    assert sorted(read_names(line.text())) == sorted(session.data.schema.names)  # type: ignore[union-attr]
    assert any(wording.NETWORK_WAS_FOUND in each.text() and each.isVisible()
               for each in tab.findChildren(QLabel))  # fmt: skip


def judged(session: Session, wait_until: Wait) -> Run:
    wait_until(lambda: session.current_run is not None and not session.current_run.is_running, 120)
    run = session.current_run
    assert run is not None and run.result is not None
    return run


def shown(session: Session, view: NetworkView, before: BayesNetwork | None, wait_until: Wait) -> BayesNetwork:
    """The network in view, once it is another one and judged."""
    wait_until(lambda: view.canvas.network is not before and view.isVisible(), 60)
    judged(session, wait_until)
    assert view.canvas.network is not None
    return view.canvas.network


def arrows(network: BayesNetwork) -> set[tuple[int, int]]:
    return {(parent, node) for node in network.nodes for parent in network.parents[node]}


def drag(canvas: NetworkCanvas, start: int, end: int) -> None:
    """Press on the heading of one box, and let go over that of another."""
    first, last = canvas.point(start).toPoint(), canvas.point(end).toPoint()
    QTest.mousePress(canvas, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, first)
    QTest.mouseMove(canvas, (first + last) / 2)
    QTest.mouseMove(canvas, last)
    QTest.mouseRelease(canvas, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, last)


def said_of(window: MainWindow) -> str:
    found = window.findChild(QLabel, "visualize.network-edit.words")
    assert isinstance(found, QLabel)
    return found.text()


def press_in(window: MainWindow, name: str) -> bool:
    button = window.findChild(QPushButton, name)
    ready = button is not None and button.isVisible() and button.isEnabled()
    if ready:
        QTest.mouseClick(button, Qt.MouseButton.LeftButton)
    return ready


def choice(window: MainWindow, name: str, at: int) -> None:
    box = window.findChild(QComboBox, f"visualize.network-edit.{name}")
    box.setFocus()
    QTest.keyClick(box, Qt.Key.Key_Home)
    for _ in range(at):
        QTest.keyClick(box, Qt.Key.Key_Down)


def test_a_probability_near_1_is_written_alike_in_the_picture_and_in_words(view: NetworkView) -> None:
    texts: list[str] = []

    class NotingPainter(QPainter):
        def drawText(self, *placed: Any) -> None:  # noqa: N802
            texts.append(placed[-1])

    canvas = view.canvas
    canvas.shares = [np.array([0.9998, 0.0002]) for _ in canvas.shares]
    image = QImage(canvas.whole, QImage.Format.Format_RGB32)
    painter = NotingPainter(image)
    canvas.paint_chart(painter, image.rect(), focus=False)
    painter.end()
    assert ">99.9%" in texts and "<0.1%" in texts
    assert "100.0%" not in texts and "0.0%" not in texts
    canvas.set_known({})
