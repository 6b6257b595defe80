"""What a training job is told and what is kept of it. The jobs themselves are `rl_jobs`."""
