#!/bin/sh
# Runs shellcheck over every file of the repository whose first line says that it is a shell script: ours, and the
# scripts that the function puts into machines.
set -eu

if ! command -v shellcheck >/dev/null 2>&1; then
	echo "shellcheck is not installed: shell scripts are not checked" >&2
	[ "${CI:-}" != true ]
	exit
fi

git ls-files --cached --others --exclude-standard | while IFS= read -r file; do
	if [ -f "$file" ] && head -n 1 "$file" | LC_ALL=C grep -qE '^#! ?(/usr)?/bin/(env )?(ba|da)?sh( |$)'; then
		printf '%s\n' "$file"
	fi
done | tr '\n' '\0' | xargs -0 shellcheck --external-sources
