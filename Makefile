# On a new machine with Go, start with `make run` and `make test`.
GO ?= go
VERSION ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo dev)
# Without directory names in compiled packages, a second clone can use the build cache.
export GOFLAGS += -trimpath
STATICCHECK = honnef.co/go/tools/cmd/staticcheck@v0.8.2
GOTESTSUM = gotest.tools/gotestsum@v1.13.0
ADDRESS ?= https://github.com/nomograph/nomograph/releases/download/$(VERSION)
NEWEST ?= 2026.08.1
ON_NEWEST = NOMOGRAPH_ENGINE_VERSION=$(NEWEST) $(GO) test -count=1 -timeout 60m
GORELEASER = github.com/goreleaser/goreleaser/v2@v2.13.3
VALE = github.com/vale-cli/vale/v3/cmd/vale@v3.22.0
GOLANGCI = github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v2.15.0
# The race detector needs a C compiler.
RACE := $(shell command -v gcc >/dev/null 2>&1 && scripts/race.sh)

# GOTESTSUM with the results of a tier, or of a package and its subpackages.
TESTS = TESTED_NOMOGRAPH=$$PWD/bin/tested/nomograph GORACE=atexit_sleep_ms=10 $(GO) run $(GOTESTSUM) --format pkgname --hide-summary skipped --jsonfile bin/tests.json

.PHONY: run test test-all tested test-newest slowest build lint cross surface golden pictures bench bench-large compare fuzz release packages clean help

run: ## build, start the engine, apply the packs, serve, and run the demo over MCP (bin/nomograph demo --json prints complete answers)
	@$(MAKE) --no-print-directory build
	@bin/nomograph demo

build: ## build bin/nomograph and bin/nomograph-hook, without cgo
	@scripts/pages.sh
	@echo "Building bin/nomograph"
	@CGO_ENABLED=0 $(GO) build -ldflags "-s -w -X main.version=$(VERSION)" -o bin/ ./cmd/nomograph ./cmd/nomograph-hook

test: tested ## run the tests that every change needs, against a real Neo4j; PKG=policies limits them to a package and its subpackages
	@echo "Running the tests of $(or $(PKG),all packages) (the first run fetches Neo4j)"
	@$(TESTS) $(if $(PKG),-- -short -count=1 -timeout 40m ./$(PKG)/...,--raw-command -- scripts/tests.sh short)

test-all: tested $(if $(PKG),,cross) ## run all tests: with the race detector, browsers, real clients, engines, attacks, the examples of docs, and the newest Neo4j; PKG as above
	@scripts/clients.sh
	@echo "Running all tests of $(or $(PKG),all packages)"
	@rm -f bin/statements.jsonl
	@TESTED_STATEMENTS=$$PWD/bin/statements.jsonl $(TESTS) $(if $(PKG),-- -count=1 -timeout 40m ./$(PKG)/...,--raw-command -- scripts/tests.sh all)
	@$(if $(PKG),,$(GO) run ./bench/statements bin/statements.jsonl)
	@$(if $(PKG),,$(ON_NEWEST) ./cypher ./graph ./search ./policies/check)

# tested builds the program that tests start.
tested:
	@scripts/pages.sh
	@mkdir -p bin
	@$(GO) build -o bin/tested/ ./cmd/nomograph

test-newest: ## run the tests against the newest Neo4j ; PKG=policies limits it to a package and its subpackages
	@$(ON_NEWEST) ./$(if $(PKG),$(PKG)/)...

slowest: ## list the ten slowest tests of the last run
	@$(GO) run $(GOTESTSUM) tool slowest --num 10 --jsonfile bin/tests.json

lint: ## run gofmt, Vale (prose) and golangci-lint, which includes go vet and staticcheck
	@echo "Linting"
	@GO=$(GO) scripts/prose.sh $(VALE)
	@out=$$(gofmt -l $$(git ls-files '*.go')); if [ -n "$$out" ]; then echo "not gofmt'ed: $$out"; exit 1; fi
	@# Linters compile everything including tests. With the race detector, the tests can use the same compiled packages.
	@as="env 'GOFLAGS=$(GOFLAGS) $(RACE)'"; \
	if $(GO) run $(GOLANGCI) version >/dev/null 2>&1; then $(GO) run -exec "$$as" $(GOLANGCI) run ./...; else \
	echo "golangci-lint is not available: running only go vet and staticcheck, which it contains"; $(GO) vet $(RACE) ./... && $(GO) run -exec "$$as" $(STATICCHECK) ./...; fi

cross: ## check that the program compiles for macOS and Windows
	@echo "Compiling for macOS and Windows"
	@CGO_ENABLED=0 $(GO) test -count=1 -run '^TestBuild_EverySystem_Compiles$$' .

surface: ## update the declarations of statements, docs/reference/tools.md and its pages, the tables in docs/reference/settings.md and docs/guides/hooks.md, and the golden files of the transports, without a database
	@UPDATE_GOLDEN=1 $(GO) test ./cypher/generate -count=1
	@UPDATE_GOLDEN=1 $(GO) test ./internal/config -run TestReference_Settings_MatchesTheGoldenFile -count=1
	@UPDATE_GOLDEN=1 $(GO) test ./hooks -run TestGuide_Clients_MatchTheTable -count=1
	@UPDATE_GOLDEN=1 $(GO) test ./tools -run 'TestToolsPage_Catalog_MatchesTheGoldenFile' -count=1
	@UPDATE_GOLDEN=1 $(GO) test ./server/mcp -run 'TestToolsList_Catalog_MatchesTheGoldenFile' -count=1
	@UPDATE_GOLDEN=1 $(GO) test ./server/cstp -run 'TestProto_GeneratedCode_MatchesTheFile' -count=1
	@UPDATE_GOLDEN=1 $(GO) test ./server/rest -run TestOpenAPI_Document_MatchesTheGoldenFile -count=1
	@UPDATE_GOLDEN=1 $(GO) test ./cmd/nomograph -run TestHelp_EveryCommand_MatchesTheGoldenFile -count=1

golden: surface ## update all golden files
	@UPDATE_GOLDEN=1 $(GO) test ./cypher ./policies/... ./decisions/... ./cmd/nomograph/clients

pictures: ## update the screenshots in docs/pictures
	@scripts/pages.sh
	@PICTURES=1 $(GO) test ./server/pages -run '^TestPictures_' -count=1

bench: build ## measure against a bare Bolt round trip; writes bin/bench.md
	@$(GO) run ./bench

bench-large: build ## measure with 500,000 decisions; prints the results and writes no report
	@$(GO) run ./bench -only decisions -decisions 500000 -heap 4g -page-cache 2g

compare: build ## send the same requests to OLD=path/to/nomograph and to this build, and print where the answers differ
	@$(GO) run ./bench/conversations $(OLD) bin/nomograph

fuzz: ## fuzz each parser for a minute
	@for target in tools:FuzzArguments tools:FuzzNamedQuery policies/pack:FuzzParsePack sessions/manifest:FuzzManifest policies/cstp:FuzzImportGuardrails policies/instructions:FuzzImport policies/condition:FuzzRule internal/normalize:FuzzNormalize policies/targets:FuzzBranches policies/targets:FuzzPaths internal/document:FuzzDocument \
	  internal/render:FuzzClean internal/redact:FuzzValue trace:FuzzCanonicalForm trace:FuzzVerifyText cypher/readonly:FuzzCheck search:FuzzFullText search:FuzzWordPieces search:FuzzPassages decisions/links:FuzzLabels decisions/briefing:FuzzEscaped \
	  decisions/records:FuzzADR decisions/records:FuzzBlocks decisions/records:FuzzCSTP decisions/records:FuzzJSONL graph/archive:FuzzLine memory/turns:FuzzPieces memory/transcripts:FuzzRead \
	  cmd/nomograph/arguments:FuzzObjectsAreReadOrLeftAlone agents/client:FuzzAddress server/cstp:FuzzRead server/cstp:FuzzSpelling; do \
	  $(GO) test ./$${target%:*} -run '^$$' -fuzz "^$${target#*:}$$" -fuzztime 1m -fuzzminimizetime 20x || exit 1; done

release: ## build archives for Linux, macOS and Windows, slim and full, with checksums and, if syft is installed, SBOMs, in bin/release: of the tag, otherwise a snapshot
	@skip=; command -v syft >/dev/null 2>&1 || { skip=--skip=sbom; echo "syft is not in PATH, so the archives have no SBOM"; }; \
	snapshot=--snapshot; git describe --exact-match --tags >/dev/null 2>&1 && git diff --quiet HEAD && snapshot=; \
	VERSION=$(VERSION) COMMIT_SECONDS=$$(git log -1 --format=%ct) COMMIT_TIME=$$(git log -1 --format=%cI) $(GO) run $(GORELEASER) release --config deploy/goreleaser.yaml --clean $$snapshot $$skip

packages: ## make wheels, npm packages, MCP bundles, deb, rpm, server.json and a Homebrew formula in bin/packages from bin/release; ADDRESS is where the archives will be
	@deploy/packages.py bin/release bin/packages $(VERSION) $(ADDRESS)

clean: ## remove build results
	@rm -rf bin

help: ## list the targets
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' Makefile
