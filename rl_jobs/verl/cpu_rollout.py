# pyright: basic, reportMissingImports=false, reportAttributeAccessIssue=false
# verl stands in an environment of its own, and its types are partly unknown.
"""A rollout backend for verl without a GPU: transformers generates, in one Ray actor.

Requests that wait are generated together. Weights come from the trainer as whole tensors through
Ray's object store. Made for the tiny policy; nothing here is fast for a real model.
"""

import asyncio
from collections.abc import AsyncIterable, AsyncIterator, Iterable
from dataclasses import dataclass
from typing import Any

import ray
import torch
from torch.distributed.tensor import DTensor
from verl.workers.rollout.base import BaseRollout
from verl.workers.rollout.replica import RolloutReplica, TokenOutput

_NAME = "hf_cpu"
_GATHER_SECONDS = 0.05
Weights = Iterable[tuple[str, torch.Tensor]] | AsyncIterable[tuple[str, torch.Tensor]]


@dataclass
class _Request:
    prompt: list[int]
    temperature: float
    max_tokens: int
    answer: "asyncio.Future[tuple[list[int], list[float]]]"


class CpuServer:
    """The actor that holds the model."""

    def __init__(self, model_path: str, response_length: int, threads: int, seed: int) -> None:
        """Load the model; the trainer's weights follow."""
        from transformers import AutoModelForCausalLM, AutoTokenizer

        torch.set_num_threads(threads)
        torch.manual_seed(seed)
        self._model = AutoModelForCausalLM.from_pretrained(model_path, dtype=torch.float32).eval()
        self._tokenizer = AutoTokenizer.from_pretrained(model_path)
        self._response_length = response_length
        self._waiting: list[_Request] = []
        self._is_generating = False
        self._train_step = 0

    async def generate(
        self,
        prompt_ids: list[int],
        sampling_params: dict[str, Any],
        request_id: str,
        **media: object,
    ) -> TokenOutput:
        """Return the tokens that follow a prompt."""
        del request_id, media
        limit = int(sampling_params.get("max_tokens") or self._response_length)
        answer = asyncio.get_running_loop().create_future()
        temperature = float(sampling_params.get("temperature", 1.0))
        self._waiting.append(_Request(list(prompt_ids), temperature, max(1, limit), answer))
        if not self._is_generating:
            self._is_generating = True
            asyncio.get_running_loop().create_task(self._serve())
        ids, logprobs = await answer
        return TokenOutput(
            token_ids=ids,
            log_probs=logprobs if sampling_params.get("logprobs") else None,
            stop_reason="completed",
            extra_fields={"global_steps": self._train_step},
        )

    async def load_weights(self, weights: dict[str, torch.Tensor]) -> None:
        """Take the trainer's weights."""
        own = dict(self._model.named_parameters())
        with torch.no_grad():
            for name, tensor in weights.items():
                if name in own:
                    own[name].copy_(tensor)

    async def set_global_steps(self, step: int) -> None:
        """Remember which train step the weights are of."""
        self._train_step = step

    async def idle(self, *_: object, **__: object) -> None:
        """Do nothing: memory is neither freed nor taken back."""

    wake_up = sleep = abort_all_requests = resume_generation = clear_kv_cache = idle
    release_kv_cache = resume_kv_cache = start_profile = stop_profile = idle

    async def _serve(self) -> None:
        while True:
            # Trajectories of a step ask at nearly the same time; together they cost little more.
            await asyncio.sleep(_GATHER_SECONDS)
            if not self._waiting:
                self._is_generating = False
                return
            temperature = self._waiting[0].temperature
            batch = [one for one in self._waiting if one.temperature == temperature]
            self._waiting = [one for one in self._waiting if one.temperature != temperature]
            try:
                written = await asyncio.to_thread(self._generate, batch, temperature)
            except Exception as error:
                for request in batch:
                    request.answer.set_exception(error)
                continue
            for request, one in zip(batch, written, strict=True):
                request.answer.set_result(one)

    def _generate(
        self, batch: list[_Request], temperature: float
    ) -> list[tuple[list[int], list[float]]]:
        width = max(len(one.prompt) for one in batch)
        pad, end = self._tokenizer.pad_token_id, self._tokenizer.eos_token_id
        ids = torch.tensor([[pad] * (width - len(one.prompt)) + one.prompt for one in batch])
        mask = torch.tensor(
            [[0] * (width - len(one.prompt)) + [1] * len(one.prompt) for one in batch]
        )
        sampling = {"do_sample": True, "temperature": temperature, "top_k": 0, "top_p": 1.0}
        with torch.no_grad():
            output = self._model.generate(
                input_ids=ids,
                attention_mask=mask,
                max_new_tokens=max(one.max_tokens for one in batch),
                eos_token_id=end,
                pad_token_id=pad,
                return_dict_in_generate=True,
                output_logits=True,
                **(sampling if temperature > 0 else {"do_sample": False}),
            )
        scale = temperature if temperature > 0 else 1.0
        logprobs = torch.log_softmax(torch.stack(output.logits, dim=1) / scale, dim=-1)
        written = output.sequences[:, width:]
        chosen = logprobs.gather(-1, written.unsqueeze(-1)).squeeze(-1)
        return [
            _until(row.tolist(), told.tolist(), end, request.max_tokens)
            for row, told, request in zip(written, chosen, batch, strict=True)
        ]


class CpuReplica(RolloutReplica):
    """Starts the one actor of a replica."""

    async def launch_servers(self) -> None:
        """Start the actor beside the trainer."""
        name = _actor_name(self.replica_rank)
        threads = int(self.config.engine_kwargs.get("hf_cpu", {}).get("threads", 2))
        server = (
            ray.remote(CpuServer)
            .options(name=name, num_cpus=1, max_concurrency=self.max_concurrency)
            .remote(self.model_config.path, self.config.response_length, threads, self.config.seed)
        )
        await server.idle.remote()
        self.servers = [server]
        self._server_handle = server
        self._server_address = name


class CpuRollout(BaseRollout):
    """The trainer's side: hands weights to the actor."""

    def __init__(self, *args: object, replica_rank: int = 0, **kwargs: object) -> None:
        """Know which replica this is of; there is one."""
        super().__init__(*args, **kwargs)
        self._replica_rank = max(replica_rank, 0)

    async def resume(self, tags: list[str]) -> None:
        """Do nothing: no memory was freed."""

    async def release(self) -> None:
        """Do nothing: no memory is freed."""

    async def update_weights(
        self,
        weights: Weights,
        wire_format: str = "named_tensors",
        global_steps: int | None = None,
        **kwargs: object,
    ) -> None:
        """Send whole tensors."""
        del kwargs
        if wire_format != "named_tensors":
            raise ValueError(f"Rollout {_NAME!r} takes whole tensors, not {wire_format!r}.")
        held = {name: _whole(tensor) async for name, tensor in _each(weights)}
        server = ray.get_actor(_actor_name(self._replica_rank))
        await server.load_weights.remote(held)
        if global_steps is not None:
            await server.set_global_steps.remote(global_steps)


def _actor_name(replica_rank: int) -> str:
    return f"{_NAME}_server_{replica_rank}"


async def _each(weights: Weights) -> AsyncIterator[tuple[str, torch.Tensor]]:
    if isinstance(weights, AsyncIterable):
        async for item in weights:
            yield item
        return
    for item in weights:
        yield item


def _whole(tensor: torch.Tensor) -> torch.Tensor:
    whole = tensor.full_tensor() if isinstance(tensor, DTensor) else tensor
    return whole.detach().to("cpu", torch.float32).clone()


def _until(
    row: list[int], logprobs: list[float], end: int, limit: int
) -> tuple[list[int], list[float]]:
    length = row.index(end) + 1 if end in row else len(row)
    length = min(length, limit)
    return row[:length], logprobs[:length]
