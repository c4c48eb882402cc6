# make demo and make test need nothing but Python (3.11 or later, for the pinned versions), git and make.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
STAMP  := $(VENV)/.installed

.PHONY: install demo test lint bench reproduce fuzz clean

install: $(STAMP)

$(STAMP): pyproject.toml constraints.txt
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt torch==2.13.0
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e ".[dev]"
	touch $(STAMP)

demo: install
	$(BIN)/gigamae demo -o demo-run

test: install
	$(BIN)/python -m pytest

lint: install
	$(BIN)/ruff check src tests benchmarks
	$(BIN)/mypy

bench: install
	$(BIN)/gigamae bench

reproduce: install
	$(BIN)/gigamae reproduce all

fuzz: install
	HYPOTHESIS_PROFILE=fuzz $(BIN)/python -m pytest -k "property or properties"

clean:
	rm -rf $(VENV) demo-run .pytest_cache .mypy_cache .ruff_cache
