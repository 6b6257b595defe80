"""Reading the one fenced Python block of a coder's reply."""

import re

_THINKING = re.compile(r"\A\s*<think>.*?</think>", re.DOTALL)
_BLOCK = re.compile(r"^```(?:python|py)[ \t]*\n(.*?)^```[ \t]*$", re.DOTALL | re.MULTILINE)
_FENCE = re.compile(r"^```", re.MULTILINE)


def code_block(text: str) -> tuple[str, str]:
    """Return the code of a reply, and what is wrong with the reply; one of them is empty.

    Args:
        text: The text of the reply; a leading `<think>` part is passed over.
    """
    said = _THINKING.sub("", text)
    blocks: list[str] = _BLOCK.findall(said)
    if not blocks:
        is_open = _FENCE.search(said) is not None
        return "", "a fenced block that is not closed" if is_open else "no fenced Python block"
    if len(blocks) > 1:
        return "", f"{len(blocks)} fenced Python blocks"
    code = blocks[0]
    if not code.strip():
        return "", "an empty fenced block"
    try:
        code.encode()
    except UnicodeEncodeError:
        return "", "characters that no text file can hold"
    return code, ""
