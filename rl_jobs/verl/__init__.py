"""Training with verl, in a Python environment of its own (`requirements/verl.in`).

`sft` and `grpo` are the jobs; they write the data files, compose the Hydra configuration and run
verl below them. `trajectory`, `attempt_text` and `scoring` are what a rollout does and earns, and
need no verl; `agent_loop` and `conversations` are the classes that verl loads, and `plugins` lets
it train without a GPU. Not here: sessions, the reward, the tiny policy's language.
"""
