package installation

import (
	"cmp"
	"regexp"
	"strconv"
	"strings"
)

// A release is a version as programs have it, without what stands behind the three numbers.
type release struct{ major, minor, patch int }

var releasePattern = regexp.MustCompile(`^v?(\d{1,6})\.(\d{1,6})(?:\.(\d{1,6}))?`)

// releaseOf a text such as v1.35.3+k3s1; false for anything else, for instance a digest.
func releaseOf(text string) (release, bool) {
	m := releasePattern.FindStringSubmatch(text)
	if m == nil {
		return release{}, false
	}

	number := func(s string) int {
		n, _ := strconv.Atoi(s)
		return n
	}

	return release{number(m[1]), number(m[2]), number(m[3])}, true
}

// before says whether a release is older than another.
func (r release) before(major, minor, patch int) bool {
	return cmp.Or(cmp.Compare(r.major, major), cmp.Compare(r.minor, minor), cmp.Compare(r.patch, patch)) < 0
}

// tagOf an image or a package: what stands behind the last colon of its last part; empty for a digest alone.
func tagOf(image string) string {
	image, _, _ = strings.Cut(image, "@")

	last := image[strings.LastIndex(image, "/")+1:]
	_, tag, _ := strings.Cut(last, ":")

	return tag
}
