# Every target creates .venv from requirements.lock when it is missing or stale.
BIN   := .venv/bin
READY := .venv/ready
PEERS := .cache/peers/ready
OLD   := .cache/oldest/ready

# The first Python that runs and is in the range the locked TensorFlow has wheels for; or say PYTHON=...
PYTHON ?= $(shell for p in python3 python3.13 python3.12 python3.11; do \
	$$p -c 'import sys; sys.exit(not (3, 11) <= sys.version_info < (3, 14))' 2>/dev/null && echo $$p && break; done)

# A .venv whose Python is gone, or that was moved here from another folder, is no .venv.
ifneq ($(shell $(BIN)/python -c 'import sys; print(sys.prefix)' 2>/dev/null),$(CURDIR)/.venv)
.PHONY: $(READY)
endif

# TensorFlow's log lines are for its developers; its oneDNN kernels would round the lessons' numbers per machine.
export TF_CPP_MIN_LOG_LEVEL ?= 3
export NO_MKDOCS_2_WARNING := 1
export TF_ENABLE_ONEDNN_OPTS ?= 0
# The date of what is built, not of the build: the same files give the same site.
export SOURCE_DATE_EPOCH ?= $(shell git log -1 --format=%ct 2>/dev/null || date +%s)

help: ## show this list
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:[^#]*## /\t/' | expand -t 14

serve: $(READY) ## show the site on http://127.0.0.1:8000; lessons fill in as they are executed, and on change
	$(BIN)/mkdocs serve --livereload

lessons: $(READY) ## execute the lessons that changed, and leave their notebooks in .cache/notebooks
	$(BIN)/python docs/_site/execute.py

trained: $(READY) ## train the models that pages show, if their programs changed
	$(BIN)/python -m trained

trained-again: $(READY) ## train them once more: on the same kind of processor every weight must be the same
	$(BIN)/python -m trained --again

ablations: $(READY) ## train machines that lack a part from several seeds, and keep what they read (about an hour and a half)
	$(BIN)/python -m trained.ablations

site: $(READY) ## build the site into site/, strictly: a failing lesson or a dead link ends the build
	@rm -rf site.new
	$(BIN)/mkdocs build --strict --site-dir site.new
	@rm -rf site.old; test ! -e site || mv site site.old; mv site.new site; rm -rf site.old; echo "The site is in site/index.html"

test: $(READY) ## run every test that needs no browser: laws, refusals, doctests, the pages' snippets; COV=1 counts lines
	$(BIN)/pytest --doctest-modules --numprocesses 2 --dist worksteal $(if $(COV),--cov --cov-report=json:.cache/coverage.json --cov-report=term:skip-covered)

coverage: COV = 1
coverage: test ## run the tests and keep which lines and branches they took, for the page "How it is tested"
	$(BIN)/python -m faults.record coverage

test-oldest: $(OLD) ## run every test with the oldest versions that pyproject.toml allows, and keep the result
	@rm -f .cache/oldest.xml
	@.cache/oldest/bin/pytest --doctest-modules --numprocesses 2 --dist worksteal --junitxml=.cache/oldest.xml; code=$$?; \
	  .cache/oldest/bin/python -m faults.record oldest && exit $$code

fuzz: $(READY) ## try each law of tests/laws on 20,000 new cases, 40 times those of `make test`; LAWS_SEED=... repeats a run
	LAWS_PROFILE=fuzz $(BIN)/pytest tests/laws --numprocesses 2 --quiet

test-site: site ## build the site and drive it in headless Chromium
	$(BIN)/pytest tests/browser --numprocesses 2

site-again: site ## build the site once more from nothing: every byte must be the same
	@rm -rf site.again .cache/notebooks
	$(BIN)/mkdocs build --strict --quiet --site-dir site.again
	@diff -rq site site.again && rm -rf site.again && echo "Both builds are the same, byte by byte"

markdown: $(READY) ## write every page as Markdown with its outputs into dist/markdown, for another generator
	$(BIN)/python docs/_site/lessons.py dist/markdown

site-exit: site ## build the site with ProperDocs, the maintained fork of MkDocs 1.x: only its own name may differ
	@rm -rf site.exit
	$(BIN)/properdocs build --strict --config-file mkdocs.yml --site-dir site.exit
	@diff -rq -I '<meta name="generator"' site site.exit && rm -rf site.exit && echo "ProperDocs makes the same pages"

lighthouse: site ## measure four pages with Lighthouse, as a phone and a desktop see them (needs Node.js)
	$(BIN)/python tests/browser/lighthouse.py

dist: $(READY) ## build the wheel and the sdist into dist/: the same files give the same bytes
	@rm -f dist/*.whl dist/clear_attention-*.tar.gz
	$(BIN)/python -m hatchling build --directory dist

bundle: site ## pack the site into dist/clear-attention-site.zip, to be read from a folder, without a server
	@$(BIN)/python docs/_site/bundle.py site dist/clear-attention-site.zip

book: site ## print the lessons and guides into dist/clear-attention.pdf (needs Chromium)
	@$(BIN)/python docs/_site/book.py site dist/clear-attention.pdf

check-torch: $(PEERS) ## compare with a real torch, in the environment of the benchmarks
	PYTHONPATH=src .cache/peers/bin/python benchmarks/check_torch.py

check-peers: $(PEERS) ## call torch, JAX, Flax, Hugging Face and others with converted masks, and keep the result for a guide
	HF_HUB_OFFLINE=1 PYTHONPATH=src .cache/peers/bin/python -W ignore -m benchmarks.check_peers

bench: $(PEERS) ## measure against keras.ops, Keras's layer, torch and JAX; QUICK=1 takes 2 minutes, all of it about 70
	CUDA_VISIBLE_DEVICES=-1 TF_ENABLE_ONEDNN_OPTS=1 PYTHONPATH=src .cache/peers/bin/python -W ignore -m benchmarks $(if $(QUICK),--quick) $(if $(ONLY),--only $(ONLY))
	@$(if $(QUICK)$(ONLY),,if nvidia-smi >/dev/null 2>&1; then $(MAKE) bench-gpu; fi)

bench-gpu: $(PEERS) ## the functions on a GPU, in a second table (needs the builds of all three libraries that are made for it)
	XLA_PYTHON_CLIENT_PREALLOCATE=false PYTHONPATH=src .cache/peers/bin/python -W ignore -m benchmarks.gpu

bench-workers: $(READY) ## measure one worker and two, and streaming from files larger than memory (about 50 minutes)
	PYTHONPATH=src $(BIN)/python -m benchmarks.workers $(if $(ONLY),--only $(ONLY))

bench-language-model: $(READY) ## measure what it costs to train a language model on a folder of text (about 25 minutes)
	PYTHONPATH=src $(BIN)/python -m benchmarks.language_model

bench-softmax: $(READY) ## measure whole rows of keys against pieces of them, for a lesson (about 2 minutes)
	PYTHONPATH=src $(BIN)/python -W ignore -m benchmarks.softmax

check-dates: $(READY) ## train the lesson's Transformer from five seeds (about 3 minutes)
	$(BIN)/python -m benchmarks.train_dates

lint: $(READY) ## check style, format and types
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

format: $(READY) ## mend what lint can mend
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

laws: $(READY) ## plant in each law's way the fault that it must catch, and see it caught (about 2 minutes)
	$(BIN)/python -m faults.laws

laws-gpu: $(READY) ## try the laws on a GPU, with float32 products and with TF32 ones (needs pip install tensorflow[and-cuda])
	TF_FORCE_GPU_ALLOW_GROWTH=true $(BIN)/pytest tests/laws --numprocesses 2 --quiet
	TF_FORCE_GPU_ALLOW_GROWTH=true LAWS_TF32=1 $(BIN)/pytest tests/laws --numprocesses 2 --quiet

mutate: $(READY) ## plant small faults in fifteen modules and see whether the tests find them
	$(BIN)/python -m faults.mutate

lock: ## write both lock files anew from pyproject.toml (needs uv)
	uv pip compile pyproject.toml --extra plots --group build --group test --group lint --group mutate --group docs \
	  --group browser --universal --python-version 3.11 --fork-strategy fewest --generate-hashes \
	  --no-header --no-strip-extras --quiet --upgrade --output-file requirements.lock
	@mkdir -p .cache
	sed -nE 's/^(dependencies|plots) = \[(.*)\].*/\2/p' pyproject.toml | tr -d '" ' | tr ',' '\n' | sed 's/>=/==/' > .cache/oldest.txt
	echo 'pyparsing<3.3 # matplotlib 3.10 calls what later ones deprecate' >> .cache/oldest.txt
	uv pip compile pyproject.toml --extra plots --group build --group test --group docs \
	  --universal --python-version 3.11 --fork-strategy fewest --generate-hashes \
	  --no-header --no-strip-extras --quiet --upgrade --override .cache/oldest.txt --output-file requirements-oldest.lock

clean: ## delete everything that can be made again
	rm -rf .venv .cache .pytest_cache .ruff_cache site site.* dist

$(READY): requirements.lock pyproject.toml
	@test -n "$(PYTHON)" || { echo "clear-attention needs Python 3.11, 3.12 or 3.13 and found none on the PATH; say make PYTHON=/path/to/python3"; exit 1; }
	@echo "Making .venv with $$($(PYTHON) --version) from requirements.lock (about 800 MB, once)"
	$(PYTHON) -m venv --clear .venv
	$(BIN)/pip install --disable-pip-version-check --require-hashes --requirement requirements.lock
	$(BIN)/pip install --disable-pip-version-check --quiet --no-deps --no-build-isolation --editable .
	@touch $@

$(PEERS): requirements.lock benchmarks/requirements.txt | $(READY)
	@echo "Making .cache/peers with torch, JAX and others beside the locked packages (1 GB and more, once)"
	$(BIN)/python -m venv --clear .cache/peers
	.cache/peers/bin/pip install --disable-pip-version-check --quiet --require-hashes --requirement requirements.lock
	.cache/peers/bin/pip install --disable-pip-version-check --quiet --requirement benchmarks/requirements.txt
	@touch $@

$(OLD): requirements-oldest.lock pyproject.toml
	@test -n "$(PYTHON)" || { echo "clear-attention needs Python 3.11, 3.12 or 3.13 and found none on the PATH"; exit 1; }
	@echo "Making .cache/oldest with the oldest versions of the dependencies (about 800 MB, once)"
	$(PYTHON) -m venv --clear .cache/oldest
	.cache/oldest/bin/pip install --disable-pip-version-check --quiet --require-hashes --requirement requirements-oldest.lock
	.cache/oldest/bin/pip install --disable-pip-version-check --quiet --no-deps --no-build-isolation --editable .
	@touch $@

.PHONY: help serve lessons trained trained-again ablations site site-again test coverage test-oldest fuzz laws laws-gpu mutate test-site dist bundle book markdown site-exit lighthouse check-torch check-peers bench bench-gpu bench-workers bench-language-model bench-softmax check-dates lint format lock clean
