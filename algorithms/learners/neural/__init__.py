"""Perceptrons and neural networks of layers."""
