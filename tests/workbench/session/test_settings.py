"""Settings: what cannot be used is put aside and said, and never keeps the window from opening."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication

from tests.workbench.window_helpers import Wait
from workbench.app.start import make_window
from workbench.session.settings import HOME_VARIABLE, SET_ASIDE, Settings
from workbench.style.theme import themes

BAD = {
    "no scale": '{"text_scale": 0.0, "theme": "dark"}',
    "not a number": '{"text_scale": NaN, "theme": "dark"}',
    "infinite": '{"text_scale": Infinity, "theme": "dark"}',
    "beyond all numbers": '{"text_scale": 1e999, "theme": "dark"}',
    "negative": '{"text_scale": -1.5, "theme": "dark"}',
    "geometry of other letters": '{"geometry": "Größe", "theme": "dark"}',
    "impossible sizes": '{"visualize.sizes": [[1000000000000, 2], [3, 4]], "theme": "dark"}',
    "a path with NUL": '{"recent_files": ["a\\u0000b"], "theme": "dark"}',
    "places of all kinds": '{"places": {"/a.coppice": {"tab": {"deep": []}}}, "theme": "dark"}',
}
UNREADABLE = {
    "nested deeply": ('{"a":' * 100_000).encode(),
    "no JSON": b"{",
    "no text": b"\xff\xfe\x00",
    "a list": b"[1, 2]",
}


@pytest.mark.parametrize("text", BAD.values(), ids=BAD)
def test_a_value_that_cannot_be_used_is_put_aside_and_the_others_stay(tmp_path: Path, text: str) -> None:
    path = tmp_path / "settings.json"
    path.write_text(text, "utf-8")
    settings = Settings(path)
    assert len(settings.problems) == 2 and settings.get("theme", "") == "dark"
    assert path.with_name(path.name + SET_ASIDE).read_text("utf-8") == text
    assert json.loads(path.read_text("utf-8")) == {"theme": "dark"}
    assert Settings(path).problems == ()


@pytest.mark.parametrize("content", UNREADABLE.values(), ids=UNREADABLE)
def test_a_file_that_cannot_be_read_is_put_aside(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "settings.json"
    path.write_bytes(content)
    settings = Settings(path)
    assert len(settings.problems) == 2 and settings.get("theme", "as usual") == "as usual"
    assert path.with_name(path.name + SET_ASIDE).read_bytes() == content


@pytest.mark.parametrize("text", [*BAD.values(), UNREADABLE["nested deeply"].decode()], ids=[*BAD, "nested deeply"])
def test_the_window_opens_whatever_the_settings_hold(
    qapp: QApplication, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, wait_until: Wait, text: str
) -> None:
    monkeypatch.setenv(HOME_VARIABLE, str(tmp_path))
    (tmp_path / "settings.json").write_text(text, "utf-8")
    window = make_window(qapp)
    window.show()
    wait_until(window.isVisible)
    assert 0.5 <= themes.scale <= 4
    assert [m.text for m in window.session.messages.open] == list(window.session.settings.problems) != []
    window.session.close()
    window.close()


@pytest.mark.skipif(os.name != "posix", reason="modes of this kind are those of POSIX systems")
def test_settings_are_for_their_owner_alone_and_a_link_to_them_stays(tmp_path: Path) -> None:
    real, path = tmp_path / "dotfiles.json", tmp_path / "settings.json"
    Settings(real).set("theme", "dark")
    path.symlink_to(real)
    Settings(path).set("theme", "light")
    assert path.is_symlink() and json.loads(real.read_text("utf-8")) == {"theme": "light"}
    assert real.stat().st_mode & 0o777 == 0o600
