"""Searching documents for the researcher, where the model's endpoint has no search of its own.

Here: `web_search` (the protocol), `command_search` (a configured command), `folder_search` (a
folder of documents), `remembered_search` (answers kept on disk), `errors`, and below them the
bounded command, page text and ranking.
Not here: the endpoint's own search tool (`envfactory_assets.stages.proposals.search_tools`), and
anything that opens a connection: a command does that, in its own process.
"""
