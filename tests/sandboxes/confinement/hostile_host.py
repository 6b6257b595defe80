"""A host module for tests: runs whatever code it is sent."""

import pydantic  # noqa: F401 - what is preloaded stays usable


def answer(request, ask_parent):
    names = {"request": request, "ask_parent": ask_parent}
    exec(request["code"], names)
    return {"result": names.get("result")}
