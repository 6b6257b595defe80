# Everything runs in a virtual environment in this folder; nothing else needs to be installed than
# Python 3.11, git and make.
PYTHON ?= python3.11
VENV := .venv
BIN := $(VENV)/bin
COMMAND := $(BIN)/python -m envfactory_assets.command_line
# verl has an environment of its own; beside TRL it does not start.
VERL_VENV := .venv-verl
VERL := $(VERL_VENV)/bin/python -m rl_jobs.verl
# uv reads only its own variable for local wheel folders.
export UV_FIND_LINKS ?= $(PIP_FIND_LINKS)
export ENVFACTORY_HOME ?= $(CURDIR)/.envfactory
export ENVFACTORY_DAGSTER_STORAGE ?= $(ENVFACTORY_HOME)/dagster
export DAGSTER_HOME ?= $(CURDIR)
export PYTHONPATH := $(CURDIR)
export PYTHONWARNINGS ?= ignore::DeprecationWarning

.PHONY: run train-verl-cpu generate import proposals decide promote demote evaluate ui test lint format bench lock clean

run: $(VENV)/run.stamp  ## The main job: all domains, datasets, training, evaluation.
	@$(COMMAND) run

train-verl-cpu: $(VERL_VENV)/verl.stamp  ## SFT and GRPO with verl on the CPU, on what `make run` made.
	@$(VERL).on_cpu --home $(ENVFACTORY_HOME) $(addprefix --sft-steps ,$(SFT_STEPS)) \
		$(addprefix --grpo-steps ,$(GRPO_STEPS))

generate: $(VENV)/run.stamp  ## Environments from documents or a model: make generate DOMAIN=travel
	@$(COMMAND) generate $(addprefix --domain ,$(DOMAIN))

import: $(VENV)/run.stamp  ## make import FILE=api.yaml (or MCP_COMMAND=…, MCP_URL=…) DOMAIN=travel NAME=car_rental
	@$(COMMAND) import $(FILE) --domain "$(DOMAIN)" --name "$(NAME)" \
		--mcp-command "$(MCP_COMMAND)" --mcp-url "$(MCP_URL)"

proposals: $(VENV)/run.stamp  ## What is proposed, and what became of it.
	@$(COMMAND) proposals $(addprefix --domain ,$(DOMAIN))

decide: $(VENV)/run.stamp  ## make decide ID=travel.car_rental VERDICT=approve|edit|veto REASON="…"
	@$(COMMAND) decide $(ID) $(VERDICT) --reason "$(REASON)"

promote: $(VENV)/run.stamp  ## make promote ID=travel.car_rental [REVIEWED=1]
	@$(COMMAND) promote $(ID) $(if $(REVIEWED),--reviewed)

demote: $(VENV)/run.stamp  ## make demote ID=travel.car_rental
	@$(COMMAND) demote $(ID)

evaluate: $(VENV)/run.stamp  ## A model at an endpoint on held-out tasks: make evaluate ENDPOINT=profile
	@$(if $(ENDPOINT),ENVFACTORY_PROFILE=$(ENDPOINT) )$(COMMAND) evaluate

ui: $(VENV)/run.stamp  ## Dagster's webserver and daemon on the same home.
	@mkdir -p $(ENVFACTORY_DAGSTER_STORAGE)
	@$(BIN)/dagster dev -w workspace.yaml --port $(or $(PORT),3000)

test: $(VENV)/dev.stamp  ## Every test.
	@$(BIN)/python -m pytest

lint: $(VENV)/dev.stamp  ## Formatting, rules, import law, types.
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/lint-imports
	$(BIN)/pyright

format: $(VENV)/dev.stamp
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

bench: $(VENV)/dev.stamp  ## Printed figures; ratios within one run.
	@for file in benchmarks/*.py; do echo "== $$file"; $(BIN)/python $$file || exit 1; done

lock: $(VENV)/uv.stamp  ## Pin the requirements anew from pyproject.toml.
	$(BIN)/uv pip compile -q --no-header --no-annotate --python-version 3.11 pyproject.toml \
		--extra train -o requirements/run.txt
	$(BIN)/uv pip compile -q --no-header --no-annotate --python-version 3.11 pyproject.toml \
		--extra train --extra dev -c requirements/run.txt -o requirements/dev.txt
	$(BIN)/uv pip compile -q --upgrade --no-header --no-annotate --python-version 3.11 \
		requirements/verl.in -o requirements/verl.txt
	sed -i 's/^\(torch==[0-9.]*\)+cpu/\1/' requirements/*.txt

clean:  ## Remove what runs wrote; the virtual environment stays.
	rm -rf $(CURDIR)/.envfactory logs .logs_queue .pytest_cache .ruff_cache .hypothesis .import_linter_cache

$(VENV)/uv.stamp:
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check uv
	@touch $@

$(VENV)/run.stamp: requirements/run.txt | $(VENV)/uv.stamp
	$(BIN)/uv pip install --quiet --compile-bytecode --python $(BIN)/python -r requirements/run.txt
	@touch $@

$(VENV)/dev.stamp: requirements/dev.txt | $(VENV)/uv.stamp
	$(BIN)/uv pip install --quiet --compile-bytecode --python $(BIN)/python -r requirements/dev.txt
	@touch $@ $(VENV)/run.stamp

$(VERL_VENV)/verl.stamp: requirements/verl.txt | $(VENV)/uv.stamp
	$(BIN)/uv venv --quiet --allow-existing --python $(PYTHON) $(VERL_VENV)
	$(BIN)/uv pip sync --quiet --python $(VERL_VENV)/bin/python requirements/verl.txt
	@touch $@
