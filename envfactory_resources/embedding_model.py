"""The embedding model as Dagster resource."""

from dataclasses import dataclass

import dagster as dg

from envfactory_resources.clients.embedding.embedding_model import EmbeddingModel
from envfactory_resources.clients.embedding.sentence_transformer import (
    SentenceTransformerEmbedding,
)
from envfactory_resources.clients.embedding.similarity_threshold import similarity_threshold
from envfactory_resources.home import Home
from envfactory_resources.profiles import Profile
from envfactory_resources.warehouse import home_of


@dataclass(frozen=True, slots=True)
class Embedding:
    """An embedding model and the threshold that belongs to it."""

    model: EmbeddingModel
    threshold: float


class EmbeddingResource(dg.ConfigurableResource[Embedding]):
    """Hands assets the profile's embedding model; weights are loaded when a vector is missing.

    Attributes:
        profile: The profile's resource.
        home: The home; empty for what `ENVFACTORY_HOME` names when the run starts.
    """

    profile: dg.ResourceDependency[Profile]
    home: str = ""

    def create_resource(self, context: dg.InitResourceContext) -> Embedding:
        """Return the model with its threshold."""
        return embedding_of(self.profile, home_of(self.home))


def embedding_of(profile: Profile, home: Home) -> Embedding:
    """Return the embedding model that a profile asks for; no weights are loaded yet.

    Raises:
        EmbeddingError: If its folder is not there, or nobody knows its threshold.
    """
    model = SentenceTransformerEmbedding(cache_dir=home.vectors, model=profile.embedding_model)
    own = profile.similarity_threshold
    overrides = {model.model_id: own} if own is not None else None
    return Embedding(model, similarity_threshold(model.model_id, overrides))
