"""Every end that the journal of a short script may have; `python -m tests.cut_journals` takes whole scripts."""

from __future__ import annotations

from PySide6.QtWidgets import QApplication

from tests.cut_journals import cut


def test_whatever_end_a_journal_has_one_of_the_scripts_states_comes_back(qapp: QApplication) -> None:
    found = cut(seed=10, actions=16, records=120, further=2, every=12)
    assert found.wrong == []
    assert found.ends > 40 and found.acted >= 4
