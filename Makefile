# Two commands are all that a fresh machine with Go needs: `make run` and `make test`.
GO ?= go
VERSION ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo dev)
# Without the folder's name in what is compiled, a second clone need not compile it again.
export GOFLAGS += -trimpath
STATICCHECK = honnef.co/go/tools/cmd/staticcheck@v0.8.2
GOTESTSUM = gotest.tools/gotestsum@v1.13.0
NEWEST ?= 2026.08.1
GORELEASER = github.com/goreleaser/goreleaser/v2@v2.13.3
GOLANGCI = github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v2.15.0
# The race detector needs a C compiler.
RACE := $(shell command -v gcc >/dev/null 2>&1 && echo -race)

.PHONY: run test test-newest slowest build lint cross surface golden pictures bench bench-large fuzz release clean help

run: build ## build, start the engine, load the packs, serve, and ask over MCP (bin/nomograph demo --json shows the answers whole)
	@scripts/requirements.sh run
	@bin/nomograph demo

build: ## build bin/nomograph, without cgo
	@scripts/pages.sh
	@echo "Building bin/nomograph"
	@CGO_ENABLED=0 $(GO) build -ldflags "-s -w -X main.version=$(VERSION)" -o bin/nomograph ./cmd/nomograph

test: $(if $(PKG),,lint cross) ## lint, compile for every system, and run all tests against a real Neo4j; PKG=policies only those of a package and the packages in it
	@scripts/requirements.sh test
	@scripts/pages.sh
	@scripts/clients.sh
	@mkdir -p bin
	@$(if $(RACE),,echo "No C compiler, so the race detector is left out";) \
	echo "Running the tests of $(or $(PKG),all $$($(GO) list ./... | wc -l) packages) (the first run fetches Neo4j)"; \
	$(GO) build -o bin/tested/ ./cmd/nomograph && TESTED_NOMOGRAPH=$$PWD/bin/tested/nomograph GORACE=atexit_sleep_ms=10 $(GO) run $(GOTESTSUM) --format pkgname --hide-summary skipped --jsonfile bin/tests.json -- $(if $(PKG),,$(RACE) -vet=off -skip '^TestItCompilesOnEverySystem$$') -count=1 -timeout 40m $(if $(PKG),./$(PKG)/...,$$(scripts/packages.sh))

test-newest: ## the tests against the newest Neo4j, where Java 21 or newer is there; PKG=policies only those of a package and the packages in it
	@scripts/requirements.sh test
	@scripts/newest.sh $(NEWEST) ./$(if $(PKG),$(PKG)/)...

slowest: ## the ten slowest tests of the last run, with their times
	@$(GO) run $(GOTESTSUM) tool slowest --num 10 --jsonfile bin/tests.json

lint: ## gofmt, and golangci-lint, which contains go vet and staticcheck
	@echo "Linting"
	@out=$$(gofmt -l $$(git ls-files '*.go')); if [ -n "$$out" ]; then echo "not gofmt'ed: $$out"; exit 1; fi
	@# Linters have everything compiled, tests too. With the race detector it is what the tests then run, and is compiled once.
	@as="env 'GOFLAGS=$(GOFLAGS) $(RACE)'"; \
	if $(GO) run $(GOLANGCI) version >/dev/null 2>&1; then $(GO) run -exec "$$as" $(GOLANGCI) run ./...; else \
	echo "golangci-lint cannot be had here: go vet and staticcheck, which it contains, run alone"; $(GO) vet $(RACE) ./... && $(GO) run -exec "$$as" $(STATICCHECK) ./...; fi

cross: ## check that it compiles on macOS and Windows
	@echo "Compiling for macOS and Windows"
	@CGO_ENABLED=0 $(GO) test -count=1 -run '^TestItCompilesOnEverySystem$$' .

surface: ## write docs/reference/tools.md, the table in docs/reference/settings.md and the golden files of the doors anew, without a database
	@UPDATE_GOLDEN=1 $(GO) test ./internal/config -run TestTheReferenceIsTheSettings -count=1
	@UPDATE_GOLDEN=1 $(GO) test ./tools -run 'TestDocsPageIsTheCatalog' -count=1
	@UPDATE_GOLDEN=1 $(GO) test ./server/mcp -run 'TestToolsListIsTheGoldenFile' -count=1
	@UPDATE_GOLDEN=1 $(GO) test ./server/cstp -run 'TestProto_GeneratedCode_MatchesTheFile' -count=1
	@UPDATE_GOLDEN=1 $(GO) test ./server/rest -run TestTheDocumentIsTheGoldenFile -count=1
	@UPDATE_GOLDEN=1 $(GO) test ./cmd/nomograph -run TestHelp_EveryCommand_MatchesTheGoldenFile -count=1

golden: surface ## write all golden files anew
	@UPDATE_GOLDEN=1 $(GO) test ./cypher ./policies/... ./decisions/... ./cmd/nomograph/clients

pictures: ## take the pictures of the pages anew, docs/pictures
	@scripts/pages.sh
	@PICTURES=1 $(GO) test ./server/pages -run '^TestPictures$$' -count=1

bench: build ## measure against a raw Bolt round trip; writes bin/bench.md
	@scripts/requirements.sh test
	@$(GO) run ./bench

bench-large: build ## measure the decision record with 500,000 decisions; prints, and writes no report
	@scripts/requirements.sh test
	@$(GO) run ./bench -only decisions -decisions 500000 -heap 4g -page-cache 2g

fuzz: ## fuzz what parses, a minute each
	@for target in tools:FuzzArguments tools:FuzzNamedQuery policies/pack:FuzzParsePack sessions/manifest:FuzzManifest policies/cstp:FuzzImportGuardrails policies/condition:FuzzRule internal/spelling:FuzzSpelling internal/spelling:FuzzBranches internal/spelling:FuzzPaths internal/document:FuzzDocument \
	  internal/render:FuzzClean internal/redact:FuzzValue trace:FuzzCanonicalForm trace:FuzzVerifyText cypher/readonly:FuzzCheck search:FuzzFullText search:FuzzWordPieces search:FuzzPassages decisions/links:FuzzLabels decisions/briefing:FuzzEscaped \
	  decisions/records:FuzzADR decisions/records:FuzzBlocks decisions/records:FuzzCSTP decisions/records:FuzzJSONL graph/archive:FuzzLine memory/turns:FuzzPieces memory/transcripts:FuzzRead \
	  cmd/nomograph/arguments:FuzzObjectsAreReadOrLeftAlone agents/client:FuzzAddress server/cstp:FuzzRead server/cstp:FuzzSpelling; do \
	  $(GO) test ./$${target%:*} -run '^$$' -fuzz "^$${target#*:}$$" -fuzztime 1m -fuzzminimizetime 20x || exit 1; done

release: ## archives for Linux, macOS and Windows with their checksums and, where syft is in PATH, contents, in bin/release: of the tag, else a snapshot
	@skip=; command -v syft >/dev/null 2>&1 || { skip=--skip=sbom; echo "syft is not in PATH, so the archives come without a list of what they are made of"; }; \
	snapshot=--snapshot; git describe --exact-match --tags >/dev/null 2>&1 && git diff --quiet HEAD && snapshot=; \
	VERSION=$(VERSION) COMMIT_SECONDS=$$(git log -1 --format=%ct) COMMIT_TIME=$$(git log -1 --format=%cI) $(GO) run $(GORELEASER) release --config deploy/goreleaser.yaml --clean $$snapshot $$skip

clean: ## remove what was built
	@rm -rf bin

help: ## show this
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' Makefile
