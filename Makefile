# The main targets are `up` and `test`; each creates the virtual environment it needs.
PYTHON ?= python3
VENV ?= .venv
BIN = $(VENV)/bin

.PHONY: up test test-system test-nightly test-compiled check format screenshots golden requirements packages bench bench-http bench-sandbox clean

up: $(VENV)/.up
	$(BIN)/botequim up

# Tests start hundreds of processes: none of them compiles the sources again, whatever the shell is set to.
export PYTHONDONTWRITEBYTECODE =

# Twice as many processes as cores: tests of whole services wait more than they compute.
PROCESSES ?= 4
PYTEST = $(abspath $(BIN))/python -m pytest -n $(PROCESSES) --dist worksteal -p tests.durations -p tests.nightly \
	--durations-file $(CURDIR)/build/durations/$@.json $(TEST_FLAGS)
PLAIN = -m "not (system or nightly)"

# With COVERAGE=1, coverage by lines and branches of what runs in the processes of pytest; pyproject.toml sets the floor.
test: $(VENV)/.test
	$(PYTEST) $(PLAIN) $(if $(COVERAGE),--cov --cov-report=term:skip-covered)

# What starts processes: services, workers, checks of uploads, browsers, other languages. One case of each kind at least, and all that are cheap.
test-system: $(VENV)/.test
	$(PYTEST) -m "system and not nightly"

# What is long by nature, slice by slice: all, or those of SLICES, or with SLICES=--changed a quick one that guards what changed.
test-nightly: $(VENV)/.test
	$(BIN)/python -m tests.nightly $(SLICES) --numprocesses=$(PROCESSES) --dist=worksteal $(TEST_FLAGS)

# On a copy of the tree with the modules that BOTEQUIM_COMPILE=1 compiles: what can differ between compiled and plain code.
COMPILED = build/compiled
test-compiled: $(VENV)/.test
	rm -rf $(COMPILED)
	mkdir -p $(COMPILED)
	cp -r api arena benchmarks botequim queues workers tests docs examples *.py *.toml *.yaml *.md LICENSE $(COMPILED)
	cd $(COMPILED) && BOTEQUIM_COMPILE=1 MYPYC_OPT_LEVEL=0 $(abspath $(BIN))/python setup.py --quiet build_ext --inplace
	cd $(COMPILED) && $(abspath $(BIN))/python -c "import arena.play.table as it; assert it.__file__.endswith('.so')"
	cd $(COMPILED) && $(PYTEST) $(PLAIN) $(addprefix tests/,$(OF_COMPILED))

# The contract of the games, their golden playthroughs, references, house bots, time limits, and live games over each transport.
OF_COMPILED = bots contract golden games/test_toepen_reference.py games/test_truco_reference.py \
	games/test_truco_variants_reference.py runner/test_time_limits.py runner/test_table.py runner/test_judge.py \
	live/test_games.py live/test_turns.py live/test_clocks.py live/test_uploads.py webhooks/test_driver.py api/test_mcp.py

check: $(VENV)/.test
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy

format: $(VENV)/.test
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

# Every page, desktop and phone, light and dark, with data and empty; to look at. Those in docs/pictures are copies.
screenshots: $(VENV)/.test
	$(BIN)/python -m tests.web.screenshots screenshots

# The sdist and the wheel, in dist/.
packages: $(VENV)/.test
	$(BIN)/python -m build

# Pins the newest packages that pyproject.toml allows, with hashes, for all Pythons and platforms. Read the diff before you commit it.
PIN = $(BIN)/uv pip compile pyproject.toml --universal --python-version 3.11 --generate-hashes --no-header --no-annotate --quiet --upgrade
requirements: $(VENV)/.test
	$(BIN)/python -m pip install --quiet uv
	$(PIN) --extra server --extra s3 --extra dev --output-file requirements/dev.txt
	$(PIN) --extra server --extra s3 --constraint requirements/dev.txt --output-file requirements/server.txt

golden: $(VENV)/.test
	$(BIN)/python -m tests.golden.regenerate

# Benchmarks, with the rules and the path of a live move compiled by mypyc (needs a C compiler): the rules against
# OpenSpiel, the HTTP API against a bare route, the sandbox against kaggle-environments.
bench: .venv-bench/.done
	cd .venv-bench && bin/python -m benchmarks.rules

bench-http: .venv-bench/.done
	cd .venv-bench && bin/python -m benchmarks.http

bench-sandbox: .venv-bench/.kaggle
	cd .venv-bench && bin/python -m benchmarks.sandbox && bin/python -m benchmarks.modules

.venv-bench/.kaggle: .venv-bench/.done
	.venv-bench/bin/python -m pip install --quiet 'botequim[kaggle]'
	touch $@

.venv-bench/.done: pyproject.toml setup.py $(shell find botequim arena api queues workers -name '*.py' -o -name '*.lua')
	$(PYTHON) -m venv .venv-bench
	BOTEQUIM_COMPILE=1 .venv-bench/bin/python -m pip install --quiet '.[server,spiel]'
	ln -sfn ../benchmarks .venv-bench/benchmarks
	touch $@

clean:
	rm -rf $(VENV) .venv-bench build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis

# Says in one line what is missing, and leaves no environment half made.
GOALS = $(or $(MAKECMDGOALS),up)
MAKE_VENV = $(PYTHON) deploy/make_venv.py $(VENV)
CHECK_PYTHON = command -v $(PYTHON) >/dev/null || { \
	echo "make: there is no $(PYTHON): install Python 3.11 or newer, or name one, make PYTHON=python3.12 $(GOALS)" >&2; exit 1; }

# It is gone if its Python was removed: everything is made anew.
$(VENV)/bin/python: ;

# The version is in arena/__init__.py.
$(VENV)/.up: pyproject.toml requirements/server.txt arena/__init__.py $(VENV)/bin/python
	@$(CHECK_PYTHON)
	@$(MAKE_VENV) server "$(PYTHON)" "$(GOALS)"
	@touch $@

$(VENV)/.test: pyproject.toml requirements/dev.txt arena/__init__.py $(VENV)/bin/python
	@$(CHECK_PYTHON)
	@$(MAKE_VENV) dev "$(PYTHON)" "$(GOALS)"
	@touch $@ $(VENV)/.up
