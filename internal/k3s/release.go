package k3s

import (
	"regexp"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/util/version"

	"github.com/homelab-io/function-proxmox-machine/internal/memo"
)

// mostReleases of Kubernetes are remembered as they are read: a cluster has a few, and the table of etcd some hundred.
const mostReleases = 1024

// mostOfRelease is how long the name of a release is at most.
const mostOfRelease = 64

var releases = memo.New[string, *version.Version](mostReleases) //nolint:gochecknoglobals // The text decides what is read.

// releasePattern is that of spec.k3s.version in the API.
var releasePattern = regexp.MustCompile(`^v[0-9]+\.[0-9]+\.[0-9]+(-[a-z0-9.]+)?\+k3s[0-9]+$`)

// IsRelease says whether a text is a release of K3s that a spec can name. A Node can report any other.
func IsRelease(text string) bool {
	return len(text) <= mostOfRelease && releasePattern.MatchString(text)
}

// OlderRelease says whether a release of K3s is older than another one; false where either cannot be read.
func OlderRelease(a, b string) bool {
	va, k3sA, err := readRelease(a)
	vb, k3sB, err2 := readRelease(b)

	if err != nil || err2 != nil {
		return false
	}

	return va.LessThan(vb) || !vb.LessThan(va) && k3sA < k3sB
}

// readRelease of K3s: that of Kubernetes, and K3s' own number of it.
func readRelease(release string) (kubernetes *version.Version, k3s int, err error) {
	text, k3s := splitRelease(release)
	kubernetes, err = releases.Of(text, func() (*version.Version, error) { return version.ParseSemantic(text) })

	return kubernetes, k3s, err
}

// splitRelease into the release of Kubernetes and K3s' own number of it, such as v1.33.6 and 1 of v1.33.6+k3s1.
func splitRelease(release string) (kubernetes string, k3s int) {
	kubernetes, rest, _ := strings.Cut(release, "+k3s")
	k3s, _ = strconv.Atoi(rest)

	return kubernetes, k3s
}

// MinorOf a release of K3s, such as 33 of v1.33.6+k3s1.
func MinorOf(release string) (minor int, ok bool) {
	rest, ok := strings.CutPrefix(release, "v1.")
	if !ok {
		return 0, false
	}

	text, _, _ := strings.Cut(rest, ".")
	minor, err := strconv.Atoi(text)

	return minor, err == nil
}
