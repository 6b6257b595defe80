"""Put one of the two kernel mechanisms on this process, then run the code in the last argument.

So each is seen to hold by itself what the other would hold too.
"""

import json
import sys
from pathlib import Path

from sandboxes.confinement import landlock, seccomp
from sandboxes.confinement.mechanism import library_folders
from sandboxes.confinement.system_calls import (
    NO_NEW_PRIVILEGES,
    control_process,
    drop_capabilities,
)

HERE = Path(__file__).parent

if __name__ == "__main__":
    sys.path.insert(0, str(HERE))
    import hostile_host

    mechanism, given, code = sys.argv[1:]
    control_process(NO_NEW_PRIVILEGES, 1)
    if mechanism == "landlock":
        drop_capabilities()
        landlock.restrict_to(landlock.reading_only(library_folders()))
    else:
        seccomp.filter_calls(seccomp.filter_program())
    request = {"code": code, "given": json.loads(given)}
    sys.stdout.write(json.dumps(hostile_host.answer(request, None)))
