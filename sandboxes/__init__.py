"""Environments that tools act on, the runtime they share, and the gates they must pass.

Here: the runtime (`core`), verification, confinement, and one folder of environments a domain.
Not here: anything that knows Dagster, the warehouse or a language model.
"""
