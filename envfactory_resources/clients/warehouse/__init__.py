"""The warehouse: immutable versions of asset partitions, their commit log, and DuckDB views.

Here: writing, reading, time travel, lineage, publishing and garbage collection, from any number of
processes at once. Not here: Dagster (its IO manager wraps `client.Warehouse`) and the record
classes of the tables.
"""
