"""A file format, made as ``resources/docs/how-to-add-a-file-format.md`` says: records as cards of "name: value"."""

from __future__ import annotations

from typing import Final

from algorithms.core.errors import DataError
from algorithms.core.run_control import RunContext
from algorithms.data.dataset import Dataset
from algorithms.io.reading import TableFormat, TableReader
from algorithms.io.text.delimited import read_text
from algorithms.io.text.options import ReadOptions
from algorithms.io.text.text_source import TextFile


class CardReader(TableReader):
    """Cards are separated by empty lines; each line is a column and its value."""

    def recognises(self, source: TextFile, is_named: bool) -> bool:
        return is_named

    def read(self, source: TextFile, context: RunContext, options: ReadOptions) -> Dataset:
        text = source.head(1 << 20).decode("utf-8")
        cards = [dict(line.split(": ", 1) for line in card.splitlines()) for card in text.strip().split("\n\n")]
        names = list(cards[0])
        for number, card in enumerate(cards, start=1):
            if list(card) != names:
                raise DataError(f"Card {number} has other columns than the first.", place=source.name)
        context.publish(options)
        rows = [names, *([card[name] for name in names] for card in cards)]
        data = read_text("\n".join("\t".join(row) for row in rows), context)
        return data.with_origin(type(data.origin)(source.path.stem, path=str(source.path)))

    def sniff(self, source: TextFile, context: RunContext, options: ReadOptions) -> ReadOptions:
        return options


CARDS: Final = TableFormat("Cards", (".cards",), CardReader(), has_options=False)
