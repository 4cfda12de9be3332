"""The container of saved things: what is written comes back; what a stranger made can do no harm."""

from __future__ import annotations

import io
import json
import pickle
import zipfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from algorithms.core.errors import ModelFileError
from algorithms.project import archive
from algorithms.project.archive import ArchiveContent
from tests.expected_texts import core as core_wording
from tests.expected_texts import io as io_wording
from tests.expected_texts import project as wording

WHOLE = ArchiveContent({"a": 1, "words": ["ä", "\ud800"]}, {"model/counts": np.arange(6.0).reshape(2, 3)})

plain_arrays = arrays.arrays(
    st.sampled_from(["?", "i1", "i2", "i4", "i8", "u1", "u8", "f4", "f8"]), arrays.array_shapes(min_dims=0, min_side=0)
)


@given(plain_arrays)
@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_arrays_come_back_bit_for_bit(tmp_path, array):
    archive.write(tmp_path / "x", ArchiveContent({}, {"a": array}))
    again = archive.read(tmp_path / "x").arrays["a"]
    assert again.dtype == array.dtype
    assert again.shape == array.shape
    assert again.tobytes() == array.tobytes()


def test_arrays_in_fortran_order_and_foreign_byte_order_come_back_equal(tmp_path):
    array = np.asfortranarray(np.arange(12).reshape(3, 4))
    archive.write(tmp_path / "x", ArchiveContent({}, {"a": array, "b": array.astype(">f8")}))
    again = archive.read(tmp_path / "x").arrays
    assert again["a"].tolist() == again["b"].tolist() == array.tolist()
    assert again["b"].dtype == np.dtype("=f8")


def test_values_come_back(tmp_path):
    archive.write(tmp_path / "x", WHOLE)
    assert archive.read(tmp_path / "x").values == WHOLE.values


def test_writing_replaces_the_file_at_once_and_leaves_nothing_beside_it(tmp_path):
    target = tmp_path / "m"
    archive.write(target, WHOLE)
    archive.write(target, ArchiveContent({"a": 2}))
    assert archive.read(target).values == {"a": 2}
    assert [p.name for p in tmp_path.iterdir()] == ["m"]


def test_a_failed_write_leaves_the_old_file(tmp_path):
    target = tmp_path / "m"
    archive.write(target, WHOLE)
    with pytest.raises(ValueError, match=wording.OUT_OF_RANGE_FLOAT):
        archive.write(target, ArchiveContent({"a": float("nan")}))
    assert archive.read(target).values == WHOLE.values
    assert [p.name for p in tmp_path.iterdir()] == ["m"]


def test_what_cannot_be_written_or_read_says_so(tmp_path):
    with pytest.raises(ModelFileError, match=core_wording.CANNOT_BE_WRITTEN):
        archive.write(tmp_path / "none" / "m", WHOLE)
    with pytest.raises(ModelFileError, match=core_wording.CANNOT_BE_READ):
        archive.read(tmp_path / "none")
    with pytest.raises(ModelFileError, match=io_wording.IS_A_FOLDER):
        archive.read(tmp_path)


def refused(path: Path, members: dict[str, bytes], compression: int = zipfile.ZIP_STORED) -> str:
    """The sentence with which a zip of these members is refused."""
    with zipfile.ZipFile(path, "w", compression) as made:
        for name, content in members.items():
            made.writestr(name, content)
    with pytest.raises(ModelFileError) as caught:
        archive.read(path)
    return str(caught.value)


def npy(array: np.ndarray, **options: bool) -> bytes:
    buffer = io.BytesIO()
    np.save(buffer, array, **options)
    return buffer.getvalue()


@pytest.mark.parametrize(
    "name", ["../evil.npy", "/etc/passwd", "a/../../b.npy", "C:\\b.npy", "..npy", "a/./b.npy", "run.py", ".npy"]
)
def test_names_that_could_be_paths_elsewhere_are_refused(tmp_path, name):
    refused(tmp_path / "x", {"content.json": b"{}", name: npy(np.zeros(2))})
    assert [p.name for p in tmp_path.iterdir()] == ["x"]


def test_compressed_members_are_refused_so_that_nothing_can_swell(tmp_path):
    assert "compressed" in refused(tmp_path / "x", {"content.json": b" " * 10_000_000}, zipfile.ZIP_DEFLATED)


def test_arrays_that_claim_more_than_they_hold_are_refused(tmp_path):
    header = npy(np.zeros(3)).replace(b"(3,)", b"(9999999999999,)")
    assert "array" in refused(tmp_path / "x", {"content.json": b"{}", "a.npy": header})
    longer = npy(np.zeros(3)) + b"more"
    assert wording.LARGER_OR_SMALLER in refused(tmp_path / "x", {"content.json": b"{}", "a.npy": longer})


def test_negative_and_overflowing_shapes_are_refused(tmp_path):
    for shape in (b"(-3,)", b"(4294967296, 4294967296)", b"(True,)", b"('a',)", b"(1e3,)"):
        damaged = npy(np.zeros(3)).replace(b"(3,)", shape)
        refused(tmp_path / "x", {"content.json": b"{}", "a.npy": damaged})


class Harm:
    def __reduce__(self):
        return (Path.touch, (Path("harm-was-done"),))


def test_pickles_and_objects_are_refused_unread(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    harmful = npy(np.array([Harm()], dtype=object), allow_pickle=True)
    assert "plain numbers" in refused(tmp_path / "x", {"content.json": b"{}", "a.npy": harmful})
    refused(tmp_path / "x", {"content.json": pickle.dumps(Harm())})
    refused(tmp_path / "x", {"content.json": b"{}", "a.npy": pickle.dumps(Harm())})
    assert not (tmp_path / "harm-was-done").exists()


@pytest.mark.parametrize("dtype", ["U3", "S3", "M8[s]", "c16", [("a", "f8")], "V4", "f8,i4"])
def test_arrays_of_anything_but_numbers_are_refused(tmp_path, dtype):
    assert "plain numbers" in refused(tmp_path / "x", {"content.json": b"{}", "a.npy": npy(np.zeros(2, dtype=dtype))})


@pytest.mark.parametrize(
    "text",
    [
        b"",
        b"[]",
        b"nul",
        b'{"a": NaN}',
        b'{"a": Infinity}',
        b"\xff\xff",
        b"[" * 200_000,
        b'{"a": ' + b"9" * 5000 + b"}",
    ],
)
def test_descriptions_that_are_no_objects_are_refused(tmp_path, text):
    refused(tmp_path / "x", {"content.json": text})


def test_missing_description_and_double_members_are_refused(tmp_path):
    assert wording.NO_DESCRIPTION in refused(tmp_path / "x", {"a.npy": npy(np.zeros(1))})
    with pytest.warns(UserWarning, match="Duplicate"), zipfile.ZipFile(tmp_path / "y", "w") as made:
        made.writestr("content.json", b"{}")
        made.writestr("content.json", b"{}")
    with pytest.raises(ModelFileError, match="one name"):
        archive.read(tmp_path / "y")


def test_overlapping_members_are_refused(tmp_path):
    """Many entries of the directory that point at the same bytes would multiply them."""
    archive.write(tmp_path / "x", ArchiveContent({"a": "b" * 1000}, {"model/a": np.zeros(1000)}))
    raw = (tmp_path / "x").read_bytes()
    start = raw.index(b"PK\x01\x02", raw.index(b"PK\x01\x02") + 4)
    end = raw.index(b"PK\x05\x06")
    entry = raw[start:end]
    copies = [entry.replace(b"model/a.npy", f"model/{c}.npy".encode()) for c in "bcdefghij"]
    directory = raw[raw.index(b"PK\x01\x02") : end] + b"".join(copies)
    closing = bytearray(raw[end:])
    closing[8:10] = closing[10:12] = (2 + len(copies)).to_bytes(2, "little")
    closing[12:16] = len(directory).to_bytes(4, "little")
    (tmp_path / "x").write_bytes(raw[: raw.index(b"PK\x01\x02")] + directory + bytes(closing))
    with pytest.raises(ModelFileError):
        archive.read(tmp_path / "x")


@pytest.mark.parametrize("content", [b"", b"PK", b"hello", b"PK\x05\x06" + b"\0" * 18, b"\0" * 1000])
def test_what_is_no_archive_is_refused(tmp_path, content):
    (tmp_path / "x").write_bytes(content)
    with pytest.raises(ModelFileError, match="x: "):
        archive.read(tmp_path / "x")


def test_names_of_arrays_are_checked_where_they_are_written(tmp_path):
    with pytest.raises(ValueError, match=wording.CANNOT_BE_THE_NAME):
        archive.write(tmp_path / "x", ArchiveContent({}, {"../a b": np.zeros(1)}))
    assert json.dumps([p.name for p in tmp_path.iterdir()]) == "[]"
