"""Verifying the environments of a domain and describing them as rows."""
