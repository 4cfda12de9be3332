"""Texts that tests of `algorithms.project` expect."""

# several tests
MAKES_NO_SENSE = "makes no sense"

# archive
OUT_OF_RANGE_FLOAT = "Out of range float"
LARGER_OR_SMALLER = "larger or smaller"
NO_DESCRIPTION = "description is missing"
CANNOT_BE_THE_NAME = "cannot be the name"

# journal
CANNOT_BE_KEPT = "cannot be kept against a crash"

# models
NO_KIND_OF_MODEL = "no kind of model 'nearest-mean'"
IS_A_MODEL = "is a model saved by Coppice"
USE_A_MODEL_ON_A_FILE = "Predict new data by a saved model..."
NOT_A_SAVED_MODEL = "not a saved model"


def format_version(version: object) -> str:
    return f"format version {version}"


DO_NOT_FIT = "do not fit"
NO_KIND_OF_MODEL_AT_ALL = "no kind of model"
NO_COLUMN_NUMBER = "no column number"
NOT_A_LEARNER = "not a learner"
NOT_A_FILTER = "not a filter"

# projects
LOANS_HAS_CHANGED = "loans.csv has changed"
OUT_OF_RANGE = "Out of range"
NOT_A_SAVED_FILE = "not a saved file"
NOT_A_SAVED_PROJECT = "not a saved project"
UPDATE_THE_PROGRAM = "Update the program"
HOLDS_NO_TABLE = "holds no table"


# recipes
def must_be_a_learner(name: str) -> str:
    return f"must be a learner, not '{name}'"
