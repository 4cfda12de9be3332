"""Texts that tests of `workbench.viewers` expect."""


# code view
def read_of_record(record: object) -> str:
    return f"read of Record {record}"


MEMBER_3_DIVIDES = "Member 3: setosa + versicolor or virginica"

# coefficients
SPEAKS_FOR = "A point to the right raises the odds of "
TERMS_OF_4_CLASSES = "7 terms · 4 classes"
ONE_STANDARD_DEVIATION = "One standard deviation ("
MAKES_ODDS_WITH_LENGTH = "of Length makes the odds of "
THE_ODDS_OF = "the odds of"
ONE_MORE_OF_WIDTH = "One more of Width"
NO_NAME_WITH_LETTERS = "Nothing has these letters in its name."
NO_PROOF_OF_AN_EFFECT = "an interval without 1 does not prove an effect"
NO_PROOF_OF_A_COEFFICIENT = "an interval without zero does not prove an effect"
ODDS_RATIO_HEADING = "Odds ratio (95% CI)"
COEFFICIENT_HEADING = "Coefficient (95% CI)"
HOLLOW_CIRCLE = "A hollow circle: the interval contains {}."
LIKELIHOOD_RATIO_P = "likelihood-ratio p (attribute)"
OTHERS_NOT_SAID = "the others have no valid interval"
IT_DIVERGES = "it diverges"
FOR_ONE_MORE = "for one more"

# curve view
POINT_OF_C45 = "C4.5 (run 1)\n"
C45_IN_DESCRIPTION = "C4.5 (run 1) 0."
HEAD_OF_SAVED_CURVE = "Run,Threshold,Recall (TPR),FPR,Precision,Cheapest (on the hull)"
ROW_OF_SAVED_CURVE = "C4.5 (run 1),"

# density overlap
BAYES_ERROR = "alone: 22.7%"
NO_NUMBER_WITH_DENSITY = "no number whose density"

# tree
EIGHT_OF_NINE = "8 of 9 · 89%"

# layers view
LAYERS_FACTS = "4 inputs · 4 hidden nodes · 3 outputs"
WIDEST_LINE = "the wider the larger (the widest"
SELECT_ONE_RECORD = "Select one record to see every node's output."
HIDDEN_NODE_3_HEARS = "Hidden node 3 hears most from "


FINAL_MODEL = "The network is the final model. "
CROSS_ENTROPY_IN_NATS = "cross-entropy per record, in nats"


CROSS_ENTROPY_PER_RECORD = "Cross-entropy per record, in nats. All"


def record_61_is_said(label: object, share: float) -> str:
    fill = "the fill of a node its output (of an input: its standardized value)"
    lines = f"Line width is the size of a weight, {fill}; green is positive, pink negative."
    return f"Record 61 is predicted as {label}: {100 * share:.1f}%. {lines}"


OF_RECORD_61 = "for Record 61"
HIDDEN_NODE_3 = "hidden node 3"
VALIDATION_ERROR = "validation error "


def update_1_of(n: object) -> str:
    return f"Update 1 of {n}"


# linear view
SUM_OF_ROOT = "length - 2 width"
LENGTH_AND_1_MORE = "length + 1 more"
SUM_QUESTION = "length - 2 width ≤ 1?"
FIRST_RULE_ON_SUM = "1. If length - 2 width ≤ 1, then a (6 records, 100% of them a)"
SUM_ANSWERED_NO = "length - 2 width ≤ 1? No, 6.5."
SUM_ANSWERED_WITH_AVERAGE = "length - 2 width ≤ 1? No, 6. The average stands for width, which is not known."
SUM_NOT_KNOWN = "length - 2 width ≤ 1? Not known."

# margins
A_WEIGHED_SUM = "Linear kernel"
AT_AVERAGE_OR_MOST_FREQUENT = "at their average or most frequent value"
HOLDS_WITH_MULTIPLIER = "It holds with a multiplier of"
BEFORE_THE_RECORDS = "Before: the records"
COULD_STILL_BE_WON = "could still be won"
ON_ITS_MARGIN = "on its margin"
INSIDE_ITS_MARGIN = "inside its margin"


# members view
def errors_of_12_members(percent: float) -> str:
    return f"Members 12: out of bag {percent:.1f}, training "


def drawn_from_members(first: int) -> str:
    return f"The curve begins at {first} members"


OUT_OF_BAG = "out of bag"


def without_attribute(name: object) -> str:
    return f"{name}: permutation importance "


IMPORTANCE_BY_PERMUTATION = "importance by permutation"
IMPORTANCE_BY_IMPURITY = "importance by impurity"
ALL_10_HAVE_NONE_WRONG = "The first 10 members together have 0 of 10 records wrong"
FIRST_HAS_3_WRONG = "1 member has 3 of 10 records wrong; Member 1 alone 3."
ROUNDS_OF_THIS_COMMITTEE = "rounds of this ensemble"
ERROR_IN_ROUND = "Weighted error of the member (%) "
COMMITTEE_OF_2 = "ensemble of 2 members"
TEST_MEMBERS_TO_SEE = "Test the members to compare"
TEST_THE_MEMBERS = "Test the members"
INDEPENDENTLY = "independent errors"
MEMBER_ALONE_TESTED = "member alone, tested"
ERROR_IN_ITS_ROUND = "weighted error of the member"
PERMUTATION_IMPORTANCE_IS = "Permutation importance: how many points"
MORE_RECORDS_GO = "The width of a line is the number of records that pass it"
WEIGHT_IN_THIS_ROUND = "the weight in this round of the records that pass it"
MOST_IN_TRAINING = "bound on the training error"

# neighbours view
VOTES_ARE_PROBABILITY = "votes are the model's probability"


def record_is(number: int) -> str:
    return f"Record {number}, actual"


def thick_arrows_at(name: str) -> str:
    return f"Thick arrows begin or end at {name}."


# network
NOTHING_KNOWN, WITH_WHAT_IS_KNOWN = "Nothing is known yet: ", "With what is known: "
NOTHING_KNOWN_IN_NETWORK = "Nothing is known yet: 1 51.0%, 0 49.0%."
BRANCH_WIDTH = "Width of a branch: its records"
LINES_ACROSS = "The line across a bar is the probability before any value is known."
OPEN_ARE_BLUE = "Of the paths asked about, open ones are blue, blocked ones dashed."
NETWORK_FACTS = "5 attributes and the class · 6 arrows"
POSTERIOR_WITH_WHAT_IS_KNOWN = "With what is known: 0 58.6%, 1 41.4%."
HD_GIVEN_PARENTS = "HD, given E, D"
BP_KNOWN = "BP, known: 0"
BP_IS_KNOWN = "BP is known, so nothing tells more about it. Choose an unknown one, or clear its value."
INDEPENDENT = "Yes, independent: E tells nothing about D."
BLOCKED_AT_HD = "Blocked: E → HD ← D (arrows meet at HD, of which nothing is known)"
NOT_INDEPENDENT_ONCE_KNOWN = "No, not independent: E tells something about D once BP is known."
CANNOT_BE_TOGETHER = "By the tables these values cannot be together"
MORE_ROWS = "129,000 more rows"
NOT_INDEPENDENT = "No, not independent"
UNDO_DRAW_ARROW = "Draw the arrow from Petal Length to Petal Width"
ARROW_CLOSES_CIRCLE = (
    "An arrow from Petal Width to Petal Length would close a circle: Petal Length → Petal Width → Petal Length."
)
UNDO_REMOVE_ARROW = "Remove the arrow from Sepal Width to Sepal Length"
FIVE_CHANGES_BY_HAND = "5 changes by hand. Error rate "
NETWORK_WAS_FOUND = "A network was found in the records"

# nomogram
NOTHING_KNOWN_IN_NOMOGRAM = "Nothing is known yet: No 70.0%, Yes 30.0%."
NOMOGRAM_FACTS = "3 attributes · 2 classes"
SHARES_WITH_VALUES = "With these values: No 50.0%, Yes 50.0%."
BRIEF_RANGES = ("under −1.85", "−1.85 to −1.22", "−1.22 or more")
NOTHING_KNOWN_YET = "Nothing is known yet"
EVERY_CLASS_RULED_OUT = "Every class rules out one of these values, so the shares of the classes decide:"
LOG_ODDS_OF_YES = "Yes against No (log odds)"
NO_OF_THIS_RECORD = "No (this record)"
LIKELIEST_OF_4 = "c 40.0%, a 25.0%, 2 more"

# projection
DISCRIMINANT_1 = "Discriminant 1 has 99.1% of the differences"
SHARE_OF_ALL = "(share of all)"
DISCRIMINANT_1_IN_FULL = (
    "Discriminant 1 has 99.1% of the differences between the classes: more Petal Length, more Petal "
    "Width, less Sepal Length."
)

# rules view
A_FULL_BAR = "A full bar in Decides"
NO_10_YES_3 = "no 10, yes 3"
RULES_FACTS = "40 rules · 160 conditions"
LENGTH_AND = "petal length ≤ 4.9 and"
WIDTH_ALONE = "petal width ≤ 1.6"
LENGTH_AND_WIDTH = "petal length ≤ 4.9 and petal width ≤ 1.6"
LENGTH_ALONE = "petal length ≤ 4.9"
END_OF_FIRST_CONDITION = " ≤ 4.9 and"
COLOUR_IS_GREEN = "colour = green"
NO_RULE_SAYS_SO = "No rule matches."


def rule_on_number(number: int) -> str:
    return f"Rule {number}: number"


def of_records_correct(right: str, total: str) -> str:
    return f" It decides {total} training record{'s' * (total != '1')}: {right} of {total} correct ("


def conflicting(rule: int) -> str:
    return f"{rule}: conflicts"


FAINT_PART = "the faint part meets the rule, but an earlier rule decides it."
WOULD_CONFLICT = " would fire too, for another class (a conflict)."
ASKED_AFTER_2 = "It is asked only where none of the 2 rules before fires."


def found_of_41(n: object) -> str:
    return f"{n} of 41 rules"


SHOW_2_HIDDEN = "Show 2 hidden rules"
NOT_RULE_1 = "not rule 1: not (number "
THE_DEFAULT_RULE = "the default rule"


def rule_1_decides(record: object) -> str:
    return f"Record {record}: rule 1 decides, "


TOO_MANY_FOR_PICTURE = "too many for one picture"


def not_exhaustive(n: object) -> str:
    return f"Not exhaustive: {n} of 150 records meet no rule"


SOURCE_MEETS_NO_RULE = "meeting no rule"


def no_rule_fires(name: object) -> str:
    return f"For example {name} = 4.25: no rule fires."


SAVE_SPREADSHEET = "Save spreadsheet (Excel)..."


def in_part(rule: int) -> str:
    return f"{rule}: in part"


SEVERAL_RULES_DECIDE = "Record 5: A value is missing, so several rules decide a part: rule 8 60%."


# tree view
def tree_facts(nodes: int, leaves: int) -> str:
    return f"{nodes} nodes · {leaves} leaves"


TREE_FACTS_FOLDED = "5 of 7 nodes shown · 4 leaves in all"


def age_at_most(limit: float) -> str:
    return f"age ≤ {limit}"


ALL_2_LEVELS = "Full depth 2"
UP_TO_2_OF_2_LEVELS = "Depth up to 2 of 2"
LEVEL_1_OF_2 = "Depth 1 of 2"
SECOND_RULE = "2. If 20.25 < age ≤ 40.5, then class 1 (4 records, 100% of them class 1)"
FOURTH_RULE = "4. If age > 40.5 and colour = green or yellow, then class 0 (2 records, 50% of them class 0)"
FRACTIONS_EXPLAINED = "9.5 records: a value that is missing"
WEIGHTS_EXPLAINED = "19.5 records: they count by their weights."
PARTS_OF_RECORDS = "Parts of records: values are missing"
PARTS_IN_FEW_WORDS = "Parts: values missing"

# tree words
RED_OR_BLUE = "red or blue"
GREEN_OR_YELLOW = "green or yellow"
AGE_BETWEEN = "20.25 < age ≤ 40.5"
AGE_OVER_40 = "age > 40.5"
COLOUR_IS_RED_OR_BLUE = "colour = red or blue"
AGE_40_ANSWERED_YES = "age ≤ 40.5? Yes, 30."


def age_answered_no(limit: float, age: int) -> str:
    return f"age ≤ {limit}? No, {age}."


COLOUR_NOT_KNOWN = "colour? Not known."
LEAF_ALOUD = "20.25 < age ≤ 40.5: leaf 2 predicts class 1. 4 records: class 1 4."


def rule_of_one_leaf(label: object) -> str:
    return f"1. Always {label} ("


ABOUT_40_OR_LESS = "≤ about 40.5"
ABOVE_ABOUT_40 = "> about 40.5"
SOFT_35_TO_48 = "soft from 35 to 48"
SOFT_35_TO_48_SENTENCE = "Soft from 35 to 48."


def near_threshold(value: int, percent: int) -> str:
    return f"{value}, near: {percent}.0%"


GOES_BOTH_WAYS = "age ≤ 40.5? 45 is near the threshold: it goes both ways."
DECIDES_CLASS_0 = "Predicts class 0"
WHY_IT_ENDS = "why it ends here"
NOT_DECIDED_YET = "Not decided yet"
WOULD_DECIDE_CLASS_0 = "would predict class 0"
WHAT_MAY_BE_ASKED = "candidate splits"
AGE_40_QUESTION = "age ≤ 40.5?"
SLIM_CARD_OF_ROOT = "15 records · 40% class 0"
SLIM_CARD_OF_LEAF = "5 records · 100% of this class"
ONE_CONDITION_HOLDS = "1 condition holds</span>"
TWO_CONDITIONS_HOLD = "2 conditions hold</span>"

EXACTLY_THE_SAME_VALUES = "exactly the same values"

# legend
KEYS_OF_THE_LEGEND = "keys 1 to 9"


def is_age_at_most(threshold: str) -> str:
    return f"age ≤ {threshold}?"


PRIOR_OF_NOTHING = "includes prior 0.00"
PRIOR_OF_LOANS = "includes prior −0.85"
PRIOR_OF_LOANS_ROUNDED = "includes prior −0.85; sum before rounding"

CI_OF_THE_MEAN = "95% CI of the accuracy: "
