"""Which rules are shown: those that say something, of a class, that decide enough; others and those put away
are hidden."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QWidget

from algorithms.structures.rule_set import RuleSet
from workbench.style.theme import themes
from workbench.style.wording import counted
from workbench.widgets.buttons import link_button, quiet_button
from workbench.widgets.fields import ElidedComboBox, NumberField, SearchField, with_room

FEW = 8
"""So few rules are seen at a glance: nothing is searched in them."""
MOST = 1_000_000_000
EVERY = "every class"


class RulesFilter(QWidget):
    """``changed`` comes with every change of what is asked for, ``hide_asked`` to put the rule in focus away."""

    changed = Signal()
    hide_asked = Signal()
    show_all_asked = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("part", "clear")
        self.search = SearchField("Find a rule: an attribute, a value, a class", "visualize.rules.find")
        self.search.setToolTip("Shows only the rules in whose words this stands")
        self.classes = ElidedComboBox()
        self.classes.setObjectName("visualize.rules.class")
        self.classes.setAccessibleName("Rules for this class")
        self.classes.setToolTip("Shows only the rules that say this class")
        self.classes.setMinimumWidth(themes.px(110))
        self.classes.setMaximumWidth(themes.px(220))
        self.least = NumberField()
        with_room(self.least)
        self.least.setObjectName("visualize.rules.least")
        self.least.setRange(0, MOST)
        self.least.setKeyboardTracking(False)
        self.least.setAccessibleName("Records that a rule must decide to be shown")
        self.least.setToolTip("Shows only the rules that decide at least so many training records")
        self.least.setSuffix(" or more records")
        self.least.setSpecialValueText("any number of records")
        self.hide_rule = quiet_button("Hide", "visualize.rules.hide", "Put the rule in focus out of sight (H)")
        self.show_all = link_button("", "visualize.rules.show-all", "Show the rules that were put out of sight")
        line = QHBoxLayout(self)
        line.setContentsMargins(0, 0, 0, 0)
        line.setSpacing(6)
        line.addWidget(self.search, 1)
        for widget in (self.classes, self.least, self.hide_rule, self.show_all):
            line.addWidget(widget)
        line.addStretch(0)
        self.show_all.hide()
        self.search.textChanged.connect(self.changed)
        self.classes.currentIndexChanged.connect(self.changed)
        self.least.valueChanged.connect(self.changed)
        self.hide_rule.clicked.connect(self.hide_asked)
        self.show_all.clicked.connect(self.show_all_asked)

    def set_rules(self, rules: RuleSet, *, are_edited: bool = False) -> None:
        """Ask for all of these rules, without telling anybody; for what was asked for where the same were edited."""
        if not are_edited:
            self._ask_for_all(rules)
        shown: tuple[QWidget, ...] = (self.search, self.classes, self.least, self.hide_rule)
        for each in shown:
            each.setVisible(rules.n_rules > FEW)
        self.least.setSuffix(f" or more {'decided' if rules.is_ordered else 'covered'}")
        self.say_hidden(0)

    def _ask_for_all(self, rules: RuleSet) -> None:
        for widget in (self.search, self.classes, self.least):
            widget.blockSignals(True)
        self.search.clear()
        self.classes.clear()
        self.classes.addItems([EVERY, *rules.schema.classes])
        self.least.setValue(0)
        for widget in (self.search, self.classes, self.least):
            widget.blockSignals(False)

    @property
    def asked_class(self) -> int | None:
        """The code of the class whose rules are asked for; None for all."""
        return self.classes.currentIndex() - 1 if self.classes.currentIndex() > 0 else None

    @property
    def is_on(self) -> bool:
        """Whether anything is asked for."""
        return bool(self.search.text().strip()) or self.asked_class is not None or self.least.value() > 0

    def say_hidden(self, n: int) -> None:
        """How many rules were put away."""
        self.show_all.setText(f"Show {counted(n, 'hidden rule')}")
        self.show_all.setAccessibleName(self.show_all.text())
        self.show_all.setVisible(n > 0)

    @property
    def has_something(self) -> bool:
        """Whether there is anything in it to be seen."""
        return not self.search.isHidden() or not self.show_all.isHidden()
