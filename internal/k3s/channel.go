package k3s

// Stable is the name of K3s' stable channel, which stands for a minor release as v1.36 does.
const Stable = "stable"

// The stable channel as this release of the function knows it: it asks nobody. CONTRIBUTING.md, The etcd of each K3s, says how to renew it with the table.
const (
	StableMinor = "v1.36"
	StableAsOf  = "November 2026"
)

// minorOfChannel is the minor release that a version stands for, where it is a channel; else the version.
func minorOfChannel(version string) string {
	if version == Stable {
		return StableMinor
	}

	return version
}
