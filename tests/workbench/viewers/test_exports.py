"""Every painted view can be taken away: as a picture, a drawing and a table, to a file or the clipboard."""

from __future__ import annotations

import ast
import csv
import importlib.util
import pkgutil
import re
import threading
import time
import xml.etree.ElementTree as ElementTree
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QColor, QGuiApplication, QImage, QPainter
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractButton,
    QApplication,
    QComboBox,
    QFileDialog,
    QGraphicsScene,
    QGraphicsView,
    QLineEdit,
    QMenu,
    QPushButton,
    QSpinBox,
    QTreeView,
    QWidget,
)

import workbench
from algorithms.core.learner import Learner
from algorithms.evaluation.measures.confusion_counts import TOTAL
from algorithms.evaluation.methods.methods import CrossValidation
from algorithms.evaluation.runner import FoldDone
from algorithms.learners.trees.c45 import C45
from algorithms.learners.trees.zero_r import ZeroR
from algorithms.text.numbers import percent
from tests.expected_texts import viewers as wording
from tests.workbench.stage import Stage
from tests.workbench.window_helpers import TABLE_KINDS, Wait, part, show_page, type_path
from workbench.app.main_window import MainWindow
from workbench.style.theme import DARK_NAME, LIGHT_NAME, current_theme, themes
from workbench.tabs.classify.progress import FoldDots
from workbench.tabs.visualize.tree.why_pane import WhyPane
from workbench.viewers.charts import export as export_module
from workbench.viewers.charts.chart_base import ExportedChart
from workbench.viewers.charts.export import (
    OWN,
    Background,
    ChartMenuButton,
    Export,
    ExportedPicture,
    ExportedScene,
    PictureForm,
    PictureStyle,
    fitted,
    image_of,
    recorded,
    rows_of_html,
    rows_written,
)
from workbench.widgets.dialogs import CSV, NEUTRAL_CSV, ask_for_file, ask_where_to_save
from workbench.widgets.panes import Pane

NAMES = {"histogram", "confusion", "curve", "folds", "gain", "scatter", "tree", "classes"}
"""What is painted, by the names of the files offered."""
ELSEWHERE = {
    "effect",
    "within",
    "rules",
    "comparison",
    "disagreement",
    "attribute-effects",
    "attribute-importance",
    "error-by-attribute",
    "error-groups",
    "label-errors",
    "permutation-test",
    "threshold",
    "several",
    "scatter-matrix",
    "parallel-coordinates",
    "overfitting",
    "ranking",
    "times",
    "error-curve",
    "neighbours",
    "settings",
    "step",
    "nomogram",
    "overlap",
    "network",
    "coefficients",
    "class-clouds",
    "committee",
    "code",
    "layers",
    "margins",
    "course",
    "boundary",
    "error-surface",
    "accuracy",
    "reasons",
    "bias-and-variance",
    "pair",
}
"""What is shown only when it is asked for: tested where it is made."""
CLASSIFY, EVALUATE, VISUALIZE = 1, 2, 3


EXPORTERS = {"ExportedChart": 1, "ExportedPlot": 1, "ExportedScene": 1, "ExportedPicture": 0, "ExportedRecords": 1}
EXPORTERS["exported_widget"] = 0
"""Classes that are given the name, and its position among their arguments."""


BASES = ("super().__init__(plot, 'error-curve'", "super().__init__(view.plot, 'curve'")
"""Calls in which classes give the name to their base."""


def names_in_source() -> list[str]:
    """The names of all exports: those of classes, and those given to a class where it is used."""
    names = []
    for module in pkgutil.walk_packages(workbench.__path__, "workbench."):
        source = importlib.util.find_spec(module.name).origin
        for node in ast.walk(ast.parse(Path(source).read_text("utf-8"))):
            if isinstance(node, ast.ClassDef):
                names += [_first(line.value) for line in node.body if _is_name_and_title(line)]
            elif isinstance(node, ast.Call):
                position = EXPORTERS.get(getattr(node.func, "id", ""), -1)
                if 0 <= position < len(node.args) and isinstance(node.args[position], ast.Constant):
                    names.append(node.args[position].value)
                names += [_first(pair) for pair in node.args if _is_many_axes(node) and isinstance(pair, ast.Tuple)]
            if isinstance(node, ast.Call) and ast.unparse(node).startswith(BASES):
                names.append(node.args[1].value)
    return names


def _is_name_and_title(line: ast.stmt) -> bool:
    return isinstance(line, ast.Assign) and ast.unparse(line.targets[0]) == "(name, title)"


def _is_many_axes(call: ast.Call) -> bool:
    """Whether a view of many axes gives name and title of its export to its base."""
    return ast.unparse(call.func) == "super().__init__" and len(call.args) == 4 and "jobs" in ast.unparse(call.args[1])


def _first(pair: ast.expr) -> str:
    return pair.elts[0].value


@pytest.fixture
def window(stage: Stage) -> MainWindow:
    return stage.window(1400, 900)


@pytest.fixture
def shown(window: MainWindow, wait_until: Wait) -> dict[str, Export]:
    """What each kind of view shows of iris, judged by the baseline and by a tree."""
    session = window.session

    def judge(learner: Learner) -> None:
        session.start_run(learner, CrossValidation(folds=3), 1)
        run = session.current_run
        assert run is not None
        wait_until(lambda: not run.is_running and not session.jobs.running, 120)

    window.open_sample("iris")
    wait_until(lambda: session.summary is not None, 60)
    judge(ZeroR())
    window.show_tab(VISUALIZE)
    wait_until(lambda: "classes" in set(_main(window)), 30)
    judge(C45())
    for at in (0, 1, EVALUATE, VISUALIZE):
        window.show_tab(at)
        wait_until(lambda: not session.jobs.running, 60)
    window.findChild(WhyPane).show_node(0)  # a leaf has no curve of gains
    wait_until(lambda: set(_main(window)) >= NAMES, 30)
    return _main(window)


def _main(window: MainWindow) -> dict[str, Export]:
    """One of each name that has something to show."""
    exports = window.findChildren(Export)
    return {export.exported.name: export for export in exports if _has_table(export)}


def _has_table(export: Export) -> bool:
    return export.exported.table() is not None


def test_every_kind_of_view_is_in_the_window(shown: dict[str, Export]) -> None:
    names = names_in_source()
    assert len(set(names)) == len(names)
    assert set(names) - set(shown) == ELSEWHERE
    assert set(shown) >= NAMES


def test_every_view_is_saved_as_picture_drawing_and_table(
    shown: dict[str, Export], window: MainWindow, wait_until: Wait, tmp_path: Path
) -> None:
    for kind, export in shown.items():
        png, svg, pdf, table = (tmp_path / f"{kind}.{suffix}" for suffix in ("png", "svg", "pdf", "csv"))
        export.save_picture(str(png))
        export.save_picture(str(svg))
        export.save_picture(str(pdf))
        export.save_csv(str(table))
        wait_until(lambda: not window.session.jobs.running)
        image = QImage(str(png))
        assert not image.isNull(), kind
        assert len({image.pixel(x, y) for x in range(0, image.width(), 7) for y in range(0, image.height(), 7)}) > 1
        drawn = [element for element in ElementTree.parse(svg).iter() if not element.tag.endswith("}g")]
        assert len(drawn) > 4, kind
        assert pdf.read_bytes().startswith(b"%PDF"), kind
        with table.open(encoding="utf-8", newline="") as file:
            rows = list(csv.reader(file))
        assert len(rows) > 1, kind
        assert len({len(row) for row in rows}) == 1, kind


def test_a_saved_picture_has_a_title_a_background_and_the_size_of_the_screen(stage: Stage, tmp_path: Path) -> None:
    parent = QWidget()
    view = QGraphicsView(QGraphicsScene(parent), parent)
    view.resize(300, 200)
    export = Export(ExportedScene(view, "given", "Given title", lambda: None), None, parent)
    export.save_picture(str(tmp_path / "given.svg"))
    export.save_picture(str(tmp_path / "given.png"))
    root = ElementTree.parse(tmp_path / "given.svg").getroot()
    width, height = (float(part) for part in root.get("viewBox", "").split()[2:])
    shown = view.viewport().size()
    assert (width, height > 2 * shown.height()) == (2 * shown.width(), True)
    assert "Given title" in {text.text for text in root.iter() if text.tag.endswith("}text")}
    image = QImage(str(tmp_path / "given.png"))
    assert image.width() == 2 * shown.width()
    assert image.dotsPerMeterX() == pytest.approx(2 * 96 / 0.0254, abs=2)
    assert image.pixelColor(0, 0) == current_theme().color("pane")
    parent.deleteLater()


@pytest.fixture
def exported(stage: Stage) -> Export:
    """The export of an empty plot of 300 x 200 pixels."""
    window = QWidget()
    view = QGraphicsView(QGraphicsScene(window), window)
    view.resize(300, 200)
    export = Export(ExportedScene(view, "given", "Given title", lambda: None), None, window)
    export.button("given.menu").setParent(window)
    stage.show(window, 400, 300, active=True)
    return export


@pytest.mark.parametrize("background", Background)
def test_a_picture_is_saved_in_the_size_with_the_title_and_background_asked_for(
    exported: Export, tmp_path: Path, background: Background
) -> None:
    style = PictureStyle(1004, 753, 300, "Own title", background)
    for suffix in ("png", "svg", "pdf"):
        exported.save_picture(str(tmp_path / f"a.{suffix}"), style)
    image = QImage(str(tmp_path / "a.png"))
    assert (image.width(), image.height()) == (1004, 753)
    assert image.dotsPerMeterX() == pytest.approx(300 / 0.0254, abs=2)
    fill = {Background.CLEAR: QColor(0, 0, 0, 0), Background.WHITE: QColor("white")}
    assert image.pixelColor(2, 2) == fill.get(background, current_theme().color("pane"))
    root = ElementTree.parse(tmp_path / "a.svg").getroot()
    assert root.get("viewBox", "").split()[2:] == ["1004", "753"] and root.get("width", "").startswith("84.9")
    assert "Own title" in {text.text for text in root.iter() if text.tag.endswith("}text")}
    page = re.search(rb"/MediaBox \[0 0 ([\d.]+) ([\d.]+)\]", (tmp_path / "a.pdf").read_bytes())
    assert page and [float(side) for side in page.groups()] == pytest.approx([1004 * 0.24, 753 * 0.24], abs=0.5)


def test_a_large_picture_is_painted_in_strips_in_a_job(
    window: MainWindow, wait_until: Wait, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The window's thread only records what is painted: in it, 4,000 x 3,000 pixels took half a second."""
    names = []

    def paint(painter: QPainter) -> None:
        names.append(threading.current_thread().name)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        for i in range(40):
            painter.setOpacity(0.5)
            painter.setClipRect(i, 3, 40, 190)
            painter.fillRect(7 * i, 5 * i, 90, 60, QColor(6 * i, 90, 200))
            painter.drawEllipse(3 * i, 2 * i, 160, 120)
            painter.drawText(4 * i, 20 + 4 * i, f"text {i}")

    given = ExportedPicture("given", "Given title", lambda: QSize(400, 300), paint, list)
    export, path = Export(given, window.session.jobs, window), tmp_path / "large.png"
    style = PictureStyle(4000, 3000, 300, "Given title", Background.CLEAR)
    whole = image_of(recorded(fitted((QSize(400, 300), paint), style)), style.dpi)
    monkeypatch.setattr(export_module, "STRIP", 1_000_000)
    names.clear()
    begin = time.thread_time()
    export.save_picture(str(path), style)
    assert time.thread_time() - begin < 0.2 and names == [threading.main_thread().name]
    wait_until(path.exists)
    whole.save(str(tmp_path / "whole.png"))
    assert QImage(str(path)) == QImage(str(tmp_path / "whole.png"))
    export.save_picture(str(tmp_path / "stopped.png"), style)
    window.session.jobs.running[-1].stop()
    wait_until(lambda: not window.session.jobs.running)
    assert not (tmp_path / "stopped.png").exists()


class Dressed(QWidget):
    """Notes the theme that it is told to wear, and that it paints in."""

    def __init__(self) -> None:
        super().__init__()
        self.worn: list[str] = []
        themes.follow(self.dress)

    def dress(self) -> None:
        self.worn.append(current_theme().name)

    def size(self) -> QSize:
        return QSize(40, 30)

    def paint(self, _painter: QPainter) -> None:
        self.dress()


def test_a_picture_on_white_is_painted_in_the_light_theme(qapp: QApplication, tmp_path: Path) -> None:
    themes.choose(DARK_NAME)
    view = Dressed()
    export = Export(ExportedPicture("given", "Given", view.size, view.paint, list), None, view)
    style = replace(export.style_on_screen(), background=Background.WHITE)
    export.save_picture(str(tmp_path / "white.png"), style)
    assert view.worn == [LIGHT_NAME, LIGHT_NAME, DARK_NAME] and current_theme().name == DARK_NAME
    assert QImage(str(tmp_path / "white.png")).pixelColor(0, 0) == QColor("white")
    themes.choose(LIGHT_NAME)


def test_size_and_background_are_chosen_in_place_and_remembered(
    exported: Export, wait_until: Wait, tmp_path: Path
) -> None:
    exported.open_form()
    form = part(exported.view, QWidget, "picture")
    part(form, QComboBox, "picture.size").setCurrentText("Slide 16:9")
    assert (part(form, QSpinBox, "picture.width").value(), part(form, QSpinBox, "picture.height").value()) == (
        1920,
        1080,
    )
    part(form, QSpinBox, "picture.width").setValue(1900)
    assert part(form, QComboBox, "picture.size").currentText() == OWN
    part(form, QComboBox, "picture.background").setCurrentText(Background.CLEAR.value)
    part(form, QLineEdit, "picture.title").clear()
    QTest.keyClick(part(form, QLineEdit, "picture.title"), Qt.Key.Key_Return)
    dialog = part(exported.view, QFileDialog, "file_dialog")
    type_path(dialog, tmp_path / "own.png", wait_until)
    wait_until((tmp_path / "own.png").exists)
    assert QImage(str(tmp_path / "own.png")).size() == QSize(1900, 1080)
    exported.open_form()
    again = exported.view.findChildren(PictureForm)[-1].style_chosen()
    assert again == PictureStyle(1900, 1080, 96, "Given title", Background.CLEAR)


def test_a_chart_menu_is_painted_only_for_the_pointer_and_the_keyboard(stage: Stage) -> None:
    window = QWidget()
    pane = Pane("Chart", parent=window)
    pane.setGeometry(100, 100, 200, 100)
    export = Export(ExportedScene(QGraphicsView(pane), "given", "Given", lambda: None), None, pane)
    button = export.button("given.menu")
    pane.add_action(button)
    pane.body.addWidget(field := QLineEdit())
    stage.show(window, 300, 200, active=True)
    field.setFocus()
    assert button.isVisible() and not button.is_painted
    button.setFocus(Qt.FocusReason.TabFocusReason)
    assert button.is_painted
    bar = QWidget(window)
    in_bar = ChartMenuButton("bar.menu", export.menu)
    in_bar.setParent(bar)
    bar.show()
    in_bar.show()
    assert in_bar.is_painted  # the last button of a toolbar ends where the pane ends
    page = QWidget(window)
    page.setGeometry(250, 150, 50, 50)
    page.setProperty("is_page", True)
    bar.setParent(page)
    page.show()
    bar.show()
    assert not in_bar.is_painted  # a page is left alone until the pointer is on it
    in_bar.setFocus(Qt.FocusReason.TabFocusReason)
    assert in_bar.is_painted


def test_every_view_is_copied_as_picture_and_table(shown: dict[str, Export]) -> None:
    clipboard = QGuiApplication.clipboard()
    for kind, export in shown.items():
        clipboard.clear()
        export.copy_picture()
        assert not clipboard.image().isNull(), (kind, export.exported.view(), export.style_on_screen())
        export.copy_table()
        assert "\t" in clipboard.text() and "\n" in clipboard.text(), kind


def test_a_chart_that_was_never_laid_out_is_copied_at_its_usual_size() -> None:
    chart = FoldDots()
    chart.set_folds([FoldDone(index=fold, n_folds=2, repeat=0, fold=fold, n_tested=9, n_right=6) for fold in (0, 1)], 2)
    chart.resize(0, 0)
    assert Export(ExportedChart(chart, "given", "Given"), None, chart).picture().width() >= chart.sizeHint().width()


def test_the_folds_name_their_mean_and_its_interval_and_use_the_width() -> None:
    chart = FoldDots()
    assert chart.legend() == ("", "")
    chart.set_folds([FoldDone(index=0, n_folds=2, repeat=0, fold=0, n_tested=50, n_right=45)], 2)
    mean, interval = chart.legend()
    assert mean == f"mean {percent(0.9)}" and interval.startswith(wording.CI_OF_THE_MEAN)
    chart.resize(1000, 200)
    assert chart._place(1, 2).right() > 900


def test_matrix_is_saved_by_keys_alone(
    shown: dict[str, Export], window: MainWindow, wait_until: Wait, tmp_path: Path
) -> None:
    window.show_tab(EVALUATE)
    save = window.findChild(QAbstractButton, "evaluate.confusion.save")
    save.setFocus()
    menu: QMenu = save.menu()
    menu.popup(save.mapToGlobal(save.rect().bottomLeft()))
    wait_until(menu.isVisible)
    for _ in menu.actions():
        if menu.activeAction() is not None and "CSV" in menu.activeAction().text():
            break
        QTest.keyClick(menu, Qt.Key.Key_Down)
    QTest.keyClick(menu, Qt.Key.Key_Return)
    dialog = window.findChild(QFileDialog, "file_dialog")
    wait_until(dialog.isVisible)
    assert dialog.findChild(QLineEdit, "fileNameEdit").text() == "confusion.csv"
    type_path(dialog, tmp_path / "taken.csv", wait_until)
    wait_until((tmp_path / "taken.csv").exists)
    wait_until(lambda: not window.session.jobs.running)
    rows = list(csv.reader((tmp_path / "taken.csv").read_text("utf-8").splitlines()))
    assert rows[0][0] == "" and all(title.startswith("predicted ") for title in rows[0][1:-1])
    assert rows[0][-1] == rows[-1][0] == TOTAL
    counts = [[float(cell) for cell in row[1:]] for row in rows[1:]]
    assert sum(sum(row[:-1]) for row in counts[:-1]) == counts[-1][-1] == 150
    assert [sum(row[:-1]) for row in counts] == [row[-1] for row in counts]


def test_every_question_for_a_file_begins_where_the_person_was_last(
    window: MainWindow, wait_until: Wait, tmp_path: Path
) -> None:
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "own.csv").write_text("a,b\n1,x\n2,y\n" * 20, encoding="utf-8")
    window.open_file(str(tmp_path / "own" / "own.csv"))
    wait_until(lambda: window.folder == str(tmp_path / "own"))
    asked: list[str] = []
    for ask in (
        lambda: ask_where_to_save(window.strip, "Save", "CSV (*.csv)", "a.csv", asked.append),
        lambda: ask_for_file(window, "Open", "All files (*)", asked.append),
    ):
        ask()
        dialog = window.findChildren(QFileDialog, "file_dialog")[-1]
        assert dialog.directory().absolutePath() == str(tmp_path / "own")
        dialog.fileSelected.emit(str(tmp_path / "a.csv"))
        assert window.folder == str(tmp_path) and asked.pop() == str(tmp_path / "a.csv")
        window.folder = str(tmp_path / "own")
        dialog.close()


def test_the_first_click_on_open_takes_a_typed_path(window: MainWindow, wait_until: Wait, tmp_path: Path) -> None:
    """A popup of suggestions lay over the dialog and took the click."""
    taken: list[str] = []
    for name in ("one.csv", "other.csv"):
        (tmp_path / name).write_text("a,b\n1,x\n", encoding="utf-8")
    ask_for_file(window, "Open", "All files (*)", taken.append, str(tmp_path))
    dialog = window.findChildren(QFileDialog, "file_dialog")[-1]
    line, files = dialog.findChild(QLineEdit, "fileNameEdit"), dialog.findChild(QTreeView, "treeView")
    wait_until(lambda: dialog.isActiveWindow() and files.model().rowCount(files.rootIndex()) == 2)
    QTest.keyClicks(line, "o")
    assert QApplication.activePopupWidget() is None
    QTest.keyClicks(line, "ne.csv")
    accept = next(button for button in dialog.findChildren(QPushButton) if button.isDefault())
    QTest.mouseClick(QApplication.activePopupWidget() or accept, Qt.MouseButton.LeftButton)
    wait_until(lambda: taken == [str(tmp_path / "one.csv")])


def test_a_table_is_saved_with_formulas_neutralised_where_that_kind_is_chosen(
    window: MainWindow, wait_until: Wait, tmp_path: Path
) -> None:
    session, path = window.session, tmp_path / "given.csv"
    path.write_text("note,class\n=1+1,a\n@x,b\n-5,b\n", encoding="utf-8")
    session.open_file(path)
    wait_until(lambda: session.summary is not None, 60)
    for number, kind in enumerate((CSV, NEUTRAL_CSV)):
        target = tmp_path / f"saved {number}.csv"
        window.files.choose_where_to_save_data()
        dialog = window.findChild(QFileDialog, "file_dialog")
        assert dialog.nameFilters() == TABLE_KINDS
        dialog.selectNameFilter(kind)
        type_path(dialog, target, wait_until)
        wait_until(lambda target=target: target.exists() and not session.jobs.running)
        wait_until(lambda: window.findChild(QFileDialog, "file_dialog") is None)
    notes = [[line.split(",")[0] for line in (tmp_path / f"saved {n}.csv").read_text("utf-8").split()] for n in (0, 1)]
    assert notes == [["note", "=1+1", "@x", "-5"], ["note", "'=1+1", "'@x", "-5"]]


def test_the_kind_chosen_gives_the_suffix(window: MainWindow, wait_until: Wait, tmp_path: Path) -> None:
    """Of the suffixes of a kind the first one is meant, in a name with one and in a name without."""
    session, path = window.session, tmp_path / "given.csv"
    path.write_text("note,class\nx,a\ny,b\nz,b\n", encoding="utf-8")
    session.open_file(path)
    wait_until(lambda: session.summary is not None, 60)
    window.files.choose_where_to_save_data()
    dialog = window.findChild(QFileDialog, "file_dialog")
    kinds, line = dialog.findChild(QComboBox, "fileTypeCombo"), dialog.findChild(QLineEdit, "fileNameEdit")
    place = next(place for place in range(kinds.count()) if kinds.itemText(place).startswith("SQLite"))
    for _ in range(place):
        QTest.keyClick(kinds, Qt.Key.Key_Down)
    assert line.text() == "given-edited.sqlite"
    type_path(dialog, tmp_path / "saved", wait_until)
    wait_until(lambda: (tmp_path / "saved.sqlite").exists() and not session.jobs.running)


def test_tables_of_views_are_neutralised_with_the_same_rule(tmp_path: Path, stage: Stage) -> None:
    parent = QWidget()
    table = rows_written([["=a", "n"], ["+x", "-2.5"]])
    export = Export(ExportedScene(QGraphicsView(parent), "given", "Given", lambda: table), None, parent)
    export.save_csv(str(tmp_path / "as it is.csv"))
    export.save_csv(str(tmp_path / "neutral.csv"), True)
    name = "as it is.csv"
    assert (tmp_path / name).read_text("utf-8") == "=a,n\n+x,-2.5\n"
    assert (tmp_path / "neutral.csv").read_text("utf-8") == "'=a,n\n'+x,-2.5\n"
    parent.deleteLater()


def test_whoever_saves_csv_offers_it_neutralised() -> None:
    """The kind CSV is asked for in one way, which offers both."""
    sources = [path for path in Path(workbench.__path__[0]).rglob("*.py") if path.name != "dialogs.py"]
    assert not [path for path in sources if '"CSV (*.csv)' in path.read_text("utf-8")]


def test_a_rich_text_is_exported_as_the_rows_of_its_table_or_its_lines() -> None:
    bar = '<td><table><tr><td bgcolor="red">&nbsp;</td></tr></table></td>'
    table = f"Votes:<table><tr><td>height&nbsp;</td>{bar}<td>+1.5</td></tr><tr><td><b>Sum</b></td></tr></table>"
    assert rows_of_html(table) == [["height", "+1.5"], ["Sum", ""]]
    assert rows_of_html("one<br>two") == [["one"], ["two"]]


def test_the_result_and_the_reasons_have_a_chart_menu(
    shown: dict[str, Export], window: MainWindow, wait_until: Wait
) -> None:
    def export(name: str) -> Export:
        return next(one for one in window.findChildren(Export) if one.exported.name == name)

    window.show_tab(CLASSIFY)
    button = part(window, ChartMenuButton, "classify.model.menu")
    wait_until(lambda: button.isVisible() and part(window, ChartMenuButton, "classify.axis.menu").isVisible())
    assert any(one.menu is button.menu() for one in window.findChildren(Export) if one.exported.name == "tree")
    accuracy = export("accuracy").exported.table()
    assert accuracy is not None and not export("accuracy").picture().isNull()
    assert [len(row.split(",")) for row in accuracy(",").splitlines()] == [4, 4]
    window.show_tab(VISUALIZE)
    show_page(window, "explain")
    wait_until(part(window, ChartMenuButton, "visualize.what-if.ways.menu").isVisible)

    def reasons() -> list[str]:
        table = export("reasons").exported.table()
        return [] if table is None else table(",").splitlines()

    wait_until(lambda: len(reasons()) >= 2)
