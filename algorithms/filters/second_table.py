"""Steps that add columns from a second table by a key: a left join, or aggregates of its rows for each record.

The fitted step holds what it took from the second table, so that a saved model needs no other file. For new records
:func:`with_second_tables` reads another file instead.
"""

from __future__ import annotations

import hashlib
from abc import abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Final, Self

import numpy as np
from numpy.typing import NDArray

from algorithms.core.errors import DataError
from algorithms.core.filters import Filter, FittedFilter, FittedRecipe
from algorithms.core.learner import Problem, State
from algorithms.core.parameters import Option, boolean, choice, column, file, text
from algorithms.core.run_control import RunContext
from algorithms.data.columns import STRING, Column, FloatArray, IntArray, as_column, missing_column
from algorithms.data.convert_kind import as_strings
from algorithms.data.dataset import Dataset, Derivation
from algorithms.data.schema import Attribute, AttributeKind, Schema, free_name, numeric
from algorithms.data.summary import Summary
from algorithms.filters.checks import StoredState, packed_texts, unpacked_texts
from algorithms.text.sentences import counted

if TYPE_CHECKING:
    import pandas as pd

    from algorithms.core.training import TrainedClassifier

Checkpoint = Callable[[], None]
_KINDS: Final = {kind.value: kind for kind in AttributeKind}
_BLOCK: Final = 1 << 20


def file_digest(path: str | Path, checkpoint: Checkpoint = lambda: None) -> str:
    """The SHA-256 of a file's content in hexadecimal digits; raises :class:`DataError` if it cannot be read."""
    digest = hashlib.sha256()
    try:
        with Path(path).open("rb") as stream:
            while block := stream.read(_BLOCK):
                checkpoint()
                digest.update(block)
    except OSError as error:
        sentence = f"The second table cannot be read: {error.strerror or error}."
        raise DataError(sentence, remedy="Choose its file again.", place=str(path)) from error
    return digest.hexdigest()


@dataclass(frozen=True)
class _SecondTableReading:
    """Reads a second table; equal for the same content, so that the folds of a run share one reading."""

    path: str
    sheet: str
    digest: str
    context: RunContext = field(compare=False)

    def __call__(self, data: Dataset, checkpoint: Checkpoint) -> Dataset:
        from algorithms.io.reading import read
        from algorithms.io.text.options import ReadOptions

        return read(self.path, self.context, ReadOptions(sheet=self.sheet or None, class_name=""))


def _same_table(table: Dataset, _data: Dataset, _rows: IntArray) -> Dataset:
    return table


def key_texts(data: Dataset, name: str, checkpoint: Checkpoint = lambda: None) -> NDArray[np.object_]:
    """The keys of the records as text (n,), None where missing: the number 7 is "7", blanks around texts are cut."""
    index = data.schema.index_of(name)
    attribute, values = data.schema.attributes[index], data.column(index)
    strings = values if attribute.kind.is_string else as_strings(attribute, values, checkpoint)
    texts = strings.astype(object)
    return np.array([text.strip() or None if isinstance(text, str) else None for text in texts], dtype=object)


@dataclass(frozen=True, eq=False)
class KeyedRows:
    """Rows of a second table by key.

    ``keys`` (k,) are distinct texts; the rows of key i are ``starts[i]`` to ``starts[i + 1]``, by ascending
    ``moments`` (m,) in seconds, or a single row where ``moments`` is None. ``columns`` (m,) belong to ``attributes``;
    a record without a row gets 0 in those that ``counts`` names, and missing values in all others.
    """

    keys: NDArray[np.object_]
    starts: IntArray
    moments: FloatArray | None
    attributes: tuple[Attribute, ...]
    columns: tuple[Column, ...]
    counts: tuple[str, ...] = ()

    def rows_of(self, texts: NDArray[np.object_], dates: FloatArray | None) -> IntArray:
        """The last row of each key (n,) that is earlier than its date (n,); -1 if there is none."""
        import pandas as pd  # late: a list of steps needs none of it

        key = pd.Index(self.keys, dtype=object).get_indexer(pd.Index(texts, dtype=object))
        key = np.asarray(key, dtype=np.int64)
        if self.moments is None:
            return np.where(key >= 0, self.starts[key], -1) if len(self.keys) else key
        if dates is None or not len(self.moments):
            return np.full(len(texts), -1, dtype=np.int64)
        there = (key >= 0) & ~np.isnan(dates)
        ranks = np.unique(np.concatenate([self.moments, dates[there]]))
        owner = np.repeat(np.arange(len(self.keys)), np.diff(self.starts))
        places = owner * len(ranks) + np.searchsorted(ranks, self.moments)
        wanted = key[there] * len(ranks) + np.searchsorted(ranks, dates[there])
        rows = np.full(len(texts), -1, dtype=np.int64)
        last = np.searchsorted(places, wanted, side="left") - 1
        rows[there] = np.where(last >= self.starts[key[there]], last, -1)
        return rows


class SecondTableAdded(FittedFilter):
    """Adds the columns of :class:`KeyedRows`; ``facts`` are lines of text on the second table and its match."""

    id: ClassVar[str] = "second-table-added"

    def __init__(
        self,
        key: str,
        date: str,
        name: str,
        digest: str,
        rows: KeyedRows,
        facts: Sequence[Sequence[str]] = (),
        leak: str = "",
    ) -> None:
        self.key, self.date, self.name, self.digest, self.rows = key, date, name, digest, rows
        self.facts, self._leak = [list(fact) for fact in facts], leak

    def transform(self, data: Dataset) -> Dataset:
        return self.transform_watched(data, lambda: None)

    def transform_watched(self, data: Dataset, checkpoint: Checkpoint) -> Dataset:
        if not self.key:
            return data
        places = self.places(data, checkpoint)
        changed = data
        for attribute, own in zip(self.rows.attributes, self.rows.columns, strict=True):
            checkpoint()
            values = missing_column(attribute, len(data)).astype(own.dtype, copy=False)
            if attribute.name in self.rows.counts:
                values[:] = 0
            values[places >= 0] = own[places[places >= 0]]
            changed = changed.with_new_column(
                replace(attribute, name=free_name(attribute.name, changed.schema)), values
            )
        return changed

    def places(self, data: Dataset, checkpoint: Checkpoint = lambda: None) -> IntArray:
        """The row of the second table for each record (n,), -1 without one."""
        if self.key not in data.schema:
            return np.full(len(data), -1, dtype=np.int64)
        dates = _dates_of(data, self.date) if self.date else None
        return self.rows.rows_of(key_texts(data, self.key, checkpoint), dates)

    def read(self) -> tuple[str, ...]:
        return tuple(name for name in (self.key, self.date) if name)

    def remarks(self, data: Dataset) -> tuple[tuple[str, str], ...]:
        """How many records have no row in the second table."""
        if not self.key or self.key not in data.schema or (self.date and self.date not in data.schema):
            return ()
        n = int(np.count_nonzero(self.places(data) < 0))
        return ((self.key, f"{n:,} of {len(data):,} records have no row in {self.name}."),) if n else ()

    def leak(self) -> str:
        return self._leak

    def learned_rows(self) -> list[list[str]]:
        return [["Second table", self.name], *self.facts] if self.key else []

    def to_state(self) -> State:
        rows, arrays = self.rows, dict[str, Any]()
        arrays["starts"] = rows.starts
        arrays.update(packed_texts("keys", rows.keys))
        if rows.moments is not None:
            arrays["moments"] = rows.moments
        for number, own in enumerate(rows.columns):
            arrays.update(packed_texts(f"column-{number}", own) if own.dtype == STRING else {f"column-{number}": own})
        attributes = [{"name": a.name, "kind": a.kind.value, "used": a.used} for a in rows.attributes]
        values = {
            "key": self.key,
            "date": self.date,
            "name": self.name,
            "digest": self.digest,
            "attributes": attributes,
            "values": [list(attribute.values) for attribute in rows.attributes],
            "counts": list(rows.counts),
            "facts": self.facts,
            "leak": self._leak,
        }
        return State(values, arrays)

    @classmethod
    def from_state(cls, state: State) -> Self:
        stored = StoredState(state, "second table")
        described = stored.value("attributes")
        if not isinstance(described, list):
            raise stored.damaged()
        facts = stored.value("facts")
        lists = stored.lists("values", len(described))
        keys = unpacked_texts(stored, state, "keys").astype(object)
        starts = state.arrays.get("starts")
        if not isinstance(starts, np.ndarray) or starts.dtype != np.int64 or starts.shape != (len(keys) + 1,):
            raise stored.damaged()
        m = int(starts[-1]) if len(starts) else 0
        moments = stored.numbers("moments", m) if "moments" in state.arrays else None
        is_sorted = len(starts) > 0 and starts[0] == 0 and bool(np.all(np.diff(starts) >= 1))
        if not is_sorted or (moments is None and m != len(keys)) or not isinstance(facts, list):
            raise stored.damaged()
        try:
            attributes = tuple(
                Attribute(str(a["name"]), _KINDS[a["kind"]], tuple(values), a["used"] is not False)
                for a, values in zip(described, lists, strict=True)
            )
        except (KeyError, TypeError):
            raise stored.damaged() from None
        columns = tuple(_stored_column(stored, state, number, a, m) for number, a in enumerate(attributes))
        rows = KeyedRows(keys, starts, moments, attributes, columns, tuple(stored.names("counts")))
        lines = [[str(cell) for cell in fact] for fact in facts if isinstance(fact, list)]
        key, date, name, digest = (stored.text(word) for word in ("key", "date", "name", "digest"))
        return cls(key, date, name, digest, rows, lines, stored.text("leak"))


def _stored_column(stored: StoredState, state: State, number: int, attribute: Attribute, m: int) -> Column:
    name = f"column-{number}"
    if attribute.kind.is_string:
        own = unpacked_texts(stored, state, name)
    elif attribute.kind.is_float:
        own = stored.numbers(name, m)
    else:
        own = state.arrays.get(name, np.zeros(0))
        if own.dtype.kind != "i" or (len(own) and not -1 <= int(own.min()) <= int(own.max()) < len(attribute.values)):
            raise stored.damaged()
    if own.shape != (m,):
        raise stored.damaged()
    return as_column(attribute, own)


def _dates_of(data: Dataset, name: str) -> FloatArray:
    if name not in data.schema:
        return np.full(len(data), np.nan)
    index = data.schema.index_of(name)
    if data.schema.attributes[index].kind is not AttributeKind.DATE:
        raise DataError(f"{name} has no dates.", remedy="Make it dates before, by the step Change kind.", place=name)
    return np.asarray(data.column(index), dtype=np.float64)


_NO_ROWS: Final = KeyedRows(np.empty(0, dtype=object), np.zeros(1, dtype=np.int64), None, (), ())


@dataclass(frozen=True)
class RowsWithKeys:
    """A second table of r rows with the ``keys`` (r,) of its rows, None where missing, and their dates, if they count.

    ``moments`` (r,) are in seconds since 1970, NaN where missing.
    """

    data: Dataset
    keys: NDArray[np.object_]
    moments: FloatArray | None


@dataclass(frozen=True, kw_only=True)
class SecondTable(Filter):
    """Base of the steps with a second table: its file, its key, its columns and its dates."""

    looks_at_records: ClassVar[bool] = False
    adds_columns: ClassVar[bool] = True
    fitted: ClassVar[type[FittedFilter]] = SecondTableAdded

    path: str = file("", label="Second table", help="A file of any format that can be opened.")
    key: str | None = column(None, label="Key", help="The attribute whose value names the rows of the second table.")
    key_there: str = text("", label="Key in the second table", help="Its column with the keys. Empty: the same name.")
    take: str = text(
        "", label="Columns", help="Columns of the second table, separated by semicolons. Empty: all of them."
    )
    record_date: str | None = column(
        None, label="Date", help="The date of the record, if rows have dates too.", kinds=(AttributeKind.DATE,)
    )
    date_there: str = text("", label="Date in the second table", help="Its column with the date of each row.")
    sheet: str = text("", label="Sheet", help="The sheet of a workbook, or table of a database.", advanced=True)
    content: str = text(
        "",
        label="SHA-256",
        help="The step refuses a file of other content. Empty: any content. A saved recipe has it.",
        advanced=True,
    )

    def pinned(self) -> Self:
        """The step with the digest of its file's present content; raises :class:`DataError` if it cannot be read."""
        return self.with_values(content=file_digest(self.path)) if self.path.strip() else self

    def check(self, summary: Summary) -> list[Problem]:
        schema, problems = summary.schema, list[Problem]()
        if not self.path.strip():
            problems.append(Problem("No second table is chosen yet.", "Choose its file."))
        if self.key is None:
            problems.append(Problem("No key is chosen yet.", "Choose the attribute that names the rows."))
        for name in filter(None, (self.key, self.record_date)):
            if name not in schema:
                problems.append(Problem(f"There is no column {name!r}.", "Choose among those there are.", name))
        if self.record_date is not None and self.record_date in schema:
            is_date = schema.attributes[schema.index_of(self.record_date)].kind is AttributeKind.DATE
            if not is_date:
                remedy = "Make it dates before, by the step Change kind."
                problems.append(Problem(f"{self.record_date} has no dates.", remedy, self.record_date))
        if (self.record_date is None) != (not self.date_there.strip()):
            problems.append(Problem("Only one of the two dates is given.", "Give the date of records and of rows."))
        return problems

    def fit(self, data: Dataset, context: RunContext) -> SecondTableAdded:
        """Read the second table once a run; raises :class:`DataError` if it cannot be read or lacks a column."""
        if not self.path.strip() or self.key is None:
            return SecondTableAdded("", "", "", "", _NO_ROWS)
        data.schema.index_of(self.key)
        return self._fitted(data, self.read_table(data.raw_records, context), context)

    def read_table(self, data: Dataset, context: RunContext) -> tuple[Dataset, str]:
        """The second table and the digest of its file, read once for all subsets of ``data``."""
        path = self.path.strip()
        context.check_may_open(path)
        digest = file_digest(path, context.checkpoint)
        if self.content.strip() and digest != self.content.strip().lower():
            sentence = f"The content of {Path(path).name} is not that with which the recipe was saved."
            raise DataError(sentence, remedy="Choose the old file, or empty the field SHA-256.", place=path)
        reading = _SecondTableReading(path, self.sheet.strip(), digest, context.child(0.0, 1))
        derivation = Derivation(f"second table {path}", reading, take=_same_table)
        return data.derived(derivation, context.checkpoint), digest

    def _fitted(self, data: Dataset, given: tuple[Dataset, str], context: RunContext) -> SecondTableAdded:
        table, digest = given
        key, name = self.key or "", Path(self.path).name
        there = self._there(table, self.key_there.strip() or key)
        date = self._there(table, self.date_there.strip()) if self.date_there.strip() else ""
        moments = _dates_of(table, date) if date else None
        keyed = RowsWithKeys(table, key_texts(table, there, context.checkpoint), moments)
        class_name = None if data.schema.class_index is None else data.schema.class_attribute.name
        wanted = dict.fromkeys(part.strip() for part in self.take.split(";") if part.strip())
        names = [self._there(table, part) for part in wanted] or [
            part for part in table.schema.names if part not in (there, class_name)
        ]
        rows = self.keyed(keyed, names, context)
        fitted = SecondTableAdded(key, self.date_of_rows(), name, digest, rows)
        n, places = len(data), fitted.places(data, context.checkpoint)
        matched = int(np.count_nonzero(places >= 0))
        facts = [
            ["SHA-256", digest],
            ["Rows", f"{len(table):,}"],
            ["Keys", f"{len(rows.keys):,}"],
            ["Training records with a row", f"{matched:,} of {n:,}"],
            ["Training records without a row", f"{n - matched:,}"],
        ]
        later, leak = 0, ""
        if moments is not None and self.record_date is not None:
            later = self.n_later(data, keyed, context)
            facts.append(["Records with later rows", f"{later:,} of {n:,}"])
        has_dates = any(a.kind is AttributeKind.DATE for a in data.schema.attributes)
        if later and not self.date_of_rows():
            leak = f"{later:,} of {n:,} records get a row of {name} that is later than they are"
        elif moments is None and has_dates and any(a.kind is AttributeKind.DATE for a in table.schema.attributes):
            leak = f"Rows of {name} may be later than their records: the step {self.name!r} was told no dates"
        return SecondTableAdded(key, self.date_of_rows(), name, digest, rows, facts, leak)

    def date_of_rows(self) -> str:
        """The date of records up to which rows count; "" if all rows do."""
        return ""

    def _there(self, table: Dataset, name: str) -> str:
        if name not in table.schema:
            sentence = f"{Path(self.path).name} has no column {name!r}."
            names = ", ".join(table.schema.names[:8])
            raise DataError(sentence, remedy=f"It has: {names}.", place=name)
        return name

    def n_later(self, data: Dataset, table: RowsWithKeys, context: RunContext) -> int:
        """The number of records that have rows later than they are."""
        import pandas as pd

        latest = pd.Series(table.moments).groupby(pd.Series(table.keys)).max()
        own = latest.reindex(pd.Index(key_texts(data, self.key or "", context.checkpoint), dtype=object)).to_numpy()
        return int(np.count_nonzero(own > _dates_of(data, self.record_date or "")))

    @abstractmethod
    def keyed(self, table: RowsWithKeys, names: Sequence[str], context: RunContext) -> KeyedRows:
        """The columns ``names`` of the second table by key."""


@dataclass(frozen=True, kw_only=True)
class JoinTable(SecondTable):
    """Adds the columns of the row with the record's key (a left join): records without one get missing values.

    A column with the name of the class is left out, unless it is named.
    """

    id: ClassVar[str] = "join-table"
    name: ClassVar[str] = "Join table"
    sentence: ClassVar[str] = (
        "Adds columns from the row of a second table with the same key: the region of a town, the price of an article."
    )
    family: ClassVar[str] = "Second table"

    duplicates: str = choice(
        "refuse",
        Option("refuse", "Refuse", "The step refuses a second table with several rows of one key."),
        Option("first", "First", "The first row of the key counts."),
        Option("last", "Last", "The last row of the key counts."),
        label="Several rows of a key",
        help="Which row counts if several have the same key.",
    )

    def keyed(self, table: RowsWithKeys, names: Sequence[str], context: RunContext) -> KeyedRows:
        import pandas as pd

        keys = table.keys
        there = np.flatnonzero(pd.notna(keys))
        first = pd.Series(keys[there])
        is_twin = first.duplicated(keep="last" if self.duplicates == "last" else "first").to_numpy()
        if self.duplicates == "refuse" and is_twin.any():
            shown = keys[there][is_twin][0]
            sentence = f"{Path(self.path).name} has several rows with the key {shown!r}."
            raise DataError(sentence, remedy="Let the first or the last one count, or aggregate them.", place=self.path)
        rows = there[~is_twin]
        attributes, columns = _taken(table.data, names, rows)
        return KeyedRows(keys[rows], np.arange(len(rows) + 1), None, attributes, columns)

    def n_later(self, data: Dataset, table: RowsWithKeys, context: RunContext) -> int:
        """The number of records whose joined row is later than they are."""
        joined = self.keyed(table, [self.date_there.strip()], context)
        places = joined.rows_of(key_texts(data, self.key or "", context.checkpoint), None)
        dates = _dates_of(data, self.record_date or "")[places >= 0]
        return int(np.count_nonzero(joined.columns[0][places[places >= 0]] > dates))


def _taken(table: Dataset, names: Sequence[str], rows: IntArray) -> tuple[tuple[Attribute, ...], tuple[Column, ...]]:
    indices = [table.schema.index_of(name) for name in names]
    attributes = tuple(table.schema.attributes[index] for index in indices)
    return attributes, tuple(as_column(a, table.column(i)[rows]) for a, i in zip(attributes, indices, strict=True))


COUNT, DISTINCT, LATEST = "count", "number of values", "latest"


@dataclass(frozen=True, kw_only=True)
class AggregateTable(SecondTable):
    """Adds aggregates of all rows with the record's key, as pandas' ``groupby`` computes them.

    With dates only rows earlier than the record count, so that nothing from its future leaks into it. Missing values
    are left out: a sum without a known number is missing. A record without rows has the count 0 and no other value.
    The latest value is the last known one, by date if there is one, else in the order of the file.
    """

    id: ClassVar[str] = "aggregate-table"
    name: ClassVar[str] = "Aggregate table"
    sentence: ClassVar[str] = (
        "Adds counts, means and other aggregates of the rows of a second table with the same key: the transactions of "
        "a customer become attributes."
    )
    family: ClassVar[str] = "Second table"

    count: bool = boolean(True, label="Count", help="The number of rows.")
    mean: bool = boolean(True, label="Mean", help="The mean of each number.")
    total: bool = boolean(False, label="Sum", help="The sum of each number.")
    lowest: bool = boolean(False, label="Minimum", help="The smallest number, or the first date.")
    highest: bool = boolean(False, label="Maximum", help="The largest number, or the last date.")
    latest: bool = boolean(False, label="Latest", help="The last known value.")
    distinct: bool = boolean(False, label="Number of values", help="How many different values there are.")

    def check(self, summary: Summary) -> list[Problem]:
        problems = super().check(summary)
        if not any(
            getattr(self, name) for name in ("count", "mean", "total", "lowest", "highest", "latest", "distinct")
        ):
            problems.append(Problem("No aggregate is chosen.", "Switch one on, such as the count."))
        return problems

    def date_of_rows(self) -> str:
        return self.record_date or ""

    def keyed(self, table: RowsWithKeys, names: Sequence[str], context: RunContext) -> KeyedRows:
        import pandas as pd

        keys, moments = table.keys, table.moments
        there = pd.notna(keys) if moments is None else pd.notna(keys) & ~np.isnan(moments)
        rows = np.flatnonzero(there)
        codes, distinct = pd.factorize(keys[rows], sort=True)
        order = np.lexsort((np.zeros(len(rows)) if moments is None else moments[rows], codes))
        rows, codes = rows[order], codes[order]
        starts = np.searchsorted(codes, np.arange(len(distinct) + 1))
        kept = np.arange(len(rows)) if moments is not None else starts[1:] - 1
        made = list[tuple[Attribute, Any]]()
        if self.count:
            made.append((numeric(f"{Path(self.path).stem}: {COUNT}"), np.arange(len(rows)) - starts[codes] + 1.0))
        taken = {self.key_there.strip() or self.key, self.date_there.strip()} - {""}
        for attribute, own in zip(
            *_taken(table.data, [name for name in names if name not in taken], rows), strict=True
        ):
            context.checkpoint()
            made += self._aggregates(attribute, own, pd.Series(codes))
        if moments is not None and self.latest:
            schema = table.data.schema
            date = replace(schema.attributes[schema.index_of(self.date_there.strip())], used=True)
            made.append((replace(date, name=f"{date.name}: {LATEST}"), moments[rows]))
        attributes = tuple(attribute for attribute, _ in made)
        columns = tuple(as_column(attribute, values[kept]) for attribute, values in made)
        if moments is None:
            starts = np.arange(len(distinct) + 1)
        counts = tuple(a.name for a in attributes if a.name.endswith((f": {COUNT}", f": {DISTINCT}")))
        ordered = None if moments is None else moments[rows]
        return KeyedRows(np.asarray(distinct, dtype=object), starts, ordered, attributes, columns, counts)

    def _aggregates(self, attribute: Attribute, own: Column, codes: pd.Series[Any]) -> list[tuple[Attribute, Any]]:
        """Running aggregates (m,) over the rows of each key, so that each row has those of all rows up to it."""
        import pandas as pd

        name, is_number = attribute.name, attribute.kind is AttributeKind.NUMERIC
        values = pd.Series(own.astype(object)) if attribute.kind.is_string else pd.Series(own, dtype=np.float64)
        if attribute.kind.is_coded:
            values = values.where(values >= 0)
        known = values.notna()
        made = list[tuple[Attribute, Any]]()
        if is_number and (self.mean or self.total):
            n = known.groupby(codes).cumsum()
            total = values.fillna(0.0).groupby(codes).cumsum().where(n > 0)
            made += [(numeric(f"{name}: mean"), (total / n).to_numpy())] if self.mean else []
            made += [(numeric(f"{name}: sum"), total.to_numpy())] if self.total else []
        if attribute.kind.is_float:
            for is_on, word, empty in ((self.lowest, "min", np.inf), (self.highest, "max", -np.inf)):
                if is_on:
                    running = getattr(values.fillna(empty).groupby(codes), f"cum{word}")()
                    made.append(
                        (replace(attribute, name=f"{name}: {word}"), running.where(running != empty).to_numpy())
                    )
        if self.latest and not attribute.kind.is_string:
            last = values.groupby(codes).ffill().to_numpy()
            last = np.where(np.isnan(last), -1, last).astype(np.int64) if attribute.kind.is_coded else last
            made.append((replace(attribute, name=f"{name}: {LATEST}"), last))
        if self.distinct:
            is_new = known & ~pd.DataFrame({"key": codes, "value": values}).duplicated()
            made.append((numeric(f"{name}: {DISTINCT}"), is_new.groupby(codes).cumsum().to_numpy(np.float64)))
        return made


def second_tables_of(trained: TrainedClassifier) -> tuple[str, ...]:
    """The names of the files from which the steps of a classifier took columns, in the order of the steps."""
    return tuple(step.name for step in trained.recipe.filters if isinstance(step, SecondTableAdded) and step.key)


def with_second_tables(
    trained: TrainedClassifier, paths: Sequence[str], data: Dataset, context: RunContext
) -> TrainedClassifier:
    """The classifier with the tables in the files ``paths`` for new records ``data``, in the order of its steps.

    Further steps keep the table that they remember. A value that training never saw counts as missing. Raises
    :class:`DataError` if there are more files than steps, or if a table lacks a column or holds other kinds.
    """
    n_steps = len(second_tables_of(trained))
    if len(paths) > n_steps:
        sentence = f"The model has {counted(n_steps, 'step')} with a second table, but {len(paths)} are given."
        raise DataError(sentence, remedy="Give one for each step at most.", place=paths[-1])
    steps = iter([step for step in trained.filters if isinstance(step, SecondTable) and step.path.strip() and step.key])
    left, changed = list(paths), list[FittedFilter]()
    for fitted in trained.recipe.filters:
        if isinstance(fitted, SecondTableAdded) and fitted.key:
            step = next(steps)
            changed.append(_renewed(step, fitted, left.pop(0), data, context) if left else fitted)
        else:
            changed.append(fitted)
    return replace(trained, recipe=FittedRecipe(tuple(changed)))


def _renewed(
    step: SecondTable, own: SecondTableAdded, path: str, data: Dataset, context: RunContext
) -> SecondTableAdded:
    from algorithms.data.alignment import aligned

    other = step.with_values(path=path, content="")
    fitted = other._fitted(data, other.read_table(data, context), context)
    of_count = {name: name for name in own.rows.counts if name.endswith(f": {COUNT}")}
    renamed = {f"{Path(path).stem}: {COUNT}": next(iter(of_count), "")}
    attributes = tuple(replace(a, name=renamed.get(a.name) or a.name) for a in fitted.rows.attributes)
    rows = fitted.rows
    table = Dataset(Schema(attributes), rows.columns, row_ids=np.arange(int(rows.starts[-1])))
    fits = aligned(Schema(own.rows.attributes), table)
    columns = tuple(fits.column(index) for index in range(len(own.rows.attributes)))
    rows = replace(rows, attributes=own.rows.attributes, columns=columns, counts=own.rows.counts)
    return SecondTableAdded(own.key, own.date, fitted.name, fitted.digest, rows, fitted.facts)
