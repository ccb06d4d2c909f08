#!/bin/sh
# Sees to programs that come from the distribution: COMMAND=PACKAGE ...
#
# As root on a Debian system what is missing is installed. Elsewhere it is named and left to the user, since the tests
# that need it skip with a message; with CI=true they fail, and so does this.
set -eu

missing=
for pair in "$@"; do
	if ! command -v "${pair%%=*}" >/dev/null 2>&1; then
		missing="$missing ${pair#*=}"
	fi
done

[ -n "$missing" ] || exit 0

install() {
	# shellcheck disable=SC2086 # a list of package names
	DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends $missing
}

if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then
	echo "installing$missing" >&2
	# The list of packages on the machine may be missing or too old to fetch from.
	if install >/dev/null 2>&1 || { apt-get update -q >/dev/null && install >&2; }; then
		exit 0
	fi
fi

echo "not installed:$missing. To run every check, install them, on Debian with: apt-get install$missing" >&2
[ "${CI:-}" != true ]
