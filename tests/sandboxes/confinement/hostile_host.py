"""A host module for tests: runs whatever code it is sent, with ways to try forbidden things."""

import ctypes
import os
import random
import re
import socket
import sys
import threading

import pydantic

from sandboxes.verification.time_limit import TimeLimitExceededError, time_limit

_library = ctypes.CDLL(None, use_errno=True)
_PRELOADED = (random, re, socket, sys, threading, pydantic, TimeLimitExceededError, time_limit)


def system_call(number, *arguments):
    """Make a system call; return what it gives, or the negative error number."""
    outcome = _library.syscall(ctypes.c_long(number), *map(_word, arguments))
    return outcome if outcome >= 0 else -ctypes.get_errno()


def _word(argument):
    return ctypes.c_char_p(argument) if isinstance(argument, bytes) else ctypes.c_long(argument)


def answer(request, ask_parent):
    successes = []

    def attempt(act, *arguments):
        try:
            outcome = act(*arguments)
        except (OSError, RuntimeError, ValueError):
            return
        if not (isinstance(outcome, int) and outcome < 0):
            successes.append(repr((getattr(act, "__name__", ""), arguments))[:200])

    names = {
        **request.get("given", {}),
        "ask_parent": ask_parent,
        "attempt": attempt,
        "ctypes": ctypes,
        "os": os,
        "result": None,
        "successes": successes,
        "system_call": system_call,
    }
    exec(request["code"], names)
    return {"result": names["result"], "successes": successes}
