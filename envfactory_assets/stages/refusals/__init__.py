"""Refusal tasks: variants of a turn whose right answer is to decline, or to ask and then decline."""
