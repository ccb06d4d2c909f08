package cluster

import (
	"maps"
	"slices"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/k3s"
)

// recorded are the nodes that exist, with a spec that names the release that they run. The spec is what the node's next VM is created with, which must not
// be older than the others; for the VM that runs, nothing follows from it.
func recorded(w World) World {
	if w.System == nil {
		return followServers(w)
	}

	oldest := w.Children.oldestServer(func(c Child) bool { return c.Joined && c.VersionSeen && !c.Deleting })

	w.Children = maps.Clone(w.Children)
	w.Members = slices.Clone(w.Members)

	for i, m := range w.Members {
		c, exists := w.Children[m.Node]
		if !exists {
			continue
		}

		has, names := versionOf(c.Spec), named(w.System.Version, oldest, m, c)
		before := m.withVersion(has)

		if w.Members[i] = m.withVersion(names); has == names {
			continue
		}

		c.Spec = withVersion(c.Spec, names)

		// Its turn is over, whatever release the turn was for.
		if c.Template == before.Template {
			c.Template = w.Members[i].Template
		}

		w.Children[m.Node] = c
	}

	return w
}

// named is the release that the spec of a node is to name: the claim's once the node runs it, and before that the one that it has, unless the node was
// upgraded to a later one since. The claim may have moved on meanwhile. A server of which nobody knows what it runs, since its Node is gone, comes back with
// no earlier one than all other servers run: agents may have been upgraded to that.
func named(wanted, oldest string, m Member, c Child) string {
	has, runs := versionOf(c.Spec), c.Version

	if !c.VersionSeen {
		runs = oldest
	}

	switch later := k3s.OlderRelease(has, runs); {
	case !c.Joined, !c.VersionSeen && (c.Role != v1alpha1.K3sServer || c.Need == NeedReplacing || !later):
		return has
	case runs == wanted:
		return versionOf(m.Spec)
	case later:
		return runs
	default:
		return has
	}
}

// followServers is a world whose agents are to have no later release than the oldest that a server is known to run: a kubelet must not be newer than an API
// server that it talks to, https://kubernetes.io/releases/version-skew-policy. An agent that has the release that the claim names already stays as it is.
func followServers(w World) World {
	servers := serversRun(w)
	if servers == "" {
		return w
	}

	w.Members = slices.Clone(w.Members)

	for i, m := range w.Members {
		wants, c := versionOf(m.Spec), w.Children[m.Node]
		has := versionOf(c.Spec)

		switch {
		case m.Role != v1alpha1.K3sAgent || has == wants || !k3s.OlderRelease(servers, wants):
			continue
		case has != "":
			w.Members[i] = m.withVersion(has)
		default:
			w.Members[i] = m.withVersion(servers)
		}

		w.Members[i].Later = wants
	}

	return w
}

// serversRun is the oldest release that a server is known to run; empty where that is not known of any. What a VM was created with is what it runs only where
// nodes are upgraded by replacement.
func serversRun(w World) string {
	return w.Children.oldestServer(func(c Child) bool { return !c.Deleting && (c.VersionSeen || w.Upgrade == v1alpha1.UpgradeReplace) })
}

// withVersion is the member with another release of K3s; empty for that of the catalogue.
func (m Member) withVersion(version string) Member {
	if versionOf(m.Spec) == version {
		return m
	}

	m.Spec = withVersion(m.Spec, version)
	if m.Founder != nil {
		m.Founder = withVersion(m.Founder, version)
	}

	// What was a spec before is one now.
	m.Template, _ = templateOf(m.Spec)

	return m
}

func versionOf(spec map[string]any) string {
	return text(group(spec, "k3s"), "version")
}

func withVersion(spec map[string]any, version string) map[string]any {
	out, k := maps.Clone(spec), maps.Clone(group(spec, "k3s"))

	if version == "" {
		delete(k, "version")
	} else {
		k["version"] = version
	}

	out["k3s"] = k

	return out
}
