import pytest

from rl_jobs.errors import ConfigError
from rl_jobs.verl.hydra_keys import check_keys
from rl_jobs.verl.job_keys import grpo_keys
from rl_jobs.verl.settings import (
    VerlGrpoConfig,
    VerlSftConfig,
    parse_verl_config,
    read_preset,
    verl_keys,
)

BASE = {"rows_file": "rows.jsonl", "output_folder": "out"}
KNOWN = {
    "data": {"train_batch_size": 1024, "train_files": "x", "shuffle": True},
    "trainer": {"nnodes": 1, "_target_": "y"},
}


def test_an_unknown_key_of_verl_is_named_with_what_comes_close() -> None:
    with pytest.raises(ConfigError) as refused:
        check_keys(KNOWN, {"data.train_batchsize": 8})
    assert str(refused.value) == (
        "verl has no setting 'data.train_batchsize': 'train_batchsize' does not stand under "
        "'data'; close to it: train_batch_size, train_files. Correct it, or write "
        "+data.train_batchsize to add it."
    )


def test_where_nothing_comes_close_all_are_named() -> None:
    with pytest.raises(ConfigError, match="at the top; there are: data, trainer"):
        check_keys(KNOWN, {"zzz.q": 1})
    with pytest.raises(ConfigError, match="nothing stands below it"):
        check_keys(KNOWN, {"data.shuffle.deep": 1})


def test_a_key_is_added_on_purpose() -> None:
    check_keys(KNOWN, {"+data.new": 1, "data.shuffle": False})


def test_the_cpu_preset_trains_the_tiny_policy() -> None:
    config = parse_verl_config({**BASE, "model": "policy"}, VerlGrpoConfig)
    assert (config.rollout, config.use_cpu, config.limits.max_calls) == ("hf_cpu", True, 4)
    preset, own = verl_keys(config)
    assert preset["transfer_queue.backend.SimpleStorage.num_data_storage_units"] == 1
    assert own == {}


@pytest.mark.parametrize("machine", ["qwen3_1_7b", "qwen3_4b", "qwen3_8b"])
@pytest.mark.parametrize("rollout", ["vllm", "sglang"])
def test_the_presets_carry_the_published_numbers(machine: str, rollout: str, tmp_path) -> None:
    given = {**BASE, "machine": machine, "rollout": rollout}
    config = parse_verl_config(given, VerlGrpoConfig)
    keys = {**verl_keys(config)[0], **grpo_keys(config, tmp_path, tmp_path, tmp_path)}
    actor, generation = "actor_rollout_ref.actor", "actor_rollout_ref.rollout"
    assert keys["data.train_batch_size"] == 256
    assert keys[f"{actor}.ppo_mini_batch_size"] == 64
    assert keys[f"{actor}.optim.lr"] == 1e-6
    assert keys[f"{actor}.kl_loss_coef"] == 0.001
    assert keys[f"{generation}.n"] == 8
    assert keys[f"{generation}.temperature"] == 0.7
    assert keys[f"{generation}.name"] == rollout
    assert keys["data.max_prompt_length"] == 16384
    sft = parse_verl_config({**BASE, "machine": machine}, VerlSftConfig)
    assert (sft.learning_rate, sft.batch_size, sft.warmup_share) == (1e-6, 32, 0.1)
    assert sft.model == config.model


@pytest.mark.parametrize(("tasks", "group", "micro"), [(8, 8, 16), (2, 2, 4), (3, 6, 2)])
def test_a_mini_batch_is_taken_apart_without_a_rest(
    tasks: int, group: int, micro: int, tmp_path
) -> None:
    given = {**BASE, "model": "policy", "tasks_per_step": tasks, "group_size": group}
    keys = grpo_keys(parse_verl_config(given, VerlGrpoConfig), tmp_path, tmp_path, tmp_path)
    assert keys["actor_rollout_ref.actor.ppo_micro_batch_size_per_gpu"] == micro


def test_what_the_file_says_goes_before_the_preset() -> None:
    given = {**BASE, "machine": "qwen3_4b", "model": "/m", "limits": {"max_calls": 3}}
    config = parse_verl_config(given, VerlGrpoConfig)
    assert (config.model, config.limits.max_calls, config.limits.max_messages) == ("/m", 3, 10)


def test_a_machine_without_a_preset_is_refused() -> None:
    with pytest.raises(ConfigError, match="Unknown machine 'tpu'; there are presets for: cpu"):
        read_preset("tpu")


def test_a_backend_that_does_not_fit_the_machine_is_refused() -> None:
    with pytest.raises(ConfigError, match=r"'rollout' is 'vllm'.*give hf_cpu"):
        parse_verl_config({**BASE, "model": "m", "rollout": "vllm"}, VerlGrpoConfig)


def test_an_unknown_setting_is_refused() -> None:
    with pytest.raises(ConfigError, match="Unknown setting 'mini_batches'"):
        parse_verl_config({**BASE, "model": "m", "mini_batches": 2}, VerlGrpoConfig)
