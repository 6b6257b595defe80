"""The gates that an environment must pass, and the report on how it fared.

Here: five gates (interface, execution, results, state, parameters), the declared test cases, and
the mutation score. Not here: confinement of code that nobody has reviewed. The gates import and
run the environment in this process, after a look at its source.
"""
