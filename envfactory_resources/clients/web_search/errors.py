"""Errors of the search clients.

WebSearchError
├── SearchSettingsError     a configured value cannot work
├── SearchFailedError       the command failed, took too long or said something unreadable
├── UnknownAddressError     there is no document at an address
└── SearchMemoryError       an answer cannot be kept
"""


class WebSearchError(Exception):
    """Anything a search client refuses or fails at."""


class SearchSettingsError(WebSearchError):
    """A configured value cannot work."""


class SearchFailedError(WebSearchError):
    """A search or a page did not come, or cannot be read."""


class UnknownAddressError(WebSearchError):
    """There is no document at an address."""


class SearchMemoryError(WebSearchError):
    """An answer cannot be written to its folder."""
