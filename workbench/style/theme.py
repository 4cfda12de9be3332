"""Colours, sizes and the style sheet of the light and the dark theme, and the updating of widgets to another one."""

from __future__ import annotations

import colorsys
import re
import sys
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from functools import cache, partial
from itertools import compress, filterfalse, repeat
from pathlib import Path
from typing import Any, Final
from weakref import WeakKeyDictionary, WeakMethod, ref

from PySide6.QtCore import QCoreApplication, QEvent, QObject, QPoint, QRect, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QColor, QCursor, QFont, QFontDatabase, QFontMetrics, QPalette
from PySide6.QtWidgets import QApplication, QLabel, QProxyStyle, QWidget
from shiboken6 import isValid

import resources

Act = Callable[[], object]

SLICE_SECONDS: Final = 0.008
PAUSE_MS: Final = 4
"""Pause between two slices, for keys and clicks."""

_POLISHED: Final = Qt.WidgetAttribute.WA_WState_Polished
_OWN_STYLE: Final = Qt.WidgetAttribute.WA_SetStyle
_OWN_FONT: Final = Qt.WidgetAttribute.WA_SetFont


class StyleUpdater(QObject):
    """Knows which widgets still have the old sheet, and calls their followers once they have the new one."""

    def __init__(self) -> None:
        super().__init__()
        self._followers: WeakKeyDictionary[QWidget, list[Callable[[], Act | None]]] = WeakKeyDictionary()
        self._waiting: dict[QWidget, bool] = {}
        self._timer: QTimer | None = None

    @property
    def is_busy(self) -> bool:
        return bool(self._waiting)

    def follow(self, act: Act) -> None:
        """Call this method of a widget whenever the widget is restyled."""
        widget = getattr(act, "__self__", None)
        if not isinstance(widget, QWidget):
            raise TypeError(f"{act} is no method of a widget")
        self._followers.setdefault(widget, []).append(WeakMethod(act))

    def follow_with(self, widget: QWidget, act: Callable[[QWidget], object]) -> None:
        """Call a function with this widget whenever the widget is restyled."""
        kept = ref(widget)
        self._followers.setdefault(widget, []).append(
            lambda: None if (restyled := kept()) is None else partial(act, restyled)
        )

    def apply(self, app: QApplication, sheet: str) -> None:
        """Apply the sheet to visible widgets now, to the others later; paint once all are laid out."""
        windows = [window for window in app.topLevelWidgets() if window.isVisible() and window.updatesEnabled()]
        for window in windows:
            window.setUpdatesEnabled(False)
            QTimer.singleShot(0, window, partial(_paint_again, window))
        widgets = [widget for widget in _in_order(app) if isValid(widget)]
        seen = list(compress(widgets, map(QWidget.isVisible, widgets)))
        polished = dict.fromkeys(compress(widgets, map(QWidget.testAttribute, widgets, repeat(_POLISHED))))
        hidden = list(filterfalse(set(seen).__contains__, widgets))
        late = {widget: True for widget in hidden if widget in polished or self._waiting.get(widget)}
        _set(polished, _POLISHED, False)  # Qt skips what is not polished
        _set(widgets, _OWN_STYLE, True)  # and notifies none of a new style that has its own
        app.setStyleSheet("")  # from one sheet to another Qt would restyle each widget once for every ancestor
        _set(filter(polished.__contains__, seen), _POLISHED, True)
        _set(seen, _OWN_STYLE, False)
        app.setStyleSheet(sheet)
        self._wait_with(late, hidden)
        _set(filterfalse(self._waiting.__contains__, hidden), _OWN_STYLE, False)
        for widget in hidden:
            if widget not in late and not widget.testAttribute(_OWN_FONT):
                widget.setFont(QFont())  # one that was never shown keeps the font of the day it was made otherwise
        for widget in seen:
            self._notify(widget)

    def _wait_with(self, late: dict[QWidget, bool], hidden: Iterable[QWidget]) -> None:
        before = self._waiting
        self._waiting = {widget: widget in late for widget in hidden if widget in late or widget in self._followers}
        for widget in before.keys() - self._waiting.keys():
            if isValid(widget):
                widget.removeEventFilter(self)
        for widget in self._waiting.keys() - before.keys():
            widget.installEventFilter(self)
        waiting = list(filter(isValid, self._waiting))
        for widget in list(compress(waiting, map(QWidget.isVisible, waiting))):
            if widget in self._waiting:  # else another one that the new layout shows has shown it
                self._restyle(widget)
        self._go_on()

    def _go_on(self) -> None:
        if self._timer is None:  # no application exists when the module is imported
            self._timer = QTimer(self)
            self._timer.setSingleShot(True)
            self._timer.setInterval(PAUSE_MS)
            self._timer.timeout.connect(self._some)
        if self._waiting:
            self._timer.start()

    def _some(self) -> None:
        until = time.perf_counter() + SLICE_SECONDS
        while self._waiting and time.perf_counter() < until:
            self._restyle(next(iter(self._waiting)))
        self._go_on()

    def _restyle(self, widget: QWidget) -> None:
        is_late = self._waiting.pop(widget)
        if not isValid(widget):
            return
        widget.removeEventFilter(self)
        widget.setAttribute(_OWN_STYLE, False)
        if is_late:
            widget.style().polish(widget)
            widget.setAttribute(_POLISHED, True)
            QApplication.sendEvent(widget, QEvent(QEvent.Type.StyleChange))
        self._notify(widget)

    def notify_within(self, widget: QWidget) -> None:
        """Calls the followers of a widget and of all in it."""
        for part in [widget, *widget.findChildren(QWidget)]:
            self._notify(part)

    def _notify(self, widget: QWidget) -> None:
        for follower in self._followers.get(widget, ()):
            act = follower()
            if act is not None and isValid(widget):
                act()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Restyle a widget before it is painted for the first time."""
        if event.type() == QEvent.Type.Show and isinstance(watched, QWidget) and watched in self._waiting:
            self._restyle(watched)
        return False


def _in_order(app: QApplication) -> dict[QWidget, None]:
    widgets: dict[QWidget, None] = {}
    for top in app.topLevelWidgets():
        widgets[top] = None
        widgets.update(dict.fromkeys(top.findChildren(QWidget)))
    return widgets


def _paint_again(window: QWidget) -> None:
    """Qt asks for no update of a window that is dirty already; one that came meanwhile painted nothing."""
    window.setUpdatesEnabled(True)
    QCoreApplication.postEvent(window, QEvent(QEvent.Type.UpdateRequest))


def _set(widgets: Iterable[QWidget], attribute: Qt.WidgetAttribute, value: bool) -> None:
    deque(map(QWidget.setAttribute, widgets, repeat(attribute), repeat(value)), maxlen=0)


SPACE_1: Final = 4
SPACE_2: Final = 8
SPACE_3: Final = 12
SPACE_4: Final = 16
CONTROL_RADIUS: Final = 7
TEXT_PX: Final = 13
LEAST_PX: Final = 11
"""The smallest text, at normal text size."""
SCALES: Final = (0.8, 0.9, 1.0, 1.1, 1.25, 1.5, 1.75, 2.0)

FAMILY: Final = "Inter"
FONT_FILES: Final = ("Inter-Regular.otf", "Inter-Medium.otf", "Inter-SemiBold.otf", "Inter-Bold.otf")

LEAST_TEXT_CONTRAST: Final = 4.5
"""Least contrast of text to what is behind it (WCAG)."""

N_RUN_COLORS: Final = 6

SYSTEM, LIGHT_NAME, DARK_NAME = "system", "light", "dark"


@dataclass(frozen=True)
class Theme:
    """The tokens of one theme: ``#rrggbb`` strings by purpose."""

    name: str
    background: str
    pane: str
    side: str
    line: str
    control: str
    text: str
    dim: str
    faint: str
    soft: str
    others: str
    accent: str
    accent_soft: str
    accent_text: str
    on_accent: str
    good: str
    good_soft: str
    warning: str
    warning_soft: str
    warning_edge: str
    bad: str
    bad_soft: str
    better: str
    worse: str
    classes: tuple[str, ...]
    runs: tuple[str, ...]
    colored: frozenset[int] | None = None
    """Codes of the classes that have their colours, the others are grey (``others``); None for all."""

    @property
    def is_dark(self) -> bool:
        return self.name == DARK_NAME

    def class_color(self, code: int) -> QColor:
        """Colour of a class by code: forty fixed ones, then generated ones; dim for a missing class (-1)."""
        if code < 0:
            return QColor(self.dim)
        if self.colored is not None and code not in self.colored:
            return _parsed(self.others)
        if code < len(self.classes):
            return _parsed(self.classes[code])
        return _generated(code - len(self.classes), self.is_dark)

    def only(self, colored: frozenset[int] | None) -> Theme:
        """The theme in which only these classes have their colours."""
        return replace(self, colored=colored)

    def colored_first(self, k: int) -> list[int]:
        """The codes of k classes in the order of a stack: those without their colours last."""
        return sorted(range(k), key=lambda code: self.colored is not None and code not in self.colored)

    def class_text_color(self, code: int) -> QColor:
        """Colour of a class for its name, in contrast to panes and to soft cards (WCAG 4.5 to 1)."""
        color, ground = self.class_color(code), _luminance(self.color("soft"))
        while _contrast(_luminance(color), ground) < LEAST_TEXT_CONTRAST:
            color = QColor((color.lighter(105) if self.is_dark else color.darker(105)).name())
        return color

    def run_color(self, place: int) -> QColor:
        """Colour of a run or a series by its place in the picture; the first is the run in view."""
        return _parsed(self.runs[place % len(self.runs)])

    def color(self, token: str) -> QColor:
        """A token's colour by its name: "accent", "line" ..."""
        return _parsed(getattr(self, token))


def _luminance(color: QColor) -> float:
    parts = (color.redF(), color.greenF(), color.blueF())
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def _contrast(first: float, second: float) -> float:
    """The contrast of two luminances (WCAG), from 1 to 21."""
    return (max(first, second) + 0.05) / (min(first, second) + 0.05)


@cache
def _read(written: str) -> QColor:
    return QColor(written)


def _parsed(written: str) -> QColor:
    """A new colour object; its name is parsed once, as painting asks for it a hundred times."""
    return QColor(_read(written))


CLASSES_LIGHT: Final = (
    "#0072b2 #d55e00 #009e73 #cc79a7 #e69f00 #56b4e9 #f0e442 #000000 "
    "#96b400 #a5695a #781ea5 #f0a578 #5a5a87 #c31e0f #787800 #782d5a #00695a #b4a5e1 #96002d #5a4b00 "
    "#008700 #d20078 #b469f0 #2d5a1e #96691e #00c3c3 #78965a #003cb4 #e19696 #87c396 #0fb43c #695ae1 "
    "#ff87ff #c3b478 #965a96 #ff694b #5a87ff #783c0f #1e8796 #ff3c69"
)
"""Colours of the classes: eight after Okabe and Ito, then those the farthest apart (CIEDE2000) with enough chroma and
contrast, in an order in which neighbours, and classes with the same symbol, are far apart too.
"""
CLASSES_DARK: Final = (
    "#4ba6de #f0883e #35c39a #e0a0c6 #f0b432 #86cef7 #f3ea6b #d5dae1 "
    "#aaee55 #ffccaa #dd77ee #996600 #0077ff #bb5500 #bbcc99 #aa6677 #008877 #8855dd #aa5544 #99aa00 "
    "#22bb44 #dd0055 #9977aa #008800 #aa9966 #00eeee #779966 #bbbbee #ee5533 #aaeecc #22ff99 #9988ff "
    "#ff5599 #777700 #cc1199 #aa7755 #007799 #bb8800 #00aabb #ff9988"
)
"""In the order of the hues of the light theme, so that a class keeps its family of colours in both."""

LIGHT: Final = Theme(
    name=LIGHT_NAME,
    background="#f4f5f7",
    pane="#ffffff",
    side="#fafbfc",
    line="#e4e8ed",
    control="#c8cfd8",
    text="#17202b",
    dim="#56616e",
    faint="#7c8795",
    soft="#edf0f3",
    others="#6f7a87",
    accent="#3d4fd1",
    accent_soft="#eceffd",
    accent_text="#3140b8",
    on_accent="#ffffff",
    good="#22774d",
    good_soft="#e2f3ea",
    warning="#8a5600",
    warning_soft="#fdf3df",
    warning_edge="#eed39c",
    bad="#b3261e",
    bad_soft="#fce8e6",
    better="#2f7d4f",
    worse="#b4336f",
    classes=tuple(CLASSES_LIGHT.split()),
    runs=("#17202b", "#7a4ea8", "#a87a10", "#23868f", "#a83a5c", "#66727f"),
)

DARK: Final = Theme(
    name=DARK_NAME,
    background="#12161b",
    pane="#191e24",
    side="#15191f",
    line="#2a313a",
    control="#434d59",
    text="#e7ebf0",
    dim="#a3adb9",
    faint="#7f8a97",
    soft="#242b33",
    others="#7d8996",
    accent="#8e9cff",
    accent_soft="#262d52",
    accent_text="#a9b4ff",
    on_accent="#0f1430",
    good="#7fd3a6",
    good_soft="#173326",
    warning="#f0c274",
    warning_soft="#33291a",
    warning_edge="#5e4a24",
    bad="#ff9a92",
    bad_soft="#402222",
    better="#79c795",
    worse="#ee8ab6",
    classes=tuple(CLASSES_DARK.split()),
    runs=("#e7ebf0", "#b996e6", "#ddb65a", "#67c3cb", "#ee8ca8", "#98a3b0"),
)

_TURN: Final = 17 / 24
"""Step between the hues of generated colours. Symbols repeat after sixteen classes, with a hue a third of the circle
away."""
_LIGHTNESSES: Final = {False: (0.60, 0.25, 0.42), True: (0.72, 0.67, 0.54)}
_FIRST_HUE: Final = 11 / 24
_SATURATIONS: Final = {False: (0.45, 0.45, 0.45), True: (0.76, 0.93, 0.52)}
"""Saturation for each lightness: a light colour with little saturation looks white."""


def _generated(index: int, dark: bool) -> QColor:
    """Distinct colours: hues in even steps and three lightnesses, in another order each time the hues repeat."""
    hue, level = (_FIRST_HUE + index * _TURN) % 1.0, (index + index // 24) % 3
    red, green, blue = colorsys.hls_to_rgb(hue, _LIGHTNESSES[dark][level], _SATURATIONS[dark][level])
    return QColor.fromRgbF(red, green, blue)


@cache
def _load_fonts() -> None:
    """Give Qt the weights of Inter that the window uses; other scripts fall back to the system's fonts."""
    for name in FONT_FILES:
        QFontDatabase.addApplicationFont(str(Path(resources.FOLDER) / "fonts" / name))


TIP_WIDTH: Final = 440
"""Largest width of a tooltip, about 60 characters: Qt wraps rich text only, and gives a plain sentence one line."""
BELOW_POINTER: Final = 24
"""Distance of a tooltip above the pointer from one below it, as Qt has it."""
ZERO_WIDTH_SPACE: Final = "\u200b"


class TipWrapper(QObject):
    """Wraps the text of tooltips that are wider than :data:`TIP_WIDTH`, in whatever way they came to be."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._is_wrapping = False

    def limit(self, tip: QLabel) -> None:
        """Limits the width of a tooltip that has no text yet, so that Qt places it by its width on the screen."""
        tip.setMaximumWidth(themes.px(TIP_WIDTH))
        tip.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        is_sized = event.type() in (QEvent.Type.Show, QEvent.Type.Resize)
        if is_sized and isinstance(watched, QLabel) and not self._is_wrapping:
            self._is_wrapping = True
            self._wrap(watched, is_new=event.type() is QEvent.Type.Show)
            self._is_wrapping = False
        return False

    @staticmethod
    def _wrap(tip: QLabel, *, is_new: bool) -> None:
        """Gives a text that exceeds the width as many lines as it needs; Qt places a tip that is not new by itself."""
        most, text, before = tip.maximumWidth(), tip.text().replace(ZERO_WIDTH_SPACE, ""), tip.geometry()
        tip.setWordWrap(False)
        around = tip.sizeHint().width() - _text_width(tip.text(), tip.fontMetrics())
        if around + _text_width(text, tip.fontMetrics()) <= most:
            return
        tip.setWordWrap(True)
        tip.setText(breakable(text, most - around, tip.fontMetrics()))
        tip.resize(most, tip.heightForWidth(most))
        if is_new:
            tip.setGeometry(QRect(_inside(tip.screen().availableGeometry(), before, tip.size()), tip.size()))


def _inside(ground: QRect, before: QRect, size: QSize) -> QPoint:
    """Where a tooltip of another ``size`` than ``before`` is on the screen, and not below the pointer."""
    top = before.top()
    if top + size.height() > ground.bottom():
        is_above = QCursor.pos().y() >= before.bottom()
        top = (before.bottom() if is_above else top - BELOW_POINTER) - size.height()
    return QPoint(max(ground.left(), min(before.left(), ground.right() - size.width())), max(ground.top(), top))


def _text_width(text: str, metrics: QFontMetrics) -> int:
    """Width of the widest line of a text, in pixels."""
    return max(map(metrics.horizontalAdvance, text.split("\n")))


def breakable(text: str, room: int, metrics: QFontMetrics) -> str:
    """The text with places to break in words that are wider than ``room`` pixels, such as names of columns."""

    def word(part: str) -> str:
        return ZERO_WIDTH_SPACE.join(part) if metrics.horizontalAdvance(part) > room else part

    return "\n".join(" ".join(map(word, line.split(" "))) for line in text.split("\n"))


class WrappingTipsStyle(QProxyStyle):
    """Fusion with wrapped tooltips.

    Each tooltip is a label that Qt makes for itself and polishes before it sets its text. A filter of all events of
    the application would see it too, but makes building a page slower by half.
    """

    def __init__(self) -> None:
        super().__init__("Fusion")
        self._wrapper = TipWrapper(self)

    def polish(self, part: Any) -> Any:
        if isinstance(part, QLabel) and part.inherits("QTipLabel"):
            self._wrapper.limit(part)
        return super().polish(part)


class Themes(QObject):
    """The current theme and text size; ``changed`` comes once the visible widgets have them."""

    changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.current = LIGHT
        self.choice = SYSTEM
        self.scale = 1.0
        self._app: QApplication | None = None
        self._fonts: dict[tuple[int, bool], QFont] = {}
        self._updater = StyleUpdater()

    def follow(self, act: Callable[[], object]) -> None:
        """Call this method of a widget after each change: at once if visible, else when shown at the latest."""
        self._updater.follow(act)

    def follow_now(self, act: Callable[[], object]) -> None:
        """Calls this method now, and as :meth:`follow` does from now on."""
        self.follow(act)
        act()

    def set_length(self, setter: Callable[[Any, int], object], widget: QWidget, size: float) -> None:
        """Sets a length of a widget (``QWidget.setFixedWidth``) now, and after every change of the text size."""

        def act(widget: QWidget) -> None:
            setter(widget, self.px(size))

        self._updater.follow_with(widget, act)
        act(widget)

    def install(self, app: QApplication, choice: str = SYSTEM, scale: float = 1.0) -> None:
        """Apply a theme to the application; while ``choice`` is "system" the system's changes are followed."""
        self._app = app
        self.scale = scale
        app.setStyle(WrappingTipsStyle())
        app.styleHints().colorSchemeChanged.connect(self._system_changed)
        self.choose(choice)

    def choose(self, choice: str) -> None:
        """Choose the "light" or "dark" theme, or that of the "system"."""
        self.choice = choice if choice in (LIGHT_NAME, DARK_NAME) else SYSTEM
        self._apply()

    def set_scale(self, scale: float) -> None:
        if scale != self.scale:
            self.scale = scale
            self._apply()

    def step_scale(self, steps: int) -> None:
        index = min(range(len(SCALES)), key=lambda i: abs(SCALES[i] - self.scale))
        self.set_scale(SCALES[max(0, min(len(SCALES) - 1, index + steps))])

    @contextmanager
    def worn(self, theme: Theme, widget: QWidget) -> Iterator[None]:
        """Lets a widget paint a picture in another theme meanwhile; the rest of the window keeps its own."""
        before = self.current
        try:
            self._wear(theme, widget)
            yield
        finally:
            self._wear(before, widget)

    def _wear(self, theme: Theme, widget: QWidget) -> None:
        if theme is not self.current:
            self.current = theme
            self._updater.notify_within(widget)

    def px(self, size: float) -> int:
        """A length scaled with the text size."""
        return max(1, round(size * self.scale))

    def font(self, size: float = TEXT_PX, *, bold: bool = False) -> QFont:
        """Inter with tabular figures, at a size in pixels before scaling, never below :data:`LEAST_PX`."""
        key = (self.px(max(size, LEAST_PX)), bold)
        if key not in self._fonts:
            self._fonts[key] = self._made_font(*key)
        return QFont(self._fonts[key])

    def _made_font(self, pixels: int, bold: bool) -> QFont:
        _load_fonts()
        font = QFontDatabase.systemFont(QFontDatabase.SystemFont.GeneralFont)
        font.setFamilies([FAMILY, font.family()])
        font.setPixelSize(pixels)
        font.setWeight(QFont.Weight.DemiBold if bold else QFont.Weight.Normal)
        font.setFeature(QFont.Tag("tnum"), 1)
        return font

    def _system_changed(self) -> None:
        if self.choice == SYSTEM:
            self._apply()

    def _wanted(self) -> Theme:
        if self.choice != SYSTEM or self._app is None:
            return DARK if self.choice == DARK_NAME else LIGHT
        return DARK if self._app.styleHints().colorScheme() is Qt.ColorScheme.Dark else LIGHT

    def _apply(self) -> None:
        self.current = self._wanted()
        self._fonts.clear()
        if self._app is None:
            return
        self._app.setPalette(palette(self.current))
        self._app.setFont(self.font())
        if "pyqtgraph" in sys.modules:
            configure_plots()
        self._updater.apply(self._app, style_sheet(self.current, self.scale))
        self.changed.emit()


themes: Final = Themes()
"""Themes of the one application, as Qt has one palette and one style sheet."""


HEX_COLOR: Final = re.compile(r"(?<=color:)#[0-9a-fA-F]{6}")
TOKENS_OF_WORDS: Final = ("better", "worse", "good", "bad", "warning", "faint", "dim", "accent", "text")
"""The colours of a theme that words in rich text have; where two are the same, the later counts."""


def recolored(text: str, before: Theme) -> str:
    """Rich text whose words have the colours of the theme ``before``, in those of the current one."""
    others = {getattr(before, token): getattr(current_theme(), token) for token in TOKENS_OF_WORDS}
    return HEX_COLOR.sub(lambda color: others.get(color[0], color[0]), text)


def current_theme() -> Theme:
    return themes.current


def configure_plots() -> None:
    """Gives new plots the colours of the theme, and smooth lines; also to be called once pyqtgraph is imported."""
    import pyqtgraph  # late: the window opens without it

    colors = current_theme()
    pyqtgraph.setConfigOptions(background=colors.pane, foreground=colors.dim, antialias=True)


def class_color(code: int) -> QColor:
    """Colour of a class in the current theme."""
    return themes.current.class_color(code)


def set_property(widget: QWidget, name: str, value: object) -> None:
    """Set a property used by the style sheet and restyle the widget; an unset property counts as false."""
    before = widget.property(name)
    if before != value and (before is not None or value):
        widget.setProperty(name, value)
        widget.style().unpolish(widget)
        widget.style().polish(widget)
        QWidget.update(widget)  # views have one of their own, of an index


def palette(theme: Theme) -> QPalette:
    """The Qt palette, used by the style for check boxes, sliders and selections."""
    qt_palette = QPalette()
    roles = QPalette.ColorRole
    colors = {
        roles.Window: theme.background,
        roles.WindowText: theme.text,
        roles.Base: theme.pane,
        roles.AlternateBase: theme.soft,
        roles.Text: theme.text,
        roles.PlaceholderText: theme.dim,
        roles.Button: theme.pane,
        roles.ButtonText: theme.text,
        roles.BrightText: theme.bad,
        roles.ToolTipBase: theme.pane,
        roles.ToolTipText: theme.text,
        roles.Highlight: theme.accent,
        roles.HighlightedText: theme.on_accent,
        roles.Accent: theme.accent,
        roles.Link: theme.accent,
        roles.LinkVisited: theme.accent,
        roles.Mid: theme.line,
        roles.Midlight: theme.soft,
        roles.Light: theme.pane,
        roles.Dark: theme.dim,
        roles.Shadow: theme.line,
    }
    for role, color in colors.items():
        qt_palette.setColor(role, QColor(color))
    for role in (roles.WindowText, roles.Text, roles.ButtonText):
        qt_palette.setColor(QPalette.ColorGroup.Disabled, role, QColor(theme.dim))
    return qt_palette


def style_sheet(theme: Theme, scale: float = 1.0) -> str:
    """``resources/themes/window.qss`` with ``@names`` replaced by tokens, ``@13px`` by a scaled length."""
    sheet = (Path(resources.FOLDER) / "themes" / "window.qss").read_text("utf-8")
    tokens = {name: value for name, value in asdict(theme).items() if isinstance(value, str)}
    tokens["icons"] = (Path(resources.FOLDER) / "icons").as_posix()
    for name in sorted(tokens, key=len, reverse=True):
        sheet = sheet.replace(f"@{name}", tokens[name])
    for size in range(40, 3, -1):
        sheet = sheet.replace(f"@{size}px", f"{max(1, round(size * scale))}px")
    return sheet
