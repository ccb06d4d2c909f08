package cluster

import (
	"cmp"
	"maps"
	"slices"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/k3s"
)

// releases are those of K3s that the nodes run, beside the one that system-upgrade-controller is to bring them to.
type releases struct {
	system   *SystemUpgrade // Nil where it does not upgrade the cluster.
	children Children
}

// behind says whether a node runs an earlier release than the one that all nodes are to run. One that runs a later one is left alone: K3s cannot be downgraded.
func (r releases) behind(c Child) bool {
	return r.system != nil && c.Joined && c.VersionSeen && c.Version != r.system.Version && !k3s.OlderRelease(r.system.Version, c.Version)
}

// upgrading says whether the upgrade of a node was begun and has not ended: its Plan names it, and it does not run the release yet, or the
// controller is not done with it.
func (r releases) upgrading(c Child) bool {
	if r.system == nil || c.NodeName == "" || c.Deleting {
		return false
	}

	switch plan := r.system.Plans[c.Role]; {
	case !slices.Contains(plan.Nodes, c.NodeName):
		return false
	case slices.Contains(plan.Applying, c.NodeName):
		return true
	case c.Role == v1alpha1.K3sAgent && len(r.serversBehind()) > 0:
		// The servers are to run another release since.
		return false
	default:
		return !c.VersionSeen || r.behind(c)
	}
}

// serversBehind are the servers that do not run the release yet, sorted.
func (r releases) serversBehind() []string { return r.servers(r.behind) }

// serversBefore are the servers that run an earlier release than one, as far as that is known, sorted.
func (r releases) serversBefore(release string) []string {
	return r.servers(func(c Child) bool { return !c.Deleting && k3s.OlderRelease(c.Version, release) })
}

// servers of which something is so, sorted.
func (r releases) servers(is func(Child) bool) []string {
	var out []string

	for name, c := range r.children {
		if c.Role == v1alpha1.K3sServer && is(c) {
			out = append(out, name)
		}
	}

	slices.Sort(out)

	return out
}

// anyBehind says whether there is a node that runs an earlier release.
func (r releases) anyBehind() bool {
	return slices.ContainsFunc(slices.Collect(maps.Values(r.children)), r.behind)
}

// runs is the release with which a node can join now: the oldest that a server is known to run, so that no node is newer than the servers.
func (r releases) runs() string {
	return cmp.Or(r.children.oldestServer(func(c Child) bool { return c.Joined && c.VersionSeen }), r.system.Version)
}

// oldestServer is the oldest release of the servers of which it is known; empty for none.
func (c Children) oldestServer(known func(Child) bool) string {
	oldest := ""

	for _, child := range c {
		if child.Role == v1alpha1.K3sServer && child.Version != "" && known(child) && (oldest == "" || k3s.OlderRelease(child.Version, oldest)) {
			oldest = child.Version
		}
	}

	return oldest
}

// born is a member as it is created: with the release that the servers run.
func (r releases) born(m Member) Member {
	if r.system == nil || !r.anyBehind() {
		return m
	}

	return m.withVersion(r.runs())
}
