"""Curves: ROC, precision and recall, lift, costs, calibration, learning."""
