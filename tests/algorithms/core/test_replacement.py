"""Writing a file: it is there whole or as it was, and what else it was it stays."""

from __future__ import annotations

import io
import os
import subprocess
import sys
import zipfile
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from algorithms.core.errors import Cancelled, CoppiceError, DataError
from algorithms.core.files import STRAYS, check_writable, replacing, write_bytes, write_text
from algorithms.core.filters import RecipeStep
from algorithms.core.run_control import RunContext
from algorithms.data.dataset import Dataset
from algorithms.data.schema import Attribute, AttributeKind, Schema
from algorithms.evaluation.costs.cost_matrix import CostMatrix, write_costs
from algorithms.filters.replace_missing import ReplaceMissing
from algorithms.io.excel import write_excel
from algorithms.io.text.text_writing import write_csv
from algorithms.project import archive
from algorithms.project.recipes import save_recipe
from tests.expected_texts import core as wording

Write = Callable[[Path], object]


def table() -> Dataset:
    return Dataset(Schema((Attribute("x", AttributeKind.NUMERIC),)), [np.random.default_rng(1).random(3000)])


WRITERS: dict[str, Write] = {
    "archive": lambda path: archive.write(path, archive.ArchiveContent({}, {"a": np.zeros(9000)})),
    "csv": lambda path: write_csv(path, table()),
    "excel": lambda path: write_excel(path, table()),
    "recipe": lambda path: save_recipe(path, [RecipeStep(ReplaceMissing())] * 400),
    "costs": lambda path: write_costs(path, CostMatrix(("a" * 9000, "b" * 9000), ((0, 1), (1, 0)))),
    "text": lambda path: write_text(path, "a" * 20_000),
}
writers = pytest.mark.parametrize("write", WRITERS.values(), ids=WRITERS)
posix = pytest.mark.skipif(os.name != "posix", reason="modes and links of this kind are those of POSIX systems")


@posix
@writers
def test_a_file_keeps_its_mode_and_a_link_stays_a_link(tmp_path: Path, write: Write) -> None:
    target, link = tmp_path / "elsewhere" / "kept", tmp_path / "link"
    target.parent.mkdir()
    target.write_text("before")
    target.chmod(0o600)
    link.symlink_to(target)
    write(link)
    assert link.is_symlink() and target.read_bytes() != b"before"
    assert target.stat().st_mode & 0o777 == 0o600
    assert [p.name for p in target.parent.iterdir()] == ["kept"] and len(list(tmp_path.iterdir())) == 2


@writers
def test_the_longest_name_that_a_folder_takes_can_be_written(tmp_path: Path, write: Write) -> None:
    path = tmp_path / ("n" * 255)
    write(path)
    write(path)
    assert [p.name for p in tmp_path.iterdir()] == ["n" * 255]


@writers
def test_a_longer_name_is_refused_in_a_sentence(tmp_path: Path, write: Write) -> None:
    with pytest.raises(CoppiceError, match=wording.CANNOT_BE_WRITTEN) as caught:
        write(tmp_path / ("n" * 256))
    assert caught.value.remedy == wording.CHOOSE_SHORTER_NAME


@posix
def test_a_full_disk_leaves_the_files_as_they_were(tmp_path: Path) -> None:
    for name in WRITERS:
        (tmp_path / name).write_text("before")
    code = (
        "import resource, signal, sys\n"
        "from tests.algorithms.core.test_replacement import WRITERS\n"
        "from algorithms.core.errors import CoppiceError\n"
        "from pathlib import Path\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))\n"
        "for name, write in WRITERS.items():\n"
        "    try:\n        write(Path(sys.argv[1]) / name)\n"
        "    except CoppiceError as error:\n        print(error.remedy)\n"
    )
    command = [sys.executable, "-c", code, str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stderr
    assert done.stdout == wording.MAKE_ROOM * len(WRITERS)
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == dict.fromkeys(WRITERS, "before")


@posix
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no device that is always full")
@writers
def test_a_device_is_written_to_and_never_replaced(write: Write) -> None:
    before = Path("/dev/full").stat().st_rdev
    with pytest.raises(CoppiceError, match=wording.NO_SPACE_LEFT):
        write(Path("/dev/full"))
    assert Path("/dev/full").stat().st_rdev == before
    write(Path(os.devnull))
    assert not Path(os.devnull).is_file()


@posix
@pytest.mark.skipif(not Path("/dev/fd").exists(), reason="this system has no names for open files")
@writers
def test_a_pipe_that_only_has_the_name_of_an_open_file_is_written_to(tmp_path: Path, write: Write) -> None:
    """As ``/dev/stdout`` has, and what a shell puts in the place of ``>(program)``."""
    write(tmp_path / "plain")
    source, sink = os.pipe()
    with open(source, "rb") as read, ThreadPoolExecutor() as pool:  # noqa: PTH123 - it has no path
        content = pool.submit(read.read)
        try:
            check_writable(f"/dev/fd/{sink}")
            write(Path(f"/dev/fd/{sink}"))
        finally:
            os.close(sink)  # else who reads waits for ever
        assert _parts(content.result(60)) == _parts((tmp_path / "plain").read_bytes())


def _parts(content: bytes) -> dict[str, bytes]:
    """What a file holds by name of its parts; of a workbook without the part that holds the time it was made."""
    if not zipfile.is_zipfile(io.BytesIO(content)):
        return {"": content}
    with zipfile.ZipFile(io.BytesIO(content)) as parts:
        return {name: parts.read(name) for name in parts.namelist() if name != "docProps/core.xml"}


@posix
def test_a_new_file_has_the_mode_of_the_system_and_a_private_one_is_for_its_owner(tmp_path: Path) -> None:
    write_text(tmp_path / "open", "")
    write_text(tmp_path / "own", "", private=True)
    (tmp_path / "usual").touch()
    modes = {path.name: path.stat().st_mode & 0o777 for path in tmp_path.iterdir()}
    assert modes["own"] == 0o600 and modes["open"] == modes["usual"]


@posix
def test_nobody_else_can_read_what_is_not_yet_in_the_place_of_a_private_file(tmp_path: Path) -> None:
    path = tmp_path / "own"
    path.touch(0o600)
    with replacing(path) as part:
        assert part.stat().st_mode & 0o077 == 0


@posix
def test_a_write_protected_file_is_not_replaced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "kept"
    path.write_text("before")
    path.chmod(0o400)
    if os.geteuid() == 0:  # nothing is write-protected from the superuser
        monkeypatch.setattr(os, "access", lambda place, _mode: place != path)
    with pytest.raises(DataError, match=wording.CANNOT_BE_WRITTEN):
        write_text(path, "after")
    assert path.read_text() == "before"


def test_a_stop_before_the_rename_leaves_the_file_and_one_after_it_is_not_heard(tmp_path: Path) -> None:
    path, context = tmp_path / "kept", RunContext()
    path.write_text("before")
    write_bytes(path, b"after", commit=context.commit)
    context.cancel()
    context.checkpoint()
    assert path.read_text() == "after" and not context.cancelled
    stopped = RunContext()
    stopped.cancel()
    with pytest.raises(Cancelled):
        write_bytes(path, b"never", commit=stopped.commit)
    assert path.read_text() == "after" and len(list(tmp_path.iterdir())) == 1


def test_what_a_killed_program_left_is_removed_an_hour_later(tmp_path: Path) -> None:
    old, new = (tmp_path / STRAYS.replace("*", letter * 32) for letter in "ab")
    other = tmp_path / ".other.part"
    for each in (old, new, other):
        each.write_bytes(b"half")
    folder = tmp_path / STRAYS.replace("*", "c")
    folder.mkdir()
    (folder / "sheet").touch()
    for each in (old, other, folder / "sheet", folder):
        os.utime(each, (0, 0))
    write_text(tmp_path / "a[1].model", "")
    assert not old.exists() and not folder.exists() and new.exists() and other.exists()
