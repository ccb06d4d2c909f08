package k3s

import (
	"regexp"
	"strconv"
	"strings"
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

// Skips says whether a release is of a minor release behind the next one of another release, which Kubernetes does not support as an upgrade of it; false
// where either cannot be read.
func Skips(from, to string) bool {
	has, ok := MinorOf(from)
	wanted, ok2 := MinorOf(to)

	return ok && ok2 && wanted > has+1
}

// InSteps is what to do in place of an upgrade that [Skips]: the minor release that is the next, and by which releases the way leads, where the table knows
// them.
func InSteps(from, to string) string {
	has, _ := MinorOf(from)
	out := "upgrade to a release of v1." + strconv.Itoa(has+1) + " first"

	if route := Route(from, to); len(route) > 1 {
		out += ": one after the other, " + strings.Join(route, ", ")
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
