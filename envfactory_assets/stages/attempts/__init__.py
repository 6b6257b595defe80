"""Attempts: code for a proposal, its test cases, and the rounds until the gates pass.

Not here: where code runs that nobody reviewed (`sandboxes.confinement`).
"""
