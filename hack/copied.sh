#!/bin/sh
# Sees to a pinned tool in .tools/bin that is built from an edited copy of its module: see hack/cached.sh.
#
#   hack/copied.sh NAME MODULE_DIR MODULE PACKAGE [LDFLAGS]
#
# edit.sh in the folder that pins the module is run in the copy, and says why. Go lets nobody change a file of a module.
set -eu

# shellcheck source=hack/cached.sh
. "$(dirname "$0")/cached.sh"

name=$1 dir=$root/$2 module=$3 package=$4 ldflags=${5:-}
export CGO_ENABLED=0 GOWORK=off

build() {
	copy=$1.source

	cd "$dir"
	go mod download "$module"
	cp -R "$(go list -m -f '{{.Dir}}' "$module")" "$copy"
	chmod -R u+w "$copy"
	# Its dependencies are those that the folder pins.
	sed "s,^module .*,module $module," go.mod | grep -v "$module v" | grep -v "^tool " >"$copy/go.mod"
	cp go.sum "$copy/go.sum"

	cd "$copy"
	sh "$dir/edit.sh"
	go build -trimpath -buildvcs=false -ldflags "-s -w $ldflags" -o "$1" "$package"
}

cached "$name" "$(
	cat "$dir/go.mod" "$dir/go.sum" "$dir/edit.sh" "$root/hack/copied.sh"
	echo "$module $package $ldflags"
	go env GOVERSION GOOS GOARCH
)" build
