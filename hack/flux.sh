#!/bin/sh
# Builds Flux's command line into .tools/bin, unless the one there was built from the same go.mod and go.sum.
#
#   hack/flux.sh MODULE_DIR
#
# It embeds the manifests of `flux install`, which a release generates and the module proxy's archive has not, and Go
# lets nobody add a file to a module. So it is built from a copy of the module, with a file in their place: what this one
# cannot do is install Flux.
set -eu

dir=$1 module=github.com/fluxcd/flux2/v2

root=$(cd "$(dirname "$0")/.." && pwd)
bin=$root/.tools/bin
stamp=$bin/.flux.stamp

want=$(cat "$root/$dir/go.mod" "$root/$dir/go.sum" "$0" | cksum)
if [ -x "$bin/flux" ] && [ -f "$stamp" ] && [ "$(cat "$stamp")" = "$want" ]; then
	exit 0
fi

mkdir -p "$bin"
echo "building flux from $dir (once; the first time takes minutes)" >&2

source=$(mktemp -d)
trap 'rm -rf "$source"' EXIT

(
	cd "$root/$dir"
	GOWORK=off go mod download "$module"
	cp -R "$(GOWORK=off go list -m -f '{{.Dir}}' "$module")/." "$source"
	chmod -R u+w "$source"
	# Its dependencies are those that the folder pins.
	sed "s,^module .*,module $module," go.mod | grep -v "$module v" | grep -v "^tool " >"$source/go.mod"
	cp go.sum "$source/go.sum"
	version=$(GOWORK=off go list -m -f '{{.Version}}' "$module")

	mkdir -p "$source/cmd/flux/manifests"
	echo "# Manifests of a release are not part of the module." >"$source/cmd/flux/manifests/none.yaml"

	cd "$source"
	CGO_ENABLED=0 GOWORK=off nice go build -trimpath -buildvcs=false -ldflags "-s -w -X main.VERSION=${version#v}" \
		-o "$bin/.flux.new" ./cmd/flux
)
mv -f "$bin/.flux.new" "$bin/flux"
echo "$want" >"$stamp"
