# pyright: basic, reportMissingImports=false
# verl stands in an environment of its own, and its types are partly unknown.
"""verl's view of a machine without an accelerator: one logical device, which is the CPU."""

import types
from collections.abc import Generator
from contextlib import contextmanager
from functools import wraps
from typing import Any

import torch
import torch.distributed
from verl.plugin.platform import PlatformBase, PlatformRegistry

_DEVICE = torch.device("cpu")


class _CpuModule(types.ModuleType):
    """`torch.cpu` with what verl asks of `torch.cuda`; memory is not accounted for."""

    def __getattr__(self, name: str) -> object:
        return getattr(torch.cpu, name)

    def set_device(self, device: object) -> None:
        """Do nothing: there is one device."""

    def empty_cache(self) -> None:
        """Do nothing: there is no cache."""

    def ipc_collect(self) -> None:
        """Do nothing: there is nothing to collect."""

    def memory_allocated(self, *_: object) -> int:
        """Return 0: memory is not accounted for."""
        return 0

    memory_reserved = max_memory_allocated = max_memory_reserved = memory_allocated

    def mem_get_info(self, *_: object) -> tuple[int, int]:
        """Return free and total memory, both unknown."""
        return 0, 0

    def get_device_name(self, *_: object) -> str:
        """Return what the device is called."""
        return "cpu"

    def get_rng_state(self, *_: object) -> torch.Tensor:
        """Return the state of the one generator."""
        return torch.get_rng_state()

    def set_rng_state(self, state: torch.Tensor, *_: object) -> None:
        """Set the state of the one generator."""
        torch.set_rng_state(state)


_MODULE = _CpuModule("rl_jobs_cpu_device")


@PlatformRegistry.register(platform="cpu")
class CpuPlatform(PlatformBase):
    """One logical device; Ray hands it out as a GPU, so that placement works as it always does."""

    device_name = "cpu"
    vendor_name = "cpu"
    device_module = _MODULE

    def is_available(self) -> bool:
        """Return True: there is always a CPU."""
        return True

    def is_platform_available(self, use_smi_check: bool = False) -> bool:
        """Return False, so that it is used only where `VERL_PLATFORM` names it."""
        del use_smi_check
        return False

    def current_device(self) -> torch.device:
        """Return the device itself: an index would mean a GPU to torch."""
        return _DEVICE

    def device_count(self) -> int:
        """Return 1."""
        return 1

    def set_device(self, device_index: int) -> None:
        """Do nothing: there is one device."""

    def synchronize(self, device_index: int | None = None) -> None:
        """Do nothing: work on the CPU is done when the call returns."""

    def manual_seed(self, seed: int) -> None:
        """Seed the one generator."""
        torch.manual_seed(seed)

    def manual_seed_all(self, seed: int) -> None:
        """Seed the one generator."""
        torch.manual_seed(seed)

    def set_allocator_settings(self, settings: str) -> None:
        """Do nothing: the allocator has no settings."""

    def empty_cache(self) -> None:
        """Do nothing: there is no cache."""

    def get_device_capability(self, device_index: int = 0) -> tuple[int | None, int | None]:
        """Return that there is none."""
        del device_index
        return None, None

    def communication_backend_name(self) -> str:
        """Return torch's backend for processors."""
        return "gloo"

    def visible_devices_envvar(self) -> str:
        """Return what Ray sets for a logical GPU."""
        return "CUDA_VISIBLE_DEVICES"

    @contextmanager
    def nvtx_range(self, msg: str) -> Generator[None]:
        """Do nothing: nothing is profiled."""
        del msg
        yield

    def profiler_start(self) -> None:
        """Do nothing: nothing is profiled."""

    def profiler_stop(self) -> None:
        """Do nothing: nothing is profiled."""

    def ray_resource_name(self) -> str:
        """Return the logical resource that stands for the CPU."""
        return "GPU"

    def ray_noset_envvars(self) -> list[str]:
        """Return what keeps Ray from hiding devices."""
        return ["RAY_EXPERIMENTAL_NOSET_CUDA_VISIBLE_DEVICES"]

    def is_ipc_supported(self) -> bool:
        """Return False: there is no device memory to share."""
        return False

    def cudart(self) -> None:
        """Return nothing: there is no such library."""


def accept_one_backend() -> None:
    """Let torch take the process group that verl asks for.

    verl names a backend for processors and one for the device, which here are the same device named
    twice; torch refuses that and takes the plain name.
    """
    begin = torch.distributed.init_process_group

    @wraps(begin)
    def init_process_group(backend: str | None = None, **kwargs: Any) -> None:  # noqa: ANN401
        named_twice = backend is not None and backend.startswith("cpu:gloo")
        begin("gloo" if named_twice else backend, **kwargs)

    torch.distributed.init_process_group = init_process_group
