"""Errors of the jobs.

JobError                  anything a job refuses; its message is the job's last line
├── ConfigError           a configuration that cannot be used
├── RowsError             a file of rows that cannot be read, or holds nothing to use
├── PolicyError           a model or tokenizer that cannot be loaded
├── RolloutFaultError     an attempt that something on our side broke
├── TrainerError          a trainer's own process that failed
└── JobStoppedError       the job was asked to stop
"""


class JobError(Exception):
    """Anything that a job refuses."""


class ConfigError(JobError):
    """A configuration that cannot be used."""


class RowsError(JobError):
    """A file of rows that cannot be read, or that holds nothing to use."""


class PolicyError(JobError):
    """A model or tokenizer that cannot be loaded."""


class RolloutFaultError(JobError):
    """An attempt that something on our side broke: it has no reward."""


class TrainerError(JobError):
    """A trainer's own process that failed."""


class JobStoppedError(JobError):
    """The job was asked to stop."""
