package k3s

import (
	"regexp"
	"strconv"
)

var minorPattern = regexp.MustCompile(`^v1\.(0|[1-9][0-9]*)$`)

// IsMinor says whether a version is a minor release, such as v1.36 or [Stable], and no release of it.
func IsMinor(version string) bool { return minorPattern.MatchString(minorOfChannel(version)) }

// IsOf says whether a release is one of a minor release.
func IsOf(release, minor string) bool { return minorName(release) == minorOfChannel(minor) }

// Newest is the newest release of a minor release, such as v1.36 or [Stable], in the table of releases; empty where the table has none.
func Newest(minor string) string {
	newest := ""

	for _, r := range etcds() {
		if IsOf(r.release, minor) {
			newest = r.release
		}
	}

	return newest
}

// Minors are the minor releases of which the table has releases, the oldest first.
func Minors() []string {
	var out []string

	for _, r := range etcds() {
		if m := minorName(r.release); len(out) == 0 || out[len(out)-1] != m {
			out = append(out, m)
		}
	}

	return out
}

// Route is by which releases servers get from one release to a later one, which is the last of them: one minor release at a time, each by its newest
// release in the table, and the release before that etcd needs: see [EtcdHop]. A step that the table does not know is left out.
func Route(from, to string) []string {
	var out []string

	for at := from; OlderRelease(at, to); {
		next := to
		of, _ := MinorOf(at)

		if wanted, _ := MinorOf(to); wanted > of+1 {
			if known := Newest("v1." + strconv.Itoa(of+1)); known != "" {
				next = known
			}
		}

		if hop := EtcdHop(at, next); hop.Verdict == HopRefused && OlderRelease(at, hop.Stop) && OlderRelease(hop.Stop, next) {
			next = hop.Stop
		}

		out = append(out, next)
		at = next
	}

	return out
}

func minorName(release string) string {
	minor, ok := MinorOf(release)
	if !ok {
		return ""
	}

	return "v1." + strconv.Itoa(minor)
}
