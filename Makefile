# The two commands are `make up` and `make test`; each makes the virtual environment it needs.
PYTHON ?= python3
VENV ?= .venv
BIN = $(VENV)/bin

.PHONY: up test test-slow check format golden bench clean

up: $(VENV)/.up
	$(BIN)/botequim up

test: $(VENV)/.test
	$(BIN)/python -m pytest -n 2 --dist worksteal -m "not slow"

# Seeded faults in the rules, long runs against the whole API.
test-slow: $(VENV)/.test
	$(BIN)/python -m pytest -n 2 --dist worksteal -m slow

check: $(VENV)/.test
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy

format: $(VENV)/.test
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

golden: $(VENV)/.test
	$(BIN)/python -m tests.golden.regenerate

# The rules compiled with mypyc (a C compiler is needed), beside the engines of the bench extra.
bench:
	$(PYTHON) -m venv .venv-bench
	BOTEQUIM_COMPILE=1 .venv-bench/bin/python -m pip install --quiet '.[bench]'
	cd .venv-bench && bin/botequim bench

clean:
	rm -rf $(VENV) .venv-bench build .pytest_cache .mypy_cache .ruff_cache .hypothesis

$(VENV)/bin/python:
	$(PYTHON) -m venv $(VENV)

$(VENV)/.up: pyproject.toml $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet --editable '.[server]'
	touch $@

$(VENV)/.test: pyproject.toml $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet --editable '.[server,dev]'
	touch $@ $(VENV)/.up
