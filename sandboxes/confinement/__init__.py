"""Running code that nobody has reviewed: confined worker processes and what is asked of them.

Not here: the environments themselves (domain folders, the pool) and the gates they must pass
(`sandboxes.verification`). What a confinement does not protect stands in
`sandboxes.confinement.confinement`.
"""
