"""The model in small, in the pane of the verdict."""

from __future__ import annotations

from PySide6.QtWidgets import QApplication, QWidget

from workbench.classify.verdict import LEAST_PICTURE, _Pictures
from workbench.theme import themes


def test_a_wide_picture_never_pushes_the_words_of_the_verdict_out_of_their_pane(qapp: QApplication) -> None:
    pictures, wide = _Pictures(), QWidget()
    wide.setMinimumSize(900, 900)
    pictures.addWidget(wide)
    least = pictures.minimumSizeHint()
    assert least.width() == least.height() == themes.px(LEAST_PICTURE)
