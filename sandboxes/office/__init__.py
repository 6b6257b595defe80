"""Environments of the office domain, one a file."""
