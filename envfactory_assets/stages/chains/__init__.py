"""The chain stage: ordered tools drawn from a tool graph, with bindings but no values.

`sampling` draws chains whose every input can be had, `random_walk` is the baseline without that
promise, and `validation` checks a chain without knowing how it was drawn. Not here: values, texts
and scenarios (the query stage).
"""
