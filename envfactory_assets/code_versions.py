"""Code versions: the hash of the source that an asset's rows depend on, prompts and pages too."""

import hashlib
from pathlib import Path

_ROOT = Path(__file__).parent.parent
_ENDINGS = frozenset({".py", ".txt", ".md", ".jinja", ".html", ".css", ".js"})


def code_version(*packages: str) -> str:
    """Return a short hash over every source, prompt and page file of some packages or modules.

    Args:
        packages: Dotted names below the checkout, `envfactory_assets.stages.queries`.

    Raises:
        FileNotFoundError: If one names no source.
    """
    digest = hashlib.sha256()
    for package in sorted(packages):
        place = _ROOT.joinpath(*package.split("."))
        module = place.with_suffix(".py")
        files = [module] if module.exists() else sorted(place.rglob("*"))
        if not files:
            raise FileNotFoundError(f"{package!r} names no package or module of this checkout.")
        for file in files:
            if file.is_file() and file.suffix in _ENDINGS:
                digest.update(file.relative_to(_ROOT).as_posix().encode() + b"\0")
                digest.update(file.read_bytes() + b"\0")
    return digest.hexdigest()[:16]
