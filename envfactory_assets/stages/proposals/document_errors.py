"""Errors of reading what a team has.

DocumentError   a document that gives no proposal; its message is the reason that people read
"""


class DocumentError(Exception):
    """A document from which no proposal can be made."""
