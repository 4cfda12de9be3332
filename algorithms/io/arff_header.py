"""The header of an ARFF file: the relation, and each attribute with its declared type."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from algorithms.core.dates import check_format
from algorithms.core.errors import DataError
from algorithms.core.schema import Attribute, Kind
from algorithms.io.options import refuse_too_wide
from algorithms.io.source import Source

ISO_FORMAT: Final = "yyyy-MM-dd'T'HH:mm:ss"

_TOKEN: Final = re.compile(r"""\s*(?:'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)"|([^\s{},'"]+))""")
_VALUE: Final = re.compile(r"""\s*(?:'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)"|([^,]*))\s*(?:,|$)""")
_QUOTED: Final = {"'": re.compile(r"(?:[^'\\]|\\.)*+'"), '"': re.compile(r'(?:[^"\\]|\\.)*+"')}
_MARK: Final = re.compile(r"""['"}]""")
_DECLARATION: Final = re.compile(r"@(attribute|data)\b", re.I)
_ESCAPE: Final = re.compile(r"\\(u[0-9a-fA-F]{4}|.)", re.S)
_ESCAPED: Final = {"n": "\n", "t": "\t", "r": "\r"}
_DATE_PARTS: Final = {
    "yyyy": "%Y",
    "yy": "%y",
    "MMMM": "%B",
    "MMM": "%b",
    "MM": "%m",
    "M": "%m",
    "dd": "%d",
    "d": "%d",
    "HH": "%H",
    "H": "%H",
    "hh": "%I",
    "h": "%I",
    "mm": "%M",
    "m": "%M",
    "ss": "%S",
    "s": "%S",
    "SSS": "%f",
    "S": "%f",
    "a": "%p",
    "EEEE": "%A",
    "EEE": "%a",
    "E": "%a",
    "Z": "%z",
    "z": "%Z",
    "X": "%z",
    "XXX": "%z",
}


@dataclass(frozen=True)
class ArffHeader:
    """The relation's name, the attributes as declared, and of each that is a date (by position) its pattern as it
    stands in the file."""

    relation: str
    attributes: tuple[Attribute, ...]
    date_patterns: dict[int, str]
    n_lines: int

    def date_format(self, index: int) -> str:
        """The format of a date as ``strptime`` takes it; empty for other attributes."""
        return python_date_format(self.date_patterns[index]) if index in self.date_patterns else ""


def unescaped(text: str) -> str:
    """The text with its backslash escapes resolved."""
    if "\\" not in text:
        return text

    def one(match: re.Match[str]) -> str:
        code = match.group(1)
        return chr(int(code[1:], 16)) if len(code) == 5 else _ESCAPED.get(code, code)

    # two escapes may be the halves of one character; a half alone is none
    return _ESCAPE.sub(one, text).encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def read_header(lines: Iterator[str], source: Source) -> ArffHeader:
    """The header up to and with the line @data; raises :class:`DataError` with the line for what is no header."""
    relation, number = "", 0
    attributes: list[Attribute] = []
    taken: set[str] = set()
    patterns: dict[int, str] = {}
    for line in lines:
        number += 1
        text = line.strip()
        if not text or text.startswith("%"):
            continue
        word = text.split(None, 1)[0].lower()
        if word == "@relation":
            relation = _relation(text)
        elif word == "@attribute":
            first = number
            refuse_too_wide(len(attributes) + 1, source.place(first))
            more = _rest_of_values(text, lines) if "{" in text else []
            number += len(more)
            _attribute(" ".join([text, *more]), attributes, taken, patterns, source.place(first))
        elif word == "@data":
            if not attributes:
                raise DataError(
                    "No attribute is declared before @data.", remedy="Is the file complete?", place=source.place(number)
                )
            return ArffHeader(relation, tuple(attributes), patterns, number)
        elif word == "@end":
            continue
        else:
            raise DataError(
                f"This line is neither a comment nor a declaration: {text[:40]!r}.",
                remedy="Lines before @data begin with @relation, @attribute or %.",
                place=source.place(number),
            )
    raise DataError(
        "The file ends before its records begin: there is no line @data.",
        remedy="The file may have been cut off; fetch it again.",
        place=source.place(number),
    )


def _relation(text: str) -> str:
    match = _TOKEN.match(text[len("@relation") :])
    return unescaped(_chosen(match)) if match else ""


def _chosen(match: re.Match[str]) -> str:
    return next((group for group in match.groups() if group is not None), "")


def _rest_of_values(text: str, lines: Iterator[str]) -> list[str]:
    """The lines up to the one that closes a list of values begun in ``text``; each is looked at once.

    Where none closes it they end before the next declaration.
    """
    more: list[str] = []
    is_closed, quote = _closes(text, "")
    while not is_closed:
        line = next(lines, None)
        if line is None or (not quote and _DECLARATION.match(line.strip())):
            break
        more.append(line.strip())
        is_closed, quote = _closes(more[-1], quote)
    return more


def _closes(line: str, quote: str) -> tuple[bool, str]:
    """Whether a list of values closes in a line that begins within this quote ("" for none), and in which it ends.

    A quote that nothing closes is a letter like any other: so is a brace after it one that closes.
    """
    position = 0
    while True:
        if quote:
            end = _QUOTED[quote].match(line, position)
            if end is None:
                return "}" in line[position:], quote
            position = end.end()
        mark = _MARK.search(line, position)
        if mark is None or mark[0] == "}":
            return mark is not None, ""
        quote, position = mark[0], mark.end()


def _attribute(text: str, attributes: list[Attribute], taken: set[str], patterns: dict[int, str], place: str) -> None:
    rest = text[len("@attribute") :]
    match = _TOKEN.match(rest)
    if match is None:
        raise DataError("An attribute without a name is declared.", remedy="Give it a name.", place=place)
    name = unescaped(_chosen(match)).strip()
    declared = rest[match.end() :].strip()
    if name in taken:
        raise DataError(
            f"Two attributes are named {name!r}.", remedy="Give one of them another name in the file.", place=place
        )
    taken.add(name)
    kind = declared.split(None, 1)[0].lower() if declared else ""
    if declared.startswith("{"):
        attributes.append(Attribute(name, Kind.NOMINAL, _values(declared, name, place)))
    elif re.match(r"(numeric|real|integer)\b", kind):
        attributes.append(Attribute(name, Kind.NUMERIC))
    elif kind == "string":
        attributes.append(Attribute(name, Kind.TEXT))
    elif kind == "date":
        given = _TOKEN.match(declared[len("date") :])
        patterns[len(attributes)] = pattern = unescaped(_chosen(given)) if given else ISO_FORMAT
        _check_pattern(name, pattern, place)
        attributes.append(Attribute(name, Kind.DATE))
    elif kind == "relational":
        raise DataError(
            f"The attribute {name!r} holds tables within records, which cannot be learned from here.",
            remedy="Export the data with one row a record and without relational attributes.",
            place=place,
        )
    else:
        raise DataError(
            f"The attribute {name!r} has the unknown type {declared[:30]!r}.",
            remedy="Types are numeric, real, integer, string, date, or values in braces.",
            place=place,
        )


def _check_pattern(name: str, pattern: str, place: str) -> None:
    try:
        check_format(python_date_format(pattern))
    except DataError:
        raise DataError(
            f"The dates of {name!r} cannot be read by the pattern {pattern!r}.",
            remedy="Write one that names each part of a date once, such as yyyy-MM-dd.",
            place=place,
        ) from None


def _values(declared: str, name: str, place: str) -> tuple[str, ...]:
    inside = declared[1:].strip()
    end = len(inside) - len(re.sub(r"\}[^}]*$", "", inside))
    if end == 0:
        raise DataError(f"The list of values of {name!r} is not closed.", remedy="Close it with a brace.", place=place)
    inside = inside[: len(inside) - end].strip()
    values: list[str] = []
    position = 0
    while position < len(inside):
        match = _VALUE.match(inside, position)
        if match is None:
            raise DataError(
                f"The values of {name!r} cannot be told apart near {inside[position : position + 20]!r}.",
                remedy="Put commas between them and quotes around those with blanks.",
                place=place,
            )
        value = unescaped(_chosen(match)) if match.group(3) is None else match.group(3).strip()
        if value or match.group(3) is None:
            values.append(value)
        position = match.end()
    if len(set(values)) < len(values):
        twice = next(value for value, count in Counter(values).items() if count > 1)
        raise DataError(
            f"The value {twice!r} of {name!r} is declared twice.", remedy="Declare each value once.", place=place
        )
    return tuple(values)


def python_date_format(java: str) -> str:
    """A date pattern of Java's SimpleDateFormat as one of ``strptime``."""
    found: list[str] = []
    for match in re.finditer(r"'((?:[^']|'')*)'|([A-Za-z])\2*|[^A-Za-z']+", java):
        text = match.group(0)
        if text.startswith("'"):
            found.append((match.group(1) or "'").replace("''", "'").replace("%", "%%"))
        else:
            found.append(_DATE_PARTS.get(text, text.replace("%", "%%") if not text.isalpha() else text))
    return "".join(found)
