"""What knows TRL, transformers and torch; each is imported inside the function that needs it.

`call_grammar` and `compact_view` are the tiny policy's language, `dialect` how conversations become
tokens and tokens become calls, `policy` loading and saving, `rollouts` attempts in live sessions,
`sft_training` and `grpo_training` the trainers. Not here: configuration and the processes.
"""
