"""Texts that tests of the tab Evaluate expect."""

# several tests
TIMES_IN_100 = "times in 100"
RECALL = "Found (recall, TPR)"


# bias variance page
def wrong_so_often(records: object, percent: float) -> str:
    return f"A model of {records} records is wrong {percent:.1f}"


# comparison
CANNOT_TELL_TWO_APART = "tell these two apart with 60 records"
RIGHT_MORE_OFTEN = "right more often"
HEAD_OF_COPIED_TESTS = "Test\tValue\tLuck in 100"
N_IS_THE_SMALLER = "n = the smaller of"
OF_100_CASES = "of 100 cases"
SOURCE_OF_CORRECTED_T = "Nadeau and Bengio"
FRIEDMAN = "Any difference at all? (Friedman)"
CRITICAL_DIFFERENCE = "Ranks further apart differ by more than luck"


def finished_early_by_3(learner: object, run: object) -> str:
    return f"{learner} (run {run}) was finished early, judged by 3 of"


JUDGED_ON_AN_OLDER_TABLE = (
    "Run 1 was judged on the table as it was before (2 of its columns were learned from, now 1), so a "
    "difference may come from that."
)
CANNOT_BE_TOLD_APART = "cannot be told apart"
APART_BY_MORE_THAN_LUCK = "apart differ by more than luck"
NOT_ON_SAME_TESTS = "not judged on the same tests"
CANNOT_BE_COMPARED = "These cannot be compared"

# confusion selection
SAID_TO_BE_YES = "said to be yes"
SOURCE_IS_CELL_NO_YES = "the confusion matrix of run 1 (is no, said yes, as the model decides)"
SOURCE_IS_ROW_PERHAPS = "the confusion matrix of run 1 (is perhaps, as the model decides)"
RECORDS_ARE_PERHAPS = "30 records are perhaps, "


def share_selected(n: object) -> str:
    return f"{n} of them are selected"


NONE_SELECTED = "None of them are selected"
ALL_SELECTED = "All of them are selected"
NOT_RECORDS_OF_THIS_TABLE = "They are not records of this table, so none is selected here."
SOURCE_IS_ALL_WRONG = "the confusion matrix of run 1 (all that are wrong, as the model decides)"
AS_THE_MODEL_DECIDES = "as the model decides)"


def as_it_always_says(label: object) -> str:
    return f"(all that are wrong, as it always says {label})"


# cost board
COST_OF_CELL_NO_YES = "Cost where it is no, said yes"
MUST_BE_A_NUMBER = "must be a number"
EUR_IN_ALL = "EUR in all"


def own_decisions_in_force(run: object, cost: object) -> str:
    return f"In force for run {run}: the model's own decisions, cost {cost} in all. "


def least_expected_cost(least: object, saving: object) -> str:
    return f"Least expected cost: {least}, {saving} less."


CONFUSION_IF_BY_COST = "Confusion, if by least expected cost"
NOT_IN_USE_YET = "not in use yet"
USING_EXPECTED_COST = "Using expected cost"


def decided_by_cost(cost: object) -> str:
    return f"deciding by least expected cost, cost {cost} in all: "


CONFUSION_AS_DECIDED_NOW = "Confusion, as decided now"
LEAST_EXPECTED_COST = "Least expected cost: "
THRESHOLD_BEING_COSTED = "from .30 on. What that costs is being worked out…"


def always_no_would_cost(cost: object) -> str:
    return f"Always saying no, whatever the record, would cost {cost}: less than"


def own_decisions_cost(cost: object) -> str:
    return f"the model's own decisions ({cost})"


def would_cost_than_in_force(cost: object, comparison: object) -> str:
    return f"would cost {cost}: {comparison} what is in force."


def no_from_threshold_in_force(run: object) -> str:
    return f"In force for run {run}: no from "


def cheapest_is_never(label: object) -> str:
    return f"Cheapest on these records, never saying {label}: "


def always_in_ranking(label: object) -> str:
    return f"3 · Always {label}"


def always_with_learner(label: object) -> str:
    return f"3 · Always {label}: Most frequent class"


def two_cost_least(cost: object) -> str:
    return f"Of 3 runs so decided runs 1 and 2 cost least, both the same: {cost} a record."


ALL_FOUR_COST_THE_SAME = "Decided by least expected cost all 4 runs cost the same: 0"
ENDED_EARLY = ", ended early"


def second_ended_early(learner: object) -> str:
    return f"2 · {learner}, ended early"


CHEAPEST_RUN_DECIDED_BY_COST = "Decided by least expected cost run "
SOURCE_IF_BY_COST = "if decided by least"


def at_threshold_cost(cost: object) -> str:
    return f"on, cost {cost} in all: "


def one_answer_against_another(cost: object, other: object, comparison: object) -> str:
    return f"{cost} than {other}, {comparison}."


def never_in_force(label: object) -> str:
    return f": never {label}, "


def cheapest_mark_is_never(label: object) -> str:
    return f"cheapest: never {label}, "


def using_never(label: object) -> str:
    return f"Using “never {label}”"


def cheapest_costs(cost: object) -> str:
    return f", cost {cost} in all"


WHICH_IS_HARDLY_CHANCE = "which is hardly chance"
WHICH_MAY_BE_CHANCE = "which may be chance"
BUT_NOT_SURELY = "but not surely: the threshold was chosen on these records."


def always_costs_more(label: object, cost: object) -> str:
    return f"Always saying {label} costs {cost} more"


LEAVE_AS_MODEL_DECIDES = "leave it as the model decides"
USE_EXPECTED_COST = "use expected cost"
USE_THE_THRESHOLD = "use the threshold"


def cheapest_by_models_themselves(run: object, learner: object) -> str:
    return f"As the models themselves decide, run {run}, {learner}, does."


# decision rules
DECIDED_AT_THRESHOLD_10 = "decided at threshold .10 instead of the model's own decision"


def records_judged(n: int) -> str:
    return f"{n} records judged"


def cost_at_threshold(cost: float) -> str:
    return f"(threshold .091) would cost {cost:.0f}, "


MORE_ON_NEW_RECORDS = "on new ones a bit more"
CHEAPEST_IS_ALWAYS_NO = "Cheapest on these records is always to say no (threshold "
CHEAPEST_IS_NEVER_YES = "Cheapest on these records is never to say yes (threshold "
DECIDED_BY_COST_AT_THRESHOLD = "decided by expected cost (threshold .091)"
DECIDED_BY_EXPECTED_COST = "decided by expected cost"
BY_EXPECTED_COST = "by expected cost"
BOOTSTRAP_NOT_CORRECTED = "without the correction"


def beside_a_run(trace: object) -> str:
    return f"Beside a run: {trace}"


HOW_MANY_RECORDS = "how many records"
DECIDING_AS_NOW = "deciding as now"


def f_of_beta(beta: int) -> str:
    return f"F of beta {beta}"


# evaluate numbers
ITS_INTERVAL = "Its 95% interval"
COSTS_AGAINST_ALWAYS_YES = "Total 200, 0.286 a record; always saying yes would cost 458."
ALWAYS_YES_COSTS_LESS = "always saying yes would cost 241: less than these decisions."


def every_mistake_costs_1(total: int) -> str:
    return f"Every mistake costs 1: {total} in all"


MOST_OFTEN_NO_TAKEN_FOR_YES_COUNTED = "Most often no was taken for yes: 20 of 38 mistakes."
NOT_ONE_MISTAKE = "Not one mistake."
CELL_MISTAKEN = "18 records that are malignant were said to be benign: 7.5 in 100 of them."
CELL_OF_ONE_MISTAKEN = "1 record that is benign was said to be malignant"
CELL_RIGHT = "223 records that are malignant were rightly called so"
CELL_EMPTY = "0 records that are malignant were said to be benign."
COPIED_MATRIX = "\tsaid a\tsaid b\nis a\t1\t2.5\nis b\t0\t1000"
WEIGHTED_BY_RECORDS = "weighted by its number of records"
MOST_OF_AVERAGE = "Most of it is that of the most frequent class, no: 90.0."
TWO_MISTAKES_EQUALLY_OFTEN = "Most often a was taken for b and b for a: 3 each, of 7 mistakes."
THREE_MISTAKES_EQUALLY_OFTEN = "Most often a was taken for b, b for a and c for b: 3 each, of 9 mistakes."


def four_kinds_of_mistake(n: int, total: int) -> str:
    return f"4 kinds of mistake are the most frequent: {n} each, of {total} mistakes."


# evaluate tab
CHOOSE_A_NUMBER = "Choose an underlined number"
ACCURACY_IN_HTML = "<b>Accuracy</b> = right / tested = 31 / 61 = <b>0.5082</b>"
DECIDED_RIGHTLY = "records decided rightly"
AUC_WORKED_OUT = "AUC, average by records = (n₁·v₁ + n₂·v₂) / tested = (31·0.5 + 30·0.5) / 61 = 0.5"
AUC_IN_PAIRS = "(won + tied / 2) / (won + tied + lost) = (0 + 930 / 2) / (0 + 930 + 0) = 0.5"
ERROR_RATE_WORKED_OUT = "Error rate = wrong / tested = 30 / 61 = 0.4918"
ACCURACY_AT_OTHER_THRESHOLD = "Accuracy = right / tested = 30 / 61"
TOTAL_COST_WORKED_OUT = "Total cost = n₁·c₁ = 30·10 = 300"
PART_OF_TOTAL_COST = "n₁ = 30: no said to be yes"
THRESHOLD_WORKED_OUT = "Threshold = alarm / (alarm + miss) = 1 / (1 + 10) = 0.09091"
AVERAGE_BY_RECORDS = "by records (average)"
AVERAGE_BY_CLASSES = "by classes (average)"
MOST_OFTEN_NO_TAKEN_FOR_YES = "Most often no was taken for yes"
CELL_ALL_MISTAKEN = "30 records that are no were said to be yes: 100 in 100 of them."
CELL_ALL_RIGHT = "31 records that are yes were rightly called so"
COLUMN_YES = "61 records were said to be yes, 31 rightly."
COPIED_MATRIX_OF_RUN = "\tsaid yes\tsaid no\nis yes\t31\t0\nis no\t30\t0"
COSTS_OF_RUN = "Total 300, 4.918 a record"
COST_PER_RECORD = "Cost per record"
COST_NOT_A_NUMBER = "The cost of saying yes where it is no must be a number, not 'ten'."
TWO_OF_TWO_SELECTED = "2 (2 selected)"
WORKING_IT_OUT = "Working it out…"

# permutation tests
DOES_IT_AS_WELL_ON_SHUFFLED = "Would it do as well on classes that mean nothing?"
NOT_BY_LUCK = "not by luck (accuracy): chance 5.0 in 100"
NONE_OF_19 = "None of 19"
NOT_LUCK_OF_19 = "Not luck: none of 19"
HEAD_OF_COPIED_SHUFFLES = "table\tright in 100\nthe run itself\t"
AUC_MAY_BE_LUCK = "AUC may be luck (100 in 100)"
AS_WELL_BY_AUC = "as well by AUC"
AS_WELL_BY_KAPPA = "as well by kappa"
KAPPA_IS_0 = "kappa is 0.000"
KAPPA_MAY_BE_LUCK = "kappa may be luck (100 in 100)"

# search pages
CHOSEN_ON_ALL_60 = "Chosen on all 60 records: smallest branch"
TRAINING_RECORDS_ONLY = "training records only"
BRANCH_20_LOST = "smallest branch 20: lost"
BRANCH_1_CHOSEN = "Smallest branch 1"
BRANCH_20_READ = "smallest branch 20, "
CHOSEN_FLATTERS = "chosen: its number flatters"
WOULD_MORE_RECORDS_HELP = "Would more records help?"
LEARNING_CURVE_AT_40 = "Training records 40: training"
WRONG_ON_TRAINING = "Wrong on training records"
WRONG_ON_TESTED = "Wrong on tested records"
HEAD_OF_SAVED_CURVE = "Smallest branch,training error"
RECORDS_TO_CHOOSE_BY = "records to choose by (validation)"


# toy measure
def tip_of_toy_measure(label: object) -> str:
    return f"The geometric mean of precision and recall of {label}."


TOY_MEASURE_WORKED_OUT = "Fowlkes-Mallows = √(p · r) = √("
TOY_MEASURE_IN_CLASSES = "The geometric mean of its precision and its recall"
AS_WELL_BY_TOY_MEASURE = "did as well by Fowlkes-Mallows index"
ON_SHUFFLED_TOY_MEASURE = "On shuffled classes the Fowlkes-Mallows index is"
