# The two commands are `make up` and `make test`; each makes the virtual environment it needs.
PYTHON ?= python3
VENV ?= .venv
BIN = $(VENV)/bin

.PHONY: up test test-slow test-compiled check format golden bench bench-http bench-sandbox clean

up: $(VENV)/.up
	$(BIN)/botequim up

test: $(VENV)/.test
	$(BIN)/python -m pytest -n 2 --dist worksteal -m "not slow"

# Seeded faults in the rules, long runs against the whole API.
test-slow: $(VENV)/.test
	$(BIN)/python -m pytest -n 2 --dist worksteal -m slow

# The same tests on a copy in which all is compiled that BOTEQUIM_COMPILE=1 compiles.
COMPILED = build/compiled
test-compiled: $(VENV)/.test
	rm -rf $(COMPILED)
	mkdir -p $(COMPILED)
	cp -r api arena workers tests docs examples *.py *.toml *.yaml *.md LICENSE $(COMPILED)
	cd $(COMPILED) && BOTEQUIM_COMPILE=1 $(abspath $(BIN))/python setup.py --quiet build_ext --inplace
	cd $(COMPILED) && $(abspath $(BIN))/python -c "import arena.table as it; assert it.__file__.endswith('.so')"
	cd $(COMPILED) && $(abspath $(BIN))/python -m pytest -n 2 --dist worksteal -m "not slow" \
		tests/bots tests/contract tests/games tests/golden tests/live tests/records tests/runner

check: $(VENV)/.test
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy

format: $(VENV)/.test
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

golden: $(VENV)/.test
	$(BIN)/python -m tests.golden.regenerate

# With the rules and the path of a live move compiled by mypyc (a C compiler is needed): the rules beside the
# engines of the bench extra, the HTTP API beside a bare route, and the sandbox beside kaggle-environments.
bench: .venv-bench/.done
	cd .venv-bench && bin/botequim bench

bench-http: .venv-bench/.done
	cd .venv-bench && bin/botequim bench http

bench-sandbox: .venv-bench/.kaggle
	cd .venv-bench && bin/python -m arena.sandbox.bench

.venv-bench/.kaggle: .venv-bench/.done
	.venv-bench/bin/python -m pip install --quiet 'botequim[kaggle]'
	touch $@

.venv-bench/.done: pyproject.toml setup.py $(shell find arena api workers -name '*.py' -o -name '*.lua')
	$(PYTHON) -m venv .venv-bench
	BOTEQUIM_COMPILE=1 .venv-bench/bin/python -m pip install --quiet '.[server,bench]'
	touch $@

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
