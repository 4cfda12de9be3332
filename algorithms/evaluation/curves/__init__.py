"""Curves: ROC, precision-recall, lift, cost, calibration, learning."""
