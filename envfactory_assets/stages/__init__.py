"""Pure logic of the assets, one subpackage a stage. Nothing here knows Dagster or torch."""
