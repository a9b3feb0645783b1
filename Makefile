# make lab: the first lesson in JupyterLab.  make test: all tests that need no GPU.  make help: all commands.
#
# Everything is installed into .venv beside this file. A stamp file there says what has been installed already;
# it is older than pyproject.toml exactly when there is something to install again.

# The first Python on this machine that is new enough; `make PYTHON=... lab` chooses another.
PYTHON ?= $(shell for python in python3 python3.14 python3.13 python3.12 python3.11 python; do \
	$$python -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$python && break; done)
VENV ?= .venv
BIN := $(VENV)/$(if $(filter Windows_NT,$(OS)),Scripts,bin)
PY := $(BIN)/python

# `make lab LESSONS=zh` opens the Chinese lessons.
LESSONS ?= en

# How much is tried: fast, standard or long (tests/tiers.py).
TIER ?= standard
export TIER

# Unit tests are independent of each other; notebooks and browsers are not run beside them. A process that has nothing left to do
# takes tests from another; the cells of a notebook stay in one. The plugin that compares notebooks is slow to load, and is asked for
# where notebooks are compared.
UNIT := not (notebooks or browser or e2e or site or lint)
PYTEST := $(PY) -m pytest -p no:nbval
PARALLEL := -n auto --dist worksteal
# A browser, and the servers it talks to, have clocks of their own. What failed there is run once more, and both runs are printed: what
# fails twice has failed. `make browser SLOW_BROWSER=1` looks for tests that do not wait, and runs each test once.
ONCE_MORE = $(if $(SLOW_BROWSER),false,{ echo "Once more: what failed"; $(PYTEST) --lf --lfnf=none -m $(1) tests; })

# Several processes import the same modules, here and in the programs that tests start: they are compiled once.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: help lab test test-fast test-long zoo check lint unit coverage js bundle notebooks browser lessons docs site play site-test bench gpu clean
.DEFAULT_GOAL := help

help: ## List the commands
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-10s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

lab: $(VENV)/lab.stamp ## Install, copy the lessons to inplacelab-lessons, and open JupyterLab there (LESSONS=zh for the Chinese ones)
	$(PY) -m inplacelab lab --lang $(LESSONS)

# mypy keeps one processor busy and leaves the others idle; so the unit tests run beside it.
test: $(VENV)/e2e.stamp ## Run everything that needs no GPU, with the same samples every time (about 25 minutes on two cores)
	@$(MAKE) --no-print-directory --jobs=2 lint unit
	@$(MAKE) --no-print-directory js notebooks browser
	$(PYTEST) -n0 -m "site and not course" tests/site

test-fast: export TIER := fast
test-fast: $(VENV)/test.stamp ## Run only the checks and the unit tests, with small samples (about a minute)
	@$(MAKE) --no-print-directory --jobs=2 lint unit
	@$(MAKE) --no-print-directory js

PROCESSORS = $(shell $(PY) -c 'import os; print(os.cpu_count())')
# With --torch, refusals are compared with PyTorch's, if it is installed.
test-long: export TIER := long
test-long: $(VENV)/e2e.stamp ## Run everything without sampling, and 200,000 random programs, in half of which something fails (runs every night)
	@$(MAKE) --no-print-directory test
	$(PY) -m tests.oracle --programs 100000 --seed 20000 --second 10000 --jobs $(PROCESSORS) \
	$$($(PY) -c 'from tests.oracle.frameworks import TORCH; print("--torch" * TORCH.installed)')
	$(PY) -m tests.faults --programs 100000 --seed 20000 --jobs $(PROCESSORS)
	$(PY) -m tests.witness --programs 20000 --seed 20000
	$(PY) -m tests.zoo --sample 10 --again

zoo: $(VENV)/zoo.stamp ## Try 150 published models: recording changes nothing, and is true (hours; what was found is kept in build/zoo)
	$(PY) -m tests.zoo --jobs $(PROCESSORS)

# A package's code and tests. A package without tests of its own is tested with the engine, and `engine` is all of these.
FOLDERS := $(patsubst inplacelab/%/__init__.py,%,$(wildcard inplacelab/*/__init__.py))
CODE_engine := $(wildcard inplacelab/*.py) $(patsubst %,inplacelab/%,$(filter-out $(notdir $(wildcard tests/*)),$(FOLDERS)))
CODE_widgets := widgets/inplacelab_widgets
CODE_differences := docs/differences
PACKAGES := $(sort $(FOLDERS) differences engine widgets)
CODE = $(or $(CODE_$(PKG)),inplacelab/$(PKG))
TESTS = $(or $(wildcard tests/$(PKG)),tests/engine)

# mypy finds single files through the imports of the rest: given `tensor.py`, it would ignore the stub beside it.
check: $(VENV)/test.stamp ## Run one package's checks and small samples of its tests: `make check PKG=recorders`
	@[ -n "$(filter $(PACKAGES),$(PKG))" ] || { echo "Say which package: make check PKG=..., one of $(PACKAGES)"; exit 1; }
	$(BIN)/ruff check $(CODE) $(TESTS)
	$(BIN)/ruff format --check $(CODE) $(TESTS)
	$(BIN)/mypy $(filter-out %.py,$(CODE)) $(TESTS)
	TIER=fast $(PYTEST) $(PARALLEL) -m "$(UNIT)" $(TESTS)

lint: $(VENV)/test.stamp ## Check style, types, import contracts, words and sizes
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(PYTEST) -q -m lint tests/project
	$(BIN)/lint-imports --no-cache

unit: $(VENV)/test.stamp ## Run the unit tests, the examples in docstrings, and the comparison with other frameworks
	$(PYTEST) $(PARALLEL) -m "$(UNIT)"

# Small samples reach nearly all of the code; a tracer makes them take twice as long.
coverage: export TIER := fast
coverage: $(VENV)/test.stamp ## Run the unit tests with small samples, and print how much of the code they reach
	$(PYTEST) $(PARALLEL) -m "$(UNIT)" --cov

# TypeScript as `npm install` puts it here, or the one on the PATH.
TSC = $(firstword $(wildcard node_modules/.bin/tsc) $(shell command -v tsc))
js: ## Check the types of the player's JavaScript, and run its tests
	@if [ -n "$(TSC)" ]; then $(TSC) --project .; \
	else echo "Skipped: the types of the player's JavaScript, which need TypeScript: npm install --no-package-lock"; fi
	@if command -v node >/dev/null; then node --test $(wildcard tests/js/*.test.mjs); \
	else echo "Skipped: the tests in tests/js need Node.js, and there is no 'node' on the PATH."; fi

bundle: node_modules/.bin/esbuild ## Bundle the player's JavaScript and CSS into widgets/inplacelab_widgets/bundled, which is committed
	$(PYTHON) widgets/bundle.py

notebooks: $(VENV)/test.stamp ## Execute the lessons and compare every output, pictures included
	$(PYTEST) -n auto --dist loadgroup -m notebooks tests/notebooks
	$(PY) -m pytest -n auto --dist loadfile --nbval --nbval-current-env --nbval-kernel-startup-timeout=600 notebooks/en notebooks/zh

browser: $(VENV)/e2e.stamp ## Drive the stepper in Chromium, on a page and in a real JupyterLab
	$(PYTEST) -n auto --dist loadfile -m browser tests || $(call ONCE_MORE,browser)
	$(PYTEST) -m e2e tests || $(call ONCE_MORE,e2e)

lessons: $(VENV)/test.stamp ## Build the notebooks from notebooks/lessons, draw the pictures and badges of the READMEs, and write the page of differences and its data
	$(PY) notebooks/build.py
	$(PY) docs/draw.py
	$(PY) docs/badges.py
	$(PY) docs/write_differences.py

docs: $(VENV)/e2e.stamp ## Build the documentation in both languages, as static files in build/docs
	$(PY) docs/build_docs.py

site: $(VENV)/site.stamp node_modules/.bin/esbuild ## Build the site into build/site: playground, course and documentation
	PYTHONPATH=website:notebooks:docs $(PY) website/make_site.py

PORT ?= 8000
play: $(VENV)/site.stamp node_modules/.bin/esbuild ## Serve the playground and the course on this machine (PORT=8000), built first if needed
	@PYTHONPATH=website:notebooks:docs $(PY) website/serve.py --port $(PORT)

site-test: $(VENV)/site.stamp node_modules/.bin/esbuild ## Open the site in Chromium without a network (needs a download of 77 MB the first time)
	$(PYTEST) -n0 -m site tests/site || $(call ONCE_MORE,site)
	$(PYTEST) tests/site/test_built_page.py

node_modules/.bin/esbuild:
	@npm install --no-package-lock --no-audit --no-fund || { echo "This needs Node.js with npm, and a network the first time. Nothing was changed."; exit 1; }

bench: $(VENV)/test.stamp ## Measure the engine against NumPy and other frameworks; measure recording, the stepper in Chromium, and the kernels on a GPU if there is one
	$(PY) -m benchmarks.compare
	$(PY) -m benchmarks.recording
	$(PY) benchmarks/reading.py
	$(PY) benchmarks/drawing.py
	$(PY) benchmarks/gpu.py

gpu: $(VENV)/test.stamp ## Run every row on an NVIDIA GPU, and measure it (needs: pip install ".[gpu13]" or ".[gpu12]")
	@$(PY) -c "from inplacelab.backends import GPU; GPU.ready()"
	$(PYTEST) -m gpu tests
	@if command -v compute-sanitizer >/dev/null; then \
	for tool in memcheck racecheck; do \
	compute-sanitizer --tool $$tool --error-exitcode 1 $(PY) -m pytest -q -m gpu tests/kernels/test_gpu.py || exit 1; done; \
	else echo "Skipped: compute-sanitizer (it comes with the CUDA toolkit) is not on the PATH."; fi
	$(PY) benchmarks/device.py
	$(PY) benchmarks/gpu.py

clean: ## Remove the environment and everything that was built
	rm -rf $(VENV) dist screenshots .coverage .mypy_cache .pytest_cache .ruff_cache .hypothesis .import_linter_cache
	find inplacelab widgets notebooks tests benchmarks -name __pycache__ -type d -prune -exec rm -rf {} +

# --------------------------------------------------------------------------------------------------------------------
# The environment

define NO_PYTHON
inplacelab needs Python 3.11 or newer, and none was found (looked for python3, python3.14, python3.13, python3.12, python3.11, python).
Install one, or name it: make PYTHON=/path/to/python3.11 lab
inplacelab 需要 Python 3.11 或更高版本，但没有找到。请先安装，或者指明它的位置（如上）。
endef

define NO_VENV
This Python ($(PYTHON)) cannot create virtual environments: its modules venv and ensurepip are missing.
On Debian and Ubuntu install them with:  apt-get install python3-venv
Elsewhere, install Python from your system's packages or from python.org, and name it: make PYTHON=/path/to/python3 lab
这个 Python 无法创建虚拟环境：缺少 venv 和 ensurepip 模块。在 Debian 和 Ubuntu 上请执行上面的命令安装。
endef

define NOT_INSTALLED
pip could not install what is needed, for the reason above; without a network it cannot. Run the same command again when that is solved.
pip 未能完成安装，原因如上；没有网络就无法安装。解决之后请再次执行同一条命令。
endef

export NO_PYTHON NO_VENV NOT_INSTALLED

$(PY):
	@[ -n "$(PYTHON)" ] || { echo "$$NO_PYTHON"; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || { echo "$$NO_VENV"; exit 1; }
	@# pip 25.1 is the first that knows dependency groups.
	$(PYTHON) -m venv $(VENV) || { rm -rf $(VENV); exit 1; }
	$(PY) -m pip install --quiet --disable-pip-version-check --upgrade "pip>=25.1"

# Each of these holds the ones before it, so its stamp is theirs as well.
# A learner who runs `make lab` sees what is downloaded; tests need not.
$(VENV)/%.stamp: QUIET := --quiet
$(VENV)/lab.stamp: QUIET :=
$(VENV)/lab.stamp: NEEDS := -e ".[lab]"
$(VENV)/test.stamp: NEEDS := -e ".[lab,share]" --group test
$(VENV)/test.stamp: HOLDS := $(VENV)/lab.stamp
$(VENV)/e2e.stamp: NEEDS := -e ".[lab,share]" --group test --group e2e --group docs
$(VENV)/e2e.stamp: HOLDS := $(VENV)/lab.stamp $(VENV)/test.stamp

$(VENV)/site.stamp: NEEDS := -e ".[lab,share]" --group site
$(VENV)/site.stamp: HOLDS := $(VENV)/lab.stamp $(VENV)/test.stamp $(VENV)/e2e.stamp

$(VENV)/zoo.stamp: NEEDS := -e ".[lab,share]" --group test --group zoo
$(VENV)/zoo.stamp: HOLDS := $(VENV)/lab.stamp $(VENV)/test.stamp

# JupyterLab would load the extension for JupyterLite, too, and stop at it. The site has its own copy.
$(VENV)/site.stamp: AFTER := rm -rf $(VENV)/share/jupyter/labextensions/@jupyterlite

$(VENV)/%.stamp: pyproject.toml | $(PY)
	@echo "Installing inplacelab and what it needs into $(VENV): two or three minutes the first time ..."
	@$(PY) -m pip install $(QUIET) --disable-pip-version-check $(NEEDS) || { echo "$$NOT_INSTALLED"; exit 1; }
	@$(AFTER)
	@touch $@ $(HOLDS)
