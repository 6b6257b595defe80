"""Environments of the lifestyle domain, one a file."""
