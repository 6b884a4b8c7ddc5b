# make alone lists the targets. Folders bear the names of some, so every target is phony.
SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help

# The programs are deployed without C, without paths of the machine and without tables for a debugger, which take a sixth
# of the compiler's time. Tests and tools share what is compiled for them.
export CGO_ENABLED := 0
FLAGS := -trimpath -gcflags=all=-dwarf=false
export GOFLAGS := $(FLAGS) $(filter-out $(FLAGS),$(GOFLAGS))

ADDR ?= 127.0.0.1:8080
BENCH ?= .
COUNT ?= 1
FUZZTIME ?= 30s
DURATION ?= 10m
P ?= 2
TESTFLAGS ?=
ARGS ?=

.PHONY: help serve test units lint program sidecar build check smoke soak netlify bench audit fuzz screenshot clean

help: ## this list
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-10s %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))

serve: program ## the site of ./proposals on 127.0.0.1:8080, or ADDR=, with demo live data, rebuilt on save
	bin/mipwatch serve --demo --addr $(ADDR) $(ARGS)

test: ## every static check and short test, then what was skipped and why; MIPWATCH_TESTS=all for all tests
	@$(MAKE) --no-print-directory -j 2 lint units

# The browser's tests come last, when no other package takes their time.
PACKAGES = $$(go list ./... | grep -v /browsertest) ./internal/test/browsertest

# go vet is a check of its own, and so is not run again for each package. Tests write thousands of small
# files: .ci/tmpdir says where.
units:
	@TMPDIR=$$(.ci/tmpdir) go tool gotestsum --format-hide-empty-pkg --post-run-command "$(COUNTS)" -- -vet=off -p $(P) -timeout 30m $(TESTFLAGS) $(PACKAGES)

COUNTS := sh -c 'echo \$$((TESTS_TOTAL - TESTS_FAILED - TESTS_SKIPPED)) passed, \$$((TESTS_FAILED + TESTS_ERRORS)) failed, \$$TESTS_SKIPPED skipped'

lint: ## gofmt, go vet, staticcheck and go fix have nothing to say
	@found=$$(gofmt -l .); test -z "$$found" || { printf 'not gofmt-ed: %s\n' $$found; exit 1; }
	@go vet ./...
	@go tool staticcheck ./...
	@found=$$(go fix -diff ./... 2>&1) && test -z "$$found" || { printf '%s\n' "$$found"; exit 1; }

program: ## bin/mipwatch
	@go build -o bin/mipwatch ./cmd/mipwatch

sidecar: ## bin/sidecar, the live part as a server of its own
	@go build -o bin/sidecar ./cmd/sidecar

build: program ## the published tree in ./public
	bin/mipwatch build $(ARGS)

check: program ## every problem in ./proposals
	bin/mipwatch check $(ARGS)

smoke: ## the request scripts against a deployed site with a sidecar, URL=https://...
	@test -n "$(URL)" || { echo 'make smoke: name the site, such as make smoke URL=https://mips.example.org' >&2; exit 2; }
	@MIPWATCH_URL="$$URL" go test -count=1 -run '^TestWeb$$' ./build ./sidecar

soak: ## a sidecar with everything behind it misbehaving, for DURATION=10m; says which promises were broken
	MIPWATCH_TESTS=all MIPWATCH_SOAK=$(DURATION) go test -count=1 -timeout 0 -run '^$$' -bench '^BenchmarkAuditSoak$$' -benchtime 1x ./cmd/sidecar

netlify: ## builds and serves as Netlify does, without an account, and checks both; installs netlify-cli below bin/
	@.ci/netlify/run

bench: ## benchmarks; BENCH=regexp, COUNT=10 for benchstat
	MIPWATCH_TESTS=all go test -run '^$$' -bench '$(BENCH)' -benchmem -count $(COUNT) ./...

audit: ## what depends on the machine, measured once, beside docs/audit.txt; .ci/audit installs what it needs
	@mkdir -p bin
	@printf 'date: %s\ncores: %s\ngo: %s\n' "$$(date -u +%F)" "$$(nproc)" "$$(go env GOVERSION)" >bin/audit.txt
	@broken=0; \
	MIPWATCH_TESTS=all go test -p 1 -timeout 0 -run '^$$' -bench '^BenchmarkAudit' -benchtime 1x ./... | tee -a bin/audit.txt || broken=$$?; \
	go tool benchstat -table pkg -row .fullname -ignore /gomaxprocs,.config docs/audit.txt bin/audit.txt; \
	exit $$broken

# A run that spends its time on making inputs smaller tries none: below a thousand it fails. FUZZTIME=100x asks for fewer.
fuzz: ## every fuzz target for FUZZTIME=30s
	@for pkg in $$(go list ./...); do \
		targets=$$(go test -list '^Fuzz' $$pkg); \
		for target in $$(grep '^Fuzz' <<<"$$targets" || true); do \
			echo "$$pkg $$target"; \
			go test -run '^$$' -fuzz "^$$target\$$" -fuzztime $(FUZZTIME) -fuzzminimizetime 1x $$pkg | \
				awk -v least=$(if $(filter %x,$(FUZZTIME)),0,1000) '{ print } match($$0, /execs: [0-9]+/) { n = substr($$0, RSTART + 7, RLENGTH - 7) } \
					END { if (n + 0 < least) { print "only " n + 0 " inputs in $(FUZZTIME): want " least; exit 1 } }'; \
		done; \
	done

screenshot: program ## docs/screenshot.png, the first page of the samples as chromium draws it
	@bin/mipwatch serve --demo --config internal/samples/site.yaml --addr 127.0.0.1:8097 & trap "kill $$!" EXIT; curl -sS -o /dev/null --retry 30 --retry-delay 1 --retry-connrefused http://127.0.0.1:8097/; \
	chromium --headless --no-sandbox --hide-scrollbars --virtual-time-budget=6000 --window-size=1200,900 --screenshot=docs/screenshot.png http://127.0.0.1:8097/

clean: ## removes ./bin and what is in ./public
	rm -rf bin
	find public -mindepth 1 ! -name .gitkeep -delete
