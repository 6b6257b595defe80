"""The ablation of refinement: the same tasks, asked as drafted and as refined."""
