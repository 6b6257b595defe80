"""From refined queries to proven references: solving, choosing, filtering.

Here: solver policies, the simulated user, the reference and its proofs. Not here: the reward
itself (`envfactory_assets.stages.reward`).
"""
