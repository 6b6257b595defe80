"""The evaluation report: attempts of several policies at the same held-out tasks, as rows."""
