"""Take system calls away from this process and what it starts, then run the rest of the arguments.

`python kernel_without.py NUMBER,NUMBER PROGRAM…`: the calls fail as on a kernel without them. The
number -1 stands for seccomp filters, set by `prctl`.
"""

import errno
import os
import platform
import struct
import sys

from sandboxes.confinement import seccomp
from sandboxes.confinement.system_calls import NO_NEW_PRIVILEGES, SECCOMP, control_process

PRCTL = 157 if platform.machine() == "x86_64" else 167


def filter_without(numbers):
    steps = [(0x20, 0, 0, 0)]
    if -1 in numbers:
        first_argument = [(0x20, 0, 0, 16), (0x15, 0, 1, SECCOMP)]
        steps += [(0x15, 0, 4, PRCTL), *first_argument, (0x06, 0, 0, 0x00050000 | errno.EINVAL)]
        steps.append((0x06, 0, 0, 0x7FFF0000))
    for number in numbers:
        if number < 0:
            continue
        steps += [(0x15, 0, 1, number), (0x06, 0, 0, 0x00050000 | errno.ENOSYS)]
    steps.append((0x06, 0, 0, 0x7FFF0000))
    return b"".join(struct.pack("=HBBI", *step) for step in steps)


if __name__ == "__main__":
    control_process(NO_NEW_PRIVILEGES, 1)
    seccomp.filter_calls(filter_without([int(number) for number in sys.argv[1].split(",")]))
    os.execv(sys.executable, [sys.executable, *sys.argv[2:]])
