"""The language model of a profile: its endpoint, its key and its reply cache put together."""

from collections.abc import Mapping

from envfactory_resources.clients.language_model.errors import ModelSettingsError
from envfactory_resources.clients.language_model.language_model import LanguageModel
from envfactory_resources.errors import ConfigurationError
from envfactory_resources.home import Home
from envfactory_resources.profiles import ModelEndpoint, Profile


def language_model_of(profile: Profile, variables: Mapping[str, str]) -> LanguageModel:
    """Return the model that plays roles in a profile; nothing is sent yet.

    Args:
        profile: Names the endpoint.
        variables: Hold the key and the home, under which replies are kept.

    Raises:
        ConfigurationError: If the endpoint or its key is missing or cannot work.
    """
    endpoint = profile.endpoint
    if endpoint is None:
        raise ConfigurationError(
            f"Profile {profile.name!r} lets a model play roles but names no endpoint. Add a table "
            f'[profiles.{profile.name}.endpoint] with model = "…" to envfactory.toml, and base_url '
            "for a server other than Anthropic's."
        )
    try:
        return LanguageModel(
            model=endpoint.model,
            cache_dir=Home.from_variables(variables).replies,
            base_url=endpoint.base_url,
            api_key=_key(profile.name, endpoint, variables),
            max_retries=endpoint.max_retries,
            timeout_seconds=endpoint.timeout_seconds,
            max_concurrency=endpoint.max_concurrency,
            prices=endpoint.prices,
        )
    except ModelSettingsError as error:
        raise ConfigurationError(
            f"The endpoint of profile {profile.name!r} cannot be used: {error}"
        ) from error


def _key(profile_name: str, endpoint: ModelEndpoint, variables: Mapping[str, str]) -> str | None:
    """Return the key; a server of one's own gets one only where its variable is named."""
    if endpoint.base_url is not None and "api_key_variable" not in endpoint.model_fields_set:
        return None
    key = variables.get(endpoint.api_key_variable, "").strip()
    if key:
        return key
    more = "" if endpoint.base_url is None else ", or leave api_key_variable out if it needs none"
    raise ConfigurationError(
        f"Profile {profile_name!r} lets {endpoint.model!r} play roles, but the environment variable "
        f"{endpoint.api_key_variable} is not set. Set it to the endpoint's key{more}; the profile "
        "'offline' needs no key."
    )
