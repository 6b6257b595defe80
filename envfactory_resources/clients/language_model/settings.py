"""Where a model is reached and with what, checked before anything is sent."""

from dataclasses import dataclass, field
from urllib.parse import urlsplit

from envfactory_resources.clients.language_model.errors import ModelSettingsError


@dataclass(frozen=True)
class ConnectionSettings:
    """An endpoint and how to treat it; the key stays out of the printed form.

    Raises:
        ModelSettingsError: If a value cannot work.
    """

    model: str
    base_url: str | None = None
    """None for Anthropic's own endpoint."""
    api_key: str | None = field(default=None, repr=False)
    max_retries: int = 2
    timeout_seconds: float = 120.0

    def __post_init__(self) -> None:
        """Check every value."""
        if not self.model.strip():
            raise ModelSettingsError("model is empty; name the model that the endpoint serves.")
        if self.max_retries < 0:
            raise ModelSettingsError(f"max_retries is {self.max_retries}; give 0 or more.")
        if self.timeout_seconds <= 0:
            raise ModelSettingsError(
                f"timeout_seconds is {self.timeout_seconds}; give more than 0."
            )
        if self.base_url is not None:
            _check_base_url(self.base_url)
        _check_key(self.api_key, is_needed=self.base_url is None)

    @property
    def endpoint(self) -> str:
        """The endpoint's address, for messages."""
        return self.base_url or "api.anthropic.com"

    @property
    def is_on_this_machine(self) -> bool:
        """Whether the endpoint is a loopback address."""
        host = urlsplit(self.base_url or "").hostname or ""
        return host in {"localhost", "::1"} or host.startswith("127.")


def _check_base_url(base_url: str) -> None:
    parts = urlsplit(base_url)
    if parts.username or parts.password or parts.query:
        raise ModelSettingsError(
            "base_url carries a user name, password or query; give the key as api_key instead."
        )
    if parts.scheme not in {"http", "https"} or not parts.hostname:
        raise ModelSettingsError(
            f"base_url is {base_url!r}; give an address such as 'http://localhost:8000'."
        )
    if parts.path.rstrip("/").endswith("/v1"):
        raise ModelSettingsError(
            f"base_url is {base_url!r}; leave the '/v1' out, '/v1/messages' is added to it."
        )


def _check_key(api_key: str | None, *, is_needed: bool) -> None:
    if not api_key:
        if is_needed:
            raise ModelSettingsError(
                "api_key is missing; Anthropic's endpoint needs one. Configure it, or set base_url "
                "to a server that needs none."
            )
        return
    # An unsendable header would be quoted, key and all, by the error of the HTTP library.
    if not api_key.isascii() or not api_key.isprintable() or " " in api_key:
        raise ModelSettingsError(
            "api_key holds a space, a line break or a character outside ASCII; configure the bare "
            "key."
        )
