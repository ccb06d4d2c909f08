# What a fresh machine needs: Go, make and git. The rest is built from the Go module proxy or, on Debian and as root,
# installed with apt-get. `make help` lists what there is; .ci/run runs all of it the way CI does.

.DEFAULT_GOAL := help
.SUFFIXES:

# Static, and without paths of the machine or the state of the checkout, so that the same source gives the same binary
# and a container needs no base.
export CGO_ENABLED := 0
GO_BUILD := go build -trimpath -buildvcs=false -ldflags "-s -w"

# For tests, linters and generators, too: what is compiled with other flags than the programs is compiled twice.
export GOFLAGS := $(GOFLAGS) -trimpath

ARCH := $(shell go env GOARCH)
OUT := _output
BIN := $(OUT)/bin
TOOLS := .tools/bin
FUNCTION := $(BIN)/function-proxmox-machine
SCRIPTS := hack

# Versions are those of the tools' go.mod files; Crossplane wants its own told when it is linked.
XP_VERSION := github.com/crossplane/crossplane-runtime/v2/pkg/version.version
xp_version = $(shell sed -n 's,^.*$(1) \(v[0-9][^ ]*\).*$$,\1,p' tools/$(2)/go.mod | head -n 1)

# Crossplane's RBAC manager serves metrics on port 8080 and has no setting for that; the tests run several on one machine.
METRICS_ADDRESS := sigs.k8s.io/controller-runtime/pkg/metrics/server.DefaultBindAddress

# For make preview: what to render, in which flavour (namespaced, claims, legacy; none: as observed, or as the catalogue says), and whether with Crossplane's own render engine
# (crossplane) or with what does the same in one process.
CLAIM := example/k3s-cluster/server-1.yaml
FLAVOUR :=
ENGINE := in-process
RENDER = $(BIN)/kubectl-machine render -o yaml

# For make validate: the provider's CRDs, a folder for each release.
PROVIDER_CRDS := ../shared/provider-crds
OTHER_CRDS := ../shared/other-crds

.PHONY: help
help: ## List the targets
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / {printf "  %-16s %s\n", $$1, $$2}' Makefile
	@echo
	@echo "  make preview CLAIM=file or folder [FLAVOUR=namespaced|claims|legacy] [CATALOGUE=file|none] [OBSERVED=file|none] [FIRST=1] [FULL=1] [ENGINE=crossplane [DEBUG=1]]"
	@echo "  make test    [RACE=1]"
	@echo "  make build   [ARCH=amd64|arm64], make packages likewise"

##### Build

.PHONY: build
build: ## Build the function's static binary, _output/function-linux-ARCH
	GOOS=linux GOARCH=$(ARCH) $(GO_BUILD) -o $(OUT)/function-linux-$(ARCH) .

.PHONY: kubectl-machine
kubectl-machine: # The command line, for this machine.
	@$(GO_BUILD) -o $(BIN)/ ./cmd/kubectl-machine

.PHONY: kubectl-machine-lint
kubectl-machine-lint: # The same with the API server's validation, for kubectl machine lint; takes minutes to compile.
	@$(GO_BUILD) -o $(BIN)/ ./cmd/kubectl-machine-lint

.PHONY: function
function: # The function, for this machine.
	@$(GO_BUILD) -o $(FUNCTION) .

.PHONY: packages
packages: build tool-crossplane tool-runtimeimage ## Build and check the Function and Configuration packages, without Docker
	$(SCRIPTS)/xpkg.sh $(OUT) $(ARCH)

# What make push pushes from a checkout. A release of that number comes after it, and so does what the Configurations ask of the Function.
push: VERSION = v0.2.0-dev

.PHONY: push
push: tool-crossplane tool-runtimeimage ## Build all packages, for amd64 and arm64, and push them: make push REGISTRY=ghcr.io/you [VERSION=v0.2.0-dev.2]
	@case '$(origin REGISTRY)' in file) echo 'name your registry: make push REGISTRY=ghcr.io/you' >&2; exit 1;; esac
	$(MAKE) packages ARCH=amd64
	$(MAKE) packages ARCH=arm64
	$(SCRIPTS)/push.sh $(OUT) '$(REGISTRY)' '$(VERSION)'

# A release: make release DRY_RUN=1 builds and checks all of it; without DRY_RUN its packages are pushed to REGISTRY, too. What is signed
# is signed by .github/workflows/release.yaml, which has an identity to sign with.
VERSION = v0.0.0-dry-run
REGISTRY = ghcr.io/homelab-io
PLATFORMS =
RELEASE := $(OUT)/release
# The time of files in archives.
export SOURCE_DATE_EPOCH ?= $(shell git log -1 --format=%ct 2>/dev/null)

.PHONY: release
release: tool-crossplane tool-runtimeimage tool-cyclonedx-gomod tool-validate-krew-manifest tool-release ## Build a release: make release DRY_RUN=1 [VERSION=v0.2.0] [PLATFORMS=linux/amd64,...]
	$(TOOLS)/release build -version '$(VERSION)' -output $(RELEASE) -platforms '$(PLATFORMS)' $(if $(DRY_RUN),-unreleased)
	$(TOOLS)/release check -version '$(VERSION)' -output $(RELEASE) -platforms '$(PLATFORMS)'
	$(TOOLS)/validate-krew-manifest -skip-install -manifest $(RELEASE)/assets/machine.yaml
	@cat $(RELEASE)/assets/digests.txt
	$(if $(DRY_RUN),@echo 'dry run: nothing was pushed',$(TOOLS)/release push -version '$(VERSION)' -output $(RELEASE) -registry '$(REGISTRY)' >$(RELEASE)/pushed.txt)

.PHONY: check-release
check-release: ## Build a release twice, in two folders, and compare the bytes; one platform for each kind of archive
	$(SCRIPTS)/reproduce.sh

.PHONY: release-commit
release-commit: tool-release ## Prepare the commit that is to be tagged: make release-commit VERSION=v0.2.0
	$(TOOLS)/release prepare -version '$(VERSION)'

.PHONY: generate
generate: tool-crd-ref-docs ## Generate deep copies, CRDs, XRDs, schemas and docs/api.md
	go generate ./...
	$(SCRIPTS)/api-docs.sh
	go run ./internal/cmd/commands docs/commands

.PHONY: commands
commands: ## Write docs/commands, a page for each command of kubectl machine
	go run ./internal/cmd/commands docs/commands

.PHONY: man
man: ## Write the man pages of kubectl machine into _output/man; then: man -M _output/man kubectl-machine-plan
	go run ./internal/cmd/commands -man $(OUT)/man

.PHONY: generate-observability
generate-observability: tool-observability ## Generate the dashboard, the configuration of kube-state-metrics, and the alerts as the operator reads them
	$(TOOLS)/observability generate

.PHONY: readmes
readmes: kubectl-machine ## Renew the output that the examples' READMEs show
	go run ./internal/cmd/readme

.PHONY: clean
clean: ## Remove what was built, but not the tools
	rm -rf $(OUT)

.PHONY: distclean
distclean: clean ## Remove the checkout's links to the tools, too
	rm -rf .tools

# Where hack/cached.sh keeps programs, and test/boot file systems.
CACHE = $(or $(XDG_CACHE_HOME),$(HOME)/.cache)/function-proxmox-machine

.PHONY: clean-tools
clean-tools: ## Remove what all checkouts of this machine share: built tools, and the file systems of the boot tests
	rm -rf '$(CACHE)'

##### Look

.PHONY: preview
preview: kubectl-machine $(if $(filter crossplane,$(ENGINE)),function tool-crossplane tool-crossplane-core) ## Render a claim: what would it create? ENGINE=crossplane asks the real Crossplane
	@$(RENDER) -f '$(CLAIM)' --engine '$(ENGINE)' $(if $(FLAVOUR),--flavour '$(FLAVOUR)') $(if $(CATALOGUE),--catalogue '$(CATALOGUE)') \
		$(if $(OBSERVED),--observed '$(OBSERVED)') $(if $(FIRST),--first) $(if $(FULL),--full) $(if $(DEBUG),--debug)

##### Control plane

# What is built from Kubernetes must say its version, as a release does.
kubernetes = $(call xp_version,k8s.io/kubernetes,cluster)
KUBERNETES_LDFLAGS = -X k8s.io/component-base/version.gitVersion=$(kubernetes) \
	-X k8s.io/component-base/version.gitMajor=1 -X k8s.io/component-base/version.gitMinor=$(word 2,$(subst ., ,$(kubernetes)))

# One suite: make e2e RUN=TestInstall.
RUN := .

.PHONY: e2e
e2e: packages tool-kube-apiserver tool-kube-controller-manager tool-crossplane tool-crossplane-core tool-kube-state-metrics tool-provider-kubernetes tool-cluster-api-ipam tool-external-dns tool-kro tool-promtool tool-observability apt-e2e ## Install the packages on a real control plane, and let claims live and fail there
	cd test/controlplane && go test ./plane ./standin ./k3s
	cd test/controlplane && go test -count=1 -v -timeout 120m -run '$(RUN)' -skip '^(TestLegacy|TestSmoke$$|TestCommit)' .

# What of make e2e every change passes: a birth, an edit and an end of each kind, a refused claim, and a fault of the provider.
.PHONY: smoke-plane
smoke-plane: packages tool-kube-apiserver tool-kube-controller-manager tool-crossplane tool-crossplane-core apt-e2e
	cd test/controlplane && go test -count=1 -v -timeout 45m -run '^(TestSmoke|TestMatrixCoverage)$$' .

# The other plane: make plane ON=namespaced.
ON := claims

.PHONY: plane
plane: packages tool-kube-apiserver tool-kube-controller-manager tool-crossplane tool-crossplane-core apt-e2e ## Keep such a control plane up, to try claims and faults on by hand
	cd test/controlplane && ON='$(ON)' go test -tags plane -count=1 -v -timeout 0 -run '^TestPlane$$' .

# One commit: make e2e-rehearsals RUN='^TestCommits$$//^Reboot$$'.
.PHONY: e2e-rehearsals
e2e-rehearsals: packages tool-kube-apiserver tool-kube-controller-manager tool-crossplane tool-crossplane-core tool-provider-kubernetes apt-e2e ## Make each commit that has a golden of a rehearsal on a real control plane, and compare what comes
	cd test/controlplane && go test -count=1 -v -timeout 180m -run '$(if $(filter .,$(RUN)),^TestCommit,$(RUN))' .

.PHONY: e2e-v1
e2e-v1: packages tool-kube-apiserver tool-kube-controller-manager tool-crossplane tool-crossplane-core-v1 apt-e2e ## The same on Crossplane 1.20, with an old provider and with a new one
	cd test/controlplane && go test -count=1 -v -timeout 60m -run '$(if $(filter .,$(RUN)),^TestLegacy,$(RUN))' .

# At how many claims, how many are added at once, and how long: make scale LIMIT=2h ends with the wave that is added then.
SCALE := 50,500,1000
WAVE := 50
LIMIT := 5h

.PHONY: scale
scale: packages tool-kube-apiserver tool-kube-controller-manager tool-crossplane tool-crossplane-core apt-e2e ## Measure what a claim costs while there are 50, 500 and 1,000, for docs/performance.md
	cd test/controlplane && go test -count=1 -v -timeout 6h -run 'TestScale$$' . -scale '$(SCALE)' -wave '$(WAVE)' -limit '$(LIMIT)'

# How many K3sClusters of five nodes.
CLUSTERS := 20

.PHONY: scale-clusters
scale-clusters: packages tool-kube-apiserver tool-kube-controller-manager tool-crossplane tool-crossplane-core apt-e2e ## Measure what clusters cost: 20 of five nodes, for docs/performance.md
	cd test/controlplane && go test -count=1 -v -timeout 2h -run 'TestManyClusters$$' . -clusters '$(CLUSTERS)'

.PHONY: tool-kube-apiserver
tool-kube-apiserver:
	@$(SCRIPTS)/tool.sh kube-apiserver tools/cluster k8s.io/kubernetes/cmd/kube-apiserver "$(KUBERNETES_LDFLAGS)"

.PHONY: tool-kube-controller-manager
tool-kube-controller-manager:
	@$(SCRIPTS)/tool.sh kube-controller-manager tools/cluster k8s.io/kubernetes/cmd/kube-controller-manager "$(KUBERNETES_LDFLAGS)"

##### Flux

.PHONY: test-gitops
test-gitops: tool-crossplane ## Check example/flux without a cluster: its health checks, and all that Flux would apply
	cd test/gitops && go test -count=1 .

# One variant: make e2e-flux RUN=TestChain/Claims.
.PHONY: e2e-flux
e2e-flux: packages tool-flux tool-kube-apiserver tool-kube-controller-manager tool-crossplane tool-crossplane-core apt-e2e ## Drive example/flux with commits, with the real Flux on a real control plane
	cd test/gitops/chain && go test -count=1 -v -timeout 60m -run '$(RUN)' .

##### Boot

# One test: make test-boot-fast RUN=TestFirstBoot/k3s-cluster.
.PHONY: test-boot-fast
test-boot-fast: kubectl-machine apt-boot-fast ## Put every example's cloud-init drive through Debian's cloud-init, in namespaces (root)
	cd test/boot && go test -count=1 -timeout 60m -run '$(RUN)' .

# cloud-init's own check of every document, without a boot.
.PHONY: smoke-cloudinit
smoke-cloudinit: kubectl-machine apt-boot-fast
	cd test/boot && go test -count=1 -timeout 45m -run '^TestSchema$$' .

# A first server, a NixOS machine and a second boot: constant scripts run as guests run them. And of make test-nix what no boot has.
.PHONY: smoke-guest
smoke-guest: kubectl-machine apt-boot-fast apt-test
	go test -count=1 -timeout 40m -run '^(TestFirstBoot|TestReboot|TestGoodTarget|TestScriptsAreTheSame|TestParse|TestTemplate|TestModuleMatchesInjectedUnit|TestInjectedUnit|TestShellcheck)$$' ./test/nix
	cd test/boot && go test -count=1 -timeout 45m -run '^(TestFirstBoot|TestSecondBoot|TestGuestFiles)$$/^(k3s-cluster|nixos|RenderedK3s)$$/^(server-1|dns01)$$' .

# Two stand for the rest: make test-boot RUN='TestServerJoinsLate|TestAPINever'.
.PHONY: test-boot
test-boot: kubectl-machine apt-boot ## Boot K3s nodes in QEMU, by emulation, with trouble on their network (root; two minutes or more a boot)
	cd test/boot && go test -count=1 -v -timeout 90m -run '$(RUN)' ./vm

##### Site

# What the site shows as its version, and the folder of that version. BASE is the path at which it will be served.
SITE_VERSION := main
BASE := /

.PHONY: site
site: apt-site ## Build the site with the playground: _output/site. BASE=/path/ where it is not served at the top
	$(SCRIPTS)/site.sh $(CURDIR)/$(OUT)/site '$(SITE_VERSION)' '$(BASE)'

# One test: make test-site RUN=TestTyping.
.PHONY: test-site
test-site: kubectl-machine apt-site apt-test-site ## Build the site, and hold its playground against the binary, in Chromium. Pictures are in _output/site-shots
	$(SCRIPTS)/site.sh $(CURDIR)/$(OUT)/test-site test /
	cd test/site && go test -count=1 -v -timeout 25m -run '$(RUN)' .

# What of test-site every change passes: the site is built, the playground is no larger than it may be, no link is dead, and an edit is made in the playground, in Chromium.
.PHONY: smoke-site
smoke-site: kubectl-machine apt-site apt-test-site
	$(SCRIPTS)/site.sh $(CURDIR)/$(OUT)/test-site test /
	cd test/site && go test -count=1 -timeout 25m -run '^(TestModuleSize|TestNoLinkIsDead|TestTyping)$$' .

##### Check

# One test: make test-secrets RUN=TestPowerCut. The server is built once.
.PHONY: test-secrets
test-secrets: ## Have a guest fetch its secrets from the real server of Vault, in namespaces (root)
	cd test/secrets && go build -ldflags '-s -w' -o $(CURDIR)/$(OUT)/vault-server ./server
	cd test/secrets && VAULT_SERVER=$(CURDIR)/$(OUT)/vault-server go test -count=1 -timeout 15m -run '$(RUN)' .

# Compilers, linters and test programs live for seconds. To collect their garbage a quarter as often saves a sixth of the processor time, and below the limit
# no memory that somebody would miss. What is measured is measured without (make bench).
test lint check-generate check-readmes: export GOGC = 400
test lint check-generate check-readmes: export GOMEMLIMIT = 3GiB

# Without symbols for a debugger, each of 70 programs links in a third of the time.
# Without vet, which make lint runs, too.
GO_TEST = go test -vet=off -ldflags='-s -w'

# How the packages are built, and what must agree between them: as a linter, they read code, of the tests as well. So they are lint's, which whoever changes
# a line runs.
STRUCTURE := ./test/imports ./test/packages ./test/structure

.PHONY: test
test: apt-test $(if $(CI),tool-crossplane tool-crossplane-core tool-runtimeimage) ## Run all tests that need no server; those of NixOS' scripts are make test-nix, those that read code make lint
	$(if $(RACE),CGO_ENABLED=1) $(GO_TEST) -timeout 40m $(if $(RACE),-race) $$(go list ./... | grep -v -e '/test/nix$$' -e '/test/kyverno$$' $(STRUCTURE:./%=-e '/%$$'))
	cd tools/runtimeimage && $(if $(RACE),CGO_ENABLED=1) $(GO_TEST) $(if $(RACE),-race) ./...
	cd tools/release && $(GO_TEST) ./...
	cd test/ports && $(GO_TEST) ./...

.PHONY: test-engines
test-engines: tool-crossplane tool-crossplane-core ## Render every example with the real Crossplane and in one process, and compare the bytes
	go test -count=1 -timeout 60m -run '^TestEngines' ./internal/preview -every

# The scripts start thousands of processes, so that they are a suite of their own. One test: make test-nix RUN=TestSchedule.
.PHONY: test-nix
test-nix: apt-test ## Run what a NixOS machine runs to converge, evaluate the example flake with a real Nix, and cut the power of guests' scripts at every write
	go test -count=1 -timeout 60m -run '$(RUN)' ./test/nix
	go test -count=1 -timeout 60m -run '^TestPowerCut' ./internal/datadisks ./internal/secretstore ./internal/k3s -every

.PHONY: test-kyverno
test-kyverno: tool-kyverno ## Have the real Kyverno judge writes of tenants by the policies of install/tenancy
	go test -count=1 ./test/kyverno

.PHONY: test-provider
test-provider: tool-terraform tool-terraform-provider-proxmox tool-terraform-provider-proxmox-served ## Have the real Terraform and plugin plan and apply what is rendered, on a simulator
	cd test/provider && go test -count=1 -timeout 90m ./...

# What of it every change passes: each kind is planned, applied, edited once, and planned again.
.PHONY: smoke-provider
smoke-provider: tool-terraform tool-terraform-provider-proxmox tool-terraform-provider-proxmox-served
	cd test/provider && go test -count=1 -timeout 45m -run '^(TestSmoke|TestMatrixCoverage)$$' .

.PHONY: validate
validate: kubectl-machine tool-crossplane ## Render every example and validate it against the XRDs and the provider's CRDs
	PROVIDER_CRDS='$(PROVIDER_CRDS)' OTHER_CRDS='$(OTHER_CRDS)' $(SCRIPTS)/validate.sh '$(RENDER)' $(TOOLS)/crossplane $(OUT)/validate

.PHONY: lint
lint: tool-golangci-lint apt-lint lint-workflows ## Lint Go code and shell scripts; check the structure of the packages, and that go.mod files are tidy
	$(GO_TEST) $(STRUCTURE)
	$(TOOLS)/golangci-lint config verify
	$(TOOLS)/golangci-lint run
	cd tools/runtimeimage && $(CURDIR)/$(TOOLS)/golangci-lint run
	cd tools/observability && $(CURDIR)/$(TOOLS)/golangci-lint run
	cd tools/release && $(CURDIR)/$(TOOLS)/golangci-lint run
	cd tools/terraform/plugin && $(CURDIR)/$(TOOLS)/golangci-lint run
	cd test/ports && $(CURDIR)/$(TOOLS)/golangci-lint run
	cd test/provider && $(CURDIR)/$(TOOLS)/golangci-lint run
	cd test/controlplane && $(CURDIR)/$(TOOLS)/golangci-lint run
	cd test/boot && $(CURDIR)/$(TOOLS)/golangci-lint run
	cd test/gitops && $(CURDIR)/$(TOOLS)/golangci-lint run
	cd test/gitops/chain && $(CURDIR)/$(TOOLS)/golangci-lint run
	cd test/site && $(CURDIR)/$(TOOLS)/golangci-lint run
	cd test/secrets && $(CURDIR)/$(TOOLS)/golangci-lint run . ./server
	$(SCRIPTS)/shellcheck.sh
	$(SCRIPTS)/tidy.sh

.PHONY: lint-workflows
lint-workflows: tool-actionlint apt-lint ## Check the workflows of .github and of the examples, and their scripts with shellcheck
	$(TOOLS)/actionlint -shellcheck shellcheck -pyflakes= .github/workflows/*.yaml example/*/.github/workflows/*.yaml

.PHONY: test-observability
test-observability: lint-observability ## Test what makes alerts and dashboard, and that alerts fire, with Prometheus' own promtool
	cd tools/observability && go test -tags remove_all_sd ./...

.PHONY: lint-observability
lint-observability: tool-promtool tool-pint tool-observability ## Check alerts, with cases in which they fire, and the dashboard
	$(TOOLS)/promtool check rules --lint=all --lint-fatal observability/alerts/rules.yaml
	$(TOOLS)/promtool test rules observability/alerts/cases.yaml observability/alerts/cases_days.yaml observability/alerts/cases_nodes.yaml observability/alerts/cases_clusters.yaml
	$(TOOLS)/pint --no-color --offline --log-level warn --config tools/pint/pint.hcl lint --fail-on warning observability/alerts/rules.yaml
	$(TOOLS)/observability lint

.PHONY: check-generate
check-generate: generate ## Fail if generated files are not what is committed
	$(SCRIPTS)/check-generate.sh

.PHONY: check-readmes
check-readmes: kubectl-machine ## Fail if an example's README shows another output than its command has
	go run ./internal/cmd/readme -check

.PHONY: bench
bench: ## Measure the function beside a floor, as ratios in one run; reports only. WRITE=true writes docs/performance.md
	go test -count=1 -v -run '^TestBesideFloor$$' ./test/bench -rounds 30 -write=$(if $(WRITE),true,false)

# How many pairs of random machines, and the seed of their worlds.
PAIRS := 20000
SEED := 1

.PHONY: test-pairs
test-pairs: ## Edit 20,000 random machines into others: no edit may harm a running one. PAIRS=2000 SEED=7
	go test -count=1 -v -timeout 6h -run '^TestPairs$$' ./test/properties -pairs $(PAIRS) -seed $(SEED)

.PHONY: model
model: ## Play every order of what Crossplane, provider and person do to a machine, up to 6,000 states a world. STATES=500
	go test -count=1 -v -timeout 2h -run '^TestModel$$' ./test/properties -states $(or $(STATES),6000)

.PHONY: test-broken
test-broken: ## Break rules in copies of the files that have them, one after the other: the worlds of make model have to find each
	go test -count=1 -v -timeout 1h -run '^TestBrokenRules$$' ./test/properties -broken

.PHONY: test-worlds
test-worlds: ## Play 2,000 random K3sClusters with their nodes. WORLDS=200 SEED=7
	go test -count=1 -timeout 6h -run '^TestClusterWorlds$$' ./test/properties -worlds $(or $(WORLDS),2000) -seed $(SEED)

##### The whole proof

# Some suites: make verify SUITES="e2e provider"; FRESH=1 forgets what passed before.
SUITES :=

.PHONY: verify
verify: ## Run every suite, for hours, and write _output/verify/report.md. SUITES="e2e provider" runs those; it goes on where it was interrupted
	@$(SCRIPTS)/verify.sh $(SUITES)

##### Tools

# Each is built once a machine, from the module under tools/ that pins it; .tools/bin links to it.

.PHONY: tools
tools: tool-crossplane tool-crossplane-core tool-crd-ref-docs tool-golangci-lint tool-terraform tool-terraform-provider-proxmox tool-terraform-provider-proxmox-served tool-runtimeimage tool-kube-apiserver tool-kube-controller-manager tool-kube-state-metrics tool-provider-kubernetes tool-cluster-api-ipam tool-external-dns tool-kro tool-kyverno tool-promtool tool-pint tool-observability tool-actionlint tool-cyclonedx-gomod tool-validate-krew-manifest tool-release ## Build all pinned tools but Flux at once (a quarter of an hour on two cores); a target builds those that it needs

.PHONY: tool-crossplane
tool-crossplane: # The command line: render, validate, xpkg.
	@$(SCRIPTS)/tool.sh crossplane tools/cluster github.com/crossplane/cli/v2/cmd/crossplane \
		"-X $(XP_VERSION)=$(call xp_version,github.com/crossplane/cli/v2,cluster)"

.PHONY: tool-crossplane-core
tool-crossplane-core: # Crossplane itself: the engine that `crossplane composition render` asks.
	@$(SCRIPTS)/tool.sh crossplane-core tools/cluster github.com/crossplane/crossplane/v2/cmd/crossplane \
		"-X $(XP_VERSION)=$(call xp_version,github.com/crossplane/crossplane/v2,cluster) -X $(METRICS_ADDRESS)=127.0.0.1:0"

.PHONY: tool-crossplane-core-v1
tool-crossplane-core-v1: # The last Crossplane of generation 1, for make e2e-v1. It keeps its version in a package of its own.
	@$(SCRIPTS)/tool.sh crossplane-core-v1 tools/crossplane-v1 github.com/crossplane/crossplane/cmd/crossplane \
		"-X github.com/crossplane/crossplane/internal/version.version=$(call xp_version,github.com/crossplane/crossplane,crossplane-v1) -X $(METRICS_ADDRESS)=127.0.0.1:0"

.PHONY: tool-crd-ref-docs
tool-crd-ref-docs: # docs/api.md from Go types.
	@$(SCRIPTS)/tool.sh crd-ref-docs tools/crd-ref-docs github.com/elastic/crd-ref-docs

.PHONY: tool-golangci-lint
tool-golangci-lint:
	@$(SCRIPTS)/tool.sh golangci-lint tools/golangci-lint github.com/golangci/golangci-lint/v2/cmd/golangci-lint

.PHONY: tool-actionlint
tool-actionlint: # Checks the workflows of .github.
	@$(SCRIPTS)/tool.sh actionlint tools/actionlint github.com/rhysd/actionlint/cmd/actionlint

.PHONY: tool-cyclonedx-gomod
tool-cyclonedx-gomod: # Lists the modules that a binary is built from.
	@$(SCRIPTS)/tool.sh cyclonedx-gomod tools/cyclonedx-gomod github.com/CycloneDX/cyclonedx-gomod/cmd/cyclonedx-gomod

.PHONY: tool-validate-krew-manifest
tool-validate-krew-manifest: # Krew's own check of a plugin's manifest.
	@$(SCRIPTS)/tool.sh validate-krew-manifest tools/krew sigs.k8s.io/krew/cmd/validate-krew-manifest

.PHONY: tool-release
tool-release: # Our own: builds a release, checks it, and pushes it.
	@cd tools/release && $(GO_BUILD) -o ../../$(TOOLS)/release .

.PHONY: tool-terraform
tool-terraform: # What provider-proxmox-bpg runs: see tools/terraform/README.md.
	@$(SCRIPTS)/copied.sh terraform tools/terraform/terraform github.com/hashicorp/terraform .

.PHONY: tool-terraform-provider-proxmox
tool-terraform-provider-proxmox: # And its plugin.
	@$(SCRIPTS)/tool.sh terraform-provider-proxmox tools/terraform/plugin github.com/bpg/terraform-provider-proxmox

.PHONY: tool-terraform-provider-proxmox-served
tool-terraform-provider-proxmox-served: # The plugin with a main of our own, so always built, too.
	@cd tools/terraform/plugin && GOWORK=off $(GO_BUILD) -o ../../../$(TOOLS)/terraform-provider-proxmox-served ./served

.PHONY: tool-runtimeimage
tool-runtimeimage: # Our own, so always built: an unchanged one costs a fraction of a second.
	@cd tools/runtimeimage && $(GO_BUILD) -o ../../$(TOOLS)/runtimeimage .

.PHONY: tool-kube-state-metrics
tool-kube-state-metrics: # Tells Prometheus of custom resources.
	@$(SCRIPTS)/tool.sh kube-state-metrics tools/cluster k8s.io/kube-state-metrics/v2

.PHONY: tool-provider-kubernetes
tool-provider-kubernetes: # Reads Nodes, and deletes them.
	@$(SCRIPTS)/tool.sh provider-kubernetes tools/provider-kubernetes github.com/crossplane-contrib/provider-kubernetes/cmd/provider "-X $(METRICS_ADDRESS)=127.0.0.1:0"

.PHONY: tool-kro
tool-kro: # Composes resources by expressions: example/workload.
	@$(SCRIPTS)/tool.sh kro tools/kro github.com/kro-run/kro/cmd/controller

.PHONY: tool-kyverno
tool-kyverno: # Applies policies to objects, without a cluster.
	@$(SCRIPTS)/tool.sh kyverno tools/kyverno github.com/kyverno/kyverno/cmd/cli/kubectl-kyverno

.PHONY: tool-cluster-api-ipam
tool-cluster-api-ipam: # Gives addresses of InClusterIPPools.
	@$(SCRIPTS)/tool.sh cluster-api-ipam tools/cluster-api-ipam sigs.k8s.io/cluster-api-ipam-provider-in-cluster

.PHONY: tool-external-dns
tool-external-dns: # Makes DNS records of DNSEndpoints.
	@$(SCRIPTS)/tool.sh external-dns tools/external-dns sigs.k8s.io/external-dns

.PHONY: tool-promtool
tool-promtool: # Checks alerts. Without the ways to find targets in clouds, which are most of its dependencies.
	@$(SCRIPTS)/tool.sh promtool tools/cluster github.com/prometheus/prometheus/cmd/promtool "" remove_all_sd

.PHONY: tool-pint
tool-pint: # Checks what alerts have for those who get them.
	@$(SCRIPTS)/tool.sh pint tools/pint github.com/cloudflare/pint/cmd/pint

.PHONY: tool-observability
tool-observability: # Our own: makes and checks what observability/ ships.
	@cd tools/observability && $(GO_BUILD) -tags remove_all_sd -o ../../$(TOOLS)/observability .

.PHONY: tool-flux
tool-flux: tool-source-controller tool-kustomize-controller tool-helm-controller tool-flux-cli tool-sops tool-age-keygen # Flux 2.9.5: see tools/flux/README.md.

.PHONY: tool-source-controller tool-kustomize-controller tool-helm-controller
tool-source-controller tool-kustomize-controller tool-helm-controller: tool-%:
	@$(SCRIPTS)/tool.sh $* tools/flux/controllers github.com/fluxcd/$*

.PHONY: tool-flux-cli
tool-flux-cli:
	@$(SCRIPTS)/copied.sh flux tools/flux/cli github.com/fluxcd/flux2/v2 ./cmd/flux "-X main.VERSION=$(patsubst v%,%,$(call xp_version,github.com/fluxcd/flux2/v2,flux/cli))"

.PHONY: tool-sops
tool-sops:
	@$(SCRIPTS)/tool.sh sops tools/flux/sops github.com/getsops/sops/v3/cmd/sops

.PHONY: tool-age-keygen
tool-age-keygen:
	@$(SCRIPTS)/tool.sh age-keygen tools/flux/sops filippo.io/age/cmd/age-keygen

# Programs of the distribution, each with its Debian package.
APT_LINT := shellcheck=shellcheck
APT_TEST := shellcheck=shellcheck nix-instantiate=nix-bin bash=bash flock=util-linux systemd-analyze=systemd systemd-tmpfiles=systemd
APT_E2E := etcd=etcd-server kubectl=kubernetes-client jq=jq
APT_SITE := npm=npm
APT_TEST_SITE := chromium=chromium
APT_BOOT_FAST := debootstrap=debootstrap unshare=util-linux ip=iproute2
APT_BOOT := $(APT_BOOT_FAST) qemu-system-x86_64=qemu-system-x86 qemu-img=qemu-utils genisoimage=genisoimage mke2fs=e2fsprogs

.PHONY: apt
apt: ## Install from Debian what CI needs beside Go (root)
	@$(SCRIPTS)/apt.sh $(APT_LINT) $(APT_TEST) $(APT_E2E) $(APT_SITE) $(APT_TEST_SITE) $(APT_BOOT)

.PHONY: apt-lint
apt-lint:
	@$(SCRIPTS)/apt.sh $(APT_LINT)

.PHONY: apt-test
apt-test:
	@$(SCRIPTS)/apt.sh $(APT_TEST)

.PHONY: apt-e2e
apt-e2e:
	@$(SCRIPTS)/apt.sh $(APT_E2E)

.PHONY: apt-site
apt-site:
	@$(SCRIPTS)/apt.sh $(APT_SITE)

.PHONY: apt-test-site
apt-test-site:
	@$(SCRIPTS)/apt.sh $(APT_TEST_SITE)

.PHONY: apt-boot-fast
apt-boot-fast:
	@$(SCRIPTS)/apt.sh $(APT_BOOT_FAST)

.PHONY: apt-boot
apt-boot:
	@$(SCRIPTS)/apt.sh $(APT_BOOT)
