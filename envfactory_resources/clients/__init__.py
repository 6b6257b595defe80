"""Clients without Dagster: the warehouse, embedding models, language models."""
