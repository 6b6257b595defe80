"""Environments of the academic domain, one a file."""
