"""Code matrices of multiclass reductions, and decoding into class probabilities.

A code (k, L) has a row for each class and a column for each member: 1 or -1 for the side of the class, 0 if the member
does not use it. Sources: Dietterich and Bakiri, Solving multiclass learning problems via error-correcting output codes,
JAIR 2 (1995); Allwein, Schapire and Singer, Reducing multiclass to binary, JMLR 1 (2000); Lin and Costello, Error
Control Coding, chapter 6, for BCH codes.
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
from algorithms.learners.probability_scaling import normalised, without_last_bits

Code = NDArray[np.int8]

MOST_EXHAUSTIVE: Final = 11
"""Largest number of classes of an exhaustive code, which then has 1,023 columns."""
FEW: Final = 6
"""Largest number of classes for which the automatic code is exhaustive (31 columns)."""
_TRIES: Final = 100
_PRIMITIVE: Final = {2: 0b111, 3: 0b1011, 4: 0b10011, 5: 0b100101, 6: 0b1000011, 7: 0b10001001, 8: 0b100011101}
"""Primitive polynomials over GF(2) by degree; bit i is the coefficient of x^i."""


def one_vs_rest(k: int) -> Code:
    """One column for each class against the rest; a single column for two classes."""
    if k == 2:
        return np.array([[1], [-1]], dtype=np.int8)
    return (2 * np.eye(k, dtype=np.int8) - 1).astype(np.int8)


def one_vs_one(k: int) -> Code:
    """One column for each pair of classes."""
    pairs = list(combinations(range(k), 2))
    code = np.zeros((k, len(pairs)), dtype=np.int8)
    for column, (one, other) in enumerate(pairs):
        code[one, column], code[other, column] = 1, -1
    return code


def exhaustive(k: int) -> Code:
    """All 2^(k-1) - 1 divisions (Dietterich and Bakiri 2.3.1); raises :class:`DataError` for too many classes."""
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
    """Random code with the largest minimum distance among many draws (Allwein et al., section 6).

    With ``sparse`` each bit is 0 half of the time. Useless and repeated columns are dropped. If no code of this length
    separates every pair of classes in some bit, longer codes are drawn.
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
    """k words of a BCH code of ``length`` bits or more, a random choice of large distance, less useless columns."""
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
    """Up to 4,095 words (w, 2^m - 1) of the BCH code of largest designed distance with at least 2 k words."""
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
    """Powers of a primitive element of GF(2^degree)."""
    powers, value = [], 1
    for _ in range(2**degree - 1):
        powers.append(value)
        value <<= 1
        if value >> degree & 1:
            value ^= _PRIMITIVE[degree]
    return powers


def _conjugates(exponent: int, n: int) -> set[int]:
    """Exponents of the elements with the same minimal polynomial."""
    exponents, current = set[int](), exponent % n
    while current not in exponents:
        exponents.add(current)
        current = 2 * current % n
    return exponents


def _minimal_polynomial(exponents: set[int], powers: list[int], degree: int) -> int:
    """Product of (x - a^e) over conjugate exponents e, with binary coefficients."""
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
    """Product of two polynomials over GF(2), as bits."""
    product = 0
    while other:
        if other & 1:
            product ^= one
        one <<= 1
        other >>= 1
    return product


def given_code(text: str, classes: tuple[str, ...]) -> Code:
    """Code of typed words ``class = 0110`` (also -, +; ``.``, ``*`` leave out); raises :class:`DataError`."""
    words: dict[str, str] = {}
    for part in filter(str.strip, re.split(r"[;\n]", text)):
        label, equals, word = (text_part.strip() for text_part in part.rpartition("="))
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
    """Code without one-sided columns and without repetitions of a column or its complement."""
    seen, kept = set[bytes](), []
    for place in range(code.shape[1]):
        column = np.ascontiguousarray(code[:, place])
        if column.max(initial=0) < 1 or column.min(initial=0) > -1 or column.tobytes() in seen:
            continue
        seen |= {column.tobytes(), (-column).tobytes()}
        kept.append(place)
    return np.ascontiguousarray(code[:, kept])


def separation(code: Code) -> float:
    """Minimum distance of the words; a bit that one of them leaves out counts half."""
    signs = code.astype(np.float32)  # exact for sums of a few thousand ones, and fast
    apart = (code.shape[1] - (signs @ signs.T).astype(np.float64)) / 2
    return float(apart[np.triu_indices(len(code), 1)].min(initial=float(code.shape[1])))


def opposed(code: Code) -> int:
    """Smallest number of bits in which two words have opposite sides."""
    one, other = (code == 1).astype(np.float32), (code == -1).astype(np.float32)
    product = one @ other.T
    sides = product + product.T
    return int(sides[np.triu_indices(len(code), 1)].min(initial=code.shape[1]))


_SURE: Final = 1e-6
"""Probabilities are clipped this far from 0 and 1, so that no single member excludes a class."""
_ROUNDS: Final = 200
_STILL: Final = 1e-10

LOSSES: Final = ("logistic", "exponential", "absolute")


def rest_shares(sides: FloatArray, code: Code, prior: FloatArray) -> FloatArray:
    """Normalised one-vs-rest probabilities (n, k) of ``sides`` (n, L); ``prior`` for a class without a member."""
    alone = np.argmax(code, axis=0)
    if code.shape[1] == 1 and np.count_nonzero(code) == 2:
        return np.where(code[:, 0] == 1, sides, np.where(code[:, 0] == -1, 1 - sides, 0.0))
    scores = np.tile(prior, (len(sides), 1))
    scores[:, alone] = sides
    return normalised(scores, prior)


def votes(decided: FloatArray, code: Code) -> FloatArray:
    """Votes for each class (n, k): a member votes for all classes on its decided side (n, L)."""
    one, other = (code == 1).astype(np.float64), (code == -1).astype(np.float64)
    return np.asarray(decided @ one.T + (1 - decided) @ other.T)


def pair_shares(sides: FloatArray, code: Code, present: FloatArray) -> FloatArray:
    """Pairwise probabilities ``r[:, i, j]`` (n, p, p) of class i against j; 1/2 without a member."""
    place = np.cumsum(present > 0) - 1
    p = int(np.count_nonzero(present > 0))
    shares = np.full((len(sides), p, p), 0.5)
    sure = np.clip(sides, _SURE, 1 - _SURE)
    for column in range(code.shape[1]):
        one, other = int(place[np.argmax(code[:, column])]), int(place[np.argmin(code[:, column])])
        shares[:, one, other], shares[:, other, one] = sure[:, column], 1 - sure[:, column]
    return shares


def coupled_in_rounds(r: FloatArray, weights: FloatArray) -> FloatArray:
    """Class probabilities (n, p) that minimise the relative entropy to pairwise probabilities (n, p, p).

    ``weights`` (p, p) weigh the pairs by their training records. Each round rescales every class by the ratio of
    target and current pairs. Source: Hastie and Tibshirani, Classification by pairwise coupling, Annals of Statistics
    26 (1998), section 2.
    """
    n, p = r.shape[:2]
    apart = 1.0 - np.eye(p)
    shares = np.full((n, p), 1.0 / p)
    wanted = (weights * apart * r).sum(axis=2)
    moving = np.arange(n)
    for _ in range(_ROUNDS):
        now = shares[moving]
        pairs = now[:, :, None] / (now[:, :, None] + now[:, None, :])
        then = now * wanted[moving] / (weights * apart * pairs).sum(axis=2)
        then /= then.sum(axis=1, keepdims=True)
        shares[moving] = then
        moving = moving[np.abs(then - now).max(axis=1) > _STILL]
        if not len(moving):
            break
    return without_last_bits(shares)


def hamming_distances(decided: FloatArray, code: Code) -> FloatArray:
    """Hamming distances (n, k) of decided bits (n, L) from each word; a bit left out counts half."""
    return np.asarray((code.shape[1] - (2 * decided - 1) @ code.T.astype(np.float64)) / 2)


def losses(sides: FloatArray, code: Code, kind: str) -> FloatArray:
    """Loss of each word (n, k) on the members' probabilities ``sides`` (n, L) (Allwein et al., section 4).

    With z the log odds of the word's side: logistic log(1 + e^-z), exponential e^(-z/2), absolute the probability of
    the other side. A bit left out has the loss of probability 1/2.
    """
    sure = np.clip(sides, _SURE, 1 - _SURE)
    one, other = (code == 1).astype(np.float64), (code == -1).astype(np.float64)
    even = float(_loss(np.array(0.5), kind)) * np.count_nonzero(code == 0, axis=1)
    return np.asarray(_loss(sure, kind) @ one.T + _loss(1 - sure, kind) @ other.T + even)


def _loss(p: FloatArray, kind: str) -> FloatArray:
    """Loss of a side with probability p."""
    if kind == "absolute":
        return np.asarray(1 - p)
    return np.asarray(-np.log(p) if kind == "logistic" else np.sqrt((1 - p) / p))


def shares_of_distances(distances: FloatArray, present: FloatArray) -> FloatArray:
    """Normalised exp(-distance) (n, k) over the classes with training records."""
    finite = np.where(present > 0, distances, np.inf)
    powers = np.exp(finite.min(axis=1, keepdims=True) - finite)
    return np.asarray(powers / powers.sum(axis=1, keepdims=True))
