"""Environments of the commerce domain, one a file."""
