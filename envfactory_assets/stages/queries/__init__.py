"""From chains to requests: binding values, drafting, refining, and the invariants of a query.

Here: everything between `sampled_chains` and `refined_queries`. Not here: solving the task
(`envfactory_assets.stages.trajectories`).
"""
