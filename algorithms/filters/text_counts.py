"""Text to word counts and TF-IDF, as sparse columns.

Salton and Buckley, Term-weighting approaches in automatic text retrieval (1988). Words, inverse document frequencies
and norms are those of scikit-learn's ``CountVectorizer`` and ``TfidfTransformer``: a word has two or more letters,
digits or underscores; ``idf = ln((1 + n) / (1 + documents with the word)) + 1`` over n training documents.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Final, NamedTuple, Self

import numpy as np

from algorithms.core.errors import ParameterError
from algorithms.core.filters import Filter, FittedFilter
from algorithms.core.learner import Problem, State
from algorithms.core.parameters import Option, boolean, choice, columns, integer, real, text, when
from algorithms.core.run_control import RunContext
from algorithms.data.columns import CompressedColumns, FloatArray, IntArray
from algorithms.data.dataset import Dataset, Derivation
from algorithms.data.schema import AttributeKind, free_name, numeric
from algorithms.data.summary import Summary
from algorithms.filters.checks import StoredState, chosen, packed_texts, problems_of_choice, unpacked_texts

Checkpoint = Callable[[], None]
_TEXTS: Final = (AttributeKind.TEXT, AttributeKind.IDENTIFIER)
WORD: Final = r"\b\w\w+\b"
"""Pattern of a word."""
_BLOCK: Final = 256
COUNT, BINARY, TF_IDF = "count", "binary", "tf-idf"
MOST_SHOWN: Final = 200
LONGEST_PHRASE: Final = 5
"""Largest number of words of a phrase, also in a model file, so that none makes counting endless."""

STOP_WORDS: Final[Mapping[str, str]] = {
    "english": (
        "about above after again against all also am an and any are as at be because been before being below between "
        "both but by can could did do does doing down during each few for from further had has have having he her here "
        "hers herself him himself his how if in into is it its itself just me more most my myself no nor not now of "
        "off on once only or other our ours ourselves out over own same she should so some such than that the their "
        "theirs them themselves then there these they this those through to too under until up very was we were what "
        "when where which while who whom why will with would you your yours yourself yourselves"
    ),
    "german": (
        "aber alle allem allen aller alles als also am an ander andere anderen auch auf aus bei beim bin bis bist da "
        "damit dann das dass dein deine dem den denn der des dich die dies diese diesem diesen dieser dieses dir doch "
        "dort du durch ein eine einem einen einer eines er es euch euer für gegen hab habe haben hat hatte hatten hier "
        "hin hinter ich ihm ihn ihnen ihr ihre ihrem ihren ihrer im in ins ist ja jede jedem jeden jeder jedes kann "
        "kein keine keinen können machen man mein meine mich mir mit muss nach nicht nichts noch nun nur ob oder ohne "
        "sehr sein seine seinen sich sie sind so solche soll sondern sonst über um und uns unser unter viel vom von "
        "vor war waren warum was weil welche wenn wer werde werden wie wieder will wir wird wirst wo wollen während "
        "würde würden zu zum zur zwar zwischen"
    ),
    "french": (
        "ai aie ainsi alors au aucun aussi autre aux avait avant avec avoir bien car ce cela ces cet cette ceux chaque "
        "comme comment dans de depuis des deux donc dont du elle elles en encore entre es est et eu eux fait fois fut "
        "ici il ils je la le les leur leurs lui ma mais me mes moi moins mon même ne ni non nos notre nous on ont "
        "ou où par parce pas peut plus pour pourquoi quand que quel quelle qui sa sans se sera ses si son sont sous "
        "sur ta te tes toi ton tous tout toute toutes tu un une vos votre vous était été être"
    ),
    "spanish": (
        "al algo algunos ante antes aunque cada como con contra cual cuando de del desde donde dos el ella ellas ellos "
        "en entre era eran es esa ese eso esta estaba este esto estos está están fue fueron ha han hasta hay la las le "
        "les lo los me mi mis mucho muy más nada ni no nos nosotros nuestra nuestro o otra otro para pero poco por "
        "porque que quien qué se sea ser si sido sin sobre solo son su sus sí también tan tanto te tiene tienen todo "
        "todos tu tus un una uno unos usted y ya yo él"
    ),
}
"""Frequent function words by language."""


class Tokens(NamedTuple):
    """The words of texts: those of text i are ``ids[starts[i] : starts[i + 1]]``, indices into ``words``."""

    starts: IntArray
    ids: IntArray
    words: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.starts) - 1


@dataclass(frozen=True)
class Tokenizer:
    """Divides the texts of a column into words, without ``stop`` words, and phrases of ``low`` to ``high`` words."""

    column: str
    lower: bool
    low: int
    high: int
    stop: frozenset[str]

    def __call__(self, data: Dataset, checkpoint: Checkpoint) -> Tokens:
        find, stop = re.compile(WORD).findall, self.stop
        number: dict[str, int] = {}
        ids, starts = list[int](), [0]
        texts = data.column(self.column)
        for first in range(0, len(texts), _BLOCK):
            checkpoint()
            for value in texts[first : first + _BLOCK].tolist():
                if isinstance(value, str):
                    words = find(value.lower() if self.lower else value)
                    words = [word for word in words if word not in stop] if stop else words
                    ids += [number.setdefault(word, len(number)) for word in self._phrases(words)]
                starts.append(len(ids))
        return Tokens(np.array(starts, dtype=np.int64), np.array(ids, dtype=np.int64), tuple(number))

    def _phrases(self, words: list[str]) -> list[str]:
        if self.high == 1:
            return words
        return [
            " ".join(words[place : place + n])
            for n in range(self.low, self.high + 1)
            for place in range(len(words) - n + 1)
        ]


def _tokens_of_rows(tokens: Tokens, _parent: Dataset, rows: IntArray) -> Tokens:
    sizes = np.diff(tokens.starts)[rows]
    starts = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    ids = tokens.ids[np.repeat(tokens.starts[rows] - starts[:-1], sizes) + np.arange(starts[-1])]
    return Tokens(starts, ids, tokens.words)


def tokens_of(data: Dataset, tokenizer: Tokenizer, checkpoint: Checkpoint) -> Tokens:
    """The words of each record, computed once for a table and all its folds."""
    return data.derived(Derivation(f"words of {tokenizer.column}", tokenizer, take=_tokens_of_rows), checkpoint)


def _counts(tokens: Tokens, place_of: IntArray, n_words: int) -> Any:
    """Counts (n, n_words) as a csr array; ``place_of`` (words,) is the column of each word, -1 for none."""
    from scipy.sparse import coo_array  # late: a list of steps needs none of it

    rows = np.repeat(np.arange(len(tokens)), np.diff(tokens.starts))
    places = place_of[tokens.ids] if len(tokens.ids) else tokens.ids
    there = places >= 0
    entries = np.ones(int(np.count_nonzero(there))), (rows[there], places[there])
    return coo_array(entries, shape=(len(tokens), n_words)).tocsr()


class Vocabulary(NamedTuple):
    """The words of one column in alphabetical order, and their inverse document frequencies (m,)."""

    name: str
    words: tuple[str, ...]
    idf: FloatArray


class WordsCounted(FittedFilter):
    """Adds a sparse column for each word of the vocabularies."""

    id: ClassVar[str] = "words-counted"

    def __init__(
        self, vocabularies: Sequence[Vocabulary], options: tuple[bool, int, int, frozenset[str]], by: str, norm: str
    ) -> None:
        self.vocabularies, self.options, self.by, self.norm = tuple(vocabularies), options, by, norm

    def transform(self, data: Dataset) -> Dataset:
        return self.transform_watched(data, lambda: None)

    def transform_watched(self, data: Dataset, checkpoint: Checkpoint) -> Dataset:
        attributes, contents = list(data.schema.attributes), [data.content(i) for i in range(len(data.schema))]
        taken = set(data.schema.names)
        for vocabulary in self.vocabularies:
            matrix = self.matrix(data, vocabulary, checkpoint)
            for word in vocabulary.words:
                name = free_name(f"{vocabulary.name}: {word}", taken)
                taken.add(name)
                attributes.append(numeric(name))
            checkpoint()
            contents += CompressedColumns.of(matrix.tocsc()).columns()
        if len(attributes) == len(data.schema):
            return data
        return data.remade(attributes, contents, data.schema.class_index)

    def matrix(self, data: Dataset, vocabulary: Vocabulary, checkpoint: Checkpoint) -> Any:
        """The weights (n, m) of the words of each record, a csr array."""
        m = len(vocabulary.words)
        is_text = vocabulary.name in data.schema
        index = data.schema.index_of(vocabulary.name) if is_text else -1
        if not is_text or data.schema.attributes[index].kind not in _TEXTS:
            from scipy.sparse import csr_array

            return csr_array((len(data), m))
        tokens = tokens_of(data, Tokenizer(vocabulary.name, *self.options), checkpoint)
        place = {word: number for number, word in enumerate(vocabulary.words)}
        place_of = np.array([place.get(word, -1) for word in tokens.words], dtype=np.int64)
        matrix = _counts(tokens, place_of, m)
        if self.by == BINARY:
            matrix.data[:] = 1.0
        elif self.by == TF_IDF:
            matrix.data *= vocabulary.idf[matrix.indices]
        if self.norm != "none":
            rows = np.repeat(np.arange(len(data)), np.diff(matrix.indptr))
            size = np.abs(matrix.data) if self.norm == "l1" else matrix.data * matrix.data
            length = np.bincount(rows, size, minlength=len(data))
            matrix.data /= (length if self.norm == "l1" else np.sqrt(length))[rows]
        return matrix

    def read(self) -> tuple[str, ...]:
        return tuple(vocabulary.name for vocabulary in self.vocabularies)

    def remarks(self, data: Dataset) -> tuple[tuple[str, str], ...]:
        """The text columns that new records lack."""
        gone = [name for name in self.read() if name not in data.schema]
        return tuple((name, f"Column {name!r} is missing: no word of it is counted.") for name in gone)

    def learned_rows(self) -> list[list[str]]:
        """The words with the lowest inverse document frequency, at most :data:`MOST_SHOWN`."""
        rows = []
        for vocabulary in self.vocabularies:
            order = np.argsort(vocabulary.idf, kind="stable")[:MOST_SHOWN]
            rows += [[vocabulary.name, vocabulary.words[i], f"{vocabulary.idf[i]:.4g}"] for i in order.tolist()]
        return [["Attribute", "Word", "Inverse document frequency"], *rows] if rows else []

    def to_state(self) -> State:
        lower, low, high, stop = self.options
        values = {
            "names": list(self.read()),
            "lower": lower,
            "phrases": [low, high],
            "stop": sorted(stop),
            "by": self.by,
            "norm": self.norm,
        }
        arrays: dict[str, Any] = {}
        for number, vocabulary in enumerate(self.vocabularies):
            arrays.update(packed_texts(f"words-{number}", np.array(vocabulary.words, dtype=object)))
            arrays[f"idf-{number}"] = vocabulary.idf
        return State(values, arrays)

    @classmethod
    def from_state(cls, state: State) -> Self:
        stored = StoredState(state, "words")
        phrases, stop = stored.sizes("phrases", 2), frozenset(stored.names("stop"))
        vocabularies = []
        for number, name in enumerate(stored.names("names")):
            words = unpacked_texts(stored, state, f"words-{number}").astype(object).tolist()
            idf = stored.numbers(f"idf-{number}", len(words))
            if not all(isinstance(word, str) for word in words) or not np.all(np.isfinite(idf)):
                raise stored.damaged()
            vocabularies.append(Vocabulary(name, tuple(words), idf))
        if not 1 <= phrases[0] <= phrases[1] <= LONGEST_PHRASE:
            raise stored.damaged()
        by, norm = stored.text("by", (COUNT, BINARY, TF_IDF)), stored.text("norm", ("none", "l1", "l2"))
        return cls(vocabularies, (stored.flag("lower"), phrases[0], phrases[1], stop), by, norm)


@dataclass(frozen=True, kw_only=True)
class TextToWords(Filter):
    """Counts the words of texts; words and document frequencies are learned from the training records.

    Document frequencies count records, not weights. Of too many words the most frequent ones stay, the first of the
    alphabet among equals. A missing text has no words. The columns are sparse (:mod:`algorithms.data.columns`).
    """

    id: ClassVar[str] = "text-to-words"
    name: ClassVar[str] = "Text to words"
    sentence: ClassVar[str] = "Makes an attribute of each word of a text: its count, whether it occurs, or its TF-IDF."
    family: ClassVar[str] = "Text"
    adds_columns: ClassVar[bool] = True
    fitted: ClassVar[type[FittedFilter]] = WordsCounted

    by: str = choice(
        TF_IDF,
        Option(COUNT, "Count", "How often the word occurs in the text. For multinomial naive Bayes."),
        Option(BINARY, "Binary", "1 if the word occurs, else 0. For trees."),
        Option(TF_IDF, "TF-IDF", "The count times the inverse document frequency: rare words count more."),
        label="Word weights",
        help="What stands for a word.",
    )
    norm: str = choice(
        "l2",
        Option("l2", "L2 (Euclidean)", "The square root of the sum of squares becomes 1."),
        Option("l1", "L1 (absolute)", "The sum of absolute values becomes 1."),
        Option("none", "None", "Long texts have larger numbers."),
        label="Norm",
        help="What becomes 1 in each text, so that its length does not count.",
    )
    lower: bool = boolean(True, label="Lower case", help="Whether The and the are one word.")
    stop: str = choice(
        "none",
        Option("none", "None", "No word is left out by a list."),
        Option("english", "English"),
        Option("german", "German"),
        Option("french", "French"),
        Option("spanish", "Spanish"),
        Option("given", "Given", "The words below."),
        label="Stop words",
        help="Frequent words without a meaning of their own, which are left out.",
    )
    stop_words: str = text(
        "", label="Given stop words", help="Separated by semicolons: the; and; of.", enabled_if=when("stop", "given")
    )
    shortest: int = integer(
        1, lo=1, hi=LONGEST_PHRASE, label="Min. words of a phrase", help="1 counts single words too.", advanced=True
    )
    longest: int = integer(
        1,
        lo=1,
        hi=LONGEST_PHRASE,
        label="Max. words of a phrase",
        help="2 also counts pairs of neighbouring words (n-grams).",
    )
    min_documents: int = integer(
        2, lo=1, label="Min. documents", help="A word in fewer training records is left out.", unit="records"
    )
    max_share: float = real(
        100.0,
        lo=0,
        hi=100,
        label="Max. share of documents",
        help="A word in a larger share of the training records is left out.",
        unit="%",
        advanced=True,
    )
    max_words: int = integer(
        1000, lo=1, hi=100_000, label="Max. words", help="So many of the most frequent words of each attribute stay."
    )
    columns: tuple[str, ...] = columns(
        (), label="Attributes", help="Only these are divided", without="all texts", kinds=_TEXTS
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.shortest > self.longest:
            raise ParameterError("The shortest phrase has more words than the longest.", place="shortest")

    @property
    def stop_list(self) -> frozenset[str]:
        """The words that are left out, in lower case if all are."""
        words = STOP_WORDS[self.stop].split() if self.stop in STOP_WORDS else []
        if self.stop == "given":
            words = [word.strip() for word in self.stop_words.split(";") if word.strip()]
        return frozenset(word.lower() if self.lower else word for word in words)

    def check(self, summary: Summary) -> list[Problem]:
        only = "make it text before, by the step Change kind"
        return problems_of_choice(summary, self.columns, _TEXTS, do="divide into words", done="divided", only=only)

    def fit(self, data: Dataset, context: RunContext) -> WordsCounted:
        """Learn the words of each chosen column."""
        kinds = _TEXTS if self.columns else (AttributeKind.TEXT,)
        options = (self.lower, self.shortest, self.longest, self.stop_list)
        counted = data.without_weightless()
        vocabularies = []
        for index in chosen(data.schema, self.columns, kinds):
            name = data.schema.attributes[index].name
            context.checkpoint()
            tokens = tokens_of(counted, Tokenizer(name, *options), context.checkpoint)
            vocabularies.append(self._vocabulary(name, tokens))
        return WordsCounted(vocabularies, options, self.by, self.norm)

    def _vocabulary(self, name: str, tokens: Tokens) -> Vocabulary:
        n, m = len(tokens), len(tokens.words)
        counts = _counts(tokens, np.arange(m), m)
        documents = np.bincount(counts.indices, minlength=m)
        there = np.flatnonzero((documents >= self.min_documents) & (documents * 100 <= self.max_share * n))
        there = np.array(sorted(there.tolist(), key=lambda place: tokens.words[place]), dtype=np.int64)
        if len(there) > self.max_words:
            total = np.bincount(tokens.ids, minlength=m)[there]
            there = there[np.sort(np.argsort(-total, kind="stable")[: self.max_words])]
        idf = np.log((1 + n) / (1 + documents[there])) + 1
        return Vocabulary(name, tuple(tokens.words[place] for place in there.tolist()), idf.astype(np.float64))
