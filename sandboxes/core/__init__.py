"""The runtime of environments: tools, state, scenarios, sessions, catalog, MCP serving.

Here: what every environment is built from. Not here: any single environment, and the gates that
judge them (`sandboxes.verification`).
"""
