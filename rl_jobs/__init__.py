"""Training and evaluation jobs. They run without Dagster; torch is imported only here."""
