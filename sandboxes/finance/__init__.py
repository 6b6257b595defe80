"""Environments of the finance domain, one a file."""
