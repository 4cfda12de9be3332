"""Texts that tests of `workbench.warnings` expect."""

# evaluation warnings
TABLE_HAS_CHANGED = "The table has changed since this model was judged"
JUDGE_IT_AGAIN = "judge it again"
JUDGED_ON_OLDER_TABLE = "Judged on the table as it was then: 2 of its columns were learned from, now 1."
ITSELF_NEVER_TESTED = "was itself never tested"
COSTS_DECIDE_HERE = "Costs decide here"
THREE_MODELS_TRIED = "3 models tried on the same records"
SAME_90_RECORDS = "same 90 records"


def were_all_3_so_right(percent: float) -> str:
    return f"Were all 3 truly right {percent:.1f} times"


LESS_THAN_ONCE = "less than once in 1,000 times"
THREE_MODELS_SOME_BEFORE = "3 models tried on these records, some before the table was changed"
CHOOSES_AS_WELL_AS_JUDGES = "chooses as well as judges by now"
TEST_FILE_IS_THIRD_OF_TRAINING = "<b>33.3</b> in 100 records of the test file are training records too"
JUDGED_ON_TEST_FILE = "Judged on <b>test file test.csv</b>"
UNDO_REMOVE_20 = "Remove 20 records that the test file has"
SECOND_OF_ANOTHER_KIND = "<b>second</b> is of another kind in the tested records"
ONLY_18_TESTED = "Only 18 tested records"
EXAM_NOT_LOOKED_AT = "The test file <b>exam.csv</b> was not looked at"
PROJECT_NAMES_IT = "the project names it"
WHAT_THAT_MEANS = "what that means"

# leaks
PAID_PREDICTS_CLASS = "paid alone predicts class (100.0%)"
TESTED_DUPLICATE_TRAINING = "of the tested records duplicate a training record"
LEAKS_OF_PAID = "Leaks: paid alone predicts class (100.0%)"

# warning list
GUESSING_OFTEN = "Guessing <b>often</b> is right <b>95.0</b> in 100"
LOOKS_LIKE_IDENTIFIER = "<b>customer_id</b> looks like an identifier"
REMARKS_IS_TEXT = "<b>remarks</b> is text: nothing is learned from it"
ONLY_3_SELDOM = "only 3 records are <b>seldom</b>"
IS_LEFT_OUT = " is left out"
LEARN_FROM_IT_AGAIN = "learn from it again"
JUDGED_BY_5_FOLDS = "Judged on records it never saw: <b>5 folds</b>"
FEWER_THAN_10_FOLDS = "fewer than the 10 folds"
EIGHT_SMALL_CLASSES = "kind 0 and 7 other classes have fewer records than the 10 folds"
PAID_PREDICTS_OUTCOME = "paid alone predicts outcome 100.0 times in 100: is it known before?"
WITH_2_LEAKS = ", with 2 leaks left in"
UNDO_REMOVE_100_COPIES = "Remove 100 copies of other records"
BY_CHANCE_ABOUT = "By chance about"
LEAVE_IT_OUT = "leave it out"
