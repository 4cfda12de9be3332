"""The vocabulary of the program: every name and label that a learner, filter, method, curve or measure may have."""

from __future__ import annotations

from typing import Final


def _words(listed: str) -> frozenset[str]:
    """The terms of a text, separated by dots."""
    return frozenset(" ".join(listed.split()).split(" · "))


LEARNERS: Final = _words(
    """
    1R · AdaBoost · Bagging · Bayesian network · C4.5 decision tree · C4.5 rules · Calibrated classifier · CART · CHAID
    · Class association rules (CBA) · Cost-sensitive · Decision stump · Edited network · Edited rules · Edited tree ·
    Error-correcting output codes (ECOC) · Gradient boosting · ID3 decision tree · k-nearest neighbours · Linear
    discriminant · Linear support vector machine · Logistic regression · MetaCost · Model selection · Naive Bayes ·
    Neural network · Oblique tree · One-vs-one · One-vs-rest · Parameter search · PART · Perceptron · Pruned tree ·
    Quadratic discriminant · Random forest · RIPPER · Rote learner · Rules from a tree · Rules from any model
    (surrogate) · Sequential covering (CN2) · Stacking · Support vector machine · Threshold optimizer · Voting ·
    ZeroR (majority class)
    """
)
"""Names of learners."""
FILTERS: Final = _words(
    """
    Aggregate table · Balance classes · Cap outliers · Change kind · Class weights · Condensed nearest neighbour
    (Hart) · Date parts · Difference of dates · Discretize · Edited nearest neighbours (Wilson) · Encode nominal
    attributes · Filter training records · Formula column · Impute missing values · Join table · Keep attributes ·
    Merge rare values · Normalize / standardize · Principal components (PCA) · Remove attributes · Rename attribute
    · Reorder attributes · Sample records · Select attributes · Text to words · Tomek links · Unit length · Wrapper
    selection
    """
)
"""Names of filters."""
METHODS: Final = _words(
    """
    Bootstrap .632 · Bootstrap .632+ · Complete cross-validation · Cross-validation · Group cross-validation · Group
    holdout · Holdout · Leave-one-out · Predefined split · Repeated holdout · Test file · Time-ordered holdout ·
    Training data (optimistic)
    """
)
"""Names of evaluation methods."""
CURVES: Final = _words(
    """
    Calibration · Cost curve · Gains · Lift · Margin · Precision-recall · ROC · Threshold
    """
)
"""Names of curves."""
MEASURES: Final = _words(
    """
    95% CI of accuracy · 95% CI of AUC · 95% CI of cost · 95% CI of F · 95% CI of kappa · 95% CI of PR area · accuracy ·
    Accuracy · AUC · AUC, macro · AUC, one-vs-one · balanced accuracy · Balanced accuracy · Baseline · Bits saved ·
    Brier score · Brier skill score · Cost per record · D² (log loss) · Error rate · F · F-beta · F-measure · F0.5 · F2
    · FNR · FPR · G-mean · Information (bits) · Informedness (Youden's J) · Jaccard · Kappa · kappa · Kappa, one-vs-rest
    · Log loss · LR+ · LR− · MCC · MCC, one-vs-rest · Mean absolute error · NPV · PR area · PR area, interpolated · PR
    area, macro · precision · Precision · Recall · recall · Recall (TPR) · Relative absolute error · Relative
    information · Root mean squared error · Root relative squared error · Specificity · Specificity (TNR) · Top-2
    accuracy · Total cost · Weighted accuracy
    """
)
"""Names, symbols, headings and intervals of measures."""
PARAMETERS: Final = _words(
    """
    Activation · Attribute · Attributes · Average-gain rule · Base learner · Batch size · Beam width · Beta ·
    Binning · Bins · Bonferroni adjustment · Boosting by · Boosting rounds · Bootstrap samples · Calibration ·
    Candidates · Chance correction for nominal gains · Check error rate ≥ 1/2 · Choose among best k splits · Choose
    k automatically · Class is parent of all · Class order · Class priors · Class weights · Clip · Code · Code
    length · Code words · Coding · Coef0 · Columns · Combine by · Complexity penalty (α) · Components · Condition ·
    Confidence factor · Confidence level · Constant · Cost matrix · Count · Coupling · Covariance shrinkage ·
    Critical value · Cut points · Date · Date in the second table · Day of month · Day of year · Decoding · Degree ·
    Discretization · Distance metric · Distribution · Early stopping · Early stopping on held-out records · Edits ·
    End date · Equivalent sample size · Error as printed in the book · Error bound · Estimate member accuracy ·
    Evaluation measure · Evenness · Exception coding · Explained variance · Features per combination (Forest-RC) ·
    Features per member · Features per split · First learner · Fit intercept · Folds · Forbidden arcs · Formula ·
    Gamma · Given date · Given stop words · Group column · Held-out share · Hidden layers · Histogram bins · Hour ·
    Inner folds · Intervals · ISO week · k · Keep · Kernel · Kernel bandwidth · Kernel cache (MB) · Key · Key in the
    second table · Kind · Largest k · Latest · Learning rate · Learning-rate schedule · Likelihood-ratio tests ·
    Limits · Loss · Lower case · Lower quantile · m · m (estimate) · Margin · Max. candidates · Max. conditions ·
    Max. EM iterations · Max. epochs · Max. parents · Max. restarts · Max. share of documents · Max. words · Max.
    words of a phrase · Maximum · Maximum depth · Maximum leaves · MDL correction for numeric gains · Mean · Measure
    · Members · Merge · Merging · Meta-learner · Method · Midpoint · Min. bucket size · Min. coefficient share ·
    Min. confidence · Min. density ratio · Min. documents · Min. gain · Min. hessian per leaf · Min. records · Min.
    records per leaf · Min. records per numeric branch · Min. records to split · Min. rule weight · Min. score ·
    Min. share · Min. standard deviation · Min. support · Min. words of a phrase · Minimum · Minkowski p · Minute ·
    Missing indicator · Missing values · Missing values (EM) · Momentum · Monotone decreasing · Monotone increasing
    · Month · Move · Multi-class · Multi-class (SAMME, M1) · Name of the missing value · Negative values · Network
    file · New name · New value · Node order · Nominal attributes · Nominal encoding · Nominal splits · Norm ·
    Number of attributes · Number of branches · Number of values · Numeric attributes · Numeric splits · Objective ·
    Optimization runs · Optimizer · Order column · Ordinal splits · Out-of-bag estimate · Output activation ·
    Parameter grid · Patience · Penalty · Penalty C · Penalty strength · Pessimistic pruning · Pocket algorithm ·
    Pooled covariance · Positive class · Prior p · Prior values · Probability calibration · Prune hidden units ·
    Pruning · Pruning folds · Pseudocounts · Pseudocounts per row (N₀) · Quantiles · Quarter · Random perturbations
    · Random restarts · Random seed · Record cost column · Remove · Repeats · Required arcs · Restarts · Rule order
    · Rule theory weight · Rule value measure · Sample size · Sample size (%) · Scaling · Score · Search · Search
    direction · Second learner · Second table · Several rows of a key · SHA-256 · Sheet · Shrinkage amount · Shuffle
    each epoch · Significance level · Simplification · Size · Smoothing · Soft thresholds · Split column · Split
    criterion · Split on zero gain · Split search · Standard errors · Standardize · Start · Start date · Steepness ·
    Stop words · Stratified · Structure search · Subtree raising · Sum · Surrogate learner · Surrogate splits · Tabu
    steps · Test file · Test level α · Test set size · Test value · Texts become · Third learner · Threshold position ·
    Tolerance · Training share · Training value · Unit · Update after · Upper quantile · Use all members ·
    Validation share · Values · Variance estimate · Vote by · Weekday · Weekend · Weight decay (L2) · Weight of FN ·
    Weight of FP · Weight of TN · Weight of TP · Weighting · Weights · Weights per class · With replacement · Word
    weights · Year · α to merge · α to re-split · α to split
    """
)
"""Labels of parameters."""
CHOICES: Final = _words(
    """
    1 / distance · 1 / distance² · 1R accuracy · A given date · Absolute distance · Accuracy · AdaBoost.M1 · Adam ·
    AIC · Another attribute · As in the C4.5 program · As in the data · AUC · Automatic · Backward · Balanced ·
    Balanced (1995) · Balanced accuracy · Balanced error rate · BCH · BDeu · Best first · Best k · BIC · Binary ·
    Binary (threshold) · Binary digits · Binomial (1993) · Both records · Brier score · By cost (altered priors) ·
    By name · C4.5 rules · CFS subset · Chebyshev · Chi-square · ChiMerge · Class by class · Classification error ·
    Constant · Cosine · Cost · Cost per record · Cost-complexity · Count · Critical value · Cross-entropy · Cyclic
    (sine, cosine) · Data value · Date · Days · Decision list · Decreasing · EM · English · Entropy · Entropy (MDL)
    · Epoch · Equal · Equal frequency · Equal width · Error rate · Error-based · Euclidean · Exact · Exact binomial
    · Exhaustive · Explained variance · Exponential loss · F-measure · Fewest false positives first · First · Firth
    · FOIL gain · Forward · FPR · French · Frequency · From a file · G-mean · Gain ratio · Gaussian · Gaussian (RBF)
    · Gaussian kernel · General-to-specific · German · Gini index · Given · Given arcs · Given values · Gower · Grid
    · Grouped · Hamming distance · Hard · HEOM · Hill climbing · Histogram · Hours · HVDM · Identifier · Ignore ·
    Independence tests · Information gain · IQR fences (Tukey) · Isotonic regression · k-means · K2 · Kappa · Kernel
    density · L-BFGS · L1 (absolute) · L2 (Euclidean) · Laplace · Lasso (L1) · Last · Likelihood ratio · Linear ·
    Log loss · Logarithm · Logistic · m-estimate · Majority vote · Manhattan · Maximal · Maximum · MCC · MDL · Mean
    · Mean probability · Median · Midpoint · Mini-batch · Minimum expected cost · Minimum-error (m-estimate) ·
    Minkowski · Minutes · Mode · Momentum · Months (completed) · More frequent class · Most costly first · Most
    frequent first · Multinomial · Multiway · Naive Bayes · Nearest neighbours · Nominal · None · Normal · Normal
    approximation · Number · Numeric · Omit · One vote · One-hot · One-vs-one · One-vs-rest · Ordinal · Oversample ·
    Own value · Pairwise coupling · Pessimistic · Pessimistic (penalty per leaf) · Platt scaling · Polynomial ·
    Population (n) · Precision · Quantiles (winsorize) · Random · Range (min-max) · Range 0 to 1 · Rank · Rare
    values · Rare values by share · Rarest first · Recall · Record · Record weights · Records · Reduced-error ·
    Refuse · Relative entropy · ReliefF · ReLU · Resampling · Ridge (L2) · Robust · SAMME · Sample (n − 1) · Sample
    (n − k) · Score above · Seconds · Share · Shortest description first · Sigmoid · Signed logarithm · SMOTE · Soft
    (hinge) · Soft (squared hinge) · Spanish · Sparse random · Specific-to-general · Specificity · Squared error ·
    Standardize · Standardize (z-score) · Successive halving · Symmetrical uncertainty · Tabu search · TAN · Tanh ·
    Target encoding · Text · TF-IDF · Twoing · Undersample · Uniform · Unordered (voting) · Until significant ·
    Voting · Weeks · Weighted vote · Weights · Years (completed)
    """
)
"""Labels of choices."""
