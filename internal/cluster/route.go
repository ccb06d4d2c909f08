package cluster

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/k3s"
)

// A Route is by which releases of K3s the nodes of a cluster get to the minor release that its claim names.
type Route struct {
	// Minor is the minor release that the route was decided for; empty where the claim names a release, or none.
	Minor string
	// Releases are the steps, the last of which is where the nodes stay. They are kept until the claim names another minor release, whatever
	// later releases the function learns of.
	Releases []string
	// Version is the step that the nodes are to run now: what the claim names, where that is no minor release that the function knows.
	Version string
}

// RouteOf a claim, with what was decided before. The next step begins when all nodes run the one before.
func RouteOf(spec v1alpha1.K3sClusterSpec, children map[string]Child, before Route) Route {
	if !k3s.IsMinor(spec.Version) {
		return Route{Version: spec.Version}
	}

	out := Route{Minor: spec.Version, Version: spec.Version}

	if before.Minor == spec.Version && len(before.Releases) > 0 {
		out.Releases = before.Releases
	} else if target := target(spec.Version, children); target != "" {
		out.Releases = []string{target}
	} else {
		return out
	}

	at := max(0, slices.Index(out.Releases, before.Version))

	// Only a rollout takes steps: without one, the release is for new nodes.
	oldest, walks := oldestOf(children), spec.Upgrade == v1alpha1.UpgradeReplace || spec.Upgrade == v1alpha1.UpgradeSystem
	if len(out.Releases) == 1 && walks && k3s.OlderRelease(oldest, out.Releases[0]) {
		out.Releases, at = k3s.Route(oldest, out.Releases[0]), 0
	}

	for at < len(out.Releases)-1 && reached(out.Releases[at], spec.Upgrade, children) {
		at++
	}

	out.Version = out.Releases[at]

	return out
}

// target is the newest release of a minor release: in the table, or that a node runs; empty where the table has none.
func target(minor string, children map[string]Child) string {
	newest := k3s.Newest(minor)
	if newest == "" {
		return ""
	}

	for _, c := range children {
		if k3s.IsOf(c.Version, minor) && k3s.OlderRelease(newest, c.Version) {
			newest = c.Version
		}
	}

	return newest
}

// Channel says which minor release a channel stands for, and as of when; empty where the claim names none. A later release of the function can
// know another one, and the cluster stays where it is.
func (r Route) Channel() string {
	if r.Minor != k3s.Stable {
		return ""
	}

	out := k3s.Stable + " is " + k3s.StableMinor + ", as of " + k3s.StableAsOf
	if len(r.Releases) > 0 && !k3s.IsOf(r.Releases[len(r.Releases)-1], k3s.Stable) {
		out += "; the cluster stays at " + r.Releases[len(r.Releases)-1] + " until version names another release"
	}

	return out
}

// oldestOf the releases that nodes run; empty where none is known.
func oldestOf(children map[string]Child) string {
	oldest := ""

	for _, c := range children {
		if c.Version != "" && !c.Deleting && (oldest == "" || k3s.OlderRelease(c.Version, oldest)) {
			oldest = c.Version
		}
	}

	return oldest
}

// reached says whether all nodes are known to run a release, or a later one. What a VM was created with is what it runs only where nodes are upgraded by
// replacement.
func reached(release string, upgrade v1alpha1.Upgrade, children map[string]Child) bool {
	for _, c := range children {
		known := c.VersionSeen || upgrade == v1alpha1.UpgradeReplace
		if !c.Joined || !known || c.Version != release && !k3s.OlderRelease(release, c.Version) {
			return false
		}
	}

	return len(children) > 0
}

// released is the release that a version stands for in a cluster that does not exist yet.
func released(version string) string {
	if newest := k3s.Newest(version); newest != "" {
		return newest
	}

	return version
}

// releaseOrMinor is what the version of a cluster can be, of what is neither.
func releaseOrMinor(value any) string {
	if text, _ := value.(string); k3s.IsMinor("v"+text) && k3s.Newest("v"+text) != "" {
		return "must be a release of K3s, such as v1.36.5+k3s1, or a minor release with its v: v" + text
	}

	minors := k3s.Minors()

	return fmt.Sprintf("must be a release of K3s, vX.Y.Z+k3sN, such as v1.36.5+k3s1, or stable or a minor release from %s to %s, of which all nodes get the newest that the function knows",
		minors[0], minors[len(minors)-1])
}

// checkMinor refuses a minor release of which the function knows no release.
func checkMinor(version string) field.ErrorList {
	if !k3s.IsMinor(version) || k3s.Newest(version) != "" {
		return nil
	}

	return field.ErrorList{field.Invalid(field.NewPath("spec", "version"), version, fmt.Sprintf(
		"is no minor release of K3s that the function knows: there are stable, %s; or write a release, such as v1.36.5+k3s1", strings.Join(k3s.Minors(), ", ")))}
}
