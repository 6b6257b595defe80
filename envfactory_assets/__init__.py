"""The asset graph: records, stages (pure logic), and the Dagster wiring over them.

Importing this package imports nothing; `envfactory_assets.definitions` is what Dagster loads.
"""
