#!/bin/sh
# Builds a release here and in a copy of the sources elsewhere, with another umask, time zone and language, and fails if a byte differs.
#
# One platform for each kind of archive stands for the others: a tar for Linux and macOS, a zip for Windows. Each takes minutes where nothing was
# compiled before. PLATFORMS has others.
set -eu

platforms=${PLATFORMS:-linux/amd64,windows/amd64}
version=${VERSION:-v0.0.0-dry-run}

copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT

# What is committed or would be: a file that is ignored here must not be needed there.
git ls-files -z --cached --others --exclude-standard | tar --null --files-from=- --create | tar --extract --directory "$copy"

SOURCE_DATE_EPOCH=$(git log -1 --format=%ct)
export SOURCE_DATE_EPOCH

release() {
	make --no-print-directory release DRY_RUN=1 VERSION="$version" PLATFORMS="$platforms"
}

release
(
	cd "$copy"
	umask 077
	TZ=Pacific/Auckland LC_ALL=C release >/dev/null
)

for folder in assets packages; do
	if [ -z "$(ls "_output/release/$folder")" ]; then
		echo "the release has no $folder" >&2
		exit 1
	fi
done

if ! diff --recursive _output/release "$copy/_output/release"; then
	echo "two builds of one release differ" >&2
	exit 1
fi

echo "release $version: two builds, the same bytes"
