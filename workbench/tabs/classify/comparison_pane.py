"""Several learners tried: which is best, whether a simpler one does as well, and the ranking with its intervals."""

from __future__ import annotations

from typing import ClassVar

from PySide6.QtCore import QPoint, QRect, QTimer
from PySide6.QtGui import QImage, QPainter
from PySide6.QtWidgets import QVBoxLayout, QWidget

from algorithms.evaluation.compare.ranking_words import in_words
from algorithms.text.sentences import counted
from workbench.session.learner_comparison import Trial
from workbench.session.runs import RunState, changed_since
from workbench.session.session import Session
from workbench.style.theme import SPACE_2
from workbench.tabs.classify.comparison_model import ComparisonRow
from workbench.tabs.classify.comparison_table import LearnerComparisonTable
from workbench.viewers.charts.export import Drawing, Export, Exported, Table, blank_picture
from workbench.widgets.buttons import quiet_button
from workbench.widgets.labels import WholeLabel
from workbench.widgets.panes import HighScrollArea, Pane

SKIP_TIP = "Leave the learner that is at work and go on with the next"
FOLLOW_MS = 60


class ExportedRanking(Exported):
    """The ranking as a picture, a drawing or a table."""

    name: ClassVar[str] = "several"
    title: ClassVar[str] = "Learners tried"

    def __init__(self, table: LearnerComparisonTable) -> None:
        self._table = table

    def picture(self) -> QImage:
        image = blank_picture(self._table.size())
        painter = QPainter(image)
        self._paint(painter)
        painter.end()
        return image

    def drawing(self) -> Drawing | None:
        return self._table.size(), self._paint

    def table(self) -> Table | None:
        if not self._table.model_.rowCount():
            return None
        text = {delimiter: self._table.model_.as_text(delimiter) for delimiter in (",", "\t")}
        return lambda delimiter: text[delimiter]

    def _paint(self, painter: QPainter) -> None:
        self._table.render(painter, QPoint())


class LearnerComparisonPane(Pane):
    """Shows the session's trial; out of sight where there is none, or where a person has put it away."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__("Several tried", parent=parent)
        self._session = session
        self.setObjectName("classify.several")
        self.headline = WholeLabel("", "heading")
        self.headline.setObjectName("classify.several.headline")
        self.sentences = WholeLabel()
        self.sentences.setObjectName("classify.several.sentences")
        self.table = LearnerComparisonTable()
        self._inside = inside = QWidget()
        inside.setProperty("part", "clear")
        self._area = HighScrollArea(inside)
        self.caveat = WholeLabel("", "small")
        self.caveat.setObjectName("classify.several.caveat")
        self.stop = quiet_button("Stop", "classify.several.stop", "Stop; what is judged stays", self._stop)
        self.skip = quiet_button("Skip", "classify.several.skip", SKIP_TIP, session.trials.skip)
        self.save = quiet_button("Save", "classify.several.save", "Copy or save the ranking")
        self.save.setMenu(Export(ExportedRanking(self.table), session.jobs, self).menu)
        self.close_button = quiet_button(
            "Close",
            "classify.several.close",
            "Put the ranking away; its runs stay in the ledger, and it can be shown again above Try several",
            session.trials.put_away,
        )
        for button in (self.skip, self.stop, self.save, self.close_button):
            self.add_action(button)
        column = QVBoxLayout(inside)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(SPACE_2)
        for part in (self.headline, self.table, self.sentences, self.caveat):
            column.addWidget(part)
        column.addStretch(1)
        self.body.addWidget(self._area)
        self.table.row_chosen.connect(self._choose)
        self.table.row_reached.connect(lambda area: self._area.ensureVisible(0, self._down_to(area), 0, area.height()))
        for signal in (
            session.trials.changed,
            session.runs_changed,
            session.current_run_changed,
            session.data_changed,
            session.recipe_changed,
        ):
            signal.connect(self._follow)
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(FOLLOW_MS)
        self._timer.timeout.connect(self.refresh)
        self.refresh()

    def _down_to(self, area: QRect) -> int:
        """How far down in what scrolls the middle of an area of the table's rows is."""
        return self.table.viewport().mapTo(self._inside, area.center()).y()

    def _follow(self) -> None:
        """Be brought up to date soon; while folds come in one after the other, still every now and then.

        Where it comes into sight that is at once, so that the keys go on to it from the button that asked for it."""
        trial = self._session.trials.current
        if trial is not None and trial.is_running and self.isHidden():
            self.refresh()
        elif trial is not None and trial.is_running:
            if not self._timer.isActive():
                self._timer.start()
        elif not self.close_button.isVisible():  # it has just ended: that is said at once
            self.refresh()
        else:
            self._session.turns.later(self.refresh)

    def refresh(self) -> None:
        """Show the trial as it is now."""
        trial = self._session.trials.current
        is_shown = trial is not None and not trial.is_away
        self.setVisible(is_shown)
        if trial is None or not is_shown:
            return
        n, done = len(trial.entries), trial.n_judged
        self.set_facts(f"{counted(n, 'learner')} · {trial.method.described()} · seed {trial.seed}")
        for button in (self.save, self.close_button):  # before the one that goes: the keys go on to what is there then
            button.setVisible(not trial.is_running)
        self.stop.setVisible(trial.is_running and not trial.all_are_judged)
        at_work = self._session.trials.at_work
        self.skip.setVisible(at_work is not None and not trial.all_are_judged)
        if at_work is not None:
            self.skip.setToolTip(f"Leave {at_work.learner.summary()} and go on with the next")
        self.table.show_trial(trial, self._session.current_run)
        if trial.is_running and trial.all_are_judged:
            self._say(f"{done} of {n} judged", "The model of the last is being trained on all records.", "")
        elif trial.is_running:
            self._say(f"{done} of {n} judged", "Each on the same folds, the simplest first.", "")
        elif trial.ranking is None:
            self._say("None was judged", trial.unfinished, "")
        else:
            words = in_words(trial.ranking)
            self._say(words.headline, " ".join((*words.sentences, *self._doubts(trial))), words.caveat)

    def _doubts(self, trial: Trial) -> list[str]:
        """What speaks against reading the ranking as it stands."""
        found = [trial.unfinished] if trial.unfinished else []
        left = [entry for entry in trial.entries if entry.run.state is RunState.STOPPED and entry.run.message]
        found += [f"{entry.name}: {entry.run.message}" for entry in left]
        run = trial.entries[0].run
        changed = changed_since(run, self._session.data, self._session.recipe)
        found += [changed] if changed else []
        return found

    def _say(self, headline: str, sentences: str, caveat: str) -> None:
        for words, text in ((self.headline, headline), (self.sentences, sentences), (self.caveat, caveat)):
            words.setText(text)
            words.setVisible(bool(text))

    def _choose(self, row: ComparisonRow) -> None:
        self._session.trials.show(row.entry)

    def _stop(self) -> None:
        trial = self._session.trials.current
        if trial is not None and trial.job is not None:
            trial.job.stop()
