#!/usr/bin/env bash
# Runs the smokes of .ci/run again and again while other processes keep every core busy: what is unlucky there does not belong into the presubmit.
#
#   hack/repeat.sh                        each smoke 20 times
#   RUNS=3 hack/repeat.sh smoke-provider  that one three times
#
# BUSY is how many processes count beside it, one for each core unless given. _output/repeat/report.md has the result, and with WRITE=true docs/testing.md, too.
# It exits 1 if a run failed.
set -uo pipefail

cd "$(dirname "$0")/.." || exit

readonly RUNS=${RUNS:-20} BUSY=${BUSY:-$(nproc)} OUT=_output/repeat PAGE=docs/testing.md

# busy until this script ends.
busy() {
	local n

	for ((n = 0; n < BUSY; n++)); do
		while :; do :; done &
	done
}

# repeated STEP: a row of the report.
repeated() {
	local run took passed=0 least='' most=0 failed='' start

	for ((run = 1; run <= RUNS; run++)); do
		start=$SECONDS

		if .ci/run "$1" >"$OUT/$1.$run.log" 2>&1; then
			passed=$((passed + 1))
		else
			failed="$failed $run ($(grep --extended-regexp --only-matching '^ *--- FAIL: [^ ]+' "$OUT/$1.$run.log" | sed 's,^ *--- FAIL: ,,' | tail -n 1))"
		fi

		took=$((SECONDS - start))
		[ -n "$least" ] && [ "$took" -ge "$least" ] || least=$took
		[ "$took" -le "$most" ] || most=$took
		echo "$1: run $run of $RUNS, $passed passed, $took s" >&2
	done

	echo "| \`$1\` | $RUNS | $passed | ${least} to ${most} s |${failed:- none} |"

	[ "$passed" = "$RUNS" ]
}

main() {
	local steps=("$@") step status=0 rows=''

	[ ${#steps[@]} != 0 ] || mapfile -t steps < <(grep --only-matching '^step_smoke-[a-z]*' .ci/run | sed 's,^step_,,')

	mkdir -p "$OUT"
	busy
	# shellcheck disable=SC2046 # A list of numbers.
	trap 'kill $(jobs -p) 2>/dev/null' EXIT

	for step in "${steps[@]}"; do
		rows="$rows$(repeated "$step")"$'\n' || status=1
	done

	{
		echo "Measured on $(date --utc +%Y-%m-%d) at $(git describe --always --dirty), on $(nproc) cores with $BUSY other processes that keep them busy:"
		echo
		echo "| smoke | runs | passed | by the clock | failed runs |"
		echo "| --- | --- | --- | --- | --- |"
		printf '%s' "$rows"
	} >"$OUT/report.md"

	cat "$OUT/report.md"

	if [ "${WRITE:-}" = true ]; then
		awk -v report="$OUT/report.md" '
			/<!-- end of repeat -->/ { skips = 0 }
			!skips { print }
			/<!-- repeat/ { skips = 1; while ((getline line < report) > 0) print line }
		' "$PAGE" >"$OUT/page.md" && cp "$OUT/page.md" "$PAGE"
	fi

	exit $status
}

main "$@"
