"""The embedded default: a small Qwen3-architecture model with random weights, and its tokenizer."""

from collections.abc import Iterable
from importlib.resources import files
from typing import TYPE_CHECKING

from rl_jobs.config import TinyModel
from rl_jobs.trl.dialect import CompactDialect

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerFast, Qwen3ForCausalLM

END = "<|end|>"
PAD = "<|pad|>"
_SPECIAL = (PAD, END, "<|tools|>", "<|user|>", "<|assistant|>", "<|tool|>")
# A word, a number or a sign keeps the space before it, so that a value has the same tokens where
# it is said, where a tool returns it, and where a call repeats it.
_PIECES = r" ?[A-Z]{2,}-\d+| ?[^\W\d]+| ?\d+|\n| ?[^\s\w]|\s"
_MOST_POSITIONS = 2048


def compact_template() -> str:
    """Return the chat template of the tiny policy."""
    return files("rl_jobs.trl").joinpath("compact.jinja").read_text(encoding="utf-8").strip()


def train_tokenizer(texts: Iterable[str], shape: TinyModel) -> "PreTrainedTokenizerFast":
    """Train a byte-level tokenizer on a corpus; the same corpus gives the same tokenizer."""
    from tokenizers import Regex, Tokenizer, decoders, models, pre_tokenizers, trainers
    from transformers import PreTrainedTokenizerFast

    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Split(Regex(_PIECES), behavior="isolated"),
            pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
        ]
    )
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=shape.vocabulary,
        special_tokens=list(_SPECIAL),
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    tokenizer.train_from_iterator(texts, trainer)
    wrapped = PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        eos_token=END,
        pad_token=PAD,
        additional_special_tokens=list(_SPECIAL[2:]),
    )
    wrapped.chat_template = compact_template()
    return wrapped


def compact_dialect(tokenizer: "PreTrainedTokenizerFast", shape: TinyModel) -> CompactDialect:
    """Return the dialect of the tiny policy."""
    return CompactDialect(
        tokenizer, compact_template(), items=shape.result_items, fields=shape.result_fields
    )


def random_model(
    tokenizer: "PreTrainedTokenizerFast", shape: TinyModel, seed: int
) -> "Qwen3ForCausalLM":
    """Return the model with weights drawn from a seed."""
    from transformers import Qwen3Config, Qwen3ForCausalLM, set_seed

    set_seed(seed)
    config = Qwen3Config(
        vocab_size=len(tokenizer),
        hidden_size=shape.hidden,
        intermediate_size=shape.feed_forward,
        num_hidden_layers=shape.layers,
        num_attention_heads=shape.heads,
        num_key_value_heads=shape.heads,
        head_dim=shape.hidden // shape.heads,
        max_position_embeddings=_MOST_POSITIONS,
        tie_word_embeddings=True,
        pad_token_id=tokenizer.pad_token_id,
        eos_token_id=tokenizer.eos_token_id,
        bos_token_id=None,
    )
    model = Qwen3ForCausalLM(config)
    _look_alike(model)
    return model


def _look_alike(model: "Qwen3ForCausalLM") -> None:
    """Begin with attention that finds like tokens and passes on what it finds.

    Queries and keys start out equal, and the output projection as the transpose of the value
    projection. What the policy must learn is mostly to repeat what it was told; from here it does
    so after a third of the steps.
    """
    import torch

    config = model.config
    scale = config.hidden_size**-0.5
    with torch.no_grad():
        for layer in model.model.layers:
            attention = layer.self_attn
            for head in range(config.num_attention_heads):
                rows = slice(head * config.head_dim, (head + 1) * config.head_dim)
                shared = torch.randn(config.head_dim, config.hidden_size) * scale
                passed = torch.randn(config.head_dim, config.hidden_size) * scale
                attention.q_proj.weight[rows] = shared
                attention.k_proj.weight[rows] = shared
                attention.v_proj.weight[rows] = passed
                attention.o_proj.weight[:, rows] = passed.T
