"""Environments of the utilities domain, one a file."""
