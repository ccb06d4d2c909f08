#!/bin/sh
# Builds the site: hack/site.sh OUT VERSION [BASE]. The site of a version is in OUT/VERSION, so that OUT has several; OUT/index.html
# leads to the one that was built last. BASE is the path at which OUT will be served, / by default.
set -eu

root=$(cd "$(dirname "$0")/.." && pwd)
out=$1 version=$2 base=${3:-/}

cd "$root"
pages=$root/site/pages
WASM_EXEC=$(go env GOROOT)/lib/wasm/wasm_exec.js

go run ./internal/cmd/site -o "$pages" -version "$version"
hack/playground.sh "$root/_output/playground.wasm"
gzip -9 -n -c "$root/_output/playground.wasm" >"$pages/public/playground.wasm.gz"
cp site/playground/playground.md "$pages/playground.md"
cp site/home/home.md "$pages/index.md"

# What is installed is what the lock file names. A second build has it already.
if ! cmp -s site/package-lock.json site/node_modules/.installed; then
	npm --prefix site ci --ignore-scripts --no-progress >&2
	cp site/package-lock.json site/node_modules/.installed
fi

export WASM_EXEC SITE_PAGES="$pages" SITE_BASE="$base$version/" SITE_OUT="$out/$version"
npm --prefix site run --silent build
go run ./internal/cmd/site -index "$out" -version "$version"
