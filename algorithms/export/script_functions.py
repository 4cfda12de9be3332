"""The text of a recipe's script: its frame, and the functions that its steps call."""

from __future__ import annotations

from typing import Final

from algorithms.data.dates import ISO_DATE
from algorithms.data.number_formats import AMOUNT, LONGEST, PAIRS, SAME_MARKS, UNIT_OF, number_pattern
from algorithms.filters.text_counts import WORD

NUMBERS_BY_MARKS: Final = {decimal + thousands: number_pattern(decimal, thousands) for decimal, thousands in PAIRS}
"""The pattern of a number by its decimal and thousands marks."""
LONGEST_AMOUNT: Final = LONGEST

HEAD: Final = '''"""Prepares tables as the steps of a recipe do. They learned from {data}, {n:,} records.

Written by Coppice. Needs {libraries}. Use it as a program: python THIS_FILE SOURCE.csv RESULT.csv, where
the source is a table as "coppice convert DATA --out SOURCE.csv" writes it (or .parquet), or from Python:

    table = prepare(read("source.csv"))  # pandas.read_csv takes a value such as NA for a missing one
    steps = sklearn.preprocessing.FunctionTransformer(prepare)  # the first step of a pipeline of scikit-learn
"""
'''
READ: Final = '''
def read(path):
    """The table in a file of CSV or Parquet."""
    if path.lower().endswith((".parquet", ".pq")):
        return pd.read_parquet(path)
    types = {**dict.fromkeys(NUMBERS, float), **dict.fromkeys(TEXTS, str)}
    return pd.read_csv(path, dtype=types, keep_default_na=False, na_values=[""])

'''
PREPARE: Final = '''
def prepare(table):
    """The table after all steps; raises ValueError if a column is missing."""
    absent = [name for name in [*NUMBERS, *TEXTS] if name not in table.columns]
    if absent:
        raise ValueError(f"the table has no column {', '.join(map(repr, absent))}")
    table = table.copy()
    for name in NUMBERS:
        table[name] = table[name].astype(float)
    for name in TEXTS:
        column = table[name].astype(object)
        table[name] = column.map(str, na_action="ignore").where(column.notna(), None)
'''
MAIN: Final = """
if __name__ == "__main__":
    source, result = sys.argv[1:]
    prepare(read(source)).to_csv(result, index=False)
"""
FURTHER_LIBRARIES: Final = {"regex": "first_match", "scipy": "bell_rank"}
"""Libraries beside pandas and numpy, and the function of the script that imports each."""
HELPERS: Final = {
    "straight": '''
def straight(column, learned):
    """Linear map with bounds; halves avoid overflow of differences."""
    centre, half, factor, shift, lowest, highest = learned
    return ((column / 2 - centre / 2) / half * factor + shift).clip(lowest, highest)

''',
    "of_unit_length": '''
def of_unit_length(table, names, norm):
    """The table with the numbers of each record divided by their norm; a missing number counts as 0."""
    largest = np.zeros(len(table))
    for name in names:
        largest = np.fmax(largest, np.abs(table[name].to_numpy()))
    largest[largest == 0] = 1.0
    total = np.zeros(len(table))
    for name in names:
        share = np.nan_to_num(np.abs(table[name].to_numpy()) / largest)
        total += share if norm == "l1" else share * share
    total[total == 0] = 1.0
    lengths = {"max": 1.0, "l1": total, "l2": np.sqrt(total)}
    for name in names:
        table[name] = table[name] / largest / lengths[norm]
    return table

''',
    "even_rank": '''
def even_rank(column, learned):
    """The share of training numbers below, interpolated between quantiles; ties get the middle."""
    x, learned = column.to_numpy(), np.array(learned)
    shares, half, places = np.linspace(0, 1, len(learned)), x / 2, learned / 2
    rank = 0.5 * (np.interp(half, places, shares) - np.interp(-half, -places[::-1], -shares[::-1]))
    rank[x == learned[-1]] = 1.0
    rank[x == learned[0]] = 0.0
    return np.where(np.isnan(x), np.nan, rank)

''',
    "bell_rank": '''
def bell_rank(column, learned):
    """The normal score of the rank."""
    from scipy.special import ndtri

    near, x, rank = 1e-7, column.to_numpy(), even_rank(column, learned)
    rank[x + near > learned[-1]] = 1.0
    rank[x - near < learned[0]] = 0.0
    ends = ndtri(near - np.spacing(1)), ndtri(1 - (near - np.spacing(1)))
    return np.where(np.isnan(x), np.nan, np.clip(ndtri(rank), *ends))

''',
    "moments": '''
def moments(column):
    """The dates of a column (Timestamps, texts like 2024-01-31 18:30, or seconds) in microseconds, or NaT."""
    if isinstance(column, np.ndarray) and column.dtype == float:
        whole = np.round(np.where(np.isfinite(column), column, 0.0) * 1e6).astype(np.int64).astype("datetime64[us]")
        return np.where(np.isfinite(column), whole, np.datetime64("NaT"))
    texts = ["NaT" if value is None or value != value else str(value) for value in column]
    return np.array(texts, dtype="datetime64[us]")

''',
    "seconds": '''
def seconds(column):
    """Seconds since 1970, missing where the date is."""
    dates = moments(column)
    return np.where(np.isnat(dates), np.nan, dates.astype(np.int64) / 1e6)

''',
    "date_part": '''
def date_part(column, part):
    """A part of each date, missing where the date is; 1 is Monday, weeks are those of ISO 8601."""
    dates = moments(column)
    there = ~np.isnat(dates)
    day = np.where(there, dates, np.datetime64(0, "us")).astype("datetime64[D]")
    month, year, time = day.astype("datetime64[M]"), day.astype("datetime64[Y]"), seconds(column)
    weekday = (day.astype(int) + 3) % 7 + 1
    thursday = day + (4 - weekday)
    parts = {
        "year": year.astype(int) + 1970,
        "quarter": month.astype(int) % 12 // 3 + 1,
        "month": month.astype(int) % 12 + 1,
        "week": (thursday - thursday.astype("datetime64[Y]")).astype(int) // 7 + 1,
        "day": (day - month).astype(int) + 1,
        "weekday": weekday,
        "weekend": weekday > 5,
        "yearday": (day - year).astype(int) + 1,
        "hour": np.floor(time % 86400 / 3600),
        "minute": np.floor(time % 3600 / 60),
        "days": time / 86400,
    }
    return np.where(there, parts[part], np.nan)

''',
    "listed": '''
def listed(numbers, lowest, values):
    """The value of each number in a list that begins with the lowest one; missing stays missing."""
    there = ~np.isnan(numbers)
    places = np.where(there, numbers - lowest, 0).astype(int)
    return np.where(there, np.array(values, dtype=object)[places], None)

''',
    "completed_months": '''
def completed_months(later, earlier):
    """Completed months of the calendar between dates in seconds; negative where the later one comes first."""
    later, earlier = np.broadcast_arrays(later, earlier)
    there = ~np.isnan(later) & ~np.isnan(earlier)
    high, low = np.maximum(later, earlier), np.minimum(later, earlier)

    def months_and_rest(dates):
        whole = np.floor(np.where(there, dates, 0.0)).astype(int).astype("datetime64[s]")
        start = whole.astype("datetime64[M]")
        return start.astype(int), (whole - start.astype("datetime64[s]")).astype(int) + dates % 1

    (months, rest), (first, first_rest) = months_and_rest(high), months_and_rest(low)
    completed = months - first - (rest < first_rest)
    return np.where(there, np.where(later >= earlier, completed, -completed), np.nan)

''',
    "word_weights": '''
def word_weights(texts, places, idf, stop, lower, low, high, by, norm):
    """The weights of the words of each text (n, words): counts, 1 or 0, or TF-IDF, divided by their norm."""
    find, stop, weights = re.compile(WORD).findall, set(stop), np.zeros((len(texts), len(places)))
    for record, text in enumerate(texts):
        if not isinstance(text, str):
            continue
        words = [word for word in find(text.lower() if lower else text) if word not in stop]
        for n in range(low, high + 1):
            for first in range(len(words) - n + 1):
                place = places.get(" ".join(words[first : first + n]))
                if place is not None:
                    weights[record, place] += 1.0
    if by == "binary":
        weights = (weights > 0).astype(float)
    if by == "tf-idf":
        weights *= np.array(idf)
    lengths = {"none": 1.0, "l1": weights.sum(axis=1, keepdims=True)}
    lengths["l2"] = np.sqrt((weights * weights).sum(axis=1, keepdims=True))
    return weights / np.where(lengths[norm] > 0, lengths[norm], 1.0)

'''.replace("WORD", repr(WORD)),
    "rows_of": '''
def rows_of(keys, rows, dates, moments):
    """The last row of each key in a second table, of those earlier than the date if rows have moments; -1 for none."""
    places = np.full(len(keys), -1)
    for record, key in enumerate(keys):
        first, end = rows.get(key.strip(), (0, 0)) if isinstance(key, str) else (0, 0)
        if moments is not None:
            date = np.nan if dates is None else dates[record]
            end = first if np.isnan(date) else first + np.searchsorted(moments[first:end], date, side="left")
        places[record] = end - 1 if end > first else -1
    return places

''',
    "of_rows": '''
def of_rows(places, empty, values):
    """The value of each row; ``empty`` where there is none."""
    return [values[place] if place >= 0 else empty for place in places]

''',
    "ranged": '''
def ranged(column, cuts, labels):
    """The label of the range of each number; a range excludes its upper cut."""
    named = np.array(labels, dtype=object)[np.searchsorted(np.array(cuts), column.to_numpy(), side="right")]
    return pd.Series(named, index=column.index, dtype=object).where(column.notna(), None)

''',
    "encoded": '''
def encoded(table, codes):
    """The table with numbers in place of nominal columns; the last row of numbers is that of all other values."""
    columns = {}
    for name in table.columns:
        if name not in codes:
            columns[name] = table[name]
            continue
        values, names, numbers = codes[name]
        place = table[name].map({value: i for i, value in enumerate(values)}).astype(float).fillna(len(values))
        rows = np.array(numbers, dtype=float)[place.astype(int).to_numpy()]
        columns.update(zip(names, rows.T))
    return pd.DataFrame(columns, index=table.index)

''',
    "components": '''
def components(table, parameters, names):
    """The table with principal components in place of numbers; a missing number counts as the mean."""
    scores = np.zeros((len(names), len(table)))
    for name, centre, unit, loadings in parameters:
        moved = (table[name].to_numpy() - centre) / unit
        moved[~np.isfinite(moved)] = 0.0
        scores += np.array(loadings)[:, None] * moved
    rest = table.drop(columns=[name for name, *_ in parameters])
    return pd.concat([rest, pd.DataFrame(dict(zip(names, scores)), index=table.index)], axis=1)

''',
    "known": '''
def known(answers, *parts):
    """The answers as 1 or 0, missing where one of the parts is."""
    return np.where(np.any([np.isnan(part) for part in np.broadcast_arrays(*parts)], axis=0), np.nan, answers)

''',
    "both": """
def both(a, b):
    return np.where((a == 0) | (b == 0), 0.0, known(1.0, a, b))

""",
    "either": """
def either(a, b):
    return np.where(((a != 0) & ~np.isnan(a)) | ((b != 0) & ~np.isnan(b)), 1.0, known(0.0, a, b))

""",
    "chosen": """
def chosen(asked, yes, no):
    return np.where(np.isnan(asked), np.nan, np.where(asked != 0, yes, no))

""",
    "is_missing": """
def is_missing(values):
    return np.isnan(values).astype(float)

""",
    "same_text": '''
def same_text(one, other, is_same):
    """1 or 0 where two texts are, or are not, the same; missing where one of them is."""
    return each(lambda a, b: float((a == b) == is_same), one, other).astype(float)

''',
    "each": '''
def each(function, *parts):
    """The function of the texts of each record, None where one of them is missing."""
    parts = np.broadcast_arrays(*(np.atleast_1d(np.asarray(part, dtype=object)) for part in parts))
    values = np.empty(len(parts[0]), dtype=object)
    values[:] = [None if any(part is None for part in record) else function(*record) for record in zip(*parts)]
    return values

''',
    "plain_texts": '''
def plain_texts(column):
    """The texts of a column, None where missing."""
    return column.astype(object).where(column.notna(), None).to_numpy()

''',
    "text_column": '''
def text_column(values, n, allowed=None):
    """The texts of n records, None for empty ones and for others than those allowed."""
    keep = (lambda text: text or None) if allowed is None else (lambda text: text if text in allowed else None)
    texts = np.empty(n, dtype=object)
    texts[:] = each(keep, values)
    return texts

''',
    "chosen_text": """
def chosen_text(asked, yes, no):
    yes, no = (np.asarray(part, dtype=object) for part in (yes, no))
    return np.where(np.isnan(asked), None, np.where(asked != 0, yes, no))

""",
    "is_none": """
def is_none(texts):
    return np.array([float(text is None) for text in np.atleast_1d(np.asarray(texts, dtype=object))])

""",
    "replaced": """
def replaced(text, old, new):
    return text.replace(old, new) if old else text

""",
    "part_of": '''
def part_of(text, separator, n):
    """Part number n of a text, counted from the end if it is negative; None if there are fewer."""
    parts = text.split(separator)
    return parts[n - 1 if n > 0 else n] if abs(n) <= len(parts) else None

''',
    "first_match": '''
def first_match(text, pattern):
    """The first match of a regular expression, or of its first group; None if there is none."""
    import regex

    match = regex.search(pattern, text[:10000], regex.VERSION0)
    return None if match is None else match[1 if match.re.groups else 0]

''',
    "number_texts": """
def number_texts(numbers):
    return each(lambda number: number_text(float(number)), np.where(np.isfinite(numbers), numbers, None))

""",
    "date_texts": '''
def date_texts(dates):
    """Each date as a text; one at midnight has no time."""
    texts = [moment_texts(np.array([date]))[0] for date in np.atleast_1d(dates)]
    return np.array([None if text is None else text.replace("T", " ") for text in texts], dtype=object)

''',
    "moment_texts": '''
def moment_texts(dates):
    """Dates in seconds as texts of ISO 8601, with a time if one of them has any."""
    present = dates[~np.isnan(dates)]
    unit = "us" if (present % 1 != 0).any() else "D" if (present % 86400 == 0).all() else "s"
    written = np.datetime_as_string(moments(np.asarray(dates, dtype=float)).astype(f"datetime64[{unit}]"))
    texts = np.empty(len(dates), dtype=object)
    texts[:] = [None if text == "NaT" else str(text) for text in written]
    return texts

''',
    "dates_of": '''
def dates_of(texts, format=""):
    """Seconds since 1970 of texts in a format of strptime, or of ISO 8601; missing for other texts."""
    months = "january february march april may june july august september october november december".split()
    numbers = {name: f"{n:02d}" for n, month in enumerate(months, 1) for name in (month, month[:3])}
    iso = re.compile(ISO_DATE, re.ASCII)
    texts = ["" if text is None else str(text).strip() for text in np.atleast_1d(np.asarray(texts, dtype=object))]
    if not format:
        texts, format = [text if iso.fullmatch(text) else "" for text in texts], "ISO8601"
    elif "%b" in format or "%B" in format:
        texts = [re.sub("[A-Za-z]+", lambda word: numbers.get(word[0].lower(), word[0]), text) for text in texts]
        format = format.replace("%b", "%m").replace("%B", "%m")
    dates = pd.to_datetime(pd.Series(texts, dtype=object), format=format, errors="coerce", utc=True)
    return seconds(dates.dt.tz_localize(None).to_numpy(dtype="datetime64[us]"))

'''.replace("ISO_DATE", repr(ISO_DATE)),
    "amount": '''
def amount(text, decimal, thousands, accounting):
    """The number in a text with any currency or percent sign; NaN if it is none with these marks."""
    units = UNITS
    number = NUMBERS_BY_MARKS[decimal + thousands]
    text = text.strip()

    def value(digits):
        for mark in SAME_MARKS.get(thousands, thousands):
            digits = digits.replace(mark, "")
        found = float(digits.replace(decimal, ".").replace("\\N{MINUS SIGN}", "-"))
        return found if np.isfinite(found) else np.nan

    if re.fullmatch(number, text):
        return value(text)
    parts = re.fullmatch(AMOUNT, text) if len(text) <= LONGEST_AMOUNT else None
    if parts is None:
        return np.nan
    bracket, sign, left, inner_sign, inner, digits, dash, minus, inner_end, right, last, bracket_end = parts.groups()
    before, after = units.get(left or ""), units.get(right or "")
    signs = (sign, inner_sign, minus, last, bracket, inner)
    closed = (bracket is None) + (inner is None) == (bracket_end is None) + (inner_end is None)
    behind = bool(minus or last or bracket or inner)
    unit, digits = before or after, digits.strip()
    if not closed or (before and after and before != after) or sum(mark is not None for mark in signs) > 1:
        return np.nan
    if not accounting and (not unit or behind) or not re.fullmatch(number, digits):
        return np.nan
    found = value(digits)
    return -found if behind or "-" in signs or "\\N{MINUS SIGN}" in signs else found

'''.replace("NUMBERS_BY_MARKS", repr(NUMBERS_BY_MARKS))
    .replace("SAME_MARKS", repr(SAME_MARKS))
    .replace("LONGEST_AMOUNT", str(LONGEST_AMOUNT))
    .replace("AMOUNT", repr(AMOUNT))
    .replace("UNITS", ascii(UNIT_OF)),
    "numbers_of": '''
def numbers_of(texts, forms):
    """The numbers of texts in the first of some forms (decimal and thousands marks); missing for others."""

    def number(text):
        found = [value for marks in forms if (value := amount(text, *marks, True)) == value]
        return found[0] if found else np.nan

    return each(number, texts).astype(float)

''',
    "column_numbers": '''
def column_numbers(column, marks, accounting):
    """The numbers of a column of texts in a form; missing for other texts."""
    return each(lambda text: amount(text, *marks, accounting), plain_texts(column)).astype(float)

''',
    "number_column": '''
def number_column(column):
    """The numbers of a column as texts."""
    return column.map(number_text).astype(object) if column.dtype == float else column

''',
    "renamed_values": '''
def renamed_values(column, names):
    """The column with its values renamed; numbers become texts if one of them has a new name."""
    texts = number_column(column)
    if not texts.isin(list(names)).any():
        return column
    return pd.Series(each(lambda text: names.get(text, text) or None, plain_texts(texts)), column.index)

''',
    "replaced_cells": '''
def replaced_cells(column, old, new, whole, match_case, has_values):
    """The column with a text replaced in its cells; numbers stay as they are if one would be none."""
    flags = 0 if match_case else re.IGNORECASE
    fold = str if match_case else str.casefold
    values = set(column.dropna()) if has_values else set()

    def changed(text):
        if not (fold(text) == fold(old) if whole else fold(old) in fold(text)):
            return text
        result = new if whole else re.sub(re.escape(old), lambda match: new, text, flags=flags)
        if not has_values or result in values:
            return result or None
        result = result.strip()
        alike = [value for value in values if value.strip().casefold() == result.casefold()]
        return (alike[0] if result not in values and len(alike) == 1 else result) or None

    is_number = column.dtype == float
    texts = number_column(column)
    texts = each(changed, plain_texts(texts))
    if not is_number:
        return pd.Series(texts, column.index, dtype=object)
    try:
        return pd.Series([np.nan if text is None else float(text) for text in texts], column.index, dtype=float)
    except ValueError:
        return column

''',
    "without_marks": '''
def without_marks(column, marks, numbers):
    """The column without the marks that stand for missing values."""
    if column.dtype == float:
        return column.where(~column.isin(numbers))
    texts = each(lambda text: None if text.strip() in marks else text, plain_texts(column))
    return pd.Series(texts, column.index, dtype=object)

''',
    "finite": '''
def finite(values, n):
    """The numbers of n records; infinite ones are missing."""
    values = np.array(np.broadcast_to(values, (n,)), dtype=float)
    values[~np.isfinite(values)] = np.nan
    return values

''',
    "number_text": '''
def number_text(number):
    """The shortest text that reads as the same number."""
    if number != number:
        return None
    return str(int(number)) if abs(number) < 1e15 and number == int(number) else repr(float(number))

''',
}
"""Functions of the script by name; it gets those that its steps call."""
