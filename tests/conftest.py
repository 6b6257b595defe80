"""What holds for every test."""

import logging

import pytest


@pytest.fixture(autouse=True)
def working_loggers():
    """Switch loggers on again: making Dagster's storage configures logging, and that switches off
    every logger that exists already.
    """
    for logger in logging.root.manager.loggerDict.values():
        if isinstance(logger, logging.Logger):
            logger.disabled = False
