# Everything here works on a fresh machine that has Python 3.11 or newer and make.
SHELL := bash
PYTHON ?= $(shell for p in python3 python3.13 python3.12 python3.11; do \
	$$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$p && break; done)
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
# Java is looked for when a recipe needs it; Spark's executors must run the same Python as we do.
WITH_SPARK = export JAVA_HOME="$$(.ci/java)" PYSPARK_PYTHON="$(CURDIR)/$(BIN)/python" && test -n "$$JAVA_HOME" &&
# Compiled modules are kept: each process of a job would compile hundreds of files anew.
unexport PYTHONDONTWRITEBYTECODE
# Two processes: a test of a streaming job waits more than it computes.
PYTEST := $(BIN)/python -m pytest --numprocesses 2 --dist worksteal

.PHONY: setup demo test thorough field kills soak endurance unit lint format golden bench fuzz wheel-test lock clean

setup: $(READY)

$(READY): $(VENV)/.packages pyproject.toml
	$(BIN)/pip install --quiet --no-deps --no-build-isolation --editable .
	@touch $@

$(VENV)/.packages: requirements.lock
	@test -n "$(PYTHON)" || { echo "Python 3.11 or newer is needed; say which: make PYTHON=/path/to/python3" >&2; exit 1; }
	$(PYTHON) -m venv --clear $(VENV) || { echo "cannot make a virtual environment (Debian, Ubuntu: apt-get install python3-venv)" >&2; exit 1; }
	$(BIN)/pip install --quiet --requirement requirements.lock
	@touch $@

# The main job on a few days of real flights: rows that were held and released.
demo: $(READY)
	@$(WITH_SPARK) $(BIN)/python examples/demo.py

# All tests: the fast ones, then those that run jobs on local Spark.
test: $(READY)
	@$(WITH_SPARK) $(PYTEST) -q

# What `make test` leaves out to stay short: more scenarios of each kind.
thorough: $(READY)
	@$(WITH_SPARK) $(PYTEST) -q -m thorough

# Long tests with real servers: brokers, databases, lakes, clusters; the short ones are in `make test`.
field: $(READY)
	@$(WITH_SPARK) $(PYTEST) -q -m field

# Jobs that are killed at random moments, 200 times: nothing may be lost or repeated (an hour).
kills: $(READY)
	@$(WITH_SPARK) PYTHONPATH=.:tests $(BIN)/python -m kills.campaign

# A job under load, with stalls, bursts and restarts, for an hour: whether its rows are all there, and
# whether memory, state and checkpoint level off; figures, build/endurance.csv and docs/endurance.png.
endurance: MINUTES ?= 60
endurance: RATE ?= 20000
endurance: $(READY)
	@$(BIN)/pip install --quiet "matplotlib>=3.9,<4"
	@$(WITH_SPARK) $(BIN)/python bench/endurance.py --minutes $(MINUTES) --rate $(RATE)

# 2,000 random queries over random rows, compared with SQLite and plain Python, with cuts, restarts and
# 1, 2 and 5 partitions (hours). What differs is kept as a scenario in build/soak. For a while, beside
# other work: make soak SOAK="--at-a-time 1 --minutes 30 --seed 7".
soak: SOAK ?= --pairs 2000
soak: $(READY)
	@$(WITH_SPARK) PYTHONPATH=.:tests $(BIN)/python -m oracle.soak $(SOAK)

# The fast tests alone, in half a minute.
unit: $(READY)
	@$(PYTEST) -q -m "not spark and not slow and not field and not thorough"

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	PYTHONPATH=. $(BIN)/lint-imports

format: $(READY)
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

# Writes the goldens anew: read the diff before you commit it.
golden: $(READY)
	@$(BIN)/python -m pytest -q tests/test_golden.py --snapshot-update

bench: $(READY)
	@$(WITH_SPARK) $(BIN)/python bench/delay.py

# Half an hour of texts of the grammar and of changed ones, and as long of those that reach new lines.
# What fails or takes long is kept in build/fuzz.
fuzz: FUZZ_S ?= 1800
fuzz: $(READY)
	@$(BIN)/pip install --quiet "atheris>=3,<4"
	@export PYTHONPATH="$(CURDIR):$(CURDIR)/tests" && \
	$(BIN)/python tests/fuzz/run.py --seconds $(FUZZ_S) --seed $$(date +%s) && \
	$(BIN)/python tests/fuzz/run.py --seconds $(FUZZ_S) --engine coverage

# A wheel, alone in a fresh environment, compiles and runs a query outside this folder.
wheel-test: $(READY)
	@$(WITH_SPARK) .ci/wheel-test $(BIN)/python

lock: $(READY)
	{ echo "# Every package of the development environment, pinned; made by: make lock"; \
	  $(BIN)/pip freeze --exclude-editable; } > requirements.lock.new
	mv requirements.lock.new requirements.lock

clean:
	rm -rf build dist $(VENV)
