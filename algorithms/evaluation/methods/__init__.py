"""Methods of evaluation: which records train and which test."""
