"""The reward: one home for the filter and for every trainer.

`scoring.evaluate(reference, attempt)` is the entry; `models` holds what goes in and comes out,
`settings` the weights, `requested_calls` reads calls out of chat messages. Not here: running calls
(`sandboxes.core.session`), choosing the best candidate (`stages.trajectories`), advantages
(`rl_jobs`).
"""
