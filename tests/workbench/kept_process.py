"""The part of the program that keeps what was done, as it runs in a process."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from algorithms.catalogue import builtin
from algorithms.core.files import JOURNAL_SUFFIX
from tests.workbench.window_helpers import Wait
from workbench.autosave.autosave import Autosave
from workbench.autosave.recovery import Recovery
from workbench.session.session import Session


class Process:
    """A session with its keeper, as a program has them."""

    def __init__(self, folder: Path, wait: Wait) -> None:
        self.session = Session(builtin())
        self.keeper = Autosave(self.session, folder)
        self.n_asked = 0
        self.recovery = Recovery(self.session, self.keeper, folder, self._ask)
        self.wait = wait

    def _ask(self, act: Callable[[], object]) -> None:
        """Answers yes where the program asks before it drops what is open."""
        self.n_asked += 1
        act()

    def recover(self, at_once: bool = True) -> None:
        self.recovery.begin(at_once)
        self.wait(lambda: not self.session.jobs.running)

    def kept(self) -> None:
        self.wait(lambda: self.keeper.is_kept)

    def said(self) -> list[str]:
        return [message.text for message in self.session.messages.history]


def journals(tmp_path: Path) -> list[Path]:
    """The journals that are kept in the folder, in the order of their names."""
    return sorted((tmp_path / "kept").glob(f"*{JOURNAL_SUFFIX}"))
