"""The assets, one module a stage. They wire; the stages think."""
