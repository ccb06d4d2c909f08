# shellcheck shell=bash
# Read by .ci/run and hack/verify.sh: a command that is run, measured, and told of if it fails.

# measured LOG COMMAND...: runs a command, prints what it prints, and keeps that in LOG. Sets `took` and `used`, the seconds by the clock and of processor time
# that the command and its children had, and returns the command's status.
measured() {
	local log=$1 status=0 start=$SECONDS
	shift

	(
		set -o pipefail
		{
			code=0
			"$@" || code=$?
			times >"$log.times"
			exit $code
		} 2>&1 | tee "$log"
	) || status=$?

	# shellcheck disable=SC2034 # For the caller.
	took=$((SECONDS - start)) used=$(processor "$log.times")

	return $status
}

# processor FILE: the sum of what `times` has written, in whole seconds.
processor() {
	awk '{ for (i = 1; i <= 2; i++) { split($i, t, "[ms]"); sum += 60 * t[1] + t[2] } } END { printf "%.0f", sum }' "$1"
}

# told LOG: where tests of a failed command said something, each with its next line; the end of its output where no test did. What a failed test logs at its end
# may be thousands of lines.
told() {
	if ! grep --extended-regexp --after-context=1 '^ *--- FAIL|^ *[a-z0-9_]+_test\.go:[0-9]+: |^FAIL[[:space:]]' "$1" | cut --characters=1-400 | tail --lines=60 | grep .; then
		tail --lines=20 "$1" | cut --characters=1-400
	fi
}
