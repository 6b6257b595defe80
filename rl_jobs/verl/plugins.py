# pyright: basic, reportMissingImports=false, reportAttributeAccessIssue=false
# verl stands in an environment of its own, and its types are partly unknown.
"""What verl imports when it starts (`VERL_USE_EXTERNAL_MODULES=rl_jobs.verl.plugins`).

Registers the CPU platform and the `hf_cpu` rollout. The rollout's worker side has no public
registry yet, so a private one is written to, and only where the version is one that was tried.
"""

import verl
from verl.workers.rollout import base
from verl.workers.rollout.replica import RolloutReplica, RolloutReplicaRegistry

from rl_jobs.verl import cpu_platform

TRIED_VERSIONS = ("0.9.1",)
_NAME = "hf_cpu"


def _load_replica() -> type[RolloutReplica]:
    # `cpu_rollout` imports verl, and verl this module: it can only be imported later.
    from rl_jobs.verl.cpu_rollout import CpuReplica

    return CpuReplica


if verl.__version__ not in TRIED_VERSIONS:
    raise ImportError(
        f"verl {verl.__version__} was not tried with the CPU plug-ins; they know "
        f"{', '.join(TRIED_VERSIONS)}. Install that version, or train on a GPU with vLLM or SGLang."
    )

cpu_platform.accept_one_backend()
RolloutReplicaRegistry.register(_NAME, _load_replica)
base._ROLLOUT_REGISTRY[_NAME, "async"] = "rl_jobs.verl.cpu_rollout.CpuRollout"
