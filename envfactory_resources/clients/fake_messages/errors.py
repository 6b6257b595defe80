"""Errors of the fake endpoint.

FakeMessagesError
├── RequestShapeError      a request that the real endpoint would not take; answered with 400
└── UnscriptedRequestError a request that no line of the script answers; answered with 400
"""


class FakeMessagesError(Exception):
    """Anything the fake endpoint refuses."""


class RequestShapeError(FakeMessagesError):
    """The real endpoint would not take this request."""


class UnscriptedRequestError(FakeMessagesError):
    """No line of the script answers this request."""
