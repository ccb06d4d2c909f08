package preview

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

const (
	childHashLength = 12
	maxNameLength   = 63
)

// childName is the name that Crossplane gives a composed resource: a prefix, and a hash over the composite's UID and the resource's name in
// the composition (ChildName of its internal/names).
func childName(prefix, identity string) string {
	sum := sha256.Sum256([]byte(identity))
	suffix := hex.EncodeToString(sum[:])[:childHashLength]

	if prefix != "" && !strings.HasSuffix(prefix, "-") {
		prefix += "-"
	}

	const most = maxNameLength - childHashLength

	switch {
	case len(prefix) <= most:
		return prefix + suffix
	case strings.HasSuffix(prefix[:most], "-"):
		return prefix[:most] + suffix
	}

	return prefix[:most-1] + "-" + suffix
}
