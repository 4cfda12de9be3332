"""Types shared by all algorithms: learners, filters, parameters, runs, files and errors."""
