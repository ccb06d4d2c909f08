#!/bin/sh
# Sees to one pinned tool in .tools/bin, which is built once a machine: see hack/cached.sh.
#
#   hack/tool.sh NAME MODULE_DIR PACKAGE [LDFLAGS [TAGS]]
#
# Every tool has a module of its own under tools/: their dependencies must not meet, neither with each other's nor with
# those of the function.
set -eu

# shellcheck source=hack/cached.sh
. "$(dirname "$0")/cached.sh"

dir=$root/$2 package=$3 ldflags=${4:-} tags=${5:-}
export CGO_ENABLED=0 GOWORK=off

build() {
	cd "$dir"
	go build -trimpath -buildvcs=false -tags "$tags" -ldflags "-s -w $ldflags" -o "$1" "$package"
}

cached "$1" "$(
	cat "$dir/go.mod" "$dir/go.sum"
	echo "$package $ldflags $tags"
	go env GOVERSION GOOS GOARCH
)" build
