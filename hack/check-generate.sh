#!/bin/sh
# Fails if a generated file differs from what is committed, or is not committed at all. Run after `make generate`.
set -eu

set -- '*zz_generated*' input/package/crds package/xrds package-v2/xrds docs/api.md schemas

untracked=$(git ls-files --others --exclude-standard -- "$@")
if [ -n "$untracked" ]; then
	echo "generated, but not committed:" >&2
	echo "$untracked" >&2
	exit 1
fi

if ! git diff --exit-code HEAD -- "$@"; then
	echo "generated files are not what is committed: run make generate and commit" >&2
	exit 1
fi
