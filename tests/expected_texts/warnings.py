"""Texts that tests of `workbench.warnings` expect."""

# evaluation warnings
TABLE_HAS_CHANGED = "The table has changed since this run"
JUDGE_IT_AGAIN = "Run again"
JUDGED_ON_OLDER_TABLE = "Evaluated on the table as it was then: 2 of its columns were learned from, now 1."
NEVER_TESTED = "was never tested"
COSTS_DECIDE_HERE = "The costs decide here"
TWO_MODELS_TRIED = "Best of 2 models: optimistic"
THREE_MODELS_TRIED = "Best of 3 models: optimistic"
THREE_MODELS_BY_AUC = "Best of 3 models by AUC: optimistic"
THREE_MODELS_BY_COST = "Best of 3 models by cost: optimistic"
SAME_90_RECORDS = "same 90 records"


def were_all_3_so_right(percent: float) -> str:
    return f"If all 3 had a true accuracy of {percent:.1f}%"


P_BELOW_0_001 = "with p < 0.001 (binomial)"
MAY_DIFFER_FROM_COMPARE = "on the same records, so its p can differ."
BEST_WOULD_SHOW = "the best would show "


def true_cost(cost: str) -> str:
    return f"all 3 had a true least expected cost per record of {cost}"


def true_auc(auc: str) -> str:
    return f"all 5 had a true AUC of {auc}"


THREE_MODELS_SOME_BEFORE = "Best of 3 models: optimistic, some before the table was changed"
ON_THIS_TEST_FILE = "on this test file"
TEST_FILE_IS_THIRD_OF_TRAINING = "<b>33.3%</b> of the records in the test file duplicate a training record"
UNDO_REMOVE_20 = "Remove 20 records that the test file has"
SECOND_OF_ANOTHER_KIND = "<b>second</b> has another distribution in the tested records"
ONLY_18_TESTED = "Only 18 tested records"
EXAM_NOT_LOOKED_AT = "The test file <b>exam.csv</b> was not looked at"
PROJECT_NAMES_IT = "the project names it"

# leaks
PAID_PREDICTS_CLASS = "paid alone predicts class (100.0%)"
TESTED_DUPLICATE_TRAINING = "of the tested records duplicate a training record"
LEAKS_OF_PAID = "Leaks: paid alone predicts class (100.0%)"

# warning list
LOOKS_LIKE_IDENTIFIER = "<b>customer_id</b> looks like an identifier"
REMARKS_IS_TEXT = "<b>remarks</b> is text and is not used"
ONLY_3_SELDOM = "only 3 records are <b>seldom</b>"
IS_LEFT_OUT = " is not used"
LEARN_FROM_IT_AGAIN = "Use it again"
CONSTANT_ATTRIBUTE = "Constant attribute"
REVEALS_THE_CLASS = "reveals the class"
FEWER_THAN_10_FOLDS = "fewer than the 10 folds"
EIGHT_SMALL_CLASSES = "kind 0 and 7 other classes have fewer records than the 10 folds"
PAID_PREDICTS_OUTCOME = "paid alone predicts outcome 100.0% correctly: is it known beforehand?"
UNDO_REMOVE_100_COPIES = "Remove 100 copies of other records"
BY_CHANCE_ABOUT = "By chance about"
LEAVE_IT_OUT = "leave it out"
WIDTH_IS_A_COST = "<b>width</b> is both a cost and an attribute of the model"
