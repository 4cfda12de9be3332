"""Code matrices of multiclass reductions, and decoding into class probabilities.

A code (k, L) has a row for each class and a column for each member: 1 where the class is on its one side, -1 where it
is on its other, 0 where the member never sees the class. Sources: Dietterich and Bakiri, Solving multiclass learning
problems via error-correcting output codes, JAIR 2 (1995); Allwein, Schapire and Singer, Reducing multiclass to binary,
JMLR 1 (2000); Lin and Costello, Error Control Coding, chapter 6, for the BCH codes.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import combinations
from typing import Final

import numpy as np
from numpy.typing import NDArray

from algorithms.core.errors import DataError
from algorithms.data.columns import FloatArray

Code = NDArray[np.int8]

MOST_EXHAUSTIVE: Final = 11
"""With so many classes an exhaustive code has 1,023 columns; with one more twice as many."""
FEW: Final = 6
"""Up to so many classes the automatic code is the exhaustive one (31 columns)."""
_TRIES: Final = 100
_PRIMITIVE: Final = {2: 0b111, 3: 0b1011, 4: 0b10011, 5: 0b100101, 6: 0b1000011, 7: 0b10001001, 8: 0b100011101}
"""A primitive polynomial over the field of two elements by its degree, bit i being the coefficient of x^i."""


def one_vs_rest(k: int) -> Code:
    """A column for each class, which stands alone in it; for two classes one column."""
    if k == 2:
        return np.array([[1], [-1]], dtype=np.int8)
    return (2 * np.eye(k, dtype=np.int8) - 1).astype(np.int8)


def one_vs_one(k: int) -> Code:
    """A column for each pair of classes; the others take no part in it."""
    pairs = list(combinations(range(k), 2))
    code = np.zeros((k, len(pairs)), dtype=np.int8)
    for column, (one, other) in enumerate(pairs):
        code[one, column], code[other, column] = 1, -1
    return code


def exhaustive(k: int) -> Code:
    """Every way of dividing k classes in two, 2^(k-1) - 1 columns (Dietterich and Bakiri, section 2.3.1).

    The first word is all ones, the others are runs of zeros and ones that grow shorter from row to row. Raises
    :class:`DataError` for more than ``MOST_EXHAUSTIVE`` classes.
    """
    if k > MOST_EXHAUSTIVE:
        raise DataError(
            f"An exhaustive code for {k} classes would need {2 ** (k - 1) - 1:,} models.",
            remedy="Choose random or BCH code words.",
        )
    places = np.arange(2 ** (k - 1) - 1)
    bits = [np.ones(len(places), dtype=np.int64), *((places >> (k - row - 2)) & 1 for row in range(k - 1))]
    return _signs(np.array(bits))


def random_code(
    k: int,
    length: int,
    random: np.random.Generator,
    *,
    sparse: bool = False,
    checkpoint: Callable[[], None] = lambda: None,
) -> Code:
    """The best of many codes drawn by chance: the one whose closest words differ most (Allwein et al., section 6).

    Dense, each bit is one or the other; ``sparse``, each is 0 half of the time. Columns that tell nothing apart or say
    the same as another are left out. Where no code of so many bits has two classes on the two sides of a bit for every
    pair of them, longer ones are drawn.
    """
    best, most = one_vs_rest(k), (0, -1.0)
    while True:
        for _ in range(_TRIES):
            checkpoint()
            drawn = random.integers(0, 2, (k, length)) * 2 - 1
            if sparse:
                drawn = drawn * random.integers(0, 2, (k, length))
            code = useful_columns(drawn.astype(np.int8))
            score = (min(1, opposed(code)), separation(code)) if code.shape[1] else (0, -1.0)
            if score > most:
                best, most = code, score
        if most[0] or k < 2:
            return best
        length += 1 + length // 4


def bch(k: int, length: int, random: np.random.Generator, checkpoint: Callable[[], None] = lambda: None) -> Code:
    """k words of a binary BCH code of at least ``length`` bits, of the largest designed distance that has enough.

    Of many choices among its words the one is taken whose closest words differ most. The code has 2^m - 1 bits; the
    columns that tell nothing apart among the words chosen, or say the same as another, are left out.
    """
    degree = next((m for m in _PRIMITIVE if 2**m - 1 >= length and 2**m - 1 > k), max(_PRIMITIVE))
    words = _bch_words(degree, k)
    best, most = one_vs_rest(k), (-1.0, 0)
    for _ in range(_TRIES):
        checkpoint()
        chosen = useful_columns(_signs(words[random.choice(len(words), k, replace=False)]))
        score = (separation(chosen), chosen.shape[1]) if chosen.shape[1] else (-1.0, 0)
        if score > most:
            best, most = chosen, score
    return best


def _bch_words(degree: int, k: int) -> NDArray[np.int64]:
    """Words (w, 2^m - 1) of the BCH code with the largest designed distance that has at least 2 k of them.

    No more than some thousand are listed: those of the messages with the smallest numbers.
    """
    n, best = 2**degree - 1, 1
    powers = _field(degree)
    generator, roots, exponent = 1, set[int](), 1
    while True:
        if exponent not in roots:
            conjugates = _conjugates(exponent, n)
            generator = _times(generator, _minimal_polynomial(conjugates, powers, degree))
            roots |= conjugates
        dimension = n - (generator.bit_length() - 1)
        if dimension <= 0 or 2**dimension < 2 * k:
            break
        best = generator
        exponent += 2
    dimension = n - (best.bit_length() - 1)
    messages = range(1, min(2**dimension, 4096))
    words = [_times(message, best) for message in messages]
    return np.array([[word >> place & 1 for place in range(n)] for word in words], dtype=np.int64)


def _field(degree: int) -> list[int]:
    """The powers of a primitive element of the field of 2^degree elements."""
    powers, value = [], 1
    for _ in range(2**degree - 1):
        powers.append(value)
        value <<= 1
        if value >> degree & 1:
            value ^= _PRIMITIVE[degree]
    return powers


def _conjugates(exponent: int, n: int) -> set[int]:
    """The exponents of the elements with the same minimal polynomial."""
    found, at = set[int](), exponent % n
    while at not in found:
        found.add(at)
        at = 2 * at % n
    return found


def _minimal_polynomial(exponents: set[int], powers: list[int], degree: int) -> int:
    """The product of (x - a^e) over conjugate exponents e: its coefficients are zeros and ones."""
    n, logs = 2**degree - 1, {value: exponent for exponent, value in enumerate(powers)}
    product = [1]
    for exponent in sorted(exponents):
        shifted = [0, *product]
        for place, value in enumerate(product):
            if value:
                shifted[place] ^= powers[(logs[value] + exponent) % n]
        product = shifted
    return sum(value << place for place, value in enumerate(product))


def _times(one: int, other: int) -> int:
    """The product of two polynomials over the field of two elements, as bits."""
    product = 0
    while other:
        if other & 1:
            product ^= one
        one <<= 1
        other >>= 1
    return product


def given_code(text: str, classes: tuple[str, ...]) -> Code:
    """The code of typed words, ``class = 0110``, with semicolons or line ends between; ``.`` or ``*`` stands for 0.

    Bits are 0 or 1, also - or +. Raises :class:`DataError` that says which word is missing, too short or there twice.
    """
    words: dict[str, str] = {}
    for part in filter(str.strip, re.split(r"[;\n]", text)):
        label, equals, word = (each.strip() for each in part.rpartition("="))
        word = word.replace(" ", "")
        if not equals or not word or set(word) - set(_BITS):
            raise DataError(f"{part.strip()!r} is not class = code word.", remedy="Type it like yes = 0110; no = 1001.")
        if label not in classes:
            remedy = f"The classes are {', '.join(classes[:8])}{', ...' if len(classes) > 8 else ''}."
            raise DataError(f"There is no class {label!r}.", remedy=remedy)
        words[label] = word
    missing = [label for label in classes if label not in words]
    if missing:
        raise DataError(f"The class {missing[0]!r} has no code word.", remedy="Type one for every class.")
    if len({len(word) for word in words.values()}) > 1:
        raise DataError("The code words are not equally long.", remedy="Give every class as many bits.")
    twins = [pair for pair in combinations(classes, 2) if words[pair[0]] == words[pair[1]]]
    if twins:
        raise DataError(
            f"The classes {twins[0][0]!r} and {twins[0][1]!r} have the same code word.", remedy="Change one of them."
        )
    return np.array([[_BITS[bit] for bit in words[label]] for label in classes], dtype=np.int8)


_BITS: Final = {"0": -1, "-": -1, "1": 1, "+": 1, ".": 0, "*": 0}


def _signs(bits: NDArray[np.int64]) -> Code:
    return (2 * bits - 1).astype(np.int8)


def useful_columns(code: Code) -> Code:
    """The code without columns that have one side only, and without repetitions of a column or of its opposite."""
    seen, kept = set[bytes](), []
    for at in range(code.shape[1]):
        column = np.ascontiguousarray(code[:, at])
        if column.max(initial=0) < 1 or column.min(initial=0) > -1 or column.tobytes() in seen:
            continue
        seen |= {column.tobytes(), (-column).tobytes()}
        kept.append(at)
    return np.ascontiguousarray(code[:, kept])


def separation(code: Code) -> float:
    """In how many bits the two closest words differ; a bit that one of them does not use counts half."""
    signs = code.astype(np.float32)  # sums of at most some thousand ones are exact, and a product of floats is fast
    apart = (code.shape[1] - (signs @ signs.T).astype(np.float64)) / 2
    return float(apart[np.triu_indices(len(code), 1)].min(initial=float(code.shape[1])))


def opposed(code: Code) -> int:
    """In how many bits, at the least, two words stand on different sides; 0 where some pair of classes never does."""
    one, other = (code == 1).astype(np.float32), (code == -1).astype(np.float32)
    product = one @ other.T
    sides = product + product.T
    return int(sides[np.triu_indices(len(code), 1)].min(initial=code.shape[1]))


_SURE: Final = 1e-6
"""A side that is certain counts as this short of it: one member alone must not rule a class out."""
_ROUNDS: Final = 200
_STILL: Final = 1e-10

LOSSES: Final = ("logistic", "exponential", "absolute")


def rest_shares(sides: FloatArray, code: Code, prior: FloatArray) -> FloatArray:
    """Shares (n, k) of members that each tell one class from the rest, ``sides`` (n, L) being how sure of it they are.

    Scores are divided by their sum. A class without a member (the run was finished early) has its share in training.
    """
    alone = np.argmax(code, axis=0)
    if code.shape[1] == 1 and np.count_nonzero(code) == 2:
        return np.where(code[:, 0] == 1, sides, np.where(code[:, 0] == -1, 1 - sides, 0.0))
    scores = np.tile(prior, (len(sides), 1))
    scores[:, alone] = sides
    total = scores.sum(axis=1, keepdims=True)
    return np.where(total > 0, scores / np.where(total > 0, total, 1.0), prior)


def votes(said: FloatArray, code: Code) -> FloatArray:
    """How many members are for each class (n, k): each is for the classes on the side that it decides (n, L) for."""
    one, other = (code == 1).astype(np.float64), (code == -1).astype(np.float64)
    return np.asarray(said @ one.T + (1 - said) @ other.T)


def pair_shares(sides: FloatArray, code: Code, present: FloatArray) -> FloatArray:
    """``r[:, i, j]`` (n, p, p): how sure the member of classes i and j is of i; one half where there is none."""
    at = np.cumsum(present > 0) - 1
    p = int(np.count_nonzero(present > 0))
    found = np.full((len(sides), p, p), 0.5)
    sure = np.clip(sides, _SURE, 1 - _SURE)
    for column in range(code.shape[1]):
        one, other = int(at[np.argmax(code[:, column])]), int(at[np.argmin(code[:, column])])
        found[:, one, other], found[:, other, one] = sure[:, column], 1 - sure[:, column]
    return found


def coupled_in_rounds(r: FloatArray, weights: FloatArray) -> FloatArray:
    """Probabilities (n, p) whose pairs are as near as can be to those given, by relative entropy.

    ``weights`` (p, p) says how much each pair counts: the records its member learned from. Each round multiplies every
    class by what its pairs ask for over what they get. Source: Hastie and Tibshirani, Classification by pairwise
    coupling, Annals of Statistics 26 (1998), section 2.
    """
    n, p = r.shape[:2]
    apart = 1.0 - np.eye(p)
    found = np.full((n, p), 1.0 / p)
    wanted = (weights * apart * r).sum(axis=2)
    moving = np.arange(n)
    for _ in range(_ROUNDS):
        now = found[moving]
        pairs = now[:, :, None] / (now[:, :, None] + now[:, None, :])
        then = now * wanted[moving] / (weights * apart * pairs).sum(axis=2)
        then /= then.sum(axis=1, keepdims=True)
        found[moving] = then
        moving = moving[np.abs(then - now).max(axis=1) > _STILL]
        if not len(moving):
            break
    return found


def hamming_distances(said: FloatArray, code: Code) -> FloatArray:
    """In how many bits what was decided (n, L) differs from each word (n, k); a bit left out of a word is half one."""
    return np.asarray((code.shape[1] - (2 * said - 1) @ code.T.astype(np.float64)) / 2)


def losses(sides: FloatArray, code: Code, kind: str) -> FloatArray:
    """What each word (n, k) loses on how sure the members are of their one side (n, L) (Allwein et al., section 4).

    With z the log odds of being on the word's side: logistic log(1 + e^-z), exponential e^(-z/2), absolute the
    probability of the other side. A bit that a word leaves out loses as much as an even chance does.
    """
    sure = np.clip(sides, _SURE, 1 - _SURE)
    one, other = (code == 1).astype(np.float64), (code == -1).astype(np.float64)
    even = float(_loss(np.array(0.5), kind)) * np.count_nonzero(code == 0, axis=1)
    return np.asarray(_loss(sure, kind) @ one.T + _loss(1 - sure, kind) @ other.T + even)


def _loss(p: FloatArray, kind: str) -> FloatArray:
    """What is lost on a side of probability p."""
    if kind == "absolute":
        return np.asarray(1 - p)
    return np.asarray(-np.log(p) if kind == "logistic" else np.sqrt((1 - p) / p))


def shares_of_distances(distances: FloatArray, present: FloatArray) -> FloatArray:
    """The shares (n, k) of e^-distance among the classes that there were in training; the nearest has the most."""
    known = np.where(present > 0, distances, np.inf)
    powers = np.exp(known.min(axis=1, keepdims=True) - known)
    return np.asarray(powers / powers.sum(axis=1, keepdims=True))
