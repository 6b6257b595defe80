"""Training and evaluation jobs: plain processes that run without Dagster.

`sft`, `grpo` and `evaluate` are the jobs (`python -m rl_jobs.sft --config sft.json`), `config` what
they read, `task_session` a task as a live session with the reward at its end, `exchange` what a
message does in it. `trl` and `verl` are the trainers' adapters; torch is imported only here, and
but for the modules that verl loads only inside functions. Not here: the reward
(`envfactory_assets.stages.reward`), how rows are made (`envfactory_assets.stages.datasets`), how
the jobs are launched (the wiring).
"""
