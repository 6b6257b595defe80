"""A language model behind the Messages API: replies, structured output, reply cache, usage.

Here: `language_model` (the client), `reply`, `usage`, `bounded_map`, `errors`, and below them the
request, the connection and the cache.
Not here: prompts and roles (they live beside the stage that needs them), Dagster configuration.
"""
