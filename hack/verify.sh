#!/usr/bin/env bash
# The whole proof: every suite, one after the other.
#
#   hack/verify.sh                 all suites
#   hack/verify.sh e2e provider    those
#   hack/verify.sh --list          their names
#
# What passed is not run again for the same files, so a run that was interrupted goes on where it was. A suite that failed is run again, and stays in the report: a
# test that fails once without a reason is a defect. FRESH=1 forgets what is known of the suites that are run. SEED is that of the random worlds; the day, unless given.
#
# _output/verify/report.md has the result of each suite; the logs are beside it.
#
# shellcheck disable=SC2317 # The suites are called by their names.
set -uo pipefail

cd "$(dirname "$0")/.." || exit

# shellcheck source=hack/measured.sh
. hack/measured.sh

export CI=${CI:-true} SEED=${SEED:-$(date +%Y%m%d)}

# In the order in which they are run: what fails soonest comes first.
readonly SUITES=(lint generate test validate packages gitops observability kyverno nix engines provider cloudinit secrets site bench release pairs worlds model e2e e2e-v1 rehearsals flux guests boot)

readonly OUT=${OUT:-_output/verify}

suite_lint() { make --no-print-directory lint; }
suite_generate() { make --no-print-directory check-generate check-readmes; }
suite_test() { make --no-print-directory test; }
suite_validate() { make --no-print-directory validate; }
suite_packages() { make --no-print-directory packages; }
suite_gitops() { make --no-print-directory test-gitops; }
suite_observability() { make --no-print-directory test-observability; }
suite_kyverno() { make --no-print-directory test-kyverno; }
suite_nix() { make --no-print-directory test-nix; }
suite_engines() { make --no-print-directory test-engines; }
suite_provider() { make --no-print-directory test-provider; }
suite_cloudinit() { make --no-print-directory smoke-cloudinit; }
suite_secrets() { make --no-print-directory test-secrets; }
suite_site() { make --no-print-directory test-site; }
suite_bench() { make --no-print-directory bench; }
suite_release() { make --no-print-directory check-release; }
suite_pairs() { make --no-print-directory test-pairs SEED="$SEED"; }
suite_worlds() { make --no-print-directory test-worlds SEED="$SEED"; }
suite_model() { make --no-print-directory model test-broken; }
suite_e2e() { make --no-print-directory e2e; }
suite_e2e-v1() { make --no-print-directory e2e-v1; }
suite_rehearsals() { make --no-print-directory e2e-rehearsals; }
suite_flux() { make --no-print-directory e2e-flux; }
suite_guests() { make --no-print-directory test-boot-fast; }
suite_boot() { make --no-print-directory test-boot; }

# seed of a suite's random worlds; none where it has none.
seed() { case $1 in pairs | worlds) echo "$SEED" ;; *) echo - ;; esac; }

# files is a checksum of all files as they are now: what Git has of them, what is changed, and what is new.
files() {
	{
		git rev-parse HEAD
		git diff HEAD --binary
		git ls-files --others --exclude-standard -z | xargs --null --no-run-if-empty git hash-object --
	} | git hash-object --stdin
}

# known SUITE RESULT: whether the suite had this result for these files.
known() { grep --quiet "^$2	" "$attempts/$1" 2>/dev/null; }

# cell TEXT: as a cell of a table.
cell() { printf '%s' "$1" | tr '\n|' ' /' | cut --characters=1-300; }

# report of all attempts of the suites that were asked for.
report() {
	local name result took used seed began failed

	echo "# Proof of $(git describe --always --dirty) on $(date --utc +%Y-%m-%dT%H:%MZ)"
	echo
	echo "| suite | result | by the clock | processor time | seed | began | what failed |"
	echo "| --- | --- | --- | --- | --- | --- | --- |"

	for name in "$@"; do
		if [ ! -f "$attempts/$name" ]; then
			echo "| $name | not run | | | | | |"
			continue
		fi

		while IFS='	' read -r result took used seed began failed; do
			echo "| $name | $result | $took s | $used s | $seed | $began | $failed |"
		done <"$attempts/$name"
	done
}

main() {
	local suites=("$@") attempts began result failed took used name status=0

	if [ "${1:-}" = --list ]; then
		printf '%s\n' "${SUITES[@]}"
		exit
	fi

	[ ${#suites[@]} != 0 ] || suites=("${SUITES[@]}")

	for name in "${suites[@]}"; do
		if ! declare -F "suite_$name" >/dev/null; then
			echo "unknown suite $name: want ${SUITES[*]}" >&2
			exit 2
		fi
	done

	attempts=$OUT/$(files)
	mkdir -p "$attempts" "$OUT/logs"

	for name in "${suites[@]}"; do
		[ -z "${FRESH:-}" ] || rm -f "$attempts/$name"

		printf '\n=== %s\n' "$name"

		if known "$name" ok; then
			echo "passed before, with the same files"
			continue
		fi

		result=ok failed='' began=$(date --utc +%Y-%m-%dT%H:%MZ)
		measured "$OUT/logs/$name" "suite_$name" || result=FAILED

		if [ $result != ok ]; then
			told "$OUT/logs/$name"
			failed=$(cell "$(grep --extended-regexp --only-matching '^ *--- FAIL: [^ ]+' "$OUT/logs/$name" | sed 's,^ *--- FAIL: ,,' | head -n 10)")
			[ -n "$failed" ] || failed=$(cell "$(tail -n 1 "$OUT/logs/$name")")
		fi

		printf '%s\t%s\t%s\t%s\t%s\t%s\n' "$result" "$took" "$used" "$(seed "$name")" "$began" "$failed" >>"$attempts/$name"
		report "${suites[@]}" >"$OUT/report.md"
	done

	report "${suites[@]}" >"$OUT/report.md"
	printf '\n'
	cat "$OUT/report.md"

	# One that passed at its second attempt failed.
	for name in "${suites[@]}"; do
		! known "$name" FAILED || status=1
	done

	exit $status
}

main "$@"
