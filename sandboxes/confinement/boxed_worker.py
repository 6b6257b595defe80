"""A worker in a bubblewrap box: `python -m …boxed_worker SETTINGS [trial]`."""

import os
import sys

from sandboxes.confinement import seccomp, worker_process
from sandboxes.confinement.mechanism import ServerSettings


def main() -> None:
    """Import the host module, finish the confinement, and answer requests."""
    settings = ServerSettings.model_validate_json(sys.argv[1])
    trial = sys.argv[2:] == ["trial"]
    status = 70
    try:
        answer = None
        if settings.host is not None and not trial:
            answer = worker_process.host_answer(settings.host)
        worker_process.confine(
            settings.limits, ruleset=None, program=seccomp.filter_program_if_any(), nobody=True
        )
        if answer is None:
            worker_process.look_around()
        else:
            worker_process.serve(answer)
        status = 0
    except BaseException as error:
        worker_process.tell_failure(error, plain=trial)
    finally:
        os._exit(status)


if __name__ == "__main__":
    main()
