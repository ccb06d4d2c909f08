#!/bin/sh
# Fails if `go mod tidy` would change a go.mod or go.sum of the repository.
set -eu

status=0
git ls-files --cached --others --exclude-standard -- '*go.mod' | while IFS= read -r mod; do
	dir=$(dirname "$mod")
	if ! (cd "$dir" && GOWORK=off go mod tidy -diff); then
		echo "$mod is not tidy: run go mod tidy in $dir" >&2
		exit 1
	fi
done || status=1
exit $status
