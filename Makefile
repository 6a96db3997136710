# The main targets are `up` and `test`; each creates the virtual environment it needs.
PYTHON ?= python3
VENV ?= .venv
BIN = $(VENV)/bin

.PHONY: up test coverage test-system test-compiled check format screenshots golden requirements packages bench bench-http bench-sandbox clean

up: $(VENV)/.up
	$(BIN)/botequim up

# Twice as many processes as cores: tests of whole services wait more than they compute.
PROCESSES ?= 4
PYTEST = $(BIN)/python -m pytest -p tests.durations -n $(PROCESSES) --dist worksteal --durations-file build/durations/$@.json
test: $(VENV)/.test
	$(PYTEST) -m "not (slow or system)" $(TEST_FLAGS)

# Coverage of `make test` by lines and branches; pyproject.toml sets the floor. Other
# processes are not traced: without the tests that only start such. Without the random playouts and reference games, which take
# several times as long and reach nothing new; an alarm in the tracer would end in a deadlock, so tests/runner/test_time_limits.py skips itself.
UNTRACED = --ignore=tests/deploy --ignore=tests/bench --ignore=tests/docs --ignore=tests/workers/test_tournaments.py \
	--deselect=tests/contract/test_contract.py::test_random_playouts_end_and_never_get_stuck \
	--deselect=tests/games/test_toepen_reference.py --deselect=tests/games/test_truco_reference.py \
	--deselect=tests/games/test_truco_variants_reference.py
# Under the tracer everything takes about twice as long, also where a limit counts processor time: what fails there has to pass without it.
coverage: $(VENV)/.test
	COVERAGE_CORE=ctrace $(PYTEST) -m "not (slow or system)" $(UNTRACED) --cov --cov-report= --cov-fail-under=0 $(TEST_FLAGS) || \
		{ [ $$? = 1 ] && $(PYTEST) --last-failed --last-failed-no-failures none; }
	$(BIN)/coverage report --skip-covered

# Services of several processes and their ends, repetitions on a cluster, browsers, the commands of the pages, other languages,
# long simulations, seeded faults in the rules, long runs against the whole API.
test-system: $(VENV)/.test
	$(PYTEST) -m "slow or system"

# Tests on a copy of the tree with the modules that BOTEQUIM_COMPILE=1 compiles.
COMPILED = build/compiled
test-compiled: $(VENV)/.test
	rm -rf $(COMPILED)
	mkdir -p $(COMPILED)
	cp -r api arena benchmarks queues workers tests docs examples *.py *.toml *.yaml *.md LICENSE $(COMPILED)
	cd $(COMPILED) && BOTEQUIM_COMPILE=1 $(abspath $(BIN))/python setup.py --quiet build_ext --inplace
	cd $(COMPILED) && $(abspath $(BIN))/python -c "import arena.play.table as it; assert it.__file__.endswith('.so')"
	cd $(COMPILED) && $(abspath $(BIN))/python -m pytest -n $(PROCESSES) --dist worksteal -m "not (slow or system)" \
		tests/bots tests/contract tests/games tests/golden tests/live tests/records tests/runner

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
# the engines of the bench extra, the HTTP API against a bare route, the sandbox against kaggle-environments.
bench: .venv-bench/.done
	cd .venv-bench && bin/python -m benchmarks.rules

bench-http: .venv-bench/.done
	cd .venv-bench && bin/python -m benchmarks.http

bench-sandbox: .venv-bench/.kaggle
	cd .venv-bench && bin/python -m benchmarks.sandbox

.venv-bench/.kaggle: .venv-bench/.done
	.venv-bench/bin/python -m pip install --quiet 'botequim[kaggle]'
	touch $@

.venv-bench/.done: pyproject.toml setup.py $(shell find arena api queues workers -name '*.py' -o -name '*.lua')
	$(PYTHON) -m venv .venv-bench
	BOTEQUIM_COMPILE=1 .venv-bench/bin/python -m pip install --quiet '.[server,bench]'
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
