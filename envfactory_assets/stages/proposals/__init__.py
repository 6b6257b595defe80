"""Proposals: what the pool lacks, from documents that a team has and from a researcher.

Not here: code for a proposal (`attempts`).
"""
