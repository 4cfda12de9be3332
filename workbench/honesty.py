"""The honesty strip: what a person should know before believing a number, as sentences with their remedy."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from html import escape
from typing import Final

from PySide6.QtCore import Qt
from PySide6.QtGui import QResizeEvent, QTextDocumentFragment
from PySide6.QtWidgets import QMenu, QWidget

from algorithms.core.data import Attribute, Kind
from algorithms.core.summary import AttributeSummary, Summary
from workbench.parts.buttons import pill_button
from workbench.parts.chips import Chip, FlowLayout
from workbench.parts.labels import strong
from workbench.parts.popover import show_popover
from workbench.session import Run, Session
from workbench.theme import SPACE_1, SPACE_2, SPACE_4, themes
from workbench.wording import counted, shortened

FEW_RECORDS: Final = 5
MOST_LINES: Final = 2
LONGEST_NAME: Final = 24
NAMED_LIKE_AN_IDENTIFIER: Final = re.compile(r"(^|[_\W])(id|nr|no|number|index|key|uuid|guid)$|^id[_\W]", re.IGNORECASE)
WHAT_TRYING_MEANS: Final = (
    "Each model was judged on the same records. The best of several looks a little better than it is: part of its lead "
    "is luck with these very records. The more models you try, the more so. Judge the one you choose once more on "
    "records that none of them has seen, for example a test file."
)
WHAT_A_MARK_MEANS: Final = (
    "It was done to the table before the folds were made, with the tested records in view: what is measured may "
    "flatter a little."
)


@dataclass(frozen=True, eq=False)
class Fact:
    """A sentence (HTML with bold parts), its tone (plain, good, warning), and what a click does about it."""

    name: str
    sentence: str
    tone: str = "plain"
    tip: str = ""
    remedy: str = ""
    act: Callable[[Session], object] | None = None
    explanation: str = ""


def facts(session: Session) -> list[Fact]:
    """What there is to say about the run in view and the data, the most important first."""
    run, summary = session.current_run, session.summary
    found: list[Fact] = []
    if run is not None and run.report is not None:
        found.extend(_of_run(run, session.runs))
    elif summary is not None:
        found.extend(_baseline(summary))
    if session.data is not None:
        found.extend(Fact("mark", escape(mark), "warning", tip=WHAT_A_MARK_MEANS) for mark in session.data.origin.marks)
    if summary is not None:
        found.extend(_of_data(summary))
    return found


def _named(name: str) -> str:
    return strong(shortened(name, LONGEST_NAME))


def _in_100(share: float) -> str:
    return f"{100 * share:.1f}"


def _baseline(summary: Summary) -> Iterator[Fact]:
    """Before any run: what always guessing the most frequent class gives."""
    counts = summary.class_counts
    if counts is None or counts.sum() == 0:
        return
    code = int(counts.argmax())
    share = float(counts[code] / counts.sum())
    label = summary.schema.classes[code]
    yield Fact(
        "baseline",
        f"Guessing {_named(label)} is right {strong(_in_100(share))} in 100",
        tip="Always guessing the most frequent class: a model is worth as much as it beats this by.",
    )


def _of_run(run: Run, runs: Sequence[Run]) -> Iterator[Fact]:
    report, result = run.report, run.result
    if report is None or result is None:
        return
    yield Fact(
        "baseline",
        f"Guessing {_named(report.baseline_class)} is right {strong(_in_100(report.baseline_accuracy))} in 100",
        tip="Always guessing the most frequent class: a model is worth as much as it beats this by.",
    )
    low, high = report.interval
    better = low > report.baseline_accuracy
    yield Fact(
        "interval",
        f"This model: {strong(_in_100(report.accuracy))} in 100 ({_in_100(low)} to {_in_100(high)})",
        "good" if better and not report.test_is_training else "plain",
        tip="The range holds the true accuracy in 95 of 100 such tests."
        + ("" if better else " It may be no better than guessing."),
    )
    if report.test_is_training:
        yield Fact("tested-on-training", "Tested on its own training records, which flatters it", "warning")
    else:
        yield Fact("judged-on", f"Judged on records it never saw: {strong(run.method.described())}")
    if result.partial:
        yield Fact("partial", result.finished_early(), "warning")
    if result.failures:
        first = result.failures[0].sentence
        yield Fact("failures", f"{counted(len(result.failures), run.method.part_name)} failed", "warning", tip=first)
    if result.n_without_class:
        yield Fact("without-class", f"{result.n_without_class:,} records have no class and were left out")
    for sentence in result.warnings:
        yield Fact("remark", escape(sentence), "warning")
    tried = {
        (other.learner, other.recipe, other.seed)  # the same once more gives the same model
        for other in runs
        if other.is_judged and other.data is run.data and other.method == run.method
    }
    if len(tried) > 1:
        yield Fact(
            "tried",
            f"{len(tried)} models tried on the same records",
            "warning",
            remedy="what that means",
            explanation=WHAT_TRYING_MEANS,
        )


def _of_data(summary: Summary) -> Iterator[Fact]:
    used = [summary.of(index) for index in summary.schema.predictors]
    identifiers = [found.attribute.name for found in used if looks_like_identifier(found, summary.n_records)]
    if identifiers:
        yield _leave_out("identifiers", identifiers, "looks like an identifier", "look like identifiers")
    constant = [found.attribute.name for found in used if found.n_distinct <= 1 and summary.n_records > 1]
    if constant:
        yield _leave_out("constant", constant, "is the same everywhere", "are the same everywhere")
    yield from _few_records(summary)
    left_out = [a for i, a in enumerate(summary.schema.attributes) if i != summary.schema.class_index and _is_out(a)]
    if left_out:
        names = ", ".join(f"{a.name} ({a.kind.value})" for a in left_out[:12]) + ("..." if len(left_out) > 12 else "")
        what = f"{_named(left_out[0].name)} is" if len(left_out) == 1 else f"{len(left_out)} columns are"
        yield Fact("left-out", f"{what} not learned from", tip=f"{names}. Identifiers, dates and text are left out.")


def _is_out(attribute: Attribute) -> bool:
    return not attribute.used or not attribute.kind.is_learnable


def _leave_out(name: str, columns: list[str], one: str, many: str) -> Fact:
    only = len(columns) == 1
    sentence = f"{_named(columns[0])} {one}" if only else f"{len(columns)} columns {many}"
    return Fact(
        name,
        sentence,
        "warning",
        tip=", ".join(columns[:12]),
        remedy="leave it out" if only else "leave them out",
        act=lambda session: session.set_used(columns, False),
    )


def looks_like_identifier(found: AttributeSummary, n_records: int) -> bool:
    """Whether nearly every record has a value of its own, in a column that does not merely measure finely."""
    present = n_records - found.n_missing
    if present < 10 or found.n_distinct < 0.9 * present:
        return False
    return found.attribute.kind is Kind.NOMINAL or bool(NAMED_LIKE_AN_IDENTIFIER.search(found.attribute.name))


def _few_records(summary: Summary) -> Iterator[Fact]:
    counts = summary.class_counts
    if counts is None:
        return
    few = [(int(count), summary.schema.classes[code]) for code, count in enumerate(counts) if 0 < count < FEW_RECORDS]
    if len(few) == 1:
        n, label = few[0]
        records = "record is" if n == 1 else "records are"
        yield Fact("few", f"only {n} {records} {_named(label)}", "warning", tip="Too few to judge by.")
    elif few:
        tip = ", ".join(f"{label}: {n}" for n, label in few[:12])
        yield Fact("few", f"{len(few)} classes have fewer than {FEW_RECORDS} records", "warning", tip=tip)
    if summary.n_without_class:
        yield Fact("unlabelled", f"{summary.n_without_class:,} records have no class")


class FactChip(Chip):
    """A fact as a chip."""

    def __init__(self, fact: Fact) -> None:
        super().__init__(
            fact.sentence,
            fact.tone,
            rich=True,
            tip=fact.tip,
            name=f"honesty.{fact.name}",
            action_text=fact.remedy,
        )
        self.fact = fact


class HonestyStrip(QWidget):
    """The facts as chips in at most two lines, made anew whenever data, runs or the run in view change."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._shown: list[tuple[str, str, str]] = []
        self._chips: list[FactChip] = []
        self.setObjectName("honesty")
        self.setAccessibleName("What to know before believing a number")
        self._flow = FlowLayout(self, spacing=SPACE_2)
        self._flow.setContentsMargins(SPACE_4, SPACE_2, SPACE_4, SPACE_1)
        self._more = pill_button("", "honesty.more", "What has no room here", self._show_the_rest)
        for signal in (
            session.data_changed,
            session.summary_changed,
            session.runs_changed,
            session.current_run_changed,
        ):
            signal.connect(self._follow)
        themes.changed.connect(self._fit)
        self.refresh()

    def _follow(self) -> None:
        self._session.turns.later(self.refresh)

    def refresh(self) -> None:
        found = facts(self._session)
        shown = [(fact.name, fact.sentence, fact.tip) for fact in found]
        if self._session.data is not None and self._session.summary is None and self._session.current_run is None:
            return
        if shown != self._shown:
            self._shown = shown
            self._flow.takeAt(self._flow.count() - 1)  # the button for the rest stays
            self._flow.clear()
            self._chips = [self._chip(fact) for fact in found]
            for widget in (*self._chips, self._more):
                self._flow.addWidget(widget)
            self._fit()
        self.setVisible(bool(found))
        self.updateGeometry()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self._fit()

    def _fit(self) -> None:
        """Show as many chips as two lines hold, and count the others."""
        margins, n = self._flow.contentsMargins(), len(self._chips)
        room = self.width() - margins.left() - margins.right()
        self._more.setText(f"+{n} more")
        widths = [chip.sizeHint().width() for chip in self._chips]
        fit = how_many_fit(widths, self._more.sizeHint().width(), room, SPACE_2)
        for at, chip in enumerate(self._chips):
            chip.setVisible(at < fit)
        self._more.setText(f"+{n - fit} more")
        self._more.setVisible(fit < n)
        self._more.setAccessibleDescription("; ".join(plain(chip.fact.sentence) for chip in self._chips[fit:]))
        self._flow.invalidate()
        self.updateGeometry()

    def _show_the_rest(self) -> None:
        """The chips without room as a menu: what can be done about one happens when it is chosen."""
        menu = QMenu(self)
        menu.setObjectName("honesty.rest")
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.setToolTipsVisible(True)
        for chip in self._chips:
            if chip.isHidden():
                fact = chip.fact
                action = menu.addAction(plain(fact.sentence) + (f": {fact.remedy}" if fact.remedy else ""))
                action.setToolTip(fact.tip)
                action.triggered.connect(partial(self._choose, fact))
        menu.popup(self._more.mapToGlobal(self._more.rect().bottomLeft()))

    def _chip(self, fact: Fact) -> FactChip:
        chip = FactChip(fact)
        chip.acted.connect(lambda acted: self._act(acted.fact, acted))
        return chip

    def _choose(self, fact: Fact, _checked: bool = False) -> None:
        self._act(fact, self._more)

    def _act(self, fact: Fact, beside: QWidget) -> None:
        if fact.act is not None:
            fact.act(self._session)
        elif fact.explanation or fact.tip:
            show_popover(fact.explanation or fact.tip, beside)


def how_many_fit(widths: Sequence[int], more: int, room: int, gap: int, lines: int = MOST_LINES) -> int:
    """How many items of these widths flow into so many lines; where not all do, one of width ``more`` ends the last."""
    if _lines(widths, room, gap) <= lines:
        return len(widths)
    fit = len(widths) - 1
    while fit > 0 and _lines([*widths[:fit], more], room, gap) > lines:
        fit -= 1
    return fit


def _lines(widths: Sequence[int], room: int, gap: int) -> int:
    """How many lines items of these widths take, side by side while they fit."""
    lines, x = 0, room + 1
    for width in widths:
        if x + width > room:
            lines, x = lines + 1, 0
        x += width + gap
    return lines


def plain(sentence: str) -> str:
    """A sentence of HTML as plain text."""
    return QTextDocumentFragment.fromHtml(sentence).toPlainText()
