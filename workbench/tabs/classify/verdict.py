"""The verdict on the run in view: words first, then what was learned, then a few numbers."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from html import escape
from typing import cast

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QMenu, QScrollArea, QSizePolicy, QStackedWidget, QVBoxLayout, QWidget

from algorithms.core.training import TrainedClassifier
from algorithms.structures.conditionals import Conditionals
from algorithms.structures.hyperplanes import Hyperplanes
from algorithms.structures.members import ModelStructure
from algorithms.structures.tree import Prior, Tree
from algorithms.text.numbers import in_100
from algorithms.text.sentences import counted
from workbench.session.runs import Run, steps_listed
from workbench.session.session import Session
from workbench.style.theme import SPACE_1, SPACE_2, current_theme, themes
from workbench.tabs.classify.runs_model import cost_sentence
from workbench.tabs.classify.verdict_words import (
    RunStatus,
    VerdictText,
    about,
    chips_of,
    structure_facts,
    warnings_of,
    words_of,
    words_to_beat,
)
from workbench.viewers.original_units import Unscaled, show_structure, unscaled_by
from workbench.viewers.prior import PriorBars
from workbench.viewers.structures import viewer_for
from workbench.viewers.viewer import ShowsOneClass, Viewer
from workbench.widgets.buttons import accent_button, quiet_button
from workbench.widgets.chips import Chip, FlowLayout
from workbench.widgets.dialogs import ask_for_file
from workbench.widgets.labels import TOGETHER, ElidedLabel, label, strong
from workbench.widgets.panes import Pane, UprightScrollArea

LEAST_PICTURE = 150
"""Below this height the model would not be recognised; the pane scrolls instead."""


class _Pictures(QStackedWidget):
    """Takes the room that is left, and never less than a model can be recognised in, whatever its pages ask for."""

    def __init__(self) -> None:
        super().__init__()
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Expanding)

    def sizeHint(self) -> QSize:
        return QSize(super().sizeHint().width(), themes.px(LEAST_PICTURE))

    def minimumSizeHint(self) -> QSize:
        least = themes.px(LEAST_PICTURE)
        return QSize(min(super().minimumSizeHint().width(), least), least)


class VerdictPane(Pane):
    """Headline, sentence, warnings, the model in small, chips; a help where there is nothing to show yet."""

    open_visualize = Signal()

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent=parent)
        self._session = session
        self._shown_model: TrainedClassifier | None = None
        self._run_said: Run | None = None
        self._has_picture = False
        self.setAccessibleName("Verdict")
        self.headline = label("", "verdict", wrap=True, rich=True)
        self.headline.setObjectName("classify.verdict")
        self.about = label("", "small", wrap=True)
        self.about.setObjectName("classify.about")
        self.sentence = label("", wrap=True, rich=True)
        self.sentence.setObjectName("classify.sentence")
        for words in (self.headline, self.sentence):
            words.setTextInteractionFlags(
                Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
            )
        self._warnings = QVBoxLayout()
        self._warnings.setSpacing(SPACE_1)
        self.open_button = accent_button("Open a table…", "classify.open", on_click=self._open)
        self.choose_button = accent_button(
            "Choose it in Preprocess", "classify.choose-class", on_click=lambda: session.ask_for_tab("preprocess")
        )
        self._lay_out()
        for signal in (
            session.current_run_changed,
            session.data_changed,
            session.recipe_changed,
            session.summary_changed,
            session.class_of_interest_changed,
            session.outcomes.changed,
            themes.changed,
        ):
            signal.connect(self._follow)
        session.class_of_interest_changed.connect(self._speak_for_interest)
        session.trials.changed.connect(self._follow_trial)
        session.findings.changed.connect(self._follow_findings)
        self.refresh()

    def _lay_out(self) -> None:
        content = QWidget()
        content.setProperty("part", "clear")
        inside = QVBoxLayout(content)
        inside.setContentsMargins(0, 0, 0, 0)
        inside.setSpacing(SPACE_2)
        inside.addWidget(self.about)
        inside.addWidget(self.headline)
        inside.addWidget(self.sentence)
        inside.addLayout(self._warnings)
        inside.addWidget(self.open_button, 0, Qt.AlignmentFlag.AlignLeft)
        inside.addWidget(self.choose_button, 0, Qt.AlignmentFlag.AlignLeft)
        self._classes = PriorBars()
        self._class_area = QScrollArea()
        self._class_area.setWidgetResizable(True)
        self._class_area.setAccessibleName("How frequent the classes are")
        self._class_area.setWidget(self._classes)
        for part in (self._class_area.viewport(), self._classes):
            part.setAutoFillBackground(False)
        inside.addWidget(self._class_area, 1)
        inside.addSpacing(SPACE_1)
        self._model = self._model_part()
        inside.addWidget(self._model, 1)
        self._chips = QWidget()
        self._chips.setProperty("part", "clear")
        self._chip_row = FlowLayout(self._chips, SPACE_2)
        inside.addWidget(self._chips)
        inside.addStretch(0)
        self._scroll = UprightScrollArea(content, kept=(self.about, self.headline))
        self.body.addWidget(self._scroll)

    def _model_part(self) -> QWidget:
        whole = QWidget()
        whole.setProperty("part", "clear")
        box = QVBoxLayout(whole)
        box.setContentsMargins(0, 0, 0, 0)
        box.setSpacing(SPACE_2)
        self._model_title = label("", "heading")
        self._model_facts = ElidedLabel("", "facts")
        self.visualize = quiet_button(
            "Open in Visualize", "classify.visualize", "See the whole model large", self.open_visualize.emit
        )
        self.save = quiet_button("Save…", "classify.save", "Keep the model or its predictions in a file")
        self.save.setMenu(self._save_menu())
        heading = QWidget(whole)
        heading.setProperty("part", "clear")
        flow = FlowLayout(heading, SPACE_2)
        named = QWidget(heading)
        named.setProperty("part", "clear")
        title = QHBoxLayout(named)
        title.setContentsMargins(0, SPACE_1, 0, SPACE_1)
        title.setSpacing(SPACE_2)
        title.addWidget(self._model_title)
        title.addWidget(self._model_facts)
        buttons = QWidget(heading)
        buttons.setProperty("part", "clear")
        beside = QHBoxLayout(buttons)
        beside.setContentsMargins(0, 0, 0, 0)
        beside.setSpacing(SPACE_2)
        beside.addWidget(self.visualize)
        beside.addWidget(self.save)
        flow.addWidget(named)
        flow.addWidget(buttons)
        box.addWidget(heading)
        self._model_words: QLabel = label("", wrap=True, rich=True)
        self._viewers: dict[type[ModelStructure], Viewer] = {}
        self._pictures = _Pictures()
        self._pictures.setObjectName("classify.model")
        box.addWidget(self._model_words)
        box.addWidget(self._pictures, 1)
        box.addStretch(0)
        return whole

    # ---- showing ---------------------------------------------------------------------------------------------------

    def refresh(self) -> None:
        """Show the run in view, or what to do to get one."""
        self._session.turns.forget(*self._parts())
        for show in self._parts():
            show()

    def _follow(self) -> None:
        self._session.turns.later(*self._parts())

    def _follow_trial(self) -> None:
        """While several are tried their guess is what the others must beat, and then a run like any."""
        self._session.turns.later(self._show_words)

    def _follow_findings(self) -> None:
        """A leak that was found belongs into the words."""
        self._session.turns.later(self._show_words)

    def _parts(self) -> tuple[Callable[[], None], ...]:
        return (self._show_words, self._show_model, self._show_picture, self._show_chips)

    def _show_words(self) -> None:
        run = self._session.current_run
        words = self._invitation() if run is None else self._words(run)
        beside = f' <span style="font-weight:400; color:{current_theme().dim}">{escape(words.beside)}</span>'
        self.headline.setText(escape(words.headline) + (beside if words.beside else ""))
        self.headline.setAccessibleName(" ".join(filter(None, (words.headline, words.beside))))
        if self._run_said is not run:
            self._run_said = run
            self._scroll.verticalScrollBar().setValue(0)
        self.about.setText("" if run is None else about(run))
        self.about.setToolTip("" if run is None else steps_listed(run.recipe))
        self.about.setVisible(run is not None)
        self.sentence.setText("<br>".join(words.sentences))
        self.open_button.setVisible(self._session.data is None)
        self.choose_button.setVisible(run is None and self._session.data is not None and not self._session.classes)
        self._show_classes(run)
        self._show_warnings([] if run is None else list(warnings_of(run, self._session.data, self._session.recipe)))

    def _interest(self) -> str:
        classes = self._session.classes
        return classes[self._session.class_of_interest] if classes else ""

    def _words(self, run: Run) -> VerdictText:
        trial = self._session.trials.current
        if trial is not None and trial.is_guess(run) and trial.is_running and run.report is not None:
            return words_to_beat(run.report, trial.n_judged, len(trial.entries))
        return words_of(
            run,
            self._interest(),
            self._now(run),
            cost_sentence(run, self._session),
            self._session.findings.leaks_of(run),
        )

    def _now(self, run: Run) -> RunStatus | None:
        """How the run stands as it is decided now; None where its model decides itself."""
        decided = self._session.outcomes.decided(run)
        if decided is None:
            return None
        return RunStatus(self._session.decisions.asked(run).words, decided, self._session.outcomes.cost_per_record(run))

    def _invitation(self) -> VerdictText:
        data, summary = self._session.data, self._session.summary
        if data is None:
            return VerdictText("No table is open", "", ("Open one with a column that you want to predict.",))
        if not self._session.classes:
            return VerdictText(
                "What do you want to predict?",
                "",
                ("No column to predict is chosen yet. It must hold classes, such as yes and no.",),
            )
        sentences = [
            "Choose a learner on the left, then press <b>Start</b>. It is judged on records it never saw. "
            "Or press <b>Try several</b> to see which kind does best."
        ]
        counts = None if summary is None else summary.class_counts
        if counts is not None and counts.sum():
            best, share = int(counts.argmax()), float(counts.max() / counts.sum())
            guess = strong(self._session.classes[best])
            sentences.append(f"To beat: always guessing {guess} would be right {in_100(share)} times in 100.")
        beside = counted(len(data), "record").replace(" ", TOGETHER)
        return VerdictText("Nothing judged yet", beside, tuple(sentences))

    def _show_classes(self, run: Run | None) -> None:
        summary, classes = self._session.summary, self._session.classes
        counts = None if summary is None or run is not None else summary.class_counts
        known = summary is not None and counts is not None and len(counts) == len(classes) > 0
        self._class_area.setVisible(known)
        if summary is not None and counts is not None and known:
            self._classes.set_prior(Prior(summary.schema, counts))

    def _show_warnings(self, sentences: list[str]) -> None:
        while (item := self._warnings.takeAt(0)) is not None:
            widget = item.widget()
            if widget is not None:
                widget.hide()
                widget.deleteLater()
        for sentence in sentences:
            line = label(sentence, "small", wrap=True)
            line.setProperty("tone", "warning")
            self._warnings.addWidget(line)

    def _show_model(self) -> None:
        """What is known of the model; its picture is made in a turn of its own."""
        run = self._session.current_run
        trained = None if run is None else run.trained
        learning = run is not None and run.is_running and run.is_judged
        self._model.setVisible(trained is not None or learning)
        if trained is self._shown_model and not learning:
            return
        self._shown_model, self._has_picture = trained, False
        self.save.setVisible(trained is not None)
        self.visualize.setVisible(trained is not None)
        words = "Training on all records, to look at and to use…" if learning and trained is None else ""
        self._model_words.setText(words)
        self._model_words.setVisible(bool(words))
        self._pictures.setVisible(trained is not None)
        if run is None or trained is None:
            self._model_title.setText("")
            self._model_facts.setText("")
            return
        structure = trained.structure()
        title, facts = structure_facts(structure, len(run.data))
        self._model_title.setText(title)
        self._model_facts.setText(facts)

    def _show_picture(self) -> None:
        if self._shown_model is None or self._has_picture:
            return
        self._has_picture = True
        structure, unscaled = self._shown_model.structure(), unscaled_by(self._shown_model.recipe)
        is_made = type(structure) in self._viewers
        viewer = self._viewer(type(structure))
        if viewer is not None and is_made:
            self._show_in(viewer, structure, unscaled)
        elif viewer is not None:
            self._session.turns.later(partial(self._show_in, viewer, structure, unscaled))

    def _show_in(self, viewer: Viewer, structure: ModelStructure, unscaled: Unscaled | None) -> None:
        show_structure(viewer, structure, unscaled)
        self._speak_for_interest()

    def _speak_for_interest(self) -> None:
        """Where the picture speaks for one class, it speaks for that of interest."""
        structure = None if self._shown_model is None else self._shown_model.structure()
        viewer: object = None if structure is None else self._viewers.get(type(structure))
        if isinstance(viewer, ShowsOneClass):
            classes = cast(Hyperplanes | Conditionals, structure).schema.classes
            if self._interest() in classes:
                viewer.set_interest(classes.index(self._interest()))

    def prepare_picture(self) -> None:
        """Make the viewer that most models want while nobody waits for it."""
        if Tree not in self._viewers:
            in_view = self._pictures.currentWidget()
            self._viewer(Tree)
            if self._has_picture and in_view is not None:
                self._pictures.setCurrentWidget(in_view)

    def _viewer(self, kind: type[ModelStructure]) -> Viewer | None:
        """The viewer of this kind of structure in small, without its controls; None where there is none yet."""
        if kind not in self._viewers:
            made = viewer_for(kind, self._session.jobs)
            if made is None:
                self._pictures.hide()
                return None
            self._viewers[kind] = made
            self._pictures.addWidget(cast(QWidget, made))
        viewer = self._viewers[kind]
        self._pictures.setCurrentWidget(cast(QWidget, viewer))
        return viewer

    def _show_chips(self) -> None:
        run = self._session.current_run
        chips = [] if run is None else list(chips_of(run, self._interest(), self._now(run)))
        self._chip_row.clear()
        for name, figure, tip in chips:
            self._chip_row.addWidget(Chip(f"{escape(name)}&nbsp; {strong(figure)}", rich=True, tip=tip))
        self._chips.setVisible(bool(chips))
        self._chips.updateGeometry()

    def _open(self) -> None:
        ask_for_file(self, "Open a table", "All files (*)", self._session.open_file)

    def _save_menu(self) -> QMenu:
        menu = QMenu(self)
        menu.setObjectName("classify.save.menu")
        for what, words in (
            ("model", "Model, to use it later…"),
            ("predictions", "Predictions, record by record…"),
            ("file", "Use it on another file…"),
        ):
            action = menu.addAction(words)
            action.setObjectName(f"classify.save.{what}")
            action.triggered.connect(lambda _checked=False, what=what: self._session.saving_asked.emit(what))
        return menu
