"""Texts that tests of `algorithms.project` expect."""

# archive
OUT_OF_RANGE_FLOAT = "Out of range float"
LARGER_OR_SMALLER = "larger or smaller"
NO_DESCRIPTION = "description is missing"
CANNOT_BE_THE_NAME = "cannot be the name"

# journal
MAKES_NO_SENSE = "makes no sense"
CANNOT_BE_KEPT = "cannot be kept against a crash"

# models
NO_KIND_OF_MODEL = "no kind of model 'nearest-mean'"
IS_A_MODEL = "is a model saved by Coppice"
USE_A_MODEL_ON_A_FILE = "Use a saved model on a file..."

# projects
LOANS_HAS_CHANGED = "loans.csv has changed"
OUT_OF_RANGE = "Out of range"

# recipes
LEARNER_NOT_WRAPPER = "must be a learner, not 'wrapper'"
LEARNER_NOT_DISCRETIZE = "must be a learner, not 'discretize'"
