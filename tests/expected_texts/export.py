"""Texts that tests of `algorithms.export` expect."""

# several tests
A_DECISION_TREE = "A decision tree"

# exports
RECORD_WITHOUT_ANSWER = "the record goes"
DOWN_ONE_BRANCH = "down one branch"
DOWN_EVERY_BRANCH = "down every branch"
WHERE_ANSWER_IS_MISSING = "where the answer is missing"
DOWN_BOTH_BRANCHES = "down both branches: soft from "
THRESHOLDS_ARE_SOFT = "thresholds of this tree are soft"


def cannot_be_exported(learner: object) -> str:
    return f"{learner} cannot be exported: only trees, rules, logistic"


CHARACTER_NOT_IN_PMML = "character that PMML cannot hold"
SQLITE_AND_POSTGRESQL = "SQLite and PostgreSQL"
MYSQL_AND_MARIADB = "MySQL 8.0, MariaDB 10.6 and later"
CANNOT_HOLD_NUL = "cannot hold the NUL character"
LACKS_FUNCTION_NAME = "TreeModel lacks functionName"
HAS_STRATEGY = "TreeModel has missingValueStrategy"
SCHEMA_HAS_NODE = "MiningSchema has the children Node"
OPERATOR_AT_MOST = "SimplePredicate has operator='atMost'"
LACKS_VALUE = "ScoreDistribution lacks value"
TWO_CHILDREN = "Node has the children True True"

TIES_IN_PMML = "If classes are equally probable, the rounding in the evaluating program decides between them."

# linear exports
WEIGHED_SUMS_OF_CLASS = "Weighed sums for class, written by Coppice.\n"

# rule exports
TOO_MANY_VOTES = "901 rules that vote are too many for a query"

# vocabulary
MISSING_AND_UNKNOWN = "Missing and unknown values"

# decision exports
DECISION_RULE = "Decision rule: "
COSTS_DIFFER = r"costs of the decision rule differ by record \(amount\)"


def decision_rule(words: str) -> str:
    return f"Decision rule: {words}."


NEAREST_IS_NOT_WRITTEN = "The step 'Impute missing values' by nearest neighbours cannot be written as a script."
LONG_FORMULA_IS_NOT_WRITTEN = (
    "The step 'Formula column' by more than 60 operations in a row cannot be written as a script."
)
NO_COLUMN_WIDTH = "the table has no column 'width'"
TEXT_TO_NUMERIC = "The step 'Change kind' by text to numeric cannot be written as a script."

# scripts with cleaning rules
MUST_HAVE_BEEN_CLEANED = "must have been cleaned by these rules already"
MAY_CHANGE_THE_DATES = "it may change the dates of"
