"""Evaluation methods: which records train and which are tested."""
