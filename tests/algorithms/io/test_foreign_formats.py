"""What is no table, or none that is read, is refused by its name; a table that only looks like it is read."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

import numpy as np
import pytest

from algorithms.core.errors import DataError
from algorithms.core.run_control import RunContext
from algorithms.io.text.delimited import read_text
from algorithms.io.text.options import ReadOptions
from tests.algorithms.io.helpers import refused, table
from tests.expected_texts import io as wording

FLOWERS = [{"Sepal": 5.1 + i / 10, "Species": "setosa"} for i in range(30)]
LINES = "\n".join(json.dumps(flower) for flower in FLOWERS)
PAGE = "<html>\n<body>\n<table>\n" + "<tr><td>5.1</td><td>setosa</td></tr>\n" * 30 + "</table>\n</body>\n</html>\n"
LETTER = "<note>\n  <to>Ann, Bob</to>\n  <from>Cy</from>\n</note>\n"

TEXTS = {
    "JSON lines": (LINES, LINES.replace("}\n", "},\n"), "[1, 2]\n[3, 4]\n", '{"a": {"b": [1, 2]}}\r\n{"a": 1}\r\n'),
    "JSON": (
        json.dumps(FLOWERS),
        json.dumps(FLOWERS, indent=2),
        json.dumps({"rows": FLOWERS}, indent=1)[:-50],
        "\n  " + json.dumps({"rows": FLOWERS * 9000}),
        "[" * 100_000,
        json.dumps(FLOWERS).replace("5.5", "5.-5"),
        json.dumps(FLOWERS[0], indent=1).replace("setosa", 'set"osa'),
        "{}\n",
    ),
    wording.WEB_PAGE: (
        PAGE,
        "\n<!-- saved -->\n<!DOCTYPE html>\n<html><head></head></html>",
        '<table class="a">\n<tr><td>1</td>\n<td>2</td></tr></table>',
        "<p><b>Hello</b>, world</p>\n<p>Good, day</p>\n",
        '<?xml version="1.0"?>\n<html xmlns="http://www.w3.org/1999/xhtml"><body/></html>',
    ),
    "a LaTeX document": ("\\documentclass{article}\n\\begin{document}\nOne, two\n", "% x\n\\documentclass[a, b]{c}\n"),
    "a key or a certificate": ("-----BEGIN RSA PRIVATE KEY-----\nabc,d\nabc,e\n", "-----BEGIN CERTIFICATE-----\nab\n"),
    "an e-mail": ("From: a@b\nTo: c@d\n\nHello, you\nBye, you\n", "Received: from a;\r\n\tby b\r\nFrom: c\r\n"),
    "an SQL dump": ("-- MySQL dump 10.13\nCREATE TABLE a (b, c);\n", "--\n-- PostgreSQL database dump\n--\n"),
    "a calendar (iCalendar)": ("BEGIN:VCALENDAR\nVERSION:2.0\nEND:VCALENDAR\n", "BEGIN:VCALENDAR\r\nX:1,2\r\n"),
    "XML": (
        '<?xml version="1.0"?>\n<rows><row a="1"/></rows>',
        LETTER,
        "<rows><row><x>1</x></row></rows>",
        "<r:rows xmlns:r='a'>\n" + "<r:row>1,2</r:row>\n" * 30_000,
        "<!-- of 2024 -->\n<svg width='3'/>\n",
    ),
}  # fmt: skip


@pytest.mark.parametrize(
    ("name", "text"),
    [
        (name, text)
        for name, texts in TEXTS.items()
        if name not in ("JSON", "JSON lines", wording.WEB_PAGE)
        for text in texts
    ],
)
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_text_that_is_no_table_is_refused_by_its_name(tmp_path: Path, name: str, text: str, encoding: str) -> None:
    assert refused(tmp_path, text.encode(encoding)).sentence == wording.is_no_table("table.csv", name)


@pytest.mark.parametrize(("name", "text"), [(name, text) for name, texts in TEXTS.items() for text in texts[:2]])
def test_pasted_text_that_is_no_table_is_refused_by_its_name(name: str, text: str) -> None:
    with pytest.raises(DataError) as caught:
        read_text(text, RunContext())
    assert caught.value.sentence == wording.is_no_table(wording.WHAT_WAS_COPIED, name)


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("{id},{name}\n1,x\n2,y\n", ("{id}", "{name}")),
        ("{id}\tname\n1\tx\n2\ty\n", ("{id}", "name")),
        ('{"id": x};name\n1;x\n2;y\n', ('{"id": x}', "name")),
        ("[1],[2]\n5.5,x\n6.5,y\n", ("[1]", "[2]")),
        ('id,json\n1,"{""a"": 1}"\n2,"{""a"": 2}"\n', ("id", "json")),
        ('json\tclass\n{"a": 1}\tx\n{"a": 2}\ty\n', ("json", "class")),
        ("<TICKER>,<PER>,<DATE>\nA,D,2024\nB,D,2023\n", ("<TICKER>", "<PER>", "<DATE>")),
        ("<TICKER>\t<PER>\t<DATE>\nA\tD\t2024\nB\tD\t2023\n", ("<TICKER>", "<PER>", "<DATE>")),
        ("<b>size</b>,<b><i>class</i></b>\n1.5,x\n2.5,y\n", ("<b>size</b>", "<b><i>class</i></b>")),
        ("html,class\n<p>a</p>,x\n<p>b</p>,y\n", ("html", "class")),
        ("<5,class\n1.5,x\n2.5,y\n", ("<5", "class")),
        ("PAR1,PAR2\n1.5,x\n2.5,y\n", ("PAR1", "PAR2")),
        ("FEA1,class\n1.5,x\n2.5,y\n", ("FEA1", "class")),
        ("ORC\tage,ftyp\n1.5\tx\n2.5\ty\n", ("ORC", "age,ftyp")),
        ("1 10:30 11:45\n2 09:15 12:00\n3 08:15 12:30\n", ("Column 1", "Column 2", "Column 3")),
        ("label pairs\n1 3:0.5\n2 7:1.5\n", ("label", "pairs")),
        ("MZ,OTTO\n1.5,x\n2.5,y\n", ("MZ", "OTTO")),
        ("From: ,To: \n1.5,x\n2.5,y\n", ("From:", "To:")),
        ("MThd\twOFF\n1.5\tx\n2.5\ty\n", ("MThd", "wOFF")),
        ("GIF8,BZh\n1.5,x\n2.5,y\n", ("GIF8", "BZh")),
    ],
)  # fmt: skip
def test_a_table_with_names_or_cells_that_look_like_another_format_is_read(
    tmp_path: Path, text: str, names: tuple[str, ...]
) -> None:
    assert table(tmp_path, text).schema.names == names


def test_who_names_the_delimiter_has_seen_that_it_is_a_table(tmp_path: Path) -> None:
    text = '{"a": 1}\n{"a": 2}\n{"a": 3}\n'
    assert len(table(tmp_path, text, ReadOptions(delimiter=":", quote="", header=False))) == 3


@pytest.mark.parametrize(
    ("content", "name"),
    [
        (b"\x89PNG\r\n\x1a\n", "a PNG picture"),
        (b"\xff\xd8\xff\xe0\x00\x10JFIF", "a JPEG picture"),
        (b"RIFF\x00\x00\x00\x00WEBP", "a WebP picture"),
        (b"%PDF-1.7\n1 0 obj\n", "a PDF document"),
        (b"FEA1\x00\x00\x00\x00", "a Feather file of version 1"),
        (b"\x89HDF\r\n\x1a\n", "an HDF5 file"),
        (bytes(12) + b"\xc2\xea\x81\x63\xb3\x14\x11\xcf", "a catalogue of SAS formats"),
        (b"MATLAB 5.0 MAT-file, Platform: GLNXA64", "a MATLAB data file"),
        (b"\x93NUMPY\x01\x00", "a NumPy array"),
        (b"\x80\x04\x95\x10", "a Python pickle"),
        (b"\x7fELF\x02\x01", "a program"),
        (b"MZ\x90\x00", "a program"),
        (b"MZ\x50\x00\x02", "a program"),
        (b"\x00\x00\x00\x18ftypheic", "a HEIF picture"),
        (b"\x00\x00\x00\x18ftypisom", "a sound or video recording"),
        (b"ID3\x03\x00", "a sound or video recording"),
        (b"\xff\xfb\x90\x64", "a sound or video recording"),
        (b"\x1aE\xdf\xa3\x01", "a sound or video recording"),
        (b"8BPS\x00\x01", "a Photoshop picture"),
        (b"\x00\x00\x01\x00\x01", "an icon"),
        (b"AT&TFORM\x00\x00", "a DjVu document"),
        (b"SIMPLE  =      T", "a FITS file"),
        (b"AC1032\x00", "a drawing (DWG)"),
        (b"L\x00\x00\x00\x01\x14\x02\x00", "a Windows shortcut"),
        (b"\x00\x01\x00\x00\x00\x0f", "a font"),
        (b"\xd4\xc3\xb2\xa1\x02\x00", "a recording of network traffic"),
        (bytes(128) + b"DICM\x02", "a DICOM picture"),
        (b"GGUF\x03\x00", "a language model"),
        (b"#!/bin/sh\necho 1, 2\n", "a script"),
        (b"{\\rtf1\\ansi one, two\n}", "a document (RTF)"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + "WordDocument".encode("utf-16-le"), "a text document"),
    ],
)
@pytest.mark.parametrize("file", ["table.csv", "table.xlsx", "table.arff"])
def test_a_binary_format_is_refused_by_its_name_whatever_the_file_is_called(
    tmp_path: Path, content: bytes, name: str, file: str
) -> None:
    error = refused(tmp_path, content + bytes(600), name=file)
    assert error.sentence == wording.is_no_table(file, name)
    assert refused(tmp_path, content + bytes(600), ReadOptions(encoding="cp1252"), name=file).sentence == error.sentence


@pytest.mark.parametrize(
    ("member", "name"),
    [
        ("word/document.xml", "a text document"),
        ("ppt/slides/slide1.xml", "a presentation"),
        ("x.npy", "an archive of NumPy arrays"),
    ],
)
def test_an_archive_of_another_program_is_refused_by_its_name(tmp_path: Path, member: str, name: str) -> None:
    path = tmp_path / "packed.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("[Content_Types].xml", "<Types/>")
        archive.writestr(member, "<a/>")
    assert refused(tmp_path, path.read_bytes(), name="table.xlsx").sentence == wording.is_no_table("table.xlsx", name)


def test_files_as_other_programs_write_them_are_refused_by_their_names(tmp_path: Path) -> None:
    np.save(tmp_path / "a.npy", np.arange(5.0))
    assert "NumPy array" in refused(tmp_path, (tmp_path / "a.npy").read_bytes()).sentence
