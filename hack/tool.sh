#!/bin/sh
# Builds one pinned tool into .tools/bin, unless the one there was built from the same go.mod and go.sum.
#
#   hack/tool.sh NAME MODULE_DIR PACKAGE [LDFLAGS]
#
# Every tool has a module of its own under tools/: their dependencies must not meet, neither with each other's nor with
# those of the function. The stamp is over contents, not times, since a fresh checkout gives every file a new time and
# these builds take minutes.
set -eu

name=$1 dir=$2 package=$3 ldflags=${4:-}

root=$(cd "$(dirname "$0")/.." && pwd)
bin=$root/.tools/bin
stamp=$bin/.$name.stamp

want=$(cat "$root/$dir/go.mod" "$root/$dir/go.sum" | cksum)" $package $ldflags"
if [ -x "$bin/$name" ] && [ -f "$stamp" ] && [ "$(cat "$stamp")" = "$want" ]; then
	exit 0
fi

mkdir -p "$bin"
echo "building $name from $dir (once; the first time takes minutes)" >&2

# Built beside its place and moved, so that an interrupted build leaves no half a tool behind.
(
	cd "$root/$dir"
	CGO_ENABLED=0 GOWORK=off nice go build -trimpath -buildvcs=false -ldflags "-s -w $ldflags" -o "$bin/.$name.new" "$package"
)
mv -f "$bin/.$name.new" "$bin/$name"
echo "$want" >"$stamp"
