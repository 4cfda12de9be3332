"""Words of texts as sparse columns, beside scikit-learn, and the learners that use them as they are."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from algorithms.catalogue import builtin
from algorithms.core.errors import DataError, ModelFileError, ParameterError, UnsuitableDataError
from algorithms.core.learner import Learner, State
from algorithms.core.run_control import RunContext
from algorithms.data import sparse_matrix as sparse_columns
from algorithms.data.columns import STRING, CompressedColumns, FloatArray, SparseColumn
from algorithms.data.dataset import Dataset
from algorithms.data.schema import Attribute, AttributeKind, Schema, nominal, numeric
from algorithms.data.sparse_matrix import sparse_matrix, sparse_predictors
from algorithms.data.summary import summarize
from algorithms.evaluation.methods.methods import CrossValidation
from algorithms.evaluation.runner import evaluate, train
from algorithms.filters import step_effects
from algorithms.filters.nominal_values import Encode
from algorithms.filters.step_effects import apply_permanently
from algorithms.filters.text_counts import STOP_WORDS, TextToWords, WordsCounted
from algorithms.learners.bayes.naive_bayes import NaiveBayes
from algorithms.learners.linear.logistic_regression import LogisticRegression
from algorithms.learners.neighbors.k_nearest import KNearestNeighbors
from algorithms.learners.svm.support_vector_machine import LinearSupportVectorMachine
from algorithms.learners.trees.c45 import C45
from algorithms.learners.trees.cart import Cart
from algorithms.learners.trees.stump import DecisionStump
from algorithms.project.models import load_model, save_model
from tests.expected_texts import filters as wording

NAN = float("nan")
SENTENCES = ["The cat sat on the mat.", "A dog, THE dog!", "", "cats and dogs: 12 of 3", "über-große Wörter, Wörter_1"]


def table(texts: list[Any], codes: Any = None) -> Dataset:
    column = np.array([NAN if text is None else text for text in texts], dtype=object).astype(STRING)
    schema = Schema((Attribute("note", AttributeKind.TEXT), nominal("y", ("a", "b", "c"))), 1)
    return Dataset(schema, [column, np.arange(len(texts)) % 2 if codes is None else codes])


def documents(n: int = 300, seed: int = 1, n_words: int = 400) -> Dataset:
    """Texts of which some words tell the class."""
    random = np.random.default_rng(seed)
    codes = random.integers(0, 3, n)
    shares = 1.0 / np.arange(1, n_words + 1)
    texts = []
    for code in codes.tolist():
        own = shares.copy()
        own[20 + code :: 9] *= 6
        drawn = random.choice(n_words, random.integers(5, 40), p=own / own.sum())
        texts.append(" ".join(f"w{word}" for word in drawn.tolist()))
    return table(texts, codes)


def changed(filter: TextToWords, data: Dataset, other: Dataset | None = None) -> Dataset:
    return filter.fit(data, RunContext(seed=1)).transform(other or data)


def dense(data: Dataset) -> FloatArray:
    return np.column_stack([data.column(index) for index in range(2, len(data.schema))])


def made_dense(data: Dataset) -> Dataset:
    """The same table without sparse columns."""
    columns = [data.column(index) for index in range(len(data.schema))]
    return Dataset(data.schema, columns, row_ids=data.row_ids, weights=data.weights)


# ---- words -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("filter", "counter", "transformer"),
    [
        (TextToWords(by="count", norm="none"), {}, None),
        (TextToWords(by="binary", norm="none", lower=False), {"binary": True, "lowercase": False}, None),
        (TextToWords(by="count", norm="none", longest=3), {"ngram_range": (1, 3)}, None),
        (TextToWords(by="count", norm="l1", shortest=2, longest=2), {"ngram_range": (2, 2)}, {"use_idf": False}),
        (TextToWords(max_share=30, min_documents=4), {"max_df": 0.3, "min_df": 4}, {}),
        (TextToWords(norm="none"), {}, {"norm": None}),
        (TextToWords(norm="l1"), {}, {"norm": "l1"}),
        (
            TextToWords(stop="given", stop_words="W3; w5", longest=2),
            {"stop_words": ["w3", "w5"], "ngram_range": (1, 2)},
            {},
        ),
    ],
    ids=lambda case: case.summary() if isinstance(case, TextToWords) else "",
)
def test_words_and_weights_are_those_of_scikit_learn(
    filter: TextToWords, counter: dict[str, Any], transformer: dict[str, Any] | None
) -> None:
    from sklearn.feature_extraction.text import CountVectorizer, TfidfTransformer

    data, other = documents(), documents(60, seed=2, n_words=500)
    vectorizer = CountVectorizer(**{"min_df": 2, **counter})
    texts, more = (list(each.column("note")) for each in (data, other))
    counts = vectorizer.fit_transform(texts)
    weights = [counts, vectorizer.transform(more)]
    if transformer is not None:
        norm = {"norm": filter.norm, **transformer}
        fitted = TfidfTransformer(**norm).fit(counts)
        weights = [fitted.transform(each) for each in weights]
    found = [changed(filter.with_values(max_words=100_000), data, each) for each in (data, other)]
    names = tuple(f"note: {word}" for word in vectorizer.get_feature_names_out())
    assert found[0].schema.names[2:] == names
    for ours, theirs in zip(found, weights, strict=True):
        np.testing.assert_allclose(dense(ours), theirs.toarray(), rtol=1e-12, atol=1e-15)


def test_the_most_frequent_words_stay_and_a_missing_text_has_none() -> None:
    data = table(["bb aa aa", None, "cc bb aa"])
    found = changed(TextToWords(by="count", norm="none", min_documents=1, max_words=2), data)
    assert found.schema.names[2:] == ("note: aa", "note: bb")
    assert dense(found).tolist() == [[2, 1], [0, 0], [1, 1]]
    assert changed(TextToWords(), data, data.select_columns([1])).schema.names[1:] == ("note: aa", "note: bb")


def test_words_of_any_script_count_and_stop_words_of_a_language_do_not() -> None:
    found = changed(TextToWords(min_documents=1, stop="english"), table(SENTENCES))
    words = [name.removeprefix("note: ") for name in found.schema.names[2:]]
    assert {"cat", "dog", "12", "über", "große", "wörter", "wörter_1"} <= set(words)
    assert not set(words) & set(STOP_WORDS["english"].split())
    for language, listed in STOP_WORDS.items():
        assert len(set(listed.split())) == len(listed.split()) > 60, language


def test_options_that_do_not_fit_are_refused() -> None:
    with pytest.raises(ParameterError):
        TextToWords(shortest=3, longest=2)
    data = Dataset(Schema((numeric("x"), nominal("y", "ab")), 1), [[1.0], [0]])
    assert [problem.column for problem in TextToWords(columns=("x",)).check(summarize(data))] == ["x"]
    assert TextToWords().fit(data, RunContext()).transform(data) is data


def test_the_words_are_learned_inside_the_folds() -> None:
    data = documents(90)
    own = table([f"{text} only{record}" for record, text in enumerate(data.column("note"))], data.class_codes)
    fitted = TextToWords(min_documents=1).fit(own.take(np.arange(45)), RunContext())
    assert not any("only45" in word for word in fitted.vocabularies[0].words)
    result = evaluate(
        NaiveBayes(numbers="multinomial"), own, CrossValidation(folds=3), RunContext(seed=1), recipe=(TextToWords(),)
    )
    assert len(result) == len(own)


def test_a_saved_model_counts_the_same_words_of_new_texts(tmp_path: Path) -> None:
    data, other = documents(), documents(40, seed=5)
    trained = train(LogisticRegression(), data, (TextToWords(longest=2, max_words=300),), RunContext(seed=1))
    save_model(tmp_path / "words.coppice-model", trained)
    again = load_model(tmp_path / "words.coppice-model", builtin())
    np.testing.assert_array_equal(trained.predict_proba(other), again.predict_proba(other))
    labels = sorted(set(other.column("note").tolist()))
    codes = [labels.index(text) for text in other.column("note")]
    listed = other.with_column(0, nominal("note", labels), codes)  # a file with few texts is read so
    np.testing.assert_allclose(again.predict_proba(listed), again.predict_proba(other))
    without = [difference.sentence for difference in again.differences(other.select_columns([1]))]
    assert wording.NO_WORD_IS_COUNTED in without


def test_a_damaged_state_is_refused() -> None:
    state = TextToWords().fit(documents(50), RunContext()).to_state()
    assert WordsCounted.from_state(state).to_state().values == state.values
    for values in (
        {"by": "length"},
        {"norm": "l3"},
        {"phrases": [2, 1]},
        {"phrases": [1, 10**9]},
        {"lower": 1},
        {"stop": [1]},
    ):
        with pytest.raises(ModelFileError):
            WordsCounted.from_state(State({**state.values, **values}, state.arrays))
    idf, sizes = state.arrays["idf-0"], state.arrays["words-0-sizes"]
    for arrays in ({"idf-0": np.full_like(idf, NAN)}, {"idf-0": idf[1:]}, {"words-0-sizes": sizes - 1}):
        with pytest.raises(ModelFileError):
            WordsCounted.from_state(State(state.values, {**state.arrays, **arrays}))


# ---- sparse columns --------------------------------------------------------------------------------------------------


def test_a_sparse_column_reads_as_its_dense_twin() -> None:
    from scipy.sparse import csc_array

    numbers = np.random.default_rng(0).poisson(0.3, (200, 5)).astype(float)
    columns = CompressedColumns.of(csc_array(numbers)).columns()
    data = Dataset(Schema(tuple(numeric(f"x{i}") for i in range(5))), columns)
    plain = Dataset(data.schema, list(numbers.T))
    rows = np.array([5, 3, 199, 3])
    changes = (
        lambda table: table,
        lambda table: table.take(rows),
        lambda table: table.take(numbers[:, 0] > 0),
        lambda table: table.with_new_rows(2),
        lambda table: table.select_columns([3, 1]),
        lambda table: table.take(rows).with_new_column(numeric("new"), np.arange(4.0), at=0),
    )
    for change in changes:
        twin, same = change(data), change(plain)
        for index in range(len(twin.schema)):
            np.testing.assert_array_equal(twin.column(index), same.column(index))
    edited = data.with_cells(2, [7, 9], [4.0, 5.0])
    assert edited.sparse_column(2) is None and edited.sparse_column(1) is not None
    assert edited.column(2)[[7, 9]].tolist() == [4, 5] and np.count_nonzero(edited.column(2) != data.column(2)) <= 2
    assert data.cells(1, rows).tolist() == numbers[rows, 1].tolist()
    counts = [(each.n_missing, each.n_distinct) for each in summarize(data).attributes]
    assert counts == [(each.n_missing, each.n_distinct) for each in summarize(plain).attributes]
    assert isinstance(data.content(0), SparseColumn) and not isinstance(data.take(rows).content(0), SparseColumn)
    np.testing.assert_array_equal(sparse_matrix(data.take(rows)).numbers.toarray(), numbers[rows])


def test_words_made_permanent_are_dense_up_to_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    data, recipe = documents(), (TextToWords(),)
    kept = apply_permanently(recipe, data, RunContext(seed=1))
    assert not sparse_predictors(kept) and kept.origin.marks
    np.testing.assert_array_equal(dense(kept), dense(changed(TextToWords(), data)))
    monkeypatch.setattr(step_effects, "MOST_DENSE_CELLS", 1000)
    with pytest.raises(DataError, match=wording.TOO_MANY_WORDS):
        apply_permanently(recipe, data, RunContext(seed=1))


LEARNERS = [
    LogisticRegression(),
    LogisticRegression(penalty="lasso", strength=3.0),
    LinearSupportVectorMachine(c=0.02, tolerance=1e-6),
    LinearSupportVectorMachine(c=0.02, tolerance=1e-6, margin="soft", scaling="none"),
    LinearSupportVectorMachine(c=0.02, tolerance=1e-6, scaling="range", several="one-vs-rest"),
    NaiveBayes(),
    NaiveBayes(numbers="multinomial"),
    C45(split_search="binned"),
    Cart(split_search="binned"),
    DecisionStump(split_search="binned"),
]


@pytest.mark.parametrize("learner", LEARNERS, ids=lambda learner: learner.summary())
def test_a_learner_gives_the_same_model_for_sparse_and_dense_columns(learner: Learner) -> None:
    """Weights and repeated records among them."""
    words = changed(TextToWords(by="count", norm="none"), documents())
    extra = words.with_new_column(nominal("size", "pqr"), np.arange(len(words)) % 3)
    data = Encode().fit(extra, RunContext()).transform(extra) if isinstance(learner, NaiveBayes) else extra
    assert len(sparse_predictors(data)) == len(words.schema) - 2
    data = data.with_weights(1.0 + np.arange(len(data)) % 3)
    train, test = np.arange(0, 240), np.concatenate([np.arange(240, 300), [3, 3]])
    shares = []
    for table in (data, made_dense(data)):
        model = learner.fit(table.take(train), RunContext(seed=1))
        shares.append((model.predict_proba(table.take(test)), model.facts()))
    if isinstance(learner, LinearSupportVectorMachine):  # Newton's method of dense columns ends elsewhere in tolerance
        np.testing.assert_allclose(shares[0][0], shares[1][0], rtol=1e-3, atol=1e-4)
        return
    np.testing.assert_allclose(shares[0][0], shares[1][0], rtol=1e-4, atol=1e-6)
    assert shares[0][1] == shares[1][1]


def test_a_pass_over_sparse_features_is_that_over_dense_ones() -> None:
    from scipy.sparse import csr_array

    from algorithms.learners.svm.kernels import descend, descend_sparse

    random = np.random.default_rng(3)
    n, t = 60, 9
    entries, shift = csr_array(random.poisson(0.4, (n, t)) * random.normal(size=(n, t))), random.normal(size=t)
    x, y = entries.toarray() - shift, np.where(random.random(n) < 0.5, 1.0, -1.0)
    square, ridge, upper = np.square(x).sum(axis=1), random.random(n), np.full(n, 2.0)
    control, order = np.zeros(3, dtype=np.int64), random.permutation(n)
    arrays = entries.indptr.astype(np.int64), entries.indices.astype(np.int64), entries.data
    dense_state = np.zeros(n), np.zeros(t), order.copy(), np.array([0.0, 0.5, np.inf, -np.inf, 0.0, 0.0])
    sparse_state = np.zeros(n), np.zeros(t), order.copy(), dense_state[3].copy()
    sums = np.zeros(2)
    for _ in range(3):
        alpha, weight, order, real = dense_state
        reach = descend(x, y, square, upper, ridge, alpha, weight, order, real, n, control)
        own, words, turns, bias = sparse_state
        products = entries @ shift, float(shift @ shift)
        reached = descend_sparse(
            *arrays, *products, y, square, upper, ridge, own, words, sums, turns, bias, n, control
        )  # fmt: skip
        assert reached == reach
        np.testing.assert_allclose(own, alpha, atol=1e-9)
        np.testing.assert_allclose(words - sums[0] * shift, weight, atol=1e-9)
        np.testing.assert_allclose(bias, real, atol=1e-9)


def test_multinomial_naive_bayes_is_that_of_scikit_learn() -> None:
    from sklearn.naive_bayes import MultinomialNB

    for data in (changed(TextToWords(by="count", norm="none"), documents()), changed(TextToWords(), documents())):
        numbers, codes = dense(data), data.class_codes
        for learner, alpha in (
            (NaiveBayes(numbers="multinomial"), 1.0),
            (NaiveBayes(numbers="multinomial", smoothing="m-estimate", m=2.0), 2.0 / numbers.shape[1]),
        ):
            peer = MultinomialNB(alpha=alpha).fit(numbers[:200], codes[:200])
            for table in (data, made_dense(data)):
                model = learner.fit(table.take(np.arange(200)), RunContext())
                ours = model.predict_proba(table.take(np.arange(200, 300)))
                np.testing.assert_allclose(ours, peer.predict_proba(numbers[200:]), rtol=1e-8, atol=1e-12)


def test_a_multinomial_takes_counts_only() -> None:
    schema = Schema((numeric("x"), nominal("size", "pq"), nominal("y", "ab")), 2)
    data = Dataset(schema, [[1.0, -1.0, 2.0], [0, 1, 0], [0, 1, 0]])
    learner = NaiveBayes(numbers="multinomial")
    assert [problem.column for problem in learner.check(summarize(data))] == ["size"]
    with pytest.raises(UnsuitableDataError) as caught:
        learner.fit(data.select_columns([0, 2]), RunContext())
    assert caught.value.place == "x"


def test_a_learner_of_dense_columns_says_when_there_are_too_many(monkeypatch: pytest.MonkeyPatch) -> None:
    from algorithms.core import learner

    words = changed(TextToWords(by="count", norm="none"), documents())
    summary, cells = summarize(words), len(words) * (len(words.schema) - 2)
    assert summary.n_sparse_cells == cells <= sparse_columns.MOST_DENSE_CELLS
    assert not KNearestNeighbors().check(summary)
    monkeypatch.setattr(learner, "MOST_DENSE_CELLS", cells - 1)
    assert [wording.DENSE_COLUMNS in p.sentence for p in KNearestNeighbors().check(summary)] == [True]
    for other in (*LEARNERS, C45(), Cart()):
        assert not other.check(summary)
    with pytest.raises(UnsuitableDataError):
        KNearestNeighbors().fit(words, RunContext())


@pytest.mark.parametrize("share", [29, 57, 58])
def test_a_word_in_exactly_the_largest_share_of_the_documents_stays(share: int) -> None:
    data = table(["often"] * share + ["and"] * (99 - share) + [""])
    (vocabulary,) = TextToWords(max_share=share).fit(data, RunContext()).vocabularies
    assert "often" in vocabulary.words


def test_records_without_weight_teach_no_words() -> None:
    column = np.array(["one two", "one two", "three four", "three four"], dtype=object).astype(STRING)
    schema = Schema((Attribute("note", AttributeKind.TEXT), nominal("y", "ab")), 1)
    data = Dataset(schema, [column, [0, 1, 0, 1]], weights=[1.0, 2.0, 0.0, 0.0])
    (vocabulary,) = TextToWords().fit(data, RunContext()).vocabularies
    assert vocabulary.words == ("one", "two")
    np.testing.assert_allclose(vocabulary.idf, 1.0)


def test_the_words_that_occur_most_often_stay_not_those_in_most_documents() -> None:
    data = table(["often often often often", "rare", "rare", "often"])
    (vocabulary,) = TextToWords(max_words=1).fit(data, RunContext()).vocabularies
    assert vocabulary.words == ("often",)
    data = table(["often often often often", "rare", "rare rare", "often rare"])
    assert TextToWords(max_words=1).fit(data, RunContext()).vocabularies[0].words == ("often",)
