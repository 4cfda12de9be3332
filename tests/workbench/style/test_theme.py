"""The themes: complete, legible, changed live."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QObject, QPoint, QPointF, Qt
from PySide6.QtGui import QColor, QFont, QFontInfo, QFontMetrics, QImage, QPainter, QPaintEvent
from PySide6.QtWidgets import (
    QApplication,
    QComboBox,
    QDoubleSpinBox,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QPlainTextEdit,
    QStackedWidget,
    QToolButton,
    QToolTip,
    QVBoxLayout,
    QWidget,
)
from shiboken6 import delete

import resources
from tests.expected_texts import widgets as wording
from tests.workbench.stage import Stage
from tests.workbench.window_helpers import Wait
from workbench.style.structure_colors import StructureColors, draw_symbol
from workbench.style.theme import (
    DARK,
    FAMILY,
    LIGHT,
    TIP_WIDTH,
    Theme,
    Themes,
    WrappingTipsStyle,
    set_property,
    style_sheet,
    themes,
)
from workbench.viewers.scatter.rendering import STRONGEST_REGION
from workbench.viewers.scatter.scatter_paint import Backdrop, ScatterScene
from workbench.widgets.buttons import link_button
from workbench.widgets.labels import label


@pytest.fixture(autouse=True)
def undressed(qapp: QApplication) -> Iterator[None]:
    yield
    themes.choose("light")
    themes.set_scale(1.0)
    qapp.setStyleSheet("")


def contrast(one: str, other: str) -> float:
    """WCAG's contrast ratio of two colours."""

    def luminance(name: str) -> float:
        def linear(c: float) -> float:
            return c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4

        color = QColor(name)
        r, g, b = (linear(c) for c in (color.redF(), color.greenF(), color.blueF()))
        return 0.2126 * r + 0.7152 * g + 0.0722 * b

    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=lambda theme: theme.name)
def test_text_is_legible_on_what_it_stands_on(theme: Theme) -> None:
    pairs = [
        (theme.text, theme.pane),
        (theme.text, theme.background),
        (theme.text, theme.soft),
        (theme.dim, theme.pane),
        (theme.dim, theme.background),
        (theme.dim, theme.soft),
        (theme.dim, theme.accent_soft),
        (theme.dim, theme.warning_soft),
        (theme.warning, theme.pane),
        (theme.accent, theme.soft),
        (theme.accent, theme.accent_soft),
        (theme.accent, theme.pane),
        (theme.on_accent, theme.accent),
        (theme.warning, theme.warning_soft),
        (theme.good, theme.good_soft),
        (theme.bad, theme.bad_soft),
        (theme.text, theme.accent_soft),
        (theme.accent_text, theme.accent_soft),
        (theme.text, theme.side),
        (theme.dim, theme.side),
    ]
    assert {pair: round(contrast(*pair), 2) for pair in pairs if contrast(*pair) < 4.5} == {}


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=lambda theme: theme.name)
def test_the_names_of_all_classes_are_seen_in_their_colours(theme: Theme) -> None:
    """Orange on the grey card had 3.38 to 1."""
    for shown in (theme, theme.only(frozenset({3}))):
        colors = {code: shown.class_text_color(code).name() for code in range(-1, 60)}
        least = {
            code: min(contrast(color, ground) for ground in (theme.pane, theme.soft)) for code, color in colors.items()
        }
        assert {code: round(ratio, 2) for code, ratio in least.items() if ratio < 4.5} == {}
    assert theme.class_text_color(-1).name() == theme.dim  # where it is seen as it is, it stays


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=lambda theme: theme.name)
def test_the_grey_of_classes_without_a_colour_is_seen(theme: Theme) -> None:
    grey = theme.only(frozenset({0})).class_color(3).name()
    assert min(contrast(grey, ground) for ground in (theme.pane, theme.soft)) >= 2.5
    colors = [theme.class_color(code) for code in range(10)]
    assert all(color.name() != grey for color in colors)
    assert QColor(grey).hsvSaturation() < 60


def test_a_colour_is_the_callers_own() -> None:
    faint = LIGHT.color("accent")
    faint.setAlpha(10)
    assert LIGHT.color("accent").alpha() == 255


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=lambda theme: theme.name)
def test_the_first_forty_classes_have_colours_of_their_own(theme: Theme) -> None:
    names = [theme.class_color(code).name() for code in range(40)]
    assert len(set(names)) == 40
    assert theme.class_color(-1).name() == theme.dim


def lab(color: QColor) -> np.ndarray:
    """CIE L*a*b* (3,) of an sRGB colour under D65."""
    parts = np.array(color.getRgbF()[:3])
    linear = np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)
    to_xyz = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])
    x, y, z = np.cbrt(to_xyz @ linear / (0.95047, 1.0, 1.08883))
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=lambda theme: theme.name)
def test_classes_with_the_same_symbol_have_colours_far_apart(theme: Theme) -> None:
    """Symbols are the same after sixteen classes, and the same but for being rings after eight."""
    colors = [lab(theme.class_color(code)) for code in range(40)]
    for step, n, least in ((16, 40, 36.0), (8, 26, 30.0)):
        apart = {code: np.linalg.norm(colors[code] - colors[code + step]) for code in range(n - step)}
        assert min(apart.values()) > least, (step, apart)


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=lambda theme: theme.name)
def test_further_classes_are_no_greys_and_differ_from_their_neighbours(theme: Theme) -> None:
    colors = [lab(theme.class_color(code)) for code in range(7, 40)]
    assert min(np.hypot(*color[1:]) for color in colors[1:]) > 15.0
    assert min(np.linalg.norm(one - other) for one, other in pairwise(colors)) > 30.0


def test_a_class_keeps_its_family_of_colours_in_both_themes() -> None:
    """Z of twenty-six letters was cyan in one theme and brown in the other; black and white have no hue."""
    light, dark = ([lab(theme.class_color(code)) for code in range(40) if code != 7] for theme in (LIGHT, DARK))
    hues = [[np.degrees(np.arctan2(color[2], color[1])) for color in colors] for colors in (light, dark)]
    turned = [abs((one - other + 180) % 360 - 180) for one, other in zip(*hues, strict=True)]
    assert max(turned[:26]) < 40 and max(turned) < 60, turned


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=lambda theme: theme.name)
def test_no_two_of_forty_classes_have_colours_alike(theme: Theme) -> None:
    """P and M, and U and D, of twenty-six letters were hard to tell apart; the nearest two were 9.9 apart."""
    colors = np.array([lab(theme.class_color(code)) for code in range(40)])
    apart = np.linalg.norm(colors[:, None] - colors[None], axis=2) + 1000 * np.eye(40)
    assert apart.min() > 16.0
    assert min(apart[ord(one) - ord("A"), ord(other) - ord("A")] for one, other in ("PM", "UD")) > 30.0


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=lambda theme: theme.name)
def test_every_name_in_the_sheet_is_replaced(theme: Theme) -> None:
    sheet = re.sub(r"/\*.*?\*/", "", style_sheet(theme, 1.25), flags=re.DOTALL)
    assert "@" not in sheet
    for url in re.findall(r"url\((.*?)\)", sheet):
        assert QColor(url).isValid() or __import__("pathlib").Path(url).is_file()


def test_choosing_a_theme_dresses_the_application_and_says_so(qapp: QApplication) -> None:
    themes.install(qapp, "light")
    seen: list[str] = []
    themes.changed.connect(lambda: seen.append(themes.current.name))
    themes.choose("dark")
    themes.choose("light")
    assert seen == ["dark", "light"]
    assert qapp.palette().window().color() == QColor(LIGHT.background)
    assert LIGHT.accent in qapp.styleSheet()


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=lambda theme: theme.name)
def test_a_placeholder_is_legible_and_no_value(stage: Stage, theme: Theme) -> None:
    """A style sheet halves the opacity of the text for it: 3.25 to 1."""
    themes.choose(theme.name)
    for field in (QLineEdit(), QComboBox(), QDoubleSpinBox(), QPlainTextEdit()):
        stage.show(field, 200, 40)
        colors = field.palette()
        written = colors.color(colors.ColorRole.PlaceholderText)
        assert written.alpha() == 255 and contrast(written.name(), theme.pane) >= 4.5, type(field)
        assert contrast(written.name(), colors.color(colors.ColorRole.Text).name()) >= 1.8, type(field)


def test_an_unknown_choice_follows_the_system(qapp: QApplication) -> None:
    own = Themes()
    own.choose("purple")
    assert own.choice == "system"


def test_text_grows_in_steps_and_within_bounds(qapp: QApplication) -> None:
    themes.install(qapp, "light")
    themes.step_scale(1)
    assert themes.scale == 1.1
    assert qapp.font().pixelSize() == 14
    themes.step_scale(99)
    assert themes.scale == 2.0
    themes.step_scale(-99)
    assert themes.scale == 0.8


def test_the_window_is_set_in_the_inter_that_ships_with_it(qapp: QApplication) -> None:
    themes.install(qapp, "light")
    for font, style in ((themes.font(), "Regular"), (themes.font(bold=True), "Semi Bold")):
        info = QFontInfo(font)
        assert (info.family(), info.styleName()) == (FAMILY, style)
    marked = QFont(themes.font())
    marked.setBold(True)  # as <b> in a sentence
    assert QFontInfo(marked).styleName() == "Bold"
    licence = (Path(resources.FOLDER) / "fonts" / "OFL.txt").read_text("utf-8")
    assert wording.FONT_LICENCE in licence


def test_no_text_is_smaller_than_eleven_pixels(qapp: QApplication) -> None:
    themes.install(qapp, "light")
    assert themes.font(8).pixelSize() == 11
    themes.set_scale(1.5)
    assert themes.font(8).pixelSize() == round(11 * 1.5)


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=lambda theme: theme.name)
def test_runs_and_signs_are_seen_on_a_pane(theme: Theme) -> None:
    lines = [theme.run_color(place).name() for place in range(6)] + [theme.better, theme.worse]
    assert {color: round(contrast(color, theme.pane), 2) for color in lines if contrast(color, theme.pane) < 3} == {}
    assert len(set(lines)) == 8


def test_lines_of_plots_are_smooth_from_the_begin() -> None:
    """They were jagged until another theme was chosen, as pyqtgraph is imported after the first one is put on."""
    script = (
        "from workbench.style.theme import themes; import workbench.viewers.charts.chart_base, pyqtgraph\n"
        "print(pyqtgraph.getConfigOption('antialias'), pyqtgraph.getConfigOption('background') == themes.current.pane)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=120, check=False)
    assert done.stdout == "True True\n", done.stdout + done.stderr


class StyleChanges(QObject):
    """Counts how often widgets are told that they are dressed otherwise."""

    def __init__(self) -> None:
        super().__init__()
        self.n = 0

    def eventFilter(self, _watched: QObject, event: QEvent) -> bool:  # noqa: N802
        self.n += event.type() == QEvent.Type.StyleChange
        return False


def test_a_theme_dresses_each_widget_seldom_however_deep_it_stands(qapp: QApplication) -> None:
    themes.install(qapp, "light")
    outer = QWidget()
    inner = outer
    for _ in range(20):
        inner = QWidget(inner)
    outer.show()
    told = StyleChanges()
    inner.installEventFilter(told)
    themes.choose("dark")
    assert 1 <= told.n <= 3
    outer.close()


def test_a_theme_dresses_what_is_in_view_once(qapp: QApplication, monkeypatch: pytest.MonkeyPatch) -> None:
    dressed: list[object] = []
    polish = WrappingTipsStyle.polish

    def counted(style: WrappingTipsStyle, part: object) -> object:
        dressed.append(part)
        return polish(style, part)

    monkeypatch.setattr(WrappingTipsStyle, "polish", counted)
    themes.install(qapp, "light")
    outer = QWidget()
    seen, hidden = shown_and_hidden(outer)
    dressed.clear()
    themes.choose("dark")
    assert (dressed.count(seen), dressed.count(hidden)) == (1, 0)
    assert text_color(seen) == QColor(DARK.text)
    outer.close()


def shown_and_hidden(parent: QWidget) -> tuple[QLabel, QLabel]:
    """Two labels that were both in view, of which the second is hidden now."""
    seen, hidden = QLabel("seen", parent), QLabel("hidden", parent)
    parent.show()
    hidden.hide()
    return seen, hidden


def text_color(widget: QWidget) -> QColor:
    return widget.palette().color(widget.foregroundRole())


def test_what_nobody_sees_is_dressed_a_little_later_and_once(qapp: QApplication, wait_until: Wait) -> None:
    themes.install(qapp, "light")
    outer = QWidget()
    seen, hidden = shown_and_hidden(outer)
    told = StyleChanges()
    hidden.installEventFilter(told)
    themes.choose("dark")
    assert text_color(seen) == QColor(DARK.text)
    assert told.n == 0
    assert themes._updater.is_busy
    wait_until(lambda: not themes._updater.is_busy, 10)
    assert told.n == 1
    assert text_color(hidden) == QColor(DARK.text)
    outer.close()


def test_what_shows_itself_before_its_turn_is_dressed_then(qapp: QApplication) -> None:
    themes.install(qapp, "light")
    outer = QWidget()
    _seen, hidden = shown_and_hidden(outer)
    themes.choose("dark")
    themes.set_scale(1.5)
    assert text_color(hidden) == QColor(LIGHT.text)
    hidden.show()
    assert text_color(hidden) == QColor(DARK.text)
    assert hidden.font().pixelSize() == themes.px(13)
    outer.close()


def test_a_label_made_on_a_page_in_the_back_grows_with_the_text(qapp: QApplication, stage: Stage) -> None:
    themes.install(qapp, "light")
    page = QWidget()
    layout = QVBoxLayout(page)
    pages = QStackedWidget()
    pages.addWidget(page)
    pages.addWidget(QWidget())
    stage.show(pages, 300, 200)
    pages.setCurrentIndex(1)
    made = label("Mean", "dim")
    layout.addWidget(made)
    try:
        themes.set_scale(1.5)
        pages.setCurrentIndex(0)
        assert made.isVisible()
        assert made.font().pixelSize() == themes.font().pixelSize()
    finally:
        themes.set_scale(1.0)


def test_a_theme_and_the_next_at_once_leave_nothing_in_the_first(qapp: QApplication, wait_until: Wait) -> None:
    themes.install(qapp, "light")
    outer = QWidget()
    _seen, hidden = shown_and_hidden(outer)
    for choice in ("dark", "light", "dark"):
        themes.choose(choice)
    gone = QLabel("gone", outer)
    themes.choose("light")
    themes.choose("dark")
    delete(gone)
    wait_until(lambda: not themes._updater.is_busy, 10)
    assert text_color(hidden) == QColor(DARK.text)
    outer.close()


class Follower(QWidget):
    """Writes down the theme at each change."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.wore: list[str] = []
        themes.follow(self.dress)

    def dress(self) -> None:
        self.wore.append(themes.current.name)


def test_a_widget_follows_when_it_is_dressed(qapp: QApplication, wait_until: Wait) -> None:
    themes.install(qapp, "light")
    outer = QWidget()
    seen, hidden = Follower(outer), Follower(outer)
    hidden.hide()
    outer.show()
    themes.choose("dark")
    assert (seen.wore, hidden.wore) == (["dark"], [])
    themes.choose("light")
    wait_until(lambda: not themes._updater.is_busy, 10)
    assert (seen.wore, hidden.wore) == (["dark", "light"], ["light"])
    delete(hidden)
    themes.choose("dark")
    assert seen.wore[-1] == "dark"
    outer.close()


def test_a_length_grows_with_the_text(qapp: QApplication) -> None:
    themes.install(qapp, "light")
    widget = QWidget()
    themes.set_length(QWidget.setFixedWidth, widget, 100)
    widget.show()
    assert widget.width() == 100
    themes.set_scale(1.5)
    assert widget.width() == 150
    delete(widget)
    themes.set_scale(1.0)


def test_only_a_widget_can_follow() -> None:
    with pytest.raises(TypeError, match="widget"):
        themes.follow(lambda: None)


def test_a_property_that_was_never_set_is_as_if_false(qapp: QApplication) -> None:
    themes.install(qapp, "light")
    line = QLineEdit()
    line.show()
    set_property(line, "invalid", False)
    assert line.property("invalid") is None
    set_property(line, "invalid", True)
    assert line.property("invalid") is True
    set_property(line, "invalid", False)
    assert line.property("invalid") is False
    line.close()


def test_words_to_click_and_the_cross_of_a_field_are_never_cut(qapp: QApplication) -> None:
    themes.choose("light")
    link, field = link_button("change"), QLineEdit("words")
    field.setClearButtonEnabled(True)
    for widget in (link, field):
        widget.ensurePolished()
    assert link.minimumHeight() >= QFontMetrics(link.font()).height()
    field.resize(200, field.sizeHint().height())
    field.show()
    cross = field.findChild(QToolButton)
    assert cross is not None and field.rect().contains(cross.geometry())
    assert abs(cross.geometry().center().y() - field.rect().center().y()) <= 1
    for widget in (link, field):
        delete(widget)


class Painted(QLabel):
    """Counts how often it is painted."""

    n = 0

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802
        self.n += 1
        super().paintEvent(event)


def test_a_window_of_larger_text_is_painted_once_all_is_laid_out(qapp: QApplication, wait_until: Wait) -> None:
    """A picture beside text that grows is painted in its new place only."""
    themes.install(qapp, "light")
    window, words, picture = QWidget(), QLabel("words"), Painted("picture")
    row = QHBoxLayout(window)
    row.addWidget(words)
    row.addWidget(picture, 1)
    window.resize(400, 200)
    window.show()
    wait_until(lambda: picture.n > 0)
    picture.n, width = 0, words.width()
    themes.set_scale(2.0)
    assert not window.updatesEnabled()
    wait_until(lambda: window.updatesEnabled() and picture.n > 0)
    assert words.width() > width and picture.n == 1
    window.close()


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=lambda each: each.name)
def test_points_that_are_not_selected_stand_out_from_the_region_of_their_class(theme: Theme) -> None:
    """Their contrast was 1.4:1."""

    def blended(above: QColor, share: float, below: QColor) -> QColor:
        pairs = zip(above.getRgb()[:3], below.getRgb()[:3], strict=True)
        return QColor(*(round(share * ours + (1 - share) * theirs) for ours, theirs in pairs))

    regions = Backdrop(0, 1, 0, 1, QImage(), np.empty((0, 0), dtype=np.int32), ())
    scene = ScatterScene(backdrops=[regions], chosen=np.arange(150) < 3)
    for code in (0, 1):
        color = theme.class_color(code)
        region = blended(color, STRONGEST_REGION, theme.color("pane"))
        assert contrast(blended(color, scene.faded, region).name(), region.name()) >= 2.0
    scene.chosen = np.ones(150, dtype=np.bool_)
    assert scene.faded < 0.5, "without rings the fading alone tells what is selected"


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=lambda theme: theme.name)
def test_marks_of_grey_classes_are_seen_on_every_ground(qapp: QApplication, theme: Theme) -> None:
    """Hollow marks had a contrast of 2.1 to 2.8, since their lines are thinner than a pixel."""
    look = StructureColors(theme.only(frozenset({0, 1})))
    for ground in (theme.pane, theme.background, theme.soft):
        for code in range(2, 19):
            image = QImage(24, 24, QImage.Format.Format_RGB32)
            image.fill(QColor(ground))
            with QPainter(image) as painter:
                painter.setRenderHint(QPainter.RenderHint.Antialiasing)
                draw_symbol(painter, look, code, QPointF(12, 12), 3.5)
            pixels = {image.pixelColor(x, y).name() for x in range(24) for y in range(24)}
            darkest = sorted((contrast(pixel, ground) for pixel in pixels), reverse=True)
            assert darkest[0] >= 3.0, (ground, code)


LONG_NAME = "a_name_without_spaces_" * 20
SHOWN_TEXTS = (
    ("one line", 1),
    ("p < 0.05 & n > 30: " + "words of a sentence " * 3, 2),
    ("words of a plain sentence " * 40, 12),
    (f"{LONG_NAME}\nnext line", 6),
)
"""Each with the least number of its lines."""


def shown_tip(app: QApplication) -> QLabel:
    return next(
        top
        for top in app.topLevelWidgets()
        if isinstance(top, QLabel) and top.inherits("QTipLabel") and top.isVisible()
    )


@pytest.mark.parametrize("scale", [1.0, 1.5])
def test_tooltips_are_wrapped_at_a_readable_width(qapp: QApplication, stage: Stage, scale: float) -> None:
    """Whoever shows them, one after the other too; the text stays text, and a name without spaces is whole."""
    themes.install(qapp, "light", scale)
    page = stage.show(QLabel("page"), 200, 100)
    for text, lines in SHOWN_TEXTS:
        QToolTip.showText(QPoint(20, 20), text, page)
        tip = shown_tip(qapp)
        assert tip.width() <= themes.px(TIP_WIDTH)
        assert tip.text().replace("\u200b", "") == text
        assert tip.heightForWidth(tip.width()) <= tip.height() < tip.heightForWidth(tip.width()) + themes.px(4)
        assert tip.height() - tip.heightForWidth(10_000) >= (lines - 1 - text.count("\n")) * themes.px(15)
    tip.close()


def test_the_name_of_a_class_in_a_tooltip_is_no_markup(qapp: QApplication, stage: Stage) -> None:
    """Qt guesses whether a text is markup; then the name loses its signs, and an image in it is loaded."""
    themes.install(qapp, "light")
    page = stage.show(QLabel("page"), 200, 100)
    widths = []
    for text in ("Use “never <b>no</b>”", "Use “never no”"):
        QToolTip.showText(QPoint(20, 20), text, page)
        tip = shown_tip(qapp)
        widths.append(tip.sizeHint().width())
        assert tip.textFormat() is Qt.TextFormat.PlainText
        tip.close()
    assert widths[0] > widths[1]


def test_a_wrapped_tooltip_stays_on_the_screen(qapp: QApplication, stage: Stage) -> None:
    themes.install(qapp, "light")
    page = stage.show(QLabel("page"), 200, 100)
    ground = page.screen().availableGeometry()
    for corner in (ground.bottomRight(), ground.bottomLeft(), ground.topRight()):
        QToolTip.showText(corner, "words of a plain sentence " * 30, page)
        tip = shown_tip(qapp)
        assert ground.contains(tip.geometry()), corner
        tip.close()
