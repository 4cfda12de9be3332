"""Changes of JSON, XML and archives that stay JSON, XML and archives."""

from __future__ import annotations

import copy
import io
import json
import re
import struct
import zipfile
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from numpy.random import Generator

from tests.fuzz import bytes_mutators
from tests.fuzz.bytes_mutators import LARGEST, NUMBERS, PIECES, TEXT_CHANGES

PLAIN: Final[tuple[Any, ...]] = (
    None, True, False, -1, 0, 1, 2, 7, 255, 2**31 - 1, 2**31, -(2**31), 2**63 - 1, 2**63, -(2**63) - 1, 10**400,
    1e308, -1e308, 1e-320, 0.5, -0.0, float("nan"), float("inf"), -float("inf"), "", "x", "\ud800", "\0", "../x",
    "//host/share/x", "/dev/zero", "NaN", "x" * 70000, [], {}, [0], ["x"], [[]], {"x": 1}, [None] * 1000,
)  # fmt: skip
_DEEP: Final = "\ue000deep\ue000"
_DEPTHS: Final = (10, 200, 900, 2000, 100_000)
_OF_MANY: Final = 4000

_ATTRIBUTE: Final = re.compile(r'([\w:.-]+)="([^"]*)"')
_ELEMENT: Final = re.compile(r"<([\w:.-]+)[^<>]*?(?:/>|>[^<>]*</\1>)")
_TAG: Final = re.compile(r"</?[\w:.-]+[^<>]*>")
_TEXT: Final = re.compile(r">([^<>]+)<")
_FIXED: Final = (1980, 1, 1, 0, 0, 0)


# ---- JSON ------------------------------------------------------------------------------------------------------------


def changed_json(content: bytes, random: Generator) -> bytes:
    """A JSON text with one value changed; bytes that are none are changed as bytes."""
    try:
        return json_bytes(changed_value(json.loads(content), random), random)
    except (ValueError, RecursionError):  # a change before this one has nested it deep
        return bytes_mutators.mutated(content, random, TEXT_CHANGES)[0]


def json_bytes(values: Any, random: Generator) -> bytes:
    """A value as JSON, NaN, lone surrogates and places marked as deep included."""
    text = json.dumps(values, ensure_ascii=bool(random.integers(2)))
    for mark in (json.dumps(_DEEP), json.dumps(_DEEP, ensure_ascii=False)):
        if mark in text:
            depth = int(random.choice(_DEPTHS))
            opening, closing = ("[", "]") if random.random() < 0.5 else ('{"a":', "}")
            text = text.replace(mark, opening * depth + "0" + closing * depth, 1)
    return text.encode("utf-8", "surrogatepass")


def changed_value(values: Any, random: Generator) -> Any:
    """A copy with one value, anywhere within, exchanged for another, left out, repeated or nested."""
    whole = [copy.deepcopy(values)]
    places = list(_places(whole))
    holder, key = places[int(random.integers(len(places)))]
    old, how = holder[key], random.random()
    if how < 0.15 and isinstance(holder, dict):
        del holder[key]
    elif how < 0.2 and isinstance(holder, dict):
        holder[str(random.choice(["x", "", "id", "parameters", "values", "\0"]))] = holder.pop(key)
    elif how < 0.35 and isinstance(old, list) and old:
        holder[key] = [old[:-1], old * 2, old[::-1], old[:1], old * 1000][int(random.integers(5))]
        if len(holder[key]) > _OF_MANY:
            holder[key] = holder[key][:_OF_MANY]
    elif how < 0.45:
        other, name = places[int(random.integers(len(places)))]
        holder[key] = copy.deepcopy(other[name])
    elif how < 0.5:
        holder[key] = [old] if random.random() < 0.5 else {"x": old}
    elif how < 0.53:
        holder[key] = _DEEP
    elif how < 0.65 and isinstance(old, int | float) and not isinstance(old, bool) and abs(old) < 1e300:
        holder[key] = [-old, old + 1, old - 1, old * 1000, old // 2, str(old)][int(random.integers(6))]
    else:
        holder[key] = copy.deepcopy(PLAIN[int(random.integers(len(PLAIN)))])
    return whole[0]


def _places(holder: Any) -> Iterator[tuple[Any, Any]]:
    for key in list(holder) if isinstance(holder, dict) else range(min(len(holder), 200)):
        yield holder, key
        if isinstance(holder[key], dict | list):
            yield from _places(holder[key])


# ---- XML -------------------------------------------------------------------------------------------------------------


def changed_xml(content: bytes, random: Generator) -> bytes:
    """XML with an attribute, a text or an element changed, left out, repeated or nested."""
    text = content.decode("utf-8", "replace")
    how = str(random.choice(list(_XML_WAYS)))
    return _XML_WAYS[how](text, random)[:LARGEST].encode("utf-8", "replace")


def _piece(random: Generator) -> str:
    pieces = NUMBERS if random.random() < 0.6 else PIECES
    return pieces[int(random.integers(len(pieces)))].decode("utf-8", "replace")


def _one(pattern: re.Pattern[str], text: str, random: Generator) -> re.Match[str] | None:
    found = list(pattern.finditer(text))
    return found[int(random.integers(len(found)))] if found else None


def _attribute(text: str, random: Generator) -> str:
    match = _one(_ATTRIBUTE, text, random)
    if match is None:
        return text
    old = match[2]
    new = _piece(random) if random.random() < 0.7 else old[:-1] or old * 2
    return text[: match.start(2)] + new.replace('"', "&quot;").replace("<", "&lt;") + text[match.end(2) :]


def _no_attribute(text: str, random: Generator) -> str:
    match = _one(_ATTRIBUTE, text, random)
    return text if match is None else text[: match.start()] + text[match.end() :]


def _other_text(text: str, random: Generator) -> str:
    match = _one(_TEXT, text, random)
    return text if match is None else text[: match.start(1)] + _piece(random) + text[match.end(1) :]


def _element(text: str, random: Generator) -> str:
    match = _one(_ELEMENT, text, random)
    if match is None:
        return text
    times = int(random.choice([0, 2, 10, 1000]))
    return text[: match.start()] + match[0] * min(times, LARGEST // len(match[0])) + text[match.end() :]


def _without_tag(text: str, random: Generator) -> str:
    match = _one(_TAG, text, random)
    return text if match is None else text[: match.start()] + text[match.end() :]


def _nested(text: str, random: Generator) -> str:
    match = _one(_ELEMENT, text, random)
    if match is None:
        return text
    depth = int(random.choice([2, 100, 5000]))
    inner = f"<{match[1]}>" * depth + f"</{match[1]}>" * depth
    return text[: match.start()] + inner + text[match.end() :]


def _entities(text: str, random: Generator) -> str:
    declared = "".join(f'<!ENTITY e{i} "{f"&e{i - 1};" * 10 if i else "ha" * 10}">' for i in range(9))
    outside = '<!DOCTYPE x [<!ENTITY e8 SYSTEM "file:///etc/passwd">]>'
    head = f"<!DOCTYPE x [{declared}]>" if random.random() < 0.6 else outside
    at = text.find("?>") + 2 if text.startswith("<?") else 0
    return text[:at] + head + _TEXT.sub(">&e8;<", text[at:], count=1)


_XML_WAYS: Final[dict[str, Callable[[str, Generator], str]]] = {
    "attribute": _attribute,
    "no attribute": _no_attribute,
    "text": _other_text,
    "element": _element,
    "without a tag": _without_tag,
    "nested": _nested,
    "entities": _entities,
}


# ---- archives --------------------------------------------------------------------------------------------------------


def members_of(content: bytes) -> dict[str, bytes]:
    """What an archive holds."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def zipped(members: Mapping[str, bytes], *, stored: bool = False) -> bytes:
    """An archive that holds this, the same for the same members."""
    whole = io.BytesIO()
    with zipfile.ZipFile(
        whole, "w", zipfile.ZIP_STORED if stored else zipfile.ZIP_DEFLATED, compresslevel=1
    ) as archive:
        for name, content in members.items():
            info = zipfile.ZipInfo(name, _FIXED)
            info.compress_type = zipfile.ZIP_STORED if stored else zipfile.ZIP_DEFLATED
            archive.writestr(info, content)
    return whole.getvalue()


def changed_archive(
    content: bytes,
    random: Generator,
    change: Callable[[str, bytes, Generator], bytes],
    *,
    stored: bool = False,
    likely: tuple[str, ...] = (),
) -> tuple[bytes, str]:
    """The archive with a member changed (nine times of ten; ``likely`` ones more often), or its own bytes."""
    how = random.random()
    if how < 0.1:
        changed, told = bytes_mutators.mutated(content, random)
        return changed, f"archive: {told}"
    members = members_of(content)
    names = list(members)
    found = [name for name in names if any(part in name for part in likely)]
    name = str(random.choice(found if found and random.random() < 0.7 else names))
    if how < 0.14:
        del members[name]
        return zipped(members, stored=stored), f"without {name}"
    if how < 0.18:
        other = str(random.choice(names))
        members[name], members[other] = members[other], members[name]
        return zipped(members, stored=stored), f"{name} exchanged for {other}"
    if how < 0.22:
        members[str(random.choice(["../out", "/out", "x.npy", "\u00fc", "a" * 60000, name + "/", ""]))] = b"x"
        return zipped(members, stored=stored), "another member"
    if how < 0.26:
        return _declared(zipped(members, stored=stored), random), "sizes declared"
    if how < 0.28:
        return zipped(members, stored=not stored), "packed otherwise"
    if how < 0.3:
        members[name] = members[name] + b" " * (40 << 20)
        return zipped(members, stored=False), f"{name} swells"
    members[name] = change(name, members[name], random)
    return zipped(members, stored=stored), f"{name} changed"


def _declared(content: bytes, random: Generator) -> bytes:
    """Another size in an entry of the list at the end of the archive."""
    found = [match.start() for match in re.finditer(b"PK\x01\x02", content)]
    if not found:
        return content
    changed, at = bytearray(content), found[int(random.integers(len(found)))]
    field = int(random.choice([8, 10, 16, 20, 24, 42]))
    value = int(random.choice([0, 1, 2**16 - 1, 2**31 - 1, 2**32 - 1, len(content)]))
    if field in (8, 10):
        struct.pack_into("<H", changed, at + field, value & 0xFFFF)
    else:
        struct.pack_into("<I", changed, at + field, value)
    return bytes(changed)
