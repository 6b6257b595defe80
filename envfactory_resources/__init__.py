"""Thin Dagster resources, one a file, over the Dagster-free clients in `clients`."""
