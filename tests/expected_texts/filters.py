"""Texts that tests of `algorithms.filters` expect."""

# attribute ranking
RANKING_IS_STEADY = "is steady: 2 of the 2 chosen attributes are chosen in every fold"
SCORES_NO_BETTER = "1 of the kept scores no better"
THE_CHOICE_IS = "The choice is"
THESE_DO = "These do: select-attributes, wrapper"
ASKS_ONLY_ABOUT_LISTS = "splits only on nominal"
NOT_WHOLE_FROM_2 = "not a whole number from 2"
BEST_BINARY_SPLIT = "A numeric attribute is scored by its best binary split."
BY_MDL = "A numeric attribute is scored after it is discretized by MDL."


def cannot_be_monotone(name: object) -> str:
    return f"{name} cannot be monotone here"


# formula column
NO_FORMULA_YET = "No formula is given yet."
NEEDS_A_DATE = "needs a date"
NEEDS_A_TEXT = "needs a text"
NEEDS_A_SEPARATOR = "needs a separator"
NEEDS_AN_EXPRESSION = "needs a regular expression"
NEEDS_THE_NUMBER_OF_A_PART = "needs the number of a part"
NO_SEPARATOR = "has no separator"
NO_TEXT_TO_REPLACE = "has no text to replace"
CANNOT_READ_THE_EXPRESSION = "cannot read the regular expression"
LONGER_THAN_200 = "longer than 200 characters"
TAKES_TOO_LONG = "takes too long"
NO_DECIMAL_MARK = "is no decimal mark"
NO_DATE_FORMAT = "is no known date format"
IS_NO_DATE = "is no date"
ONE_CASE_AND_THE_OTHER = "in one case and"
TAKES_3_VALUES = "takes 3 values"
TAKES_1_OR_2_VALUES = "takes 1 or 2 values"
ENDS_TOO_EARLY = "ends too early"
BRACKET_IS_MISSING = "')' is missing"
B_NOT_EXPECTED = "'b' was not expected"
NO_FUNCTION_OPEN = "no function 'open'"
TAKES_2_VALUES = "takes 2 values"
NESTED_TOO_DEEPLY = "nested too deeply"
GIVE_THE_ANSWER_AWAY = "give the answer away"

# merge values
NO_VALUES_TO_MERGE = "No values to merge are named yet."
MERGED_HAS_NO_NAME = "The merged value has no name."
ROME_UNSEEN = "('Rome') in 1 of 3 records"
COUNTS_AS_OTHER = "counts as 'other', as rare values do"

# noise
LEARNED_FROM_ALL = "learned from all records"


# ranges
def or_more(low: float) -> str:
    return f"{low} or more"


# scale
X1_HAS_NUMBERS_BELOW_0 = "x1 has numbers below 0"


# step effects
def stands_for(value: int) -> str:
    return f"{value} stands for"


def missing_now(before: int, now: int) -> str:
    return f"{before} values were missing, now {now}."


OTHER_ORDER = "The columns stand in another order."
NUMBERS_TO_1_VALUE = "nothing: numbers → 1 value"
SHARE_OF_B = "share of b"
THREE_TOWNS = "Bern, Uri, Chur"
WHAT_2_SIMILAR_HAVE = "what the 2 most similar records have"

# tests inside
MADE_UP_BETWEEN = "a record made up between records 4 and 10"
MADE_UP_FROM = "a record made up from record 8"
MADE_UP = "a made-up record"

# training records
C_IS_NOMINAL = "c is nominal"
NONE_OF_TRAINING_RECORDS = "none of the training records"

# dates
NO_PART = "No part of the dates is chosen."
NO_DATES_YET = "The two dates are not chosen yet."
CYCLIC_MONTHS = ("came: month (sin)", "came: month (cos)")
NO_DATE = "'31.12.2024' is no date."

# a second table
SEVERAL_ROWS = "tx.csv has several rows with the key"
NUMBER_OF_VALUES = "number of values"
OTHER_CONTENT = "The content of tx.csv is not that with which the recipe was saved."
TABLE_WITHOUT_KEY = "other.csv has no column 'customer'."
NO_SECOND_TABLE = "No second table is chosen yet."
NO_KEY = "No key is chosen yet."
ONE_DATE = "Only one of the two dates is given."
NO_AGGREGATE = "No aggregate is chosen."


def records_with_a_row(n: int, of: int) -> list[str]:
    return ["Training records with a row", f"{n} of {of}"]


def records_without_a_row(n: int, of: int) -> str:
    return f"{n} of {of} records have no row in tx.csv."


def later_rows(n: int, of: int) -> str:
    return f"{n} of {of} records get a row of tx.csv that is later than they are"


def dates_not_told(step: str) -> str:
    return f"Rows of tx.csv may be later than their records: the step {step!r} was told no dates"


# words of texts
NO_WORD_IS_COUNTED = "Column 'note' is missing: no word of it is counted."
TOO_MANY_WORDS = "words of 300 records are too many to be made permanent."
DENSE_COLUMNS = "It needs all word counts as dense columns"
WOULD_BECOME_DENSE = "would become dense by this step"
