#!/bin/sh
# Sees to Flux's command line in .tools/bin, which is built once a machine: see hack/cached.sh.
#
#   hack/flux.sh MODULE_DIR
#
# It embeds the manifests of `flux install`, which a release generates and the module proxy's archive has not, and Go
# lets nobody add a file to a module. So it is built from a copy of the module, with a file in their place: what this one
# cannot do is install Flux.
set -eu

# shellcheck source=hack/cached.sh
. "$(dirname "$0")/cached.sh"

dir=$root/$1 module=github.com/fluxcd/flux2/v2
export CGO_ENABLED=0 GOWORK=off

build() {
	source=$1.source

	cd "$dir"
	go mod download "$module"
	cp -R "$(go list -m -f '{{.Dir}}' "$module")" "$source"
	chmod -R u+w "$source"
	# Its dependencies are those that the folder pins.
	sed "s,^module .*,module $module," go.mod | grep -v "$module v" | grep -v "^tool " >"$source/go.mod"
	cp go.sum "$source/go.sum"
	version=$(go list -m -f '{{.Version}}' "$module")

	mkdir -p "$source/cmd/flux/manifests"
	echo "# Manifests of a release are not part of the module." >"$source/cmd/flux/manifests/none.yaml"

	cd "$source"
	nice go build -trimpath -buildvcs=false -ldflags "-s -w -X main.VERSION=${version#v}" -o "$1" ./cmd/flux
}

cached flux "$(
	cat "$dir/go.mod" "$dir/go.sum" "$0"
	go env GOVERSION GOOS GOARCH
)" build
