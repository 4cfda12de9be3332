"""The pages of help as text: which there are, what they say, where words stand in them. No widgets."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

import resources

FOLDER: Final = Path(resources.FOLDER) / "help"
GLOSSARY: Final = "glossary"
"""The page with an entry a term: its headings are the terms with their other names."""
BETWEEN_NAMES: Final = " · "
ORDER: Final = ("start", "preprocess", "classify", "evaluate", "visualize", GLOSSARY, "keys", "about")
"""The pages as they are listed; others come after them."""
EXPLAINING: Final = ("what it means", "what it says")
"""The last headings of the tables that explain words."""
KEYS_PLACE: Final = "{keys}"
"""Where the keys of the window are written into the page about keys."""

Keys = Mapping[str, Sequence[tuple[str, str]]]
"""By place ("Everywhere", "Classify"): the keys, and what they do."""


@dataclass(frozen=True)
class Page:
    """One page: the name of its file, its title, its text as Markdown."""

    name: str
    title: str
    text: str


def page_names() -> list[str]:
    """All pages there are."""
    found = sorted(path.stem for path in FOLDER.glob("*.md"))
    return [*(name for name in ORDER if name in found), *(name for name in found if name not in ORDER)]


def page(name: str, keys: Keys | None = None) -> Page:
    """A page by its name; ``keys`` are written into that about keys. Raises ``FileNotFoundError``."""
    text = _read(name)
    if KEYS_PLACE in text:
        text = text.replace(KEYS_PLACE, keys_as_markdown(keys or {}))
    return Page(name, _title(text), text)


def keys_as_markdown(keys: Keys) -> str:
    """A heading for each place and a table of its keys."""
    parts = []
    for place, lines in keys.items():
        rows = [f"| {_cell(key)} | {_cell(what)} |" for key, what in lines]
        parts.append("\n".join([f"## {place}", "", "| key | what it does |", "|---|---|", *rows]))
    return "\n\n".join(parts)


def pages_with(words: str, pages: Sequence[Page]) -> list[tuple[Page, int]]:
    """The pages that have words which begin with each of these, and how many, those with the most first."""
    wanted = words.split()
    if not wanted:
        return [(each, 0) for each in pages]
    found = []
    for each in pages:
        times = [len(re.findall(beginning_with(word), each.text, re.IGNORECASE)) for word in wanted]
        if all(times):
            found.append((each, sum(times)))
    return sorted(found, key=lambda pair: -pair[1])


def beginning_with(word: str) -> str:
    """The expression that finds where a word of a text begins like this; signs may stand anywhere."""
    return (r"(?<![^\W_])" if word[:1].isalnum() else "") + re.escape(word)


def meaning(word: str) -> str:
    """What a word of the window means, in a sentence: as the tables of help with a column "what it means" or "what it
    says" have it. Raises ``KeyError`` where none has the word.
    """
    return _meanings()[word.lower()]


def entry_of(term: str) -> str | None:
    """The heading of the glossary that defines a term, whichever of its names is given; None where none does."""
    return _entries().get(" ".join(term.lower().split()))


@cache
def _entries() -> Mapping[str, str]:
    """Every name of a term in small letters, and the heading of its entry."""
    heads = [line.removeprefix("## ") for line in _read(GLOSSARY).splitlines() if line.startswith("## ")]
    return {name.lower(): head for head in reversed(heads) for name in head.split(BETWEEN_NAMES)}


def links(text: str) -> list[str]:
    """Where the links of a page lead."""
    return re.findall(r"\]\(([^)]+)\)", text)


@cache
def _meanings() -> Mapping[str, str]:
    """The first cell of every row that explains a word, in small letters, and its last one."""
    found: dict[str, str] = {}
    for name in page_names():
        explains = False
        for line in _read(name).splitlines():
            cells = [cell.strip() for cell in line.strip().strip("|").split(" | ")] if line.startswith("|") else []
            if not cells:
                explains = False
            elif cells[-1] in EXPLAINING:
                explains = True
            elif explains and len(cells) > 1:
                found.setdefault(cells[0].lower(), f"{cells[-1][0].upper()}{cells[-1][1:]}.")
    return found


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def _title(text: str) -> str:
    return text.partition("\n")[0].removeprefix("# ").strip()


@cache
def _read(name: str) -> str:
    return (FOLDER / f"{name}.md").read_text("utf-8")
