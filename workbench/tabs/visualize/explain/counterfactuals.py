"""What would change the prediction of a record: the smallest changes, and the most similar record of another class."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import partial
from html import escape
from typing import Final

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QWidget

from algorithms.core.run_control import RunContext
from algorithms.core.training import TrainedClassifier
from algorithms.data.dataset import Dataset
from algorithms.data.schema import Schema
from algorithms.evaluation.costs.decision_rules import DecisionRule
from algorithms.evaluation.what_if import (
    MOST_COMBINED,
    DecisionFlip,
    JointChange,
    SimilarRecord,
    Value,
    flips,
    joint_changes,
    nearest_record,
    one_record,
)
from algorithms.text.names import shortened
from algorithms.text.numbers import with_minus
from algorithms.text.sentences import BRIEF_NAMES, and_more, counted
from workbench.jobs.jobs import LatestTask, give_way
from workbench.session.decision_rules import DecisionQuery
from workbench.session.runs import OF_ALL_RECORDS, Run
from workbench.session.session import Session
from workbench.style.structure_colors import class_letter
from workbench.style.theme import current_theme, themes
from workbench.tabs.visualize.explain.record_prediction import in_color, true_class, value_text, when_tested
from workbench.tabs.visualize.explain.selected_record import numbered
from workbench.widgets.buttons import link_button, menu_button, quiet_button, set_caption
from workbench.widgets.keyboard_focus import show_or_hide
from workbench.widgets.labels import breaking, label, rule, show_text
from workbench.widgets.layouts import ClearWidget, Dimming, column_layout, laid_out_once, named, row_layout
from workbench.widgets.tables import TableLabel

MOST_COMPARED: Final = 8
"""So many attributes of the most similar record are listed."""
MOST_FLIPS: Final = 2
"""So many changes have a card: the smallest ones of one attribute, or one of these and a smaller one of several."""
FIXED, NOT_CHANGEABLE = "fixed", "Not changeable"
"""Name, in a project, of the attributes that no change may touch, and what they are called."""
LEAST_COMBINED, COMBINED_SECONDS = 2_000, 2.0
"""Changes of several attributes to predict of a slow model, and how long any may take."""
LEAST_DISTANCE: Final = 0.005
"""Smaller distances would be written as 0.00."""
MOST_NAMED: Final = 3
"""So many further changes are named."""
TRY: Final = "Try it"
LOOKING_FOR_CHANGE: Final = "Looking for the smallest change"


def _decimals(figure: Decimal) -> int:
    exponent = figure.as_tuple().exponent
    return max(0, -exponent) if isinstance(exponent, int) else 0


def part_html(schema: Schema, flip: DecisionFlip, now: Value, after_name: str = "<br>") -> str:
    """An attribute and its change from ``now``, as rich text."""
    attribute = schema.attributes[flip.attribute]
    change, (value, own) = "", (value_text(attribute, cell) for cell in (flip.value, now))
    if not attribute.kind.is_coded and now == now:
        to, before = (Decimal(text.replace("−", "-").replace(",", "")) for text in (value, own))
        decimals = max(_decimals(to), min(_decimals(before), 2), -(to - before).adjusted() if to != before else 0)
        by = f"{with_minus(f'{to - before:+.{decimals}f}')}, " if to != before else ""
        distance = "&lt; 0.01" if flip.distance < LEAST_DISTANCE else f"{flip.distance:.2f}"
        change = f' <span style="color:{current_theme().dim}">{by}{distance} SD</span>'
    return f"<b>{escape(breaking(attribute.name))}</b>{after_name}{escape(own)} → <b>{escape(value)}</b>{change}"


def change_html(change: JointChange, record: Dataset, classes: tuple[str, ...]) -> str:
    """The change of a record that makes the model predict another class, as rich text; of several, each in a line."""
    between, n = "<br>" if len(change.parts) == 1 else " ", len(change.parts)
    parts = [part_html(record.schema, part, record.column(part.attribute)[0], between) for part in change.parts]
    then = in_color(f"{class_letter(change.decision)} {escape(classes[change.decision])}", change.decision)
    return "<br>".join([*parts, f"then {then}{f', distance {change.distance:.2f}' if n > 1 else ''}"])


def flip_texts(schema: Schema, flips: Sequence[DecisionFlip]) -> list[str]:
    """Changes in short: "region = south"."""
    attributes = [schema.attributes[flip.attribute] for flip in flips]
    return [f"{one.name} = {value_text(one, flip.value)}" for one, flip in zip(attributes, flips, strict=True)]


def similar_html(records: Sequence[Dataset], indices: Sequence[int], names: Sequence[str]) -> str:
    """Attributes and classes of a record and of one or two others, whose differing values are lit.

    Beyond :data:`MOST_COMPARED` equal ones are counted.
    """
    schema, theme = records[0].schema, current_theme()
    texts_of = {
        index: [value_text(schema.attributes[index], data.column(index)[0]) for data in records]
        for index in (*indices, *([] if schema.class_index is None else [schema.class_index]))
    }
    unequal = {index for index in indices if texts_of[index][0] != texts_of[index][1]}
    first = sorted(indices, key=lambda index: index not in unequal)[:MOST_COMPARED]
    left, n_unequal = len(indices) - len(first), len(unequal.difference(first))
    rows: list[tuple[str, ...]] = [("", *names)]
    for index in texts_of:
        if index in first or index == schema.class_index:
            name = shortened(schema.attributes[index].name, BRIEF_NAMES[0], schema.names)
            rows.append((name, *texts_of[index]))
    if left:
        how = f"{n_unequal:,} of them different" if 0 < n_unequal < left else "all different" if n_unequal else "equal"
        rows.insert(-1, (f"{counted(left, 'more attribute')}, {how}",))
    cells = []
    for place, (name, *texts) in enumerate(rows):
        span = 1 if texts else len(rows[0])
        cells.append(f'<tr><td colspan="{span}">{escape(breaking(name))}&nbsp;</td>')
        for text in texts:
            lit, words = f' bgcolor="{theme.soft}"', f"<b>{escape(text)}</b>"
            is_other = place > 0 and text != texts[0]
            cells.append(f'<td align="right"{lit if is_other else ""}>&nbsp;{words if is_other else escape(text)}</td>')
        cells.append("</tr>")
    return f'<table width="100%" cellpadding="3" cellspacing="0" style="color:{theme.text}">{"".join(cells)}</table>'


_Found = tuple[tuple[DecisionFlip, ...], tuple[JointChange, ...] | None]
"""Changes of one attribute, and of several; None while these are being searched."""
_Similar = tuple[SimilarRecord, SimilarRecord | None, str]
"""The most similar record of another class, of the same, and the prediction for the first."""


class FlipCard(QFrame):
    """One change that flips the prediction, and a button that tries it."""

    def __init__(self, name: str, take: Callable[[], object]) -> None:
        super().__init__()
        self.setProperty("part", "note")
        self.words = named(TableLabel(ground="soft"), name)
        self.tries = link_button(TRY, f"{name}.try", "Put this value into the record", take)
        row_layout((self.words, 1), self.tries, inside=self, margins=(10, 6, 10, 6))
        self.hide()


@dataclass(frozen=True, eq=False)
class AskedRecord:
    """A record, as it is or edited, whose prediction is explained; ``row`` is its place in the data of ``run``."""

    run: Run
    trained: TrainedClassifier
    record: Dataset
    row: int
    name: str
    fields: tuple[int, ...]
    """The attributes that can be edited, in their order."""
    label: str
    """The actual class, else the predicted one; the similar record has another."""
    decide: DecisionRule | None
    tests: DecisionQuery | None
    """The tests of the run under its decision rule; None for the default."""
    is_changed: bool


class ChangesColumn(ClearWidget):
    """Searches for both; ``record_asked`` has the row of the similar record."""

    flip_taken = Signal(object)
    record_asked = Signal(int)

    def __init__(self, session: Session, name: str, focus_instead: Callable[[], QWidget]) -> None:
        """``focus_instead`` gets the keyboard focus of a button that goes."""
        super().__init__()
        self._flip_task, self._similar_task = LatestTask(session.jobs), LatestTask(session.jobs)
        self._session, self._focus_instead = session, focus_instead
        self._asked: AskedRecord | None = None
        self._candidates: tuple[JointChange, ...] = ()
        self._similar_shown: _Similar | None = None
        tip = "Attributes that no change may touch, such as an age"
        self._fixed = menu_button(NOT_CHANGEABLE, f"{name}.fixed", tip)
        self._fixed.menu().aboutToShow.connect(self._list_attributes)
        self._flips = named(label("", "small", wrap=True), f"{name}.flip")
        self._cards = [FlipCard(f"{name}.flip-{i}", partial(self._take_flip, i)) for i in range(MOST_FLIPS)]
        self._similar_words = named(label("", "small", wrap=True), f"{name}.similar-words")
        self._similar = named(TableLabel(), f"{name}.similar")
        self._to_similar = quiet_button("", f"{name}.to-similar", "Explain this record", self._go_to_similar)
        self._to_similar.hide()
        self._dimming = Dimming(self._similar_words, self._similar, self._to_similar)
        column_layout(
            row_layout(label("Smallest change that flips it", "heading"), 1, self._fixed),
            self._flips,
            *self._cards,
            rule(),
            label("Most similar record of another class", "heading"),
            self._similar_words,
            self._similar,
            (self._to_similar, 0, Qt.AlignmentFlag.AlignLeft),
            1,
            inside=self,
            spacing=8,
        )
        themes.follow(self._color_again)

    def stop(self) -> None:
        """Ends the searches; the changes in view can no longer be taken."""
        self._candidates = ()
        self._flip_task.stop()
        self._similar_task.stop()

    def clear(self) -> None:
        """Shows neither."""
        self.stop()
        self._asked = None
        self._show_flips("")
        self._show_similar(None)

    def dim(self, is_outdated: bool) -> None:
        """Takes away changes of another run or record, and dims its similar record until another comes."""
        if is_outdated and self._asked is not None:
            self.await_flips()
        self._dimming.dim(is_outdated)

    def await_flips(self) -> None:
        """Says that changes are looked for, and keeps the similar record until another comes."""
        self._show_flips(LOOKING_FOR_CHANGE)

    def search(self, asked: AskedRecord) -> None:
        self._asked = asked

        names, kept = asked.run.data.schema.names, self._session.place.get(FIXED)
        fixed = [index for index in asked.fields if isinstance(kept, list) and names[index] in kept]
        set_caption(self._fixed, f"{NOT_CHANGEABLE}{f': {len(fixed)}' if fixed else ''} ▾")

        def look_for_flips(context: RunContext) -> _Found:
            trained, data, record = asked.trained, asked.run.data, asked.record
            changeable = [index for index in asked.fields if index not in fixed]
            singles = flips(trained, data, record, changeable, context, give_way, asked.decide)
            context.publish((singles, None))
            began, some = time.monotonic(), data.take(range(min(100, len(data))))
            trained.judged(some, context)
            n = COMBINED_SECONDS * len(some) / max(1e-9, time.monotonic() - began)
            most = int(min(MOST_COMBINED, max(LEAST_COMBINED, n)))
            question = record, changeable, singles, context, give_way, asked.decide, most
            return singles, joint_changes(trained, data, *question)

        def look_for_similar(context: RunContext) -> _Similar | None:
            data, trained = asked.run.data, asked.trained
            similar = nearest_record(data, asked.record, asked.label, context, asked.row)
            if similar is None:
                return None
            alike = nearest_record(data, asked.record, asked.label, context, asked.row, of_label=True)
            tested = when_tested(asked.run, similar.row, asked.tests)
            if tested is not None:
                return similar, alike, f"{tested.label} when tested"
            other = one_record(data, similar.row)
            judged = trained.judged(other, context)
            decisions = judged.decisions if asked.decide is None else asked.decide.on(judged, other)
            whose = OF_ALL_RECORDS if asked.run.of_fold is None else asked.run.of_fold.name
            return similar, alike, f"{trained.classes[int(decisions[0])]} by {whose}"

        title, shown = "Smallest change that flips it", self._searched
        self._flip_task.run(title, look_for_flips, on_done=shown, on_event=shown, says=LOOKING_FOR_CHANGE)
        self._similar_task.run("", look_for_similar, on_done=self._similar_found)

    def _list_attributes(self) -> None:
        """Fills the menu of the attributes that no change may touch."""
        menu, asked, kept = self._fixed.menu(), self._asked, self._session.place.get(FIXED)
        menu.clear()
        for name in () if asked is None else (asked.run.data.schema.names[index] for index in asked.fields):
            action = menu.addAction(shortened(name, 48).replace("&", "&&"))
            action.setCheckable(True)
            action.setChecked(isinstance(kept, list) and name in kept)
            action.toggled.connect(partial(self._fix, name))

    def _fix(self, name: str, is_fixed: bool) -> None:
        kept = self._session.place.get(FIXED)
        others = [other for other in kept if other != name] if isinstance(kept, list) else []
        self._session.set_place(**{FIXED: [*others, name] if is_fixed else others})
        if self._asked is not None:
            self.await_flips()
            self.search(self._asked)

    def _searched(self, found: _Found) -> None:
        singles, joint = found
        shown = [JointChange((flip,)) for flip in singles[: MOST_FLIPS - 1 if joint else MOST_FLIPS]]
        words = "One attribute, all else as it is." if shown else "No change of one value alone changes the prediction."
        if self._asked is not None and (others := singles[len(shown) :]):
            also = "Another single change flips it" if len(others) == 1 else "Other single changes flip it too"
            words += f" {also}: {and_more(flip_texts(self._asked.record.schema, others), MOST_NAMED)}."
        if joint:
            words += " Several together are a smaller change." if shown else " Several together do."
        elif joint is not None and not shown:
            words += " None of two or three was found either."
        self._show_flips(words, (*shown, *(joint or ())[-1 if shown else 0 :]))

    def _show_flips(self, words: str, candidates: tuple[JointChange, ...] = ()) -> None:
        asked, self._candidates = self._asked, candidates
        with laid_out_once(self):
            self._flips.setText(words)
            for i, card in enumerate(self._cards):
                if i < len(candidates) and asked is not None:
                    card.words.setText(change_html(candidates[i], asked.record, asked.trained.classes))
                    texts = flip_texts(asked.record.schema, candidates[i].parts)
                    card.tries.setAccessibleName(f"{TRY}: {', '.join(texts)}")
                show_or_hide(card, i < len(candidates), instead=self._focus_instead())

    def _take_flip(self, place: int) -> None:
        if place < len(self._candidates):
            self.flip_taken.emit(self._candidates[place])

    def _similar_found(self, similar: _Similar | None) -> None:
        self._dimming.dim(False)
        self._show_similar(similar)

    def _show_similar(self, similar: _Similar | None) -> None:
        """Shows the record most similar to the one asked about, its predicted class, and when or by what model."""
        asked, self._similar_shown = self._asked, similar
        words = table = ""
        if similar is not None and asked is not None:
            row, predicted, data = similar[0].row, similar[2], asked.run.data
            attributes = dict.fromkeys((*asked.fields, *data.schema.predictors))
            record = f"record {numbered(data, row)}"
            words = f"{record.capitalize()}: actual {true_class(asked.run, row)}, predicted {predicted}. "
            others = [name for name in data.schema.classes if name != asked.label]
            which = f"of class {others[0]}" if len(others) == 1 else f"with an actual class other than {asked.label}"
            words += f"It is the nearest record {which}, compared on {counted(len(attributes), 'attribute')}."
            names, records = [asked.name, numbered(data, row)], [asked.record, one_record(data, row)]
            if (alike := similar[1]) is not None:
                names.append(f"{numbered(data, alike.row)} (same)")
                records.append(one_record(data, alike.row))
            table = similar_html(records, tuple(attributes), names)
            set_caption(self._to_similar, f"Go to {record}")
        none = "" if asked is None else "No record of another class is known."
        with laid_out_once(self):
            leaves_no_change = asked is not None and not asked.is_changed  # another record drops what was changed
            show_or_hide(self._to_similar, similar is not None and leaves_no_change, instead=self._focus_instead())
            show_text(self._similar_words, words or none)
            show_text(self._similar, table)

    def _color_again(self) -> None:
        """The words with colours of the theme in them."""
        self._show_flips(self._flips.text(), self._candidates)
        self._show_similar(self._similar_shown)

    def _go_to_similar(self) -> None:
        if self._similar_shown is not None and not self._dimming.is_dimmed:
            self.record_asked.emit(self._similar_shown[0].row)
