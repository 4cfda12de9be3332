"""The palette (Ctrl+K): learners, attributes, measures, pages, runs, settings and actions, found by a few letters."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from heapq import nsmallest
from itertools import chain, groupby
from operator import itemgetter
from typing import Final, TypeVar

import numpy as np
from PySide6.QtCore import QEvent, QObject, QRectF, QSize, Qt, QTimer
from PySide6.QtGui import (
    QAction,
    QFontMetrics,
    QFontMetricsF,
    QKeyEvent,
    QKeySequence,
    QMouseEvent,
    QPainter,
    QPaintEvent,
)
from PySide6.QtWidgets import (
    QAbstractButton,
    QCheckBox,
    QFrame,
    QListWidget,
    QListWidgetItem,
    QMenu,
    QPushButton,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)
from shiboken6 import isValid

from algorithms.evaluation.measures.registry import MEASURES
from algorithms.export.formats import exporters_of
from algorithms.text.names import shortened
from workbench.app.selection_bar import EXPLAIN_SELECTED
from workbench.app.window_tabs import Tabs, go_on_in
from workbench.session.runs import Run
from workbench.session.session import Session
from workbench.style.theme import SPACE_2, SPACE_3, current_theme, themes
from workbench.tabs.classify.tab import ClassifyTab
from workbench.tabs.evaluate.compare_pane import PLAINLY as TESTS_OF_ALL
from workbench.tabs.evaluate.compare_pane import STATISTICS
from workbench.tabs.evaluate.confusion_pane import EXPLAIN_THESE, SELECT_ERRORS, SELECTS_ERRORS
from workbench.tabs.evaluate.tab import COMPARE, EvaluateTab
from workbench.viewers.charts.export import ChartMenuButton
from workbench.warnings.warning_drawer import WarningBadge
from workbench.widgets.buttons import IconButton, SegmentTrack
from workbench.widgets.fields import CHOOSES_VIEW, ElidedComboBox, SearchField
from workbench.widgets.help import HelpWindow
from workbench.widgets.help_pages import BETWEEN_NAMES, other_names, page, page_names
from workbench.widgets.labels import LinkLabel, label
from workbench.widgets.layouts import column_layout, named
from workbench.widgets.painting import MIDDLE_LEFT, MIDDLE_RIGHT, draw_row_ground, draw_text, draw_veil, saved
from workbench.widgets.tables import Index

ShowTab = Callable[..., object]
W = TypeVar("W", bound=QWidget)
LETTERS_ROLE: Final = int(Qt.ItemDataRole.UserRole) + 1
"""Places of the matching letters in the name."""

WIDTH: Final = 680
HEIGHT: Final = 560
"""Largest size at normal text size."""
MARGIN: Final = 56
SMALL: Final = 11
MOST_IN_GROUP: Final = 9
LONGEST: Final = 60
"""Most characters of a name."""
MOST_DIGITS: Final = 18
HELP: Final = "Help"
SETTINGS: Final = ("theme.", "larger", "smaller", "usual")
"""How the names of actions begin that are settings."""
LEAVE_OUT: Final = "Leave out attributes"
RANK: Final = "Rank attributes"
FILTER: Final = "Filter records"
TUNE: Final = "Tune"
TERMS: Final = {
    "Explain": ("what-if",),
    "Costs & threshold": ("cost matrix", "threshold"),
    "Performance": ("confidence interval",),
    "Predict new data": ("apply model",),
    LEAVE_OUT: ("exclude",),
    **dict.fromkeys(("Compare", "Compare learners", "Significance tests"), ("best learner",)),
    **dict.fromkeys((SELECT_ERRORS, EXPLAIN_THESE, EXPLAIN_SELECTED, "Confusion matrix"), ("errors",)),
}
"""The terms of the glossary whose names find an entry, by its name up to a colon without numbers; else its own name."""
PLAIN_WORDS: Final = {
    "Open": "load import CSV Excel file dataset",
    "Close": "exit quit",
    "Save project": "keep session",
    "Save test predictions": "export predictions",
    "Predict new data": "predictions",
    "Predict new data by a saved model": "load model",
    "New experiment": "benchmark several data sets files learners",
    "Help": "manual documentation keyboard shortcuts hotkeys",
    "Guided run": "tutorial getting started demo",
    "Notifications": "messages log",
    "About Coppice": "version license",
    "Larger text": "font size zoom in bigger",
    "Smaller text": "font size zoom out smaller",
    "Reset text size": "default zoom font size",
    "Theme: dark": "dark mode night appearance settings preferences",
    "Theme: light": "light mode day appearance settings preferences",
    "Theme: as the system": "appearance settings preferences",
    "Preprocess": "preprocessing recipe pipeline clean data",
    "Classify": "train fit build model learn",
    "Explain": "SHAP contributions local explanation why wrong one record flip what would change counterfactual",
    "Next error": "why wrong",
    "Parameter search": "hyperparameters tuning optimize",
    TUNE: "hyperparameters tuning optimize parameter search",
    "Learning curve": "more data sample size overfitting underfitting",
    "Attribute importance": "what drives the model",
    "Error groups": "subgroups slices where it errs weak spots",
    "Possible label errors": "mislabeled wrong class labels noisy labels confident learning",
    "Error by attribute": "fairness error rates by group bias",
    "Attribute effects": "partial dependence PDP ICE ALE interaction",
    "Surrogate tree": "global surrogate approximation",
    "Holdout": "train test split",
    "Compare": "p-value significance disagreement disagree where runs differ",
    "Associations": "correlation",
    SELECT_ERRORS: "wrong predictions misclassified",
    "Use as class": "target outcome",
    FILTER: "rows where search",
    "Warnings": "leakage problems data quality checks duplicates",
    RANK: "feature importance attribute importance information gain ranking",
    LEAVE_OUT: "delete drop remove column",
    "Add step: Select attributes": "feature selection",
    "Add step: Balance classes": "oversample undersample SMOTE imbalanced",
    "Add step: Encode nominal attributes": "one-hot dummy variables",
    "Add step: Impute missing values": "missing values fill in",
    "Save picture": "export image screenshot",
    "Corrected resampled t": "t-test",
    "C4.5 decision tree": "J48",
    "CART": "rpart",
    "RIPPER": "JRip",
    "1R": "OneR",
    "ZeroR (majority class)": "dummy baseline",
    "k-nearest neighbours": "kNN IBk nearest neighbor",
    "Support vector machine": "SVM SMO SVC",
    "Neural network": "MLP multilayer perceptron deep learning",
    "Gradient boosting": "XGBoost LightGBM GBM",
}
"""What people type to find an entry that has another name, by its name or the part of it up to a colon."""
ACTIONS: Final = ("palette.open", "undo", "redo")
"""Buttons that stand for an action of the window."""
NAMED_BY_USERS: Final = ("Attributes", "Runs")
GROUPS: Final = (
    "Commands",
    "Pages",
    "Views",
    "Records",
    "Learners",
    "Runs",
    "Options",
    "Attributes",
    "Steps",
    "Test methods",
    "Exports",
    "Settings",
    "Measures",
    "Significance tests",
    HELP,
)
"""Order of equally good matches."""


@dataclass(frozen=True)
class PaletteEntry:
    """Something to do: its name, where it leads, its shortcut, and other words that find it."""

    group: str
    name: str
    act: Callable[[], object]
    hint: str = ""
    shortcut: str = ""
    also: str = ""
    leads: tuple[str, ...] = ()
    """Searches that it answers before an entry of that very name."""

    @cached_property  # each key asks thousands of attributes
    def text(self) -> str:
        """What is searched, in small letters: the name, and what else it is called, by the glossary too."""
        known = re.sub(r"\d[\d,]* ", "", self.name.partition(":")[0])
        terms = () if self.group in NAMED_BY_USERS else TERMS.get(known, (self.name,))
        plain = "" if self.group in NAMED_BY_USERS else PLAIN_WORDS.get(self.name, PLAIN_WORDS.get(known, ""))
        return " ".join(filter(None, (self.name, self.also, *map(other_names, terms), plain))).lower()

    @cached_property
    def initials(self) -> tuple[int, ...]:
        """Where the words of the name begin."""
        own = f"{self.name} {self.also}".lower()
        return tuple(match.start() for match in WORD_BEGINS.finditer(own))

    def begins_with(self, words: Sequence[str]) -> bool:
        """Whether the name, or its part after a colon, begins with these whole words."""
        name = self.name.lower().replace("-", " ")
        n = len(words)
        return any(part.split()[:n] == list(words) for part in (name, name.rpartition(":")[2])) and n > 0


WORD_BEGINS: Final = re.compile(r"(?<![^\W_])[^\W_]")
INSIDE: Final = 100
"""From this cost on, a match is no beginning of a word."""


def letters_of(words: Iterable[str], entry: PaletteEntry) -> tuple[int, list[Iterable[int]]] | None:
    """Rank of a match (beginning, any part, initials), smaller is better, and its places; None without a match."""
    text, cost, letters = entry.text, 0, list[Iterable[int]]()
    for word in words:
        first = start = text.find(word)
        if first < 0:
            places = _in_order(word, text, entry.initials) if len(word) > 1 else None
            if places is None:
                return None
            cost += 10 * INSIDE + places[-1] - places[0]
            letters.append(places)
            continue
        while start > 0 and text[start - 1].isalnum():
            start = text.find(word, start + 1)
        cost += INSIDE + first if start < 0 else min(start, 40)
        start = max(first, start)
        letters.append(range(start, start + len(word)))
    return cost, letters


def _in_order(letters: str, text: str, initials: Iterable[int]) -> list[int] | None:
    """Places of the letters among the initials, in their order; None if one is not there."""
    left, places = iter(initials), list[int]()
    for letter in letters:
        place = next((start for start in left if text[start] == letter), None)
        if place is None:
            return None
        places.append(place)
    return places


def matching(entries: Iterable[PaletteEntry], search: str) -> list[tuple[PaletteEntry, frozenset[int]]]:
    """The matching entries, the best of each group: first the very name, then beginnings of words, help last.

    Where a name begins with the very words, groups that have them only among other words come after it.
    """
    groups: dict[str, list[tuple[int, PaletteEntry, list[Iterable[int]]]]] = {}
    words = search.lower().split()
    for entry in entries:
        match = letters_of(words, entry)
        if match is not None:
            groups.setdefault(entry.group, []).append((match[0], entry, match[1]))
    best = {name: nsmallest(MOST_IN_GROUP, group, key=itemgetter(0)) for name, group in groups.items()}

    is_named = any(
        entry.begins_with(words) for name, group in groups.items() if name != HELP for _cost, entry, _letters in group
    )

    def order(item: tuple[str, list[tuple[int, PaletteEntry, list[Iterable[int]]]]]) -> tuple[bool | int, ...]:
        name, ((cost, entry, letters), *_) = item
        is_meant = " ".join(words) in entry.leads
        is_elsewhere = is_named and max(chain(*letters), default=0) >= len(entry.name)
        is_other = entry.name.lower() != search.strip().lower()
        return name == HELP, not is_meant, is_other, is_elsewhere, cost >= INSIDE, GROUPS.index(name)

    ordered = sorted(best.items(), key=order)
    return [(entry, frozenset(chain(*letters))) for _name, group in ordered for _cost, entry, letters in group]


def entries_of(
    session: Session,
    actions: Mapping[str, QAction],
    tabs: Tabs,
    show_tab: ShowTab,
    help_window: Callable[[], HelpWindow],
) -> Iterator[PaletteEntry]:
    """What can be done now in a window."""
    yield from _of_document(session, actions, tabs, show_tab)
    for name in page_names():
        topic = page(name)
        show = partial(_show_help, help_window, name)
        yield PaletteEntry(HELP, topic.title, show)
        for head in re.findall(r"^## (.+)$", topic.text, re.MULTILINE):
            act = partial(_show_help, help_window, name, head)
            yield PaletteEntry(HELP, head.partition(BETWEEN_NAMES)[0], act, topic.title)


def _show_help(help_window: Callable[[], HelpWindow], name: str, head: str = "") -> None:
    help_window().show_page(name, head)


def record_entries(session: Session, tabs: Tabs, show_tab: ShowTab, search: str) -> list[PaletteEntry]:
    """What can be done with the record whose number was typed; in Explain, or so asked, explaining it comes first."""
    data, number = session.data, re.fullmatch(r"\s*(explain\s+)?(?:record\s+)?#?([\d,]+)\s*", search.lower())
    digits = number.group(2).replace(",", "") if number is not None else ""
    if data is None or not digits:
        return []
    record = int(digits[:MOST_DIGITS]) - 1
    rows, run = np.flatnonzero(data.row_ids == record), session.current_run

    def show() -> None:
        show_tab(0, go_on_in)
        session.selection.select(data, rows, by="its number")

    in_table = PaletteEntry("Records", f"Record {int(digits):,} in the table", show, "Preprocess")
    entries = [in_table] if len(rows) else []
    if run is not None and run.trained is not None and np.any(run.data.row_ids == record):
        explain = partial(session.explain, record)
        entries.append(PaletteEntry("Records", f"Explain record {int(digits):,}", explain, "Visualize, Explain"))
    page = tabs.findChild(QWidget, "visualize.what-if")
    is_to_explain = number is not None and number.group(1) is not None
    return entries[::-1] if is_to_explain or (page is not None and page.isVisible()) else entries


def _of_document(
    session: Session, actions: Mapping[str, QAction], tabs: Tabs, show_tab: ShowTab
) -> Iterator[PaletteEntry]:
    is_open = session.data is not None
    pages = list(_pages(session, tabs, show_tab)) if is_open else []
    for name, action in actions.items():
        is_page = name.startswith("show.")
        if name == "palette" or not action.isEnabled() or (is_page and not is_open):
            continue
        group = "Pages" if is_page else "Settings" if name.startswith(SETTINGS) else "Commands"
        keys = action.shortcut().toString(QKeySequence.SequenceFormat.NativeText)
        yield PaletteEntry(group, action.toolTip(), action.trigger, shortcut=keys)
    yield from pages
    recent = tabs.window().findChild(QMenu, "menu.recent")
    for action in [] if recent is None else recent.actions():
        name = f"Open recent: {action.text().replace('&&', '&')}"
        yield PaletteEntry("Commands", name, partial(_choose, action), action.toolTip())
    if not is_open:
        return
    of_window = {_words_of(action.toolTip()) for action in actions.values() if action.isEnabled()}
    yield from (control for control in _controls(tabs.window()) if control.name not in of_window)
    for index, tab in enumerate(tabs.made().values()):
        for part, where, bring in () if tab is None else tab.parts():
            if not part.isVisible():
                show = _after(tabs, show_tab, index, lambda _tab, bring=bring: bring())
                yield from _controls(part, where, show)
    train = tabs.findChild(QPushButton, "classify.start")
    if train is None or (not train.isVisible() and train.isEnabled()):
        act = _after(tabs, show_tab, 1, lambda tab: tab.start_training())
        yield PaletteEntry("Commands", "Train", act, "Classify")
    act = _after(tabs, show_tab, 1, lambda tab: tab.tried.add.click())
    yield PaletteEntry("Commands", TUNE, act, "Classify, search values of an option")
    yield PaletteEntry("Commands", "Compare learners", session.ask_for_comparison, "Classify")
    act = _after(tabs, show_tab, 0, lambda tab: tab.attributes.view.setFocus())
    yield PaletteEntry("Commands", LEAVE_OUT, act, "Preprocess, Space on each")
    act = _after(tabs, show_tab, 0, lambda tab: tab.records.open_filter())
    yield PaletteEntry("Commands", FILTER, act, "Preprocess")
    yield PaletteEntry("Commands", RANK, _after(tabs, show_tab, 0, lambda tab: tab.open_ranking()), "Preprocess")
    for badge in tabs.window().findChildren(WarningBadge):
        yield PaletteEntry("Commands", "Warnings", badge.click, "of the run in view", also=badge.accessibleName())
    for run in reversed(session.runs):
        show = partial(session.set_current_run, run)
        name = f"{run.number} · {run.learner.name}"
        yield PaletteEntry("Runs", name, show, "run, shown on all pages", also=f"run {run.number}")
    for learner in (one for one in session.registry.learners if one.listed):
        act = _after(tabs, show_tab, 1, lambda tab, learner=learner: tab.learners.take(learner))
        yield PaletteEntry("Learners", learner.name, act, f"learner for the next run, {learner.family}")
    yield from _settings_of_runs(session, tabs, show_tab)
    for attribute in session.data.schema.attributes if session.data is not None else ():
        act = _after(tabs, show_tab, 0, lambda tab, name=attribute.name: tab.attributes.choose(name))
        yield PaletteEntry("Attributes", attribute.name, act, f"Preprocess, {attribute.kind.value}")
    if session.current_run is not None and session.current_run.report is not None:
        show_matrix = _after(tabs, show_tab, 2, lambda tab: tab.show_confusion_matrix())
        yield PaletteEntry("Pages", "Confusion matrix", show_matrix, "Evaluate, Performance")
        yield from _of_tested_run(session, tabs, show_tab, session.current_run)
        explained = tabs.findChild(QWidget, "visualize.what-if")
        if session.current_run.trained is not None and (explained is None or not explained.isVisible()):
            next_error = _after(tabs, show_tab, 3, lambda tab: tab.explain_next_error())
            leads = () if len(session.selection) else ("explain", "why")  # selected records are explained first
            hint, also = "explains the next record predicted wrong", "explain" if leads else ""
            yield PaletteEntry("Records", "Next error", next_error, hint, also=also, leads=leads)
        select = _after(tabs, show_tab, 2, lambda tab: tab.select_errors())
        button = tabs.findChild(QPushButton, SELECTS_ERRORS)
        also = "" if button is None else _words_of(button.text())
        yield PaletteEntry("Commands", SELECT_ERRORS, select, "Evaluate, Performance", also=also)
        for measure in MEASURES:
            act = _after(tabs, show_tab, 2, lambda tab, measure=measure: tab.show_measure(measure))
            yield PaletteEntry("Measures", measure.name, act, "Evaluate, all metrics")


def _settings_of_runs(session: Session, tabs: Tabs, show_tab: ShowTab) -> Iterator[PaletteEntry]:
    """What the next run is set by: steps of the recipe, test methods, and options of the chosen learner."""
    for step in session.registry.filters:
        act = _after(tabs, show_tab, 0, lambda tab, step=step: tab.recipe.add(step))
        yield PaletteEntry("Steps", f"Add step: {step.name}", act, "Preprocess, recipe", also=step.id.replace("-", " "))
    for method in session.registry.methods:
        act = _after(tabs, show_tab, 1, lambda tab, method=method: tab.methods.choose(method))
        yield PaletteEntry("Test methods", method.name, act, "Classify, Test with")
    act = _after(tabs, show_tab, 1, lambda tab: tab.methods.focus_seed())
    yield PaletteEntry("Options", "Random seed", act, "Classify, Test with")
    classify = tabs.made().get("Classify")
    form = classify.form if isinstance(classify, ClassifyTab) else None
    for name, words in {} if form is None else form.options().items():
        act = _after(tabs, show_tab, 1, lambda tab, name=name: tab.form.focus_option(name))
        yield PaletteEntry("Options", words, act, "Classify, options")


def _of_tested_run(session: Session, tabs: Tabs, show_tab: ShowTab, run: Run) -> Iterator[PaletteEntry]:
    """Exports of the model of a run, its decision rule, and the tests of its difference from others."""
    if run.trained is not None:
        kind = type(run.trained.structure())
        for exporter in exporters_of(kind):
            act = _after(tabs, show_tab, 3, lambda tab, name=exporter.format.name: tab.save_model_as(run, name))
            yield PaletteEntry("Exports", f"Export model: {exporter.format.name}", act, "Visualize, Model")
        save = partial(session.saving_asked.emit, "model")
        yield PaletteEntry("Exports", "Export model: model file", save, "to predict with later")
    use = tabs.findChild(QPushButton, "evaluate.board.use")
    if use is None or not use.isVisible():
        act = _after(tabs, show_tab, 2, lambda tab: tab.use_cheapest_threshold())
        yield PaletteEntry("Commands", "Use threshold", act, "the cheapest, Evaluate, Costs & threshold")
    if session.decisions.active_choice(run) is not None:
        reset = partial(session.decisions.choose, run, None)
        yield PaletteEntry("Commands", "Reset threshold", reset, "decision rule of the run in view")
    for test in dict.fromkeys((*STATISTICS, *TESTS_OF_ALL)):
        act = _after(tabs, show_tab, 2, lambda tab: tab.pages.show_view(COMPARE))
        yield PaletteEntry("Significance tests", test, act, "Evaluate, Compare")


def _pages(session: Session, tabs: Tabs, show_tab: ShowTab) -> Iterator[PaletteEntry]:
    """The pages inside the tabs made so far, by the segments that lead to them."""
    has_model = session.current_run is not None and session.current_run.trained is not None
    for index, (tab_name, tab) in enumerate(tabs.made().items()):
        for track in [] if tab is None else tab.findChildren(SegmentTrack):
            for segment in track.findChildren(QAbstractButton):
                if (segment.isEnabled() or has_model) and not segment.isHidden():
                    act = _after(tabs, show_tab, index, lambda _tab, segment=segment: _turn_to(segment))
                    if segment.objectName() == "visualize.page.explain" and len(session.selection):
                        act = session.explain  # the model that erred on one of them, as from every other page
                    name = segment.accessibleName().replace("&&", "&")
                    yield PaletteEntry("Pages", name, act, tab_name)
        for view, name in tab.pages.analyses if isinstance(tab, EvaluateTab) else ():
            act = _after(tabs, show_tab, index, lambda tab, view=view: tab.pages.show_view(view))
            yield PaletteEntry("Pages", name, act, "Evaluate, Diagnostics")


def _turn_to(segment: QAbstractButton) -> None:
    (segment.click if segment.isEnabled() else segment.clicked.emit)()


def _controls(part: QWidget, where: str = "", bring: Callable[[], object] = lambda: None) -> Iterator[PaletteEntry]:
    """What the controls in a part of the window can do now, by the words that are seen, except pages and charts.

    ``where`` names a part that is not in view, whose views, modes and switches are offered; ``bring`` shows it.
    """

    def entry(name: str, act: Callable[[], object], hint: str, also: str = "", group: str = "Commands") -> PaletteEntry:
        def brought() -> None:
            bring()
            act()

        return PaletteEntry(group, name, brought, where or hint, also=also)

    def ready(kind: type[W]) -> list[W]:
        return [one for one in part.findChildren(kind) if one.isVisibleTo(part) and one.isEnabled()]

    for button in ready(QPushButton):
        name, spoken = _words_of(button.text()), _words_of(button.accessibleName())
        is_known = name in ("Compare learners", "Filter", TUNE) or button.objectName() == SELECTS_ERRORS
        is_known = is_known or isinstance(button.parent(), SegmentTrack)
        is_known = is_known or isinstance(button, WarningBadge)
        if len(button.text()) > 1 and not is_known and (button.isCheckable() or not where):
            act = button.click if button.menu() is None else partial(_open, button)
            yield entry(name, act, "in view" if spoken in ("", name) else spoken, spoken)
    boxes = ready(QCheckBox)
    times = Counter(box.text() for box in boxes)
    for box in boxes:  # of several with the same words, such as "missing", each has its whole name
        name = _words_of((times[box.text()] == 1 and box.text()) or box.accessibleName())
        yield entry(name, box.click, "on" if box.isChecked() else "off", box.accessibleName())
    for icon in ready(IconButton):
        if icon.menu() is None and not where and icon.objectName() not in ACTIONS:
            yield entry(_words_of(icon.accessibleName()), icon.click, "in view")
    for sentence in ready(LinkLabel):
        for target, words in () if where else sentence.links():
            yield entry(_words_of(words), partial(sentence.linkActivated.emit, target), "in view")
    for choice in ready(ElidedComboBox):
        for index in range(choice.count()) if choice.property(CHOOSES_VIEW) else ():
            if choice.model().index(index, 0).flags() & Qt.ItemFlag.ItemIsEnabled:
                name = f"{choice.accessibleName()}: {choice.itemText(index)}"
                yield entry(name, partial(_choose_view, choice, index), "in view", group="Views")
    openers: list[QPushButton | IconButton] = [*ready(QPushButton), *ready(IconButton)]
    for more in openers:
        menu, group = more.menu(), "Exports" if isinstance(more, ChartMenuButton) else "Commands"
        if menu is not None and more.objectName() != "menu":
            of = more.of or more.accessibleName() if isinstance(more, ChartMenuButton) else more.accessibleName()
            for action, place in _entries_in(menu, of):
                if (where and not action.isCheckable()) or _words_of(action.text()) == RANK:
                    continue
                yield entry(_words_of(action.text()), partial(_choose, action), place, place, group)


def _words_of(text: str) -> str:
    return text.strip("+ ….▾▸").replace("&&", "&")


def _choose_view(box: ElidedComboBox, index: int) -> None:
    box.setCurrentIndex(index)
    box.activated.emit(index)


def _entries_in(menu: QMenu, place: str) -> Iterator[tuple[QAction, str]]:
    """The entries of a menu and its submenus that can be chosen, each with the name of its menu."""
    for action in menu.actions():
        inner = action.menu()
        if not (action.isEnabled() and action.isVisible()) or action.isSeparator():
            continue
        if isinstance(inner, QMenu):
            yield from _entries_in(inner, action.text())
        else:
            yield action, place


def _open(opener: QPushButton) -> None:
    opener.setFocus()
    QTimer.singleShot(0, opener, opener.showMenu)


def _choose(entry: QAction) -> None:
    if isValid(entry):  # it may have gone while the palette was open
        entry.trigger()


def _after(tabs: Tabs, show_tab: ShowTab, index: int, act: Callable[..., object]) -> Callable[[], None]:
    def shown() -> None:
        show_tab(index)
        act(tabs.tab(index))

    return shown


class PaletteDelegate(QStyledItemDelegate):
    """Paints headings, and entries with the matching letters in bold, where each leads, and its shortcut."""

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        return QSize(0, QFontMetrics(themes.font()).height() + 2 * SPACE_2)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        theme, area = current_theme(), QRectF(option.rect).adjusted(SPACE_2, 0, -SPACE_2, 0)
        entry = index.data(Qt.ItemDataRole.UserRole)
        with saved(painter):
            if not isinstance(entry, PaletteEntry):
                draw_text(painter, area, index.data(), theme.color("dim"), themes.font(SMALL, bold=True), MIDDLE_LEFT)
                return
            draw_row_ground(painter, option)
            self._write_name(painter, area, entry.name, index.data(LETTERS_ROLE))
            draw_text(painter, area, entry.hint, theme.color("dim"), themes.font(SMALL), MIDDLE_LEFT)
            draw_text(painter, area, entry.shortcut, align=MIDDLE_RIGHT)

    @staticmethod
    def _write_name(painter: QPainter, area: QRectF, name: str, letters: frozenset[int]) -> None:
        """Paints the name, cut in its middle where it is long, and moves the area behind it."""
        shown = shortened(name, LONGEST)
        letters = letters if shown == name else frozenset()
        for is_bold, places in groupby(range(len(shown)), key=letters.__contains__):
            font, run = themes.font(bold=is_bold), "".join(shown[i] for i in places)
            draw_text(painter, area, run, current_theme().color("text"), font, MIDDLE_LEFT)
            area.setLeft(area.left() + QFontMetricsF(font).horizontalAdvance(run))
        area.setLeft(area.left() + SPACE_3)


class CommandPalette(QWidget):
    """A search field over the veiled window, with what matches below; Enter does it, Escape closes."""

    def __init__(
        self,
        window: QWidget,
        entries: Iterable[PaletteEntry],
        records: Callable[[str], list[PaletteEntry]] = lambda _search: [],
    ) -> None:
        """``records`` gives the entries for the number of a record."""
        super().__init__(window)
        named(self, "palette", "Search or run")
        self._window, self._before = window, window.focusWidget()
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._entries, self._records = list(entries), records
        self.field = SearchField("Search or run…", "palette.search")
        self.list = named(QListWidget(), "palette.list", "What matches")
        self.list.setItemDelegate(PaletteDelegate(self.list))
        self.list.setUniformItemSizes(True)
        self.list.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.list.itemClicked.connect(lambda _item: self._run())
        self._foot = label("↑ ↓ choose · Enter run · Esc close · also records by number", "small")
        self._frame = QFrame(self)
        self._frame.setProperty("part", "palette")
        parts = self.field, (self.list, 1), self._foot
        column_layout(*parts, inside=self._frame, spacing=SPACE_2, margins=SPACE_3)
        self.field.textChanged.connect(self._fill)
        self.field.installEventFilter(self)
        window.installEventFilter(self)
        self._fill("")
        self._fit()
        self.show()
        self.raise_()
        self.field.setFocus()

    def _fit(self) -> None:
        self.setGeometry(self._window.rect())
        width = min(themes.px(WIDTH), self.width() - 2 * SPACE_3)
        height = min(themes.px(HEIGHT), self.height() - 2 * MARGIN)
        self._frame.setGeometry((self.width() - width) // 2, MARGIN, width, height)

    def _fill(self, search: str) -> None:
        self.list.clear()
        group = ""
        shown = [(entry, frozenset[int]()) for entry in self._records(search)]
        for entry, letters in [*shown, *matching(self._entries, search)]:
            if entry.group != group:
                group = entry.group
                self._say(group)
            item = QListWidgetItem()
            item.setData(Qt.ItemDataRole.UserRole, entry)
            item.setData(LETTERS_ROLE, letters)
            spoken = ", ".join(filter(None, (entry.name, entry.hint, entry.shortcut)))
            item.setData(Qt.ItemDataRole.AccessibleTextRole, spoken)
            self.list.addItem(item)
        if self.list.count() == 0:
            self._say(f"Nothing matches {shortened(search, LONGEST)}")
        self._step(1, start=-1)

    def _say(self, words: str) -> None:
        """Adds a line that cannot be chosen."""
        line = QListWidgetItem(words)
        line.setFlags(Qt.ItemFlag.NoItemFlags)
        self.list.addItem(line)

    def _step(self, step: int, start: int | None = None) -> None:
        row = (self.list.currentRow() if start is None else start) + step
        while 0 <= row < self.list.count():
            if self.list.item(row).data(Qt.ItemDataRole.UserRole) is not None:
                self.list.setCurrentRow(row)
                return
            row += step
        self.list.scrollToTop()

    def _run(self) -> None:
        item = self.list.currentItem()
        entry = None if item is None else item.data(Qt.ItemDataRole.UserRole)
        if isinstance(entry, PaletteEntry):
            self.close()
            entry.act()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if watched is self._window and event.type() == QEvent.Type.Resize:
            self._fit()
        if watched is self.field and isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            key = event.key()
            if key in (Qt.Key.Key_Down, Qt.Key.Key_Up):
                self._step(1 if key == Qt.Key.Key_Down else -1)
                return True
            if key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
                self._run()
                return True
            if key == Qt.Key.Key_Escape:
                self.close()
                return True
            if key in (Qt.Key.Key_Tab, Qt.Key.Key_Backtab):
                return True
        return super().eventFilter(watched, event)

    def close(self) -> bool:
        self._window.removeEventFilter(self)
        is_closed = super().close()
        if self._before is not None and isValid(self._before):
            self._before.setFocus()
        return is_closed

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if not self._frame.geometry().contains(event.position().toPoint()):
            self.close()

    def paintEvent(self, _event: QPaintEvent) -> None:
        draw_veil(self)
