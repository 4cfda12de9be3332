"""The parameters of learners, filters and methods in the first files that programs of today must read alike."""

from __future__ import annotations

from typing import Final

FIRST_PARAMETERS: Final = {
    "balance-classes": "by evenness k same_scale",
    "change-kind": "kind columns",
    "class-weights": "weights given",
    "condensed-neighbors": "same_scale",
    "derive": "to formula",
    "discretize": "by ranges significance cuts columns",
    "edited-neighbors": "same_scale k",
    "encode": "by smoothing midpoint steepness records folds columns",
    "filter-records": "formula",
    "keep-attributes": "columns",
    "merge-values": "by at_least values_named to columns",
    "move-attributes": "to columns",
    "principal-components": "keep share components same_scale columns",
    "remove-attributes": "columns",
    "rename-attribute": "column to",
    "replace-missing": "numeric number nominal label k same_scale compared indicator columns",
    "sample-records": "size share number replacement stratified",
    "scale": "by low high clip below_zero shape quantiles columns",
    "select-attributes": "by keep number threshold k sampled columns",
    "tomek-links": "remove same_scale",
    "wrapper": "base search patience measure folds",
    "adaboost": "base members by resets several_classes printed_error",
    "bagging": "base members size attributes_given combine out_of_bag",
    "bayesian-network": (
        "structure score max_parents on_class order network_file significance required forbidden numbers ranges "
        "smoothing missing em_rounds prior_records patience"
    ),
    "c4.5": (
        "pruning confidence penalty held_out added_records critical_value raising with_raising bound folds "
        "standard_errors early_stopping seed significance min_leaf max_depth criterion max_leaves min_gain "
        "nominal_splits numeric_splits numeric_branches thresholds numeric_correction average_gain_rule "
        "numeric_min_split soft_thresholds split_without_gain priors class_shares costs best_of attributes_weighed "
        "split_search bins"
    ),
    "c4.5-rules": "confidence min_leaf rules_weight class_order exceptions criterion nominal_splits",
    "calibrated": "base by folds",
    "cart": (
        "pruning confidence penalty held_out added_records critical_value raising with_raising bound folds "
        "standard_errors early_stopping seed significance min_leaf max_depth max_leaves criterion surrogates "
        "priors class_shares costs min_gain nominal_splits thresholds split_without_gain best_of "
        "attributes_weighed split_search bins"
    ),
    "chaid": (
        "pruning confidence penalty held_out added_records critical_value raising with_raising bound folds "
        "standard_errors early_stopping seed alpha merge_alpha min_leaf min_split max_depth merging intervals "
        "resplit_alpha bonferroni"
    ),
    "chosen-threshold": "base aim costs of_class folds",
    "class-association-rules": "min_support min_confidence max_conditions prunes confidence most_candidates",
    "cost-sensitive": "base costs by amounts",
    "cut-back-tree": "base leaves",
    "decision-stump": (
        "criterion nominal_splits min_leaf numeric_splits numeric_branches thresholds min_gain split_search bins"
    ),
    "edited-network": "base edits",
    "edited-rules": "base edits",
    "edited-tree": "base edits",
    "error-correcting-output-codes": "base test_members code length given decode",
    "extracted-rules": "base reader held_out",
    "gradient-boosting": "members step max_depth min_leaf size",
    "id3": (
        "pruning confidence penalty held_out added_records critical_value raising with_raising bound folds "
        "standard_errors early_stopping seed significance max_depth min_leaf min_gain"
    ),
    "k-nearest-neighbors": "k choose_k most_k votes kernel_width distance power scaling missing",
    "linear-discriminant": "shrinkage amount priors variance",
    "linear-svm": "margin c probabilities class_cost several scaling tolerance",
    "logistic-regression": "penalty strength intercept",
    "metacost": "base costs members size combine all_members",
    "nested-choice": "base other folds together ordered",
    "naive-bayes": "numbers ranges smoothing m p priors variance least_spread bandwidth",
    "neural-network": (
        "hidden activation weight_decay epochs early_stopping prune validation restarts loss output optimizer "
        "batch batch_size learning_rate momentum patience inputs standardise"
    ),
    "oblique-tree": (
        "pruning confidence penalty held_out added_records critical_value raising with_raising bound folds "
        "standard_errors early_stopping seed significance restarts min_leaf max_depth criterion term_share jumps "
        "max_leaves min_gain nominal_splits split_without_gain"
    ),
    "one-r": "min_bucket",
    "one-vs-one": "base test_members combine",
    "one-vs-rest": "base test_members",
    "part": "confidence min_leaf criterion nominal_splits",
    "perceptron": "learning_rate schedule epochs pocket shuffle standardise",
    "quadratic-discriminant": "shrinkage amount priors variance pooling",
    "random-forest": (
        "members attributes_weighed combined criterion min_leaf max_depth nominal_splits best_of combine out_of_bag"
    ),
    "ripper": "pruning optimizations min_weight folds worth check_error class_order costs",
    "sequential-covering": (
        "order measure beam min_weight significance pruning confidence folds m direction class_order costs votes "
        "max_conditions"
    ),
    "stacking": "first second third judge folds",
    "svm": "kernel margin c gamma degree constant probabilities class_cost several scaling tolerance cache",
    "tree-rules": "base form confidence rules_weight class_order exceptions",
    "tuned": "base tried strategy draws folds together ordered measure",
    "voting": "first second third combine folds",
    "bootstrap-632": "samples",
    "bootstrap-632-plus": "samples",
    "complete-cross-validation": "size",
    "cross-validation": "folds repeats stratified",
    "group-cross-validation": "column folds repeats",
    "group-holdout": "column percent",
    "holdout": "percent stratified",
    "marked-parts": "column train test",
    "repeated-holdout": "percent repeats stratified",
    "test-file": "path",
    "time-holdout": "column percent",
}
"""Names by id, with spaces between them. Only what is not here came later, and so must have an earlier value."""
