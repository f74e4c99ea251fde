# Everything that is done to this repository, by name. CI runs .ci/run, which does not need make.

export CGO_ENABLED ?= 0
export GOLANGCI_LINT_CACHE ?= $(CURDIR)/.tools/cache
FUZZTIME ?= 10s
LINTER := .tools/golangci-lint

.PHONY: docs release help build test race lint format golden bench relevance fuzz cover screenshots ci clean

help: ## list the targets
	@sed -n 's/^\([a-z]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | expand -t 14

build: ## build the programs into bin/
	go build -o bin/ ./cmd/...

test: ## run the tests
	go test ./...

race: ## run the tests with the race detector, which needs a C compiler
	CGO_ENABLED=1 go test -race ./...

lint: $(LINTER) ## look for what a machine can find
	$(LINTER) run ./...

format: $(LINTER) ## format the code as the linter wants it
	$(LINTER) fmt

$(LINTER): scripts/install-linter
	scripts/install-linter

golden: ## rewrite golden files and scripts; read the difference
	scripts/golden

docs: ## write the manual pages and the command reference anew
	go test ./internal/cli -run TestManual -count=1 -update

release: ## make a release without publishing it, and look into it; takes some minutes
	scripts/release-check

bench: build ## measure whole processes beside curl, then the hot code
	go run ./internal/bench
	go test -run '^$$' -bench . -benchmem ./internal/...

relevance: ## measure how well find ranks, by a set of judgements
	go run ./internal/relevance

fuzz: ## fuzz every target for FUZZTIME
	scripts/fuzz $(FUZZTIME)

cover: ## write coverage to dist/cover.html
	@mkdir -p dist
	go test -coverpkg=./... -coverprofile=dist/cover.out ./...
	go tool cover -html=dist/cover.out -o dist/cover.html
	go tool cover -func=dist/cover.out | tail -n 1

screenshots: ## draw the pictures of README and docs, in a real terminal (needs tmux, fish, jq)
	scripts/screenshots

ci: ## every check that a change has to pass
	.ci/run

clean: ## remove what was built
	rm -rf bin dist .tools
