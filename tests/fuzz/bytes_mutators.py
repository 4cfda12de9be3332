"""Changes of bytes and of texts that know nothing of what they mean."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Final, Literal

from numpy.random import Generator

NUMBERS: Final = (
    b"0", b"-0", b"1", b"-1", b"2", b"127", b"128", b"255", b"256", b"32767", b"65535", b"65536", b"2147483647",
    b"-2147483648", b"4294967296", b"9223372036854775807", b"9223372036854775808", b"-9223372036854775809", b"1e308",
    b"1e309", b"-1e400", b"1e-320", b"0.1", b"NaN", b"nan", b"Infinity", b"-inf", b"1,000", b"1.000,5", b"0x10",
    b"1_000", b"00012", b"1e", b"9" * 40, b"9" * 400, b"9" * 4400, "\u0661\u0662".encode(), "\u00b2".encode(),
)  # fmt: skip
"""Numbers as text, and what looks like one."""
PIECES: Final = (
    b"\0", b"\0\0\0\0", b"\r", b"\n", b"\r\n", b"\n\r", b"\t", b",", b";", b"|", b" ", b'"', b'""', b"'", b"\\", b"{",
    b"}", b"[", b"]", b"<", b">", b"</", b"/>", b"<!--", b"&amp;", b"&#0;", b"&x;", b"%", b"@", b"@data\n", b"?", b"#",
    b"sep=;\n", b"\x1a", b"\x1b[2J", b"\x7f", b"\x80", b"\xff", b"\xff\xfe", b"\xfe\xff", b"\xef\xbb\xbf",
    b"\xff\xfe\0\0", b"\x1f\x8b\x08", b"PK\x03\x04", b"\xed\xa0\x80", b"\xc0\x80", b"\xf4\x90\x80\x80",
    "\u2028".encode(), "\x85".encode(), "\u00a0".encode(), "\u202e".encode(), "\ufeff".encode(), "\u0130".encode(),
    "\u20ac 1.234,5".encode(), b"2,8 %", b"<img src=x>", b"=1+1", b"null", b"true", b"\x1f", b"\x0b\x0c\x1c",
)  # fmt: skip
"""Bytes that mean something to some reader."""
ENCODINGS: Final = ("utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-8-sig", "cp1252", "latin-1", "cp037", "utf-7")
LARGEST: Final = 1 << 19
"""Bytes of a case, at most; repeats stop there."""

_NUMBER: Final = re.compile(rb"-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?")
_WORD: Final = re.compile(rb"[^\s,;\t|\"'<>{}()\[\]=:]+")
Change = Callable[[bytes, Generator], bytes]


def _slice(content: bytes, random: Generator, most: int = 0) -> tuple[int, int]:
    start = int(random.integers(len(content) + 1))
    length = int(random.integers(1, max(2, most or min(len(content), 4 ** int(random.integers(1, 9))))))
    return start, min(len(content), start + length)


def _set(content: bytes, random: Generator) -> bytes:
    changed = bytearray(content)
    for _ in range(int(random.choice([1, 1, 2, 4, 16]))):
        if changed:
            value = int(random.choice([0, 1, 10, 13, 34, 44, 48, 57, 127, 128, 254, 255, int(random.integers(256))]))
            changed[int(random.integers(len(changed)))] = value
    return bytes(changed)


def _flip(content: bytes, random: Generator) -> bytes:
    changed = bytearray(content)
    for _ in range(int(random.choice([1, 1, 2, 8]))):
        if changed:
            changed[int(random.integers(len(changed)))] ^= 1 << int(random.integers(8))
    return bytes(changed)


def _truncated(content: bytes, random: Generator) -> bytes:
    at = int(random.integers(len(content) + 1))
    return content[:at] if random.random() < 0.7 else content[at:]


def _cut(content: bytes, random: Generator) -> bytes:
    start, end = _slice(content, random)
    return content[:start] + content[end:]


def _repeated(content: bytes, random: Generator) -> bytes:
    start, end = _slice(content, random)
    times = int(random.choice([2, 3, 10, 100, 1000, 20000]))
    times = max(1, min(times, (LARGEST - len(content)) // max(1, end - start)))
    return content[:start] + content[start:end] * times + content[end:]


def _moved(content: bytes, random: Generator) -> bytes:
    start, end = _slice(content, random)
    rest = content[:start] + content[end:]
    at = int(random.integers(len(rest) + 1))
    return rest[:at] + content[start:end] + rest[at:]


def _inserted(content: bytes, random: Generator) -> bytes:
    at = int(random.integers(len(content) + 1))
    pieces = NUMBERS if random.random() < 0.3 else PIECES
    piece = pieces[int(random.integers(len(pieces)))]
    piece *= min(int(random.choice([1, 1, 1, 2, 50, 3000, 200_000])), LARGEST // len(piece))
    return content[:at] + piece + content[at:]


def _begun(content: bytes, random: Generator) -> bytes:
    return PIECES[int(random.integers(len(PIECES)))] + content


def _binary_number(content: bytes, random: Generator) -> bytes:
    """A little-endian or big-endian whole number in place of some bytes."""
    size = int(random.choice([2, 4, 8]))
    if len(content) < size:
        return content
    at = int(random.integers(len(content) - size + 1))
    number = int(random.choice([0, 1, 2**15, 2**16 - 1, 2**31 - 1, 2**31, 2**32 - 1, 2**62, len(content)]))
    order: Literal["little", "big"] = "little" if random.random() < 0.8 else "big"
    return content[:at] + (number & (1 << 8 * size) - 1).to_bytes(size, order) + content[at + size :]


def _token(pattern: re.Pattern[bytes], pieces: Sequence[bytes]) -> Change:
    def change(content: bytes, random: Generator) -> bytes:
        found = list(pattern.finditer(content, 0, LARGEST))
        for match in sorted(
            {int(random.integers(len(found))) for _ in range(int(random.choice([1, 1, 2, 5])))} if found else set(),
            reverse=True,
        ):
            start, end = found[match].span()
            piece = pieces[int(random.integers(len(pieces)))]
            content = content[:start] + piece + content[end:]
        return content

    return change


def _lines(content: bytes, random: Generator) -> bytes:
    """Lines left out, repeated, exchanged, or with other ends."""
    lines = content.split(b"\n")
    how, at = int(random.integers(6)), int(random.integers(len(lines)))
    if how == 0:
        del lines[at]
    elif how == 1:
        times = max(1, min(int(random.choice([2, 10, 1000])), (LARGEST - len(content)) // (len(lines[at]) + 1)))
        lines[at : at + 1] = [lines[at]] * times
    elif how == 2:
        other = int(random.integers(len(lines)))
        lines[at], lines[other] = lines[other], lines[at]
    elif how == 3:
        lines[at] = lines[at] + b"\r"
    elif how == 4:
        return (b"\r\n" if random.random() < 0.5 else b"\r").join(lines)
    else:
        lines.insert(at, b"")
    return b"\n".join(lines)


def _encoded(content: bytes, random: Generator) -> bytes:
    return content.decode("utf-8", "replace").encode(str(random.choice(ENCODINGS)), "replace")


CHANGES: Final[dict[str, Change]] = {
    "set": _set,
    "flip": _flip,
    "truncate": _truncated,
    "cut": _cut,
    "repeat": _repeated,
    "move": _moved,
    "insert": _inserted,
    "begin": _begun,
    "binary number": _binary_number,
}
TEXT_CHANGES: Final[dict[str, Change]] = {
    **CHANGES,
    "number": _token(_NUMBER, NUMBERS),
    "word": _token(_WORD, (*PIECES, *NUMBERS, b"", b"x" * 70000)),
    "lines": _lines,
    "encode": _encoded,
}


def mutated(content: bytes, random: Generator, changes: dict[str, Change] | None = None) -> tuple[bytes, str]:
    """The content with one to four changes, and which."""
    ways = CHANGES if changes is None else changes
    told = []
    for _ in range(int(random.choice([1, 1, 1, 2, 4]))):
        name = str(random.choice(list(ways)))
        content = ways[name](content, random)[:LARGEST]
        told.append(name)
    return content, ", ".join(told)


def soup(random: Generator, tokens: Sequence[bytes], most: int = 80) -> bytes:
    """Some of the tokens in any order, most of them from a few."""
    few = [tokens[int(random.integers(len(tokens)))] for _ in range(int(random.integers(3, 12)))]
    n = int(random.choice([3, 10, most]))
    return b"".join(few[int(random.integers(len(few)))] for _ in range(n))
