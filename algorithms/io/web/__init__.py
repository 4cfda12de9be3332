"""Logs of web servers, read as a table of sessions."""
