"""The pages of Evaluate: what the run in view gets right, what it tried, how its error changes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QButtonGroup, QPushButton, QWidget

from workbench.session.run_list import FEWEST
from workbench.session.session import Session
from workbench.style.theme import SPACE_2
from workbench.tabs.evaluate.deciding import RunDecisions
from workbench.tabs.evaluate.diagnostics.learning_curve_pane import SweepPane
from workbench.tabs.evaluate.diagnostics.settings_pane import SettingsPane, search_of
from workbench.widgets.buttons import pill_button
from workbench.widgets.chips import FlowLayout

if TYPE_CHECKING:
    from workbench.tabs.evaluate.compare.compare_pane import ComparePane
    from workbench.tabs.evaluate.costs.cost_board import CostBoard
    from workbench.tabs.evaluate.diagnostics.bias_variance_page import BiasVariancePage

    Page = SettingsPane | SweepPane | CostBoard | BiasVariancePage | ComparePane

JUDGED, COSTS, SWEEPS, LEANING, COMPARED, SETTINGS = range(6)
"""In the order of their buttons: those that come and go stand last, so that none moves under the mouse."""
TITLES: Final = (
    ("What it gets right", "evaluate.page.judged", "The confusion matrix, the curves, the numbers and the costs"),
    ("What mistakes cost", "evaluate.page.costs", "Costs typed or dragged, and what becomes of every run"),
    ("More records, other values", "evaluate.page.sweeps", "How the error changes with more records or other values"),
    ("Bias and variance", "evaluate.page.leaning", "What the error comes from: the learner, or chance in its records"),
    ("Compare runs", "evaluate.page.compared", "Which run is better, in words, and whether that is more than chance"),
    ("Settings tried", "evaluate.page.settings", "What each setting lost that was tried, and which was chosen"),
)
NAMES: Final = tuple(name.rpartition(".")[2] for _title, name, _tip in TITLES)
"""What a project keeps of the page it was left on."""


class PageTabs(QWidget):
    """A button for each page; the panes of the further ones are made when they are first wanted."""

    turned = Signal(int)
    luck_asked = Signal()
    """From the page of compared runs: could the run in view be luck?"""

    def __init__(self, session: Session, deciding: RunDecisions, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session, self._deciding = session, deciding
        self._panes: dict[int, Page] = {}
        self._group = QButtonGroup(self)
        row = FlowLayout(self, SPACE_2)
        self.buttons: list[QPushButton] = []
        for page, (title, name, tip) in enumerate(TITLES):
            button = pill_button(title, name, tip)
            button.setCheckable(True)
            self._group.addButton(button, page)
            row.addWidget(button)
            self.buttons.append(button)
        self.buttons[JUDGED].setChecked(True)
        self._group.idToggled.connect(self._toggled)

    @property
    def page(self) -> int:
        """The page in view."""
        return self._group.checkedId()

    def pane(self, page: int, parent: QWidget) -> QWidget:
        """A further page, made in ``parent``."""
        if page not in self._panes:
            if page == COSTS:
                from workbench.tabs.evaluate.costs.cost_board import CostBoard

                self._panes[page] = CostBoard(self._session, self._deciding, parent)
            elif page == COMPARED:
                from workbench.tabs.evaluate.compare.compare_pane import ComparePane

                compared = ComparePane(self._session, parent)
                compared.luck_asked.connect(self.luck_asked)
                self._panes[page] = compared
            elif page == LEANING:
                from workbench.tabs.evaluate.diagnostics.bias_variance_page import BiasVariancePage

                self._panes[page] = BiasVariancePage(self._session, parent)
            else:
                kind = SettingsPane if page == SETTINGS else SweepPane
                self._panes[page] = kind(self._session, parent)
        return self._panes[page]

    @property
    def made(self) -> dict[int, Page]:
        """The further pages there are so far."""
        return self._panes

    def refresh(self) -> None:
        """Offer what there is of the run in view, and bring the page in view up to date."""
        has = {
            SETTINGS: search_of(self._session.current_run) is not None,
            COMPARED: len(self._session.compared.judged) >= FEWEST,
        }
        for page, is_there in has.items():
            self.buttons[page].setVisible(is_there)
        if not has.get(self.page, True):
            self.buttons[JUDGED].setChecked(True)
        pane = self._panes.get(self.page)
        if pane is not None:
            pane.refresh()

    def show_page(self, page: int) -> None:
        """Turn to a page, as its button does."""
        self.buttons[page].setChecked(True)

    def _toggled(self, page: int, on: bool) -> None:
        if on:
            self.turned.emit(page)
