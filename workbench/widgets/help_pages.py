"""Pages of the help as text: search, explanations of words, and the glossary's entries with the values of a run."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

import resources

FOLDER: Final = Path(resources.FOLDER) / "help"
PICTURES: Final = FOLDER / "pictures"
DARK_PICTURE: Final = "-dark"
"""What the name of a picture in the colours of the dark theme ends with."""
GLOSSARY: Final = "glossary"
"""Page whose headings are the terms with their synonyms."""
BETWEEN_NAMES: Final = " · "
ORDER: Final = ("start", "preprocess", "classify", "evaluate", "visualize", GLOSSARY, "keys", "about")
"""Order of the pages in the list; others follow."""
EXPLAINING: Final = ("what it means", "what it says")
"""Last headings of tables that explain words."""
PICTURE: Final = re.compile(r"!\[([^]]*)]\(([^)]*)\)")
"""A picture in Markdown: alternative text and file."""
KEYS_PLACE: Final = "{keys}"
"""Placeholder for the keyboard shortcuts."""

Keys = Mapping[str, Sequence[tuple[str, str]]]
"""Shortcuts and their effects by place ("Everywhere", "Classify")."""
GlossaryValues = tuple[str, Mapping[str, Sequence[str]]]
"""The run in words, and lines of Markdown by the glossary's heading."""
NO_VALUES: Final[GlossaryValues] = ("", {})


@dataclass(frozen=True)
class Page:
    """A help page: file name, title and Markdown text."""

    name: str
    title: str
    text: str


def page_names() -> list[str]:
    names = sorted(path.stem for path in FOLDER.glob("*.md"))
    return [*(name for name in ORDER if name in names), *(name for name in names if name not in ORDER)]


def page(name: str, keys: Keys | None = None) -> Page:
    """A page by its name, with ``keys`` inserted; raises ``FileNotFoundError``."""
    text = _read(name)
    if KEYS_PLACE in text:
        text = text.replace(KEYS_PLACE, keys_as_markdown(keys or {}))
    return Page(name, text.partition("\n")[0].removeprefix("# ").strip(), text)


def with_values(text: str, values: GlossaryValues) -> str:
    """The glossary with a quotation at the end of each entry that has values of a run."""
    run, lines = values
    head, *entries = text.split("\n## ")
    for place, entry in enumerate(entries):
        if shown := lines.get(entry.partition("\n")[0]):
            quoted = "\n>\n".join(f"> {line}" for line in (f"*{as_plain_text(run)}*", *shown))
            entries[place] = f"{entry.rstrip()}\n\n{quoted}\n"
    return "\n## ".join((head, *entries))


def keys_as_markdown(keys: Keys) -> str:
    """A heading and a table of shortcuts for each place."""
    parts = []
    for place, lines in keys.items():
        rows = [f"| {_cell(key)} | {_cell(what)} |" for key, what in lines]
        parts.append("\n".join([f"## {place}", "", "| key | what it does |", "|---|---|", *rows]))
    return "\n\n".join(parts)


def pages_with(words: str, pages: Sequence[Page]) -> list[tuple[Page, int]]:
    """The pages with words of all these beginnings and their matches, a page of that title first."""
    wanted = words.split()
    if not wanted:
        return [(candidate, 0) for candidate in pages]
    matches = []
    for candidate in pages:
        text = PICTURE.sub("", candidate.text)
        times = [len(re.findall(beginning_with(word), text, re.IGNORECASE)) for word in wanted]
        if all(times):
            matches.append((candidate, sum(times)))
    return sorted(matches, key=lambda pair: (not is_title(words, pair[0]), -pair[1]))


def is_title(words: str, candidate: Page) -> bool:
    """Whether the words are the title of a page."""
    return words.strip().lower() == candidate.title.lower()


def beginning_with(word: str) -> str:
    """Regular expression for words that begin like this; signs may stand anywhere."""
    return (r"(?<![^\W_])" if word[:1].isalnum() else "") + re.escape(word)


def meaning(word: str) -> str:
    """The explanation of a word of the window, from the tables of help; raises ``KeyError`` without one."""
    return _meanings()[word.lower()]


def entry_of(term: str) -> str | None:
    """The glossary heading that defines a term or a synonym; None without one."""
    return _entries().get(" ".join(term.lower().split()))


def term_in(words: str) -> str:
    """The term that a label names, such as "Recall" in "Recall, macro (TPR)"; empty without an entry."""
    words = words.partition("\n")[0]
    names = (words, words.partition(" (")[0], words.partition(",")[0])
    return next((name for name in names if entry_of(name) is not None), "")


def other_names(term: str) -> str:
    """All names of a term by the heading that defines it, as one text to search; empty without one."""
    return (entry_of(term) or entry_of(term.partition(" (")[0]) or "").replace(BETWEEN_NAMES, " ")


@cache
def _entries() -> Mapping[str, str]:
    heads = [line.removeprefix("## ") for line in _read(GLOSSARY).splitlines() if line.startswith("## ")]
    return {name.lower(): head for head in reversed(heads) for name in head.split(BETWEEN_NAMES)}


@cache
def _meanings() -> Mapping[str, str]:
    """First cell of each explaining row, in lower case, with its last cell."""
    meanings: dict[str, str] = {}
    for name in page_names():
        explains = False
        for line in _read(name).splitlines():
            cells = [cell.strip() for cell in line.strip().strip("|").split(" | ")] if line.startswith("|") else []
            if not cells:
                explains = False
            elif cells[-1] in EXPLAINING:
                explains = True
            elif explains and len(cells) > 1:
                meanings.setdefault(cells[0].lower(), f"{cells[-1][0].upper()}{cells[-1][1:]}.")
    return meanings


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


@cache
def _read(name: str) -> str:
    text = (FOLDER / f"{name}.md").read_text("utf-8")
    return PICTURE.sub(lambda match: match[0] if (FOLDER / match[2]).is_file() else match[1], text)


def picture_file(name: str, is_dark: bool) -> Path:
    """The file of a picture of the help; in the colours of the dark theme where it has one."""
    dark = FOLDER / name.replace(".png", f"{DARK_PICTURE}.png")
    return dark if is_dark and dark.is_file() else FOLDER / name


def as_plain_text(text: str) -> str:
    """Markdown that shows every character of the text literally."""
    return re.sub(r"([\\`*_{}\[\]<>()#+\-.!|~&])", r"\\\1", text)
