"""Texts that tests of the toys of `workbench` expect."""

# curve
EQUAL_ERROR_RATE = "equal error rate"
FPR_ACROSS = "FPR across"
HEAD_OF_CURVE = "Class,Threshold,FNR,FPR"

# file format
IS_NO_TEXT_TABLE = "is no text table"
CARD_2_DIFFERS = "Card 2 has other columns than the first."


# method
def one_record_in(n: int) -> str:
    return f"1 record in {n}"


STEP_FROM_2 = "Step must be a whole number from 2, not 1"

# structure
CENTROIDS_FACTS = "3 centroids · 4 numbers · all 150 records"
CENTROIDS_HEADING = "3 centroids · 4 numbers"
COPY_CENTROIDS = "Copy centroids as text"
SETOSA_IS_NEAREST = "The centroid of setosa is nearest."
CENTROIDS_WRITTEN = "Centroids for Species, written by Coppice."
NOT_EXPORTED_AS_SQL = "Nearest centroid cannot be exported as SQL: only trees, rules"
DISCRIMINANTS_CAN = "linear discriminants and centroids can."
ONE_JSON_OBJECT = "json: one JSON object"

# warning
TESTS_ARE_EVEN = "150 tests are an even number"
BLANK_IN_NAME = "Petal Width has a blank in its name"
TESTED_ON_A_FRIDAY = "all were tested on a Friday"
RENAME_IN_FILE = "Rename it in the file"
HALF_RIGHT_HALF_WRONG = "Half of them may be right and half wrong."
WARNING_OF_BLANK = "Warning: Petal Width has a blank in its name. Some programs take only"
WARNING_OF_FRIDAY = "Warning: The records were tested on a Friday."


def open_a_table(formats: tuple[str, ...]) -> str:
    return f"Open a table: {', '.join(formats[:-1])} or {formats[-1]}."
