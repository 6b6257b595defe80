"""The partitions: one a domain."""

import dagster as dg

from sandboxes.core.domain import Domain

DOMAINS = dg.StaticPartitionsDefinition([domain.value for domain in Domain])
"""Partitions of every asset that belongs to a domain."""

ALL_AT_ONCE = dg.BackfillPolicy.single_run()
"""Several domains asked for together run in one run."""
