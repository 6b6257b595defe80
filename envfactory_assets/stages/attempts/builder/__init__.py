"""The deterministic coder: environments whose tools create, read, update, delete, list or search.

Here: the plan of what can be built (`planning`), the source text part by part, what scenarios hold,
and the test cases. Not here: anything that asks a model, and the rounds of coder and tester.
"""
