"""Asking an MCP server for its tools, as a document to keep.

Not here: calling a tool, serving one (`sandboxes.core.server`), and what a list means
(`envfactory_assets.stages.proposals`).
"""
