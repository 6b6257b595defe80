"""Environments of the travel domain, one a file."""
